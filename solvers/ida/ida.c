/* ida.c - IDA (SUNDIALS: BDF of variable order and step) on the stabilised index-2 form of Gear, Gupta,
 * Leimkuhler.
 *
 *   q' = E (u + W G' mu),   u' = a + W G' lambda,   0 = G u + bias,   0 = g(q)
 *
 * with E: x' = v, quaternion' = (0, w) q / 2, and a the acceleration without joints. mu is zero except for
 * discretisation errors, and keeps the positions on the joints. Newton's method in IDA needs dF/dy + c
 * dF/dy', c ~ 1/h. Let b = (b_q, b_u, b_v, b_g). The derivatives of E, W G' and a are omitted, as they are
 * smaller by a factor of order h. The solution is
 *
 *   K dlambda = c b_v - G b_u,               du = (b_u + W G' dlambda) / c
 *   K dmu = c b_g - b_v - G E^-1 b_q,        dq = (b_q + E (du + W G' dmu)) / c
 *
 * so each multiplier costs one solve with the same K, which is factored at the first iterate of every step of
 * IDA. Rows of velocities have no g. The equation of their mu is K mu = 0 in these rows: the correction of
 * positions does not slip, and the right-hand side of Newton's equations is b_g alone. Order: chosen by the
 * tolerance, 1 to 5. One step of ours is as many of IDA's as end beyond t + h; the state at t + h is
 * interpolated. The history continues while a step starts where the last one ended, or started. Positions and
 * velocities satisfy the joints within the tolerance. [gear1985; hindmarsh2005] */
#include "ida/sundials.h"
#include "base/module.h"
#include "multiplier/multipliers.h"
#include "base/vec.h"
#include "registry/solver_arrays.h"

#include <limits.h>
#include <string.h>

static const double time_rounding = 1e-9; /* of a step: times of a run that count as equal */
static const double first_step = 0.1;     /* of the square root of the tolerance */

typedef struct ida {
  double error_tolerance;
  int iterations; /* limit on the steps of IDA in one of ours */
  hn_linear_options linear;
  const hn_ida_module *module;
  hn_ida *memory;
  size_t motion;    /* 13 nbody: poses and twists, as in hn_state; lambda and mu follow */
  double *y, *rate; /* [motion + 2 nrow] */
  hn_state *stage;  /* y with unit quaternions */
  hn_twist *twist;  /* [nbody] scratch */
  double *p;        /* [nrow] */
  hn_state *first;  /* where the last step started, */
  hn_state *last;   /* and where it ended */
  bool started;
  long taken; /* steps of IDA in the last one of ours */
  bool factored;
  double factored_time; /* s: time of the stage at which K was factored */
  hn_reason reason;     /* reason of a failed factorisation */
} ida;

static const hn_param params[] = {
  { "error_tolerance", HN_REAL, offsetof(ida, error_tolerance), "1e-8", 1e-13, 0.1, "", NULL,
    "local error of every position and velocity, absolute and relative" },
  { "iterations", HN_INTEGER, offsetof(ida, iterations), "100000", 1, 1e9, "", NULL,
    "limit of IDA's own steps in one step" },
  HN_LINEAR_PARAMS(ida, linear),
  { .key = NULL },
};

/* ---- The equation -------------------------------------------------------------------------------------- */

/* Computes rate = E u at the poses, which need not be normalised. */
static void pose_rates(const hn_system *s, const hn_pose *pose, const hn_twist *u, hn_pose *rate)
{
  static const double zero[4];
  for (int i = 0; i < s->model->nbody; i++) {
    vec_copy(rate[i].x, u[i].v);
    memcpy(rate[i].q, zero, sizeof zero);
  }
  for (int k = 0; k < s->nrotating; k++) {
    const int i = s->rotating[k];
    const double half[4] = { 0.0, 0.5 * u[i].w[0], 0.5 * u[i].w[1], 0.5 * u[i].w[2] };
    quat_mul(rate[i].q, half, pose[i].q);
  }
}

static void read_stage(hn_solver *solver, double t, const double *y)
{
  const ida *d = solver->data;
  memcpy(d->stage->pose, y, sizeof *y * d->motion);
  for (int k = 0; k < solver->system->nrotating; k++)
    quat_normalise(d->stage->pose[solver->system->rotating[k]].q);
  d->stage->time = t;
}

/* Computes F_g = K mu in rows of velocities. */
static void set_velocity_rows(hn_solver *solver, const double *mu, double *F_g)
{
  const ida *d = solver->data;
  hn_system *s = solver->system;
  hn_state motion = { .nbody = d->stage->nbody, .twist = d->twist };
  if (!(s->model->needs & HN_CAN_VELOCITY)) return;
  memset(d->twist, 0, sizeof *d->twist * (size_t)motion.nbody);
  hn_system_apply(s, mu, 1.0, &motion);
  for (int k = 0; k < s->nblock; k++) {
    const int row = s->block[k].row;
    if (!s->block[k].joint->type->velocity) continue;
    hn_system_block_velocity(s, k, &motion, F_g + row);
    for (int r = 0; r < s->block[k].n; r++) F_g[row + r] -= s->bias[row + r];
  }
}

/* Computes F = (y' - ..., G u + bias, g). Returns 1 if y is not finite, -1 if a stop is requested. */
static int residual(void *user, double t, const double *y, const double *rate, double *F)
{
  hn_solver *solver = user;
  ida *d = solver->data;
  hn_system *s = solver->system;
  const int n = d->stage->nbody, rows = s->model->nrow;
  const double *lambda = y + d->motion, *mu = lambda + rows;
  hn_state sum = { .nbody = n, .twist = d->twist };
  if (hn_stopped(&s->stop)) return -1;
  read_stage(solver, t, y);
  if (!hn_state_finite(d->stage)) return 1;
  hn_system_jacobian(s, d->stage);
  memcpy(d->twist, d->stage->twist, sizeof *d->twist * (size_t)n);
  hn_system_apply(s, mu, 1.0, &sum);
  pose_rates(s, (const hn_pose *)y, d->twist, (hn_pose *)F);
  hn_system_free_acceleration(s, d->stage, d->twist);
  hn_system_apply(s, lambda, 1.0, &sum);
  memcpy(F + 7 * n, d->twist, sizeof *d->twist * (size_t)n);
  for (size_t i = 0; i < d->motion; i++) F[i] = rate[i] - F[i];
  hn_system_velocity_residual(s, d->stage, F + d->motion, NULL);
  hn_system_residual(s, d->stage, NULL);
  memcpy(F + d->motion + rows, s->g, sizeof *F * (size_t)rows);
  set_velocity_rows(solver, mu, F + d->motion + rows);
  return 0;
}

/* Solves K p = right - G u for u in d->twist, and adds W G' p to it. FOR_MU: the right-hand side of rows of
 * velocities is RIGHT alone. */
static hn_reason constrain(hn_solver *solver, const double *right, bool for_mu, double *p)
{
  ida *d = solver->data;
  hn_system *s = solver->system;
  hn_state motion = { .nbody = d->stage->nbody, .twist = d->twist };
  hn_system_velocity_residual(s, &motion, d->p, NULL);
  for (int i = 0; i < s->model->nrow; i++) d->p[i] = right[i] - d->p[i] + s->bias[i];
  for (int k = 0; k < s->nblock && for_mu; k++) {
    const hn_block *block = &s->block[k];
    const size_t bytes = sizeof *right * (size_t)block->n;
    if (block->joint->type->velocity) memcpy(d->p + block->row, right + block->row, bytes);
  }
  hn_reason reason = hn_system_solve(s, d->p, p);
  hn_system_apply(s, p, 1.0, &motion);
  return reason;
}

static hn_reason factor_once(hn_solver *solver)
{
  ida *d = solver->data;
  if (d->factored && d->factored_time == d->stage->time) return HN_CONVERGED;
  d->reason = hn_system_factor(solver->system);
  d->factored = d->reason == HN_CONVERGED;
  d->factored_time = d->stage->time;
  return d->reason;
}

/* Computes dq = E u / c for u in d->twist, plus the part of b_q in POSE along the quaternion itself. */
static void solve_poses(hn_solver *solver, double c, hn_pose *pose)
{
  const ida *d = solver->data;
  const hn_system *s = solver->system;
  for (int i = 0; i < d->stage->nbody; i++) vec_scale(pose[i].x, 1.0 / c, d->twist[i].v);
  for (int k = 0; k < s->nrotating; k++) {
    const int i = s->rotating[k];
    const double *q = d->stage->pose[i].q, *w = d->twist[i].w,
                 half[4] = { 0.0, 0.5 * w[0], 0.5 * w[1], 0.5 * w[2] };
    double turn[4], *b = pose[i].q, radial = q[0] * b[0] + q[1] * b[1] + q[2] * b[2] + q[3] * b[3];
    quat_mul(turn, half, q);
    for (int j = 0; j < 4; j++) b[j] = (turn[j] + radial * q[j]) * (1.0 / c);
  }
}

/* Solves the approximate Newton equations above; x holds b, then the solution. */
static int solve(void *user, double c, double *x)
{
  hn_solver *solver = user;
  ida *d = solver->data;
  const hn_system *s = solver->system;
  const int n = d->stage->nbody, rows = s->model->nrow;
  hn_pose *pose = (hn_pose *)x;
  hn_twist *twist = (hn_twist *)(pose + n);
  double *b_v = x + d->motion, *b_g = b_v + rows;
  if (factor_once(solver) != HN_CONVERGED) return 1;
  for (int i = 0; i < rows; i++) b_v[i] *= c;
  for (int k = 0; k < s->nblock; k++) /* c applies to g only */
    for (int r = 0; r < s->block[k].n && !s->block[k].joint->type->velocity; r++)
      b_g[s->block[k].row + r] *= c;
  memcpy(d->twist, twist, sizeof *twist * (size_t)n);
  if (constrain(solver, b_v, false, b_v) != HN_CONVERGED) return 1;
  for (int i = 0; i < n; i++) { /* du; du + E^-1 b_q */
    vec_scale(twist[i].v, 1.0 / c, d->twist[i].v);
    vec_scale(twist[i].w, 1.0 / c, d->twist[i].w);
    vec_add(d->twist[i].v, twist[i].v, pose[i].x);
    vec_copy(d->twist[i].w, twist[i].w);
  }
  for (int k = 0; k < s->nrotating; k++) {
    const int i = s->rotating[k];
    double conjugate[4], turn[4];
    quat_conj(conjugate, d->stage->pose[i].q);
    quat_mul(turn, pose[i].q, conjugate);
    vec_add_scaled(d->twist[i].w, 2.0, turn + 1);
  }
  if (constrain(solver, b_g, true, b_g) != HN_CONVERGED) return 1;
  solve_poses(solver, c, pose);
  return 0;
}

/* ---- The solver ---------------------------------------------------------------------------------------- */

static int setup(hn_solver *solver, hn_error *error)
{
  ida *d = solver->data;
  const hn_model *model = solver->system->model;
  d->motion = 13 * (size_t)model->nbody;
  size_t size = d->motion + 2 * (size_t)model->nrow;
  d->module = hn_module_symbol("hn_sundials.so", HN_IDA_MODULE,
                               error); /* SUNDIALS is loaded only when needed */
  if (!d->module) return -1;
  if (hn_solver_allocate(solver, error, HN_ARRAY(d->y, size), HN_ARRAY(d->rate, size),
                         HN_ARRAY(d->twist, model->nbody), HN_ARRAY(d->p, (size_t)model->nrow),
                         HN_STATE(d->stage), HN_STATE(d->first), HN_STATE(d->last)))
    return -1;
  const hn_dae dae = { (int)size, (int)d->motion, solver, residual, solve };
  d->memory = d->module->create(&dae, d->error_tolerance, d->iterations);
  if (!d->memory) return hn_fail(error, "out of memory");
  return hn_system_use_linear(solver->system, &d->linear, error);
}

static void reset(hn_solver *solver)
{
  ((ida *)solver->data)->started = false;
}

static void destroy(hn_solver *solver)
{
  ida *d = solver->data;
  if (d->memory) d->module->free(d->memory);
}

/* Starts IDA with consistent values at STATE: lambda and u' of the acceleration form, mu = 0. */
static hn_reason start(hn_solver *solver, const hn_state *state, double h)
{
  ida *d = solver->data;
  const int n = state->nbody, rows = solver->system->model->nrow;
  hn_reason reason = hn_factor_at(solver, state);
  if (reason != HN_CONVERGED) return reason;
  memcpy(d->y, state->pose, sizeof *d->y * d->motion);
  memset(d->y + d->motion, 0, sizeof *d->y * 2 * (size_t)rows);
  memset(d->rate, 0, sizeof *d->rate * (d->motion + 2 * (size_t)rows));
  pose_rates(solver->system, state->pose, state->twist, (hn_pose *)d->rate);
  reason = hn_multipliers(solver, state, d->y + d->motion, (hn_twist *)(d->rate + 7 * n));
  if (reason != HN_CONVERGED) return reason;
  d->factored = false;
  /* The first step is of order 1: its local error is about its square. */
  const double first = fmin(h, first_step * sqrt(d->error_tolerance));
  d->started = d->module->start(d->memory, state->time, d->y, d->rate, first) == 0;
  return d->started ? HN_CONVERGED : hn_step_failed(solver, HN_STALLED, "IDA: start", -1, 0.0);
}

/* True if STATE is OTHER, up to rounding of its time by the run. */
static bool is_at(const ida *d, const hn_state *state, const hn_state *other, double h)
{
  return d->started && fabs(other->time - state->time) <= time_rounding * h &&
         memcmp(other->input, state->input, sizeof(double) * (size_t)state->ninput) == 0 &&
         memcmp(other->pose, state->pose, sizeof(double) * d->motion) == 0;
}

static int advance(ida *d, double time)
{
  const long before = d->module->steps(d->memory);
  d->reason = HN_CONVERGED;
  const int result = d->module->advance(d->memory, time, d->y, d->rate);
  d->taken += d->module->steps(d->memory) - before;
  return result;
}

/* The history continues from the end of the last step, and also from its start as far as IDA interpolates. */
static hn_reason step(hn_solver *solver, hn_state *state, double h)
{
  ida *d = solver->data;
  const bool continues = is_at(d, state, d->last, h), repeats = !continues && is_at(d, state, d->first, h);
  const double end = state->time + h;
  memcpy(d->stage->input, state->input, sizeof *state->input * (size_t)state->ninput);
  d->taken = 0;
  int result = continues || repeats ? advance(d, end) : -1;
  if (!continues && result) {
    hn_reason reason = start(solver, state, h);
    if (reason != HN_CONVERGED) return reason;
    result = advance(d, end);
  }
  solver->report.position_iterations = d->taken < INT_MAX ? (int)d->taken : INT_MAX;
  if (result) {
    hn_reason reason = d->reason != HN_CONVERGED ? d->reason : HN_STALLED;
    return hn_step_failed(solver, reason, d->module->explain(result), -1, 0.0);
  }
  hn_state_copy(d->first, state);
  memcpy(state->pose, d->y, sizeof *d->y * d->motion);
  for (int i = 0; i < state->nbody; i++) quat_normalise(state->pose[i].q);
  hn_state_copy(d->last, state);
  d->last->time = end;
  memcpy(solver->multipliers, d->y + d->motion, sizeof *d->y * (size_t)solver->system->model->nrow);
  return HN_CONVERGED;
}

const hn_solver_type hn_solver_ida = {
  .abi = HN_ABI,
  .name = "ida",
  .summary = "IDA of SUNDIALS (BDF) on the stabilised index-2 form, accurate to error_tolerance",
  .citation = "Hindmarsh et al. 2005; Gear, Gupta and Leimkuhler 1985",
  .capabilities = HN_CAN_BILATERAL | HN_CAN_COMPLIANT | HN_HAS_MULTIPLIERS | HN_CAN_VELOCITY |
                  HN_CAN_EXTRA_FORCES | HN_IS_MULTISTEP | HN_CAN_REPEAT | HN_CONTROLS_ERROR,
  .order = 0,
  .data_size = sizeof(ida),
  .params = params,
  .setup = setup,
  .step = step,
  .reset = reset,
  .free = destroy,
};
