/* impact_problem.h - solution of one contact problem of an impact. Internal. */
#ifndef HN_IMPACT_PROBLEM_H
#define HN_IMPACT_PROBLEM_H

#include "parts.h"

/* Solves d->problem from d->p, which becomes its solution. AMBIGUOUS: see hn_problem_islands_solve. If
 * redundant contacts are inconsistent by less than the tolerance of gaps, the best impulses found are
 * accepted. */
hn_reason hn_impact_solve_problem(hn_solver *solver, hn_impact *d, int *ambiguous);
/* Returns the residual, m/s, that is accepted if redundant contacts contradict each other. */
double hn_impact_contradiction(const hn_impact *d);

#endif
