/* multipliers.c - joint forces and accelerations consistent with a state. */
#include "multiplier/multipliers.h"

hn_reason hn_factor_at(hn_solver *solver, const hn_state *state)
{
  hn_system_jacobian(solver->system, state);
  hn_reason reason = hn_system_factor(solver->system);
  return reason == HN_CONVERGED ? reason : hn_step_failed(solver, reason, "factorisation of K", -1, 0.0);
}

hn_reason hn_solve_multipliers(hn_system *s, hn_twist *acceleration, const double *gamma, double *lambda)
{
  const hn_state motion = { .nbody = s->model->nbody, .twist = acceleration };
  hn_system_velocity_residual(s, &motion, lambda, NULL);
  for (int i = 0; i < s->model->nrow; i++)
    lambda[i] = s->bias[i] - lambda[i] - (gamma ? gamma[i] : 0.0); /* removes the bias: G a alone */
  return hn_system_solve(s, lambda, lambda);
}

hn_reason hn_accelerations(hn_system *s, const hn_state *state, double *lambda, hn_twist *acceleration)
{
  hn_state motion = { .nbody = state->nbody, .twist = acceleration };
  hn_system_free_acceleration(s, state, acceleration);
  hn_system_gamma(s, state);
  hn_reason reason = hn_solve_multipliers(s, acceleration, s->gamma, lambda);
  if (reason == HN_CONVERGED) hn_system_apply(s, lambda, 1.0, &motion);
  return reason;
}

hn_reason hn_multipliers(hn_solver *solver, const hn_state *state, double *lambda, hn_twist *acceleration)
{
  hn_reason reason = hn_accelerations(solver->system, state, lambda, acceleration);
  if (reason == HN_CONVERGED) return reason;
  return hn_step_failed(solver, reason, "solution for the multipliers", -1, 0.0);
}
