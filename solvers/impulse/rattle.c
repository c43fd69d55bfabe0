/* rattle.c - the impulse step with one linear system for all joints (the RATTLE scheme).
 *
 *   find p:  g(flight_h(q, u + W G' p)) = 0        joint correction, at t
 *   repeat   predict;  K p = -g / h;  u += W G' p   K = G W G', factored once a step
 *   then     move;  K p = -G u,  u += W G' p        velocity correction, at t + h
 *
 * Half kicks of the forces other than gravity precede and follow it (force_impulse.c).
 *
 * Symmetric: the step of -h undoes the step of h, to the tolerance. The factor at t + h serves the velocity
 * correction and the joint correction of the next step. [bender2006, section 4.5; schmitt2005, sections 4 and
 * 5] */
#include "impulse/rattle.h"
#include "registry/solver_arrays.h"
#include "registry/step_doubling.h"

#include <string.h>

/* Solves of a velocity correction with a shifted K: three leave proximal_shift^3 of the residual. */
enum { PROXIMAL_STEPS = 3 };

/* Relative shift of the diagonal of K in proximal steps: about the factor by which one step reduces a
 * residual. */
static const double proximal_shift = 1e-6;

static hn_reason simplified_newton(hn_solver *solver, hn_rattle *r, hn_state *state, double h);

int hn_rattle_setup(hn_solver *solver, hn_rattle *r, hn_error *error)
{
  const hn_model *model = solver->system->model;
  if (!r->correct_joints) r->correct_joints = simplified_newton;
  const size_t rows = (size_t)solver->system->max_rows + 1;
  if (hn_solver_allocate(solver, error, HN_STATE(r->trial), HN_ARRAY(r->p, rows))) return -1;
  if (model->needs & HN_CAN_BREAK && hn_solver_allocate(solver, error, HN_ARRAY(r->load, rows))) return -1;
  if (hn_kick_setup(solver, &r->kick, error) || hn_active_setup(solver, &r->active, error)) return -1;
  /* A fixed number of Newton steps from a guess would be another method. */
  if (r->newton_steps > 0) r->guess.kind = 0;
  if (hn_guess_setup(solver, &r->guess, r->linear.redundancy, error)) return -1;
  if (hn_pose_cache_setup(solver, &r->factored, error)) return -1;
  if (hn_step_control_setup(solver, &r->control, &r->flight, r->error_tolerance, error)) return -1;
  if (hn_halving_setup(solver, &r->halving, error)) return -1;
  if (hn_system_use_flight(solver->system, &r->flight, error)) return -1;
  return hn_system_use_linear(solver->system, &r->linear, error);
}

void hn_rattle_reset(hn_rattle *r)
{
  r->factored.valid = false;
  hn_guess_reset(&r->guess);
}

/* ---- Functions of solvers whose data begins with an hn_rattle ------------------------------------------ */

int hn_rattle_solver_setup(hn_solver *solver, hn_error *error)
{
  hn_rattle *r = solver->data;
  if (hn_rattle_setup(solver, r, error)) return -1;
  return hn_doubling_setup(solver, r->error_tolerance, false, error);
}

void hn_rattle_solver_reset(hn_solver *solver)
{
  hn_rattle_reset(solver->data);
}

unsigned hn_rattle_solver_capabilities(const hn_solver *solver)
{
  const hn_rattle *r = solver->data;
  return hn_impulse_capabilities(solver->type->capabilities, r->velocity_correction, r->newton_steps == 0,
                                 &r->flight);
}

static hn_reason whole_step(hn_solver *solver, hn_state *state, double h)
{
  return hn_rattle_step(solver, solver->data, state, h);
}

hn_reason hn_rattle_solver_step(hn_solver *solver, hn_state *state, double h)
{
  hn_rattle *r = solver->data;
  return hn_divided_step(solver, &r->control, &r->halving, state, h, whole_step);
}

/* ---- Factorisation ------------------------------------------------------------------------------------- */

/* Factors K at the present Jacobian. Several held rows may act along one coordinate, as a motor against
 * friction or a stop: K is then singular, and the impulses are found by proximal steps (hn_system_set_shift).
 * Impulses of conflicting rows grow in these steps until one exceeds its bound. */
static hn_reason factor_held(hn_solver *solver, const hn_rattle *r)
{
  hn_system *system = solver->system;
  hn_system_set_shift(system, 0.0);
  hn_reason reason = hn_system_factor(system);
  if (reason != HN_SINGULAR || !r->active.side) return reason;
  hn_system_set_shift(system, proximal_shift);
  return hn_system_factor(system);
}

/* Computes the Jacobian and factors K at STATE, whatever the cache holds. */
static hn_reason refactor(hn_solver *solver, hn_rattle *r, const hn_state *state)
{
  hn_system_jacobian(solver->system, state);
  hn_reason reason = factor_held(solver, r);
  hn_pose_cache_store(&r->factored, state);
  r->factored.valid = reason == HN_CONVERGED;
  return reason == HN_CONVERGED ? reason : hn_step_failed(solver, reason, "factorisation of K", -1, 0.0);
}

hn_reason hn_rattle_factor(hn_solver *solver, hn_rattle *r, const hn_state *state)
{
  if (hn_system_is_factored(solver->system) && hn_pose_cache_is_valid_at(&r->factored, state))
    return HN_CONVERGED;
  return refactor(solver, r, state);
}

/* Factors K anew if the active set has changed; reports a cycle of changes as a stalled step. */
static hn_reason refactor_if_changed(hn_solver *solver, hn_rattle *r, const hn_state *state,
                                     hn_active_change change)
{
  if (change == HN_ACTIVE_CYCLE)
    return hn_step_stalled(solver, "choice of the rows that act", -1, 0.0, r->active.changes);
  return change == HN_ACTIVE_CHANGED ? refactor(solver, r, state) : HN_CONVERGED;
}

/* Updates the active set from the residuals of the step, when the rows that are held are within tolerance. */
static hn_active_change update_active_at_positions(hn_solver *solver, hn_rattle *r, hn_state *state, double h)
{
  return hn_active_update(solver, &r->active, HN_AT_POSITIONS, h, r->tolerance, solver->system->g, state);
}

/* True if the joint correction is complete: within tolerance, or after the prescribed number of Newton steps.
 * An extrapolated guess is always corrected at least once. */
static bool is_converged(const hn_rattle *r, double residual, int iteration, int taken)
{
  bool within = residual <= r->tolerance && !(r->guess.used && iteration == 0);
  return within || (r->newton_steps > 0 && taken >= r->newton_steps);
}

/* Adds SCALE p to the impulses of the step. */
static void record_impulse(hn_rattle *r, int rows, double scale)
{
  for (int i = 0; i < rows && r->load; i++) r->load[i] += scale * r->p[i];
}

/* Performs one iteration: K p = -g / h, u += W G' p. */
static hn_reason correct_once(hn_solver *solver, hn_rattle *r, hn_state *state, double h)
{
  hn_system *system = solver->system;
  hn_reason reason = hn_system_solve(system, system->g, r->p);
  if (reason != HN_CONVERGED)
    return hn_step_failed(solver, reason, "solution for the joint correction", -1, 0.0);
  hn_system_apply(system, r->p, -1.0 / h, state);
  hn_active_record(solver, &r->active, r->p, -1.0 / h);
  hn_guess_record(&r->guess, r->p, -1.0 / h);
  record_impulse(r, system->nrow, -1.0 / h);
  solver->report.position_iterations++;
  return HN_CONVERGED;
}

/* Iterates K p = -g / h until the flight satisfies the joints; updates the active set on convergence. */
static hn_reason simplified_newton(hn_solver *solver, hn_rattle *r, hn_state *state, double h)
{
  hn_system *system = solver->system;
  for (int iteration = 0, taken = 0, extra = r->extra_correction;; iteration++) {
    int worst;
    hn_system_flight(system, state, h, r->trial);
    double residual = hn_system_step_residual(system, state, r->trial, h, &worst);
    solver->report.residual = residual;
    bool converged = is_converged(r, residual, iteration, taken);
    /* Conflicting rows never come within tolerance: with a shifted K, check the set in every iteration. */
    bool check_active = converged || (hn_system_shift(system) > 0.0 && iteration > 0);
    hn_active_change change = check_active ? update_active_at_positions(solver, r, state, h) : HN_ACTIVE_SAME;
    hn_reason reason = refactor_if_changed(solver, r, state, change);
    if (reason != HN_CONVERGED) return reason;
    if (converged && change == HN_ACTIVE_SAME && (extra-- == 0 || iteration >= r->iterations))
      return HN_CONVERGED;
    if (iteration >= r->iterations + r->active.changes || !(residual < HUGE_RESIDUAL))
      return hn_step_stalled(solver, "joint correction", worst, residual, iteration);
    taken = change == HN_ACTIVE_SAME ? taken + 1 : 0;
    if (change == HN_ACTIVE_SAME) reason = correct_once(solver, r, state, h);
    if (reason != HN_CONVERGED) return reason;
  }
}

/* Updates the active set from the rates after the velocity correction. */
static hn_active_change update_active_at_velocities(hn_solver *solver, hn_rattle *r, hn_state *state)
{
  if (!r->active.side) return HN_ACTIVE_SAME;
  hn_system_velocity_residual(solver->system, state, r->p, NULL);
  return hn_active_update(solver, &r->active, HN_AT_VELOCITIES, r->h, r->tolerance, r->p, state);
}

/* Solves K p = -G u for the held rows and applies p; repeated where K has been shifted, as each proximal step
 * leaves a small residual. */
static hn_reason solve_velocities(hn_solver *solver, hn_rattle *r, hn_state *state)
{
  hn_system *system = solver->system;
  for (int i = 0; i == 0 || (hn_system_shift(system) > 0.0 && i < PROXIMAL_STEPS); i++) {
    hn_system_velocity_residual(system, state, r->p, NULL);
    hn_reason reason = hn_system_solve(system, r->p, r->p);
    if (reason != HN_CONVERGED)
      return hn_step_failed(solver, reason, "solution for the velocity correction", -1, 0.0);
    hn_system_apply(system, r->p, -1.0, state);
    hn_active_record(solver, &r->active, r->p, -1.0);
    record_impulse(r, system->nrow, -1.0);
    solver->report.velocity_iterations++;
  }
  return HN_CONVERGED;
}

/* Corrects the velocities of STATE, with updates of the active set until it no longer changes. */
static hn_reason correct_velocities(hn_solver *solver, hn_rattle *r, hn_state *state)
{
  hn_reason reason = hn_rattle_factor(solver, r, state);
  if (reason == HN_CONVERGED) hn_active_apply_bounds(solver, &r->active, HN_AT_VELOCITIES, r->h, state);
  while (reason == HN_CONVERGED) {
    reason = solve_velocities(solver, r, state);
    if (reason != HN_CONVERGED) return reason;
    hn_active_change change = update_active_at_velocities(solver, r, state);
    if (change == HN_ACTIVE_SAME) return HN_CONVERGED;
    reason = refactor_if_changed(solver, r, state, change);
  }
  return reason;
}

static hn_reason velocity_correction(hn_solver *solver, void *r, hn_state *state)
{
  return correct_velocities(solver, r, state);
}

/* Solves the joint correction from the extrapolated guess; if that fails, from zero. */
static hn_reason correct_joints(hn_solver *solver, hn_rattle *r, hn_state *state, double h)
{
  hn_guess_apply(solver, &r->guess, h, state);
  hn_reason reason = r->correct_joints(solver, r, state, h);
  if (reason != HN_CONVERGED && hn_guess_withdraw(&r->guess, state))
    reason = r->correct_joints(solver, r, state, h);
  const double *total = hn_guess_total(&r->guess); /* includes the guess */
  if (r->load && total) memcpy(r->load, total, sizeof *total * (size_t)solver->system->nrow);
  if (reason == HN_CONVERGED) hn_guess_store(&r->guess, h);
  return reason;
}

hn_reason hn_rattle_step(hn_solver *solver, hn_rattle *r, hn_state *state, double h)
{
  r->h = h;
  if (r->load) memset(r->load, 0, sizeof *r->load * (size_t)solver->system->nrow);
  hn_active_begin(solver, &r->active, state);
  hn_reason reason = hn_rattle_factor(solver, r, state);
  hn_kick_open(solver, state, 0.5 * h);
  if (reason == HN_CONVERGED) hn_active_apply_bounds(solver, &r->active, HN_AT_POSITIONS, h, state);
  if (reason == HN_CONVERGED) reason = correct_joints(solver, r, state, h);
  if (reason != HN_CONVERGED) return reason;
  hn_active_end_joint_correction(solver, &r->active);
  hn_step_control_estimate(&r->control, solver, state, h);
  hn_state_copy_motion(state, r->trial);
  reason = hn_kick_close(solver, &r->kick, state, 0.5 * h, 0.0,
                         r->velocity_correction ? velocity_correction : hn_skip_velocity_correction, r);
  if (r->active.side) hn_system_store_impulses(solver->system, r->active.impulse, 1.0, state);
  return reason;
}

hn_reason hn_rattle_project(hn_solver *solver, hn_rattle *r, hn_state *state)
{
  hn_system *system = solver->system;
  for (int iteration = 0;; iteration++) {
    int worst;
    double residual = hn_system_residual(system, state, &worst);
    solver->report.residual = residual;
    if (residual <= r->tolerance) return correct_velocities(solver, r, state);
    if (iteration == r->iterations || !(residual < HUGE_RESIDUAL))
      return hn_step_stalled(solver, "projection", worst, residual, iteration);
    hn_reason reason = hn_rattle_factor(solver, r, state);
    if (reason == HN_CONVERGED) reason = hn_system_solve(system, system->g, r->p);
    if (reason != HN_CONVERGED) return hn_step_failed(solver, reason, "projection", worst, residual);
    hn_system_displace(system, r->p, -1.0, r->trial, state);
    solver->report.position_iterations++;
  }
}
