/* trial.h - the motion from one event to the next: how far it goes, and what ends it. Internal. */
#ifndef HN_EVENTS_TRIAL_H
#define HN_EVENTS_TRIAL_H

#include "events/bears.h"
#include "events/gap_monitor.h"
#include "events/travel.h"
#include "contact_events/impact.h"
#include "contact_events/event_root.h"

/* The solver between two events. */
typedef struct hn_events {
  const char *inner;
  hn_impact impact; /* its contact solver solves the law of accelerations as well */
  int most;         /* events in a step */
  int creep;        /* of slips that friction turns faster than a step can follow */
  hn_events_limits limits;
  char *spec; /* of the solver, with commas */
  hn_events_law law;
  hn_events_basis basis;
  hn_watch watch;
  hn_bears bears; /* joints that can break */
  hn_modes *modes;
  hn_mode *mode;          /* since the last event */
  bool goes_on;           /* it was in force before, and nothing has struck */
  hn_block_role *role;    /* [most_blocks] likewise */
  hn_block_role *now;     /* [most_blocks] of the blocks that there are */
  bool *touches;          /* [most_blocks] */
  hn_state *from, *trial; /* the last event; a motion from there */
  double moved;           /* s: for how long, and the system is linearised there; negative: there is none */
  hn_twist *acceleration; /* [nbody] of the mode */
  hn_instant instant;
  hn_reason reason; /* why a trial failed */
  hn_travel travel;
  double step; /* s: the length of the step */
} hn_events;

/* From the last event on, LEFT at the most: how far it went, and the trial is there. EVENT: one has ended it. */
hn_reason hn_events_go(hn_solver *solver, double left, double *gone, bool *event);

#endif
