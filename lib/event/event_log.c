/* event_log.c - the log of events: reported by solvers at event times, or derived from the impulses of a
 * step.
 *
 * The contacts of a pair of shapes are reported as one: it is closed while any of them is, and slides
 * while any does; its impulse is the sum of theirs. The history of a pair, or of a joint, changes by its
 * events alone, so that an earlier one follows from that at the start of the step and the events since. */
#include "system/contact_blocks.h"
#include "event/event_log.h"
#include "contact.h"
#include "base/vec.h"
#include "collide/contact_key.h"
#include "event/step_events.h"
#include "event/contact_history.h"
#include "system/contact_blocks.h"

#include <stddef.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 256 };
enum { CLOSING = 10 };           /* times the impulse that a closed contact has at least */
#define PAIR (UINT64_C(1) << 63) /* bit in the keys of pairs of shapes; the key of a joint is its number */

static const double smallest = 1e-12; /* relative to the largest impulse: smaller ones are rounding */

/* A report of one pair or joint. */
typedef struct report {
  uint64_t key;
  int a, b;
  bool bounded; /* a bounded force: it slides or sticks, and is never open */
  hn_contact_mode mode;
  double impulse, across[3], restitution;
} report;

struct hn_event_log {
  bool reports;    /* the solver reports its events */
  hn_event *event; /* [count] of the step */
  uint64_t *of;    /* [count] key of each */
  int count, room;
  int joints; /* further places, for breakages alone: they change the model and must not be lost */
  uint64_t lost;
  hn_histories known, start; /* now, and at the start of the step */
  report *report;            /* [max_blocks] of the blocks at one time */
  hn_contact_mode *mode;     /* [max_blocks] */
};

const char *hn_event_name(hn_event_kind kind)
{
  static const char *const names[] = { "impact", "limit",  "closed",  "opened", "slip",   "stick",
                                       "zeno",   "broken", "impulse", "added",  "removed" };
  return names[kind];
}

int hn_log_create(hn_solver *solver, hn_error *error)
{
  const hn_system *s = solver->system;
  hn_event_log *log = solver->log = calloc(1, sizeof *log);
  const bool any = log && hn_model_has_events(s->model);
  if (log && !any) return 0;
  if (log) {
    const size_t blocks = (size_t)s->max_blocks + 1;
    log->room = ROOM + 4 * s->max_blocks;
    log->joints = s->model->needs & HN_CAN_BREAK ? s->model->njoint : 0;
    const size_t places = (size_t)log->room + (size_t)log->joints;
    log->event = calloc(places, sizeof *log->event);
    log->of = calloc(places, sizeof *log->of);
    log->report = calloc(blocks, sizeof *log->report), log->mode = calloc(blocks, sizeof *log->mode);
  }
  const int pairs = 2 * s->max_blocks + ROOM;
  const bool made = log && log->event && log->of && log->report && log->mode &&
                    hn_histories_create(&log->known, pairs) == 0 &&
                    hn_histories_create(&log->start, pairs) == 0;
  return made ? 0 : hn_fail(error, "out of memory");
}

void hn_log_free(hn_event_log *log)
{
  if (!log) return;
  hn_histories_free(&log->known), hn_histories_free(&log->start);
  free(log->event), free(log->of), free(log->report), free(log->mode);
  free(log);
}

void hn_log_reset(hn_event_log *log)
{
  log->count = log->known.count = log->start.count = 0, log->lost = 0;
}

void hn_log_begin(hn_event_log *log)
{
  log->count = 0, log->lost = 0;
  hn_histories_copy(&log->start, &log->known);
}

/* Appends an event of KIND and updates the history. */
static void note(hn_solver *solver, double time, hn_event_kind kind, const report *of, double until)
{
  hn_event_log *log = solver->log;
  hn_event event = hn_event_of(kind, time, of->a, of->b);
  event.until = until;
  if (!(of->key & PAIR)) event.joint = solver->system->model->joint[of->key].name;
  if (of->impulse > 0.0) event.impulse = of->impulse;
  if (of->impulse > 0.0 && of->key & PAIR) event.friction = vec_norm(of->across);
  hn_histories_learn(&log->known, &event, of->key);
  if (log->count >= log->room) log->lost++;
  else log->of[log->count] = of->key, log->event[log->count++] = event;
}

void hn_events_broken(hn_solver *solver, int joint, double time, double force)
{
  const hn_joint *broken = &solver->system->model->joint[joint];
  hn_event_log *log = solver->log;
  hn_event event = hn_event_of(HN_EVENT_BROKEN, time, broken->a, broken->b);
  event.joint = broken->name, event.force = force;
  if (log->count == log->room + log->joints) return; /* a joint breaks once in a step */
  log->of[log->count] = (uint64_t)joint, log->event[log->count++] = event;
}

int hn_events_count(const hn_solver *solver)
{
  return solver->log->count;
}

void hn_events_take_back(hn_solver *solver, int count)
{
  hn_event_log *log = solver->log;
  if (count >= log->count) return;
  log->count = count;
  hn_histories_copy(&log->known, &log->start);
  for (int i = 0; i < count; i++) hn_histories_learn(&log->known, &log->event[i], log->of[i]);
}

/* ---- Reports by blocks --------------------------------------------------------------------------------- */

/* Adds CONTACT, with impulse P along its axes or NULL, to the report of its pair, the last of COUNT or a new
 * one; returns the number of reports. */
static int take_contact(const hn_model *model, report *all, int count, const hn_contact *contact,
                        hn_contact_mode mode, int rows, const double *p)
{
  const uint64_t key = hn_contact_key_pair(model->field_bits, contact->key) | PAIR;
  if (count == 0 || all[count - 1].key != key)
    all[count++] = (report){ .key = key, .a = contact->a, .b = contact->b };
  report *one = &all[count - 1];
  if (mode > one->mode) one->mode = mode;
  if (p) one->impulse += p[0];
  for (int r = 1; p && r < rows && r < 3; r++) vec_add_scaled(one->across, p[r], contact->frame + 3 * r);
  one->restitution = fmax(one->restitution, contact->restitution);
  return count;
}

/* True if JOINT can change its mode. */
static bool has_modes(const hn_joint *joint)
{
  return joint->set->kind == HN_PUSH || joint->set->kind == HN_WITHIN;
}

/* Returns the report of joint NUMBER with an impulse of P. */
static report report_of_joint(const hn_joint *joint, int number, hn_contact_mode mode, double p)
{
  const bool bounded = joint->set->kind == HN_WITHIN;
  return (report){ .key = (uint64_t)number,
                   .a = joint->a,
                   .b = joint->b,
                   .bounded = bounded,
                   .mode = mode,
                   .impulse = p,
                   .restitution = joint->set->restitution };
}

/* Lists the reports of all blocks that have modes, with MODE[nblock] and P[nrow], each of which may be
 * NULL. */
static int list_blocks(hn_solver *solver, const hn_contact_mode *mode, const double *p)
{
  const hn_system *s = solver->system;
  hn_event_log *log = solver->log;
  int count = 0;
  for (int k = 0; k < s->nblock; k++) {
    const hn_block *block = &s->block[k];
    const hn_contact_mode of = mode ? mode[k] : HN_MODE_OPEN;
    if (k >= s->model->njoint) {
      const hn_contact contact = hn_contact_of(block);
      double along[3];
      if (p) hn_contact_components(&contact, block->n, p + block->row, along);
      count = take_contact(s->model, log->report, count, &contact, of, block->n, p ? along : NULL);
    } else if (has_modes(block->joint))
      log->report[count++] = report_of_joint(block->joint, k, of, p ? p[block->row] : 0.0);
  }
  return count;
}

void hn_events_by_solver(hn_solver *solver)
{
  solver->log->reports = true;
}

hn_contact_mode *hn_events_modes(hn_solver *solver)
{
  hn_event_log *log = solver->log;
  if (log->mode) memset(log->mode, 0, sizeof *log->mode * (size_t)solver->system->max_blocks);
  return log->mode;
}

void hn_events_impact(hn_solver *solver, double time, const double *p)
{
  hn_event_log *log = solver->log;
  if (log->room == 0) return;
  const int count = list_blocks(solver, NULL, p);
  double largest = 0.0;
  for (int i = 0; i < count; i++) largest = fmax(largest, log->report[i].impulse);
  for (int i = 0; i < count; i++) {
    const report *one = &log->report[i];
    if (one->bounded || !(one->impulse > smallest * largest)) continue;
    note(solver, time, one->key & PAIR ? HN_EVENT_IMPACT : HN_EVENT_LIMIT, one, NAN);
  }
}

/* Logs the changes of mode between the history of ONE and its report. */
static void compare(hn_solver *solver, double time, const report *one)
{
  hn_history *known = hn_histories_find(&solver->log->known, one->key);
  const hn_contact_mode before = known ? known->mode : one->bounded ? HN_MODE_STICKING : HN_MODE_OPEN;
  const double until = known ? hn_history_end_of_bounces(known, time, one->restitution) : NAN;
  if (before == HN_MODE_OPEN && one->mode != HN_MODE_OPEN) {
    note(solver, time, HN_EVENT_CLOSED, one, NAN);
    if (!isnan(until)) note(solver, time, HN_EVENT_ZENO, one, until);
  }
  if (before != HN_MODE_OPEN && one->mode == HN_MODE_OPEN) note(solver, time, HN_EVENT_OPENED, one, NAN);
  if (before != HN_MODE_SLIDING && one->mode == HN_MODE_SLIDING) note(solver, time, HN_EVENT_SLIP, one, NAN);
  if (before == HN_MODE_SLIDING && one->mode == HN_MODE_STICKING)
    note(solver, time, HN_EVENT_STICK, one, NAN);
  known = hn_histories_find(&solver->log->known, one->key);
  if (known) known->seen = true;
}

/* Logs the changes of the first COUNT reports; a pair without a report is open. */
static void log_changes(hn_solver *solver, double time, int count)
{
  hn_event_log *log = solver->log;
  for (int i = 0; i < log->known.count; i++) log->known.of[i].seen = false;
  for (int i = 0; i < count; i++) compare(solver, time, &log->report[i]);
  for (int i = 0; i < log->known.count; i++) {
    const hn_history *t = &log->known.of[i];
    if (t->seen || t->mode == HN_MODE_OPEN) continue;
    const report gone = { .key = t->key, .a = t->a, .b = t->b };
    note(solver, time, HN_EVENT_OPENED, &gone, NAN);
  }
}

void hn_events_report_modes(hn_solver *solver, double time, const hn_contact_mode *mode)
{
  if (solver->log->room > 0) log_changes(solver, time, list_blocks(solver, mode, NULL));
}

void hn_events_slip(hn_solver *solver, int k, double time)
{
  const hn_block *block = &solver->system->block[k];
  report one;
  if (solver->log->room == 0) return;
  const hn_contact contact = hn_contact_of(block);
  take_contact(solver->system->model, &one, 0, &contact, HN_MODE_SLIDING, block->n, NULL);
  const hn_history *known = hn_histories_find(&solver->log->known, one.key);
  if (known && known->mode == HN_MODE_STICKING) compare(solver, time, &one);
}

/* ---- The end of a step --------------------------------------------------------------------------------- */

/* True if the impulse of ONE, a pair of shapes, is more than rounding of the LARGEST, and more than what
 * the tolerance of the contact problem allows: a velocity of the tolerance times the reduced mass, and
 * CLOSING times that where the pair is open. So impulses that waver about the tolerance close and open
 * nothing. */
static bool pushes(hn_solver *solver, const report *one, double largest)
{
  const hn_body *body = solver->system->model->body;
  const hn_contact_solver *contact = solver->type->contact_solver ? solver->type->contact_solver(solver)
                                                                  : NULL;
  const hn_history *known = hn_histories_find(&solver->log->known, one->key);
  const double inv_mass = body[one->a].inv_mass + body[one->b].inv_mass;
  double allowed = contact && inv_mass > 0.0 ? contact->options.tolerance / inv_mass : 0.0;
  if (!known || known->mode == HN_MODE_OPEN) allowed *= CLOSING;
  return one->impulse > fmax(smallest * largest, allowed);
}

/* Lists reports by the impulses of a step of H that ended with STATE: of limits, where the solver has
 * multipliers, and of contacts. */
static int list_impulses(hn_solver *solver, const hn_state *state, double h)
{
  const hn_model *model = solver->system->model;
  hn_event_log *log = solver->log;
  int count = 0;
  const bool has_limits = solver->type->capabilities & HN_HAS_MULTIPLIERS;
  for (int j = 0; j < model->njoint && has_limits; j++) {
    const hn_joint *joint = &model->joint[j];
    const double p = h * solver->multipliers[joint->row];
    if (joint->set->kind == HN_PUSH)
      log->report[count++] = report_of_joint(joint, j, p > 0.0 ? HN_MODE_STICKING : HN_MODE_OPEN, p);
  }
  const int first = count;
  double largest = 0.0;
  for (int i = 0; i < state->ncontact; i++) {
    const hn_contact *c = &state->contact[i];
    largest = fmax(largest, c->impulse[0]);
    count = take_contact(model, log->report, count, c, HN_MODE_OPEN, 3, c->impulse);
  }
  for (int i = first; i < count; i++)
    if (pushes(solver, &log->report[i], largest)) log->report[i].mode = HN_MODE_STICKING;
  return count;
}

/* Makes room for twice as many events as there were: during a step no memory is allocated. */
static void make_room(hn_event_log *log)
{
  const size_t wanted = 2 * ((size_t)log->count + (size_t)log->lost);
  if (wanted <= (size_t)log->room || wanted > (1u << 24)) return;
  const size_t places = wanted + (size_t)log->joints;
  hn_event *event = realloc(log->event, places * sizeof *event);
  if (event) log->event = event;
  uint64_t *of = event ? realloc(log->of, places * sizeof *of) : NULL;
  if (of) log->of = of, log->room = (int)wanted;
}

void hn_log_end_part(hn_solver *solver, const hn_state *state, double h)
{
  const hn_event_log *log = solver->log;
  if (log->room > 0 && !log->reports) log_changes(solver, state->time, list_impulses(solver, state, h));
}

void hn_log_end(hn_solver *solver, const hn_state *state)
{
  hn_event_log *log = solver->log;
  if (log->room == 0) return;
  if (!solver->doubling) hn_log_end_part(solver, state, state->time - solver->backup->time);
  make_room(log);
}

const hn_event *hn_events_of(const hn_solver *solver, int *count, uint64_t *lost)
{
  *count = solver->log->count;
  if (lost) *lost = solver->log->lost;
  return solver->log->event;
}

/* ---- Memory -------------------------------------------------------------------------------------------- */

size_t hn_log_memory(const hn_event_log *log)
{
  return log->known.room > 0 ? sizeof(uint64_t) + sizeof(hn_history) * (size_t)log->known.room : 0;
}

void hn_log_save(const hn_event_log *log, void *memory)
{
  const uint64_t count = (uint64_t)log->known.count;
  if (log->known.room == 0) return;
  memcpy(memory, &count, sizeof count);
  memcpy((char *)memory + sizeof count, log->known.of, sizeof(hn_history) * (size_t)count);
}

bool hn_log_accepts(const hn_event_log *log, const hn_model *model, const void *memory)
{
  uint64_t count;
  if (log->known.room == 0) return true;
  memcpy(&count, memory, sizeof count);
  if (count > (uint64_t)log->known.room) return false;
  for (uint64_t i = 0; i < count; i++) {
    hn_history one;
    unsigned char seen;
    const char *from = (const char *)memory + sizeof count + sizeof one * i;
    memcpy(&seen, from + offsetof(hn_history, seen), 1);
    if (seen > 1) return false;
    memcpy(&one, from, sizeof one);
    if (!(one.key & PAIR) && one.key >= (uint64_t)model->njoint) return false;
    if (one.a < 0 || one.a >= model->nbody || one.b < 0 || one.b >= model->nbody || one.bounces < 0)
      return false;
  }
  return true;
}

void hn_log_restore(hn_event_log *log, const void *memory)
{
  uint64_t count;
  if (log->known.room == 0) return;
  memcpy(&count, memory, sizeof count);
  log->known.count = (int)count, log->count = 0;
  memcpy(log->known.of, (const char *)memory + sizeof count, sizeof(hn_history) * (size_t)count);
}

/* Joints are found by their names; pairs with bodies that are gone are forgotten. */
void hn_log_carry(const hn_solver *from, hn_solver *to)
{
  const hn_model *old = from->system->model, *now = to->system->model;
  const hn_event_log *log = from->log;
  if (to->log->known.room == 0) return;
  for (int i = 0; i < log->known.count; i++) {
    const hn_history *t = &log->known.of[i];
    uint64_t key = t->key;
    if (now->body[t->a].gone || now->body[t->b].gone) continue;
    if (!(key & PAIR)) {
      int j = 0;
      while (j < now->njoint && now->joint[j].name != old->joint[key].name) j++;
      if (j == now->njoint) continue;
      key = (uint64_t)j;
    }
    hn_history *as = hn_histories_enter(&to->log->known, key, t->a, t->b);
    *as = *t, as->key = key;
  }
}
