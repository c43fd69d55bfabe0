/* impulse_gs.c - impulse method, joint by joint (Gauss-Seidel).
 *
 *   sweep over joints i:  predict its two bodies;  K_ii p = -relaxation g_i / h;  u += W G_i' p  joint correction, at t
 *   then move, and        K_ii p = -relaxation G_i u;  u += W G_i' p                             velocity correction
 *
 * until a whole sweep finds every joint within tolerance. Order 2; no drift beyond the tolerances. Redundant
 * constraints do no harm. A sweep costs a flight of two bodies and a residual a joint; the sweeps needed grow with the
 * length of the chains of joints. `sweeps` interrupts both corrections after that many sweeps (the anytime property);
 * the residual left is part of the record. Only + - * / and square roots: with the rk4 or taylor flight the bits are
 * the same for every compiler.
 * [schmitt2005, eqs 2.6 and 2.7; bender2005, section 4; bender2006, eqs 6 and 7] relaxation is ours (SOR). */
#include "part/correction.h"
#include "part/kick.h"
#include "part/unilateral.h"
#include "base/small.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct impulse_gs {
  double tolerance;          /* m, rad */
  double velocity_tolerance; /* m/s, rad/s */
  int iterations;            /* limit of sweeps of one correction */
  int sweeps;                /* 0: until the tolerance */
  double relaxation;
  hn_flight_options flight;
  hn_halving halving;
  hn_kick kick;
  double *total;             /* [nrow] impulse of the step on one-sided joints: never negative; NULL without any */
  bool *touching;            /* [njoint] one-sided joints that are at their bound after the move */
  hn_state *trial;           /* prediction at t + h */
  bool *stale;               /* [nbody] the prediction is older than the velocity */
  hn_pose *prepared;         /* where Jacobians and blocks were made */
  double prepared_time;      /* s: prescribed motions depend on it */
  bool has_blocks;
  double **block;            /* [njoint] factor of K_ii */
} impulse_gs;

static const hn_param params[] = {
  { "tolerance", HN_REAL, offsetof(impulse_gs, tolerance), "1e-9", 1e-16, 1, "m, rad", NULL,
    "joint error allowed after the joint correction" },
  { "velocity_tolerance", HN_REAL, offsetof(impulse_gs, velocity_tolerance), "1e-9", 1e-16, 1, "m/s, rad/s", NULL,
    "joint velocity error allowed after the velocity correction" },
  { "iterations", HN_INTEGER, offsetof(impulse_gs, iterations), "100000", 1, 1e9, "", NULL,
    "limit of sweeps of each correction" },
  { "sweeps", HN_INTEGER, offsetof(impulse_gs, sweeps), "0", 0, 1e9, "", NULL,
    "interrupt each correction after this many sweeps; 0: never" },
  { "relaxation", HN_REAL, offsetof(impulse_gs, relaxation), "1", 0.01, 1.99, "", NULL,
    "factor on every impulse; above 1: over-relaxation" },
  HN_FLIGHT_PARAMS(impulse_gs, flight, "rk4"),
  HN_HALVING_PARAM(impulse_gs, halving),
  { .key = NULL },
};

static int setup(hn_solver *solver, hn_error *error)
{
  impulse_gs *d = solver->data;
  const hn_model *model = solver->system->model;
  d->trial = hn_state_create(model);
  d->prepared = hn_poses_create(model);
  d->stale = calloc((size_t)model->nbody, sizeof *d->stale);
  d->block = hn_blocks_create(model);
  if (model->needs & HN_CAN_PUSH) {
    d->total = calloc((size_t)model->nrow, sizeof *d->total);
    d->touching = calloc((size_t)model->njoint, sizeof *d->touching);
    if (!d->total || !d->touching) return hn_fail(error, "out of memory");
    hn_limits_act(solver); /* their residuals as they are: this method chooses by the sign of the impulse */
  }
  if (!d->trial || !d->prepared || !d->stale || !d->block) return hn_fail(error, "out of memory");
  if (hn_halving_setup(solver, &d->halving, error) || hn_kick_setup(solver, &d->kick, error)) return -1;
  return hn_system_use_flight(solver->system, &d->flight, error);
}

static void reset(hn_solver *solver)
{
  ((impulse_gs *)solver->data)->has_blocks = false;
}

static void destroy(hn_solver *solver)
{
  impulse_gs *d = solver->data;
  hn_state_free(d->trial);
  free(d->prepared);
  hn_halving_free(&d->halving);
  hn_kick_free(&d->kick);
  free(d->total), free(d->touching);
  free(d->stale);
  hn_blocks_free(d->block);
}

/* Jacobians and the joints' own blocks at the poses of STATE. */
static hn_reason prepare(hn_solver *solver, const hn_state *state)
{
  impulse_gs *d = solver->data;
  const hn_model *model = solver->system->model;
  if (d->has_blocks && state->time == d->prepared_time && hn_same_poses(state, d->prepared)) return HN_CONVERGED;
  hn_system_jacobian(solver->system, state);
  hn_poses_keep(d->prepared, state);
  d->prepared_time = state->time;
  d->has_blocks = false;
  for (int j = 0; j < model->njoint; j++) {
    hn_system_diagonal_block(solver->system, j, d->block[j]);
    if (!ldl_factor(model->joint[j].type->rows, d->block[j]))
      return hn_step_failed(solver, HN_SINGULAR, "block of a joint", j, 0.0);
  }
  d->has_blocks = true;
  return HN_CONVERGED;
}

/* Brings the predictions of joint j's bodies up to date. */
static void predict(hn_solver *solver, int j, const hn_state *state, double h)
{
  impulse_gs *d = solver->data;
  const hn_joint *joint = &solver->system->model->joint[j];
  int bodies[2], count = 0;
  if (d->stale[joint->a]) bodies[count++] = joint->a;
  if (d->stale[joint->b]) bodies[count++] = joint->b;
  if (count == 0) return;
  hn_system_flight_of(solver->system, bodies, count, state, h, d->trial);
  for (int k = 0; k < count; k++) d->stale[bodies[k]] = false;
}

/* Is a one-sided joint with value x (of its residual, or of its rate) to be left alone? It cannot pull. */
static bool is_free(const impulse_gs *d, const hn_joint *joint, double x)
{
  return joint->set->kind == HN_PUSH && x >= 0 && d->total[joint->row] == 0;
}

/* Applies -relaxation K_jj^-1 RATE at joint j. */
static void push(hn_solver *solver, int j, const double *rate, hn_state *state)
{
  impulse_gs *d = solver->data;
  double p[HN_MAX_ROWS];
  int rows = solver->system->model->joint[j].type->rows;
  for (int r = 0; r < rows; r++) p[r] = -d->relaxation * rate[r];
  ldl_solve(rows, d->block[j], p);
  if (solver->system->model->joint[j].set->kind == HN_PUSH) {
    double *total = d->total + solver->system->model->joint[j].row;
    p[0] = fmax(p[0], -*total);
    *total += p[0];
  }
  hn_system_apply_joint(solver->system, j, p, state);
}

/* One sweep of the joint correction; the largest residual met and its joint. */
static double sweep_positions(hn_solver *solver, hn_state *state, double h, int *worst)
{
  impulse_gs *d = solver->data;
  const hn_model *model = solver->system->model;
  double largest = 0.0, g[HN_MAX_ROWS];
  *worst = -1;
  for (int j = 0; j < model->njoint; j++) {
    const hn_joint *joint = &model->joint[j];
    predict(solver, j, state, h);
    double norm = hn_system_joint_residual(solver->system, j, d->trial, g);
    if (is_free(d, joint, g[0])) continue;
    if (norm > largest || isnan(norm)) largest = norm, *worst = j;
    if (isnan(largest)) break;
    if (norm <= d->tolerance) continue;
    for (int r = 0; r < joint->type->rows; r++) g[r] /= h;
    push(solver, j, g, state);
    d->stale[joint->a] = model->body[joint->a].kind != HN_FIXED;
    d->stale[joint->b] = model->body[joint->b].kind != HN_FIXED;
  }
  solver->system->work.sweeps++;
  return largest;
}

static double sweep_velocities(hn_solver *solver, hn_state *state, int *worst)
{
  impulse_gs *d = solver->data;
  double largest = 0.0, v[HN_MAX_ROWS];
  *worst = -1;
  for (int j = 0; j < solver->system->model->njoint; j++) {
    const hn_joint *joint = &solver->system->model->joint[j];
    if (joint->set->kind == HN_PUSH && !d->touching[j]) continue;
    double norm = hn_system_joint_velocity(solver->system, j, state, v);
    if (is_free(d, joint, v[0])) continue;
    if (norm > largest || isnan(norm)) largest = norm, *worst = j;
    if (isnan(largest)) break;
    if (norm > d->velocity_tolerance) push(solver, j, v, state);
  }
  solver->system->work.sweeps++;
  return largest;
}

/* The flight of STATE, for the bodies that have none or an old one. */
static void predict_all(hn_solver *solver, const hn_state *state, double h)
{
  impulse_gs *d = solver->data;
  for (int i = 0; i < state->nbody; i++) {
    if (!d->stale[i]) continue;
    hn_system_flight_of(solver->system, &i, 1, state, h, d->trial);
    d->stale[i] = false;
  }
}

static hn_reason correct_joints(hn_solver *solver, hn_state *state, double h)
{
  impulse_gs *d = solver->data;
  hn_system_flight(solver->system, state, h, d->trial);
  memset(d->stale, 0, sizeof *d->stale * (size_t)state->nbody);
  for (int sweep = 0; d->sweeps == 0 || sweep < d->sweeps; sweep++) {
    int worst;
    double residual = sweep_positions(solver, state, h, &worst);
    solver->report.residual = residual;
    solver->report.position_iterations++;
    if (residual <= d->tolerance) return HN_CONVERGED;
    if (sweep + 1 >= d->iterations || !(residual < HUGE_RESIDUAL))
      return hn_step_failed(solver, HN_STALLED, "joint correction", worst, residual);
  }
  predict_all(solver, state, h);
  int worst;
  solver->report.residual = hn_limits_residual(solver, d->trial, &worst);
  return HN_CONVERGED;
}

/* Notes which one-sided joints are at their bound, or beyond it, after the move. */
static void note_touching(hn_solver *solver, const hn_state *state)
{
  impulse_gs *d = solver->data;
  const hn_model *model = solver->system->model;
  for (int j = 0; j < model->njoint && d->total; j++) {
    double g;
    if (model->joint[j].set->kind != HN_PUSH) continue;
    hn_system_joint_residual(solver->system, j, state, &g);
    d->touching[j] = g <= d->tolerance;
  }
}

static hn_reason correct_velocities(hn_solver *solver, void *user, hn_state *state)
{
  impulse_gs *d = user;
  for (int sweep = 0; d->sweeps == 0 || sweep < d->sweeps; sweep++) {
    int worst;
    double residual = sweep_velocities(solver, state, &worst);
    solver->report.velocity_iterations++;
    if (residual <= d->velocity_tolerance) return HN_CONVERGED;
    if (sweep + 1 >= d->iterations || !isfinite(residual))
      return hn_step_failed(solver, HN_STALLED, "velocity correction", worst, residual);
  }
  return HN_CONVERGED;
}

static hn_reason whole_step(hn_solver *solver, hn_state *state, double h)
{
  impulse_gs *d = solver->data;
  hn_reason reason = prepare(solver, state);
  if (d->total) memset(d->total, 0, sizeof *d->total * (size_t)solver->system->model->nrow);
  hn_kick_open(solver, state, 0.5 * h);
  if (reason == HN_CONVERGED) reason = correct_joints(solver, state, h);
  if (reason != HN_CONVERGED) return reason;
  hn_state_copy(state, d->trial);
  reason = prepare(solver, state);
  if (reason != HN_CONVERGED) return reason;
  note_touching(solver, state);
  return hn_kick_close(solver, &d->kick, state, 0.5 * h, d->velocity_tolerance, correct_velocities, d);
}

static hn_reason step(hn_solver *solver, hn_state *state, double h)
{
  return hn_halving_step(solver, &((impulse_gs *)solver->data)->halving, state, h, whole_step);
}

const hn_solver_type hn_solver_impulse_gs = {
  .abi = HN_ABI, .name = "impulse-gs", .summary = "impulses joint by joint, in sweeps (Gauss-Seidel)",
  .citation = "Schmitt, Bender and Prautzsch 2005, eqs 2.6 and 2.7; Bender, Finkenzeller and Schmitt 2005",
  .capabilities = HN_CAN_BILATERAL | HN_KEEPS_MOMENTUM | HN_CAN_REDUNDANT | HN_CAN_PUSH, .order = 2,
  .data_size = sizeof(impulse_gs), .params = params,
  .setup = setup, .step = step, .reset = reset, .free = destroy,
};
