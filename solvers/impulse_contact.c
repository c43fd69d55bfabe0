/* impulse_contact.c - impulse method whose contacts are found at their instants.
 *
 *   until the step is over:
 *     impacts of what touches and closes, all at once (impact.c): Poisson's law, or Newton's
 *     try what is left of the step: flight and joint correction as impulse-sle (rattle.c), or, where something is
 *       held, with it (standing.c)
 *     the first event in it - a gap or a limit that closes, a contact that stops to slide - is bracketed by its gap, or
 *       its slip, and refined by a root finder; the value at s is that of the step of s from where this part began
 *     the step of that s is taken, and its end is where the next part begins
 *
 * Order 2, through impacts and stops as well: a part of a step is one of order 2, and events are where that solver's
 * own motion has them, to rounding. What is slower than the threshold does not bounce, so that infinitely many impacts
 * in a finite time end; what touches and does not part is held, and stays where it is. Without limits, contacts and
 * bounded forces it is impulse-sle. Cost: that of impulse-sle and, for each event, five to ten parts of a step.
 * [bender2005, section 4.4: bisection, impacts without friction; Guendelman's for what rests] */
#include "timestepping/gap_projection.h"
#include "event/impact.h"
#include "event/event_root.h"
#include "impulse/rattle.h"
#include "contact_events/standing.h"
#include "system/contact_blocks.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double as_good = 1e-15; /* m, m/s: of what is left to an event */
static const double stops = 1000.0;  /* times the tolerance of a contact problem: slower is not motion */

typedef struct impulse_contact {
  hn_rattle rattle;
  hn_halving halving;
  hn_impact impact;
  hn_standing standing;
  hn_nearby nearby;
  hn_instant instant;
  hn_gaps gaps;        /* takes shapes apart that overlap */
  hn_rest rest;        /* nothing sleeps */
  int events;          /* in a step, at most */
  bool one_sided;      /* is there anything that can touch? */
  bool bounded;        /* are there forces that have bounds? */
  hn_state *start;     /* of the part under way */
  hn_state *now;       /* where it leads */
  int asked;           /* which number of near: its rate is asked for, not what is left */
  double whole;        /* s: the step */
  double *load, *part; /* [model->nrow] impulses of the step, of the half under way; NULL: none breaks */
  hn_reason reason;    /* of a part that failed while its end was sought */
} impulse_contact;

static const hn_param params[] = {
  HN_RATTLE_PARAMS(impulse_contact, rattle, "1e-9", "exact"),
  HN_GUESS_PARAM(impulse_contact, rattle.guess),
  HN_HALVING_PARAM(impulse_contact, halving),
  HN_IMPACT_PARAMS(impulse_contact, impact, "newton:then=admm", "1e-10"),
  { "events", HN_INTEGER, offsetof(impulse_contact, events), "1000", 1, 1e9, "", NULL, "in a step, at most" },
  { .key = NULL },
};

static int setup(hn_solver *solver, hn_error *error)
{
  impulse_contact *d = solver->data;
  const hn_model *model = solver->system->model;
  if (hn_halving_setup(solver, &d->halving, error) || hn_rattle_setup(solver, &d->rattle, error)) return -1;
  hn_events_told(solver);
  d->bounded = model->needs & HN_CAN_WITHIN, d->one_sided = model->most_contacts > 0;
  for (int i = 0; i < model->njoint; i++) d->one_sided |= model->joint[i].set->kind == HN_PUSH;
  if (model->needs & HN_CAN_BREAK) {
    d->load = calloc((size_t)model->nrow + 1, sizeof *d->load);
    d->part = calloc((size_t)model->nrow + 1, sizeof *d->part);
    if (!d->load || !d->part) return hn_fail(error, "out of memory");
  }
  if (!d->one_sided && !d->bounded) return 0;
  hn_active_free(&d->rattle.active); /* what is held is not for the flight to choose */
  memset(&d->rattle.active, 0, sizeof d->rattle.active);
  d->impact.touching = d->nearby.touching = d->standing.tolerance = d->rattle.tolerance;
  d->nearby.moving = stops * fmax(d->impact.contact.tolerance, 1e-13);
  d->standing.iterations = d->rattle.iterations, d->standing.nearby = &d->nearby;
  if (hn_impact_setup(solver, &d->impact, error) || hn_nearby_setup(solver, &d->nearby, error)) return -1;
  if (hn_standing_setup(solver, &d->standing, &d->impact.contact, error)) return -1;
  d->gaps.tolerance = d->rattle.tolerance, d->gaps.iterations = d->rattle.iterations;
  if (hn_gaps_setup(solver, &d->gaps, &d->impact.contact, error)) return -1;
  if (hn_instant_setup(&d->instant, as_good, error)) return -1;
  d->start = hn_state_create(model), d->now = hn_state_create(model);
  return d->start && d->now ? 0 : hn_fail(error, "out of memory");
}

static void reset(hn_solver *solver)
{
  hn_rattle_forget(&((impulse_contact *)solver->data)->rattle);
}

static void *memory(hn_solver *solver, size_t *size)
{
  return hn_guess_memory(&((impulse_contact *)solver->data)->rattle.guess, size);
}

static void destroy(hn_solver *solver)
{
  impulse_contact *d = solver->data;
  hn_rattle_free(&d->rattle);
  hn_halving_free(&d->halving);
  hn_impact_free(&d->impact);
  hn_standing_free(&d->standing);
  hn_nearby_free(&d->nearby);
  hn_instant_free(&d->instant);
  hn_gaps_free(&d->gaps);
  hn_state_free(d->start), hn_state_free(d->now);
  free(d->load), free(d->part);
}

/* ---- A part of the step ------------------------------------------------------------------------------------------ */

/* From `start`, where the system is listed again, to S later: `now`. */
static hn_reason go(hn_solver *solver, impulse_contact *d, double s)
{
  hn_system *system = solver->system;
  hn_state *now = d->now;
  hn_state_copy(now, d->start);
  hn_reason reason = hn_system_list(system, now);
  if (reason != HN_CONVERGED) return reason;
  if (d->nearby.any || d->bounded) {
    hn_system_linearise(system, now);
    return hn_standing_step(solver, &d->standing, now, s, d->whole);
  }
  reason = hn_rattle_step(solver, &d->rattle, now, s);
  for (int i = 0; i < now->ncontact && d->standing.fresh; i++)
    memset(now->contact[i].impulse, 0, sizeof now->contact[i].impulse);
  return reason;
}

/* That, and a look at where it leads. */
static hn_reason go_and_see(hn_solver *solver, impulse_contact *d, double s)
{
  hn_reason reason = go(solver, d, s);
  if (reason != HN_CONVERGED) return reason;
  reason = hn_nearby_see(&d->nearby, d->now);
  return reason == HN_CONVERGED ? reason : hn_step_failed(solver, reason, "contacts on the way", -1, 0.0);
}

static double value_at(void *user, double s)
{
  hn_solver *solver = user;
  impulse_contact *d = solver->data;
  double gap;
  d->reason = go_and_see(solver, d, s);
  if (d->reason != HN_CONVERGED) return NAN;
  return d->asked < 0 ? hn_nearby_left(&d->nearby) : -hn_nearby_rate(&d->nearby, d->asked, &gap);
}

/* Narrows *S, at the end of which AT_S < 0 is left, to where nothing is. AT_ZERO: at the beginning. What stops to slide
 * at once jams, by an impulse without a collision, and what comes back at once parts by rounding alone: both are held,
 * and that is no event; *S stays. */
static hn_reason narrow(hn_solver *solver, impulse_contact *d, int asked, double at_zero, double at_s,
                        double *s)
{
  double at = *s;
  d->asked = asked, d->reason = HN_CONVERGED;
  const bool found = hn_instant_find(&d->instant, value_at, solver, at_zero, *s, at_s, 0.0, &at);
  if (d->reason != HN_CONVERGED) return d->reason;
  const bool later = found && at > 4.0 * DBL_EPSILON * d->whole;
  if (!later && !hn_nearby_hold(&d->nearby, solver->system))
    return hn_step_stalled(solver, "instant of an event", -1, at_s, 0);
  if (later) *s = at;
  return go_and_see(solver, d, *s);
}

/* What is left to the events that are watched where the part begins; 0 of what parts there. */
static double left_at_start(const impulse_contact *d)
{
  double least = HUGE_VAL;
  for (const hn_near *near = d->nearby.near; near < d->nearby.near + d->nearby.count; near++) {
    if (!near->watched) continue;
    if (near->kind == HN_NEAR_PARTS) return 0.0;
    least = fmin(least, near->kind == HN_NEAR_OPEN ? near->gap : 0.5 * d->nearby.moving);
  }
  return fmin(least, fmax(d->nearby.look->model->margin, d->nearby.touching));
}

/* Where something was closed and open again on the way to *S: *S becomes the middle of it, if it was. */
static hn_reason look_into_dip(hn_solver *solver, impulse_contact *d, double *s, bool *found)
{
  const int i = hn_nearby_dip(&d->nearby, *s);
  double gap = 0.0, at = *s;
  *found = false;
  if (i < 0) return HN_CONVERGED;
  const double rate = hn_nearby_rate(&d->nearby, i, &gap);
  hn_reason reason = narrow(solver, d, i, -d->nearby.near[i].rate, -rate, &at);
  if (reason != HN_CONVERGED) return reason;
  hn_nearby_rate(&d->nearby, i, &gap);
  *found = gap < 0.0;
  if (*found) *s = at;
  return *found ? HN_CONVERGED : go_and_see(solver, d, *s);
}

/* From `start` to the first event, or over the rest of the step: *S, and `now` there. */
static hn_reason go_to_event(hn_solver *solver, impulse_contact *d, double *s, bool *event)
{
  *event = false;
  hn_reason reason = go_and_see(solver, d, *s);
  for (bool dips = false; reason == HN_CONVERGED;) {
    while (reason == HN_CONVERGED && hn_nearby_watch(&d->nearby)) {
      reason = narrow(solver, d, -1, left_at_start(d), hn_nearby_left(&d->nearby), s);
      *event = true;
    }
    if (reason == HN_CONVERGED) reason = look_into_dip(solver, d, s, &dips);
    if (!dips) break;
  }
  return reason;
}

/* ---- The step ---------------------------------------------------------------------------------------------------- */

/* What is in each other by more than the tolerance is moved apart, without velocities; the system is linearised. */
static hn_reason take_apart(hn_solver *solver, impulse_contact *d, hn_state *state)
{
  hn_system *s = solver->system;
  double deepest = 0.0;
  hn_system_linearise(s, state);
  for (int k = 0; k < s->nblock; k++)
    if (hn_is_one_sided(&s->block[k])) deepest = fmax(deepest, -s->g[s->block[k].row]);
  if (!(deepest > d->rattle.tolerance)) return HN_CONVERGED;
  hn_reason reason = hn_gaps_project(solver, &d->gaps, &d->rest, d->impact.problem, d->impact.p, state);
  if (reason == HN_CONVERGED) reason = hn_system_begin(s, state);
  if (reason == HN_CONVERGED) hn_system_linearise(s, state);
  return reason;
}

/* Contacts tell the impulses of all of a step. */
static void keep_impact(impulse_contact *d, hn_system *s, hn_state *state)
{
  memset(d->impact.v, 0, sizeof *d->impact.v * (size_t)s->nrow);
  if (!d->standing.fresh) hn_system_warm(s, state, 1.0, d->impact.v);
  for (int i = 0; i < s->nrow; i++) d->impact.v[i] += d->impact.p[i];
  hn_system_keep(s, d->impact.v, 1.0, state);
  d->standing.fresh = false;
}

/* What is held from TIME on, and slides, are events where it was not. */
static void tell(hn_solver *solver, const impulse_contact *d, double time)
{
  hn_grip *grip = hn_events_grips(solver);
  for (const hn_near *near = d->nearby.near; near < d->nearby.near + d->nearby.count; near++) {
    const int k = hn_nearby_block(solver->system, near->key);
    if (k >= 0 && near->kind == HN_NEAR_HELD) grip[k] = near->slips ? HN_GRIP_SLIDES : HN_GRIP_STICKS;
  }
  for (int k = 0; k < solver->system->nblock; k++) /* dry friction gives way in a step: there is no instant */
    if (solver->system->block[k].joint->set->kind == HN_WITHIN) grip[k] = HN_GRIP_STICKS;
  hn_events_touch(solver, time, grip);
}

/* Joints have had impulses P[nrow] in this part of the step. */
static void bear(const impulse_contact *d, const hn_system *s, const double *p)
{
  for (int i = 0; i < s->model->nrow && d->part; i++) d->part[i] += p[i];
}

/* At STATE, where the system is listed: impacts, and what is held from now on. */
static hn_reason begin_part(hn_solver *solver, impulse_contact *d, hn_state *state)
{
  hn_system *s = solver->system;
  hn_reason reason = take_apart(solver, d, state);
  if (reason != HN_CONVERGED) return reason;
  if (hn_impact_closing(solver, &d->impact, state) > d->nearby.moving) {
    reason = hn_impact_solve(solver, &d->impact, state);
    if (reason != HN_CONVERGED) return reason;
    keep_impact(d, s, state);
    hn_events_impact(solver, state->time, d->impact.p);
    bear(d, s, d->impact.p);
  }
  hn_nearby_begin(solver, &d->nearby, state);
  tell(solver, d, state->time);
  return HN_CONVERGED;
}

static hn_reason step_with_events(hn_solver *solver, hn_state *state, double h)
{
  impulse_contact *d = solver->data;
  double left = h;
  d->whole = h, d->standing.fresh = true;
  for (int events = 0;; events++) {
    if (events > d->events) return hn_step_stalled(solver, "events in one step", -1, left, events);
    hn_reason reason = begin_part(solver, d, state);
    double s = left;
    bool event;
    if (reason != HN_CONVERGED) return reason;
    hn_state_copy(d->start, state);
    reason = go_to_event(solver, d, &s, &event);
    if (reason != HN_CONVERGED) return reason;
    hn_state_copy(state, d->now);
    bear(d, solver->system, d->nearby.any || d->bounded ? d->standing.p : d->rattle.load);
    d->standing.fresh = false;
    left -= s;
    if (!event || left <= 4.0 * DBL_EPSILON * h) return HN_CONVERGED;
    reason = hn_system_begin(solver->system, state);
    if (reason != HN_CONVERGED) return hn_step_failed(solver, reason, "contacts after an event", -1, 0.0);
  }
}

/* What the second system has counted is work of the solver's own. */
static void count_looks(impulse_contact *d, hn_system *s)
{
  hn_work_add(&s->work, &d->nearby.look->work);
  d->nearby.look->work = (hn_work){ 0 };
}

static hn_reason whole_step(hn_solver *solver, hn_state *state, double h)
{
  impulse_contact *d = solver->data;
  const hn_system *s = solver->system;
  const bool smooth = !d->one_sided && !d->bounded;
  if (d->part) memset(d->part, 0, sizeof *d->part * (size_t)s->model->nrow);
  hn_reason reason = smooth ? hn_rattle_step(solver, &d->rattle, state, h)
                            : step_with_events(solver, state, h);
  if (smooth) bear(d, s, d->rattle.load);
  else count_looks(d, solver->system);
  for (int i = 0; i < s->model->nrow && d->load && reason == HN_CONVERGED; i++) d->load[i] += d->part[i];
  return reason;
}

/* What joints that break have borne is the mean force of the step, the impulses of its impacts included. */
static hn_reason step(hn_solver *solver, hn_state *state, double h)
{
  impulse_contact *d = solver->data;
  const int rows = d->load ? solver->system->model->nrow : 0;
  for (int i = 0; i < rows; i++) d->load[i] = 0.0;
  hn_reason reason = hn_halving_step(solver, &d->halving, state, h, whole_step);
  for (int i = 0; i < rows && reason == HN_CONVERGED; i++) solver->multipliers[i] = d->load[i] / h;
  return reason;
}

static unsigned capabilities_of(const hn_solver *solver)
{
  return hn_rattle_capabilities(solver, &((const impulse_contact *)solver->data)->rattle);
}

static hn_contact_solver *contact_solver(const hn_solver *solver)
{
  return ((const impulse_contact *)solver->data)->standing.law;
}

static const char *const variants[] = { "", "restitution=newton", NULL };

const hn_solver_type hn_solver_impulse_contact = {
  .abi = HN_ABI,
  .name = "impulse-contact",
  .summary =
    "impulses for all joints at once; contacts, impacts and stops at the instants at which they happen",
  .citation = "Schmitt 2003; Bender, Finkenzeller and Schmitt 2005, section 4",
  .capabilities = HN_CAN_BILATERAL | HN_KEEPS_MOMENTUM | HN_CAN_PUSH | HN_CAN_WITHIN | HN_CAN_CONE |
                  HN_CAN_BOUNCE | HN_CAN_VELOCITY | HN_CAN_CHANGE | HN_CAN_BREAK,
  .order = 2,
  .data_size = sizeof(impulse_contact),
  .params = params,
  .setup = setup,
  .step = step,
  .reset = reset,
  .memory = memory,
  .free = destroy,
  .capabilities_of = capabilities_of,
  .variants = variants,
  .contact_solver = contact_solver,
};
