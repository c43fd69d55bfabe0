/* impulse_gs.c - impulse method, joint by joint (Gauss-Seidel).
 *
 *   sweep over joints i:  predict its two bodies;  K_ii p = -relaxation g_i / h;  u += W G_i' p  at t
 *   then move, and        K_ii p = -relaxation G_i u;  u += W G_i' p                             at t + h
 *
 * The first line is the joint correction, the second the velocity correction; each is repeated until a whole
 * sweep finds every joint within tolerance. Order 2; no drift beyond the tolerances. Redundant constraints
 * are allowed. If they are redundant only where the joints are satisfied, the joint correction is continued
 * until the velocity correction converges. Cost of a sweep: a flight of two bodies and a residual a joint;
 * the number of sweeps grows with the length of the chains of joints. `sweeps` interrupts both corrections
 * after that many sweeps (the anytime property); the residual left is part of the record. Uses only + - * /
 * and square roots, so all compilers give the same bits. With the exact flight this holds while no body turns
 * by more than a radian in a step; beyond, sines of the library are used.
 *
 * Contacts with friction are blocks of the same sweeps: each gets the impulse that satisfies Coulomb's law
 * with all others fixed. The joint correction uses the gap at t + h and the slip over the step, both divided
 * by h. The velocity correction uses the rates at t + h, less the targets of restitution, for the sum of
 * both impulses. Contacts keep their normal of the start of the step, fixed to a body. On flat faces and
 * planes uniform sliding and rolling are exact, and the position of stopping has an error of h^2; between
 * two curved bodies, and over edges, the order is 1. An impact reduces it, too. bender2005 has such sweeps
 * without friction and with Poisson's impact law; here the law is Newton's. Stacks need many sweeps, and can
 * stagnate. [schmitt2005, eqs 2.6 and 2.7; bender2005, section 4; bender2006, eqs 6 and 7] The relaxation
 * (SOR) is ours. */
#include "impulse/step_control.h"
#include "impulse/block_impulse.h"
#include "impulse/correction.h"
#include "impulse/pose_cache.h"
#include "impulse/step_halving.h"
#include "impulse/force_impulse.h"
#include "timestepping/stagnation.h"
#include "contact.h"
#include "event/contact_impulses.h"
#include "base/small.h"
#include "base/vec.h"
#include "registry/solver_arrays.h"
#include "registry/step_doubling.h"

#include <math.h>
#include <string.h>

/* A retry of the step uses a smaller joint tolerance. The conflict of redundant rows decreases in proportion;
 * if it does not even halve, it has another cause. */
static const double tolerance_factor = 0.1, required_decrease = 0.5;

typedef struct impulse_gs {
  double tolerance;          /* m, rad */
  double velocity_tolerance; /* m/s, rad/s */
  int iterations;            /* limit of sweeps of one correction */
  int sweeps;                /* 0: until the tolerance */
  double relaxation;
  double error_tolerance;  /* m, at the end of the run */
  int velocity_correction; /* flag */
  hn_flight_options flight;
  hn_halving halving;
  hn_step_control control;
  hn_kick kick;
  double *impulse;        /* [max_rows] impulses of the step on rows with a set; NULL for equations only */
  double *joint_impulse;  /* [max_rows] their part due to the joint correction */
  bool *open;             /* [max_blocks] limits and contacts that are open after the move */
  hn_state *trial;        /* prediction at t + h */
  bool *stale;            /* [nbody] the prediction is older than the velocity */
  hn_pose_cache cache;    /* poses of the Jacobians and blocks */
  double h;               /* s: step in progress */
  double joint_tolerance; /* m, rad: joint error allowed in this step; `tolerance` or less */
  double rate_tolerance;  /* m/s, rad/s: `velocity_tolerance`, or the rounding error of the velocities */
  hn_state *start;        /* state at the start of the step, after the joint correction */
  bool patient;           /* the velocity correction may stagnate up to the limit of sweeps */
  bool stagnates;         /* the velocity correction of the last try stagnated */
  double stagnant;        /* m/s, rad/s: its residual then */
  double **block;         /* [max_blocks] factor of K_ii */
  int noted;              /* mark of the impulses noted before the step */
} impulse_gs;

static const hn_param params[] = {
  { "tolerance", HN_REAL, offsetof(impulse_gs, tolerance), "1e-9", 1e-16, 1, "m, rad", NULL,
    "joint error allowed after the joint correction" },
  { "velocity_tolerance", HN_REAL, offsetof(impulse_gs, velocity_tolerance), "1e-9", 1e-16, 1, "m/s, rad/s",
    NULL, "joint velocity error allowed after the velocity correction" },
  { "iterations", HN_INTEGER, offsetof(impulse_gs, iterations), "100000", 1, 1e9, "", NULL,
    "limit of sweeps of each correction" },
  { "sweeps", HN_INTEGER, offsetof(impulse_gs, sweeps), "0", 0, 1e9, "", NULL,
    "interrupt each correction after this many sweeps; 0: never" },
  { "relaxation", HN_REAL, offsetof(impulse_gs, relaxation), "1", 0.01, 1.99, "", NULL,
    "factor on every impulse; above 1: over-relaxation" },
  HN_VELOCITY_CORRECTION_PARAM(impulse_gs, velocity_correction),
  HN_FLIGHT_PARAMS(impulse_gs, flight, "exact"),
  HN_HALVING_PARAM(impulse_gs, halving),
  HN_STEP_CONTROL_PARAM(impulse_gs, control),
  HN_ERROR_TOLERANCE_PARAM(impulse_gs, error_tolerance),
  { .key = NULL },
};

static int setup(hn_solver *solver, hn_error *error)
{
  impulse_gs *d = solver->data;
  const hn_model *model = solver->system->model;
  const size_t rows = (size_t)solver->system->max_rows;
  const bool has_sets = model->needs & (HN_CAN_PUSH | HN_CAN_WITHIN | HN_CAN_CONE);
  if (hn_solver_allocate(solver, error, HN_STATE(d->trial), HN_STATE(d->start),
                         HN_ARRAY(d->stale, model->nbody)) ||
      hn_blocks_create(solver, &d->block, error))
    return -1;
  if (has_sets &&
      hn_solver_allocate(solver, error, HN_ARRAY(d->impulse, rows), HN_ARRAY(d->joint_impulse, rows),
                         HN_ARRAY(d->open, solver->system->max_blocks)))
    return -1;
  if (hn_pose_cache_setup(solver, &d->cache, error)) return -1;
  if (hn_halving_setup(solver, &d->halving, error) || hn_kick_setup(solver, &d->kick, error)) return -1;
  if (hn_step_control_setup(solver, &d->control, &d->flight, d->error_tolerance, error)) return -1;
  if (hn_system_use_flight(solver->system, &d->flight, error)) return -1;
  return hn_doubling_setup(solver, d->error_tolerance, false, error);
}

static void reset(hn_solver *solver)
{
  ((impulse_gs *)solver->data)->cache.valid = false;
}

/* Computes Jacobians and factors of the diagonal blocks at the poses of STATE. */
static hn_reason prepare(hn_solver *solver, const hn_state *state)
{
  impulse_gs *d = solver->data;
  const hn_system *s = solver->system;
  if (hn_pose_cache_is_valid_at(&d->cache, state)) return HN_CONVERGED;
  hn_system_jacobian(solver->system, state);
  d->cache.valid = false;
  for (int k = 0; k < s->nblock; k++) {
    hn_system_block_diagonal(s, k, d->block[k]);
    if (s->block[k].joint->set->kind == HN_CONE) continue;
    if (!ldl_factor(s->block[k].n, d->block[k]))
      return hn_step_failed(solver, HN_SINGULAR, "block of a joint", k, 0.0);
  }
  hn_pose_cache_store(&d->cache, state);
  return HN_CONVERGED;
}

/* Updates the predictions of the two bodies of a block. */
static void predict(hn_solver *solver, const hn_block *block, const hn_state *state, double h)
{
  impulse_gs *d = solver->data;
  int bodies[2], count = 0;
  if (d->stale[block->a]) bodies[count++] = block->a;
  if (d->stale[block->b]) bodies[count++] = block->b;
  if (count == 0) return;
  hn_system_flight_of(solver->system, bodies, count, state, h, d->trial);
  for (int k = 0; k < count; k++) d->stale[bodies[k]] = false;
}

/* Projects the accumulated impulse plus p[n] onto the set of the block, for a step of h. Replaces p by the
 * resulting change and returns the norm of p relative to its value before. */
static double project_impulse(hn_solver *solver, const hn_block *block, double h, double *p)
{
  double *total = ((impulse_gs *)solver->data)->impulse + block->row, next[HN_MAX_ROWS];
  double full_norm = norm_of(p, block->n);
  for (int r = 0; r < block->n; r++) next[r] = total[r] + p[r];
  hn_set_project(block->joint->set, block->n, h, next);
  for (int r = 0; r < block->n; r++) p[r] = next[r] - total[r];
  solver->system->work.projections++;
  return full_norm > 0.0 ? norm_of(p, block->n) / full_norm : 0.0;
}

/* Computes the impulse P of a contact with friction from RATE, in the joint correction the mean slip over the
 * step. Returns the change of the impulse as an error in the unit of NORM. */
static double find_friction_impulse(hn_solver *solver, int k, const double *rate, double norm, double *p)
{
  impulse_gs *d = solver->data;
  const hn_block *block = &solver->system->block[k];
  const double *K = d->block[k];
  double total[3], trace = 0.0, size = norm_of(rate, block->n);
  memcpy(total, d->impulse + block->row, sizeof *total * (size_t)block->n);
  hn_block_solve_friction(solver->system, block, K, rate, p, total);
  for (int r = 0; r < block->n; r++) trace += K[r * block->n + r];
  if (d->relaxation != 1.0) {
    for (int r = 0; r < block->n; r++) total[r] = d->impulse[block->row + r] + d->relaxation * p[r];
    hn_set_project(block->joint->set, block->n, 1.0, total);
    for (int r = 0; r < block->n; r++) p[r] = total[r] - d->impulse[block->row + r];
  }
  return size > 0.0 ? norm * (trace / block->n * norm_of(p, block->n) / size) : 0.0;
}

/* Computes the impulse P of block k: -relaxation K_kk^-1 RATE, or its projection onto the set. Returns the
 * error of the block: NORM, scaled by the part of the rate that P removes. */
static double find_impulse(hn_solver *solver, int k, const double *rate, double h, double norm, double *p)
{
  impulse_gs *d = solver->data;
  const hn_block *block = &solver->system->block[k];
  if (block->joint->set->kind == HN_CONE && !isnan(norm))
    return find_friction_impulse(solver, k, rate, norm, p);
  for (int r = 0; r < block->n; r++) p[r] = -d->relaxation * rate[r];
  ldl_solve(block->n, d->block[k], p);
  const bool equation = !d->impulse || block->joint->set->kind == HN_ANY;
  return equation || isnan(norm) ? norm : norm * project_impulse(solver, block, h, p);
}

/* Applies P to the bodies of block k and accumulates it. */
static void apply_impulse(hn_solver *solver, int k, const double *p, hn_state *state)
{
  impulse_gs *d = solver->data;
  const hn_block *block = &solver->system->block[k];
  if (d->impulse)
    for (int r = 0; r < block->n; r++) d->impulse[block->row + r] += p[r];
  hn_system_block_apply(solver->system, k, p, state);
}

/* Performs one sweep of the joint correction; returns the largest error and its block. */
static double sweep_positions(hn_solver *solver, hn_state *state, double h, int *worst)
{
  impulse_gs *d = solver->data;
  hn_system *s = solver->system;
  double largest = 0.0, g[HN_MAX_ROWS], p[HN_MAX_ROWS];
  *worst = -1;
  for (int k = 0; k < s->nblock; k++) {
    const hn_block *block = &s->block[k];
    predict(solver, block, state, h);
    double norm = hn_system_block_step_residual(s, k, state, d->trial, h, g);
    if (norm <= d->joint_tolerance && (!d->impulse || block->joint->set->kind == HN_ANY)) {
      if (norm > largest) largest = norm;
      continue;
    }
    for (int r = 0; r < block->n; r++) g[r] /= h;
    norm = find_impulse(solver, k, g, 0.5 * h, norm, p);
    if (norm > largest || isnan(norm)) largest = norm, *worst = k;
    if (isnan(largest)) break;
    if (norm <= d->joint_tolerance) continue;
    apply_impulse(solver, k, p, state);
    d->stale[block->a] = s->model->body[block->a].kind != HN_FIXED;
    d->stale[block->b] = s->model->body[block->b].kind != HN_FIXED;
  }
  s->work.sweeps++;
  return largest;
}

/* Performs one sweep of the velocity correction; returns the largest error and its block. */
static double sweep_velocities(hn_solver *solver, hn_state *state, double h, int *worst)
{
  impulse_gs *d = solver->data;
  hn_system *s = solver->system;
  double largest = 0.0, v[HN_MAX_ROWS], p[HN_MAX_ROWS];
  *worst = -1;
  for (int k = 0; k < s->nblock; k++) {
    if (d->open && d->open[k]) continue;
    double norm = hn_system_block_velocity(s, k, state, v);
    if (norm > d->rate_tolerance || isnan(norm)) norm = find_impulse(solver, k, v, h, norm, p);
    if (norm > largest || isnan(norm)) largest = norm, *worst = k;
    if (isnan(largest)) break;
    if (norm > d->rate_tolerance) apply_impulse(solver, k, p, state);
  }
  s->work.sweeps++;
  return largest;
}

/* Updates the predictions of all bodies whose velocity has changed. */
static void predict_all(hn_solver *solver, const hn_state *state, double h)
{
  impulse_gs *d = solver->data;
  for (int i = 0; i < state->nbody; i++) {
    if (!d->stale[i]) continue;
    hn_system_flight_of(solver->system, &i, 1, state, h, d->trial);
    d->stale[i] = false;
  }
}

/* Sweeps until every joint is within tolerance at t + h; leaves the prediction in d->trial. */
static hn_reason correct_joints(hn_solver *solver, hn_state *state, double h)
{
  impulse_gs *d = solver->data;
  hn_system_flight(solver->system, state, h, d->trial);
  memset(d->stale, 0, sizeof *d->stale * (size_t)state->nbody);
  for (int sweep = 0; d->sweeps == 0 || sweep < d->sweeps; sweep++) {
    int worst;
    if (hn_stopped(&solver->system->stop)) return HN_INTERRUPTED;
    double residual = sweep_positions(solver, state, h, &worst);
    solver->report.residual = residual;
    solver->report.position_iterations++;
    if (residual <= d->joint_tolerance) return HN_CONVERGED;
    if (sweep + 1 >= d->iterations || !(residual < HUGE_RESIDUAL))
      return hn_step_missed(solver, "tolerance", d->joint_tolerance,
                            hn_step_stalled(solver, "joint correction", worst, residual, sweep + 1));
  }
  predict_all(solver, state, h);
  int worst;
  solver->report.residual = hn_system_violation(solver->system, d->trial, &worst);
  return HN_CONVERGED;
}

/* Marks the limits and contacts that are open after the move. */
static void find_open_blocks(hn_solver *solver, const hn_state *state)
{
  impulse_gs *d = solver->data;
  hn_system *s = solver->system;
  for (int k = 0; k < s->nblock && d->impulse; k++) {
    double g[HN_MAX_ROWS];
    if (!hn_is_one_sided(&s->block[k])) continue;
    hn_system_block_residual(s, k, state, g);
    d->open[k] = !(g[0] <= d->tolerance);
  }
}

/* Resets the accumulated impulses to those of the joint correction. */
static void restore_joint_impulse(hn_solver *solver)
{
  impulse_gs *d = solver->data;
  if (d->impulse) memcpy(d->impulse, d->joint_impulse, sizeof *d->impulse * (size_t)solver->system->nrow);
}

/* Sweeps until every rate is within tolerance. Stops when the sweeps seem to stagnate, unless the step is
 * `patient`. */
static hn_reason correct_velocities(hn_solver *solver, void *user, hn_state *state)
{
  impulse_gs *d = user;
  hn_stagnation stagnation;
  restore_joint_impulse(solver);
  hn_stagnation_begin(&stagnation);
  for (int sweep = 0; d->sweeps == 0 || sweep < d->sweeps; sweep++) {
    int worst;
    if (hn_stopped(&solver->system->stop)) return HN_INTERRUPTED;
    double residual = sweep_velocities(solver, state, d->h, &worst);
    solver->report.velocity_iterations++;
    if (residual <= d->rate_tolerance) return HN_CONVERGED;
    if (d->sweeps == 0 && !d->patient &&
        hn_stagnates(&stagnation, sweep + 1, residual, d->rate_tolerance, d->iterations)) {
      d->stagnates = true, d->stagnant = residual;
      return HN_STALLED;
    }
    if (sweep + 1 >= d->iterations || !isfinite(residual))
      return hn_step_missed(solver, "velocity_tolerance", d->rate_tolerance,
                            hn_step_stalled(solver, "velocity correction", worst, residual, sweep + 1));
  }
  return HN_CONVERGED;
}

/* Notes the impulses on contacts of the velocity correction that ended at STATE. */
static void note_velocity_correction(hn_solver *solver, const hn_state *state)
{
  impulse_gs *d = solver->data;
  if (!d->impulse || !solver->impulses) return;
  for (int i = 0; i < solver->system->nrow; i++) d->joint_impulse[i] = d->impulse[i] - d->joint_impulse[i];
  hn_impulses_note(solver, state, d->joint_impulse);
}

/* Takes the step from the present velocities: those at its start, or those left by an earlier try. */
static hn_reason try_step(hn_solver *solver, hn_state *state, double h)
{
  impulse_gs *d = solver->data;
  d->stagnates = false;
  hn_reason reason = prepare(solver, state);
  if (reason == HN_CONVERGED) reason = correct_joints(solver, state, h);
  if (reason != HN_CONVERGED) return reason;
  hn_step_control_estimate(&d->control, solver, state, h);
  hn_impulses_take_back(solver, d->noted);
  if (d->impulse) hn_impulses_note(solver, state, d->impulse);
  hn_state_copy(d->start, state);
  hn_state_copy_motion(state, d->trial);
  if (!d->velocity_correction)
    return hn_kick_close(solver, &d->kick, state, 0.5 * h, 0.0, hn_skip_velocity_correction, d);
  reason = prepare(solver, state);
  if (reason != HN_CONVERGED) return reason;
  find_open_blocks(solver, state);
  if (d->impulse)
    memcpy(d->joint_impulse, d->impulse, sizeof *d->joint_impulse * (size_t)solver->system->nrow);
  reason = hn_kick_close(solver, &d->kick, state, 0.5 * h, d->rate_tolerance, correct_velocities, d);
  if (d->impulse) hn_system_store_impulses(solver->system, d->impulse, 1.0, state);
  if (reason == HN_CONVERGED) note_velocity_correction(solver, state);
  return reason;
}

/* Continues the joint correction to TOLERANCE, and repeats the rest of the step. */
static hn_reason retry(hn_solver *solver, hn_state *state, double h, double tolerance)
{
  impulse_gs *d = solver->data;
  d->joint_tolerance = tolerance;
  hn_state_copy(state, d->start);
  restore_joint_impulse(solver);
  return try_step(solver, state, h);
}

/* Takes a step. Redundant rows are dependent only where the joints are satisfied exactly: within the
 * tolerance their velocities conflict, in proportion to the residual, and the sweeps stagnate. The joint
 * correction is then continued to a smaller tolerance, as long as that reduces the conflict. If it does not,
 * there is no conflict, or one with another cause: the residual of sweeps can also rest for a while before
 * they converge. Only the limit of sweeps decides between these. */
static hn_reason whole_step(hn_solver *solver, hn_state *state, double h)
{
  impulse_gs *d = solver->data;
  double smallest = HUGE_VAL;
  hn_reason reason = prepare(solver, state);
  if (reason != HN_CONVERGED) return reason;
  d->h = h, d->joint_tolerance = d->tolerance, d->patient = false;
  d->noted = hn_impulses_mark(solver);
  hn_system_hold_all(solver->system);
  if (d->impulse) memset(d->impulse, 0, sizeof *d->impulse * (size_t)solver->system->nrow);
  hn_kick_open(solver, state, 0.5 * h);
  const double *velocities = (const double *)state->twist;
  d->rate_tolerance = hn_contact_tolerance(d->velocity_tolerance, velocities, 6 * state->nbody);
  reason = try_step(solver, state, h);
  while (reason == HN_STALLED && d->stagnates && d->stagnant < required_decrease * smallest) {
    smallest = d->stagnant;
    reason = retry(solver, state, h, tolerance_factor * d->joint_tolerance);
  }
  if (reason != HN_STALLED || smallest == HUGE_VAL) return reason;
  d->patient = true;
  return retry(solver, state, h, d->tolerance);
}

static hn_reason step(hn_solver *solver, hn_state *state, double h)
{
  impulse_gs *d = solver->data;
  return hn_divided_step(solver, &d->control, &d->halving, state, h, whole_step);
}

static unsigned capabilities_of(const hn_solver *solver)
{
  const impulse_gs *d = solver->data;
  return hn_impulse_capabilities(solver->type->capabilities, d->velocity_correction, d->sweeps == 0,
                                 &d->flight);
}

const hn_solver_type hn_solver_impulse_gs = {
  .abi = HN_ABI,
  .name = "impulse-gs",
  .summary = "impulses joint by joint, in sweeps (Gauss-Seidel)",
  .citation = "Schmitt, Bender and Prautzsch 2005, eqs 2.6 and 2.7; Bender, Finkenzeller and Schmitt 2005",
  .capabilities = HN_CAN_BILATERAL | HN_CAN_COMPLIANT | HN_KEEPS_MOMENTUM | HN_CAN_REDUNDANT | HN_CAN_PUSH |
                  HN_CAN_ANISOTROPIC | HN_CAN_WITHIN | HN_CAN_CONE | HN_CAN_BOUNCE | HN_CAN_VELOCITY |
                  HN_CAN_CHANGE | HN_CAN_EXTRA_FORCES,
  .order = 2,
  .data_size = sizeof(impulse_gs),
  .params = params,
  .setup = setup,
  .step = step,
  .reset = reset,
  .capabilities_of = capabilities_of,
};
