/* newton_trials.h - residual of a solver after a given number of iterations. */
#ifndef HN_NEWTON_TRIALS_H
#define HN_NEWTON_TRIALS_H

#include "models.h"

/* Returns the residual after k iterations, as reported by a step that is limited to k. */
static inline double residual_after(const char *solver_spec, int k, const hn_model *model,
                                    const hn_state *from, double h)
{
  char spec[160];
  hn_state *at = hn_state_create(model);
  hn_state_copy(at, from);
  snprintf(spec, sizeof spec, "%s,tolerance=1e-16,iterations=%d", solver_spec, k);
  hn_solver *solver = new_solver(spec, model);
  hn_reason reason = hn_solver_step(solver, at, h);
  double residual = solver->report.residual;
  assert_true(reason == HN_STALLED || reason == HN_CONVERGED);
  hn_solver_free(solver);
  hn_state_free(at);
  return residual;
}

#endif
