/* lagrange.c - Lagrange multipliers in acceleration form, integrated by ordinary steppers, most of them GSL's.
 *
 *   K lambda = -(G a + gamma) - 2 alpha dg/dt - beta^2 g      a: acceleration without joints
 *   du/dt = a + W G' lambda,  dx/dt = v,  dq/dt = (0, w) q / 2
 *
 * alpha = beta = 0 unless stabilisation = baumgarte (g'' + 2 alpha g' + beta^2 g = 0). Index-1 integration drifts:
 * at most like t^2 at the order of the stepper. stabilisation = projection puts positions and velocities back after
 * every step, in the mass metric:  K mu = -g,  dx = W G' mu,  repeated;  then K p = -G u,  u += W G' p.
 * Order: the stepper's. Cost: a factorisation and a solve a stage, two for the projection. Rows of velocities are
 * equations of the same form with g = 0. lambda are the joint forces at the end of the step, N and N m, acting on body
 * b; the derivatives that come with them are those of the next step's first stage.
 *
 * adaptive divides a step. A trial stage where K is singular or a number not finite is far from the motion: it rejects
 * its part, as too large an error does, and half of it is tried. Only where no part is small enough to end beyond it,
 * and where a step starts, is a singular K the end.
 *
 * The implicit steppers (rk1imp, rk2imp, rk4imp, bsimp, msbdf) take the Jacobian of the right-hand side, by forward
 * differences: an evaluation a column, 13 columns a rigid body and 6 a particle, and GSL solves with it as a dense
 * matrix. So a step costs O(n) evaluations, O(n^2) work for trees, and O(n^3) for the matrix: they are for small
 * systems, or stiff ones (baumgarte with large alpha and beta). The differences need to be good enough for Newton's
 * method only, which rk?imp and msbdf end by error_tolerance; bsimp keeps its order with any matrix. bsimp takes a
 * component that grows to a few thousand times its first value for a runaway; so it is given y from its start, on a
 * level of at least 1. GSL's LU decomposition takes a pivot array from the heap in each call and gives it back: the one
 * allocation inside a step that is not ours to avoid. */
#include "impulse/rattle.h"
#include "multiplier/runge_kutta.h"
#include "base/quiet.h"
#include "base/vec.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_odeiv2.h>
#include <stdlib.h>
#include <string.h>

enum { NONE, BAUMGARTE, PROJECTION };
enum { MAX_PARTS = 100000 };  /* of an adaptive step: one that needs more has stalled */
enum { MAX_UNKNOWNS = 4000 }; /* of implicit steppers: their dense matrices take 0.5 GB then */

/* A stepper of GSL, or of ours, which estimates an error only when asked to. */
typedef struct stepper {
  const gsl_odeiv2_step_type *const *type;
  int order; /* of the solution it goes on with; 0: it chooses its own, and needs the control of its error */
  bool ours;
  bool needs_driver; /* also in fixed steps: for the tolerance of Newton's method */
  bool needs_jacobian;
} stepper;

/* In the order of the parameter's choices. GSL's rk2 goes on with the third-order solution of its pair. bsimp's order
 * depends on the number of unknowns: see order_of. */
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

/* COUNT numbers, from number AT, of an array of poses or twists. */
typedef struct run {
  size_t at, count;
} run;

typedef struct lagrange {
  int stepper, stabilisation, adaptive;
  double alpha, beta;     /* 1/s */
  double error_tolerance; /* of an adaptive step */
  hn_rattle rattle;       /* its projection */
  gsl_odeiv2_system ode;
  gsl_odeiv2_driver
    *driver; /* where needed only: it takes memory, and GSL's does not survive a failed allocation */
  gsl_odeiv2_step *fixed; /* else */
  run *run;               /* [nrun] what can change: of poses [npose of them], then of twists */
  size_t npose, nrun;
  size_t positions;  /* how many of the numbers are of poses */
  double *y, *error; /* [size] these numbers in a row */
  size_t size;
  bool started;                    /* the driver has a step size of its own */
  hn_state *stage;                 /* y with unit quaternions, and what cannot change */
  hn_pose *flow;                   /* [nbody] derivatives of poses */
  hn_twist *acceleration;          /* [nbody] */
  double *right;                   /* [nrow] */
  double *lambda;                  /* [nrow] solver->multipliers, which stages use too */
  hn_reason reason;                /* why derivatives failed */
  double begin;                    /* s, of the step under way */
  bool timed;                      /* the derivatives depend on time themselves */
  bool is_known;                   /* flow, acceleration and lambda are those of the stage: a cache */
  double *moved, *rate[2];         /* [size] y with one component moved; derivatives at y and there */
  double *origin, *level, *actual; /* [size] bsimp only: it integrates z = level + (y - origin); y of a z */
} lagrange;

static const hn_param params[] = {
  { "stepper", HN_CHOICE, offsetof(lagrange, stepper), "rk4", 0, 0, "",
    "euler,rk2,rk4,rkf45,rkck,rk8pd,msadams,rk1imp,rk2imp,rk4imp,bsimp,msbdf",
    "explicit or, from rk1imp on, implicit, for small or stiff systems" },
  { "stabilisation", HN_CHOICE, offsetof(lagrange, stabilisation), "none", 0, 0, "",
    "none,baumgarte,projection", "what holds the joints against drift" },
  { "alpha", HN_REAL, offsetof(lagrange, alpha), "20", 0, 1e6, "1/s", NULL, "baumgarte: damping" },
  { "beta", HN_REAL, offsetof(lagrange, beta), "20", 0, 1e6, "1/s", NULL, "baumgarte: frequency" },
  { "tolerance", HN_REAL, offsetof(lagrange, rattle.tolerance), "1e-12", 1e-16, 1, "m, rad", NULL,
    "projection: joint error allowed" },
  { "iterations", HN_INTEGER, offsetof(lagrange, rattle.iterations), "20", 1, 1e6, "", NULL,
    "projection: limit" },
  { "adaptive", HN_FLAG, offsetof(lagrange, adaptive), "false", 0, 0, "", NULL,
    "divide each step so that its error stays within error_tolerance" },
  { "error_tolerance", HN_REAL, offsetof(lagrange, error_tolerance), "1e-10", 1e-15, 1, "", NULL,
    "adaptive, and Newton's method of rk1imp, rk2imp, rk4imp: local error of every position and velocity, absolute and "
    "relative" },
  HN_LINEAR_PARAMS(lagrange, rattle.linear),
  { .key = NULL },
};

/* The stepper itself. */
static gsl_odeiv2_step *stepper_of(const lagrange *d)
{
  return d->driver ? d->driver->s : d->fixed;
}

/* bsimp tells twice the number of extrapolations n that it has chosen for the number of unknowns. Its n + 1 columns are
 * of order 2 n + 1: the smoothing at the end of the midpoint rule costs one. */
static int order_of(const hn_solver *solver)
{
  const lagrange *d = solver->data;
  int order = steppers[d->stepper].order;
  return order >= 0 || d->size == 0 ? abs(order) : (int)gsl_odeiv2_step_order(stepper_of(d)) + 1;
}

/* Which components of the pose and the twist of a body can change. Only they are integrated, for the work of GSL's
 * steppers goes by their number, that of the implicit ones by its cube. */
typedef struct places {
  int poses, twists;
  int pose[7], twist[6];
} places;

static const places *places_of(const hn_model *model, int body)
{
  static const places in_space[] = {
    [HN_PARTICLE] = { 3, 3, { 0, 1, 2 }, { 0, 1, 2 } },
    [HN_RIGID] = { 7, 6, { 0, 1, 2, 3, 4, 5, 6 }, { 0, 1, 2, 3, 4, 5 } },
  };
  static const places in_plane[] = {
    [HN_PARTICLE] = { 2, 2, { 0, 1 }, { 0, 1 } },
    [HN_RIGID] = { 4, 3, { 0, 1, 3, 6 }, { 0, 1, 5 } },
  };
  return (model->planar ? in_plane : in_space) + model->body[body].kind;
}

/* Number AT joins the last of the COUNT runs, of which the first is number FIRST, or begins another. */
static size_t add_to_runs(run *runs, size_t first, size_t count, size_t at, size_t *end)
{
  bool joins = count > first && *end == at;
  *end = at + 1;
  if (runs && !joins) runs[count] = (run){ at, 0 };
  if (!joins) count++;
  if (runs) runs[count - 1].count++;
  return count;
}

/* How many runs there are, NPOSE of poses, and numbers in them; into RUNS unless it is NULL. */
static size_t list_runs(const hn_model *model, run *runs, size_t *npose, size_t *positions, size_t *size)
{
  size_t count = 0, end = 0;
  *positions = *size = 0;
  for (int i = 0; i < model->nbody; i++) {
    const places *p = places_of(model, i);
    for (int c = 0; c < p->poses; c++)
      count = add_to_runs(runs, 0, count, (size_t)(7 * i + p->pose[c]), &end);
    *positions += (size_t)p->poses;
    *size += (size_t)(p->poses + p->twists);
  }
  *npose = count;
  for (int i = 0; i < model->nbody; i++) {
    const places *p = places_of(model, i);
    for (int c = 0; c < p->twists; c++)
      count = add_to_runs(runs, *npose, count, (size_t)(6 * i + p->twist[c]), &end);
  }
  return count;
}

static void gather(const lagrange *d, const hn_pose *poses, const hn_twist *twists, double *y)
{
  for (const run *r = d->run; r < d->run + d->nrun; r++) {
    const double *from = (r < d->run + d->npose ? (const double *)poses : (const double *)twists) + r->at;
    for (size_t c = 0; c < r->count; c++) *y++ = from[c];
  }
}

static void scatter(const lagrange *d, const double *y, hn_state *state)
{
  for (const run *r = d->run; r < d->run + d->nrun; r++) {
    double *to = (r < d->run + d->npose ? (double *)state->pose : (double *)state->twist) + r->at;
    for (size_t c = 0; c < r->count; c++) to[c] = *y++;
  }
}

static void normalise(const hn_system *system, hn_state *state)
{
  for (int k = 0; k < system->nrotating; k++) quat_normalise(state->pose[system->rotating[k]].q);
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
  for (int i = 0; i < s->model->nrow; i++)
    d->right[i] = s->bias[i] - d->right[i] - s->gamma[i]; /* G a alone */
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

/* The y that GSL means by Z. */
static const double *actual(lagrange *d, const double z[])
{
  if (!d->origin) return z;
  for (size_t i = 0; i < d->size; i++) d->actual[i] = d->origin[i] + (z[i] - d->level[i]);
  return d->actual;
}

/* The derivative of a quaternion is that of the one in y. */
static void flow_of(const hn_body *body, const hn_pose *pose, const hn_twist *u, hn_pose *flow)
{
  const double half[4] = { 0.0, 0.5 * u->w[0], 0.5 * u->w[1], 0.5 * u->w[2] };
  vec_copy(flow->x, u->v);
  if (body->kind == HN_RIGID) quat_mul(flow->q, half, pose->q);
}

/* Is Y where the derivatives were evaluated last, to the bit? The stage and the flow tell. */
static bool is_known(const lagrange *d, const hn_model *model, double t, const double *y)
{
  const double *twists = y + d->positions;
  bool same = d->is_known && (!d->timed || t == d->stage->time);
  for (int i = 0; i < model->nbody && same; i++) {
    const places *p = places_of(model, i);
    hn_pose pose = d->stage->pose[i], flow = d->flow[i];
    hn_twist twist = d->stage->twist[i];
    for (int c = 0; c < p->poses; c++) ((double *)&pose)[p->pose[c]] = *y++;
    for (int c = 0; c < p->twists; c++) ((double *)&twist)[p->twist[c]] = *twists++;
    flow_of(&model->body[i], &pose, &twist, &flow);
    if (model->body[i].kind == HN_RIGID) quat_normalise(pose.q);
    same = memcmp(&pose, &d->stage->pose[i], sizeof pose) == 0 &&
           memcmp(&flow, &d->flow[i], sizeof flow) == 0 &&
           memcmp(&twist, &d->stage->twist[i], sizeof twist) == 0;
  }
  return same;
}

/* d->flow, d->acceleration and d->lambda at t and Y. Everything but the flow sees unit quaternions: a smooth function
 * of y. */
static hn_reason evaluate(hn_solver *solver, double t, const double *y)
{
  lagrange *d = solver->data;
  const hn_model *model = solver->system->model;
  if (is_known(d, model, t, y)) return HN_CONVERGED;
  d->is_known = false;
  d->stage->time = t;
  scatter(d, y, d->stage);
  if (!hn_state_finite(d->stage)) return hn_step_failed(solver, HN_NOT_FINITE, "trial stage", -1, 0.0);
  for (int i = 0; i < model->nbody; i++)
    flow_of(&model->body[i], &d->stage->pose[i], &d->stage->twist[i], &d->flow[i]);
  normalise(solver->system, d->stage);
  hn_reason reason = multipliers(solver);
  d->is_known = reason == HN_CONVERGED;
  return reason;
}

/* For GSL, whose control of the step takes any failure but GSL_EBADFUNC for a step that was too large. */
static int derivatives(double t, const double z[], double dydt[], void *user)
{
  hn_solver *solver = user;
  lagrange *d = solver->data;
  d->reason = evaluate(solver, t, actual(d, z));
  if (d->reason != HN_CONVERGED) return GSL_EFAILED;
  gather(d, d->flow, d->acceleration, dydt);
  return GSL_SUCCESS;
}

/* Derivatives of the derivatives by forward differences, row by row. */
static int jacobian(double t, const double y[], double *dfdy, double dfdt[], void *user)
{
  lagrange *d = ((hn_solver *)user)->data;
  const double root = 1.4901161193847656e-8; /* of the rounding unit */
  memset(dfdt, 0, sizeof *dfdt * d->size);
  memcpy(d->moved, y, sizeof *y * d->size);
  int status = derivatives(t, y, d->rate[0], user);
  for (size_t c = 0; c < d->size && status == GSL_SUCCESS; c++) {
    d->moved[c] = y[c] + root * fmax(1.0, fabs(y[c]));
    double difference = d->moved[c] - y[c];
    status = derivatives(t, d->moved, d->rate[1], user);
    for (size_t r = 0; r < d->size; r++) dfdy[r * d->size + c] = (d->rate[1][r] - d->rate[0][r]) / difference;
    d->moved[c] = y[c];
  }
  if (!d->timed || status != GSL_SUCCESS) return status;
  double later = t + root * fmax(1.0, fabs(t));
  status = derivatives(later, y, d->rate[1], user);
  for (size_t r = 0; r < d->size; r++) dfdt[r] = (d->rate[1][r] - d->rate[0][r]) / (later - t);
  return status;
}

/* Do prescribed motions or forces make the derivatives depend on time? */
static bool depends_on_time(const hn_model *model)
{
  for (int j = 0; j < model->njoint; j++)
    if (model->joint[j].type->keys & HN_KEY_MOTION) return true;
  return hn_model_pushes(model);
}

static int allocate_jacobian(lagrange *d)
{
  d->moved = calloc(d->size, sizeof *d->moved);
  for (int i = 0; i < 2; i++) d->rate[i] = calloc(d->size, sizeof *d->rate[i]);
  if (!d->moved || !d->rate[0] || !d->rate[1]) return -1;
  if (*steppers[d->stepper].type != gsl_odeiv2_step_bsimp) return 0;
  d->origin = calloc(d->size, sizeof *d->origin);
  d->level = calloc(d->size, sizeof *d->level);
  d->actual = calloc(d->size, sizeof *d->actual);
  return d->origin && d->level && d->actual ? 0 : -1;
}

static int allocate(hn_solver *solver)
{
  lagrange *d = solver->data;
  const hn_model *model = solver->system->model;
  const stepper *type = &steppers[d->stepper];
  d->run = calloc(d->nrun + 1, sizeof *d->run);
  d->y = calloc(d->size + 1, sizeof *d->y);
  d->error = calloc(d->size + 1, sizeof *d->error);
  d->acceleration = calloc((size_t)model->nbody, sizeof *d->acceleration);
  d->lambda = solver->multipliers;
  d->timed = depends_on_time(model);
  d->ode = (gsl_odeiv2_system){ derivatives, type->needs_jacobian ? jacobian : NULL, d->size, solver };
  if (!d->run || !d->y || !d->error || !d->acceleration) return -1;
  list_runs(model, d->run, &d->npose, &d->positions, &d->size);
  if (type->needs_jacobian && allocate_jacobian(d)) return -1;
  if (d->size == 0) return 0; /* nothing can move: there is nothing to integrate */
  if (d->adaptive || type->needs_driver)
    d->driver = gsl_odeiv2_driver_alloc_y_new(&d->ode, *type->type, 1.0, d->error_tolerance,
                                              d->error_tolerance);
  else d->fixed = gsl_odeiv2_step_alloc(*type->type, d->size);
  if (d->driver) gsl_odeiv2_driver_set_nmax(d->driver, MAX_PARTS);
  return d->driver || d->fixed ? 0 : -1;
}

static int setup(hn_solver *solver, hn_error *error)
{
  lagrange *d = solver->data;
  hn_quiet_gsl();
  if (steppers[d->stepper].order == 0 && !d->adaptive)
    return hn_fail(error, "lagrange: stepper=%s chooses its order by its error: it needs adaptive=true",
                   (*steppers[d->stepper].type)->name);
  d->nrun = list_runs(solver->system->model, NULL, &d->npose, &d->positions, &d->size);
  if (steppers[d->stepper].needs_jacobian && d->size > MAX_UNKNOWNS)
    return hn_fail(
      error,
      "lagrange: stepper=%s makes dense matrices, for at most %d unknowns; here are %zu: take an "
      "explicit stepper",
      (*steppers[d->stepper].type)->name, MAX_UNKNOWNS, d->size);
  if (hn_rattle_setup(solver, &d->rattle, error)) return -1;
  /* The projection's scratch, between projections. */
  d->stage = d->rattle.trial, d->right = d->rattle.p, d->flow = d->rattle.factored.pose;
  return allocate(solver) ? hn_fail(error, "out of memory") : 0;
}

/* Forgets the steps before. */
static void restart(lagrange *d)
{
  if (d->driver) gsl_odeiv2_driver_reset(d->driver);
  else if (d->fixed) gsl_odeiv2_step_reset(d->fixed);
}

static void reset(hn_solver *solver)
{
  lagrange *d = solver->data;
  restart(d);
  d->started = d->is_known = false;
}

static void destroy(hn_solver *solver)
{
  lagrange *d = solver->data;
  if (d->driver) gsl_odeiv2_driver_free(d->driver);
  if (d->fixed) gsl_odeiv2_step_free(d->fixed);
  hn_rattle_free(&d->rattle);
  free(d->run), free(d->y), free(d->error), free(d->acceleration);
  free(d->moved), free(d->rate[0]), free(d->rate[1]);
  free(d->origin), free(d->level), free(d->actual);
}

/* One step of size h. bsimp reports a failure as an infinite error. */
static int fixed_step(lagrange *d, double t, double h)
{
  const bool ours = steppers[d->stepper].ours;
  int status = gsl_odeiv2_step_apply(stepper_of(d), t, h, d->y, ours ? NULL : d->error, NULL, NULL, &d->ode);
  for (size_t i = 0; i < d->size && status == GSL_SUCCESS && !ours; i++)
    if (!isfinite(d->error[i])) status = GSL_FAILURE;
  return status;
}

/* Puts d->y on its level, for bsimp. */
static void raise_level(lagrange *d)
{
  if (!d->origin) return;
  memcpy(d->origin, d->y, sizeof *d->y * d->size);
  for (size_t i = 0; i < d->size; i++) d->y[i] = d->level[i] = fmax(1.0, fabs(d->y[i]));
}

/* Integrates d->y from t over h: one fixed step, or as many as the driver's control asks for, the last ending at t + h.
 * Multistep history is kept by time, so t must go on from step to step. */
static hn_reason integrate(hn_solver *solver, double t, double h)
{
  lagrange *d = solver->data;
  int status;
  d->reason = HN_CONVERGED;
  if (d->size == 0) return HN_CONVERGED;
  if (d->adaptive && !d->started) gsl_odeiv2_driver_reset_hstart(d->driver, h);
  d->started = true;
  raise_level(d);
  if (d->adaptive) status = gsl_odeiv2_driver_apply(d->driver, &t, t + h, d->y);
  else status = fixed_step(d, t, h);
  if (d->origin) memcpy(d->y, actual(d, d->y), sizeof *d->y * d->size);
  if (status == GSL_SUCCESS) return HN_CONVERGED;
  if (d->reason != HN_CONVERGED) return d->reason;
  return hn_step_failed(solver, HN_STALLED, d->adaptive ? "step size control" : "stepper", -1, 0.0);
}

/* The numbers of STATE into Y, and what of it cannot change into the stage, unless that is there already. */
static void take(hn_solver *solver, const hn_state *state, double *y)
{
  lagrange *d = solver->data;
  gather(d, state->pose, state->twist, y);
  d->begin = state->time;
  d->is_known = is_known(d, solver->system->model, state->time, y);
  if (d->is_known) return;
  memcpy(d->stage->pose, state->pose, (sizeof *state->pose + sizeof *state->twist) * (size_t)state->nbody);
}

/* Puts STATE, the end of a step, back on the constraints. */
static hn_reason project(hn_solver *solver, hn_state *state)
{
  lagrange *d = solver->data;
  d->is_known = false;          /* the stage and the flow are its scratch, */
  hn_rattle_forget(&d->rattle); /* and stages have factored K elsewhere */
  return hn_rattle_project(solver, &d->rattle, state);
}

static hn_reason step(hn_solver *solver, hn_state *state, double h)
{
  lagrange *d = solver->data;
  const size_t inputs = sizeof *state->input * (size_t)state->ninput;
  if (memcmp(d->stage->input, state->input, inputs) != 0) d->is_known = false;
  memcpy(d->stage->input, state->input, inputs);
  take(solver, state, d->error);                                       /* it is free now */
  if (memcmp(d->y, d->error, sizeof *d->y * d->size) != 0) restart(d); /* not where the last step ended */
  memcpy(d->y, d->error, sizeof *d->y * d->size);
  hn_reason reason = integrate(solver, state->time, h);
  if (reason != HN_CONVERGED) return reason;
  scatter(d, d->y, state);
  normalise(solver->system, state);
  gather(d, state->pose, state->twist, d->y);
  state->time += h;
  if (d->stabilisation == PROJECTION) reason = project(solver, state);
  if (reason != HN_CONVERGED) return reason;
  take(solver, state, d->error);
  return evaluate(solver, state->time, d->error); /* the next step begins with these derivatives */
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
  .capabilities = HN_CAN_BILATERAL | HN_HAS_MULTIPLIERS | HN_CAN_VELOCITY | HN_CAN_MORE,
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
