/* half_explicit_step.c - the step of half-explicit Runge-Kutta methods (half_explicit_step.h). */
#include "half_explicit/half_explicit_step.h"
#include "multiplier/multipliers.h"
#include "base/vec.h"
#include "registry/solver_arrays.h"

#include <stdlib.h>
#include <string.h>

enum { NONE, PROJECTION };

const hn_param hn_half_explicit_params[] = {
  { "velocity_tolerance", HN_REAL, offsetof(hn_half_explicit, velocity_tolerance), "1e-12", 1e-16, 1,
    "m/s, rad/s", NULL, "joint velocity error allowed in every stage" },
  { "stabilisation", HN_CHOICE, offsetof(hn_half_explicit, stabilisation), "none", 0, 0, "",
    "none,projection", "correction of the drift of positions" },
  { "tolerance", HN_REAL, offsetof(hn_half_explicit, projection.tolerance), "1e-12", 1e-16, 1, "m, rad", NULL,
    "projection: joint error allowed" },
  { "iterations", HN_INTEGER, offsetof(hn_half_explicit, projection.iterations), "50", 1, 1e6, "", NULL,
    "limit of iterations for the multipliers of a stage, and for a projection" },
  HN_LINEAR_PARAMS(hn_half_explicit, projection.linear),
  { .key = NULL },
};

int hn_half_explicit_setup(hn_solver *solver, const hn_half_explicit_method *method, hn_error *error)
{
  hn_half_explicit *d = solver->data;
  const hn_model *model = solver->system->model;
  const size_t bodies = (size_t)model->nbody, rows = (size_t)model->nrow, stages = (size_t)method->stages;
  d->method = method;
  if (hn_solver_allocate(solver, error, HN_STATE(d->start), HN_STATE(d->stage),
                         HN_ARRAY(d->rate[0], stages * 13 * bodies), HN_ARRAY(d->pose, 7 * bodies),
                         HN_ARRAY(d->memory, 7 * bodies + rows), HN_ARRAY(d->right, rows),
                         HN_ARRAY(d->change, rows), HN_ARRAY(d->z[0], 2 * HN_DIRECTIONS * rows),
                         HN_ARRAY(d->push, bodies), HN_ARRAY(d->acceleration, bodies)))
    return -1;
  d->T_previous = calloc(12 * rows + 1, sizeof *d->T_previous); /* on its own, for swap_T */
  if (!d->T_previous) return hn_fail(error, "out of memory");
  for (int i = 1; i < method->stages; i++) d->rate[i] = d->rate[i - 1] + 13 * bodies;
  for (size_t k = 0; k < HN_DIRECTIONS; k++) d->z[k] = d->z[0] + 2 * k * rows, d->image[k] = d->z[k] + rows;
  d->memory_size = 7 * bodies + rows;
  d->lambda = d->memory + 7 * bodies;
  return hn_rattle_setup(solver, &d->projection, error);
}

void hn_half_explicit_reset(hn_solver *solver)
{
  hn_half_explicit *d = solver->data;
  hn_rattle_reset(&d->projection);
  memset(d->memory, 0, sizeof *d->memory * d->memory_size); /* no pose is all zeros */
}

void *hn_half_explicit_memory(hn_solver *solver, size_t *size)
{
  const hn_half_explicit *d = solver->data;
  *size = sizeof *d->memory * d->memory_size;
  return d->memory;
}

void hn_half_explicit_free(hn_solver *solver)
{
  free(((hn_half_explicit *)solver->data)->T_previous);
}

/* Starts a step: Jacobian unless up to date, and the initial guess of lambda, 0 unless STATE is the end of
 * the last step. */
static void begin_step(hn_solver *solver, const hn_state *state)
{
  hn_half_explicit *d = solver->data;
  hn_state_copy(d->start, state);
  hn_state_copy(d->stage, state);
  memcpy(d->pose, state->pose, sizeof *state->pose * (size_t)state->nbody);
  const bool continues = hn_same_poses(state, (const hn_pose *)d->memory);
  if (!continues || !d->projection.factored.valid || !hn_same_poses(state, d->projection.factored.pose))
    hn_system_jacobian(solver->system, state);
  if (continues) return;
  memset(d->lambda, 0, sizeof *d->lambda * (size_t)solver->system->model->nrow);
}

/* Computes the derivatives of the stage with poses d->pose and the twists of d->stage, without joint
 * forces. */
static void derivatives(hn_solver *solver, double *rate)
{
  hn_half_explicit *d = solver->data;
  const hn_pose *pose = (const hn_pose *)d->pose;
  hn_pose *pose_rate = (hn_pose *)rate;
  for (int i = 0; i < d->stage->nbody; i++) {
    const hn_twist *u = &d->stage->twist[i];
    const double half[4] = { 0.0, 0.5 * u->w[0], 0.5 * u->w[1], 0.5 * u->w[2] };
    vec_copy(pose_rate[i].x, u->v);
    quat_mul(pose_rate[i].q, half, pose[i].q);
  }
  hn_system_free_acceleration(solver->system, d->stage, (hn_twist *)(pose_rate + d->stage->nbody));
}

/* Computes stage i, and lambda of stage i - 1; lambda of stage i remains open. */
static hn_reason compute_stage(hn_solver *solver, int i, double h)
{
  hn_half_explicit *d = solver->data;
  size_t bodies = (size_t)d->stage->nbody;
  derivatives(solver, d->rate[i - 1]);
  hn_half_explicit_combine(d, i, h, 0, 7 * bodies, d->pose);
  memcpy(d->stage->pose, d->pose, sizeof *d->pose * 7 * bodies);
  for (size_t k = 0; k < bodies; k++) quat_normalise(d->stage->pose[k].q);
  d->stage->time = d->start->time + d->method->node[i] * h;
  hn_half_explicit_swap_T(solver);
  d->projection.factored.valid = false;
  hn_reason reason = hn_factor_at(solver, d->stage);
  if (reason != HN_CONVERGED) return reason;
  return hn_half_explicit_multipliers(solver, i, h);
}

/* Ends the step: projection if chosen, and multipliers. K is factored at the poses of the last stage. */
static hn_reason finish(hn_solver *solver, hn_state *state)
{
  hn_half_explicit *d = solver->data;
  hn_rattle *projection = &d->projection;
  hn_reason reason = HN_CONVERGED;
  hn_state_copy(state, d->stage); /* also its time t + h, which joints may depend on */
  hn_pose_cache_store(&projection->factored, state);
  if (d->stabilisation == PROJECTION) reason = hn_rattle_project(solver, projection, state);
  if (reason == HN_CONVERGED) reason = hn_multipliers(solver, state, solver->multipliers, d->acceleration);
  state->time = d->start->time;
  memcpy(d->memory, state->pose, sizeof *state->pose * (size_t)state->nbody);
  return reason;
}

hn_reason hn_half_explicit_step(hn_solver *solver, hn_state *state, double h)
{
  begin_step(solver, state);
  for (int i = 1; i <= ((const hn_half_explicit *)solver->data)->method->stages; i++) {
    hn_reason reason = compute_stage(solver, i, h);
    if (reason != HN_CONVERGED) return reason;
  }
  return finish(solver, state);
}
