/* gap_monitor.h - gaps on the way: the first instant at which one closes. Internal. */
#ifndef HN_GAP_MONITOR_H
#define HN_GAP_MONITOR_H

#include "events/events_parts.h"

/* A block as it was at the start. */
typedef struct hn_watched {
  uint64_t key;
  hn_block_role role;
  bool closes;      /* its gap, when it has been open: not of an equation, nor of what others imply */
  double gap, rate; /* m, m/s (rad, rad/s) */
} hn_watched;

typedef struct hn_watch {
  hn_watched
    *start; /* [count], of most_blocks: joints, then contacts by ascending key, as the system has them */
  int count;
  double *v; /* [most_rows] */
} hn_watch;

int hn_watch_setup(hn_solver *solver, hn_watch *watch, hn_error *error);
void hn_watch_free(hn_watch *watch);
/* Notes the blocks of the system where it is linearised, with the roles that hold from here on. */
void hn_watch_start(hn_solver *solver, hn_watch *watch, const hn_block_role *role, const hn_state *state);
/* Block K of SYSTEM as it was at the start, if it was there, else NULL. AT, 0 before the first of ascending K, is where
 * to look on. */
const hn_watched *hn_watch_before(const hn_watch *watch, const hn_system *system, int k, int *at);
/* The least gap of the system at STATE, S after the start, where it is linearised; m, rad, or over S for what begins
 * to part: negative when one has closed. EARLIER, which may be NULL: where between a gap that is open at both ends may
 * have been closed, by its rates; 0: nowhere. */
double hn_watch_gap(hn_solver *solver, hn_watch *watch, const hn_events_limits *limits, const hn_state *state,
                    double s, double *earlier);

/* Where in (0, S) the cubic through two gaps, S apart, and their rates is least, if it is negative there;
 * else 0. */
double hn_watch_dip(double g0, double r0, double g1, double r1, double s);

/* How far two shapes can go through each other unseen, m: the least of all pairs. Nothing gets behind a plane. */
double hn_watch_reach(const hn_model *model);

/* When the first gap closes after the start, s, if all go on at their rates; infinite: none does. */
double hn_watch_expected(const hn_watch *watch);

#endif
