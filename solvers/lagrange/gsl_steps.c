/* gsl_steps.c - steps of solver lagrange with quaternions as four numbers, by steppers of GSL (gsl_steps.h).
 *
 * The implicit steppers (rk1imp, rk2imp, rk4imp, bsimp, msbdf) use the Jacobian of the right-hand side. It is
 * computed by forward differences, one evaluation a column, with 13 columns a rigid body and 6 a particle,
 * and GSL treats it as a dense matrix. A step costs O(n) evaluations, O(n^2) work for trees, and O(n^3) for
 * the matrix: these steppers are for small or stiff systems (baumgarte with large alpha and beta). The
 * differences need only be accurate enough for Newton's method, which rk?imp and msbdf iterate to
 * error_tolerance; bsimp keeps its order with any matrix. bsimp treats a component that grows to a few
 * thousand times its first value as diverging, so it integrates y minus its initial value plus a level of at
 * least 1. GSL's LU decomposition allocates and frees a pivot array in each call: the only allocation inside
 * a step, and not avoidable here. */
#include "lagrange/gsl_steps.h"
#include "base/quiet.h"
#include "base/vec.h"
#include "registry/solver_arrays.h"

#include <gsl/gsl_errno.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PARTS = 100000 };  /* limit on the parts of an adaptive step, which has stalled beyond */
enum { MAX_UNKNOWNS = 4000 }; /* limit for implicit steppers, whose dense matrices then take 0.5 GB */

/* Returns the GSL stepper in use. */
static gsl_odeiv2_step *stepper_of(const hn_lagrange *d)
{
  return d->gsl.driver ? d->gsl.driver->s : d->gsl.fixed;
}

/* Returns the order. bsimp reports twice the number n of extrapolations chosen for the number of unknowns;
 * its n + 1 columns are of order 2 n + 1, as the smoothing at the end of the midpoint rule costs one. */
int hn_gsl_order(const hn_lagrange *d)
{
  int order = hn_steppers[d->stepper].order;
  return order >= 0 || d->gsl.components.size == 0 ? abs(order)
                                                   : (int)gsl_odeiv2_step_order(stepper_of(d)) + 1;
}

static void normalise(const hn_system *system, hn_state *state)
{
  for (int k = 0; k < system->nrotating; k++) quat_normalise(state->pose[system->rotating[k]].q);
}

/* Returns the y that corresponds to GSL's Z. */
static const double *from_shifted(hn_lagrange *d, const double z[])
{
  if (!d->gsl.origin) return z;
  for (size_t i = 0; i < d->gsl.components.size; i++)
    d->gsl.unshifted[i] = d->gsl.origin[i] + (z[i] - d->gsl.level[i]);
  return d->gsl.unshifted;
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

/* Derivatives for GSL, whose step control treats any failure but GSL_EBADFUNC as too large a step. */
static int derivatives(double t, const double z[], double dydt[], void *user)
{
  hn_solver *solver = user;
  hn_lagrange *d = solver->data;
  d->reason = evaluate(solver, t, from_shifted(d, z));
  if (d->reason != HN_CONVERGED) return GSL_EFAILED;
  hn_components_gather(&d->gsl.components, d->gsl.flow, d->acceleration, dydt);
  return GSL_SUCCESS;
}

/* Computes the Jacobian of the derivatives by forward differences, row by row, and their derivative in
 * time. */
static int jacobian(double t, const double y[], double *dfdy, double dfdt[], void *user)
{
  hn_lagrange *d = ((hn_solver *)user)->data;
  /* square root of the unit round-off: balances truncation and round-off */
  const double relative_step = 1.4901161193847656e-8;
  memset(dfdt, 0, sizeof *dfdt * d->gsl.components.size);
  memcpy(d->gsl.perturbed, y, sizeof *y * d->gsl.components.size);
  int status = derivatives(t, y, d->gsl.rate[0], user);
  for (size_t c = 0; c < d->gsl.components.size && status == GSL_SUCCESS; c++) {
    d->gsl.perturbed[c] = y[c] + relative_step * fmax(1.0, fabs(y[c]));
    double difference = d->gsl.perturbed[c] - y[c];
    status = derivatives(t, d->gsl.perturbed, d->gsl.rate[1], user);
    for (size_t r = 0; r < d->gsl.components.size; r++)
      dfdy[r * d->gsl.components.size + c] = (d->gsl.rate[1][r] - d->gsl.rate[0][r]) / difference;
    d->gsl.perturbed[c] = y[c];
  }
  if (!d->time_dependent || status != GSL_SUCCESS) return status;
  double later = t + relative_step * fmax(1.0, fabs(t));
  status = derivatives(later, y, d->gsl.rate[1], user);
  for (size_t r = 0; r < d->gsl.components.size; r++)
    dfdt[r] = (d->gsl.rate[1][r] - d->gsl.rate[0][r]) / (later - t);
  return status;
}

static int allocate_jacobian(hn_solver *solver, hn_error *error)
{
  hn_lagrange *d = solver->data;
  if (hn_solver_allocate(solver, error, HN_ARRAY(d->gsl.perturbed, d->gsl.components.size),
                         HN_ARRAY(d->gsl.rate[0], d->gsl.components.size),
                         HN_ARRAY(d->gsl.rate[1], d->gsl.components.size)))
    return -1;
  return *hn_steppers[d->stepper].type == gsl_odeiv2_step_bsimp
           ? hn_solver_allocate(solver, error, HN_ARRAY(d->gsl.origin, d->gsl.components.size),
                                HN_ARRAY(d->gsl.level, d->gsl.components.size),
                                HN_ARRAY(d->gsl.unshifted, d->gsl.components.size))
           : 0;
}

static int allocate(hn_solver *solver, hn_error *error)
{
  hn_lagrange *d = solver->data;
  const hn_stepper *type = &hn_steppers[d->stepper];
  const size_t size = d->gsl.components.size;
  d->gsl.ode = (gsl_odeiv2_system){ derivatives, type->needs_jacobian ? jacobian : NULL, size, solver };
  if (hn_solver_allocate(solver, error, HN_ARRAY(d->gsl.y, size), HN_ARRAY(d->gsl.error, size),
                         HN_ARRAY(d->gsl.components.part, d->gsl.components.parts)))
    return -1;
  hn_components_list(&d->gsl.components);
  if (type->needs_jacobian && allocate_jacobian(solver, error)) return -1;
  if (size == 0) return 0; /* nothing to integrate */
  if (d->adaptive || type->needs_driver)
    d->gsl.driver = gsl_odeiv2_driver_alloc_y_new(&d->gsl.ode, *type->type, 1.0, d->error_tolerance,
                                                  d->error_tolerance);
  else d->gsl.fixed = gsl_odeiv2_step_alloc(*type->type, size);
  if (d->gsl.driver) gsl_odeiv2_driver_set_nmax(d->gsl.driver, MAX_PARTS);
  return d->gsl.driver || d->gsl.fixed ? 0 : hn_fail(error, "out of memory");
}

int hn_gsl_setup(hn_solver *solver, hn_error *error)
{
  hn_lagrange *d = solver->data;
  const hn_stepper *type = &hn_steppers[d->stepper];
  hn_quiet_gsl();
  if (type->order == 0 && !d->adaptive)
    return hn_fail(error, "lagrange: stepper=%s chooses its order by its error: it needs adaptive=true",
                   hn_stepper_name(d->stepper));
  d->gsl.components.model = solver->system->model;
  hn_components_list(&d->gsl.components);
  if (type->needs_jacobian && d->gsl.components.size > MAX_UNKNOWNS)
    return hn_fail(
      error,
      "lagrange: stepper=%s makes dense matrices, for at most %d unknowns; this model has %zu: use "
      "an explicit stepper",
      hn_stepper_name(d->stepper), MAX_UNKNOWNS, d->gsl.components.size);
  return allocate(solver, error);
}

void hn_gsl_forget(hn_lagrange *d)
{
  if (d->gsl.driver) gsl_odeiv2_driver_reset(d->gsl.driver);
  else if (d->gsl.fixed) gsl_odeiv2_step_reset(d->gsl.fixed);
}

void hn_gsl_free(hn_lagrange *d)
{
  if (d->gsl.driver) gsl_odeiv2_driver_free(d->gsl.driver);
  if (d->gsl.fixed) gsl_odeiv2_step_free(d->gsl.fixed);
}

/* Takes one step of size h. bsimp reports a failure as an infinite error. */
static int fixed_step(hn_lagrange *d, double t, double h)
{
  const bool ours = hn_steppers[d->stepper].ours;
  int status = gsl_odeiv2_step_apply(stepper_of(d), t, h, d->gsl.y, ours ? NULL : d->gsl.error, NULL, NULL,
                                     &d->gsl.ode);
  for (size_t i = 0; i < d->gsl.components.size && status == GSL_SUCCESS && !ours; i++)
    if (!isfinite(d->gsl.error[i])) status = GSL_FAILURE;
  return status;
}

/* Shifts d->gsl.y to its level, for bsimp. */
static void shift_to_level(hn_lagrange *d)
{
  if (!d->gsl.origin) return;
  memcpy(d->gsl.origin, d->gsl.y, sizeof *d->gsl.y * d->gsl.components.size);
  for (size_t i = 0; i < d->gsl.components.size; i++)
    d->gsl.y[i] = d->gsl.level[i] = fmax(1.0, fabs(d->gsl.y[i]));
}

/* Integrates d->gsl.y from t over h: by one fixed step, or by as many as the step control chooses, the last
 * ending at t + h. Multistep history depends on time, so t must continue from step to step. */
static hn_reason integrate(hn_solver *solver, double t, double h)
{
  hn_lagrange *d = solver->data;
  int status;
  d->reason = HN_CONVERGED;
  if (d->gsl.components.size == 0) return HN_CONVERGED;
  if (d->adaptive && !d->gsl.started) gsl_odeiv2_driver_reset_hstart(d->gsl.driver, h);
  d->gsl.started = true;
  shift_to_level(d);
  if (d->adaptive) status = gsl_odeiv2_driver_apply(d->gsl.driver, &t, t + h, d->gsl.y);
  else status = fixed_step(d, t, h);
  if (d->gsl.origin) memcpy(d->gsl.y, from_shifted(d, d->gsl.y), sizeof *d->gsl.y * d->gsl.components.size);
  if (status == GSL_SUCCESS) return HN_CONVERGED;
  if (d->reason != HN_CONVERGED) return d->reason;
  return hn_step_failed(solver, HN_STALLED, d->adaptive ? "step size control" : "stepper", -1, 0.0);
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
  load_state(d, state, d->gsl.error); /* error is free here */
  /* STATE is not the end of the last step */
  if (memcmp(d->gsl.y, d->gsl.error, sizeof *d->gsl.y * c->size) != 0) hn_gsl_forget(d);
  memcpy(d->gsl.y, d->gsl.error, sizeof *d->gsl.y * c->size);
  hn_reason reason = integrate(solver, state->time, h);
  if (reason != HN_CONVERGED) return reason;
  hn_components_scatter(c, d->gsl.y, state);
  normalise(solver->system, state);
  hn_components_gather(c, state->pose, state->twist, d->gsl.y);
  state->time += h;
  return HN_CONVERGED;
}

hn_reason hn_gsl_finish(hn_solver *solver, const hn_state *state)
{
  hn_lagrange *d = solver->data;
  load_state(d, state, d->gsl.error);
  return evaluate(solver, state->time, d->gsl.error);
}
