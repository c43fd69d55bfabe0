/* half_explicit.c - half-explicit Runge-Kutta method of order 4 on the index-2 form.
 *
 *   q' = v,   v' = a(q, v) + W G' lambda,   0 = G(q) v + bias          y = (q, v)
 *   Y_i = y + h sum_{j<i} A_ij f(Y_j, lambda_j),   i = 2 .. 5;   the sixth row of A, the weights: t + h
 *   lambda_{i-1} is such that Y_i satisfies the constraint:            G(Q_i) V_i + bias = 0
 *
 * The positions Q_i do not depend on lambda_{i-1}, so its equation is linear: h A_{i,i-1} G_i W_{i-1}
 * G_{i-1}' lambda = -r. The matrix is not symmetric. It differs from K_i = G_i W_i G_i' by O(h). The equation
 * is solved to velocity_tolerance by the iteration z = K_i^-1 r, which reduces r by a factor of order h each
 * time. Bodies that turn by a radian between two stages make that factor about 1 or larger. If `iterations`
 * are not enough, or r diverges, as many further corrections are combined to minimise r: generalised
 * conjugate residuals over the last few of them, or Orthodir where these stagnate. [eisenstat1983, young1980]
 * Quaternions are four numbers with q' = (0, w) q / 2, normalised where read: a smooth function, so the order
 * holds.
 *
 * Rows that constrain velocities alone are of index 2 as they are.
 *
 * Order 4 in positions, velocities and multipliers. Velocities satisfy the joints to velocity_tolerance.
 * Positions drift at the order of the solver, at most linearly in t, unless stabilisation = projection. Cost:
 * 5 Jacobians and factorisations a step, a solve an iteration, and one solve for the multipliers at the end.
 * These are those of the acceleration form, K lambda = -(G a + gamma), of the same order as the state.
 * [brasey1993, HEM4; hairer1996, section VII.6: five stages on the nodes of the Radau quadrature] The papers
 * solve for lambda and the acceleration together, with a direct solver for the unsymmetric matrix.
 *
 * Redundant rows must be redundant off the joints too, like parallel rods: stages satisfy the positions only
 * to O(h^2). Rows that are redundant on the joints alone (Bennett, Bricard) have conflicting velocities in
 * the stages, and the run is refused there. */
#include "multiplier/multipliers.h"
#include "impulse/rattle.h"
#include "base/small.h"
#include "base/vec.h"
#include "redundant/policy.h"
#include "registry/solver_arrays.h"

#include <stdlib.h>
#include <string.h>

enum { NONE, PROJECTION };
enum { STAGES = 5 };
enum { DIRECTIONS = 12 }; /* corrections kept for the combination */

/* Part of the squared norm of an image that must be independent of the others, with and without progress. */
static const double min_independent = 0.01, min_independent_stalled = 1e-10;
/* Part of the squared residual that a correction must remove to count as progress. */
static const double good_progress = 0.1;

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
}; /* row sums of the tableau */

typedef struct half_explicit {
  int stabilisation;
  double velocity_tolerance; /* m/s, rad/s */
  /* its tolerance, iterations and linear back end; poses at which K was factored */
  hn_rattle projection;
  double *rate[STAGES];    /* [13 nbody] derivatives of the stages: poses, then twists, as in hn_state */
  double *pose;            /* [7 nbody] poses of the stage, quaternions not normalised */
  hn_state *start, *stage; /* stage: with unit quaternions */
  double *T_previous;      /* [12 nrow] W G' of the stage before */
  double *right, *change;  /* [nrow] residual; last change of lambda */
  double *z[DIRECTIONS], *image[DIRECTIONS]; /* [nrow] corrections; their effects on the residual */
  double square[DIRECTIONS];                 /* squared norms of the images */
  bool progresses;                           /* the last correction removed a good part of the residual */
  hn_twist *push;                            /* [nbody] */
  /* memory of the solver: poses at the end of the last step, and lambda */
  double *memory;
  double *lambda;         /* [nrow] multipliers there; initial guess of the next stage */
  size_t memory_size;     /* numbers in `memory` */
  hn_twist *acceleration; /* [nbody] */
} half_explicit;

static const hn_param params[] = {
  { "velocity_tolerance", HN_REAL, offsetof(half_explicit, velocity_tolerance), "1e-12", 1e-16, 1,
    "m/s, rad/s", NULL, "joint velocity error allowed in every stage" },
  { "stabilisation", HN_CHOICE, offsetof(half_explicit, stabilisation), "none", 0, 0, "", "none,projection",
    "correction of the drift of positions" },
  { "tolerance", HN_REAL, offsetof(half_explicit, projection.tolerance), "1e-12", 1e-16, 1, "m, rad", NULL,
    "projection: joint error allowed" },
  { "iterations", HN_INTEGER, offsetof(half_explicit, projection.iterations), "50", 1, 1e6, "", NULL,
    "limit of iterations for the multipliers of a stage, and for a projection" },
  HN_LINEAR_PARAMS(half_explicit, projection.linear),
  { .key = NULL },
};

static int setup(hn_solver *solver, hn_error *error)
{
  half_explicit *d = solver->data;
  const hn_model *model = solver->system->model;
  const size_t bodies = (size_t)model->nbody, rows = (size_t)model->nrow;
  if (hn_solver_allocate(solver, error, HN_STATE(d->start), HN_STATE(d->stage),
                         HN_ARRAY(d->rate[0], STAGES * 13 * bodies), HN_ARRAY(d->pose, 7 * bodies),
                         HN_ARRAY(d->memory, 7 * bodies + rows), HN_ARRAY(d->right, rows),
                         HN_ARRAY(d->change, rows), HN_ARRAY(d->z[0], 2 * DIRECTIONS * rows),
                         HN_ARRAY(d->push, bodies), HN_ARRAY(d->acceleration, bodies)))
    return -1;
  d->T_previous = calloc(12 * rows + 1, sizeof *d->T_previous); /* on its own, for swap_T */
  if (!d->T_previous) return hn_fail(error, "out of memory");
  for (int i = 1; i < STAGES; i++) d->rate[i] = d->rate[i - 1] + 13 * bodies;
  for (size_t k = 0; k < DIRECTIONS; k++) d->z[k] = d->z[0] + 2 * k * rows, d->image[k] = d->z[k] + rows;
  d->memory_size = 7 * bodies + rows;
  d->lambda = d->memory + 7 * bodies;
  return hn_rattle_setup(solver, &d->projection, error);
}

static void reset(hn_solver *solver)
{
  half_explicit *d = solver->data;
  hn_rattle_reset(&d->projection);
  memset(d->memory, 0, sizeof *d->memory * d->memory_size); /* no pose is all zeros */
}

static void *memory(hn_solver *solver, size_t *size)
{
  const half_explicit *d = solver->data;
  *size = sizeof *d->memory * d->memory_size;
  return d->memory;
}

static void destroy(hn_solver *solver)
{
  free(((half_explicit *)solver->data)->T_previous);
}

/* Swaps the buffer for W G' of the system with that of the stage before. */
static void swap_T(hn_solver *solver)
{
  half_explicit *d = solver->data;
  double *T = solver->system->T;
  solver->system->T = d->T_previous;
  d->T_previous = T;
}

/* Starts a step: Jacobian unless up to date, and the initial guess of lambda, 0 unless STATE is the end of
 * the last step. */
static void begin_step(hn_solver *solver, const hn_state *state)
{
  half_explicit *d = solver->data;
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

/* Computes out[from .. to) = start + h sum of A_ij rate_j. */
static void combine(const half_explicit *d, int i, double h, size_t from, size_t to, double *out)
{
  const double *start = (const double *)d->start->pose;
  for (size_t k = from; k < to; k++) {
    double sum = 0.0;
    for (int j = 0; j < i; j++) sum += tableau[i][j] * d->rate[j][k];
    out[k] = start[k] + h * sum;
  }
}

/* Applies WEIGHT times the impulses p to STATE, with W G' of the stage before. */
static void apply_at_previous(hn_solver *solver, const double *p, double weight, hn_state *state)
{
  swap_T(solver);
  hn_system_apply(solver->system, p, weight, state);
  swap_T(solver);
}

/* Computes a += s b. */
static void add_scaled(double *a, double s, const double *b, int n)
{
  for (int i = 0; i < n; i++) a[i] += s * b[i];
}

/* Orthogonalises the image of correction number COUNT to those of FIRST to COUNT - 1. Returns FIRST, or COUNT
 * if hardly anything is left: then the residual is round-off or the space is exhausted, and a new sequence
 * starts. */
static int orthogonalise(half_explicit *d, int first, int count, int n)
{
  const int k = count % DIRECTIONS;
  const double full = long_dot(d->image[k], d->image[k], n);
  double part[DIRECTIONS], rest = full;
  if (first <= count - DIRECTIONS) first = count - DIRECTIONS + 1;
  for (int j = first; j < count; j++) {
    part[j % DIRECTIONS] = long_dot(d->image[k], d->image[j % DIRECTIONS], n) / d->square[j % DIRECTIONS];
    rest -= part[j % DIRECTIONS] * part[j % DIRECTIONS] * d->square[j % DIRECTIONS];
  }
  const double smallest = d->progresses ? min_independent : min_independent_stalled;
  if (!(rest > smallest * full)) first = count;
  for (int j = first; j < count; j++) {
    add_scaled(d->image[k], -part[j % DIRECTIONS], d->image[j % DIRECTIONS], n);
    add_scaled(d->z[k], -part[j % DIRECTIONS], d->z[j % DIRECTIONS], n);
  }
  d->square[k] = long_dot(d->image[k], d->image[k], n);
  return first;
}

/* Computes correction number COUNT, z = K^-1 r, and its image, both orthogonalised to those from FIRST on. If
 * the last correction made little progress, K^-1 r would be the same again, so its image is used in place of
 * r. */
static hn_reason find_direction(hn_solver *solver, int *first, int count, double weight)
{
  half_explicit *d = solver->data;
  hn_system *s = solver->system;
  const int n = s->model->nrow, k = count % DIRECTIONS;
  hn_state motion = { .nbody = d->stage->nbody, .twist = d->push };
  const bool by_residual = d->progresses || count == *first;
  hn_reason reason = hn_system_solve(s, by_residual ? d->right : d->image[(count - 1) % DIRECTIONS], d->z[k]);
  if (reason != HN_CONVERGED) return reason;
  memset(d->push, 0, sizeof *d->push * (size_t)motion.nbody);
  apply_at_previous(solver, d->z[k], weight, &motion);
  hn_system_velocity_residual(s, &motion, d->image[k], NULL);
  for (int i = 0; i < n; i++) d->image[k][i] -= s->bias[i];
  *first = orthogonalise(d, *first, count, n);
  return HN_CONVERGED;
}

/* Records why the multipliers of a stage were not found. With redundant rows the iteration stalls on their
 * conflict; a policy that finds conflicting constraints reports them itself. */
static hn_reason stage_failed(hn_solver *solver, hn_reason reason, int worst, double residual, int iteration)
{
  const hn_redundant *policy = solver->system->parts->redundant;
  if (reason == HN_STALLED && policy && (policy->ndropped > 0 || policy->ngroup > 1) && isfinite(residual))
    return hn_step_failed(solver, HN_UNSUPPORTED,
                          "a stage off the joints, where redundant rows contradict each other", worst,
                          residual);
  if (reason == HN_STALLED)
    return hn_step_stalled(solver, "multipliers of a stage", worst, residual, iteration);
  return hn_step_failed(solver, reason, "multipliers of a stage", worst, residual);
}

/* Computes the velocities of stage i without the multipliers of stage i - 1. */
static void free_velocities(half_explicit *d, int i, double h)
{
  const size_t bodies = (size_t)d->stage->nbody;
  combine(d, i, h, 7 * bodies, 13 * bodies, (double *)d->stage->pose);
}

/* Restarts from zero multipliers after the plain iteration has diverged. */
static void restart_without_multipliers(hn_solver *solver, int i, double h)
{
  half_explicit *d = solver->data;
  const size_t rows = (size_t)solver->system->model->nrow;
  free_velocities(d, i, h);
  memset(d->lambda, 0, sizeof *d->lambda * rows);
  memset(d->change, 0, sizeof *d->change * rows);
}

/* Solves for lambda of stage i - 1 such that the velocities of stage i satisfy the joints; adds W G' lambda
 * to both. */
static hn_reason solve_multipliers(hn_solver *solver, int i, double h)
{
  half_explicit *d = solver->data;
  hn_system *s = solver->system;
  const double weight = h * tableau[i][i - 1];
  const int n = s->model->nrow, limit = d->projection.iterations;
  hn_state acceleration = { .nbody = d->stage->nbody,
                            .twist = (hn_twist *)(d->rate[i - 1] + 7 * d->stage->nbody) };
  memcpy(d->change, d->lambda, sizeof *d->change * (size_t)n);
  d->progresses = true;
  for (int iteration = 0, first = limit;; iteration++) {
    const bool plain = iteration < limit;
    int worst;
    apply_at_previous(solver, d->change, weight, d->stage);
    double residual = hn_system_velocity_residual(s, d->stage, d->right, &worst);
    if (residual <= d->velocity_tolerance) break;
    if (plain && residual >= HUGE_RESIDUAL && isfinite(residual)) {
      restart_without_multipliers(solver, i, h);
      iteration = limit - 1;
      continue;
    }
    if (iteration == 2 * limit || !(residual < HUGE_RESIDUAL))
      return stage_failed(solver, HN_STALLED, worst, residual, iteration);
    hn_reason reason = plain ? hn_system_solve(s, d->right, d->right)
                             : find_direction(solver, &first, iteration, weight);
    if (reason != HN_CONVERGED) return stage_failed(solver, reason, worst, residual, iteration);
    const int k = iteration % DIRECTIONS;
    const double step = !plain && d->square[k] > 0.0 ? -long_dot(d->right, d->image[k], n) / d->square[k]
                                                     : 0.0;
    if (!plain) d->progresses = step * step * d->square[k] > good_progress * long_dot(d->right, d->right, n);
    for (int r = 0; r < n; r++) {
      d->change[r] = plain ? d->right[r] / -weight : step * d->z[k][r];
      d->lambda[r] += d->change[r];
    }
    solver->report.velocity_iterations++;
  }
  apply_at_previous(solver, d->lambda, 1.0, &acceleration);
  return HN_CONVERGED;
}

/* Computes stage i, and lambda of stage i - 1; lambda of stage i remains open. */
static hn_reason compute_stage(hn_solver *solver, int i, double h)
{
  half_explicit *d = solver->data;
  size_t bodies = (size_t)d->stage->nbody;
  derivatives(solver, d->rate[i - 1]);
  combine(d, i, h, 0, 7 * bodies, d->pose);
  memcpy(d->stage->pose, d->pose, sizeof *d->pose * 7 * bodies);
  for (size_t k = 0; k < bodies; k++) quat_normalise(d->stage->pose[k].q);
  d->stage->time = d->start->time + node[i] * h;
  swap_T(solver);
  d->projection.factored.valid = false;
  hn_reason reason = hn_factor_at(solver, d->stage);
  if (reason != HN_CONVERGED) return reason;
  free_velocities(d, i, h);
  return solve_multipliers(solver, i, h);
}

/* Ends the step: projection if chosen, and multipliers. K is factored at the poses of the last stage. */
static hn_reason finish(hn_solver *solver, hn_state *state)
{
  half_explicit *d = solver->data;
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

static hn_reason step(hn_solver *solver, hn_state *state, double h)
{
  begin_step(solver, state);
  for (int i = 1; i <= STAGES; i++) {
    hn_reason reason = compute_stage(solver, i, h);
    if (reason != HN_CONVERGED) return reason;
  }
  return finish(solver, state);
}

const hn_solver_type hn_solver_half_explicit = {
  .abi = HN_ABI,
  .name = "half-explicit",
  .summary = "half-explicit Runge-Kutta of order 4 (HEM4): velocities meet the joints in every stage",
  .citation = "Brasey and Hairer 1993; Hairer and Wanner 1996, section VII.6",
  .capabilities = HN_CAN_BILATERAL | HN_CAN_COMPLIANT | HN_HAS_MULTIPLIERS | HN_CAN_VELOCITY |
                  HN_CAN_EXTRA_FORCES,
  .order = 4,
  .data_size = sizeof(half_explicit),
  .params = params,
  .setup = setup,
  .step = step,
  .reset = reset,
  .memory = memory,
  .free = destroy,
};
