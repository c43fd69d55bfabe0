/* lagrange.c - Lagrange multipliers in acceleration form, integrated by ordinary steppers, most of them
 * GSL's.
 *
 *   K lambda = -(G a + gamma) - 2 alpha dg/dt - beta^2 g      a: acceleration without joints
 *   du/dt = a + W G' lambda,  dx/dt = v,  dq/dt = (0, w) q / 2
 *
 * alpha = beta = 0 unless stabilisation = baumgarte (g'' + 2 alpha g' + beta^2 g = 0). Index-1 integration
 * drifts, at most like t^2, at the order of the stepper. stabilisation = projection corrects positions and
 * velocities after every step, in the mass metric: K mu = -g, dx = W G' mu, repeated; then K p = -G u, u +=
 * W G' p. Order: that of the stepper. Cost: a factorisation and a solve a stage, two for the projection.
 * Rows of velocities are equations of the same form with g = 0. lambda are the joint forces at the end of
 * the step, N and N m, acting on body b. The derivatives computed with them serve the first stage of the
 * next step.
 *
 * adaptive divides a step. A trial stage with a singular K or a value that is not finite is far from the
 * motion: its part is rejected, as for too large an error, and half of it is tried. The step fails only if K
 * is singular at its start or beyond the smallest part.
 *
 * The implicit steppers (rk1imp, rk2imp, rk4imp, bsimp, msbdf) have 13 columns a rigid body and 6 a particle
 * in their Jacobian (integrator.c). A step costs O(n) evaluations, O(n^2) work for trees, and O(n^3) for the
 * matrix: these steppers are for small or stiff systems (baumgarte with large alpha and beta). */
#include "impulse/rattle.h"
#include "multiplier/integrator.h"
#include "base/vec.h"
#include "registry/solver_arrays.h"

#include <string.h>

enum { NONE, BAUMGARTE, PROJECTION };

/* Components that stand side by side in an array of poses or of twists. */
typedef struct stretch {
  int place, count;
} stretch;

typedef struct lagrange {
  int stepper, stabilisation;
  double alpha, beta; /* 1/s */
  hn_rattle rattle;   /* parameters and memory of the projection */
  hn_integrator ode;  /* parameters of steps; integrates the components that can change */
  const hn_model *model;
  size_t positions; /* components of poses that can change */
  stretch *part;    /* [parts] where they stand in the arrays: those of poses, then those of twists */
  int pose_parts, parts;
  hn_state *stage;        /* state of y with unit quaternions, and with the components that cannot change */
  hn_pose *flow;          /* [nbody] derivatives of poses */
  hn_twist *acceleration; /* [nbody] */
  double *right;          /* [nrow] */
  double *lambda;         /* [nrow] solver->multipliers, also used by stages */
  double begin;           /* s: start of the step in progress */
  bool is_current;        /* flow, acceleration and lambda belong to the stage: a cache */
} lagrange;

static const hn_param params[] = {
  { "stepper", HN_CHOICE, offsetof(lagrange, stepper), "rk4", 0, 0, "", HN_STEPPERS,
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
  { "adaptive", HN_FLAG, offsetof(lagrange, ode.adaptive), "false", 0, 0, "", NULL,
    "divide each step so that its error stays within error_tolerance" },
  { "error_tolerance", HN_REAL, offsetof(lagrange, ode.error_tolerance), "1e-10", 1e-15, 1, "", NULL,
    "adaptive, and Newton's method of rk1imp, rk2imp, rk4imp: local error of every position and velocity, "
    "absolute and relative" },
  HN_LINEAR_PARAMS(lagrange, rattle.linear),
  { .key = NULL },
};

static int order_of(const hn_solver *solver)
{
  return hn_integrator_order(&((const lagrange *)solver->data)->ode);
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
  d->positions = d->ode.size = 0, d->parts = 0;
  for (int i = 0; i < model->nbody; i++) {
    const components *p = components_of(model, i);
    for (int c = 0; c < p->poses; c++) add_component(d, 0, 7 * i + p->pose[c], &end);
    d->positions += (size_t)p->poses, d->ode.size += (size_t)(p->poses + p->twists);
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
  bool same = d->is_current && (!d->ode.time_dependent || t == d->stage->time);
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

/* Computes the derivatives of the components that can change. */
static hn_reason derivatives(hn_solver *solver, double t, const double *y, double *dydt)
{
  lagrange *d = solver->data;
  hn_reason reason = evaluate(solver, t, y);
  if (reason == HN_CONVERGED) gather(d, d->flow, d->acceleration, dydt);
  return reason;
}

static int allocate(hn_solver *solver, hn_error *error)
{
  lagrange *d = solver->data;
  const hn_model *model = solver->system->model;
  d->lambda = solver->multipliers;
  d->ode.time_dependent = hn_depends_on_time(model);
  d->ode.derivatives = derivatives;
  if (hn_solver_allocate(solver, error, HN_ARRAY(d->part, d->parts), HN_ARRAY(d->acceleration, model->nbody)))
    return -1;
  list_components(d);
  return hn_integrator_setup(solver, &d->ode, error);
}

static int setup(hn_solver *solver, hn_error *error)
{
  lagrange *d = solver->data;
  d->model = solver->system->model;
  list_components(d);
  if (hn_integrator_check(&d->ode, "lagrange", d->stepper, error)) return -1;
  if (hn_rattle_setup(solver, &d->rattle, error)) return -1;
  /* Share the scratch of the projection between projections. */
  d->stage = d->rattle.trial, d->right = d->rattle.p, d->flow = d->rattle.factored.pose;
  return allocate(solver, error);
}

static void reset(hn_solver *solver)
{
  lagrange *d = solver->data;
  hn_integrator_reset(&d->ode);
  d->is_current = false;
}

static void destroy(hn_solver *solver)
{
  hn_integrator_free(&((lagrange *)solver->data)->ode);
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
  load_state(solver, state, d->ode.error); /* d->ode.error is free here */
  /* STATE is not the end of the last step */
  if (memcmp(d->ode.y, d->ode.error, sizeof *d->ode.y * d->ode.size) != 0) hn_integrator_forget(&d->ode);
  memcpy(d->ode.y, d->ode.error, sizeof *d->ode.y * d->ode.size);
  hn_reason reason = hn_integrator_apply(&d->ode, state->time, h);
  if (reason != HN_CONVERGED) return reason;
  scatter(d, d->ode.y, state);
  normalise(solver->system, state);
  gather(d, state->pose, state->twist, d->ode.y);
  state->time += h;
  if (d->stabilisation == PROJECTION) reason = project(solver, state);
  if (reason != HN_CONVERGED) return reason;
  load_state(solver, state, d->ode.error);
  return evaluate(solver, state->time, d->ode.error); /* also the first derivatives of the next step */
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
