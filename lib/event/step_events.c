/* step_events.c - the events of one step (step_events.h). */
#include "event/step_events.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

hn_event hn_event_of(hn_event_kind kind, double time, int a, int b)
{
  return (hn_event){ .time = time,
                     .kind = kind,
                     .a = a,
                     .b = b,
                     .impulse = NAN,
                     .friction = NAN,
                     .force = NAN,
                     .angular = NAN,
                     .until = NAN };
}

int hn_happened_add(hn_happened *h, const hn_event *event, int count)
{
  if (h->count + count > h->room) {
    const int room = 2 * (h->count + count);
    hn_event *grown = realloc(h->event, sizeof *grown * (size_t)room);
    if (!grown) return -1;
    h->event = grown, h->room = room;
  }
  if (count > 0) memcpy(h->event + h->count, event, sizeof *event * (size_t)count);
  h->count += count;
  return 0;
}

void hn_happened_forget(hn_happened *h)
{
  h->count = 0;
}

void hn_happened_count(const hn_happened *h, uint64_t *counts)
{
  for (int i = 0; i < h->count; i++) counts[h->event[i].kind]++;
}

void hn_happened_free(hn_happened *h)
{
  free(h->event);
  *h = (hn_happened){ .event = NULL };
}
