/* state_machine.c - a step of the solver `events`.
 *
 *        start of the step
 *                |
 *                v       a closed row approaches
 *     +-> contact detection ------------------> impact
 *     |          |                                 |
 *     |          | no row closes                   |
 *     |          v                                 |
 *     |   mode selection <-------------------------+
 *     |     |    |    |
 *     |<----+    |    +-----------------------------------+  event at the end of the step
 *     | a joint  v                                        v
 *     | breaks  smooth motion                      end of the step
 *     |          |    ^                                   ^
 *     |          v    | other length                      |
 *     |        event location ----------------------------+  no event
 *     |          |
 *     +----------+  event, or end of a part of the step
 *
 *   contact detection   detect_contacts: closed contacts and limits
 *   impact              hn_impact_solve: impulses of all closed rows and joints
 *   mode selection      hn_events_select_mode: by the impulses and rates of the state, or by the law of
 *                       accelerations; hn_breakage_apply: joints that break by its forces
 *   smooth motion       hn_mode_move: the inner solver from the last event on, for a length that event
 *                       location chooses; shapes must not pass through each other in it (travel.c)
 *   event location      hn_events_go: roots of event functions, which are gaps, slips and margins of
 *                       joints; and the first time at which the law and the motion have other accelerations
 *
 * Where mode selection or smooth motion fails, a part of the step is time-stepped (time_stepping.c), and
 * contact detection follows. Else any state can end the step with the reason of a failure. */
#include "events/events.h"

#include <math.h>
#include <string.h>

/* maximum number of simultaneous events; of successive events that change no mode, each within
 * `turn_interval` of the one before */
enum { MAX_SIMULTANEOUS = 20, MAX_TURNS = 100 };
static const double turn_interval = 1e-6; /* fraction of the step */
/* Maximum number of successive events, each within `cluster_interval`, a fraction of the step, of the one
 * before: slips that turn much faster than the step can follow. The fraction is so small that impacts of a
 * bouncing body, whose intervals shrink by a constant factor, are not counted. */
enum { MAX_CLOSE = 30 };
static const double cluster_interval = 1e-4;
/* Maximum of each of the three after a part of the step has been time-stepped: the next one will be soon. */
enum { MAX_AFTER_FAILURE = 3 };
/* Length of the first part of a step that is time-stepped, as a fraction of the step, and the factor from
 * each to the next: four parts make a step. */
static const double first_part = 1e-3, part_growth = 10.0;

/* States of a step. Smooth motion alternates with event location in
 * hn_events_go; both are one state here. */
typedef enum step_state {
  CONTACT_DETECTION,
  IMPACT,
  MODE_SELECTION,
  SMOOTH_MOTION_AND_EVENT_LOCATION,
  END_OF_STEP
} step_state;

/* Counts of events in a step: all; simultaneous ones; successive ones that change no mode (`turn_interval`),
 * where slips turn far as they begin; successive ones in quick succession (`cluster_interval`), and of these
 * those without an impact, since bounces may be quick. */
typedef struct tally {
  int all, simultaneous, turns, close, unstruck;
  bool failed; /* a part of the step has been time-stepped */
} tally;

/* Variables of the state machine. */
typedef struct machine {
  double h, done;     /* s: length of the step, and the part that has been integrated */
  bool event;         /* an event ended the last motion; false at the start of the step */
  bool struck, broke; /* since then: there was an impact; a joint has broken */
  uint64_t before;    /* number of the mode of the last motion; 0: none */
  double part;        /* s: length of the next part that is time-stepped */
  tally events;
} machine;

/* ---- Contact detection --------------------------------------------------------------------------------- */

/* Marks the closed contacts and limits at STATE in d->touches. An impact follows if one is closing, or if
 * the speed of a controlled motor differs from its target. Contacts that pushed in the last motion were
 * held by it or implied by contacts that were held: the rate of their gap is an integration error, not an
 * impact. */
static hn_reason detect_contacts(hn_solver *solver, hn_state *state, step_state *next)
{
  hn_events *d = solver->data;
  hn_system *s = solver->system;
  bool closing = false;
  hn_system_linearise(s, state);
  hn_system_bias(s, state);
  hn_system_velocity_residual(s, state, d->monitor.rate, NULL);
  for (int k = 0; k < s->nblock; k++) {
    const int row = s->block[k].row;
    d->touches[k] = false;
    if (k < s->model->njoint && d->breakage_state.gone[k]) continue;
    const bool driven = s->block[k].joint->input >= 0; /* control may have changed its target */
    closing |= driven && fabs(d->monitor.rate[row]) > d->limits.rate;
    if (!hn_is_one_sided(&s->block[k])) continue;
    const bool pushes = hn_contact_pushes(s, k, state);
    d->touches[k] = pushes || s->g[row] <= d->limits.gap;
    closing |= d->touches[k] && !pushes && d->monitor.rate[row] < -d->limits.rate;
  }
  *next = closing ? IMPACT : MODE_SELECTION;
  return HN_CONVERGED;
}

/* ---- Impact and mode selection ------------------------------------------------------------------------- */

/* Velocities of multistep inner solvers satisfy the joints only to the order of the solver, with an error
 * that depends on the lengths of its motions. They are projected first, since an impact would spread that
 * error. */
static hn_reason compute_impact(hn_solver *solver, machine *m, hn_state *state, step_state *next)
{
  hn_events *d = solver->data;
  hn_reason reason = HN_CONVERGED;
  if (m->event && hn_mode_solver(d->mode)->type->capabilities & HN_IS_MULTISTEP)
    reason = hn_mode_project_velocities(d->mode, state);
  if (reason == HN_CONVERGED) reason = hn_impact_solve(solver, &d->impact, state);
  if (reason != HN_CONVERGED) return reason;
  hn_events_impact(solver, state->time, d->impact.p);
  m->struck = true, *next = MODE_SELECTION;
  return HN_CONVERGED;
}

static hn_contact_mode mode_of(const hn_block *block, hn_role_kind role)
{
  if (role == HN_ROW_BROKEN) return HN_MODE_OPEN;
  if (role == HN_ROW_OPEN) return block->joint->set->kind == HN_WITHIN ? HN_MODE_STICKING : HN_MODE_OPEN;
  return role == HN_ROW_HELD ? HN_MODE_STICKING : HN_MODE_SLIDING;
}

/* Reports the contact modes of ROLE[nblock] from TIME on to the event log. */
static void report_modes(hn_solver *solver, const hn_role *role, double time)
{
  const hn_system *s = solver->system;
  hn_contact_mode *mode = hn_events_modes(solver);
  for (int k = 0; mode && k < s->nblock; k++) mode[k] = mode_of(&s->block[k], role[k].kind);
  hn_events_report_modes(solver, time, mode);
}

/* Reports the contact modes, and sets the monitor and d->from to the start of a motion. */
static void start_motion(hn_solver *solver, const machine *m, const hn_state *state)
{
  hn_events *d = solver->data;
  report_modes(solver, d->role, state->time);
  d->mode_unchanged = hn_mode_number(d->mode) == m->before && !m->struck && !m->broke;
  for (int k = 0; k < solver->system->nblock; k++)
    d->modes_now[k] = d->role[k].kind == HN_ROW_OPEN ? HN_MODE_OPEN : HN_MODE_STICKING;
  hn_monitor_start(&d->monitor, solver->system, d->modes_now, state);
  hn_state_copy(d->from, state);
  d->moved = -1.0;
}

/* True if the step has been integrated to its end, to rounding. */
static bool is_complete(const machine *m)
{
  return !(m->done < m->h * (1.0 - 1e-15));
}

static hn_reason select_mode(hn_solver *solver, machine *m, hn_state *state, step_state *next)
{
  hn_events *d = solver->data;
  bool breaks;
  hn_reason reason = hn_events_select_mode(solver, m->struck, m->event || m->broke, m->h - m->done, state);
  if (reason == HN_CONVERGED)
    reason = hn_breakage_apply(solver, &d->breakage_state, d->mode, state,
                               m->event && d->fired == HN_FUNCTION_BREAKAGE, &breaks);
  if (reason != HN_CONVERGED) return reason;
  m->broke |= breaks;
  *next = breaks ? CONTACT_DETECTION : is_complete(m) ? END_OF_STEP : SMOOTH_MOTION_AND_EVENT_LOCATION;
  if (!breaks) start_motion(solver, m, state);
  return HN_CONVERGED;
}

/* ---- Smooth motion and event location ------------------------------------------------------------------ */

/* Stores in STATE the forces at the end of a motion, times H, the length of the step, as impulses: the
 * record shows impulses per step. Mode selection divides by the step again. If its length has changed
 * since, only the scale of the forces has, and it uses their signs and order. Open contacts have none. A
 * contact that has closed at rest within the motion, as at a seam, has the force that the law gives it. */
static void keep(hn_solver *solver, double h, hn_state *state)
{
  hn_events *d = solver->data;
  hn_system *s = solver->system;
  for (int k = 0; k < s->nblock; k++)
    for (int r = 0; r < s->block[k].n; r++)
      if (d->now[k].kind == HN_ROW_OPEN && !d->touches[k]) d->law.p[s->block[k].row + r] = 0.0;
  hn_system_store_impulses(s, d->law.p, h, state);
}

/* Returns what fails where events do not end. */
static const char *endless_stage(const hn_events *d, bool no_motion)
{
  if (no_motion) return "law of accelerations, from which no motion follows (Painleve)";
  return d->apart > 0.0 ? "law of accelerations, from which the motion of its mode differs at once"
                        : "events, after each of which slips turn by much at once";
}

/* Forgets the events in succession. */
static void break_succession(tally *events)
{
  events->simultaneous = events->turns = events->close = events->unstruck = 0;
}

/* Counts an event GONE seconds after the previous one, at which there was an impact if STRUCK. Too many in
 * succession, of any kind, make slow slips creep. If they already creep, too many mean that the step has
 * stalled; if the inner solver follows slips, too many simultaneous ones or turns. A motion that ends so
 * early without an event counts as one. */
static hn_reason count_event(hn_solver *solver, double h, double gone, bool struck, tally *events)
{
  hn_events *d = solver->data;
  events->simultaneous = gone <= 1e-14 * h ? events->simultaneous + 1 : 0;
  events->turns = d->mode_unchanged && gone <= turn_interval * h ? events->turns + 1 : 0;
  events->close = gone <= cluster_interval * h ? events->close + 1 : 0;
  events->unstruck = struck || gone > cluster_interval * h ? 0 : events->unstruck + 1;
  const bool failed = events->failed;
  const bool no_motion = events->simultaneous > (failed ? MAX_AFTER_FAILURE : MAX_SIMULTANEOUS);
  const bool turning = events->turns > (failed ? MAX_AFTER_FAILURE : MAX_TURNS);
  const bool clustered = events->unstruck > (failed ? MAX_AFTER_FAILURE : MAX_CLOSE);
  if ((no_motion || turning || events->close > MAX_CLOSE) && !d->law.leads && !d->follows) {
    d->law.leads = true; /* for the rest of the step */
    break_succession(events);
  } else if (no_motion || turning || (clustered && !d->follows)) {
    return hn_step_stalled(solver, endless_stage(d, no_motion), -1, gone,
                           no_motion ? events->simultaneous
                           : turning ? events->turns
                                     : events->unstruck);
  }
  if (++events->all > d->most)
    return hn_step_stalled(solver, "events, of which there are too many in a step", -1, gone, events->all);
  return HN_CONVERGED;
}

static hn_reason go_to_event(hn_solver *solver, machine *m, hn_state *state, step_state *next)
{
  hn_events *d = solver->data;
  double gone = 0.0;
  hn_reason reason = hn_events_go(solver, m->h - m->done, &gone, &m->event);
  if (reason != HN_CONVERGED) return reason;
  hn_state_copy(state, d->trial);
  keep(solver, m->h, state);
  reason = hn_motion_impulses_note(solver, gone, !m->event || d->fired != HN_FUNCTION_FORCE);
  if (reason != HN_CONVERGED) return reason;
  const bool stopped_short = gone <= turn_interval * m->h && m->done + gone < m->h;
  if (m->event || stopped_short) reason = count_event(solver, m->h, gone, m->struck, &m->events);
  else break_succession(&m->events);
  m->done += gone, m->struck = m->broke = false, m->before = hn_mode_number(d->mode);
  *next = m->event || !is_complete(m) ? CONTACT_DETECTION : END_OF_STEP;
  return reason;
}

/* ---- Time stepping ------------------------------------------------------------------------------------- */

/* Time-steps a part of the step after a failure for REASON. It ends at an event: velocities jump in it. At
 * the end of the step nothing is left; the next step meets the failure at its start. */
static hn_reason step_in_time(hn_solver *solver, machine *m, hn_reason reason, hn_state *state,
                              step_state *next)
{
  hn_events *d = solver->data;
  const double left = is_complete(m) ? 0.0 : m->h - m->done, part = m->part < 0.5 * left ? m->part : left;
  reason = hn_events_step_in_time(solver, part, reason, state);
  if (reason != HN_CONVERGED) return reason;
  m->done += part, m->part *= part_growth;
  m->event = true, m->struck = m->broke = false, m->before = 0;
  d->fired = HN_FUNCTION_FORCE;
  break_succession(&m->events);
  m->events.failed = true;
  *next = is_complete(m) ? END_OF_STEP : CONTACT_DETECTION;
  return HN_CONVERGED;
}

/* ---- The step ------------------------------------------------------------------------------------------ */

hn_reason hn_events_step(hn_solver *solver, hn_state *state, double h)
{
  hn_events *d = solver->data;
  machine m = { .h = h, .before = d->mode ? hn_mode_number(d->mode) : 0, .part = first_part * h };
  step_state next = CONTACT_DETECTION;
  hn_reason reason = HN_CONVERGED;
  d->step = h, d->entering = -1;
  d->law.leads = d->creep == HN_CREEP_LED && !d->follows;
  memset(d->breakage_state.gone, 0, sizeof *d->breakage_state.gone * (size_t)solver->system->model->njoint);
  while (reason == HN_CONVERGED && next != END_OF_STEP) {
    const step_state now = next;
    switch (now) {
    case CONTACT_DETECTION: reason = detect_contacts(solver, state, &next); break;
    case IMPACT: reason = compute_impact(solver, &m, state, &next); break;
    case MODE_SELECTION: reason = select_mode(solver, &m, state, &next); break;
    case SMOOTH_MOTION_AND_EVENT_LOCATION: reason = go_to_event(solver, &m, state, &next); break;
    case END_OF_STEP: break;
    }
    if (reason != HN_CONVERGED && (now == MODE_SELECTION || now == SMOOTH_MOTION_AND_EVENT_LOCATION))
      reason = step_in_time(solver, &m, reason, state, &next);
  }
  return reason;
}
