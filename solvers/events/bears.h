/* bears.h - joints that break in the motion between events. Internal. */
#ifndef HN_EVENTS_BEARS_H
#define HN_EVENTS_BEARS_H

#include "events/events_parts.h"

/* The margin of a joint is the part of its breakage load that is left. */
typedef struct hn_bears {
  int count;
  int *joint;   /* [count] joints that can break */
  bool *gone;   /* [njoint] has broken in this step, or is beside one that has */
  bool *yields; /* [count] negative where the search began: its root is sought without the tolerance */
  double *margin, *force; /* [count] at the last measurement, and the force or torque there, N, N m */
  double *rate;           /* [count] 1/s */
  hn_state *ahead;
  hn_twist *acceleration; /* [nbody] */
} hn_bears;

int hn_bears_setup(hn_solver *solver, hn_bears *bears, hn_error *error);
void hn_bears_free(hn_bears *bears);
/* Appends the margins at STATE as event functions, to which MODE has led from FROM in H. RATES: with their
 * rates, unless one is negative. */
hn_reason hn_bears_list(hn_bears *bears, const hn_system *system, hn_mode *mode, const hn_state *from,
                        const hn_state *state, double h, bool rates, hn_event_list *list);
/* Breaks the joints whose margins at STATE, by MODE, are negative, or AT_ROOT 0 as well. BROKE: there were
 * any. */
hn_reason hn_bears_settle(hn_solver *solver, hn_bears *bears, hn_mode *mode, const hn_state *state,
                          bool at_root, bool *broke);

#endif
