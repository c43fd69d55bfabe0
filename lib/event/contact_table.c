/* contact_table.c - what is known of what touches (contact_table.h). */
#include "event/contact_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double at_once = 1e-12; /* s, or of the time: instants that are no farther apart are one */

int hn_touches_create(hn_touches *t, int most)
{
  *t = (hn_touches){ .touch = calloc((size_t)most, sizeof *t->touch), .most = most };
  return t->touch ? 0 : -1;
}

void hn_touches_free(hn_touches *t)
{
  free(t->touch);
}

void hn_touches_copy(hn_touches *to, const hn_touches *from)
{
  to->count = from->count;
  if (from->count > 0) memcpy(to->touch, from->touch, sizeof *to->touch * (size_t)from->count);
}

static int place_of(const hn_touches *all, uint64_t key)
{
  int low = 0, high = all->count;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (all->touch[middle].key < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

hn_touch *hn_touches_find(hn_touches *all, uint64_t key)
{
  const int at = place_of(all, key);
  return at < all->count && all->touch[at].key == key ? &all->touch[at] : NULL;
}

static void forget(hn_touches *all, int at)
{
  all->count--;
  memmove(all->touch + at, all->touch + at + 1, sizeof *all->touch * (size_t)(all->count - at));
}

/* Of what does not touch now that which has struck the longest ago. */
static void forget_the_oldest(hn_touches *all)
{
  int oldest = 0;
  double when = HUGE_VAL;
  for (int i = 0; i < all->count; i++)
    if (all->touch[i].grip == HN_GRIP_NONE && all->touch[i].last[0] < when)
      oldest = i, when = all->touch[i].last[0];
  forget(all, oldest);
}

hn_touch *hn_touches_enter(hn_touches *all, uint64_t key, int a, int b)
{
  hn_touch *known = hn_touches_find(all, key);
  if (known) return known;
  if (all->count == all->most) forget_the_oldest(all);
  const int at = place_of(all, key);
  memmove(all->touch + at + 1, all->touch + at, sizeof *all->touch * (size_t)(all->count++ - at));
  all->touch[at] = (hn_touch){ .key = key, .a = a, .b = b };
  return &all->touch[at];
}

static void note_bounce(hn_touch *t, double time)
{
  if (t->grip != HN_GRIP_NONE) return;
  if (t->bounces > 0 && time - t->last[0] <= at_once * fmax(1.0, fabs(time))) return;
  memmove(t->last + 1, t->last, sizeof *t->last * (HN_BOUNCES - 1));
  t->last[0] = time, t->bounces++;
}

void hn_touches_learn(hn_touches *all, const hn_event *event, uint64_t key)
{
  hn_touch *t = hn_touches_enter(all, key, event->a, event->b);
  switch (event->kind) {
  case HN_EVENT_IMPACT:
  case HN_EVENT_LIMIT: note_bounce(t, event->time); break;
  case HN_EVENT_CLOSED: t->bounces = 0, t->grip = HN_GRIP_STICKS; break;
  case HN_EVENT_STICK: t->grip = HN_GRIP_STICKS; break;
  case HN_EVENT_SLIP: t->grip = HN_GRIP_SLIDES; break;
  case HN_EVENT_OPENED: t->grip = HN_GRIP_NONE; break;
  default: break;
  }
}

double hn_touch_end_of_bounces(const hn_touch *t, double time, double restitution)
{
  if (!t || t->bounces < 2 || !(restitution > 0.0) || t->last[0] < time - at_once * fmax(1.0, fabs(time)))
    return NAN;
  const double flight = t->last[0] - t->last[1];
  const double ratio = t->bounces >= HN_BOUNCES ? flight / (t->last[1] - t->last[2]) : restitution;
  return ratio < 1.0 ? time + flight * ratio / (1.0 - ratio) : NAN;
}
