/* step_events.h - the events of one step, from control, the solver and breakages. Internal. */
#ifndef HN_STEP_EVENTS_H
#define HN_STEP_EVENTS_H

#include "solver.h"

typedef struct hn_happened {
  hn_event *event; /* [count] */
  int count, room;
} hn_happened;

/* Returns an event of bodies A and B without impulse, force or limit time. */
hn_event hn_event_of(hn_event_kind kind, double time, int a, int b);
/* Appends EVENT[COUNT], between two steps. -1 without memory. */
int hn_happened_add(hn_happened *h, const hn_event *event, int count);
void hn_happened_forget(hn_happened *h);
/* Adds the numbers of events of each kind to COUNTS[HN_EVENT_KINDS]. */
void hn_happened_count(const hn_happened *h, uint64_t *counts);
void hn_happened_free(hn_happened *h);

#endif
