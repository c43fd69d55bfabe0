/* bears.h - joints that break in the motion between events. Internal. */
#ifndef HN_EVENTS_BEARS_H
#define HN_EVENTS_BEARS_H

#include "events/events_parts.h"

/* What each can bear, less what it has, is told as the part of it that it has to spare. */
typedef struct hn_bears {
  int count;
  int *joint;   /* [count] those that can break */
  bool *gone;   /* [njoint] have broken in this step, or stand beside one that has */
  bool *yields; /* [count] had nothing to spare where the motion was tried before the root is sought */
  double *spare, *force; /* [count] where it was measured last, and the force or torque there, N, N m */
  double *first, *first_rate, *last, *last_rate; /* [count] at the start of a motion and its end; 1/s */
  hn_state *ahead;
  hn_twist *acceleration; /* [nbody] */
} hn_bears;

int hn_bears_setup(hn_solver *solver, hn_bears *bears, hn_error *error);
void hn_bears_free(hn_bears *bears);
/* Into *LEAST what is left to the first that breaks at STATE, to which MODE has led from FROM in H: negative
 * where one would have. *EARLIER, which may be NULL, if it is 0: where in between one may have had nothing to
 * spare. */
hn_reason hn_bears_look(hn_bears *bears, const hn_system *system, hn_mode *mode, const hn_state *from,
                        const hn_state *state, double h, double *least, double *earlier);
/* Where was looked last some have nothing to spare: those may break at the root before it, which is looked
 * for next. */
void hn_bears_note(hn_bears *bears);
/* In MODE from STATE on: those break that have more than they bear, or have come to the root. Did any? */
hn_reason hn_bears_settle(hn_solver *solver, hn_bears *bears, hn_mode *mode, const hn_state *state,
                          bool *broke);

#endif
