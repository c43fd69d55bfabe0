/* half_explicit.c - half-explicit Runge-Kutta method of order 4 on the index-2 form.
 *
 *   q' = v,   v' = a(q, v) + W G' lambda,   0 = G(q) v + bias          y = (q, v)
 *   Y_i = y + h sum_{j<i} A_ij f(Y_j, lambda_j),   i = 2 .. 5;         the sixth row of A, the weights, ends at t + h
 *   lambda_{i-1} is such that Y_i satisfies the constraint:            G(Q_i) V_i + bias = 0
 *
 * The positions Q_i do not need lambda_{i-1}, so this is linear in it: h A_{i,i-1} G_i W_{i-1} G_{i-1}' lambda = -r.
 * The matrix is not symmetric; it differs from K_i = G_i W_i G_i' by O(h), so the equation is solved by repeating
 * z = K_i^-1 r, each of which reduces r by a factor of order h, to velocity_tolerance. Bodies that turn by a radian
 * between two stages make that factor about 1, or more: where `iterations` are not enough, or r runs away, the next as
 * many are combined such that what they leave of r is least (generalised conjugate residuals, with the last few of
 * them; Orthodir where these stagnate) [eisenstat1983, young1980].
 * Quaternions are four numbers with q' = (0, w) q / 2, read normalised: a smooth function, so the order holds.
 *
 * Rows that constrain velocities alone are of index 2 as they are.
 *
 * Order 4 in positions, velocities and multipliers. Velocities meet the joints to velocity_tolerance; positions drift
 * at the order of the solver, linearly in t at worst, unless stabilisation = projection puts them back. Cost: 5
 * Jacobians and factorisations a step, a solve an iteration; one solve for the multipliers at the end, which are those
 * of the acceleration form (K lambda = -(G a + gamma)), of the same order as the state.
 * [brasey1993, HEM4; hairer1996, section VII.6: five stages on the nodes of the Radau quadrature] The papers solve for
 * lambda and the acceleration together, by a direct solver for the matrix that is not symmetric.
 *
 * Redundant rows are those that are so off the joints too, like rods in parallel: stages meet the positions only to
 * O(h^2). Where they are redundant on the joints alone (Bennett, Bricard), their velocities contradict each other in
 * the stages, and the run is refused there. */
#include "multiplier/multipliers.h"
#include "impulse/rattle.h"
#include "base/vec.h"
#include "redundant/policy.h"

#include <stdlib.h>
#include <string.h>

enum { NONE, PROJECTION };
enum { STAGES = 5 };
enum { DIRECTIONS = 12 }; /* that corrections are combined with */

#define ROOT6 2.449489742783178098197284074705891

static const double tableau[STAGES + 1][STAGES] = {
  { 0 },
  { 3.0 / 10 },
  { (1 + ROOT6) / 30, (11 - 4 * ROOT6) / 30 },
  { (-79 - 31 * ROOT6) / 150, (-1 - 4 * ROOT6) / 30, (24 + 11 * ROOT6) / 25 },
  { (14 + 5 * ROOT6) / 6, (-8 + 7 * ROOT6) / 6, (-9 - 7 * ROOT6) / 4, (9 - ROOT6) / 4 },
  { 0, 0, (16 - ROOT6) / 36, (16 + ROOT6) / 36, 1.0 / 9 },
};

static const double node[STAGES + 1] = {
  0, 3.0 / 10, (4 - ROOT6) / 10, (4 + ROOT6) / 10, 1, 1
}; /* sums of the rows */

typedef struct half_explicit {
  int stabilisation;
  double velocity_tolerance; /* m/s, rad/s */
  hn_rattle projection;      /* its tolerance, iterations, linear back end; where K was factored */
  double *rate[STAGES]; /* [13 nbody] derivatives in the stages: of poses, then of twists, as in hn_state */
  double *pose;         /* [7 nbody] poses of the stage, with quaternions as they come */
  hn_state *start, *stage;                   /* the stage has unit quaternions */
  double *T_before;                          /* [12 nrow] W G' of the stage before */
  double *right, *sum;                       /* [nrow] residual; what lambda has changed by */
  double *z[DIRECTIONS], *image[DIRECTIONS]; /* [nrow] corrections, and what they take from the residual */
  double square[DIRECTIONS];                 /* of the images */
  bool gains;                                /* the last of them took a good part of the residual */
  hn_twist *push;                            /* [nbody] */
  double *memory;                            /* what is remembered: poses where the last step ended, and */
  double *lambda;         /* [nrow] the multipliers there, from which those of the next stage start */
  size_t remembered;      /* numbers in it */
  hn_twist *acceleration; /* [nbody] */
} half_explicit;

static const hn_param params[] = {
  { "velocity_tolerance", HN_REAL, offsetof(half_explicit, velocity_tolerance), "1e-12", 1e-16, 1,
    "m/s, rad/s", NULL, "joint velocity error allowed in every stage" },
  { "stabilisation", HN_CHOICE, offsetof(half_explicit, stabilisation), "none", 0, 0, "", "none,projection",
    "what holds the positions against drift" },
  { "tolerance", HN_REAL, offsetof(half_explicit, projection.tolerance), "1e-12", 1e-16, 1, "m, rad", NULL,
    "projection: joint error allowed" },
  { "iterations", HN_INTEGER, offsetof(half_explicit, projection.iterations), "50", 1, 1e6, "", NULL,
    "limit for the multipliers of a stage, and of a projection" },
  HN_LINEAR_PARAMS(half_explicit, projection.linear),
  { .key = NULL },
};

static int setup(hn_solver *solver, hn_error *error)
{
  half_explicit *d = solver->data;
  const hn_model *model = solver->system->model;
  size_t bodies = (size_t)model->nbody, rows = (size_t)model->nrow;
  bool whole = true;
  for (int i = 0; i < STAGES; i++) {
    d->rate[i] = calloc(13 * bodies, sizeof *d->rate[i]);
    whole = whole && d->rate[i];
  }
  d->pose = calloc(7 * bodies, sizeof *d->pose);
  d->start = hn_state_create(model);
  d->stage = hn_state_create(model);
  d->T_before = calloc(12 * rows + 1, sizeof *d->T_before);
  d->remembered = 7 * bodies + rows;
  d->memory = calloc(d->remembered, sizeof *d->memory);
  d->lambda = d->memory ? d->memory + 7 * bodies : NULL;
  d->right = calloc((2 + 2 * DIRECTIONS) * (rows + 1), sizeof *d->right);
  d->push = calloc(bodies, sizeof *d->push);
  d->acceleration = calloc(bodies, sizeof *d->acceleration);
  whole = whole && d->pose && d->start && d->stage && d->T_before && d->lambda && d->right &&
          d->acceleration && d->push;
  if (whole) d->sum = d->right + rows + 1;
  for (size_t k = 0; k < DIRECTIONS && whole; k++) {
    d->z[k] = d->sum + (2 * k + 1) * (rows + 1);
    d->image[k] = d->z[k] + rows + 1;
  }
  return whole ? hn_rattle_setup(solver, &d->projection, error) : hn_fail(error, "out of memory");
}

static void reset(hn_solver *solver)
{
  half_explicit *d = solver->data;
  hn_rattle_forget(&d->projection);
  memset(d->memory, 0, sizeof *d->memory * d->remembered); /* no pose is all zeros */
}

static void *memory(hn_solver *solver, size_t *size)
{
  const half_explicit *d = solver->data;
  *size = sizeof *d->memory * d->remembered;
  return d->memory;
}

static void destroy(hn_solver *solver)
{
  half_explicit *d = solver->data;
  for (int i = 0; i < STAGES; i++) free(d->rate[i]);
  hn_state_free(d->start), hn_state_free(d->stage);
  free(d->pose), free(d->T_before), free(d->memory), free(d->right), free(d->acceleration), free(d->push);
  hn_rattle_free(&d->projection);
}

/* The system fills one buffer with W G' while the other keeps that of the stage before. */
static void exchange(hn_solver *solver)
{
  half_explicit *d = solver->data;
  double *T = solver->system->T;
  solver->system->T = d->T_before;
  d->T_before = T;
}

/* Jacobian at the start of a step, unless it is there; lambda starts from what it was where the last step ended
 * there. */
static void begin(hn_solver *solver, const hn_state *state)
{
  half_explicit *d = solver->data;
  hn_state_copy(d->start, state);
  hn_state_copy(d->stage, state);
  memcpy(d->pose, state->pose, sizeof *state->pose * (size_t)state->nbody);
  const bool goes_on = hn_same_poses(state, (const hn_pose *)d->memory);
  if (!goes_on || !d->projection.factored.valid || !hn_same_poses(state, d->projection.factored.pose))
    hn_system_jacobian(solver->system, state);
  if (goes_on) return;
  memset(d->lambda, 0, sizeof *d->lambda * (size_t)solver->system->model->nrow);
}

/* Derivatives in the stage with the poses d->pose and the twists of d->stage; those of the twists without joints. */
static void derivatives(hn_solver *solver, double *rate)
{
  half_explicit *d = solver->data;
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

/* out[from .. to) = start + h sum of A_ij rate_j */
static void combine(const half_explicit *d, int i, double h, size_t from, size_t to, double *out)
{
  const double *start = (const double *)d->start->pose;
  for (size_t k = from; k < to; k++) {
    double sum = 0.0;
    for (int j = 0; j < i; j++) sum += tableau[i][j] * d->rate[j][k];
    out[k] = start[k] + h * sum;
  }
}

/* WEIGHT times the impulses p on the bodies of the stage before, at whose place W G' is in T_before. */
static void push(hn_solver *solver, const double *p, double weight, hn_state *state)
{
  exchange(solver);
  hn_system_apply(solver->system, p, weight, state);
  exchange(solver);
}

static double dot(const double *a, const double *b, int n)
{
  double sum = 0.0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

/* a += s b */
static void add(double *a, double s, const double *b, int n)
{
  for (int i = 0; i < n; i++) a[i] += s * b[i];
}

/* Takes out of correction k what the others from number FIRST to COUNT give. Returns FIRST, or COUNT where hardly
 * anything would be left: residuals are rounding then, or nothing else is to be had, and the corrections begin anew. */
static int separate(half_explicit *d, int first, int count, int n)
{
  const int k = count % DIRECTIONS;
  const double whole = dot(d->image[k], d->image[k], n);
  double part[DIRECTIONS], rest = whole;
  if (first <= count - DIRECTIONS) first = count - DIRECTIONS + 1;
  for (int j = first; j < count; j++) {
    part[j % DIRECTIONS] = dot(d->image[k], d->image[j % DIRECTIONS], n) / d->square[j % DIRECTIONS];
    rest -= part[j % DIRECTIONS] * part[j % DIRECTIONS] * d->square[j % DIRECTIONS];
  }
  const double least = d->gains ? 0.01 : 1e-10;
  if (!(rest > least * whole)) first = count;
  for (int j = first; j < count; j++) {
    add(d->image[k], -part[j % DIRECTIONS], d->image[j % DIRECTIONS], n);
    add(d->z[k], -part[j % DIRECTIONS], d->z[j % DIRECTIONS], n);
  }
  d->square[k] = dot(d->image[k], d->image[k], n);
  return first;
}

/* Correction number COUNT, z = K^-1 r, and what it takes from the residual, both without what those from FIRST on
 * give. Where the last one gained hardly anything, K^-1 r would be the same again: what that one takes stands for r. */
static hn_reason find_direction(hn_solver *solver, int *first, int count, double weight)
{
  half_explicit *d = solver->data;
  hn_system *s = solver->system;
  const int n = s->model->nrow, k = count % DIRECTIONS;
  hn_state motion = { .nbody = d->stage->nbody, .twist = d->push };
  const bool by_residual = d->gains || count == *first;
  hn_reason reason = hn_system_solve(s, by_residual ? d->right : d->image[(count - 1) % DIRECTIONS], d->z[k]);
  if (reason != HN_CONVERGED) return reason;
  memset(d->push, 0, sizeof *d->push * (size_t)motion.nbody);
  push(solver, d->z[k], weight, &motion);
  hn_system_velocity_residual(s, &motion, d->image[k], NULL);
  for (int i = 0; i < n; i++) d->image[k][i] -= s->bias[i];
  *first = separate(d, *first, count, n);
  return HN_CONVERGED;
}

/* Why the multipliers of a stage are not found. Where rows are redundant an iteration stalls on what they contradict
 * each other by; a policy that finds constraints in conflict names them itself. */
static hn_reason stage_failed(hn_solver *solver, hn_reason reason, int worst, double residual, int iteration)
{
  const hn_redundant *policy = solver->system->redundant;
  if (reason == HN_STALLED && policy && (policy->ndropped > 0 || policy->ngroup > 1) && isfinite(residual))
    return hn_step_failed(solver, HN_UNSUPPORTED,
                          "a stage off the joints, where redundant rows contradict each other", worst,
                          residual);
  if (reason == HN_STALLED)
    return hn_step_stalled(solver, "multipliers of a stage", worst, residual, iteration);
  return hn_step_failed(solver, reason, "multipliers of a stage", worst, residual);
}

/* Velocities of stage i without multipliers. */
static void free_velocities(half_explicit *d, int i, double h)
{
  const size_t bodies = (size_t)d->stage->nbody;
  combine(d, i, h, 7 * bodies, 13 * bodies, (double *)d->stage->pose);
}

/* Where the plain iteration runs away: back to no multipliers at all. */
static void begin_anew(hn_solver *solver, int i, double h)
{
  half_explicit *d = solver->data;
  const size_t rows = (size_t)solver->system->model->nrow;
  free_velocities(d, i, h);
  memset(d->lambda, 0, sizeof *d->lambda * rows);
  memset(d->sum, 0, sizeof *d->sum * rows);
}

/* Finds lambda of stage i - 1 such that the velocities of stage i satisfy the joints; adds W G' lambda to both. */
static hn_reason solve_multipliers(hn_solver *solver, int i, double h)
{
  half_explicit *d = solver->data;
  hn_system *s = solver->system;
  const double weight = h * tableau[i][i - 1];
  const int n = s->model->nrow, limit = d->projection.iterations;
  hn_state acceleration = { .nbody = d->stage->nbody,
                            .twist = (hn_twist *)(d->rate[i - 1] + 7 * d->stage->nbody) };
  memcpy(d->sum, d->lambda, sizeof *d->sum * (size_t)n);
  d->gains = true;
  for (int iteration = 0, first = limit;; iteration++) {
    const bool plain = iteration < limit;
    int worst;
    push(solver, d->sum, weight, d->stage);
    double residual = hn_system_velocity_residual(s, d->stage, d->right, &worst);
    if (residual <= d->velocity_tolerance) break;
    if (plain && residual >= HUGE_RESIDUAL && isfinite(residual)) {
      begin_anew(solver, i, h);
      iteration = limit - 1;
      continue;
    }
    if (iteration == 2 * limit || !(residual < HUGE_RESIDUAL))
      return stage_failed(solver, HN_STALLED, worst, residual, iteration);
    hn_reason reason = plain ? hn_system_solve(s, d->right, d->right)
                             : find_direction(solver, &first, iteration, weight);
    if (reason != HN_CONVERGED) return stage_failed(solver, reason, worst, residual, iteration);
    const int k = iteration % DIRECTIONS;
    const double step = !plain && d->square[k] > 0.0 ? -dot(d->right, d->image[k], n) / d->square[k] : 0.0;
    if (!plain) d->gains = step * step * d->square[k] > 0.1 * dot(d->right, d->right, n);
    for (int r = 0; r < n; r++) {
      d->sum[r] = plain ? d->right[r] / -weight : step * d->z[k][r];
      d->lambda[r] += d->sum[r];
    }
    solver->report.velocity_iterations++;
  }
  push(solver, d->lambda, 1.0, &acceleration);
  return HN_CONVERGED;
}

/* Stage i, whose lambda is still open, from stage i - 1, whose lambda is found here. */
static hn_reason make_stage(hn_solver *solver, int i, double h)
{
  half_explicit *d = solver->data;
  size_t bodies = (size_t)d->stage->nbody;
  derivatives(solver, d->rate[i - 1]);
  combine(d, i, h, 0, 7 * bodies, d->pose);
  memcpy(d->stage->pose, d->pose, sizeof *d->pose * 7 * bodies);
  for (size_t k = 0; k < bodies; k++) quat_normalise(d->stage->pose[k].q);
  d->stage->time = d->start->time + node[i] * h;
  exchange(solver);
  d->projection.factored.valid = false;
  hn_reason reason = hn_factor_at(solver, d->stage);
  if (reason != HN_CONVERGED) return reason;
  free_velocities(d, i, h);
  return solve_multipliers(solver, i, h);
}

/* The factor of K is that at the poses of the last stage. */
static hn_reason finish(hn_solver *solver, hn_state *state)
{
  half_explicit *d = solver->data;
  hn_rattle *projection = &d->projection;
  hn_reason reason = HN_CONVERGED;
  hn_state_copy(state, d->stage); /* its time, t + h, too: joints may ask for it */
  hn_prepared_keep(&projection->factored, state);
  if (d->stabilisation == PROJECTION) reason = hn_rattle_project(solver, projection, state);
  if (reason == HN_CONVERGED) reason = hn_multipliers(solver, state, solver->multipliers, d->acceleration);
  state->time = d->start->time;
  memcpy(d->memory, state->pose, sizeof *state->pose * (size_t)state->nbody);
  return reason;
}

static hn_reason step(hn_solver *solver, hn_state *state, double h)
{
  begin(solver, state);
  for (int i = 1; i <= STAGES; i++) {
    hn_reason reason = make_stage(solver, i, h);
    if (reason != HN_CONVERGED) return reason;
  }
  return finish(solver, state);
}

const hn_solver_type hn_solver_half_explicit = {
  .abi = HN_ABI,
  .name = "half-explicit",
  .summary = "half-explicit Runge-Kutta of order 4 (HEM4): velocities meet the joints in every stage",
  .citation = "Brasey and Hairer 1993; Hairer and Wanner 1996, section VII.6",
  .capabilities = HN_CAN_BILATERAL | HN_HAS_MULTIPLIERS | HN_CAN_VELOCITY | HN_CAN_MORE,
  .order = 4,
  .data_size = sizeof(half_explicit),
  .params = params,
  .setup = setup,
  .step = step,
  .reset = reset,
  .memory = memory,
  .free = destroy,
};
