/* event_log.c - events: what touches, slides and strikes, told by solvers at instants, or found
 * by the impulses of steps.
 *
 * Contacts of a pair of shapes are one thing: it touches while any of its points does, and slides while any
 * does; an impulse of it is the sum of theirs. What is known of a pair, or a joint, changes by its events
 * alone, so that what was known earlier can be had again from the start of the step and the events since.
 */
#include "event/event_log.h"
#include "base/vec.h"
#include "collide/contact_key.h"
#include "event/step_events.h"
#include "event/contact_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 256 };
#define PAIR (UINT64_C(1) << 63) /* in the key of what is a pair of shapes; a joint has its number */

static const double smallest = 1e-12; /* of the largest impulse: smaller ones are rounding */

/* What is told of it. */
typedef struct news {
  uint64_t key;
  int a, b;
  bool bounded; /* it slides or sticks, and cannot let go */
  hn_grip grip;
  double impulse, across[3], restitution;
} news;

struct hn_log {
  bool told;       /* the solver tells its events */
  hn_event *event; /* [count] of the step */
  uint64_t *of;    /* [count] key of each */
  int count, room; /* and behind the room, where no other event may go, place for all joints to break in: */
  int joints;      /* so many, as these are what changes the model */
  uint64_t lost;
  hn_touches known, start; /* now, and at the start of the step */
  news *news;              /* [most_blocks] of a telling */
  hn_grip *grip;           /* [most_blocks] */
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
  hn_log *log = solver->log = calloc(1, sizeof *log);
  const bool any = log && hn_model_is_eventful(s->model);
  if (log && !any) return 0;
  if (log) {
    const size_t blocks = (size_t)s->most_blocks + 1;
    log->room = ROOM + 4 * s->most_blocks;
    log->joints = s->model->needs & HN_CAN_BREAK ? s->model->njoint : 0;
    const size_t places = (size_t)log->room + (size_t)log->joints;
    log->event = calloc(places, sizeof *log->event);
    log->of = calloc(places, sizeof *log->of);
    log->news = calloc(blocks, sizeof *log->news), log->grip = calloc(blocks, sizeof *log->grip);
  }
  const int touches = 2 * s->most_blocks + ROOM;
  const bool made = log && log->event && log->of && log->news && log->grip &&
                    hn_touches_create(&log->known, touches) == 0 &&
                    hn_touches_create(&log->start, touches) == 0;
  return made ? 0 : hn_fail(error, "out of memory");
}

void hn_log_free(hn_log *log)
{
  if (!log) return;
  hn_touches_free(&log->known), hn_touches_free(&log->start);
  free(log->event), free(log->of), free(log->news), free(log->grip);
  free(log);
}

void hn_log_reset(hn_log *log)
{
  log->count = log->known.count = log->start.count = 0, log->lost = 0;
}

void hn_log_begin(hn_log *log)
{
  log->count = 0, log->lost = 0;
  hn_touches_copy(&log->start, &log->known);
}

/* Adds the event of KIND of what is told, and learns from it. */
static void note(hn_solver *solver, double time, hn_event_kind kind, const news *of, double until)
{
  hn_log *log = solver->log;
  hn_event event = hn_event_of(kind, time, of->a, of->b);
  event.until = until;
  if (!(of->key & PAIR)) event.joint = solver->system->model->joint[of->key].name;
  if (of->impulse > 0.0) event.impulse = of->impulse;
  if (of->impulse > 0.0 && of->key & PAIR) event.friction = vec_norm(of->across);
  hn_touches_learn(&log->known, &event, of->key);
  if (log->count >= log->room) log->lost++;
  else log->of[log->count] = of->key, log->event[log->count++] = event;
}

void hn_events_broken(hn_solver *solver, int joint, double time, double force)
{
  const hn_joint *broken = &solver->system->model->joint[joint];
  hn_log *log = solver->log;
  hn_event event = hn_event_of(HN_EVENT_BROKEN, time, broken->a, broken->b);
  event.joint = broken->name, event.force = force;
  if (log->count == log->room + log->joints) return; /* each breaks once in a step */
  log->of[log->count] = (uint64_t)joint, log->event[log->count++] = event;
}

int hn_events_count(const hn_solver *solver)
{
  return solver->log->count;
}

void hn_events_take_back(hn_solver *solver, int count)
{
  hn_log *log = solver->log;
  if (count >= log->count) return;
  log->count = count;
  hn_touches_copy(&log->known, &log->start);
  for (int i = 0; i < count; i++) hn_touches_learn(&log->known, &log->event[i], log->of[i]);
}

/* ---- What is told -------------------------------------------------------------------------------------- */

/* Takes contact CONTACT in the news of its pair, the last of COUNT or a new one; how many there are then. */
static int take_contact(news *all, int count, const hn_contact *contact, hn_grip grip, int rows,
                        const double *p)
{
  const uint64_t key = hn_contact_key_pair(contact->key) | PAIR;
  if (count == 0 || all[count - 1].key != key)
    all[count++] = (news){ .key = key, .a = contact->a, .b = contact->b };
  news *one = &all[count - 1];
  if (grip > one->grip) one->grip = grip;
  if (p) one->impulse += p[0];
  for (int r = 1; p && r < rows; r++) vec_add_scaled(one->across, p[r], contact->frame + 3 * r);
  one->restitution = fmax(one->restitution, contact->restitution);
  return count;
}

static bool lets_go(const hn_joint *joint)
{
  return joint->set->kind == HN_PUSH || joint->set->kind == HN_WITHIN;
}

/* Of joint NUMBER with an impulse of P. */
static news news_of_joint(const hn_joint *joint, int number, hn_grip grip, double p)
{
  const bool bounded = joint->set->kind == HN_WITHIN;
  return (news){ .key = (uint64_t)number,
                 .a = joint->a,
                 .b = joint->b,
                 .bounded = bounded,
                 .grip = grip,
                 .impulse = p,
                 .restitution = joint->set->restitution };
}

/* All that can let go, with GRIP[nblock] and P[nrow], each of which may be NULL. */
static int list_blocks(hn_solver *solver, const hn_grip *grip, const double *p)
{
  const hn_system *s = solver->system;
  hn_log *log = solver->log;
  int count = 0;
  for (int k = 0; k < s->nblock; k++) {
    const hn_block *block = &s->block[k];
    const hn_grip of = grip ? grip[k] : HN_GRIP_NONE;
    if (k >= s->model->njoint)
      count = take_contact(log->news, count, block->joint->data, of, block->n, p ? p + block->row : NULL);
    else if (lets_go(block->joint))
      log->news[count++] = news_of_joint(block->joint, k, of, p ? p[block->row] : 0.0);
  }
  return count;
}

void hn_events_told(hn_solver *solver)
{
  solver->log->told = true;
}

hn_grip *hn_events_grips(hn_solver *solver)
{
  hn_log *log = solver->log;
  if (log->grip) memset(log->grip, 0, sizeof *log->grip * (size_t)solver->system->most_blocks);
  return log->grip;
}

void hn_events_impact(hn_solver *solver, double time, const double *p)
{
  hn_log *log = solver->log;
  if (log->room == 0) return;
  const int count = list_blocks(solver, NULL, p);
  double largest = 0.0;
  for (int i = 0; i < count; i++) largest = fmax(largest, log->news[i].impulse);
  for (int i = 0; i < count; i++) {
    const news *one = &log->news[i];
    if (one->bounded || !(one->impulse > smallest * largest)) continue;
    note(solver, time, one->key & PAIR ? HN_EVENT_IMPACT : HN_EVENT_LIMIT, one, NAN);
  }
}

/* What ONE says, against what was known of it. */
static void compare(hn_solver *solver, double time, const news *one)
{
  hn_touch *known = hn_touches_find(&solver->log->known, one->key);
  const hn_grip before = known ? known->grip : one->bounded ? HN_GRIP_STICKS : HN_GRIP_NONE;
  const double until = known ? hn_touch_end_of_bounces(known, time, one->restitution) : NAN;
  if (before == HN_GRIP_NONE && one->grip != HN_GRIP_NONE) {
    note(solver, time, HN_EVENT_CLOSED, one, NAN);
    if (!isnan(until)) note(solver, time, HN_EVENT_ZENO, one, until);
  }
  if (before != HN_GRIP_NONE && one->grip == HN_GRIP_NONE) note(solver, time, HN_EVENT_OPENED, one, NAN);
  if (before != HN_GRIP_SLIDES && one->grip == HN_GRIP_SLIDES) note(solver, time, HN_EVENT_SLIP, one, NAN);
  if (before == HN_GRIP_SLIDES && one->grip == HN_GRIP_STICKS) note(solver, time, HN_EVENT_STICK, one, NAN);
  known = hn_touches_find(&solver->log->known, one->key);
  if (known) known->seen = true;
}

/* The first COUNT of the news; what is not among them does not touch. */
static void tell(hn_solver *solver, double time, int count)
{
  hn_log *log = solver->log;
  for (int i = 0; i < log->known.count; i++) log->known.touch[i].seen = false;
  for (int i = 0; i < count; i++) compare(solver, time, &log->news[i]);
  for (int i = 0; i < log->known.count; i++) {
    const hn_touch *t = &log->known.touch[i];
    if (t->seen || t->grip == HN_GRIP_NONE) continue;
    const news gone = { .key = t->key, .a = t->a, .b = t->b };
    note(solver, time, HN_EVENT_OPENED, &gone, NAN);
  }
}

void hn_events_touch(hn_solver *solver, double time, const hn_grip *grip)
{
  if (solver->log->room > 0) tell(solver, time, list_blocks(solver, grip, NULL));
}

/* ---- The end of a step --------------------------------------------------------------------------------- */

/* By the impulses of a step of H that ended with STATE: of limits, where the solver
 * tells them, and of contacts. */
static int list_impulses(hn_solver *solver, const hn_state *state, double h)
{
  const hn_model *model = solver->system->model;
  hn_log *log = solver->log;
  int count = 0;
  const bool told = solver->type->capabilities & HN_HAS_MULTIPLIERS;
  for (int j = 0; j < model->njoint && told; j++) {
    const hn_joint *joint = &model->joint[j];
    const double p = h * solver->multipliers[joint->row];
    if (joint->set->kind == HN_PUSH)
      log->news[count++] = news_of_joint(joint, j, p > 0.0 ? HN_GRIP_STICKS : HN_GRIP_NONE, p);
  }
  double largest = 0.0;
  for (int i = 0; i < state->ncontact; i++) largest = fmax(largest, state->contact[i].impulse[0]);
  for (int i = 0; i < state->ncontact; i++) {
    const hn_contact *c = &state->contact[i];
    const bool pushes = c->impulse[0] > smallest * largest;
    count = take_contact(log->news, count, c, pushes ? HN_GRIP_STICKS : HN_GRIP_NONE, 3, c->impulse);
  }
  return count;
}

/* Room for twice as many as there were: a step makes none. */
static void make_room(hn_log *log)
{
  const size_t wanted = 2 * ((size_t)log->count + (size_t)log->lost);
  if (wanted <= (size_t)log->room || wanted > (1u << 24)) return;
  const size_t places = wanted + (size_t)log->joints;
  hn_event *event = realloc(log->event, places * sizeof *event);
  if (event) log->event = event;
  uint64_t *of = event ? realloc(log->of, places * sizeof *of) : NULL;
  if (of) log->of = of, log->room = (int)wanted;
}

void hn_log_end(hn_solver *solver, const hn_state *state)
{
  hn_log *log = solver->log;
  if (log->room == 0) return;
  if (!log->told) tell(solver, state->time, list_impulses(solver, state, state->time - solver->backup->time));
  make_room(log);
}

const hn_event *hn_events_of(const hn_solver *solver, int *count, uint64_t *lost)
{
  *count = solver->log->count;
  if (lost) *lost = solver->log->lost;
  return solver->log->event;
}

/* ---- Memory -------------------------------------------------------------------------------------------- */

size_t hn_log_memory(const hn_log *log)
{
  return log->known.most > 0 ? sizeof(uint64_t) + sizeof(hn_touch) * (size_t)log->known.most : 0;
}

void hn_log_save(const hn_log *log, void *memory)
{
  const uint64_t count = (uint64_t)log->known.count;
  if (log->known.most == 0) return;
  memcpy(memory, &count, sizeof count);
  memcpy((char *)memory + sizeof count, log->known.touch, sizeof(hn_touch) * (size_t)count);
}

void hn_log_restore(hn_log *log, const void *memory)
{
  uint64_t count;
  if (log->known.most == 0) return;
  memcpy(&count, memory, sizeof count);
  log->known.count = (int)count, log->count = 0;
  memcpy(log->known.touch, (const char *)memory + sizeof count, sizeof(hn_touch) * (size_t)count);
}

/* Joints have other numbers, and what is gone touches nothing. */
void hn_log_carry(const hn_solver *from, hn_solver *to)
{
  const hn_model *old = from->system->model, *now = to->system->model;
  const hn_log *log = from->log;
  if (to->log->known.most == 0) return;
  for (int i = 0; i < log->known.count; i++) {
    const hn_touch *t = &log->known.touch[i];
    uint64_t key = t->key;
    if (now->body[t->a].gone || now->body[t->b].gone) continue;
    if (!(key & PAIR)) {
      int j = 0;
      while (j < now->njoint && now->joint[j].name != old->joint[key].name) j++;
      if (j == now->njoint) continue;
      key = (uint64_t)j;
    }
    hn_touch *as = hn_touches_enter(&to->log->known, key, t->a, t->b);
    *as = *t, as->key = key;
  }
}
