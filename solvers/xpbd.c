/* xpbd.c - extended position-based dynamics: positions are corrected joint by joint, velocities follow from
 * them.
 *
 *   a substep h = H / substeps:
 *     u += h a;  lambda := 0;  rows of velocities: u += W G_i' p / h,  p = -h K_ii^-1 G_i u, projected
 *     x += h v;  q := (1, h w / 2) q                    a: acceleration without joints; semi-implicit Euler
 *     iterations times, joint by joint, with G and K_ii = G_i W G_i' at the present poses:
 *       p = -(K_ii + c / h^2)^-1 (g_i + c lambda_i / h^2);  lambda_i += p;  (x, q) moves by W G_i' p
 *     v := (x - x_before) / h;  w := 2 d.xyz / (h d.w),  d = q q_before^-1
 *     rows of velocities again, and limits with lambda > 0
 *
 * c is the compliance of every row; lambda is projected onto the set of the row. Rows of velocities solved
 * only at the end would creep: friction would let a load slip by a h^2 in every substep. Limits not solved
 * there would rebound from the error that a sweep has left.
 *
 * Contacts with friction: g_i is the gap and the slip since the start of the substep, and lambda_i satisfies
 * Coulomb's law with them and all others fixed; the velocity sweeps use the same law for the whole lambda. No
 * impulse is kept, so the error of a sweep in the friction becomes displacement: a sticking contact creeps by
 * a part of h times its unconstrained acceleration. For a cube at 95 % of its friction this is 1.8e-3 m/s of
 * 2.1e-3, and 8e-6 with 20 iterations. Sweeps over the contacts alternate in direction; in one direction they
 * push stacks over. A stack of ten cubes stands with 5 iterations, not with 1.
 *
 * Order 1 in h, and so in H, for any number of iterations: the error of a sweep is corrected again in the
 * next substep. This does not hold for an impact through several bodies, as it falls into one substep
 * however short that is. It gets `iterations` sweeps over the contacts; if there are joints, with these and
 * substeps * iterations sweeps. The residual at the end of a substep tends to (I - S)^-1 S K lambda h^2 with
 * S the error of one sweep: O(h^2), without growth. S is near 1 in long chains, where the asymptotic range
 * begins at small h. More iterations at a fixed h converge to semi-implicit Euler with closed joints, which
 * is still of order 1. Semi-implicit Euler with velocities from positions damps: energy errors of order h.
 * Momentum is conserved to round-off, angular momentum to order 1. Redundant rows are allowed. Cost:
 * substeps * iterations residuals and Jacobians a joint. Only + - * / and square roots. [macklin2016, eqs 17
 * and 18; mueller2020, algorithm 2; macklin2019 for one iteration a substep] We differ: all rows of a joint
 * are solved together. Friction acts at positions up to the cone, where the source applies all of a sticking
 * impulse or nothing, and at velocities up to the whole normal impulse, impacts included. d.xyz is divided
 * by d.w, so that free rotation is not damped by the difference of sine and arc. v is the sum of
 * displacements: x_after - x_before would lose digits. The multipliers lambda / h^2 (N, N m) are those of
 * the last substep. */
#include "timestepping/substep.h"
#include "impulse/block_impulse.h"
#include "event/contact_impulses.h"
#include "base/small.h"
#include "base/vec.h"
#include "registry/solver_arrays.h"
#include "registry/step_doubling.h"

#include <string.h>

typedef struct xpbd {
  int substeps, iterations;
  bool backward;          /* direction of the sweeps over contacts */
  double compliance;      /* m/N, rad/(N m) */
  double error_tolerance; /* m */
  hn_twist *acceleration; /* [nbody] */
  hn_state *before;       /* poses at the start of the substep */
  hn_state *shift;        /* scratch: its twists are displacements */
  double *lambda;         /* [max_rows] of this substep, N s^2 */
} xpbd;

static const hn_param params[] = {
  { "substeps", HN_INTEGER, offsetof(xpbd, substeps), "20", 1, 1e6, "", NULL, "parts of a step" },
  { "iterations", HN_INTEGER, offsetof(xpbd, iterations), "1", 1, 1e6, "", NULL,
    "sweeps over the joints a substep" },
  { "compliance", HN_REAL, offsetof(xpbd, compliance), "0", 0, 1e9, "m/N, rad/(N m)", NULL,
    "inverse stiffness of every joint; 0: rigid" },
  HN_ERROR_TOLERANCE_PARAM(xpbd, error_tolerance),
  { .key = NULL },
};

static int setup(hn_solver *solver, hn_error *error)
{
  xpbd *d = solver->data;
  if (hn_substep_check(solver, d->substeps, "iterations", d->iterations, error) ||
      hn_doubling_setup(solver, d->error_tolerance, false, error))
    return -1;
  return hn_solver_allocate(solver, error, HN_ARRAY(d->acceleration, solver->system->model->nbody),
                            HN_STATE(d->before), HN_STATE(d->shift),
                            HN_ARRAY(d->lambda, (size_t)solver->system->max_rows));
}

/* Moves BODY by its displacement in d->shift, and adds the displacement over h to its velocity. */
static void displace(hn_solver *solver, int body, double h, hn_state *state)
{
  const hn_twist *dx = &((xpbd *)solver->data)->shift->twist[body];
  hn_pose *pose = &state->pose[body];
  hn_body_kind kind = solver->system->model->body[body].kind;
  if (kind == HN_FIXED) return;
  vec_add(pose->x, pose->x, dx->v);
  vec_add_scaled(state->twist[body].v, 1.0 / h, dx->v);
  if (kind != HN_RIGID) return;
  const double turn[4] = { 1.0, 0.5 * dx->w[0], 0.5 * dx->w[1], 0.5 * dx->w[2] };
  quat_mul(pose->q, turn, pose->q);
  quat_normalise(pose->q);
}

/* Returns the block visited as number I of a sweep. Sweeps over the contacts alternate in direction: friction
 * would keep what sweeps in one direction displace. */
static int visited_block(const xpbd *d, const hn_system *s, int i)
{
  return d->backward && i >= s->model->njoint ? s->model->njoint + s->nblock - 1 - i : i;
}

/* Corrects block k at the present poses, as far as its compliance allows. */
static void solve_block(hn_solver *solver, int k, double h, hn_state *state)
{
  xpbd *d = solver->data;
  const hn_block *block = &solver->system->block[k];
  double g[HN_MAX_ROWS], p[HN_MAX_ROWS], K[HN_MAX_ROWS * HN_MAX_ROWS], *lambda = d->lambda + block->row;
  double softness = d->compliance / (h * h);
  int n = block->n;
  hn_system_block_step_residual(solver->system, k, d->before, state, h, g);
  hn_system_block_jacobian(solver->system, k, state);
  hn_system_block_diagonal(solver->system, k, K);
  for (int r = 0; r < n; r++) {
    K[r * n + r] += softness;
    g[r] += softness * lambda[r];
  }
  if (block->joint->set->kind == HN_CONE) {
    hn_block_solve_friction(solver->system, block, K, g, p, lambda);
  } else {
    ldl_factor_semidefinite(n, K);
    ldl_solve_semidefinite(n, K, g);
    for (int r = 0; r < n; r++) p[r] = -g[r];
    hn_block_add_projected(solver->system, block, h * h, p, lambda);
  }
  d->shift->twist[block->a] = d->shift->twist[block->b] = (hn_twist){ { 0 }, { 0 } };
  hn_system_block_apply(solver->system, k, p, d->shift);
  for (int r = 0; r < n; r++) p[r] /= h;
  hn_impulses_note_block(solver, k, state, p);
  displace(solver, block->a, h, state);
  displace(solver, block->b, h, state);
}

/* True if the velocities of a block are solved: a constraint on velocities, or a limit or contact with LAMBDA
 * > 0. The latter gets the target of its restitution, and loses the velocity due to the correction of its
 * penetration. */
static bool solves_velocity(const hn_block *block, double lambda)
{
  return block->joint->type->velocity || (hn_is_one_sided(block) && lambda > 0.0);
}

/* True if a block with an impact has pushed, and joints transmit it. Compliant ones are springs. */
static bool has_jointed_impact(const xpbd *d, const hn_system *s)
{
  if (d->compliance > 0.0 || s->model->njoint == 0 || !hn_system_has_targets(s)) return false;
  for (int k = 0; k < s->nblock; k++)
    if (hn_system_target(s, k) > 0.0 && d->lambda[s->block[k].row] > 0.0) return true;
  return false;
}

/* Sweeps over the velocities of these blocks. An impact on jointed bodies is solved with the velocities of
 * all joints, in as many sweeps as the whole step has: later substeps do not correct it. */
static void solve_velocities(hn_solver *solver, double h, hn_state *state)
{
  xpbd *d = solver->data;
  hn_system *s = solver->system;
  double p[HN_MAX_ROWS], v[HN_MAX_ROWS], K[HN_MAX_ROWS * HN_MAX_ROWS];
  if (!(s->model->needs & (HN_CAN_VELOCITY | HN_CAN_PUSH | HN_CAN_CONE))) return;
  const bool jointed = has_jointed_impact(d, s);
  const int sweeps = jointed ? d->iterations * d->substeps : d->iterations;
  for (int sweep = 0; sweep < sweeps && !hn_stopped(&s->stop); sweep++)
    for (int i = 0; i < s->nblock; i++) {
      const int k = visited_block(d, s, i);
      const hn_block *block = &s->block[k];
      double *lambda = d->lambda + block->row;
      if (!solves_velocity(block, *lambda) && !(jointed && !hn_is_one_sided(block))) continue;
      hn_system_block_jacobian(s, k, state);
      hn_system_block_diagonal(s, k, K);
      hn_system_block_velocity(s, k, state, v);
      if (block->joint->set->kind == HN_CONE) {
        for (int r = 0; r < block->n; r++) v[r] *= h;
        hn_block_solve_friction(s, block, K, v, p, lambda);
      } else {
        ldl_factor_semidefinite(block->n, K);
        ldl_solve_semidefinite(block->n, K, v);
        for (int r = 0; r < block->n; r++) p[r] = -h * v[r]; /* lambda is impulse times h */
        hn_block_add_projected(s, block, h * h, p, lambda);
      }
      for (int r = 0; r < block->n; r++) p[r] /= h;
      hn_system_block_apply(s, k, p, state);
      hn_impulses_note_block(solver, k, state, p);
    }
}

/* Takes one substep of h: velocities, drift, position sweeps, velocities from positions, velocities. */
static void substep(hn_solver *solver, double h, hn_state *state)
{
  xpbd *d = solver->data;
  hn_system *s = solver->system;
  hn_system_hold_all(s);
  memcpy(d->before->pose, state->pose, sizeof *state->pose * (size_t)state->nbody);
  hn_substep_kick(s, h, d->acceleration, state);
  memset(d->lambda, 0, sizeof *d->lambda * (size_t)s->nrow);
  solve_velocities(solver, h, state);
  hn_substep_drift(s, h, state);
  for (int sweep = 0; sweep < d->iterations && !hn_stopped(&s->stop); sweep++) {
    for (int i = 0; i < s->nblock; i++) {
      const int k = visited_block(d, s, i);
      if (!s->block[k].joint->type->velocity) solve_block(solver, k, h, state);
    }
    s->work.sweeps++;
  }
  for (int k = 0; k < s->nrotating; k++) {
    int i = s->rotating[k];
    hn_substep_angular_velocity(d->before->pose[i].q, state->pose[i].q, h, state->twist[i].w);
  }
  solve_velocities(solver, h, state);
}

static hn_reason step(hn_solver *solver, hn_state *state, double H)
{
  xpbd *d = solver->data;
  double h = H / d->substeps;
  int worst;
  for (int k = 0; k < d->substeps; k++) {
    hn_reason reason = k > 0 ? hn_system_begin(solver->system, state) : HN_CONVERGED;
    if (reason != HN_CONVERGED) return reason;
    d->backward = k % 2 == 1;
    substep(solver, h, state);
  }
  for (int i = 0; i < solver->system->nrow; i++) solver->multipliers[i] = d->lambda[i] / (h * h);
  hn_system_store_impulses(solver->system, solver->multipliers, H, state);
  solver->report.residual = hn_system_violation(solver->system, state, &worst);
  solver->report.position_iterations = d->substeps * d->iterations;
  if (!hn_state_finite(state))
    return hn_step_failed(solver, HN_NOT_FINITE, "substep", worst, solver->report.residual);
  return HN_CONVERGED;
}

const hn_solver_type hn_solver_xpbd = {
  .abi = HN_ABI,
  .name = "xpbd",
  .summary = "extended position-based dynamics in substeps, as in games",
  .citation = "Macklin, Mueller and Chentanez 2016; Mueller, Macklin, Chentanez, Jeschke and Kim 2020",
  .capabilities = HN_CAN_BILATERAL | HN_CAN_COMPLIANT | HN_CAN_REDUNDANT | HN_CAN_PUSH | HN_CAN_WITHIN |
                  HN_CAN_CONE | HN_CAN_BOUNCE | HN_CAN_VELOCITY | HN_CAN_CHANGE | HN_HAS_MULTIPLIERS |
                  HN_CAN_ANISOTROPIC,
  .order = 1,
  .data_size = sizeof(xpbd),
  .params = params,
  .setup = setup,
  .step = step,
};
