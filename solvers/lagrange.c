/* lagrange.c - Lagrange multipliers in acceleration form, integrated by GSL's ordinary steppers.
 *
 *   K lambda = -(G a + gamma) - 2 alpha dg/dt - beta^2 g      a: acceleration without joints
 *   du/dt = a + W G' lambda,  dx/dt = v,  dq/dt = (0, w) q / 2
 *
 * alpha = beta = 0 unless stabilisation = baumgarte (g'' + 2 alpha g' + beta^2 g = 0). Index-1 integration drifts:
 * at most like t^2 at the order of the stepper. stabilisation = projection puts positions and velocities back after
 * every step, in the mass metric:  K mu = -g,  dx = W G' mu,  repeated;  then K p = -G u,  u += W G' p.
 * Order: the stepper's. Cost: a factorisation and a solve a stage, one more for the multipliers at the end of the step,
 * two for the projection. lambda are the joint forces at the end of the step, N and N m, acting on body b. */
#include "correction.h"
#include "vec.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_odeiv2.h>
#include <stdlib.h>
#include <string.h>

enum { NONE, BAUMGARTE, PROJECTION };
enum { RK2, RK4, RKF45, RKCK, RK8PD, MSADAMS };

typedef struct lagrange {
  int stepper, stabilisation, adaptive, iterations;
  double alpha, beta;        /* 1/s */
  double tolerance;          /* of the projection, m, rad */
  double error_tolerance;    /* of an adaptive step */
  hn_linear_options linear;
  gsl_odeiv2_system ode;
  gsl_odeiv2_driver *driver; /* adaptive only: it takes more memory, and GSL's does not survive a failed allocation */
  gsl_odeiv2_step *fixed;    /* else */
  double *y, *error;         /* [13 nbody] poses, then twists, as in hn_state */
  size_t size;
  bool started;              /* the driver has a step size of its own */
  hn_state *stage;           /* y with unit quaternions */
  hn_twist *acceleration;    /* [nbody] */
  double *right, *lambda;    /* [nrow] */
  hn_reason reason;          /* why derivatives failed */
} lagrange;

static const hn_param params[] = {
  { "stepper", HN_CHOICE, offsetof(lagrange, stepper), "rk4", 0, 0, "", "rk2,rk4,rkf45,rkck,rk8pd,msadams",
    "GSL stepper" },
  { "stabilisation", HN_CHOICE, offsetof(lagrange, stabilisation), "none", 0, 0, "", "none,baumgarte,projection",
    "what holds the joints against drift" },
  { "alpha", HN_REAL, offsetof(lagrange, alpha), "20", 0, 1e6, "1/s", NULL, "baumgarte: damping" },
  { "beta", HN_REAL, offsetof(lagrange, beta), "20", 0, 1e6, "1/s", NULL, "baumgarte: frequency" },
  { "tolerance", HN_REAL, offsetof(lagrange, tolerance), "1e-12", 1e-16, 1, "m, rad", NULL,
    "projection: joint error allowed" },
  { "iterations", HN_INTEGER, offsetof(lagrange, iterations), "20", 1, 1e6, "", NULL, "projection: limit" },
  { "adaptive", HN_FLAG, offsetof(lagrange, adaptive), "false", 0, 0, "", NULL,
    "divide each step so that its error stays within error_tolerance" },
  { "error_tolerance", HN_REAL, offsetof(lagrange, error_tolerance), "1e-10", 1e-15, 1, "", NULL,
    "adaptive: local error of every position and velocity, absolute and relative" },
  HN_LINEAR_PARAMS(lagrange, linear),
  { .key = NULL },
};

static const gsl_odeiv2_step_type *stepper_type(int stepper)
{
  switch (stepper) {
  case RK2: return gsl_odeiv2_step_rk2;
  case RK4: return gsl_odeiv2_step_rk4;
  case RKF45: return gsl_odeiv2_step_rkf45;
  case RKCK: return gsl_odeiv2_step_rkck;
  case RK8PD: return gsl_odeiv2_step_rk8pd;
  default: return gsl_odeiv2_step_msadams;
  }
}

/* Orders of the solution that each stepper continues with (GSL's rk2 is the third-order one of its pair); msadams
 * adapts its own. */
static int order_of(const hn_solver *solver)
{
  static const int order[] = { [RK2] = 3, [RK4] = 4, [RKF45] = 5, [RKCK] = 5, [RK8PD] = 8, [MSADAMS] = 0 };
  return order[((const lagrange *)solver->data)->stepper];
}

/* Reads y as a state with unit quaternions: the derivative must be a smooth function of y. */
static void read_stage(lagrange *d, const double y[])
{
  memcpy(d->stage->pose, y, sizeof *y * d->size);
  for (int i = 0; i < d->stage->nbody; i++) quat_normalise(d->stage->pose[i].q);
}

/* Right-hand side of the multiplier equation at d->stage. */
static void right_hand_side(hn_solver *solver)
{
  lagrange *d = solver->data;
  hn_system *s = solver->system;
  hn_state free_motion = { .nbody = d->stage->nbody, .pose = d->stage->pose, .twist = d->acceleration };
  hn_system_free_acceleration(s, d->stage, d->acceleration);
  hn_system_gamma(s, d->stage);
  hn_system_velocity_residual(s, &free_motion, d->right, NULL);
  for (int i = 0; i < s->model->nrow; i++) d->right[i] = s->bias[i] - d->right[i] - s->gamma[i]; /* G a alone */
  if (d->stabilisation != BAUMGARTE) return;
  hn_system_residual(s, d->stage, NULL);
  hn_system_velocity_residual(s, d->stage, d->lambda, NULL);
  for (int i = 0; i < s->model->nrow; i++)
    d->right[i] -= 2.0 * d->alpha * d->lambda[i] + d->beta * d->beta * s->g[i];
}

/* Multipliers at d->stage, and the acceleration they lead to. */
static hn_reason multipliers(hn_solver *solver)
{
  lagrange *d = solver->data;
  hn_system_jacobian(solver->system, d->stage);
  hn_reason reason = hn_system_factor(solver->system);
  if (reason != HN_CONVERGED) return hn_step_failed(solver, reason, "factorisation of K", -1, 0.0);
  right_hand_side(solver);
  reason = hn_system_solve(solver->system, d->right, d->lambda);
  if (reason != HN_CONVERGED) return hn_step_failed(solver, reason, "solution for the multipliers", -1, 0.0);
  hn_state moved = { .nbody = d->stage->nbody, .twist = d->acceleration };
  hn_system_apply(solver->system, d->lambda, 1.0, &moved);
  return HN_CONVERGED;
}

static int derivatives(double t, const double y[], double dydt[], void *user)
{
  hn_solver *solver = user;
  lagrange *d = solver->data;
  (void)t;
  read_stage(d, y);
  d->reason = multipliers(solver);
  if (d->reason != HN_CONVERGED) return GSL_EBADFUNC;
  const hn_pose *pose = (const hn_pose *)y;
  hn_pose *rate = (hn_pose *)dydt;
  for (int i = 0; i < d->stage->nbody; i++) {
    const hn_twist *u = &d->stage->twist[i];
    const double half[4] = { 0.0, 0.5 * u->w[0], 0.5 * u->w[1], 0.5 * u->w[2] };
    vec_copy(rate[i].x, u->v);
    quat_mul(rate[i].q, half, pose[i].q);
  }
  memcpy(rate + d->stage->nbody, d->acceleration, sizeof *d->acceleration * (size_t)d->stage->nbody);
  return GSL_SUCCESS;
}

static int allocate(hn_solver *solver)
{
  lagrange *d = solver->data;
  const hn_model *model = solver->system->model;
  d->size = 13 * (size_t)model->nbody;
  d->y = calloc(d->size, sizeof *d->y);
  d->error = calloc(d->size, sizeof *d->error);
  d->stage = hn_state_create(model);
  d->acceleration = calloc((size_t)model->nbody, sizeof *d->acceleration);
  d->right = calloc((size_t)model->nrow + 1, sizeof *d->right);
  d->lambda = calloc((size_t)model->nrow + 1, sizeof *d->lambda);
  d->ode = (gsl_odeiv2_system){ derivatives, NULL, d->size, solver };
  if (!d->y || !d->error || !d->stage || !d->acceleration || !d->right || !d->lambda) return -1;
  const gsl_odeiv2_step_type *type = stepper_type(d->stepper);
  if (d->adaptive)
    d->driver = gsl_odeiv2_driver_alloc_y_new(&d->ode, type, 1.0, d->error_tolerance, d->error_tolerance);
  else
    d->fixed = gsl_odeiv2_step_alloc(type, d->size);
  return d->driver || d->fixed ? 0 : -1;
}

static int setup(hn_solver *solver, hn_error *error)
{
  lagrange *d = solver->data;
  gsl_set_error_handler_off();
  if (d->stepper == MSADAMS && !d->adaptive)
    return hn_fail(error, "lagrange: stepper=msadams chooses its order by its error: it needs adaptive=true");
  if (allocate(solver)) return hn_fail(error, "out of memory");
  return hn_system_use_linear(solver->system, &d->linear, error);
}

/* Forgets the steps before. */
static void restart(lagrange *d)
{
  if (d->driver) gsl_odeiv2_driver_reset(d->driver);
  else gsl_odeiv2_step_reset(d->fixed);
}

static void reset(hn_solver *solver)
{
  lagrange *d = solver->data;
  restart(d);
  d->started = false;
}

static void destroy(hn_solver *solver)
{
  lagrange *d = solver->data;
  if (d->driver) gsl_odeiv2_driver_free(d->driver);
  if (d->fixed) gsl_odeiv2_step_free(d->fixed);
  hn_state_free(d->stage);
  free(d->y), free(d->error), free(d->acceleration), free(d->right), free(d->lambda);
}

/* Integrates d->y from t over h: one fixed step, or as many as the driver's control asks for, the last ending at t + h.
 * Multistep history is kept by time, so t must go on from step to step. */
static hn_reason integrate(hn_solver *solver, double t, double h)
{
  lagrange *d = solver->data;
  int status;
  d->reason = HN_CONVERGED;
  if (d->driver && !d->started) gsl_odeiv2_driver_reset_hstart(d->driver, h);
  d->started = true;
  if (d->driver) status = gsl_odeiv2_driver_apply(d->driver, &t, t + h, d->y);
  else status = gsl_odeiv2_step_apply(d->fixed, t, h, d->y, d->error, NULL, NULL, &d->ode);
  if (status == GSL_SUCCESS) return HN_CONVERGED;
  return d->reason != HN_CONVERGED ? d->reason : hn_step_failed(solver, HN_STALLED, "step size control", -1, 0.0);
}

/* x += dx, q turned by the small world rotation of DX, for the displacement -W G' mu in dx. */
static void displace(hn_state *state, const hn_twist *dx)
{
  for (int i = 0; i < state->nbody; i++) {
    const double half[4] = { 1.0, 0.5 * dx[i].w[0], 0.5 * dx[i].w[1], 0.5 * dx[i].w[2] };
    vec_add(state->pose[i].x, state->pose[i].x, dx[i].v);
    quat_mul(state->pose[i].q, half, state->pose[i].q);
    quat_normalise(state->pose[i].q);
  }
}

static hn_reason project_positions(hn_solver *solver, hn_state *state)
{
  lagrange *d = solver->data;
  hn_system *s = solver->system;
  hn_state displacement = { .nbody = state->nbody, .twist = d->acceleration };
  for (int iteration = 0;; iteration++) {
    int worst;
    double residual = hn_system_residual(s, state, &worst);
    solver->report.position_iterations = iteration;
    solver->report.residual = residual;
    if (residual <= d->tolerance) return HN_CONVERGED;
    if (iteration == d->iterations || !(residual < HUGE_RESIDUAL))
      return hn_step_failed(solver, HN_STALLED, "projection", worst, residual);
    hn_system_jacobian(s, state);
    hn_reason reason = hn_system_factor(s);
    if (reason == HN_CONVERGED) reason = hn_system_solve(s, s->g, d->lambda);
    if (reason != HN_CONVERGED) return hn_step_failed(solver, reason, "projection", worst, residual);
    memset(d->acceleration, 0, sizeof *d->acceleration * (size_t)state->nbody);
    hn_system_apply(s, d->lambda, -1.0, &displacement);
    displace(state, d->acceleration);
  }
}

static hn_reason project_velocities(hn_solver *solver, hn_state *state)
{
  lagrange *d = solver->data;
  hn_system *s = solver->system;
  hn_system_jacobian(s, state);
  hn_system_velocity_residual(s, state, d->right, NULL);
  hn_reason reason = hn_system_factor(s);
  if (reason == HN_CONVERGED) reason = hn_system_solve(s, d->right, d->lambda);
  if (reason != HN_CONVERGED) return hn_step_failed(solver, reason, "projection of velocities", -1, 0.0);
  hn_system_apply(s, d->lambda, -1.0, state);
  solver->report.velocity_iterations = 1;
  return HN_CONVERGED;
}

static hn_reason step(hn_solver *solver, hn_state *state, double h)
{
  lagrange *d = solver->data;
  size_t bytes = sizeof *d->y * d->size;
  if (memcmp(d->y, state->pose, bytes) != 0) restart(d); /* not where the last step ended */
  memcpy(d->y, state->pose, bytes);
  hn_reason reason = integrate(solver, state->time, h);
  if (reason != HN_CONVERGED) return reason;
  memcpy(state->pose, d->y, bytes);
  for (int i = 0; i < state->nbody; i++) quat_normalise(state->pose[i].q);
  memcpy(d->y, state->pose, bytes);
  if (d->stabilisation == PROJECTION) {
    reason = project_positions(solver, state);
    if (reason == HN_CONVERGED) reason = project_velocities(solver, state);
  }
  if (reason != HN_CONVERGED) return reason;
  read_stage(d, (const double *)state->pose);
  reason = multipliers(solver);
  memcpy(solver->multipliers, d->lambda, sizeof *d->lambda * (size_t)solver->system->model->nrow);
  return reason;
}

const hn_solver_type hn_solver_lagrange = {
  .abi = HN_ABI, .name = "lagrange",
  .summary = "Lagrange multipliers, integrated by GSL's steppers; three stabilisations",
  .citation = "Baumgarte 1972; Ascher, Chin and Reich 1994 (projection)",
  .capabilities = HN_CAN_BILATERAL | HN_HAS_MULTIPLIERS, .order = 0, .data_size = sizeof(lagrange), .params = params,
  .setup = setup, .step = step, .reset = reset, .free = destroy, .order_of = order_of,
};
