/* impulse_contact.c - the impulse method between events, which are found at their times.
 *
 *   contact detection   lists limits and contacts near; shapes that overlap are moved apart
 *   impact              where a touching row closes: joints and contacts as one problem, by Poisson's law or
 *                       Newton's (event/impact.c)
 *   mode selection      open: the gap is above the tolerance, or the row separates; else sticking or sliding
 *   smooth motion       the rest of the step: flight and corrections as impulse-sle (impulse/rattle.c), and
 *                       with closed contacts (impulse_contact/contact_step.c)
 *   event location      gaps of open rows and slips of sliding contacts are the event functions; the motion
 *                       is repeated up to the first root (event/event_search.c), where all this begins again
 *
 * Order 2, through impacts and stops as well: a part of a step is one of order 2, and events are where the
 * motion of the solver has them, to rounding. Closing slower than the threshold does not bounce, which
 * ends infinite sequences of impacts. Without limits, contacts and bounded forces it is impulse-sle. Cost:
 * that of impulse-sle and, for each event, five to ten parts of a step. [bender2005, section 4.4:
 * bisection, impacts without friction; Guendelman's for resting contact] */
#include "contact/contact_registry.h"
#include "event/contact_impulses.h"
#include "event/contact_monitor.h"
#include "event/event_search.h"
#include "parts.h"
#include "registry/solver_arrays.h"
#include "registry/step_doubling.h"
#include "impulse/rattle.h"
#include "impulse_contact/contact_step.h"
#include "system/contact_blocks.h"
#include "base/vec.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double root_tolerance = 1e-15; /* m, m/s: values of event functions that are roots */
/* Velocity of rest, in tolerances of contact problems: far above the error that a problem leaves in a contact
 * at rest, so that it neither slides nor opens by it; far below a slip that matters. */
static const double rest_per_tolerance = 1000.0;
enum { MAX_HALVINGS = 10 };                        /* of a motion, in a row */
static const double same_time = 4.0 * DBL_EPSILON; /* of a step: times closer than this are one */

typedef struct impulse_contact {
  hn_rattle rattle;
  hn_impact impact;
  hn_contact_step contact_step;
  hn_contact_monitor monitor;
  hn_event_search search;
  hn_gap_projection gaps; /* moves shapes apart that overlap */
  hn_sleeping rest;       /* of gaps: nothing sleeps */
  int max_events;         /* in a step */
  bool one_sided;         /* the model has limits or contacts, */
  bool bounded;           /* or forces with bounds */
  hn_system *look; /* a second system: contacts where a motion ends; the solver's own stays at the start */
  hn_contact_mode *mode; /* [max_blocks] from the start of the part on */
  bool *held;            /* [max_blocks] blocks that are not open */
  bool any_closed;
  hn_state *start, *end; /* of the part, and where the last motion from there has led */
  int noted;             /* mark of the impulses noted up to the start of the part */
  double whole, moved;   /* s: the step; and the last motion, negative if it cannot be used again */
  double *load,
    *part; /* [model->nrow] impulses of the step, and of its half under way; NULL: no joint breaks */
} impulse_contact;

static const hn_param params[] = {
  HN_RATTLE_PARAMS(impulse_contact, rattle, "1e-9", "exact"),
  HN_GUESS_PARAM(impulse_contact, rattle.guess),
  HN_HALVING_PARAM(impulse_contact, rattle.halving),
  HN_IMPACT_PARAMS(impulse_contact, impact, HN_ACCURATE_CONTACT, "1e-10"),
  { "events", HN_INTEGER, offsetof(impulse_contact, max_events), "1000", 1, 1e9, "", NULL,
    "in a step, at most" },
  HN_ERROR_TOLERANCE_PARAM(impulse_contact, rattle.error_tolerance),
  { .key = NULL },
};

static hn_event_evaluate evaluate;

static int setup_contact(hn_solver *solver, impulse_contact *d, hn_error *error)
{
  hn_system *s = solver->system;
  d->impact.touching = d->monitor.touching = d->contact_step.tolerance = d->gaps.tolerance =
    d->rattle.tolerance;
  d->contact_step.iterations = d->gaps.iterations = d->rattle.iterations;
  d->search.evaluate = evaluate, d->search.user = solver;
  d->look = hn_system_create(s->model, error);
  if (!d->look || hn_solver_allocate(solver, error, HN_STATE(d->start), HN_STATE(d->end),
                                     HN_ARRAY(d->mode, s->max_blocks), HN_ARRAY(d->held, s->max_blocks)))
    return -1;
  hn_system_set_impact_law(d->look, NULL);
  d->contact_step.monitor = &d->monitor, d->contact_step.held = d->held, d->contact_step.look = d->look;
  if (hn_impact_setup(solver, &d->impact, error) || hn_monitor_setup(&d->monitor, s, error)) return -1;
  if (hn_contact_step_setup(solver, &d->contact_step, &d->impact.contact, error)) return -1;
  if (hn_gap_projection_setup(solver, &d->gaps, &d->impact.contact, error)) return -1;
  return hn_event_search_setup(&d->search, s->max_blocks, root_tolerance, error);
}

static int setup(hn_solver *solver, hn_error *error)
{
  impulse_contact *d = solver->data;
  const hn_model *model = solver->system->model;
  if (hn_rattle_setup(solver, &d->rattle, error)) return -1;
  hn_events_by_solver(solver);
  d->bounded = model->needs & HN_CAN_WITHIN, d->one_sided = model->max_contacts > 0;
  for (int i = 0; i < model->njoint; i++) d->one_sided |= model->joint[i].set->kind == HN_PUSH;
  if (model->needs & HN_CAN_BREAK &&
      hn_solver_allocate(solver, error, HN_ARRAY(d->load, model->nrow), HN_ARRAY(d->part, model->nrow)))
    return -1;
  if (hn_doubling_setup(solver, d->rattle.error_tolerance, true, error)) return -1;
  if (!d->one_sided && !d->bounded) return 0;
  memset(&d->rattle.active, 0, sizeof d->rattle.active); /* modes decide which rows are held */
  return setup_contact(solver, d, error);
}

static void *memory(hn_solver *solver, size_t *size)
{
  return hn_guess_memory(&((impulse_contact *)solver->data)->rattle.guess, size);
}

static void destroy(hn_solver *solver)
{
  impulse_contact *d = solver->data;
  hn_impact_free(&d->impact);
  hn_contact_step_free(&d->contact_step);
  hn_monitor_free(&d->monitor);
  hn_event_search_free(&d->search);
  hn_gap_projection_free(&d->gaps);
  hn_system_free(d->look);
}

/* ---- Smooth motion and event location ------------------------------------------------------------------ */

/* Moves from `start`, where the system is listed again, for S to `end`. */
static hn_reason move_from_start(hn_solver *solver, impulse_contact *d, double s)
{
  hn_system *system = solver->system;
  hn_state *end = d->end;
  hn_state_copy(end, d->start);
  hn_impulses_take_back(solver, d->noted);
  hn_reason reason = hn_system_list(system, end);
  if (reason != HN_CONVERGED) return reason;
  if (d->any_closed || d->bounded) {
    hn_system_linearise(system, end);
    return hn_contact_step_advance(solver, &d->contact_step, end, s, d->whole);
  }
  reason = hn_rattle_step(solver, &d->rattle, end, s);
  for (int i = 0; i < end->ncontact && d->contact_step.first_part; i++)
    memset(end->contact[i].impulse, 0, sizeof end->contact[i].impulse);
  return reason;
}

/* Moves, and lists the contacts at `end` in the second system. */
static hn_reason move(hn_solver *solver, impulse_contact *d, double s)
{
  d->moved = -1.0;
  hn_reason reason = move_from_start(solver, d, s);
  if (reason != HN_CONVERGED) return reason;
  reason = hn_system_begin(d->look, d->end);
  if (reason != HN_CONVERGED)
    return hn_step_failed(solver, reason, "contacts at the end of a motion", -1, 0.0);
  hn_system_linearise(d->look, d->end);
  d->moved = s;
  return HN_CONVERGED;
}

static hn_reason evaluate(void *user, double s, bool rates, hn_event_list *list)
{
  hn_solver *solver = user;
  impulse_contact *d = solver->data;
  hn_reason reason = s == d->moved ? HN_CONVERGED : move(solver, d, s);
  if (reason != HN_CONVERGED) return reason;
  hn_monitor_list(&d->monitor, d->look, d->end, s, rates, list);
  return HN_CONVERGED;
}

/* Makes contacts stick from the start on whose event functions are negative at once: sliding that jams
 * ends by an impulse without a collision, and a contact that separates and returns at once does so by
 * rounding. True if there are any. */
static bool hold_simultaneous(impulse_contact *d)
{
  bool any = false;
  for (int i = 0; i < d->search.list.count; i++) {
    const hn_event_function *f = &d->search.list.function[i];
    const int k = f->value < 0.0 ? hn_monitor_find(&d->monitor, f->key) : -1;
    if (k < 0 || d->monitor.start[k].gap > d->monitor.touching) continue;
    d->monitor.start[k].mode = HN_MODE_STICKING, d->monitor.start[k].slip = 0.0;
    any = d->any_closed = d->held[k] = true;
  }
  return any;
}

/* Moves from `start` to the first event, or for LEFT: for *S, to `end`. A motion with closed contacts whose
 * correction stalls is halved: its rows at the start tell little about contacts at its end. */
static hn_reason move_to_event(hn_solver *solver, impulse_contact *d, double left, double *s, bool *event)
{
  for (int halvings = 0;;) {
    *s = left, d->moved = -1.0;
    hn_reason reason = hn_event_search_first(&d->search, s, event);
    if (reason == HN_STALLED && d->any_closed && halvings++ < MAX_HALVINGS) {
      solver->report.halvings++, left *= 0.5;
      continue;
    }
    if (reason != HN_CONVERGED || !*event || *s > same_time * d->whole) return reason;
    reason = hn_event_search_at(&d->search, d->search.after, false);
    if (reason != HN_CONVERGED) return reason;
    if (!hold_simultaneous(d))
      return hn_step_stalled(solver, "time of an event", -1, d->search.fired.value, 0);
  }
}

/* ---- The start of a part ------------------------------------------------------------------------------- */

/* Releases the rows of limits and contacts, which the projection of gaps holds: motions without closed ones
 * have the equations of joints only. */
static void release_one_sided(hn_system *s)
{
  for (int k = 0; k < s->nblock; k++)
    for (int r = 0; r < s->block[k].n && hn_is_one_sided(&s->block[k]); r++)
      hn_system_hold(s, s->block[k].row + r, false);
}

/* Moves shapes apart that overlap by more than the tolerance, without velocities; linearises the system. */
static hn_reason resolve_overlaps(hn_solver *solver, impulse_contact *d, hn_state *state)
{
  hn_system *s = solver->system;
  double deepest = 0.0;
  hn_system_linearise(s, state);
  for (int k = 0; k < s->nblock; k++)
    if (hn_is_one_sided(&s->block[k])) deepest = fmax(deepest, -s->g[s->block[k].row]);
  if (!(deepest > d->rattle.tolerance)) return HN_CONVERGED;
  hn_reason reason = hn_gap_projection_apply(solver, &d->gaps, &d->rest, d->impact.problem, d->impact.p,
                                             state);
  if (reason == HN_CONVERGED) reason = hn_system_begin(s, state);
  if (reason != HN_CONVERGED) return reason;
  release_one_sided(s);
  hn_system_linearise(s, state);
  return HN_CONVERGED;
}

/* Adds the impulses of impacts to those that the contacts of STATE have had in this step. */
static void keep_impact(impulse_contact *d, hn_system *s, hn_state *state)
{
  memset(d->impact.v, 0, sizeof *d->impact.v * (size_t)s->nrow);
  if (!d->contact_step.first_part) hn_system_load_impulses(s, state, 1.0, d->impact.v);
  for (int i = 0; i < s->nrow; i++) d->impact.v[i] += d->impact.p[i];
  hn_system_store_impulses(s, d->impact.v, 1.0, state);
  d->contact_step.first_part = false;
}

static void choose_modes(impulse_contact *d, hn_system *s, const hn_state *state)
{
  d->any_closed = false;
  hn_system_velocity_residual(s, state, d->monitor.rate, NULL);
  for (int k = 0; k < s->nblock; k++) {
    const hn_block *block = &s->block[k];
    const double *rate = d->monitor.rate + block->row;
    const bool one_sided = hn_is_one_sided(block);
    const bool open = one_sided && (s->g[block->row] > d->monitor.touching || rate[0] > d->monitor.moving);
    const bool slides = one_sided && norm_of(rate + 1, block->n - 1) > d->monitor.moving;
    d->mode[k] = open ? HN_MODE_OPEN : slides ? HN_MODE_SLIDING : HN_MODE_STICKING;
    d->held[k] = !open;
    d->any_closed |= one_sided && !open;
  }
}

/* Adds impulses P[nrow] of joints to the loads of this part of the step. */
static void add_loads(const impulse_contact *d, const hn_system *s, const double *p)
{
  for (int i = 0; i < s->model->nrow && d->part; i++) d->part[i] += p[i];
}

/* At STATE, where the system is listed: impacts, and the modes from here on. */
static hn_reason begin_part(hn_solver *solver, impulse_contact *d, hn_state *state)
{
  hn_system *s = solver->system;
  hn_reason reason = resolve_overlaps(solver, d, state);
  if (reason != HN_CONVERGED) return reason;
  const double *velocities = (const double *)state->twist;
  d->monitor.moving = rest_per_tolerance * hn_contact_tolerance(fmax(d->impact.contact.tolerance, 1e-13),
                                                                velocities, 6 * state->nbody);
  if (hn_impact_closing(solver, &d->impact, state) > d->monitor.moving) {
    reason = hn_impact_solve(solver, &d->impact, state);
    if (reason != HN_CONVERGED) return reason;
    keep_impact(d, s, state);
    hn_events_impact(solver, state->time, d->impact.p);
    add_loads(d, s, d->impact.p);
  }
  choose_modes(d, s, state);
  hn_monitor_start(&d->monitor, s, d->mode, state);
  hn_events_report_modes(solver, state->time, d->mode);
  hn_state_copy(d->start, state);
  d->noted = hn_impulses_mark(solver);
  return HN_CONVERGED;
}

/* Reports the slips that begin in the part from START on, in the order of their times. */
static void report_slips(hn_solver *solver, impulse_contact *d, double start)
{
  const hn_system *s = solver->system;
  for (;;) {
    int next = -1;
    for (int k = s->model->njoint; k < s->nblock; k++)
      if (!isnan(d->contact_step.onset[k]) &&
          (next < 0 || d->contact_step.onset[k] < d->contact_step.onset[next]))
        next = k;
    if (next < 0) return;
    hn_events_slip(solver, next, start + d->contact_step.onset[next]);
    d->contact_step.onset[next] = NAN;
  }
}

/* ---- The step ------------------------------------------------------------------------------------------ */

static hn_reason step_with_events(hn_solver *solver, hn_state *state, double h)
{
  impulse_contact *d = solver->data;
  double left = h;
  d->whole = h, d->contact_step.first_part = true;
  for (int events = 0;; events++) {
    if (events > d->max_events) return hn_step_stalled(solver, "events in one step", -1, left, events);
    double s;
    bool event;
    hn_reason reason = begin_part(solver, d, state);
    if (reason == HN_CONVERGED) reason = move_to_event(solver, d, left, &s, &event);
    if (reason != HN_CONVERGED) return reason;
    if (d->any_closed) report_slips(solver, d, state->time);
    hn_state_copy(state, d->end);
    add_loads(d, solver->system, d->any_closed || d->bounded ? d->contact_step.p : d->rattle.load);
    d->contact_step.first_part = false;
    if ((!event && s == left) || left - s <= same_time * h) return HN_CONVERGED;
    left -= s;
    reason = hn_system_begin(solver->system, state);
    if (reason != HN_CONVERGED) return hn_step_failed(solver, reason, "contacts after an event", -1, 0.0);
  }
}

static hn_reason whole_step(hn_solver *solver, hn_state *state, double h)
{
  impulse_contact *d = solver->data;
  hn_system *s = solver->system;
  if (d->part) memset(d->part, 0, sizeof *d->part * (size_t)s->model->nrow);
  hn_reason reason;
  if (!d->one_sided && !d->bounded) {
    reason = hn_rattle_step(solver, &d->rattle, state, h);
    add_loads(d, s, d->rattle.load);
  } else {
    reason = step_with_events(solver, state, h);
    hn_work_add(&s->work, &d->look->work);
    d->look->work = (hn_work){ 0 };
  }
  for (int i = 0; i < s->model->nrow && d->load && reason == HN_CONVERGED; i++) d->load[i] += d->part[i];
  return reason;
}

/* The load of joints that can break is the mean force of the step, impacts included. */
static hn_reason step(hn_solver *solver, hn_state *state, double h)
{
  impulse_contact *d = solver->data;
  const int rows = d->load ? solver->system->model->nrow : 0;
  for (int i = 0; i < rows; i++) d->load[i] = 0.0;
  hn_reason reason = hn_halving_step(solver, &d->rattle.halving, state, h, whole_step);
  for (int i = 0; i < rows && reason == HN_CONVERGED; i++) solver->multipliers[i] = d->load[i] / h;
  return reason;
}

static hn_contact_solver *contact_solver(const hn_solver *solver)
{
  return ((const impulse_contact *)solver->data)->contact_step.solver;
}

static const char *const variants[] = { "", "restitution=newton", NULL };

const hn_solver_type hn_solver_impulse_contact = {
  .abi = HN_ABI,
  .name = "impulse-contact",
  .summary =
    "impulses for all joints at once; contacts, impacts and stops at the instants at which they happen",
  .citation = "Schmitt 2003; Bender, Finkenzeller and Schmitt 2005, section 4",
  .capabilities = HN_CAN_BILATERAL | HN_CAN_COMPLIANT | HN_KEEPS_MOMENTUM | HN_CAN_PUSH | HN_CAN_WITHIN |
                  HN_CAN_CONE | HN_CAN_BOUNCE | HN_CAN_VELOCITY | HN_CAN_CHANGE | HN_CAN_BREAK,
  .order = 2,
  .data_size = sizeof(impulse_contact),
  .params = params,
  .setup = setup,
  .step = step,
  .reset = hn_rattle_solver_reset,
  .memory = memory,
  .free = destroy,
  .capabilities_of = hn_rattle_solver_capabilities,
  .variants = variants,
  .contact_solver = contact_solver,
};
