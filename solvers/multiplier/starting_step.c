/* starting_step.c - one-step method of order 4 for the first steps of multistep solvers.
 *
 *   x' = v,  q' = (0, w) q / 2,  (v, w)' = W (f + G' lambda),   K lambda = -(G W f + gamma)
 *
 * by the classical Runge-Kutta method in a few substeps, then projection in the mass metric. The error of
 * the start is of order h^5 a step, far below that of the solvers that use it. Cost: four factorisations of K
 * a substep. */
#include "multiplier/starting_step.h"
#include "base/vec.h"
#include "multiplier/multipliers.h"
#include "registry/solver_arrays.h"

#include <string.h>

enum { SUBSTEPS = 4, STAGES = 4 };

/* Joint residual of a stage, m or rad, above which the explicit method has diverged. */
static const double diverged = 1e-2;

int hn_starting_step_setup(hn_solver *solver, hn_starting_step *start, hn_error *error)
{
  const size_t bodies = (size_t)solver->system->model->nbody;
  start->projection.velocity_correction = true;
  if (hn_solver_allocate(solver, error, HN_STATE(start->stage), HN_ARRAY(start->pose, 7 * bodies),
                         HN_ARRAY(start->rate, 13 * bodies), HN_ARRAY(start->sum, 13 * bodies),
                         HN_ARRAY(start->acceleration, bodies)))
    return -1;
  return hn_rattle_setup(solver, &start->projection, error);
}

/* Computes the derivatives at the stage, whose poses are also in start->pose, into start->rate. */
static hn_reason derivatives(hn_solver *solver, hn_starting_step *start, double *lambda)
{
  const hn_state *stage = start->stage;
  const hn_pose *pose = (const hn_pose *)start->pose;
  hn_pose *rate = (hn_pose *)start->rate;
  hn_reason reason = hn_factor_at(solver, stage);
  if (reason != HN_CONVERGED) return reason;
  for (int i = 0; i < stage->nbody; i++) {
    const hn_twist *u = &stage->twist[i];
    const double half[4] = { 0.0, 0.5 * u->w[0], 0.5 * u->w[1], 0.5 * u->w[2] };
    vec_copy(rate[i].x, u->v);
    quat_mul(rate[i].q, half, pose[i].q);
  }
  return hn_multipliers(solver, stage, lambda, (hn_twist *)(rate + stage->nbody));
}

/* Sets the stage to FROM + S times start->rate. */
static void set_stage(hn_starting_step *start, const hn_state *from, double s)
{
  hn_state *stage = start->stage;
  const size_t bodies = (size_t)from->nbody;
  const double *pose = (const double *)from->pose, *twist = (const double *)from->twist;
  double *u = (double *)stage->twist;
  for (size_t i = 0; i < 7 * bodies; i++) start->pose[i] = pose[i] + s * start->rate[i];
  for (size_t i = 0; i < 6 * bodies; i++) u[i] = twist[i] + s * start->rate[7 * bodies + i];
  memcpy(stage->pose, start->pose, sizeof *start->pose * 7 * bodies);
  for (size_t i = 0; i < bodies; i++) quat_normalise(stage->pose[i].q);
  stage->time = from->time + s;
}

/* Moves STATE by H with the classical Runge-Kutta method. */
static hn_reason runge_kutta(hn_solver *solver, hn_starting_step *start, hn_state *state, double h,
                             double *lambda)
{
  static const double node[STAGES] = { 0.0, 0.5, 0.5, 1.0 };
  static const double weight[STAGES] = { 1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6 };
  const size_t poses = 7 * (size_t)state->nbody, twists = 6 * (size_t)state->nbody;
  memcpy(start->sum, state->pose, sizeof *start->sum * poses);
  memcpy(start->sum + poses, state->twist, sizeof *start->sum * twists);
  memset(start->rate, 0, sizeof *start->rate * (poses + twists));
  for (int i = 0; i < STAGES; i++) {
    set_stage(start, state, node[i] * h);
    hn_reason reason = derivatives(solver, start, lambda);
    if (reason != HN_CONVERGED) return reason;
    for (size_t k = 0; k < poses + twists; k++) start->sum[k] += weight[i] * h * start->rate[k];
  }
  memcpy(state->pose, start->sum, sizeof *start->sum * poses);
  memcpy(state->twist, start->sum + poses, sizeof *start->sum * twists);
  for (int i = 0; i < state->nbody; i++) quat_normalise(state->pose[i].q);
  state->time += h;
  return HN_CONVERGED;
}

/* Returns REASON, the failure of a stage. A method that has diverged leads to poses far off the joints, where
 * K may be singular or not finite: this is a step that stalls. */
static hn_reason explain(hn_solver *solver, const hn_starting_step *start, hn_reason reason)
{
  int worst;
  const double residual = hn_system_residual(solver->system, start->stage, &worst);
  if (residual <= diverged || reason == HN_INTERRUPTED) return reason;
  return hn_step_stalled(solver, "start of the multistep formula", worst, residual, 0);
}

hn_reason hn_starting_step_take(hn_solver *solver, hn_starting_step *start, hn_state *state, double h,
                                double *lambda)
{
  const double time = state->time;
  hn_reason reason = HN_CONVERGED;
  hn_state_copy(start->stage, state); /* its inputs */
  for (int i = 0; i < SUBSTEPS && reason == HN_CONVERGED; i++) {
    reason = runge_kutta(solver, start, state, h / SUBSTEPS, lambda);
    state->time = i + 1 < SUBSTEPS ? time + (i + 1) * h / SUBSTEPS : time + h;
  }
  if (reason != HN_CONVERGED) return explain(solver, start, reason);
  start->projection.factored.valid = false;
  reason = hn_rattle_project(solver, &start->projection, state);
  return reason == HN_CONVERGED ? hn_multipliers(solver, state, lambda, start->acceleration) : reason;
}
