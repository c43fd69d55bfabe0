/* contact_table.h - what is known of pairs of shapes, and of joints, that touch: from one
 * event to the next. Internal.
 *
 * Impacts without end: of flights T0, T1 the ratio is r = T1 / T0 (of the first one the restitution), and all
 * flights to come, T1 r + T1 r^2 + ..., are over after T1 r / (1 - r). */
#ifndef HN_CONTACT_TABLE_H
#define HN_CONTACT_TABLE_H

#include "solver.h"

enum { HN_BOUNCES = 3 };

/* What is known of a pair or a joint. */
typedef struct hn_touch {
  uint64_t key;
  int a, b;
  hn_grip grip;
  bool seen;               /* in the telling under way */
  int bounces;             /* since it last lay, and */
  double last[HN_BOUNCES]; /* when, the latest first */
} hn_touch;

typedef struct hn_touches {
  hn_touch *touch; /* [count] by ascending key */
  int count, most;
} hn_touches;

/* Room for MOST; -1 without memory. */
int hn_touches_create(hn_touches *t, int most);
void hn_touches_free(hn_touches *t);
/* TO has as much room. */
void hn_touches_copy(hn_touches *to, const hn_touches *from);
/* NULL: nothing is known of it. */
hn_touch *hn_touches_find(hn_touches *t, uint64_t key);
/* That of KEY, between A and B, which may be new: then what does not touch and has struck
 * the longest ago makes room. */
hn_touch *hn_touches_enter(hn_touches *t, uint64_t key, int a, int b);
/* What EVENT of KEY says. */
void hn_touches_learn(hn_touches *t, const hn_event *event, uint64_t key);
/* When its bounces, of which the last one is at TIME, would have been over; NAN: there are none. */
double hn_touch_end_of_bounces(const hn_touch *touch, double time, double restitution);

#endif
