/* step_control.c - step control of the impulse step.
 *
 *   error = |q[n+1] h^(n+1)|                            the first power that the taylor flight of order n leaves out
 *   h_new = 0.9 h (desired / error)^(1/(n+1))           within 0.2 h and 5 h
 *
 * A step whose error is larger than desired is given back and repeated with h_new; the next one is as long as that, or
 * as what is left of the step that was asked for. Each such step begins with its whole length, so nothing is remembered
 * from one to the next. The error is that of the flight at the velocities that the joint correction has found, in the
 * body that is worst; what is too long before that correction is not tried. [bender2005, equations 9 and 10, whose
 * exponent 1/n does not belong to an error of order n + 1; the factor and the bounds are usual] */
#include "impulse/step_control.h"
#include "impulse/correction.h"
#include "flight/flight.h"

enum { MAX_ATTEMPTS = 100000 };

int hn_step_control_setup(hn_solver *solver, hn_step_control *control, const hn_flight_options *flight,
                          hn_error *error)
{
  if (!(control->desired > 0)) return 0;
  if (flight->kind != HN_TAYLOR)
    return hn_fail(error, "%s: step_control needs flight=taylor, of whose series it takes the next term",
                   solver->type->name);
  control->order = flight->order;
  control->given = hn_state_create(solver->system->model);
  return control->given ? 0 : hn_fail(error, "out of memory");
}

void hn_step_control_free(hn_step_control *control)
{
  hn_state_free(control->given);
}

void hn_step_control_note(hn_step_control *control, hn_solver *solver, const hn_state *state, double h)
{
  if (!control->given) return;
  double error = hn_system_flight_error(solver->system, state, h);
  if (!(error <= control->error)) control->error = error;
}

/* One attempt of H from STATE, which is the start of the whole step or not. */
static hn_reason attempt(hn_solver *solver, hn_step_control *control, bool whole, hn_state *state, double h,
                         hn_reason (*step)(hn_solver *, hn_state *, double))
{
  hn_state_copy(control->given, state);
  control->error = 0.0;
  hn_step_control_note(control, solver, state, h);
  if (control->error > control->desired) return HN_CONVERGED;
  hn_reason reason = whole ? HN_CONVERGED : hn_system_begin(solver->system, state);
  return reason == HN_CONVERGED ? step(solver, state, h) : reason;
}

hn_reason hn_controlled_step(hn_solver *solver, hn_step_control *control, hn_state *state, double h,
                             hn_reason (*step)(hn_solver *solver, hn_state *state, double h))
{
  double left = h;
  if (!control->given) return step(solver, state, h);
  for (int i = 0; i < MAX_ATTEMPTS; i++) {
    hn_reason reason = attempt(solver, control, i == 0, state, h, step);
    if (reason != HN_CONVERGED) return reason;
    double next = h * hn_flight_change(control->desired / control->error, control->order + 1);
    if (control->error <= control->desired) {
      left -= h;
      if (left == 0) return HN_CONVERGED;
    } else {
      hn_state_copy(state, control->given);
      solver->report.halvings++;
    }
    h = next < left ? next : left;
  }
  return hn_step_stalled(solver, "step control", -1, control->error, MAX_ATTEMPTS);
}
