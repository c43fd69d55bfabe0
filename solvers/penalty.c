/* penalty.c - penalty solver: joints are springs and dampers, integrated implicitly.
 *
 *   u' = W (f + G' lambda),   lambda = -k (g + tau g'),   g' = G u + bias            k: stiffness of a row
 *
 * With the compliance 1 / k the law of a row is e = g + tau g' + lambda / k = 0, which has both limits: a
 * rigid joint for k to infinity, free bodies for k to 0. The step is one of newmark.h, with s^2 = dD / du'_1
 * and s = du_1 / du'_1 of the scheme. Newton's equations are solved in the rows of the joints,
 *
 *   (K + 1 / (k B)) dlambda = -e / B - G r,    u' += r + W G' dlambda,    B = s^2 + tau s
 *
 * with the residual of motion r = W (f + G' lambda) - u', and never with the ill-conditioned M + B G' k G.
 * The limit k to infinity is the same scheme for the rigid joints (index 3). The compliance makes the matrix
 * regular: redundant joints need no policy, and share their load by their stiffness.
 *
 * Stiffness. In rows of length `stiffness` N/m; in rows of angle, whose Jacobian has no part of
 * translations, `angular_stiffness` N m/rad. 0, the default, derives it from the step: k = rigidity / (h^2
 * K_ii), the frequency sqrt(rigidity) / h of row i alone. The joint error lambda / k is then of order h^2,
 * and the order of the scheme is kept. With a given stiffness the order is that of the scheme for the
 * penalised system, and the error against rigid joints ends at lambda / k, proportional to 1 / stiffness.
 * tau = 2 damping / sqrt(k K_ii): `damping` is the damping ratio of row i alone. Rows of velocities have the
 * same law in the slip since the start of the run, y_1 = y_0 + h (G u_1 + bias) in place of g, with B =
 * (h + tau) s.
 *
 * scheme=generalised-alpha has order 2 and damps fast motions by rho_inf [chung1993]; scheme=euler has order
 * 1. Springs of a given stiffness are not loaded at the start: the motion begins with a damped oscillation of
 * size lambda / k. Those with the stiffness from the step are loaded by lambda_0, the forces of rigid joints
 * at the start: (lambda - lambda_0) / k replaces lambda / k. Else the oscillation in soft directions of K
 * would last for hundreds of steps, whatever h. lambda, the force of spring and damper at t + h, is the joint
 * force reported.
 *
 * K is factored once a step, at the first iterate, and again when an iteration does not halve the change.
 * Forces other than those of the joints enter by fixed-point iteration: the step must be small against their
 * time constants. Cost: a factorisation a step; a Jacobian, a residual and a solve an iteration. [bayo1988;
 * chung1993] The seeds integrate explicitly, or factor the matrix in coordinates of the bodies. */
#include "multiplier/newmark.h"
#include "base/vec.h"
#include "impulse/correction.h"
#include "registry/solver_arrays.h"

#include <string.h>

enum { GENERALISED_ALPHA, EULER };

/* Ratio of successive changes above which K is factored anew. */
static const double slow_reduction = 0.5;

/* Solutions for the forces at the start, and compliance with it, relative to the diagonal of K. */
enum { PRELOADS = 4 };
static const double preload_regularisation = 1e-7;

typedef struct penalty {
  int scheme;
  double rho_inf;
  double stiffness, angular_stiffness; /* N/m, N m/rad; 0: from the step */
  double rigidity, damping;            /* 1 */
  double newton_tolerance;             /* m, rad */
  int iterations;
  hn_linear_options linear;
  hn_newmark newmark;
  double *k, *tau, *B; /* [nrow] stiffness, time constant of the damper, B */
  double *compliance;  /* [nrow] 1 / (k B) */
  double *e;           /* [nrow] residual of the law of springs and dampers, m or rad */
  /* [nrow] slip y at the end of the last step, and force of the springs at the start; in the memory */
  double *slip, *preload;
} penalty;

static const hn_param params[] = {
  { "scheme", HN_CHOICE, offsetof(penalty, scheme), "generalised-alpha", 0, 0, "", "generalised-alpha,euler",
    "integrator: order 2 with damping by rho_inf, or implicit Euler, order 1" },
  { "rho_inf", HN_REAL, offsetof(penalty, rho_inf), "0.5", 0, 0.999, "", NULL,
    "generalised-alpha: spectral radius at infinity; 0 damps fast motions in one step" },
  { "stiffness", HN_REAL, offsetof(penalty, stiffness), "0", 0, 1e15, "N/m", NULL,
    "stiffness of joints along lengths; 0: from the step, by rigidity" },
  { "angular_stiffness", HN_REAL, offsetof(penalty, angular_stiffness), "0", 0, 1e15, "N m/rad", NULL,
    "stiffness of joints about angles; 0: from the step, by rigidity" },
  { "rigidity", HN_REAL, offsetof(penalty, rigidity), "100", 1e-6, 1e12, "", NULL,
    "stiffness from the step: square of the frequency of a joint times the step" },
  { "damping", HN_REAL, offsetof(penalty, damping), "1", 0, 1e6, "", NULL,
    "damping ratio of a joint; 1: critical" },
  { "newton_tolerance", HN_REAL, offsetof(penalty, newton_tolerance), "1e-12", 1e-16, 1, "m, rad", NULL,
    "change of positions in Newton's last iteration" },
  { "iterations", HN_INTEGER, offsetof(penalty, iterations), "100", 1, 1e6, "", NULL,
    "limit of Newton iterations" },
  HN_BACKEND_PARAMS(penalty, linear),
  { .key = NULL },
};

static hn_newmark_scheme scheme_of(const penalty *d)
{
  if (d->scheme == EULER) return (hn_newmark_scheme){ .position = { 0.0, 1.0 }, .velocity = { 0.0, 1.0 } };
  const double rho = d->rho_inf, alpha_m = (2.0 * rho - 1.0) / (rho + 1.0), alpha_f = rho / (rho + 1.0);
  const double gamma = 0.5 + alpha_f - alpha_m, beta = 0.25 * (gamma + 0.5) * (gamma + 0.5);
  return (hn_newmark_scheme){ .alpha_m = alpha_m,
                              .alpha_f = alpha_f,
                              .position = { 0.5 - beta, beta },
                              .velocity = { 1.0 - gamma, gamma } };
}

static int setup(hn_solver *solver, hn_error *error)
{
  penalty *d = solver->data;
  const size_t rows = (size_t)solver->system->model->nrow;
  d->newmark.scheme = scheme_of(d);
  if (hn_newmark_setup(solver, &d->newmark, 2 * rows, error) ||
      hn_solver_allocate(solver, error, HN_ARRAY(d->k, rows), HN_ARRAY(d->tau, rows), HN_ARRAY(d->B, rows),
                         HN_ARRAY(d->compliance, rows), HN_ARRAY(d->e, rows)))
    return -1;
  d->slip = d->newmark.extra, d->preload = d->slip + rows;
  return hn_system_use_linear(solver->system, &d->linear, error);
}

static void reset(hn_solver *solver)
{
  hn_newmark_reset(&((penalty *)solver->data)->newmark);
}

static void *memory(hn_solver *solver, size_t *size)
{
  return hn_newmark_memory(&((penalty *)solver->data)->newmark, size);
}

static int order_of(const hn_solver *solver)
{
  return ((const penalty *)solver->data)->scheme == EULER ? 1 : 2;
}

/* ---- Springs and dampers ------------------------------------------------------------------------------- */

/* True if row R of BLOCK is an angle: it does not move with translations. */
static bool is_angular(const hn_system *s, const hn_block *block, int r)
{
  const double *G = s->G + 12 * block->row;
  for (int side = 0; side < 2; side++)
    for (int c = 0; c < 3; c++)
      if (G[(6 * side + c) * block->n + r] != 0.0) return false;
  return true;
}

/* Returns the stiffness of row R that the user has given; 0: from the step. */
static double given_stiffness(const penalty *d, const hn_system *s, const hn_block *block, int r)
{
  return is_angular(s, block, r) ? d->angular_stiffness : d->stiffness;
}

/* Sets stiffness and damper of the rows, for the last Jacobian and a step of H. */
static void set_springs(hn_solver *solver, double h)
{
  penalty *d = solver->data;
  const hn_system *s = solver->system;
  const double moves = hn_newmark_moves(&d->newmark, h), speeds = hn_newmark_speeds(&d->newmark, h);
  for (int j = 0; j < s->nblock; j++) {
    const hn_block *block = &s->block[j];
    double K[HN_MAX_ROWS * HN_MAX_ROWS];
    hn_system_block_diagonal(s, j, K);
    for (int r = 0, i = block->row; r < block->n; r++, i++) {
      const double given = given_stiffness(d, s, block, r);
      const double inertia = K[r * block->n + r] > 0.0 ? 1.0 / K[r * block->n + r] : 1.0;
      d->k[i] = given > 0.0 ? given : d->rigidity * inertia / (h * h);
      d->tau[i] = 2.0 * d->damping * sqrt(inertia / d->k[i]);
      d->B[i] = block->joint->type->velocity ? (h + d->tau[i]) * speeds : moves + d->tau[i] * speeds;
      d->compliance[i] = 1.0 / (d->k[i] * d->B[i]);
    }
  }
}

/* Computes e at the trial state of a step of H; with H = 0, g + tau g' at the start of a run, where the slip
 * is 0. Stores the block of the largest in *WORST. Returns that residual. */
static double spring_residual(hn_solver *solver, double h, int *worst)
{
  penalty *d = solver->data;
  hn_system *s = solver->system;
  const hn_newmark *n = &d->newmark;
  double largest = 0.0;
  *worst = -1;
  hn_system_residual(s, n->trial, NULL);
  hn_system_velocity_residual(s, n->trial, d->e, NULL);
  for (int j = 0; j < s->nblock; j++) {
    const hn_block *block = &s->block[j];
    for (int i = block->row; i < block->row + block->n; i++) {
      const double g = block->joint->type->velocity ? d->slip[i] + h * d->e[i] : s->g[i];
      d->e[i] = g + d->tau[i] * d->e[i] + (h > 0.0 ? (n->lambda[i] - d->preload[i]) / d->k[i] : 0.0);
      if (!exceeds(fabs(d->e[i]), largest)) continue;
      largest = fabs(d->e[i]);
      *worst = j;
    }
  }
  return largest;
}

/* Computes the forces of rigid joints at the start into `preload`, for rows with the stiffness from the step;
 * 0 for others. The forces are those of iterated regularisation: redundant joints need no policy. */
static hn_reason load_springs(hn_solver *solver)
{
  penalty *d = solver->data;
  hn_newmark *n = &d->newmark;
  hn_system *s = solver->system;
  hn_state motion = { .nbody = n->trial->nbody, .twist = n->right };
  for (int j = 0; j < s->nblock; j++) {
    double K[HN_MAX_ROWS * HN_MAX_ROWS];
    const int rows = s->block[j].n;
    hn_system_block_diagonal(s, j, K);
    for (int r = 0; r < rows; r++) {
      const double own = K[r * rows + r];
      d->compliance[s->block[j].row + r] = own > 0.0 ? preload_regularisation * own : 1.0;
    }
  }
  hn_system_set_compliance(s, d->compliance);
  hn_reason reason = hn_system_factor(s);
  hn_system_free_acceleration(s, n->trial, n->right);
  hn_system_gamma(s, n->trial);
  memset(d->preload, 0, sizeof *d->preload * (size_t)s->model->nrow);
  for (int k = 0; k < PRELOADS && reason == HN_CONVERGED; k++) {
    hn_system_velocity_residual(s, &motion, n->p, NULL);
    for (int i = 0; i < s->model->nrow; i++) n->p[i] = s->bias[i] - n->p[i] - s->gamma[i];
    reason = hn_system_solve(s, n->p, n->p);
    hn_system_apply(s, n->p, 1.0, &motion);
    for (int i = 0; i < s->model->nrow; i++) d->preload[i] += n->p[i];
  }
  for (int j = 0; j < s->nblock; j++)
    for (int r = 0; r < s->block[j].n; r++)
      if (given_stiffness(d, s, &s->block[j], r) > 0.0) d->preload[s->block[j].row + r] = 0.0;
  return reason == HN_CONVERGED ? reason : hn_step_failed(solver, reason, "forces at the start", -1, 0.0);
}

/* Computes forces and accelerations at the start of a run. */
static hn_reason start(hn_solver *solver, double h)
{
  penalty *d = solver->data;
  hn_newmark *n = &d->newmark;
  hn_system *s = solver->system;
  hn_state motion = { .nbody = n->trial->nbody, .twist = n->right };
  int worst;
  memset(d->slip, 0, sizeof *d->slip * (size_t)s->model->nrow);
  hn_system_jacobian(s, n->trial);
  hn_reason reason = load_springs(solver);
  if (reason != HN_CONVERGED) return reason;
  set_springs(solver, h);
  spring_residual(solver, 0.0, &worst);
  for (int i = 0; i < s->model->nrow; i++) n->lambda[i] = d->preload[i] - d->k[i] * d->e[i];
  hn_system_free_acceleration(s, n->trial, n->right);
  hn_system_apply(s, n->lambda, 1.0, &motion);
  hn_newmark_set_accelerations(n);
  return HN_CONVERGED;
}

/* ---- Step ---------------------------------------------------------------------------------------------- */

static hn_reason factor(hn_solver *solver)
{
  const penalty *d = solver->data;
  hn_system_set_compliance(solver->system, d->compliance);
  return hn_system_factor(solver->system);
}

/* Iterates until the positions no longer change. */
static hn_reason solve_step(hn_solver *solver, double h)
{
  penalty *d = solver->data;
  hn_system *s = solver->system;
  hn_newmark *n = &d->newmark;
  double change = 0.0, previous = 0.0;
  for (int iteration = 1;; iteration++) {
    int worst;
    hn_newmark_advance(solver, n, h);
    hn_system_jacobian(s, n->trial);
    if (iteration == 1) set_springs(solver, h);
    const double residual = spring_residual(solver, h, &worst);
    if (iteration > 1 && change <= d->newton_tolerance) return HN_CONVERGED;
    if (iteration > d->iterations || !isfinite(residual) || !(change < HUGE_RESIDUAL))
      return hn_step_stalled(solver, "Newton iteration", worst, change, iteration);
    hn_newmark_defect(solver, n);
    hn_reason reason = HN_CONVERGED;
    if (iteration == 1 || (iteration > 2 && change > slow_reduction * previous)) reason = factor(solver);
    if (reason != HN_CONVERGED) return hn_step_failed(solver, reason, "factorisation of K", -1, 0.0);
    for (int i = 0; i < s->model->nrow; i++) n->p[i] = -d->e[i] / d->B[i] - n->p[i];
    reason = hn_system_solve(s, n->p, n->p);
    if (reason != HN_CONVERGED)
      return hn_step_failed(solver, reason, "solution of Newton's equations", -1, 0.0);
    previous = change;
    change = hn_newmark_moves(n, h) * hn_newmark_correct(solver, n);
    solver->report.position_iterations = iteration;
  }
}

/* Adds the slip of the step. The biases are those of its end. */
static void add_slip(hn_solver *solver, double h)
{
  penalty *d = solver->data;
  hn_system *s = solver->system;
  for (int j = 0; j < s->nblock && s->model->needs & HN_CAN_VELOCITY; j++) {
    const hn_block *block = &s->block[j];
    if (!block->joint->type->velocity) continue;
    hn_system_block_velocity(s, j, d->newmark.trial, d->e);
    for (int r = 0; r < block->n; r++) d->slip[block->row + r] += h * d->e[r];
  }
}

static hn_reason step(hn_solver *solver, hn_state *state, double h)
{
  penalty *d = solver->data;
  hn_newmark *n = &d->newmark;
  hn_reason reason = hn_newmark_begin(n, state) ? HN_CONVERGED : start(solver, h);
  if (reason != HN_CONVERGED) return reason;
  hn_newmark_predict(n, h);
  reason = solve_step(solver, h);
  if (reason != HN_CONVERGED) return reason;
  solver->report.residual = hn_system_residual(solver->system, n->trial, NULL);
  add_slip(solver, h);
  hn_newmark_end(n, state);
  memcpy(solver->multipliers, n->lambda, sizeof *n->lambda * (size_t)solver->system->model->nrow);
  return HN_CONVERGED;
}

const hn_solver_type hn_solver_penalty = {
  .abi = HN_ABI,
  .name = "penalty",
  .summary = "penalties: joints as springs and dampers of given stiffness, integrated implicitly",
  .citation = "Bayo, Garcia de Jalon, Serna 1988; Chung and Hulbert 1993",
  .capabilities = HN_CAN_BILATERAL | HN_CAN_REDUNDANT | HN_CAN_COMPLIANT | HN_HAS_MULTIPLIERS |
                  HN_CAN_VELOCITY | HN_CAN_EXTRA_FORCES | HN_IS_MULTISTEP,
  .order = 2,
  .data_size = sizeof(penalty),
  .params = params,
  .setup = setup,
  .step = step,
  .reset = reset,
  .memory = memory,
  .order_of = order_of,
};
