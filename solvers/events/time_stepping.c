/* time_stepping.c - parts of a step by time stepping, in which no smooth motion is found (events.h).
 *
 * The solver `moreau` needs no modes. Its contact problem, in impulses, has solutions where the law of
 * accelerations has none (Painleve), and it moves contacts that have no smooth normal, such as corners on
 * edges. The velocities at the end of the part tell sliding from sticking contacts, and so select one of
 * several solutions of the law. In a part of s seconds the error of velocities is of order s, that of
 * positions of order s^2. [Moreau 1988; Stewart, SIAM Review 42 (2000) 3, on Painleve's paradox] */
#include "event/contact_impulses.h"
#include "events/events.h"

/* a gap that closes within the part is closed: with the default, its impact would come before the bodies
 * touch */
static const char spec[] = "moreau:open_gaps=velocities";

int hn_events_time_stepping_setup(hn_solver *solver, hn_error *error)
{
  hn_events *d = solver->data;
  if (!d->steps_in_time) return 0;
  d->stepper = hn_solver_create(spec, solver->system->model, error);
  return d->stepper ? 0 : -1;
}

/* A contact without a smooth normal is named by the failure; what the inner solver cannot do is not
 * replaced. */
static bool can_replace(const hn_solver *solver, hn_reason reason)
{
  return reason == HN_STALLED || reason == HN_SINGULAR || reason == HN_NOT_FINITE ||
         (reason == HN_UNSUPPORTED && solver->report.joint >= 0);
}

/* Moves STATE by S seconds, and lists its contacts in the system of SOLVER. */
static hn_reason step(hn_solver *solver, double s, hn_state *state)
{
  hn_solver *stepper = ((hn_events *)solver->data)->stepper;
  hn_system *system = solver->system, *own = stepper->system;
  const double end = state->time + s;
  hn_solver_reset(stepper);
  stepper->report = (hn_report){ .joint = -1 };
  own->stop = system->stop;
  hn_reason reason = hn_system_begin(own, state);
  if (reason == HN_CONVERGED) reason = stepper->type->step(stepper, state, s);
  hn_work_add(&system->work, &own->work);
  own->work = (hn_work){ 0 };
  if (own->stop.heard) system->stop.heard = true;
  if (reason == HN_CONVERGED && !hn_state_finite(state)) reason = HN_NOT_FINITE;
  state->time = end;
  return reason == HN_CONVERGED ? hn_system_begin(system, state) : reason;
}

hn_reason hn_events_step_in_time(hn_solver *solver, double s, hn_reason reason, hn_state *state)
{
  hn_events *d = solver->data;
  if (!d->steps_in_time || !can_replace(solver, reason)) return reason;
  if (s == 0.0) return hn_step_failed(solver, HN_CONVERGED, NULL, -1, 0.0);
  hn_state_copy(d->from, state);
  hn_impulses_begin_part(solver);
  const hn_reason stepped = step(solver, s, state);
  if (stepped != HN_CONVERGED) {
    hn_state_copy(state, d->from);
    return stepped == HN_INTERRUPTED ? stepped : reason;
  }
  hn_impulses_end_part(solver, d->from, state);
  solver->report.contradictions += d->stepper->report.contradictions;
  solver->report.time_stepped++, solver->report.time_stepped_s += s;
  return hn_step_failed(solver, HN_CONVERGED, NULL, -1, 0.0); /* the failure is forgotten */
}
