/* impact_problem.c - see impact_problem.h. */
#include "event/impact_problem.h"
#include "contact/block_rows.h"
#include "contact/problem_islands.h"

#include <math.h>

/* m/s: bound on the residual that is accepted where redundant contacts contradict each other. */
static const double max_contradiction = 1e-9;

double hn_impact_contradiction(const hn_impact *d)
{
  return fmin(hn_contradiction * d->solver->options.tolerance, max_contradiction);
}

hn_reason hn_impact_solve_problem(hn_solver *solver, hn_impact *d, int *ambiguous)
{
  hn_reason reason = hn_problem_islands_solve(d->islands, d->solver, d->problem, d->p, ambiguous);
  solver->report.velocity_iterations += d->solver->iterations;
  if (reason == HN_CONVERGED || (reason == HN_BUDGET && d->solver->options.tolerance == 0.0))
    return HN_CONVERGED;
  const bool is_near = hn_is_met_within(d->problem, d->p, hn_impact_contradiction(d), d->work, d->rate);
  if (is_near && (reason == HN_STALLED || reason == HN_BUDGET)) {
    solver->report.contradictions++;
    return HN_CONVERGED;
  }
  return hn_step_contact_failed(solver, d->solver, reason, "impact");
}
