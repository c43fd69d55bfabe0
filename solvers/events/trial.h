/* trial.h - the motion from one event to the next: how far it goes, and what ends it. Internal. */
#ifndef HN_EVENTS_TRIAL_H
#define HN_EVENTS_TRIAL_H

#include "events/bears.h"
#include "events/travel.h"
#include "event/impact.h"
#include "event/contact_monitor.h"
#include "event/event_search.h"

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
  hn_contact_monitor monitor; /* blocks at the last event; that of number i has role[i] */
  hn_contact_mode *modes_now; /* [most_blocks] their modes, for the monitor */
  hn_bears bears;             /* joints that can break */
  hn_modes *modes;
  hn_mode *mode;          /* since the last event */
  bool follows;           /* the solver of the modes divides its steps where slips turn */
  bool goes_on;           /* it was in force before, and nothing has struck */
  hn_block_role *role;    /* [most_blocks] likewise */
  hn_block_role *now;     /* [most_blocks] of the blocks that there are */
  bool *touches;          /* [most_blocks] */
  hn_state *from, *trial; /* the last event; a motion from there */
  double
    *share; /* [3 most_blocks] forces, N, world axes, by the law, of contacts that stick at the last event */
  int *there;             /* [most_blocks] which block each was at the last event; -1: none */
  double *external;       /* [6 nbody] wrench of guessed forces of contacts */
  double moved;           /* s: for how long, and the system is linearised there; negative: there is none */
  hn_twist *acceleration; /* [nbody] of the mode */
  double
    apart; /* at the trial, as it was judged: by how much the law's accelerations are others; NAN: unknown */
  int
    entering; /* the block whose gap, left out of the mode, has closed by its acceleration at the trial; -1: none */
  hn_event_search search;
  hn_travel travel;
  double step; /* s: the length of the step */
} hn_events;

/* The event functions of the motion from the last event on: set as those of hn_events.search. */
hn_event_evaluate hn_events_evaluate;
/* From the last event on, LEFT at the most: how far it went, and the trial is there. EVENT: one has ended
 * it. */
hn_reason hn_events_go(hn_solver *solver, double left, double *gone, bool *event);

/* True if forces are found that satisfy the law, as it is posed for ROLE[nblock], with the accelerations of the mode at
 * the state of the last hn_mode_accelerate. The system is linearised there, and d->there is set. They become law.p. */
bool hn_events_guess(hn_solver *solver, const hn_block_role *role);

#endif
