/* lagrange_stage.c - multipliers and accelerations of a state, for solver lagrange. */
#include "lagrange/lagrange_stage.h"

/* Computes the right-hand side of the multiplier equation at d->stage. */
static void right_hand_side(hn_solver *solver)
{
  hn_lagrange *d = solver->data;
  hn_system *s = solver->system;
  hn_state free_motion = { .nbody = d->stage->nbody, .pose = d->stage->pose, .twist = d->acceleration };
  hn_system_free_acceleration(s, d->stage, d->acceleration);
  hn_system_gamma(s, d->stage);
  hn_system_velocity_residual(s, &free_motion, d->right, NULL);
  for (int i = 0; i < s->model->nrow; i++)
    d->right[i] = s->bias[i] - d->right[i] - s->gamma[i]; /* removes the bias: G a alone */
  if (d->stabilisation != HN_BAUMGARTE) return;
  hn_system_residual(s, d->stage, NULL);
  hn_system_velocity_residual(s, d->stage, d->lambda, NULL);
  const double stiffness = d->formulation == HN_GGL ? 0.0 : d->beta * d->beta;
  for (int i = 0; i < s->model->nrow; i++) d->right[i] -= 2.0 * d->alpha * d->lambda[i] + stiffness * s->g[i];
}

/* Computes d->velocity = u + W G' mu with K mu = -(G u + bias) - beta g; K is factored at d->stage. */
static hn_reason constrain_velocity(hn_solver *solver)
{
  hn_lagrange *d = solver->data;
  hn_system *s = solver->system;
  hn_state moving = { .nbody = d->stage->nbody, .twist = d->velocity };
  const bool attracted = d->stabilisation == HN_BAUMGARTE;
  hn_system_velocity_residual(s, d->stage, d->mu, NULL);
  if (attracted) hn_system_residual(s, d->stage, NULL);
  for (int i = 0; i < s->model->nrow; i++) d->mu[i] = -d->mu[i] - (attracted ? d->beta * s->g[i] : 0.0);
  hn_reason reason = hn_system_solve(s, d->mu, d->mu);
  if (reason != HN_CONVERGED) return hn_step_failed(solver, reason, "solution for the velocities", -1, 0.0);
  for (int i = 0; i < moving.nbody; i++) d->velocity[i] = d->stage->twist[i];
  hn_system_apply(s, d->mu, 1.0, &moving);
  return HN_CONVERGED;
}

hn_reason hn_lagrange_evaluate(hn_solver *solver)
{
  hn_lagrange *d = solver->data;
  hn_system_jacobian(solver->system, d->stage);
  const char *where = d->stage->time > d->begin ? "factorisation of K at a trial stage"
                                                : "factorisation of K";
  hn_reason reason = hn_system_factor(solver->system);
  if (reason != HN_CONVERGED) return hn_step_failed(solver, reason, where, -1, 0.0);
  right_hand_side(solver);
  reason = hn_system_solve(solver->system, d->right, d->lambda);
  if (reason != HN_CONVERGED) return hn_step_failed(solver, reason, "solution for the multipliers", -1, 0.0);
  hn_state moved = { .nbody = d->stage->nbody, .twist = d->acceleration };
  hn_system_apply(solver->system, d->lambda, 1.0, &moved);
  return d->formulation == HN_GGL ? constrain_velocity(solver) : HN_CONVERGED;
}

const hn_twist *hn_lagrange_velocity(const hn_lagrange *d)
{
  return d->formulation == HN_GGL ? d->velocity : d->stage->twist;
}
