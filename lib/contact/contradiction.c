/* contradiction.c - contact problems with contradictions (contradiction.h). */
#include "contact/contradiction.h"

bool hn_is_met_within(hn_problem *problem, const double *p, double most, double *scratch, double *v)
{
  hn_problem_velocities(problem, p, scratch, v);
  return hn_problem_error(problem, false, p, v, NULL) <= most;
}
