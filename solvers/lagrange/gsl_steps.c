/* gsl_steps.c - steps of solver lagrange with quaternions as four numbers, by steppers of GSL (gsl_steps.h).
 *
 * The implicit steppers (rk1imp, rk2imp, rk4imp, bsimp, msbdf) have 13 columns a rigid body and 6 a particle
 * in their Jacobian (multiplier/integrator.c). A step costs O(n) evaluations, O(n^2) work for trees, and
 * O(n^3) for the matrix: these steppers are for small or stiff systems (baumgarte with large alpha and
 * beta). */
#include "lagrange/gsl_steps.h"
#include "base/vec.h"
#include "registry/solver_arrays.h"

#include <string.h>

static void normalise(const hn_system *system, hn_state *state)
{
  for (int k = 0; k < system->nrotating; k++) quat_normalise(state->pose[system->rotating[k]].q);
}

/* Replaces a pose, whose quaternion need not be normalised, by its derivative. */
static void compute_flow(const hn_body *body, const hn_twist *u, hn_pose *flow)
{
  const double half[4] = { 0.0, 0.5 * u->w[0], 0.5 * u->w[1], 0.5 * u->w[2] };
  vec_copy(flow->x, u->v);
  if (body->kind == HN_RIGID) quat_mul(flow->q, half, flow->q);
}

/* True if Y and t are those of the last evaluation, bit for bit. The flow distinguishes quaternions of
 * different norm. */
static bool stage_is_current(const hn_lagrange *d, double t, const double *y)
{
  const hn_model *model = d->gsl.components.model;
  const double *twists = y + d->gsl.components.positions;
  const hn_twist *velocity = hn_lagrange_velocity(d);
  bool same = d->is_current && (!d->time_dependent || t == d->stage->time);
  for (int i = 0; i < model->nbody && same; i++) {
    hn_pose pose = d->stage->pose[i], flow;
    hn_twist twist = d->stage->twist[i];
    hn_components_scatter_body(model, i, &y, &twists, &pose, &twist);
    flow = pose;
    compute_flow(&model->body[i], &velocity[i], &flow);
    if (model->body[i].kind == HN_RIGID) quat_normalise(pose.q);
    same = memcmp(&pose, &d->stage->pose[i], sizeof pose) == 0 &&
           memcmp(&flow, &d->gsl.flow[i], sizeof flow) == 0 &&
           memcmp(&twist, &d->stage->twist[i], sizeof twist) == 0;
  }
  return same;
}

/* Computes the flow, d->acceleration and d->lambda at t and Y. All but the flow use unit quaternions, a
 * smooth function of y. */
static hn_reason evaluate(hn_solver *solver, double t, const double *y)
{
  hn_lagrange *d = solver->data;
  const hn_model *model = solver->system->model;
  if (stage_is_current(d, t, y)) return HN_CONVERGED;
  d->is_current = false;
  d->stage->time = t;
  hn_components_scatter(&d->gsl.components, y, d->stage);
  if (!hn_state_finite(d->stage)) return hn_step_failed(solver, HN_NOT_FINITE, "trial stage", -1, 0.0);
  memcpy(d->gsl.flow, d->stage->pose, sizeof *d->gsl.flow * (size_t)model->nbody);
  normalise(solver->system, d->stage);
  hn_reason reason = hn_lagrange_evaluate(solver);
  if (reason != HN_CONVERGED) return reason;
  const hn_twist *velocity = hn_lagrange_velocity(d);
  for (int i = 0; i < model->nbody; i++) compute_flow(&model->body[i], &velocity[i], &d->gsl.flow[i]);
  d->is_current = true;
  return HN_CONVERGED;
}

/* Computes the derivatives of the components that can change. */
static hn_reason derivatives(hn_solver *solver, double t, const double *y, double *dydt)
{
  hn_lagrange *d = solver->data;
  hn_reason reason = evaluate(solver, t, y);
  if (reason == HN_CONVERGED) hn_components_gather(&d->gsl.components, d->gsl.flow, d->acceleration, dydt);
  return reason;
}

int hn_gsl_setup(hn_solver *solver, hn_error *error)
{
  hn_lagrange *d = solver->data;
  hn_components *c = &d->gsl.components;
  c->model = solver->system->model;
  hn_components_list(c);
  d->ode.size = c->size;
  d->ode.time_dependent = d->time_dependent;
  d->ode.derivatives = derivatives;
  if (hn_integrator_check(&d->ode, "lagrange", d->stepper, error)) return -1;
  if (hn_solver_allocate(solver, error, HN_ARRAY(c->part, c->parts))) return -1;
  hn_components_list(c);
  return hn_integrator_setup(solver, &d->ode, error);
}

/* Loads the components of STATE into Y, and the constant ones into the stage unless it is current. */
static void load_state(hn_lagrange *d, const hn_state *state, double *y)
{
  hn_components_gather(&d->gsl.components, state->pose, state->twist, y);
  d->begin = state->time;
  d->is_current = stage_is_current(d, state->time, y);
  if (d->is_current) return;
  memcpy(d->stage->pose, state->pose, (sizeof *state->pose + sizeof *state->twist) * (size_t)state->nbody);
}

hn_reason hn_gsl_advance(hn_solver *solver, hn_state *state, double h)
{
  hn_lagrange *d = solver->data;
  const hn_components *c = &d->gsl.components;
  load_state(d, state, d->ode.error); /* error is free here */
  /* STATE is not the end of the last step */
  if (memcmp(d->ode.y, d->ode.error, sizeof *d->ode.y * c->size) != 0) hn_integrator_forget(&d->ode);
  memcpy(d->ode.y, d->ode.error, sizeof *d->ode.y * c->size);
  hn_reason reason = hn_integrator_apply(&d->ode, state->time, h);
  if (reason != HN_CONVERGED) return reason;
  hn_components_scatter(c, d->ode.y, state);
  normalise(solver->system, state);
  hn_components_gather(c, state->pose, state->twist, d->ode.y);
  state->time += h;
  return HN_CONVERGED;
}

hn_reason hn_gsl_finish(hn_solver *solver, const hn_state *state)
{
  hn_lagrange *d = solver->data;
  load_state(d, state, d->ode.error);
  return evaluate(solver, state->time, d->ode.error);
}
