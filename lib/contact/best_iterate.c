/* best_iterate.c - see best_iterate.h. */
#include "contact/best_iterate.h"
#include "contact/block_rows.h"

#include <math.h>
#include <string.h>

hn_reason hn_find_best_iterate(hn_contact_solver *solver, const hn_problem *problem, const hn_iterates *of,
                               double *p)
{
  const size_t size = sizeof *p * (size_t)problem->nrow;
  double min_error = HUGE_VAL;
  hn_reason reason = HN_BUDGET;
  memcpy(of->best, p, size);
  for (int k = 0; k < solver->options.iterations && reason == HN_BUDGET; k++) {
    if (hn_stopped(solver->stop)) return HN_INTERRUPTED;
    of->next(solver->data, problem);
    const double error = hn_rows_error(problem, of->scale, of->relaxed, *of->p, *of->v);
    if (!isfinite(error)) return HN_NOT_FINITE;
    if (error < min_error) min_error = error, memcpy(of->best, *of->p, size);
    hn_contact_note(solver, error);
    if (error <= solver->options.tolerance) reason = HN_CONVERGED;
  }
  solver->error = min_error;
  memcpy(p, of->best, size);
  return reason;
}
