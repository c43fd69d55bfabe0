/* avbd.c - augmented vertex block descent: implicit Euler as a minimisation, body by body.
 *
 *   a step h:  u* = u + h a,  start at u* or less far (below);  repeat `iterations` times
 *     for each body, in scene order, with G and C at the present poses:
 *       f = M (u* - u) / h + sum G' F,   H = M / h^2 + sum G' k' G + D,   H dx = f by LDL'
 *       (x, q) moves by dx;  v += dx / h,  w := 2 d.xyz / (h d.w),  d = q q_before^-1
 *     for each joint or contact:  lambda := F;  k := min(k + beta |C|, k_max) in rows inside their bounds
 *   F = P(lambda - k C),  C = g - alpha g_before;  rows of velocities: C = h (G u + bias)
 *   next step:  lambda *= warm_start,  k := max(gamma k, k_min)
 *
 * The law: a solution has M (u+ - u*) = h G' lambda, and lambda = P(lambda - k C) in every row. This means C
 * = 0 for joints, 0 <= C _|_ lambda >= 0 for limits and gaps, and a box for bounded rows. A contact has
 * Coulomb's law exactly, with the slip since the start of the step: P limits the friction to mu F_n, with the
 * normal force of the same contact, and is no projection onto the cone. Errors at the start, penetration
 * included, decay by alpha a step. Impacts are plastic: restitution is refused, as the source has no law for
 * it. So are rolling and torsional friction.
 *
 * Order 1 if the iterations solve the step: semi-implicit Euler with velocities from positions, damped by
 * energy errors of order h. The start k_min is `stiffness` in units of the effective mass over h^2, so that
 * a sweep reduces the error by a factor independent of h; joints are open by O(h^2) without growth. With few
 * iterations forces converge more slowly: order 0.77 of the double pendulum with 10. A heavy load on a light
 * chain needs k of the load's mass over h^2: beta provides it over the steps. Momentum is conserved to the
 * error of the sweeps, as both sides of a joint see its force at different times. Redundant rows are
 * allowed. Cost: two residuals and Jacobians a joint and iteration, a 6 x 6 factor a body. Only + - * / and
 * roots. [giles2025; chen2024 for block descent] We differ: k_min and k_max are relative. The source
 * multiplies lambda by alpha gamma at the start of a step. Iterations that do not restore this part leave an
 * error independent of h: with 4 of them positions converge with order 0.31. So warm_start is 1. k' is k F /
 * (lambda - k C), so that a separated contact does not hold its body, nor friction at its bound. D, the
 * diagonal of the geometric stiffness, is |F| times the lever arm in all directions of rotation; the arm
 * follows from the rows, exactly for three orthogonal rows of one point. The inertial force is the change of
 * u, which for rotations is M (x - y) / h^2 up to O(h). The start moves by the fraction of a that the last
 * step realised. C of a contact is its gap, not its first-order expansion. */
#include "timestepping/substep.h"
#include "impulse/pose_cache.h"
#include "event/contact_impulses.h"
#include "base/small.h"
#include "base/vec.h"
#include "registry/solver_arrays.h"
#include "registry/step_doubling.h"

#include <string.h>

/* Stiffnesses of a contact, stored from step to step. */
typedef struct kept {
  uint64_t key;
  double k[3]; /* N/m */
} kept;

typedef struct avbd {
  int iterations;
  double alpha, beta, gamma; /* beta: N/m^2, N m/rad^2 */
  double warm_start;
  double stiffness, max_stiffness;
  double error_tolerance; /* m */
  hn_twist *acceleration; /* [nbody] */
  hn_twist *target;       /* [nbody] u* */
  hn_state *before;       /* poses and velocities at the start of the step */
  double *error;          /* [max_rows] alpha g_before */
  double *bound;          /* [max_rows] k_max, N/m, N m/rad */
  double *impulse;        /* [max_rows] h lambda, N s */
  /* blocks of body i: side[first[i]] to side[first[i + 1] - 1], each 2 k + the side of block k */
  int *first, *side;
  double *memory;    /* memory: the arrays below, consecutive */
  double *last_step; /* s; 0: none yet */
  double *last;      /* [7 nbody] poses at the end of the last step */
  double *rate;      /* [3 nbody] its change of velocity over h, m/s^2 */
  double *lambda;    /* [max_rows] N, N m */
  double *k;         /* [max_rows] N/m, N m/rad */
  double *nkept;     /* number of contacts in `contact` */
  kept *contact;     /* [max_blocks - njoint] ascending by key */
} avbd;

static const hn_param params[] = {
  { "iterations", HN_INTEGER, offsetof(avbd, iterations), "40", 1, 1e6, "", NULL,
    "sweeps over the bodies a step" },
  { "alpha", HN_REAL, offsetof(avbd, alpha), "0.95", 0, 1, "", NULL,
    "part of the errors at the start of a step that remains at its end" },
  { "beta", HN_REAL, offsetof(avbd, beta), "1e5", 0, 1e15, "N/m^2, N m/rad^2", NULL,
    "growth of the stiffness per error and iteration" },
  { "gamma", HN_REAL, offsetof(avbd, gamma), "0.99", 0, 1, "", NULL,
    "part of the stiffness from which the next step starts" },
  { "warm_start", HN_REAL, offsetof(avbd, warm_start), "1", 0, 1, "", NULL,
    "part of the force from which the next step starts; alpha gamma in the source" },
  { "stiffness", HN_REAL, offsetof(avbd, stiffness), "1", 1e-6, 1e6, "", NULL,
    "least stiffness, in units of the effective mass over the square of the step" },
  { "max_stiffness", HN_REAL, offsetof(avbd, max_stiffness), "1e6", 1, 1e12, "", NULL,
    "largest stiffness over the least" },
  HN_ERROR_TOLERANCE_PARAM(avbd, error_tolerance),
  { .key = NULL },
};

static size_t memory_length(const hn_system *s)
{
  const size_t contacts = (size_t)(s->max_blocks - s->model->njoint);
  return 2 + 10 * (size_t)s->model->nbody + 2 * (size_t)s->max_rows +
         contacts * sizeof(kept) / sizeof(double);
}

static int setup(hn_solver *solver, hn_error *error)
{
  avbd *d = solver->data;
  const hn_system *s = solver->system;
  const size_t bodies = (size_t)s->model->nbody, rows = (size_t)s->max_rows;
  if (hn_solver_allocate(solver, error, HN_ARRAY(d->acceleration, bodies), HN_ARRAY(d->target, bodies),
                         HN_STATE(d->before), HN_ARRAY(d->error, rows), HN_ARRAY(d->bound, rows),
                         HN_ARRAY(d->impulse, rows), HN_ARRAY(d->first, bodies + 1),
                         HN_ARRAY(d->side, 2 * (size_t)s->max_blocks), HN_ARRAY(d->memory, memory_length(s))))
    return -1;
  d->last_step = d->memory, d->last = d->memory + 1, d->rate = d->last + 7 * bodies;
  d->lambda = d->rate + 3 * bodies, d->k = d->lambda + rows, d->nkept = d->k + rows;
  d->contact = (kept *)(d->nkept + 1);
  return hn_doubling_setup(solver, d->error_tolerance, false, error);
}

static void reset(hn_solver *solver)
{
  avbd *d = solver->data;
  memset(d->memory, 0, sizeof *d->memory * memory_length(solver->system));
}

static void *memory(hn_solver *solver, size_t *size)
{
  *size = sizeof(double) * memory_length(solver->system);
  return ((avbd *)solver->data)->memory;
}

/* ---- Start of a step ---------------------------------------------------------------------------------- */

/* Lists the blocks of every body, in the order of blocks. */
static void list_blocks(avbd *d, const hn_system *s)
{
  const int nbody = s->model->nbody;
  memset(d->first, 0, sizeof *d->first * ((size_t)nbody + 1));
  for (int k = 0; k < s->nblock; k++) d->first[s->block[k].a + 1]++, d->first[s->block[k].b + 1]++;
  for (int i = 0; i < nbody; i++) d->first[i + 1] += d->first[i];
  for (int k = s->nblock - 1; k >= 0; k--) {
    d->side[--d->first[s->block[k].b + 1]] = 2 * k + 1;
    d->side[--d->first[s->block[k].a + 1]] = 2 * k;
  }
  for (int i = 0; i < nbody; i++) d->first[i] = d->first[i + 1];
  d->first[nbody] = 2 * s->nblock;
}

/* Sets the stiffnesses of contacts to those stored under their keys, 0 for new contacts. */
static void load_contacts(avbd *d, const hn_system *s)
{
  const int count = (int)*d->nkept;
  for (int k = s->model->njoint, i = 0; k < s->nblock; k++) {
    const hn_block *block = &s->block[k];
    while (i < count && d->contact[i].key < block->key) i++;
    const bool known = i < count && d->contact[i].key == block->key;
    for (int r = 0; r < block->n; r++) d->k[block->row + r] = known ? d->contact[i].k[r] : 0.0;
  }
}

static void store_contacts(avbd *d, const hn_system *s)
{
  const int njoint = s->model->njoint;
  *d->nkept = s->nblock - njoint;
  for (int k = njoint; k < s->nblock; k++) {
    kept *contact = &d->contact[k - njoint];
    *contact = (kept){ .key = s->block[k].key };
    memcpy(contact->k, d->k + s->block[k].row, sizeof(double) * (size_t)s->block[k].n);
  }
}

/* Bounds the stiffnesses of block K, and evaluates alpha times its errors at STATE: none in an open gap, in
 * slips and in rows of velocities. */
static void start_block(hn_solver *solver, int k, double h, const hn_state *state)
{
  avbd *d = solver->data;
  hn_system *s = solver->system;
  const hn_block *block = &s->block[k];
  const int n = block->n;
  double K[HN_MAX_ROWS * HN_MAX_ROWS], g[HN_MAX_ROWS] = { 0 };
  hn_system_block_jacobian(s, k, state);
  hn_system_block_diagonal(s, k, K);
  if (!block->joint->type->velocity) hn_system_block_residual(s, k, state, g);
  for (int r = 0; r < n; r++) {
    const int row = block->row + r;
    const double least = K[r * n + r] > 0.0 ? d->stiffness / (h * h * K[r * n + r]) : 0.0;
    const bool slip = block->joint->set->kind == HN_CONE && r > 0;
    d->bound[row] = d->max_stiffness * least;
    d->k[row] = fmin(fmax(d->gamma * d->k[row], least), d->bound[row]);
    d->error[row] = slip ? 0.0 : d->alpha * (hn_is_one_sided(block) ? fmin(g[r], 0.0) : g[r]);
  }
}

/* Starts forces and stiffnesses from those of the last step; the contacts' forces are in STATE. */
static void warm_start(hn_solver *solver, double h, const hn_state *state)
{
  avbd *d = solver->data;
  hn_system *s = solver->system;
  if (!hn_same_poses(state, (const hn_pose *)d->last)) reset(solver);
  const double last = *d->last_step > 0.0 ? *d->last_step : h;
  for (int i = 0; i < s->nrow; i++) d->lambda[i] *= d->warm_start;
  hn_system_load_impulses(s, state, d->warm_start / last, d->lambda);
  load_contacts(d, s);
  for (int k = 0; k < s->nblock; k++) start_block(solver, k, h, state);
  list_blocks(d, s);
}

/* Reduces the free acceleration in the velocities of STATE to the part that the last step realised. */
static void start_velocities(const avbd *d, double h, hn_state *state)
{
  for (int i = 1; i < state->nbody; i++) {
    const double *a = d->acceleration[i].v, square = vec_dot(a, a);
    if (!(*d->last_step > 0.0) || !(square > 0.0)) continue;
    const double part = fmin(fmax(vec_dot(d->rate + 3 * (size_t)i, a) / square, 0.0), 1.0);
    vec_add_scaled(state->twist[i].v, (part - 1.0) * h, a);
  }
}

/* ---- Forces ------------------------------------------------------------------------------------------- */

/* Projects the trial force F[n] onto the set of BLOCK. A contact's friction gets the bound mu F_n. */
static void project(const hn_block *block, double *F)
{
  const hn_set *set = block->joint->set;
  if (set->kind == HN_ANY) return;
  if (set->kind != HN_CONE) {
    hn_set_project(set, block->n, 1.0, F);
    return;
  }
  F[0] = fmax(F[0], 0.0);
  const double bound = set->mu * F[0], slip = norm_of(F + 1, block->n - 1);
  if (slip > bound)
    for (int r = 1; r < block->n; r++) F[r] *= bound / slip;
}

/* Computes errors C[n], forces F[n] and effective stiffnesses of block K, with its Jacobian at STATE. */
static void evaluate(hn_solver *solver, int k, double h, const hn_state *state, double *C, double *F,
                     double *effective)
{
  const avbd *d = solver->data;
  hn_system *s = solver->system;
  const hn_block *block = &s->block[k];
  const double *stiffness = d->k + block->row;
  double trial[HN_MAX_ROWS];
  hn_system_block_jacobian(s, k, state);
  if (block->joint->type->velocity) hn_system_block_rates(s, k, state, C);
  else hn_system_block_step_residual(s, k, d->before, state, h, C);
  for (int r = 0; r < block->n; r++) {
    C[r] = block->joint->type->velocity ? h * C[r] : C[r] - d->error[block->row + r];
    F[r] = trial[r] = d->lambda[block->row + r] - stiffness[r] * C[r];
  }
  project(block, F);
  for (int r = 0; r < block->n; r++)
    effective[r] = F[r] == trial[r] ? stiffness[r] : stiffness[r] * fmin(fmax(F[r] / trial[r], 0.0), 1.0);
}

/* Adds the geometric stiffness of forces F, at the lever arm r of SIDE of a block with Jacobian G, to the
 * diagonal of H. The squares of the moments r x n of unit vectors n sum to 2 |r|^2, in a plane to |r|^2. */
static void add_geometric(bool planar, int n, const double *G, int side, const double *F, double *H)
{
  const double share = planar ? 1.0 : 0.5;
  double arm = 0.0, force[3] = { 0 };
  for (int r = 0; r < n; r++) {
    double linear[3], angular[3];
    for (int i = 0; i < 3; i++)
      linear[i] = G[(6 * side + i) * n + r], angular[i] = G[(6 * side + 3 + i) * n + r];
    if (vec_dot(linear, linear) > 0.0) arm += share * vec_dot(angular, angular);
    vec_add_scaled(force, F[r], linear);
  }
  for (int i = 3; i < 6; i++) H[7 * i] += sqrt(arm) * vec_norm(force);
}

/* Adds the force of one side of block K to f[6], and its stiffness to H. */
static void add_block(hn_solver *solver, int k, int side, double h, const hn_state *state, double *H,
                      double *f)
{
  const hn_block *block = &solver->system->block[k];
  const double *G = solver->system->G + 12 * block->row;
  const int n = block->n;
  double C[HN_MAX_ROWS], F[HN_MAX_ROWS], effective[HN_MAX_ROWS];
  evaluate(solver, k, h, state, C, F, effective);
  for (int r = 0; r < n; r++)
    for (int i = 0; i < 6; i++) {
      const double Gi = G[(6 * side + i) * n + r];
      f[i] += Gi * F[r];
      for (int j = 0; j < 6; j++) H[6 * i + j] += Gi * effective[r] * G[(6 * side + j) * n + r];
    }
  if (!block->joint->type->velocity) add_geometric(solver->system->model->planar, n, G, side, F, H);
}

/* ---- Sweeps ------------------------------------------------------------------------------------------- */

/* Adds the inertial force of body I to f[6] and M / h^2 to H. */
static void add_inertia(hn_solver *solver, int i, double h, const hn_state *state, double *H, double *f)
{
  const avbd *d = solver->data;
  const hn_body *body = &solver->system->model->body[i];
  const hn_twist *u = &state->twist[i];
  double R[9], J[9], w[3];
  quat_matrix(R, state->pose[i].q);
  mat_congruence(J, R, body->J);
  vec_sub(w, d->target[i].w, u->w);
  mat_vec(f + 3, J, w);
  for (int r = 0; r < 3; r++) {
    f[r] = body->mass * (d->target[i].v[r] - u->v[r]) / h, f[3 + r] /= h;
    H[7 * r] = body->mass / (h * h);
    for (int c = 0; c < 3; c++) H[6 * (3 + r) + 3 + c] = J[3 * r + c] / (h * h);
  }
}

/* Decouples the rotations that body has not: all of a particle, those out of the plane of a planar body. */
static void fix_rotations(const hn_body *body, double *H, double *f)
{
  for (int i = 3; i < 6; i++) {
    if (body->kind == HN_RIGID && body->inv_J[i - 3] > 0.0) continue;
    for (int j = 0; j < 6; j++) H[6 * i + j] = H[6 * j + i] = 0.0;
    H[7 * i] = 1.0, f[i] = 0.0;
  }
}

/* Moves body I by DX; its velocity is the displacement since the start of the step over h. */
static void displace(const hn_solver *solver, int i, const double dx[6], double h, hn_state *state)
{
  const avbd *d = solver->data;
  hn_pose *pose = &state->pose[i];
  vec_add(pose->x, pose->x, dx);
  vec_add_scaled(state->twist[i].v, 1.0 / h, dx);
  if (solver->system->model->body[i].kind != HN_RIGID) return;
  const double turn[4] = { 1.0, 0.5 * dx[3], 0.5 * dx[4], 0.5 * dx[5] };
  quat_mul(pose->q, turn, pose->q);
  quat_normalise(pose->q);
  hn_substep_angular_velocity(d->before->pose[i].q, pose->q, h, state->twist[i].w);
}

/* Minimises over the pose of body I, all others fixed: one Newton step. */
static void solve_body(hn_solver *solver, int i, double h, hn_state *state)
{
  const avbd *d = solver->data;
  const hn_body *body = &solver->system->model->body[i];
  double H[36] = { 0 }, f[6];
  if (body->kind == HN_FIXED) return;
  add_inertia(solver, i, h, state, H, f);
  for (int e = d->first[i]; e < d->first[i + 1]; e++)
    add_block(solver, d->side[e] / 2, d->side[e] % 2, h, state, H, f);
  fix_rotations(body, H, f);
  ldl_factor_semidefinite(6, H);
  ldl_solve_semidefinite(6, H, f);
  displace(solver, i, f, h, state);
}

/* Updates forces and stiffnesses: these grow with the errors of rows inside their bounds. */
static void update_forces(hn_solver *solver, double h, const hn_state *state)
{
  avbd *d = solver->data;
  const hn_system *s = solver->system;
  double C[HN_MAX_ROWS], F[HN_MAX_ROWS], effective[HN_MAX_ROWS];
  for (int k = 0; k < s->nblock; k++) {
    evaluate(solver, k, h, state, C, F, effective);
    for (int r = 0; r < s->block[k].n; r++) {
      const int row = s->block[k].row + r;
      d->lambda[row] = F[r];
      if (effective[r] == d->k[row]) d->k[row] = fmin(d->k[row] + d->beta * fabs(C[r]), d->bound[row]);
    }
  }
  solver->system->work.sweeps++;
}

/* Stores all from which the next step starts. */
static void store(hn_solver *solver, double h, const hn_state *state)
{
  avbd *d = solver->data;
  const size_t nbody = (size_t)state->nbody;
  *d->last_step = h;
  memcpy(d->last, state->pose, sizeof *state->pose * nbody);
  for (size_t i = 0; i < nbody; i++) {
    vec_sub(d->rate + 3 * i, state->twist[i].v, d->before->twist[i].v);
    vec_scale(d->rate + 3 * i, 1.0 / h, d->rate + 3 * i);
  }
  store_contacts(d, solver->system);
}

static hn_reason step(hn_solver *solver, hn_state *state, double h)
{
  avbd *d = solver->data;
  hn_system *s = solver->system;
  int worst;
  hn_system_hold_all(s);
  warm_start(solver, h, state);
  memcpy(d->before->pose, state->pose, sizeof *state->pose * (size_t)state->nbody);
  memcpy(d->before->twist, state->twist, sizeof *state->twist * (size_t)state->nbody);
  hn_substep_kick(s, h, d->acceleration, state);
  memcpy(d->target, state->twist, sizeof *state->twist * (size_t)state->nbody);
  start_velocities(d, h, state);
  hn_substep_drift(s, h, state);
  for (int sweep = 0; sweep < d->iterations && !hn_stopped(&s->stop); sweep++) {
    for (int i = 1; i < state->nbody; i++) solve_body(solver, i, h, state);
    update_forces(solver, h, state);
  }
  store(solver, h, state);
  for (int i = 0; i < s->nrow; i++) solver->multipliers[i] = d->lambda[i], d->impulse[i] = h * d->lambda[i];
  hn_impulses_note(solver, state, d->impulse);
  hn_system_store_impulses(s, d->impulse, 1.0, state);
  solver->report.residual = hn_system_violation(s, state, &worst);
  solver->report.position_iterations = d->iterations;
  if (!hn_state_finite(state))
    return hn_step_failed(solver, HN_NOT_FINITE, "step", worst, solver->report.residual);
  return HN_CONVERGED;
}

const hn_solver_type hn_solver_avbd = {
  .abi = HN_ABI,
  .name = "avbd",
  .summary = "augmented vertex block descent: implicit Euler body by body, as in games",
  .citation = "Giles, Diaz and Yuksel 2025; Chen, Liu, Yang and Yuksel 2024 (vertex block descent)",
  .capabilities = HN_CAN_BILATERAL | HN_CAN_COMPLIANT | HN_CAN_REDUNDANT | HN_CAN_PUSH | HN_CAN_WITHIN |
                  HN_CAN_CONE | HN_CAN_VELOCITY | HN_CAN_CHANGE | HN_HAS_MULTIPLIERS,
  .order = 1,
  .data_size = sizeof(avbd),
  .params = params,
  .setup = setup,
  .step = step,
  .reset = reset,
  .memory = memory,
};
