/* augmented.c - augmented Lagrangian of index 3 with projections (Bayo and Ledesma), trapezoidal rule.
 *
 *   M u'_1 = f(q_1, u_1) + G' lambda,   lambda += alpha g   in every iteration: g(q_1) = 0 at its end
 *   D = h u_0 + h^2 (a_0 + u'_1) / 4,   q_1 = q_0 exp(D),   u_1 = u_0 + h (a_0 + u'_1) / 2
 *
 * The papers solve (M + alpha h^2/4 G' G) dq = ... in coordinates of the bodies, which loses digits with a
 * large alpha. The same steps in the rows of the joints are, with b = h^2 / 4 = dD / du'_1, the residual of
 * motion r = W (f + G' lambda) - u', and the compliance Sigma = 1 / (alpha b),
 *
 *   positions       (K + Sigma) dlambda = -g / b - G r,   u' += r + W G' dlambda,   lambda += dlambda
 *   velocities      (K + Sigma) p = -(G u_1 + bias),      u_1 += W G' p
 *   accelerations   (K + Sigma) dlambda = -(G a + gamma), a += W G' dlambda,   a = W (f + G' lambda)
 *
 * Each is repeated until its residual is within the tolerance, with one factor of K + Sigma for all. With
 * alpha_i = penalty / (b K_ii), Sigma is the part 1 / penalty of the diagonal of K. The end of an iteration
 * does not depend on the penalty. K + Sigma is always regular: redundant joints and singular
 * positions need no decision on the rank.
 *
 * A direction with the singular value s, for rows of unit length, keeps the part 1 / (1 + penalty s^2) of its
 * error in each repetition. s is small near singular positions. The repetitions are therefore those of
 * conjugate gradients for K x = b with K + Sigma as preconditioner, which need one for each weak direction.
 * When the joints are within the tolerance, a single solution with K + Sigma replaces the exact one:
 * rounding errors of g would be divided by s^2. A step that does not reach the tolerance fails.
 *
 * The projected accelerations are a_0 of the next step, and their lambda the joint forces: those of the
 * positions alone have an error of order h. Both follow from the state, so the method has one step. Joint
 * forces of redundant joints are nearly the shortest.
 *
 * Order 2 in positions, velocities and joint forces; no drift beyond the tolerances. The projection of the
 * velocities takes energy, of order 2. Cost: a factorisation a step; a Jacobian, a residual and a solve an
 * iteration, a solve for each projection. Forces enter by fixed-point iteration: the step must be small
 * against their time constants. [bayo1996; cuadrado2000] The papers omit the derivatives of G' lambda, as we
 * do, and project with one solution. */
#include "multiplier/newmark.h"
#include "base/small.h"
#include "base/vec.h"
#include "impulse/correction.h"
#include "registry/solver_arrays.h"

#include <string.h>

/* Ratio of successive residuals above which K is factored anew. */
static const double slow_reduction = 0.5;
/* Part of a residual, or of a tolerance, to which the linear systems are solved. */
static const double inner_part = 0.1;
/* Curvature of a direction, relative to K + Sigma, on which K has no effect but rounding. */
static const double smallest_curvature = 1e-14;

/* Limit of the projections of a step: more than one only removes what rounding has left. */
enum { PROJECTIONS = 10 };

typedef struct augmented {
  double penalty;            /* 1 */
  double tolerance;          /* m, rad */
  double velocity_tolerance; /* m/s, rad/s */
  int iterations;
  hn_linear_options linear;
  hn_newmark newmark;
  double *compliance;        /* [nrow] Sigma */
  double *r, *z, *direction; /* [nrow] conjugate gradients: residual; solution with it; direction */
  hn_twist *twist;           /* [nbody] scratch */
} augmented;

static const hn_param params[] = {
  { "penalty", HN_REAL, offsetof(augmented, penalty), "1e6", 1.0, 1e11, "", NULL,
    "alpha h^2 / 4 times the diagonal of K; the end of the iteration does not depend on it" },
  { "tolerance", HN_REAL, offsetof(augmented, tolerance), "1e-11", 1e-16, 1, "m, rad", NULL,
    "joint error allowed, and change of positions in the last iteration" },
  { "velocity_tolerance", HN_REAL, offsetof(augmented, velocity_tolerance), "1e-11", 1e-16, 1, "m/s, rad/s",
    NULL,
    "change of velocities in the last iteration of their projection; of accelerations, times the step" },
  { "iterations", HN_INTEGER, offsetof(augmented, iterations), "100", 1, 1e6, "", NULL,
    "limit of the iterations, of each projection too" },
  HN_BACKEND_PARAMS(augmented, linear),
  { .key = NULL },
};

static int setup(hn_solver *solver, hn_error *error)
{
  augmented *d = solver->data;
  const size_t rows = (size_t)solver->system->model->nrow;
  d->newmark.scheme = (hn_newmark_scheme){ .position = { 0.25, 0.25 }, .velocity = { 0.5, 0.5 } };
  if (hn_newmark_setup(solver, &d->newmark, 0, error) ||
      hn_solver_allocate(solver, error, HN_ARRAY(d->compliance, rows), HN_ARRAY(d->r, rows),
                         HN_ARRAY(d->z, rows), HN_ARRAY(d->direction, rows),
                         HN_ARRAY(d->twist, (size_t)solver->system->model->nbody)))
    return -1;
  return hn_system_use_linear(solver->system, &d->linear, error);
}

static void reset(hn_solver *solver)
{
  hn_newmark_reset(&((augmented *)solver->data)->newmark);
}

static void *memory(hn_solver *solver, size_t *size)
{
  return hn_newmark_memory(&((augmented *)solver->data)->newmark, size);
}

/* Factors K + Sigma at the last Jacobian. */
static hn_reason factor(hn_solver *solver)
{
  const augmented *d = solver->data;
  hn_system *s = solver->system;
  for (int j = 0; j < s->nblock; j++) {
    double K[HN_MAX_ROWS * HN_MAX_ROWS];
    const int n = s->block[j].n;
    hn_system_block_diagonal(s, j, K);
    for (int r = 0; r < n; r++) {
      const double own = K[r * n + r];
      d->compliance[s->block[j].row + r] = own > 0.0 ? own / d->penalty : 1.0;
    }
  }
  hn_system_set_compliance(s, d->compliance);
  hn_reason reason = hn_system_factor(s);
  return reason == HN_CONVERGED ? reason : hn_step_failed(solver, reason, "factorisation of K", -1, 0.0);
}

/* ---- Solution with K ----------------------------------------------------------------------------------- */

/* Computes y = K x with the last Jacobian. */
static void multiply(hn_solver *solver, const double *x, double *y)
{
  hn_system *s = solver->system;
  hn_state motion = { .nbody = s->model->nbody, .twist = ((augmented *)solver->data)->twist };
  memset(motion.twist, 0, sizeof *motion.twist * (size_t)motion.nbody);
  hn_system_apply(s, x, 1.0, &motion);
  hn_system_velocity_residual(s, &motion, y, NULL);
  for (int i = 0; i < s->model->nrow; i++) y[i] -= s->bias[i];
}

static double largest_of(const double *x, int n)
{
  double largest = 0.0;
  for (int i = 0; i < n; i++)
    if (exceeds(fabs(x[i]), largest)) largest = fabs(x[i]);
  return largest;
}

/* Solves K x = b, b given in x, by conjugate gradients with K + Sigma as preconditioner, until the residual
 * of every row is within TOLERANCE, or K has no effect on what is left. Ends after at most `iterations`; the
 * caller sees the residual that remains. */
static hn_reason solve(hn_solver *solver, double tolerance, double *x)
{
  augmented *d = solver->data;
  hn_system *s = solver->system;
  const int n = s->model->nrow;
  double before = 0.0;
  memcpy(d->r, x, sizeof *x * (size_t)n);
  memset(x, 0, sizeof *x * (size_t)n);
  for (int iteration = 0; iteration < d->iterations; iteration++) {
    hn_reason reason = hn_system_solve(s, d->r, d->z);
    if (reason != HN_CONVERGED) return reason;
    const double product = long_dot(d->r, d->z, n), part = iteration > 0 ? product / before : 0.0;
    for (int i = 0; i < n; i++) d->direction[i] = d->z[i] + part * d->direction[i];
    multiply(solver, d->direction, d->z);
    const double curvature = long_dot(d->direction, d->z, n);
    if (!isfinite(curvature)) return HN_NOT_FINITE;
    if (!(curvature > smallest_curvature * product)) return HN_CONVERGED;
    for (int i = 0; i < n; i++) {
      x[i] += product / curvature * d->direction[i];
      d->r[i] -= product / curvature * d->z[i];
    }
    if (largest_of(d->r, n) <= tolerance) return HN_CONVERGED;
    before = product;
  }
  return HN_CONVERGED;
}

/* Reports a projection, a STAGE of the step, that has failed with REASON, or stalled after ITERATIONS. */
static hn_reason projection_failed(hn_solver *solver, hn_reason reason, const char *stage, int worst,
                                   double residual, int iterations)
{
  if (reason == HN_CONVERGED) return hn_step_stalled(solver, stage, worst, residual, iterations);
  return hn_step_failed(solver, reason, stage, worst, residual);
}

/* ---- Projections at the end of a step ------------------------------------------------------------------ */

static hn_reason project_velocities(hn_solver *solver)
{
  augmented *d = solver->data;
  hn_system *s = solver->system;
  hn_newmark *n = &d->newmark;
  for (int iteration = 1;; iteration++) {
    int worst;
    const double residual = hn_system_velocity_residual(s, n->trial, n->p, &worst);
    if (residual <= d->velocity_tolerance) return HN_CONVERGED;
    hn_reason reason = solve(solver, inner_part * d->velocity_tolerance, n->p);
    if (reason != HN_CONVERGED || iteration > PROJECTIONS || !(residual < HUGE_RESIDUAL))
      return projection_failed(solver, reason, "projection of velocities", worst, residual, iteration);
    hn_system_apply(s, n->p, -1.0, n->trial);
    solver->report.velocity_iterations = iteration;
  }
}

/* Computes accelerations, which are left in `right` with world axes, and joint forces at the trial state of a
 * step of H. */
static hn_reason project_accelerations(hn_solver *solver, double h)
{
  augmented *d = solver->data;
  hn_system *s = solver->system;
  hn_newmark *n = &d->newmark;
  hn_state motion = { .nbody = n->trial->nbody, .twist = n->right };
  const double tolerance = d->velocity_tolerance / h;
  hn_system_gamma(s, n->trial);
  hn_system_free_acceleration(s, n->trial, n->right);
  memset(n->lambda, 0, sizeof *n->lambda * (size_t)s->model->nrow);
  for (int iteration = 1;; iteration++) {
    hn_system_velocity_residual(s, &motion, n->p, NULL);
    for (int i = 0; i < s->model->nrow; i++) n->p[i] = s->bias[i] - n->p[i] - s->gamma[i];
    const double residual = largest_of(n->p, s->model->nrow);
    if (residual <= tolerance) return HN_CONVERGED;
    hn_reason reason = solve(solver, inner_part * tolerance, n->p);
    if (reason != HN_CONVERGED || iteration > PROJECTIONS || !isfinite(residual))
      return projection_failed(solver, reason, "projection of accelerations", -1, residual, iteration);
    for (int i = 0; i < s->model->nrow; i++) n->lambda[i] += n->p[i];
    hn_system_apply(s, n->p, 1.0, &motion);
  }
}

/* ---- Step ---------------------------------------------------------------------------------------------- */

/* Computes the residual of the joints at the trial state of a step of H into system->g: for rows of
 * velocities their rate times the ratio of dD to du_1, h / 2. Returns the largest norm of a joint, and its
 * index in *WORST. */
static double joint_residual(hn_solver *solver, double h, int *worst)
{
  hn_system *s = solver->system;
  const hn_newmark *n = &((augmented *)solver->data)->newmark;
  const double scale = hn_newmark_moves(n, h) / hn_newmark_speeds(n, h);
  double largest = hn_system_residual(s, n->trial, worst);
  for (int j = 0; j < s->nblock && s->model->needs & HN_CAN_VELOCITY; j++) {
    const hn_block *block = &s->block[j];
    if (!block->joint->type->velocity) continue;
    const double norm = scale * hn_system_block_velocity(s, j, n->trial, s->g + block->row);
    for (int r = 0; r < block->n; r++) s->g[block->row + r] *= scale;
    if (!exceeds(norm, largest)) continue;
    largest = norm;
    *worst = j;
  }
  return largest;
}

/* Finds the positions at t + h. The last correction follows the test, so that forces and accelerations agree
 * to round-off. */
static hn_reason solve_positions(hn_solver *solver, double h)
{
  augmented *d = solver->data;
  hn_system *s = solver->system;
  hn_newmark *n = &d->newmark;
  const double b = hn_newmark_moves(n, h);
  double previous = INFINITY;
  for (int iteration = 1;; iteration++) {
    int worst;
    hn_newmark_advance(solver, n, h);
    hn_system_jacobian(s, n->trial);
    const double residual = joint_residual(solver, h, &worst), force = b * hn_newmark_defect(solver, n);
    const double error = fmax(residual, force);
    const bool done = error <= d->tolerance && iteration > 1;
    solver->report.residual = residual;
    if (!done && (iteration > d->iterations || !(error < HUGE_RESIDUAL)))
      return hn_step_stalled(solver, "augmented Lagrangian iteration", worst, residual, iteration);
    hn_reason reason = HN_CONVERGED;
    if (iteration == 1 || (!done && error > slow_reduction * previous)) reason = factor(solver);
    if (reason != HN_CONVERGED) return reason;
    for (int i = 0; i < s->model->nrow; i++) n->p[i] = -s->g[i] / b - n->p[i];
    const double right = largest_of(n->p, s->model->nrow);
    reason = residual <= d->tolerance ? hn_system_solve(s, n->p, n->p)
                                      : solve(solver, inner_part * fmax(right, d->tolerance / b), n->p);
    if (reason != HN_CONVERGED)
      return hn_step_failed(solver, reason, "augmented Lagrangian iteration", worst, residual);
    hn_newmark_correct(solver, n);
    previous = error;
    solver->report.position_iterations = iteration;
    if (!done) continue;
    hn_newmark_advance(solver, n, h);
    hn_system_jacobian(s, n->trial);
    solver->report.residual = joint_residual(solver, h, &worst);
    return HN_CONVERGED;
  }
}

/* Computes accelerations and joint forces at the start of a run. */
static hn_reason start(hn_solver *solver, double h)
{
  augmented *d = solver->data;
  hn_system_jacobian(solver->system, d->newmark.trial);
  hn_reason reason = factor(solver);
  if (reason == HN_CONVERGED) reason = project_accelerations(solver, h);
  hn_newmark_set_accelerations(&d->newmark);
  return reason;
}

static hn_reason step(hn_solver *solver, hn_state *state, double h)
{
  augmented *d = solver->data;
  hn_newmark *n = &d->newmark;
  hn_reason reason = hn_newmark_begin(n, state) ? HN_CONVERGED : start(solver, h);
  if (reason != HN_CONVERGED) return reason;
  hn_newmark_predict(n, h);
  reason = solve_positions(solver, h);
  if (reason == HN_CONVERGED) reason = project_velocities(solver);
  if (reason == HN_CONVERGED) reason = project_accelerations(solver, h);
  if (reason != HN_CONVERGED) return reason;
  hn_newmark_set_accelerations(n);
  hn_newmark_end(n, state);
  memcpy(solver->multipliers, n->lambda, sizeof *n->lambda * (size_t)solver->system->model->nrow);
  return HN_CONVERGED;
}

const hn_solver_type hn_solver_augmented = {
  .abi = HN_ABI,
  .name = "augmented",
  .summary = "augmented Lagrangian of index 3 with projections: passes singular positions",
  .citation = "Bayo and Ledesma 1996; Cuadrado, Cardenal, Morer, Bayo 2000",
  .capabilities = HN_CAN_BILATERAL | HN_CAN_REDUNDANT | HN_CAN_COMPLIANT | HN_HAS_MULTIPLIERS |
                  HN_CAN_VELOCITY | HN_CAN_EXTRA_FORCES,
  .order = 2,
  .data_size = sizeof(augmented),
  .params = params,
  .setup = setup,
  .step = step,
  .reset = reset,
  .memory = memory,
};
