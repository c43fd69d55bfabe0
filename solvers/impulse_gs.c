/* impulse_gs.c - impulse method, joint by joint (Gauss-Seidel).
 *
 *   sweep over joints i:  predict its two bodies;  K_ii p = -relaxation g_i / h;  u += W G_i' p  joint correction, at t
 *   then move, and        K_ii p = -relaxation G_i u;  u += W G_i' p                             velocity correction
 *
 * until a whole sweep finds every joint within tolerance. Order 2; no drift beyond the tolerances. Redundant
 * constraints do no harm; where they are redundant on the joints alone, the joints are met as closely as their
 * velocities need. A sweep costs a flight of two bodies and a residual a joint; the sweeps needed grow with the length
 * of the chains of joints. `sweeps` interrupts both corrections after that many sweeps (the anytime property); the
 * residual left is part of the record. Only + - * / and square roots: the bits are the same for every compiler, with
 * the exact flight as long as no body turns by more than a radian in a step (then sines are the library's own).
 *
 * Contacts with friction are blocks of the same sweeps: each gets the impulse that meets Coulomb's law with all others
 * held, in the joint correction with the gap at t + h and the slip on the way there, over h; in the velocity
 * correction, for both impulses together, with the rates at t + h and what restitution asks for. So what slides evenly
 * is exact, and what stops does so h^2 off; an impact costs the order. bender2005 has such sweeps without friction, and
 * Poisson's impacts: here they are Newton's. Stacks need many sweeps, and can stagnate. [schmitt2005, eqs 2.6 and 2.7;
 * bender2005, section 4; bender2006, eqs 6 and 7] relaxation is ours (SOR). */
#include "impulse/step_control.h"
#include "impulse/correction.h"
#include "impulse/force_impulse.h"
#include "timestepping/stagnation.h"
#include "base/small.h"
#include "base/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Where the sweeps of a velocity correction gain nothing more. */
typedef struct stagnant {
  double residual;   /* m/s, rad/s */
  int joint, sweeps; /* the worst one; so many were made */
} stagnant;

typedef struct impulse_gs {
  double tolerance;          /* m, rad */
  double velocity_tolerance; /* m/s, rad/s */
  int iterations;            /* limit of sweeps of one correction */
  int sweeps;                /* 0: until the tolerance */
  double relaxation;
  int velocity_correction; /* flag */
  hn_flight_options flight;
  hn_halving halving;
  hn_step_control control;
  hn_kick kick;
  double *total,
    *first;        /* [most_rows] impulse of the step on rows with a set, and what of it the joint correction
                              * gave; NULL when the model has equations alone */
  bool *apart;     /* [most_blocks] limits that are not at their bound after the move */
  hn_state *trial; /* prediction at t + h */
  bool *stale;     /* [nbody] the prediction is older than the velocity */
  hn_prepared prepared; /* where Jacobians and blocks were made */
  double h;             /* s: the step under way */
  double allowed;       /* m, rad: joint error in it; `tolerance`, or less */
  hn_state *start;      /* its start, with the velocities of the joint correction */
  bool stagnates;       /* the velocity correction of the last try did, */
  stagnant stagnant;    /* or of the one before; there */
  double **block;       /* [most_blocks] factor of K_ii */
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
  { .key = NULL },
};

static int setup(hn_solver *solver, hn_error *error)
{
  impulse_gs *d = solver->data;
  const hn_model *model = solver->system->model;
  d->trial = hn_state_create(model);
  d->start = hn_state_create(model);
  d->stale = calloc((size_t)model->nbody, sizeof *d->stale);
  d->block = hn_blocks_create(solver->system);
  if (model->needs &
      (HN_CAN_PUSH | HN_CAN_WITHIN | HN_CAN_CONE)) { /* which of them act is chosen by their impulses */
    d->total = calloc((size_t)solver->system->most_rows, sizeof *d->total);
    d->first = calloc((size_t)solver->system->most_rows, sizeof *d->first);
    d->apart = calloc((size_t)solver->system->most_blocks, sizeof *d->apart);
    if (!d->total || !d->first || !d->apart) return hn_fail(error, "out of memory");
  }
  if (!d->trial || !d->start || !d->stale || !d->block) return hn_fail(error, "out of memory");
  if (hn_prepared_setup(&d->prepared, solver->system, error)) return -1;
  if (hn_halving_setup(solver, &d->halving, error) || hn_kick_setup(solver, &d->kick, error)) return -1;
  if (hn_step_control_setup(solver, &d->control, &d->flight, error)) return -1;
  return hn_system_use_flight(solver->system, &d->flight, error);
}

static void reset(hn_solver *solver)
{
  ((impulse_gs *)solver->data)->prepared.valid = false;
}

static void destroy(hn_solver *solver)
{
  impulse_gs *d = solver->data;
  hn_state_free(d->trial), hn_state_free(d->start);
  hn_prepared_free(&d->prepared);
  hn_halving_free(&d->halving);
  hn_step_control_free(&d->control);
  hn_kick_free(&d->kick);
  free(d->total), free(d->first), free(d->apart);
  free(d->stale);
  hn_blocks_free(d->block);
}

/* Jacobians and the joints' own blocks at the poses of STATE. */
static hn_reason prepare(hn_solver *solver, const hn_state *state)
{
  impulse_gs *d = solver->data;
  const hn_system *s = solver->system;
  if (hn_prepared_at(&d->prepared, state)) return HN_CONVERGED;
  hn_system_jacobian(solver->system, state);
  d->prepared.valid = false;
  for (int k = 0; k < s->nblock; k++) {
    hn_system_block_diagonal(s, k, d->block[k]);
    if (s->block[k].joint->set->kind == HN_CONE) continue;
    if (!ldl_factor(s->block[k].n, d->block[k]))
      return hn_step_failed(solver, HN_SINGULAR, "block of a joint", k, 0.0);
  }
  hn_prepared_keep(&d->prepared, state);
  return HN_CONVERGED;
}

/* Brings the predictions of the bodies of a block up to date. */
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

/* P becomes what of it leads the total of its block to the nearest impulse of the set, for a step of h; the part of it
 * that this is. */
static double confine(hn_solver *solver, const hn_block *block, double h, double *p)
{
  double *total = ((impulse_gs *)solver->data)->total + block->row, next[HN_MAX_ROWS];
  double wanted = norm_of(p, block->n);
  for (int r = 0; r < block->n; r++) next[r] = total[r] + p[r];
  hn_set_project(block->joint->set, block->n, h, next);
  for (int r = 0; r < block->n; r++) p[r] = next[r] - total[r];
  solver->system->work.projections++;
  return wanted > 0.0 ? norm_of(p, block->n) / wanted : 0.0;
}

/* The impulse of a contact with friction by Coulomb's law, with the mean slip of the step for its rate in the joint
 * correction; what counts as its error is the change. */
static double rub(hn_solver *solver, int k, const double *rate, double norm, double *p)
{
  impulse_gs *d = solver->data;
  const hn_block *block = &solver->system->block[k];
  const double *K = d->block[k];
  double total[3], trace = 0.0, size = norm_of(rate, block->n);
  memcpy(total, d->total + block->row, sizeof *total * (size_t)block->n);
  hn_block_touch(solver->system, block, K, rate, p, total);
  for (int r = 0; r < block->n; r++) trace += K[r * block->n + r];
  for (int r = 0; r < block->n && d->relaxation != 1.0; r++)
    total[r] = d->total[block->row + r] + d->relaxation * p[r];
  if (d->relaxation != 1.0) {
    hn_set_project(block->joint->set, block->n, 1.0, total);
    for (int r = 0; r < block->n; r++) p[r] = total[r] - d->total[block->row + r];
  }
  return size > 0.0 ? norm * (trace / block->n * norm_of(p, block->n) / size) : 0.0;
}

/* What -relaxation K_kk^-1 RATE is, and may be, for block k in a step of h: how much of |RATE| it takes away counts as
 * its error. */
static double find_impulse(hn_solver *solver, int k, const double *rate, double h, double norm, double *p)
{
  impulse_gs *d = solver->data;
  const hn_block *block = &solver->system->block[k];
  if (block->joint->set->kind == HN_CONE && !isnan(norm)) return rub(solver, k, rate, norm, p);
  for (int r = 0; r < block->n; r++) p[r] = -d->relaxation * rate[r];
  ldl_solve(block->n, d->block[k], p);
  const bool equation = !d->total || block->joint->set->kind == HN_ANY;
  return equation || isnan(norm) ? norm : norm * confine(solver, block, h, p);
}

static void push(hn_solver *solver, int k, const double *p, hn_state *state)
{
  impulse_gs *d = solver->data;
  const hn_block *block = &solver->system->block[k];
  if (d->total)
    for (int r = 0; r < block->n; r++) d->total[block->row + r] += p[r];
  hn_system_block_apply(solver->system, k, p, state);
}

/* One sweep of the joint correction; the largest residual met and its block. */
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
    if (norm <= d->allowed && (!d->total || block->joint->set->kind == HN_ANY)) {
      if (norm > largest) largest = norm;
      continue;
    }
    for (int r = 0; r < block->n; r++) g[r] /= h;
    norm = find_impulse(solver, k, g, 0.5 * h, norm, p);
    if (norm > largest || isnan(norm)) largest = norm, *worst = k;
    if (isnan(largest)) break;
    if (norm <= d->allowed) continue;
    push(solver, k, p, state);
    d->stale[block->a] = s->model->body[block->a].kind != HN_FIXED;
    d->stale[block->b] = s->model->body[block->b].kind != HN_FIXED;
  }
  s->work.sweeps++;
  return largest;
}

static double sweep_velocities(hn_solver *solver, hn_state *state, double h, int *worst)
{
  impulse_gs *d = solver->data;
  hn_system *s = solver->system;
  double largest = 0.0, v[HN_MAX_ROWS], p[HN_MAX_ROWS];
  *worst = -1;
  for (int k = 0; k < s->nblock; k++) {
    if (d->apart && d->apart[k]) continue;
    double norm = hn_system_block_velocity(s, k, state, v);
    if (norm > d->velocity_tolerance || isnan(norm)) norm = find_impulse(solver, k, v, h, norm, p);
    if (norm > largest || isnan(norm)) largest = norm, *worst = k;
    if (isnan(largest)) break;
    if (norm > d->velocity_tolerance) push(solver, k, p, state);
  }
  s->work.sweeps++;
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
    if (residual <= d->allowed) return HN_CONVERGED;
    if (sweep + 1 >= d->iterations || !(residual < HUGE_RESIDUAL))
      return hn_step_stalled(solver, "joint correction", worst, residual, sweep + 1);
  }
  predict_all(solver, state, h);
  int worst;
  solver->report.residual = hn_system_violation(solver->system, d->trial, &worst);
  return HN_CONVERGED;
}

/* Notes which limits are not at their bound, nor beyond it, after the move. */
static void note_apart(hn_solver *solver, const hn_state *state)
{
  impulse_gs *d = solver->data;
  hn_system *s = solver->system;
  for (int k = 0; k < s->nblock && d->total; k++) {
    double g[HN_MAX_ROWS];
    const hn_set_kind kind = s->block[k].joint->set->kind;
    if (kind != HN_PUSH && kind != HN_CONE) continue;
    hn_system_block_residual(s, k, state, g);
    d->apart[k] = !(g[0] <= d->tolerance);
  }
}

/* Of the impulses gathered only those of the joint correction. */
static void keep_first(hn_solver *solver)
{
  impulse_gs *d = solver->data;
  if (d->total) memcpy(d->total, d->first, sizeof *d->total * (size_t)solver->system->nrow);
}

static hn_reason stagnated(hn_solver *solver)
{
  const stagnant *where = &((impulse_gs *)solver->data)->stagnant;
  return hn_step_stalled(solver, "velocity correction, whose sweeps gain nothing more", where->joint,
                         where->residual, where->sweeps);
}

static hn_reason correct_velocities(hn_solver *solver, void *user, hn_state *state)
{
  impulse_gs *d = user;
  hn_stagnation stagnation;
  keep_first(solver);
  hn_stagnation_begin(&stagnation);
  for (int sweep = 0; d->sweeps == 0 || sweep < d->sweeps; sweep++) {
    int worst;
    double residual = sweep_velocities(solver, state, d->h, &worst);
    solver->report.velocity_iterations++;
    if (residual <= d->velocity_tolerance) return HN_CONVERGED;
    if (d->sweeps == 0 &&
        hn_stagnates(&stagnation, sweep + 1, residual, d->velocity_tolerance, d->iterations)) {
      d->stagnates = true, d->stagnant = (stagnant){ residual, worst, sweep + 1 };
      return stagnated(solver);
    }
    if (sweep + 1 >= d->iterations || !isfinite(residual))
      return hn_step_stalled(solver, "velocity correction", worst, residual, sweep + 1);
  }
  return HN_CONVERGED;
}

static hn_reason leave_velocities(hn_solver *solver, void *user, hn_state *state)
{
  (void)solver, (void)user, (void)state;
  return HN_CONVERGED;
}

/* The step from the velocities at its start, or from those that an earlier try has left. */
static hn_reason try_step(hn_solver *solver, hn_state *state, double h)
{
  impulse_gs *d = solver->data;
  d->stagnates = false;
  hn_reason reason = prepare(solver, state);
  if (reason == HN_CONVERGED) reason = correct_joints(solver, state, h);
  if (reason != HN_CONVERGED) return reason;
  hn_step_control_note(&d->control, solver, state, h);
  hn_state_copy(d->start, state);
  hn_state_copy_motion(state, d->trial);
  if (!d->velocity_correction)
    return hn_kick_close(solver, &d->kick, state, 0.5 * h, 0.0, leave_velocities, d);
  reason = prepare(solver, state);
  if (reason != HN_CONVERGED) return reason;
  note_apart(solver, state);
  if (d->total) memcpy(d->first, d->total, sizeof *d->first * (size_t)solver->system->nrow);
  reason = hn_kick_close(solver, &d->kick, state, 0.5 * h, d->velocity_tolerance, correct_velocities, d);
  if (d->total) hn_system_keep(solver->system, d->total, 1.0, state);
  return reason;
}

/* Takes up the joint correction again, to a tenth of what it allowed. */
static hn_reason try_closer(hn_solver *solver, hn_state *state, double h)
{
  impulse_gs *d = solver->data;
  d->allowed *= 0.1;
  hn_state_copy(state, d->start);
  keep_first(solver);
  return try_step(solver, state, h);
}

/* Rows that depend on each other where the joints are met do so only nearly where these are met to a tolerance: there
 * they contradict each other, in proportion to it, and sweeps over their velocities stagnate. Then the joints are met
 * more closely, as long as that lessens the contradiction: what it does not lessen is none of the positions'. */
static hn_reason whole_step(hn_solver *solver, hn_state *state, double h)
{
  impulse_gs *d = solver->data;
  double least = HUGE_VAL;
  hn_reason reason = prepare(solver, state);
  if (reason != HN_CONVERGED) return reason;
  d->h = h, d->allowed = d->tolerance;
  hn_system_hold_all(solver->system);
  if (d->total) memset(d->total, 0, sizeof *d->total * (size_t)solver->system->nrow);
  hn_kick_open(solver, state, 0.5 * h);
  reason = try_step(solver, state, h);
  while (reason == HN_STALLED && d->stagnates && d->stagnant.residual < 0.5 * least) {
    least = d->stagnant.residual;
    reason = try_closer(solver, state, h);
  }
  return reason == HN_STALLED && least < HUGE_VAL ? stagnated(solver) : reason;
}

static hn_reason halved_step(hn_solver *solver, hn_state *state, double h)
{
  return hn_halving_step(solver, &((impulse_gs *)solver->data)->halving, state, h, whole_step);
}

static hn_reason step(hn_solver *solver, hn_state *state, double h)
{
  return hn_controlled_step(solver, &((impulse_gs *)solver->data)->control, state, h, halved_step);
}

static unsigned capabilities_of(const hn_solver *solver)
{
  const impulse_gs *d = solver->data;
  return hn_capabilities_left(solver->type->capabilities, d->velocity_correction, d->sweeps == 0, &d->flight);
}

const hn_solver_type hn_solver_impulse_gs = {
  .abi = HN_ABI,
  .name = "impulse-gs",
  .summary = "impulses joint by joint, in sweeps (Gauss-Seidel)",
  .citation = "Schmitt, Bender and Prautzsch 2005, eqs 2.6 and 2.7; Bender, Finkenzeller and Schmitt 2005",
  .capabilities = HN_CAN_BILATERAL | HN_KEEPS_MOMENTUM | HN_CAN_REDUNDANT | HN_CAN_PUSH | HN_CAN_WITHIN |
                  HN_CAN_CONE | HN_CAN_BOUNCE | HN_CAN_VELOCITY | HN_CAN_CHANGE | HN_CAN_MORE,
  .order = 2,
  .data_size = sizeof(impulse_gs),
  .params = params,
  .setup = setup,
  .step = step,
  .reset = reset,
  .free = destroy,
  .capabilities_of = capabilities_of,
};
