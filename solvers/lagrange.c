/* lagrange.c - Lagrange multipliers in acceleration form, integrated by ordinary steppers, most of them
 * GSL's.
 *
 *   K lambda = -(G a + gamma) - 2 alpha dg/dt - beta^2 g      a: acceleration without joints
 *   du/dt = a + W G' lambda,  dx/dt = v,  dq/dt = (0, w) q / 2
 *
 * alpha = beta = 0 unless stabilisation = baumgarte (g'' + 2 alpha g' + beta^2 g = 0). Index-1 integration
 * drifts, at most like t^2, at the order of the stepper. stabilisation = projection corrects positions and
 * velocities after every step, in the mass metric: K mu = -g, dx = W G' mu, repeated; then K p = -G u, u += W
 * G' p. Order: that of the stepper. Cost: a factorisation and a solve a stage, two for the projection. Rows
 * of velocities are equations of the same form with g = 0. lambda are the joint forces at the end of the
 * step, N and N m, acting on body b. The derivatives computed with them serve the first stage of the next
 * step.
 *
 * adaptive divides a step. A trial stage with a singular K or a value that is not finite is far from the
 * motion: its part is rejected, as for too large an error, and half of it is tried. The step fails only if K
 * is singular at its start or beyond the smallest part.
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
#include "impulse/rattle.h"
#include "multiplier/runge_kutta.h"
#include "base/quiet.h"
#include "base/vec.h"
#include "registry/solver_arrays.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_odeiv2.h>
#include <stdlib.h>
#include <string.h>

enum { NONE, BAUMGARTE, PROJECTION };
enum { MAX_PARTS = 100000 };  /* limit on the parts of an adaptive step, which has stalled beyond */
enum { MAX_UNKNOWNS = 4000 }; /* limit for implicit steppers, whose dense matrices then take 0.5 GB */

/* A stepper of GSL, or one of ours, which estimates an error only on request. */
typedef struct stepper {
  const gsl_odeiv2_step_type *const *type;
  int order; /* order of the solution that is continued; 0: variable, needs error control */
  bool ours;
  bool needs_driver; /* also for fixed steps: it passes the tolerance of Newton's method */
  bool needs_jacobian;
} stepper;

/* In the order of the choices of the parameter. GSL's rk2 continues with the third-order solution of its
 * pair. The order of bsimp depends on the number of unknowns: see order_of. */
static const stepper steppers[] = {
  { &hn_step_euler, .order = 1, .ours = true },
  { &gsl_odeiv2_step_rk2, .order = 3 },
  { &hn_step_rk4, .order = 4, .ours = true },
  { &gsl_odeiv2_step_rkf45, .order = 5 },
  { &gsl_odeiv2_step_rkck, .order = 5 },
  { &gsl_odeiv2_step_rk8pd, .order = 8 },
  { &gsl_odeiv2_step_msadams, .order = 0, .needs_driver = true },
  { &gsl_odeiv2_step_rk1imp, .order = 1, .needs_driver = true, .needs_jacobian = true },
  { &gsl_odeiv2_step_rk2imp, .order = 2, .needs_driver = true, .needs_jacobian = true },
  { &gsl_odeiv2_step_rk4imp, .order = 4, .needs_driver = true, .needs_jacobian = true },
  { &gsl_odeiv2_step_bsimp, .order = -1, .needs_jacobian = true },
  { &gsl_odeiv2_step_msbdf, .order = 0, .needs_driver = true, .needs_jacobian = true },
};

/* Components that stand side by side in an array of poses or of twists. */
typedef struct stretch {
  int place, count;
} stretch;

typedef struct lagrange {
  int stepper, stabilisation, adaptive;
  double alpha, beta;     /* 1/s */
  double error_tolerance; /* allowed local error of an adaptive step */
  hn_rattle rattle;       /* parameters and memory of the projection */
  gsl_odeiv2_system ode;
  gsl_odeiv2_driver *driver; /* NULL if not needed, as GSL's does not survive a failed allocation */
  gsl_odeiv2_step *fixed;    /* used without a driver */
  const hn_model *model;
  size_t positions, size; /* components that can change: those of poses; those of poses, then of twists */
  stretch *part;          /* [parts] where they stand in the arrays: those of poses, then those of twists */
  int pose_parts, parts;
  double *y, *error;      /* [size] these components as one vector */
  bool started;           /* the driver has chosen a step size */
  hn_state *stage;        /* state of y with unit quaternions, and with the components that cannot change */
  hn_pose *flow;          /* [nbody] derivatives of poses */
  hn_twist *acceleration; /* [nbody] */
  double *right;          /* [nrow] */
  double *lambda;         /* [nrow] solver->multipliers, also used by stages */
  hn_reason reason;       /* reason of a failure of the derivatives */
  double begin;           /* s: start of the step in progress */
  bool time_dependent;    /* the derivatives depend on time explicitly */
  bool is_current;        /* flow, acceleration and lambda belong to the stage: a cache */
  double *perturbed, *rate[2]; /* [size] y with one component perturbed; derivatives at y and there */
  /* [size] bsimp only: it integrates z = level + (y - origin); y of a given z */
  double *origin, *level, *unshifted;
} lagrange;

static const hn_param params[] = {
  { "stepper", HN_CHOICE, offsetof(lagrange, stepper), "rk4", 0, 0, "",
    "euler,rk2,rk4,rkf45,rkck,rk8pd,msadams,rk1imp,rk2imp,rk4imp,bsimp,msbdf",
    "integrator: explicit, or from rk1imp on implicit, for small or stiff systems" },
  { "stabilisation", HN_CHOICE, offsetof(lagrange, stabilisation), "none", 0, 0, "",
    "none,baumgarte,projection",
    "correction of the drift of joints: projection removes it, baumgarte bounds it, with its own error" },
  { "alpha", HN_REAL, offsetof(lagrange, alpha), "20", 0, 1e6, "1/s", NULL, "baumgarte: damping" },
  { "beta", HN_REAL, offsetof(lagrange, beta), "20", 0, 1e6, "1/s", NULL, "baumgarte: frequency" },
  { "tolerance", HN_REAL, offsetof(lagrange, rattle.tolerance), "1e-12", 1e-16, 1, "m, rad", NULL,
    "projection: joint error allowed" },
  { "iterations", HN_INTEGER, offsetof(lagrange, rattle.iterations), "20", 1, 1e6, "", NULL,
    "projection: limit of iterations" },
  { "adaptive", HN_FLAG, offsetof(lagrange, adaptive), "false", 0, 0, "", NULL,
    "divide each step so that its error stays within error_tolerance" },
  { "error_tolerance", HN_REAL, offsetof(lagrange, error_tolerance), "1e-10", 1e-15, 1, "", NULL,
    "adaptive, and Newton's method of rk1imp, rk2imp, rk4imp: local error of every position and velocity, "
    "absolute and relative" },
  HN_LINEAR_PARAMS(lagrange, rattle.linear),
  { .key = NULL },
};

/* Returns the GSL stepper in use. */
static gsl_odeiv2_step *stepper_of(const lagrange *d)
{
  return d->driver ? d->driver->s : d->fixed;
}

/* Returns the order. bsimp reports twice the number n of extrapolations chosen for the number of unknowns;
 * its n + 1 columns are of order 2 n + 1, as the smoothing at the end of the midpoint rule costs one. */
static int order_of(const hn_solver *solver)
{
  const lagrange *d = solver->data;
  int order = steppers[d->stepper].order;
  return order >= 0 || d->size == 0 ? abs(order) : (int)gsl_odeiv2_step_order(stepper_of(d)) + 1;
}

/* The components of pose and twist of a body that can change. Only these are integrated: the work of GSL's
 * steppers grows with their number, that of the implicit ones with its cube. */
typedef struct components {
  int poses, twists;
  int pose[7], twist[6];
} components;

static const components *components_of(const hn_model *model, int body)
{
  static const components in_space[] = {
    [HN_PARTICLE] = { 3, 3, { 0, 1, 2 }, { 0, 1, 2 } },
    [HN_RIGID] = { 7, 6, { 0, 1, 2, 3, 4, 5, 6 }, { 0, 1, 2, 3, 4, 5 } },
  };
  static const components in_plane[] = {
    [HN_PARTICLE] = { 2, 2, { 0, 1 }, { 0, 1 } },
    [HN_RIGID] = { 4, 3, { 0, 1, 3, 6 }, { 0, 1, 5 } },
  };
  return (model->planar ? in_plane : in_space) + model->body[body].kind;
}

/* Adds the component at PLACE of an array to the stretches that begin with number FIRST: lengthens the last
 * of them, or begins another. Only counts while d->part is NULL; END is one past the place added before. */
static void add_component(lagrange *d, int first, int place, int *end)
{
  if (d->parts == first || place != *end) {
    if (d->part) d->part[d->parts] = (stretch){ place, 0 };
    d->parts++;
  }
  if (d->part) d->part[d->parts - 1].count++;
  *end = place + 1;
}

/* Counts the components that can change, and the stretches of neighbouring ones: of poses, then of twists.
 * Lists the stretches if d->part has been allocated. */
static void list_components(lagrange *d)
{
  const hn_model *model = d->model;
  int end = 0;
  d->positions = d->size = 0, d->parts = 0;
  for (int i = 0; i < model->nbody; i++) {
    const components *p = components_of(model, i);
    for (int c = 0; c < p->poses; c++) add_component(d, 0, 7 * i + p->pose[c], &end);
    d->positions += (size_t)p->poses, d->size += (size_t)(p->poses + p->twists);
  }
  d->pose_parts = d->parts;
  for (int i = 0; i < model->nbody; i++) {
    const components *p = components_of(model, i);
    for (int c = 0; c < p->twists; c++) add_component(d, d->pose_parts, 6 * i + p->twist[c], &end);
  }
}

/* Copies the components that can change into Y. */
static void gather(const lagrange *d, const hn_pose *poses, const hn_twist *twists, double *y)
{
  for (int k = 0; k < d->parts; k++) {
    const double *from = (k < d->pose_parts ? (const double *)poses : (const double *)twists) +
                         d->part[k].place;
    for (int c = 0; c < d->part[k].count; c++) *y++ = from[c];
  }
}

/* Copies Y into the components of STATE. */
static void scatter(const lagrange *d, const double *y, hn_state *state)
{
  for (int k = 0; k < d->parts; k++) {
    double *to = (k < d->pose_parts ? (double *)state->pose : (double *)state->twist) + d->part[k].place;
    for (int c = 0; c < d->part[k].count; c++) to[c] = *y++;
  }
}

static void normalise(const hn_system *system, hn_state *state)
{
  for (int k = 0; k < system->nrotating; k++) quat_normalise(state->pose[system->rotating[k]].q);
}

/* Computes the right-hand side of the multiplier equation at d->stage. */
static void right_hand_side(hn_solver *solver)
{
  lagrange *d = solver->data;
  hn_system *s = solver->system;
  hn_state free_motion = { .nbody = d->stage->nbody, .pose = d->stage->pose, .twist = d->acceleration };
  hn_system_free_acceleration(s, d->stage, d->acceleration);
  hn_system_gamma(s, d->stage);
  hn_system_velocity_residual(s, &free_motion, d->right, NULL);
  for (int i = 0; i < s->model->nrow; i++)
    d->right[i] = s->bias[i] - d->right[i] - s->gamma[i]; /* removes the bias: G a alone */
  if (d->stabilisation != BAUMGARTE) return;
  hn_system_residual(s, d->stage, NULL);
  hn_system_velocity_residual(s, d->stage, d->lambda, NULL);
  for (int i = 0; i < s->model->nrow; i++)
    d->right[i] -= 2.0 * d->alpha * d->lambda[i] + d->beta * d->beta * s->g[i];
}

/* Computes the multipliers and accelerations at d->stage. */
static hn_reason multipliers(hn_solver *solver)
{
  lagrange *d = solver->data;
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
  return HN_CONVERGED;
}

/* Returns the y that corresponds to GSL's Z. */
static const double *from_shifted(lagrange *d, const double z[])
{
  if (!d->origin) return z;
  for (size_t i = 0; i < d->size; i++) d->unshifted[i] = d->origin[i] + (z[i] - d->level[i]);
  return d->unshifted;
}

/* Computes the derivative of a pose; the quaternion need not be normalised. */
static void compute_flow(const hn_body *body, const hn_pose *pose, const hn_twist *u, hn_pose *flow)
{
  const double half[4] = { 0.0, 0.5 * u->w[0], 0.5 * u->w[1], 0.5 * u->w[2] };
  vec_copy(flow->x, u->v);
  if (body->kind == HN_RIGID) quat_mul(flow->q, half, pose->q);
}

/* True if Y and t are those of the last evaluation, bit for bit. The flow distinguishes quaternions of
 * different norm. */
static bool stage_is_current(const lagrange *d, const hn_model *model, double t, const double *y)
{
  const double *twists = y + d->positions;
  bool same = d->is_current && (!d->time_dependent || t == d->stage->time);
  for (int i = 0; i < model->nbody && same; i++) {
    const components *p = components_of(model, i);
    hn_pose pose = d->stage->pose[i], flow = d->flow[i];
    hn_twist twist = d->stage->twist[i];
    for (int c = 0; c < p->poses; c++) ((double *)&pose)[p->pose[c]] = *y++;
    for (int c = 0; c < p->twists; c++) ((double *)&twist)[p->twist[c]] = *twists++;
    compute_flow(&model->body[i], &pose, &twist, &flow);
    if (model->body[i].kind == HN_RIGID) quat_normalise(pose.q);
    same = memcmp(&pose, &d->stage->pose[i], sizeof pose) == 0 &&
           memcmp(&flow, &d->flow[i], sizeof flow) == 0 &&
           memcmp(&twist, &d->stage->twist[i], sizeof twist) == 0;
  }
  return same;
}

/* Computes d->flow, d->acceleration and d->lambda at t and Y. All but the flow use unit quaternions: a smooth
 * function of y. */
static hn_reason evaluate(hn_solver *solver, double t, const double *y)
{
  lagrange *d = solver->data;
  const hn_model *model = solver->system->model;
  if (stage_is_current(d, model, t, y)) return HN_CONVERGED;
  d->is_current = false;
  d->stage->time = t;
  scatter(d, y, d->stage);
  if (!hn_state_finite(d->stage)) return hn_step_failed(solver, HN_NOT_FINITE, "trial stage", -1, 0.0);
  for (int i = 0; i < model->nbody; i++)
    compute_flow(&model->body[i], &d->stage->pose[i], &d->stage->twist[i], &d->flow[i]);
  normalise(solver->system, d->stage);
  hn_reason reason = multipliers(solver);
  d->is_current = reason == HN_CONVERGED;
  return reason;
}

/* Derivatives for GSL, whose step control treats any failure but GSL_EBADFUNC as too large a step. */
static int derivatives(double t, const double z[], double dydt[], void *user)
{
  hn_solver *solver = user;
  lagrange *d = solver->data;
  d->reason = evaluate(solver, t, from_shifted(d, z));
  if (d->reason != HN_CONVERGED) return GSL_EFAILED;
  gather(d, d->flow, d->acceleration, dydt);
  return GSL_SUCCESS;
}

/* Computes the Jacobian of the derivatives by forward differences, row by row, and their derivative in
 * time. */
static int jacobian(double t, const double y[], double *dfdy, double dfdt[], void *user)
{
  lagrange *d = ((hn_solver *)user)->data;
  /* square root of the unit round-off: balances truncation and round-off */
  const double relative_step = 1.4901161193847656e-8;
  memset(dfdt, 0, sizeof *dfdt * d->size);
  memcpy(d->perturbed, y, sizeof *y * d->size);
  int status = derivatives(t, y, d->rate[0], user);
  for (size_t c = 0; c < d->size && status == GSL_SUCCESS; c++) {
    d->perturbed[c] = y[c] + relative_step * fmax(1.0, fabs(y[c]));
    double difference = d->perturbed[c] - y[c];
    status = derivatives(t, d->perturbed, d->rate[1], user);
    for (size_t r = 0; r < d->size; r++) dfdy[r * d->size + c] = (d->rate[1][r] - d->rate[0][r]) / difference;
    d->perturbed[c] = y[c];
  }
  if (!d->time_dependent || status != GSL_SUCCESS) return status;
  double later = t + relative_step * fmax(1.0, fabs(t));
  status = derivatives(later, y, d->rate[1], user);
  for (size_t r = 0; r < d->size; r++) dfdt[r] = (d->rate[1][r] - d->rate[0][r]) / (later - t);
  return status;
}

/* True if prescribed motions or forces make the derivatives depend on time. */
static bool depends_on_time(const hn_model *model)
{
  for (int j = 0; j < model->njoint; j++)
    if (model->joint[j].type->keys & HN_KEY_MOTION) return true;
  return hn_model_has_forces(model);
}

static int allocate_jacobian(hn_solver *solver, hn_error *error)
{
  lagrange *d = solver->data;
  if (hn_solver_allocate(solver, error, HN_ARRAY(d->perturbed, d->size), HN_ARRAY(d->rate[0], d->size),
                         HN_ARRAY(d->rate[1], d->size)))
    return -1;
  return *steppers[d->stepper].type == gsl_odeiv2_step_bsimp
           ? hn_solver_allocate(solver, error, HN_ARRAY(d->origin, d->size), HN_ARRAY(d->level, d->size),
                                HN_ARRAY(d->unshifted, d->size))
           : 0;
}

static int allocate(hn_solver *solver, hn_error *error)
{
  lagrange *d = solver->data;
  const hn_model *model = solver->system->model;
  const stepper *type = &steppers[d->stepper];
  d->lambda = solver->multipliers;
  d->time_dependent = depends_on_time(model);
  d->ode = (gsl_odeiv2_system){ derivatives, type->needs_jacobian ? jacobian : NULL, d->size, solver };
  if (hn_solver_allocate(solver, error, HN_ARRAY(d->y, d->size), HN_ARRAY(d->error, d->size),
                         HN_ARRAY(d->part, d->parts), HN_ARRAY(d->acceleration, model->nbody)))
    return -1;
  list_components(d);
  if (type->needs_jacobian && allocate_jacobian(solver, error)) return -1;
  if (d->size == 0) return 0; /* nothing to integrate */
  if (d->adaptive || type->needs_driver)
    d->driver = gsl_odeiv2_driver_alloc_y_new(&d->ode, *type->type, 1.0, d->error_tolerance,
                                              d->error_tolerance);
  else d->fixed = gsl_odeiv2_step_alloc(*type->type, d->size);
  if (d->driver) gsl_odeiv2_driver_set_nmax(d->driver, MAX_PARTS);
  return d->driver || d->fixed ? 0 : hn_fail(error, "out of memory");
}

static int setup(hn_solver *solver, hn_error *error)
{
  lagrange *d = solver->data;
  hn_quiet_gsl();
  if (steppers[d->stepper].order == 0 && !d->adaptive)
    return hn_fail(error, "lagrange: stepper=%s chooses its order by its error: it needs adaptive=true",
                   (*steppers[d->stepper].type)->name);
  d->model = solver->system->model;
  list_components(d);
  if (steppers[d->stepper].needs_jacobian && d->size > MAX_UNKNOWNS)
    return hn_fail(
      error,
      "lagrange: stepper=%s makes dense matrices, for at most %d unknowns; this model has %zu: use "
      "an explicit stepper",
      (*steppers[d->stepper].type)->name, MAX_UNKNOWNS, d->size);
  if (hn_rattle_setup(solver, &d->rattle, error)) return -1;
  /* Share the scratch of the projection between projections. */
  d->stage = d->rattle.trial, d->right = d->rattle.p, d->flow = d->rattle.factored.pose;
  return allocate(solver, error);
}

/* Forgets previous steps. */
static void forget_history(lagrange *d)
{
  if (d->driver) gsl_odeiv2_driver_reset(d->driver);
  else if (d->fixed) gsl_odeiv2_step_reset(d->fixed);
}

static void reset(hn_solver *solver)
{
  lagrange *d = solver->data;
  forget_history(d);
  d->started = d->is_current = false;
}

static void destroy(hn_solver *solver)
{
  lagrange *d = solver->data;
  if (d->driver) gsl_odeiv2_driver_free(d->driver);
  if (d->fixed) gsl_odeiv2_step_free(d->fixed);
}

/* Takes one step of size h. bsimp reports a failure as an infinite error. */
static int fixed_step(lagrange *d, double t, double h)
{
  const bool ours = steppers[d->stepper].ours;
  int status = gsl_odeiv2_step_apply(stepper_of(d), t, h, d->y, ours ? NULL : d->error, NULL, NULL, &d->ode);
  for (size_t i = 0; i < d->size && status == GSL_SUCCESS && !ours; i++)
    if (!isfinite(d->error[i])) status = GSL_FAILURE;
  return status;
}

/* Shifts d->y to its level, for bsimp. */
static void shift_to_level(lagrange *d)
{
  if (!d->origin) return;
  memcpy(d->origin, d->y, sizeof *d->y * d->size);
  for (size_t i = 0; i < d->size; i++) d->y[i] = d->level[i] = fmax(1.0, fabs(d->y[i]));
}

/* Integrates d->y from t over h: by one fixed step, or by as many as the step control chooses, the last
 * ending at t + h. Multistep history depends on time, so t must continue from step to step. */
static hn_reason integrate(hn_solver *solver, double t, double h)
{
  lagrange *d = solver->data;
  int status;
  d->reason = HN_CONVERGED;
  if (d->size == 0) return HN_CONVERGED;
  if (d->adaptive && !d->started) gsl_odeiv2_driver_reset_hstart(d->driver, h);
  d->started = true;
  shift_to_level(d);
  if (d->adaptive) status = gsl_odeiv2_driver_apply(d->driver, &t, t + h, d->y);
  else status = fixed_step(d, t, h);
  if (d->origin) memcpy(d->y, from_shifted(d, d->y), sizeof *d->y * d->size);
  if (status == GSL_SUCCESS) return HN_CONVERGED;
  if (d->reason != HN_CONVERGED) return d->reason;
  return hn_step_failed(solver, HN_STALLED, d->adaptive ? "step size control" : "stepper", -1, 0.0);
}

/* Loads the components of STATE into Y, and the constant ones into the stage unless it is current. */
static void load_state(hn_solver *solver, const hn_state *state, double *y)
{
  lagrange *d = solver->data;
  gather(d, state->pose, state->twist, y);
  d->begin = state->time;
  d->is_current = stage_is_current(d, solver->system->model, state->time, y);
  if (d->is_current) return;
  memcpy(d->stage->pose, state->pose, (sizeof *state->pose + sizeof *state->twist) * (size_t)state->nbody);
}

/* Projects STATE, the end of a step, onto the constraints. */
static hn_reason project(hn_solver *solver, hn_state *state)
{
  lagrange *d = solver->data;
  d->is_current = false;       /* the projection overwrites stage and flow */
  hn_rattle_reset(&d->rattle); /* stages have factored K elsewhere */
  return hn_rattle_project(solver, &d->rattle, state);
}

static hn_reason step(hn_solver *solver, hn_state *state, double h)
{
  lagrange *d = solver->data;
  const size_t inputs = sizeof *state->input * (size_t)state->ninput;
  if (memcmp(d->stage->input, state->input, inputs) != 0) d->is_current = false;
  memcpy(d->stage->input, state->input, inputs);
  load_state(solver, state, d->error); /* d->error is free here */
  /* STATE is not the end of the last step */
  if (memcmp(d->y, d->error, sizeof *d->y * d->size) != 0) forget_history(d);
  memcpy(d->y, d->error, sizeof *d->y * d->size);
  hn_reason reason = integrate(solver, state->time, h);
  if (reason != HN_CONVERGED) return reason;
  scatter(d, d->y, state);
  normalise(solver->system, state);
  gather(d, state->pose, state->twist, d->y);
  state->time += h;
  if (d->stabilisation == PROJECTION) reason = project(solver, state);
  if (reason != HN_CONVERGED) return reason;
  load_state(solver, state, d->error);
  return evaluate(solver, state->time, d->error); /* also the first derivatives of the next step */
}

static const char *const variants[] = { "",
                                        "stepper=euler",
                                        "stepper=rk2",
                                        "stepper=rkf45",
                                        "stepper=rkck",
                                        "stepper=rk8pd",
                                        "stepper=rk2imp",
                                        "stepper=rk4imp",
                                        "stabilisation=baumgarte",
                                        "stabilisation=projection",
                                        NULL };

const hn_solver_type hn_solver_lagrange = {
  .abi = HN_ABI,
  .name = "lagrange",
  .summary = "Lagrange multipliers, integrated by steppers of GSL and by Runge-Kutta; three stabilisations",
  .citation = "Baumgarte 1972; Ascher, Chin and Reich 1994 (projection)",
  .capabilities = HN_CAN_BILATERAL | HN_CAN_COMPLIANT | HN_HAS_MULTIPLIERS | HN_CAN_VELOCITY |
                  HN_CAN_EXTRA_FORCES,
  .order = 0,
  .data_size = sizeof(lagrange),
  .params = params,
  .setup = setup,
  .step = step,
  .reset = reset,
  .free = destroy,
  .order_of = order_of,
  .variants = variants,
};
