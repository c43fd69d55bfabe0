/* tgs_soft.c - temporal Gauss-Seidel with soft constraints: small steps, sequential impulses, warm starting.
 *
 *   a substep h = H / substeps; P_i is the accumulated impulse of joint i, kept from substep to substep:
 *     u += h a;  u += W G' P                                        a: acceleration without joints
 *     once, joint by joint:        p = -massScale K_ii^-1 (G_i u + biasRate g_i) - impulseScale P_i
 *     x += h v;  q := (1, h w / 2) q / |...|;  G, K_ii at the new poses
 *     relax times, joint by joint: p = -K_ii^-1 G_i u               each p: P_i += p, u += W G_i' p
 *   where a limit is open by g, both use G_i u + g_i / h instead, with g at the present poses;
 *   with omega = 2 pi hertz, zeta = damping_ratio:  a1 = 2 zeta + h omega,  a2 = h omega a1,
 *     biasRate = omega / a1,  massScale = a2 / (1 + a2),  impulseScale = 1 / (1 + a2)
 *
 * A contact with friction gets the P that satisfies Coulomb's law with all others fixed. The soft sweep uses
 * K_nn / massScale for K_nn and a bias along the normal alone. This P is stored with the contact, in the
 * state; contacts are detected in every substep. Impacts come last: blocks that have pushed are solved for
 * their targets, with friction, once; or with the joints, and the contacts that have pushed without a target,
 * in substeps * (1 + relax) sweeps.
 *
 * The first sweep is implicit Euler for a spring and damper in every row. The other sweeps remove the
 * velocity due to the springs, which would remain in u as energy with relax = 0. Order 1 in h, and so in H,
 * if the springs stiffen with the step: hertz = 0, a quarter of the substep rate. Under a load lambda a joint
 * then sags by K lambda / omega^2 = O(h^2), and a gap shrinks by a fixed factor in every substep. A fixed
 * hertz with relax = 0 does not converge to the mechanism: its limit, of order 1, has springs in the joints.
 * With relax > 0 and a fixed hertz, joints sag within the time 1 / (h omega^2), which tends to infinity: the
 * limit is the mechanism, but orders must not be fitted across. One sweep suffices because P needs to follow
 * only the change of the joint forces. In long chains the error of a sweep decays slowly, and the asymptotic
 * range begins at small h. Momentum is conserved to round-off, angular momentum to order 1. Redundant rows
 * are allowed. P is rescaled when the step size changes. Cost: a residual and a Jacobian a joint and 1 +
 * relax sweeps a substep. Only + - * / and roots. [catto2024, solver2d: solve_soft_step; catto2011 for the
 * three factors; Box2D 3] We differ: all rows of a joint are solved together, and gyroscopic terms are
 * included (explicitly). The multipliers P / h (N, N m) are those of the last substep. */
#include "timestepping/substep.h"
#include "impulse/block_impulse.h"
#include "impulse/pose_cache.h"
#include "event/contact_impulses.h"
#include "base/small.h"
#include "base/vec.h"
#include "registry/solver_arrays.h"
#include "registry/step_doubling.h"

#include <string.h>

typedef struct tgs_soft {
  int substeps, relax;
  double hertz; /* 1/s; 0: a quarter of the substep rate */
  double damping_ratio;
  double error_tolerance; /* m */
  hn_twist *acceleration; /* [nbody] */
  double *memory;         /* memory: the three arrays below, consecutive */
  double *impulse_step;   /* s: substep of the impulses P; 0: none yet */
  double *last;           /* [7 nbody] poses at the end of the last step */
  double *impulse;        /* [max_rows] P, N s */
  double *impact;         /* [max_rows] impulses with those of impacts, N s */
  double **block;         /* [max_blocks] factor of K_ii */
  hn_pose_cache cache;    /* poses of the Jacobians and blocks */
} tgs_soft;

/* Coefficients of a sweep. */
typedef struct softness {
  double bias_rate; /* 1/s */
  double mass_scale, impulse_scale;
} softness;

static const hn_param params[] = {
  { "substeps", HN_INTEGER, offsetof(tgs_soft, substeps), "4", 1, 1e6, "", NULL, "parts of a step" },
  { "hertz", HN_REAL, offsetof(tgs_soft, hertz), "0", 0, 1e9, "1/s", NULL,
    "frequency of the springs in the joints; 0: a quarter of the substep rate" },
  { "damping_ratio", HN_REAL, offsetof(tgs_soft, damping_ratio), "2", 0, 1e3, "", NULL,
    "damping of the springs in the joints; 1: critical" },
  { "relax", HN_INTEGER, offsetof(tgs_soft, relax), "1", 0, 1e6, "", NULL,
    "sweeps without springs at the end of a substep" },
  HN_ERROR_TOLERANCE_PARAM(tgs_soft, error_tolerance),
  { .key = NULL },
};

static int setup(hn_solver *solver, hn_error *error)
{
  tgs_soft *d = solver->data;
  const size_t bodies = (size_t)solver->system->model->nbody;
  if (hn_substep_check(solver, d->substeps, "relax", d->relax, error)) return -1;
  if (hn_solver_allocate(solver, error, HN_ARRAY(d->acceleration, bodies),
                         HN_ARRAY(d->impact, solver->system->max_rows),
                         HN_ARRAY(d->memory, 1 + 7 * bodies + (size_t)solver->system->max_rows)) ||
      hn_blocks_create(solver, &d->block, error))
    return -1;
  d->impulse_step = d->memory, d->last = d->memory + 1, d->impulse = d->last + 7 * bodies;
  if (hn_pose_cache_setup(solver, &d->cache, error)) return -1;
  return hn_doubling_setup(solver, d->error_tolerance, false, error);
}

static void reset(hn_solver *solver)
{
  tgs_soft *d = solver->data;
  memset(d->impulse, 0, sizeof *d->impulse * (size_t)solver->system->nrow);
  *d->impulse_step = 0.0;
  d->cache.valid = false;
}

static void *memory(hn_solver *solver, size_t *size)
{
  const hn_system *s = solver->system;
  *size = sizeof(double) * (1 + 7 * (size_t)s->model->nbody + (size_t)s->max_rows);
  return ((tgs_soft *)solver->data)->memory;
}

/* Computes Jacobians and factors of the diagonal blocks at the poses of STATE. */
static void prepare(hn_solver *solver, const hn_state *state)
{
  tgs_soft *d = solver->data;
  const hn_system *s = solver->system;
  if (hn_pose_cache_is_valid_at(&d->cache, state)) return;
  hn_system_jacobian(solver->system, state);
  for (int k = 0; k < s->nblock; k++) {
    hn_system_block_diagonal(s, k, d->block[k]);
    if (s->block[k].joint->set->kind != HN_CONE) ldl_factor_semidefinite(s->block[k].n, d->block[k]);
  }
  hn_pose_cache_store(&d->cache, state);
}

/* Returns the coefficients of the soft sweep for a substep of h. */
static softness soften(const tgs_soft *d, double h)
{
  const double two_pi = 6.283185307179586;
  double omega = two_pi * (d->hertz > 0 ? d->hertz : 0.25 / h);
  double a1 = 2.0 * d->damping_ratio + h * omega, a2 = h * omega * a1;
  return (
    softness){ .bias_rate = omega / a1, .mass_scale = a2 / (1.0 + a2), .impulse_scale = 1.0 / (1.0 + a2) };
}

static const softness rigid = { .bias_rate = 0.0, .mass_scale = 1.0, .impulse_scale = 0.0 };

/* Returns the coefficients of a block in a sweep of SOFT: open blocks may just close in the substep, rows of
 * velocities are rigid. */
static softness block_softness(const hn_block *block, softness soft, double h, const double *g)
{
  if (block->joint->type->velocity) return rigid;
  const bool open = hn_is_one_sided(block) && g[block->row] > 0;
  return open ? (softness){ 1.0 / h, 1.0, 0.0 } : soft;
}

/* Solves a contact with friction from its velocities V: soft along the normal, with K_nn / massScale for
 * K_nn. */
static void solve_friction(hn_solver *solver, int k, softness soft, const double *g, double *v, double *p,
                           double *P)
{
  const tgs_soft *d = solver->data;
  const hn_block *block = &solver->system->block[k];
  double K[9];
  memcpy(K, d->block[k], sizeof *K * (size_t)(block->n * block->n));
  const double compliance = K[0] * soft.impulse_scale / soft.mass_scale;
  K[0] += compliance;
  v[0] += soft.bias_rate * g[0] + compliance * P[0];
  hn_block_solve_friction(solver->system, block, K, v, p, P);
}

/* Solves block k, with accumulated impulse P, for the velocity TARGET of its first row. */
static void solve_block(hn_solver *solver, int k, softness soft, double h, const double *g, double target,
                        double *P, hn_state *state)
{
  tgs_soft *d = solver->data;
  hn_system *s = solver->system;
  const hn_block *block = &s->block[k];
  double p[HN_MAX_ROWS], v[HN_MAX_ROWS];
  hn_system_block_rates(s, k, state, v);
  v[0] -= target;
  if (block->joint->set->kind == HN_CONE) {
    solve_friction(solver, k, soft, g + block->row, v, p, P);
  } else {
    for (int r = 0; r < block->n; r++) v[r] += soft.bias_rate * g[block->row + r];
    ldl_solve_semidefinite(block->n, d->block[k], v);
    for (int r = 0; r < block->n; r++) p[r] = -soft.mass_scale * v[r] - soft.impulse_scale * P[r];
    hn_block_add_projected(s, block, h, p, P);
  }
  hn_system_block_apply(s, k, p, state);
  hn_impulses_note_block(solver, k, state, p);
}

/* Performs one sweep over all blocks; g are the residuals of the soft rows at the poses of STATE. */
static void sweep(hn_solver *solver, softness soft, double h, const double *g, hn_state *state)
{
  tgs_soft *d = solver->data;
  const hn_system *s = solver->system;
  for (int k = 0; k < s->nblock; k++)
    solve_block(solver, k, block_softness(&s->block[k], soft, h, g), h, g, 0.0, d->impulse + s->block[k].row,
                state);
  solver->system->work.sweeps++;
}

/* True if block K has an impact: it has pushed and has a target. */
static bool has_impact(const tgs_soft *d, const hn_system *s, int k)
{
  return hn_system_target(s, k) > 0.0 && d->impulse[s->block[k].row] > 0.0;
}

/* True if block K transmits impacts: a block that has pushed, or a joint, which without relaxation is a
 * spring. */
static bool transmits(const tgs_soft *d, const hn_system *s, int k)
{
  return hn_is_one_sided(&s->block[k]) ? d->impulse[s->block[k].row] > 0.0 : d->relax > 0;
}

/* Returns the number of sweeps for the impacts: those of a whole step, as later substeps do not correct them.
 * One if nothing else transmits them, 0 if there are none. */
static int count_impact_sweeps(const tgs_soft *d, const hn_system *s)
{
  int impacts = 0, others = 0;
  for (int k = 0; k < s->nblock; k++)
    if (has_impact(d, s, k)) impacts++;
    else others += transmits(d, s, k);
  return impacts == 0 ? 0 : others == 0 ? 1 : d->substeps * (1 + d->relax);
}

/* Computes impacts: blocks that have pushed reach the velocity of their restitution, and joints stay closed.
 * Their impulses are no start for the next substep, so P is unchanged. */
static void solve_impacts(hn_solver *solver, double h, hn_state *state)
{
  tgs_soft *d = solver->data;
  hn_system *s = solver->system;
  const int sweeps = count_impact_sweeps(d, s);
  memcpy(d->impact, d->impulse, sizeof *d->impact * (size_t)s->nrow);
  for (int i = 0; i < sweeps; i++)
    for (int k = 0; k < s->nblock; k++)
      if (transmits(d, s, k))
        solve_block(solver, k, rigid, h, s->g, hn_system_target(s, k), d->impact + s->block[k].row, state);
  for (int k = 0; k < s->nblock; k++)
    if (has_impact(d, s, k)) hn_system_clear_target(s, k);
}

static void substep(hn_solver *solver, double h, hn_state *state)
{
  tgs_soft *d = solver->data;
  hn_system *s = solver->system;
  prepare(solver, state);
  hn_system_hold_all(s);
  hn_substep_kick(s, h, d->acceleration, state);
  hn_system_apply(s, d->impulse, 1.0, state);
  hn_impulses_note(solver, state, d->impulse);
  hn_system_residual(s, state, NULL);
  sweep(solver, soften(d, h), h, s->g, state);
  hn_substep_drift(s, h, state);
  prepare(solver, state);
  if (s->model->needs & (HN_CAN_PUSH | HN_CAN_CONE))
    hn_system_residual(s, state, NULL); /* gaps have changed */
  for (int k = 0; k < d->relax && !hn_stopped(&s->stop); k++) sweep(solver, rigid, h, s->g, state);
  if (hn_system_has_targets(s))
    solve_impacts(solver, h, state); /* after all else, as they are no start of a sweep */
}

/* Divides the step of H into substeps. */
static hn_reason step(hn_solver *solver, hn_state *state, double H)
{
  tgs_soft *d = solver->data;
  double h = H / d->substeps;
  /* The state has the impulse of a whole step. */
  const double scale = (*d->impulse_step > 0 ? h / *d->impulse_step : 1.0) / d->substeps;
  int nrow = solver->system->nrow, worst;
  /* STATE is not the end of the last step */
  if (!hn_same_poses(state, (const hn_pose *)d->last)) reset(solver);
  if (*d->impulse_step > 0 && *d->impulse_step != h)
    for (int i = 0; i < nrow; i++) d->impulse[i] *= h / *d->impulse_step;
  *d->impulse_step = h;
  for (int k = 0; k < d->substeps; k++) {
    hn_reason reason = k > 0 ? hn_system_begin(solver->system, state) : HN_CONVERGED;
    if (reason != HN_CONVERGED) return reason;
    /* Contacts may have other rows than before: restore their impulses from the state. */
    hn_system_load_impulses(solver->system, state, k > 0 ? 1.0 : scale, d->impulse);
    substep(solver, h, state);
    hn_system_store_impulses(solver->system, d->impulse, 1.0, state);
  }
  memcpy(d->last, state->pose, sizeof *state->pose * (size_t)state->nbody);
  for (int i = 0; i < solver->system->nrow; i++) solver->multipliers[i] = d->impulse[i] / h;
  hn_system_store_impulses(solver->system, d->impulse, d->substeps, state);
  solver->report.residual = hn_system_violation(solver->system, state, &worst);
  solver->report.position_iterations = d->substeps;
  solver->report.velocity_iterations = d->substeps * d->relax;
  if (!hn_state_finite(state))
    return hn_step_failed(solver, HN_NOT_FINITE, "substep", worst, solver->report.residual);
  return HN_CONVERGED;
}

const hn_solver_type hn_solver_tgs_soft = {
  .abi = HN_ABI,
  .name = "tgs-soft",
  .summary = "temporal Gauss-Seidel with soft constraints and warm starting, as in games",
  .citation = "Catto 2024 (solver2d, Box2D 3); Catto 2011 (soft constraints)",
  .capabilities = HN_CAN_BILATERAL | HN_CAN_COMPLIANT | HN_CAN_REDUNDANT | HN_CAN_PUSH | HN_CAN_WITHIN |
                  HN_CAN_CONE | HN_CAN_BOUNCE | HN_CAN_VELOCITY | HN_CAN_CHANGE | HN_HAS_MULTIPLIERS |
                  HN_CAN_ANISOTROPIC,
  .order = 1,
  .data_size = sizeof(tgs_soft),
  .params = params,
  .setup = setup,
  .step = step,
  .reset = reset,
  .memory = memory,
};
