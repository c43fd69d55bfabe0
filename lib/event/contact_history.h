/* contact_history.h - modes and bounces of pairs of shapes and of joints, kept from event to event.
 * Internal.
 *
 * The end of infinitely many bounces: flights T0, T1 have the ratio r = T1 / T0 (for the first one the
 * restitution), and all flights to come, T1 r + T1 r^2 + ..., end after T1 r / (1 - r). */
#ifndef HN_CONTACT_HISTORY_H
#define HN_CONTACT_HISTORY_H

#include "solver.h"

enum { HN_BOUNCES = 3 };

/* The history of one pair or joint. */
typedef struct hn_history {
  uint64_t key;
  int a, b;
  hn_contact_mode mode;
  bool seen;               /* in the report under way */
  int bounces;             /* since it was closed last, */
  double last[HN_BOUNCES]; /* s: and their times, the latest first */
} hn_history;

typedef struct hn_histories {
  hn_history *of; /* [count] by ascending key */
  int count, room;
} hn_histories;

/* -1 without memory. */
int hn_histories_create(hn_histories *all, int room);
void hn_histories_free(hn_histories *all);
/* TO has as much room as FROM. */
void hn_histories_copy(hn_histories *to, const hn_histories *from);
/* Returns the history of KEY, or NULL. */
hn_history *hn_histories_find(hn_histories *all, uint64_t key);
/* Returns the history of KEY, between A and B, made if there is none: without room, in place of the open
 * one whose last bounce is the longest ago. */
hn_history *hn_histories_enter(hn_histories *all, uint64_t key, int a, int b);
/* Updates the history of KEY by EVENT. */
void hn_histories_learn(hn_histories *all, const hn_event *event, uint64_t key);
/* Returns the time at which infinitely many bounces, the last at TIME, would have ended; NAN: there are
 * too few. */
double hn_history_end_of_bounces(const hn_history *history, double time, double restitution);

#endif
