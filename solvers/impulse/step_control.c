/* step_control.c - step size control of the impulse step.
 *
 *   error = |q[n+1] h^(n+1)|                            first term omitted by the taylor flight of order n
 *   h_new = 0.9 h (tolerance / error)^(1/(n+1))         between 0.2 h and 5 h
 *
 * A step with a larger error is restored and repeated with h_new. The next one has the length h_new, or the
 * rest of the given step if that is shorter. Each given step is first tried whole, so no step size is kept
 * between steps. The error is that of the worst body, at the velocities found by the joint correction; a step
 * whose error is too large before that correction is not tried. [bender2005, equations 9 and 10, with the
 * exponent 1/n; an error of order n + 1 needs 1/(n+1); safety factor and bounds are the usual ones] */
#include "impulse/step_control.h"
#include "event/contact_impulses.h"
#include "flight/flight.h"
#include "registry/solver_arrays.h"

enum { MAX_ATTEMPTS = 100000 }; /* parts of one step: more mean that the step size tends to zero */

int hn_step_control_setup(hn_solver *solver, hn_step_control *control, const hn_flight_options *flight,
                          double error_tolerance, hn_error *error)
{
  if (!(control->tolerance > 0)) return 0;
  if (error_tolerance > 0.0)
    return hn_fail(error, "%s: step_control and error_tolerance both divide steps: set one of them",
                   solver->type->name);
  if (flight->kind != HN_TAYLOR)
    return hn_fail(
      error, "%s: step_control needs flight=taylor: it estimates the error from the next term of that series",
      solver->type->name);
  control->order = flight->order;
  return hn_solver_allocate(solver, error, HN_STATE(control->start));
}

void hn_step_control_estimate(hn_step_control *control, hn_solver *solver, const hn_state *state, double h)
{
  if (!control->start) return;
  double error = hn_system_flight_error(solver->system, state, h);
  if (!(error <= control->error)) control->error = error;
}

/* Tries a step of H from STATE. For parts other than the first, contacts are found and targets set anew. */
static hn_reason try_step(hn_solver *solver, hn_step_control *control, hn_halving *halving, bool is_first,
                          hn_state *state, double h, hn_reason (*step)(hn_solver *, hn_state *, double))
{
  hn_state_copy(control->start, state);
  control->impulses = hn_impulses_mark(solver);
  control->error = 0.0;
  hn_step_control_estimate(control, solver, state, h);
  if (control->error > control->tolerance) return HN_CONVERGED;
  hn_reason reason = is_first ? HN_CONVERGED : hn_system_begin(solver->system, state);
  return reason == HN_CONVERGED ? hn_halving_step(solver, halving, state, h, step) : reason;
}

hn_reason hn_divided_step(hn_solver *solver, hn_step_control *control, hn_halving *halving, hn_state *state,
                          double h, hn_reason (*step)(hn_solver *solver, hn_state *state, double h))
{
  double remaining = h;
  if (!control->start) return hn_halving_step(solver, halving, state, h, step);
  for (int i = 0; i < MAX_ATTEMPTS; i++) {
    hn_reason reason = try_step(solver, control, halving, i == 0, state, h, step);
    if (reason != HN_CONVERGED) return reason;
    double next = h * hn_flight_step_factor(control->tolerance / control->error, control->order + 1);
    if (control->error <= control->tolerance) {
      remaining -= h;
      if (remaining == 0) return HN_CONVERGED;
    } else {
      hn_state_copy(state, control->start);
      hn_impulses_take_back(solver, control->impulses);
      solver->report.halvings++;
    }
    h = next < remaining ? next : remaining;
  }
  return hn_step_stalled(solver, "step control", -1, control->error, MAX_ATTEMPTS);
}
