/* contact_history.c - modes and bounces of pairs of shapes and of joints (contact_history.h). */
#include "event/contact_history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* s, or relative to the time: times closer than this are simultaneous. */
static const double simultaneous = 1e-12;

int hn_histories_create(hn_histories *t, int room)
{
  *t = (hn_histories){ .of = calloc((size_t)room, sizeof *t->of), .room = room };
  return t->of ? 0 : -1;
}

void hn_histories_free(hn_histories *t)
{
  free(t->of);
}

void hn_histories_copy(hn_histories *to, const hn_histories *from)
{
  to->count = from->count;
  if (from->count > 0) memcpy(to->of, from->of, sizeof *to->of * (size_t)from->count);
}

static int place_of(const hn_histories *all, uint64_t key)
{
  int low = 0, high = all->count;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (all->of[middle].key < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

hn_history *hn_histories_find(hn_histories *all, uint64_t key)
{
  const int at = place_of(all, key);
  return at < all->count && all->of[at].key == key ? &all->of[at] : NULL;
}

static void forget(hn_histories *all, int at)
{
  all->count--;
  memmove(all->of + at, all->of + at + 1, sizeof *all->of * (size_t)(all->count - at));
}

/* Removes the open history whose last bounce is the longest ago. There is one: the caller has room for more
 * histories than blocks can be closed. */
static void forget_the_oldest(hn_histories *all)
{
  int oldest = 0;
  double when = HUGE_VAL;
  for (int i = 0; i < all->count; i++)
    if (all->of[i].mode == HN_MODE_OPEN && all->of[i].last[0] < when) oldest = i, when = all->of[i].last[0];
  forget(all, oldest);
}

hn_history *hn_histories_enter(hn_histories *all, uint64_t key, int a, int b)
{
  hn_history *known = hn_histories_find(all, key);
  if (known) return known;
  if (all->count == all->room) forget_the_oldest(all);
  const int at = place_of(all, key);
  memmove(all->of + at + 1, all->of + at, sizeof *all->of * (size_t)(all->count++ - at));
  all->of[at] = (hn_history){ .key = key, .a = a, .b = b };
  return &all->of[at];
}

static void note_bounce(hn_history *t, double time)
{
  if (t->mode != HN_MODE_OPEN) return;
  if (t->bounces > 0 && time - t->last[0] <= simultaneous * fmax(1.0, fabs(time))) return;
  memmove(t->last + 1, t->last, sizeof *t->last * (HN_BOUNCES - 1));
  t->last[0] = time, t->bounces++;
}

void hn_histories_learn(hn_histories *all, const hn_event *event, uint64_t key)
{
  hn_history *t = hn_histories_enter(all, key, event->a, event->b);
  switch (event->kind) {
  case HN_EVENT_IMPACT:
  case HN_EVENT_LIMIT: note_bounce(t, event->time); break;
  case HN_EVENT_CLOSED: t->bounces = 0, t->mode = HN_MODE_STICKING; break;
  case HN_EVENT_STICK: t->mode = HN_MODE_STICKING; break;
  case HN_EVENT_SLIP: t->mode = HN_MODE_SLIDING; break;
  case HN_EVENT_OPENED: t->mode = HN_MODE_OPEN; break;
  default: break;
  }
}

double hn_history_end_of_bounces(const hn_history *t, double time, double restitution)
{
  if (!t || t->bounces < 2 || !(restitution > 0.0) ||
      t->last[0] < time - simultaneous * fmax(1.0, fabs(time)))
    return NAN;
  const double flight = t->last[0] - t->last[1];
  const double ratio = t->bounces >= HN_BOUNCES ? flight / (t->last[1] - t->last[2]) : restitution;
  return ratio < 1.0 ? time + flight * ratio / (1.0 - ratio) : NAN;
}
