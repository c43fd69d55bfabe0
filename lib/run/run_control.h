/* run_control.h - control of a run: what it is shown between two steps, and what becomes of what it does.
 * Internal. */
#ifndef HN_RUN_CONTROL_H
#define HN_RUN_CONTROL_H

#include "run.h"
#include "event/step_events.h"

typedef struct hn_steer {
  hn_run_options options; /* of which control and controller are asked */
  hn_state *before;       /* the state before it; NULL: there is no control */
  hn_happened last;       /* events of the step before */
  bool pushed;            /* has it ever given an impulse? */
} hn_steer;

/* -1 on error. */
int hn_steer_create(hn_steer *steer, const hn_model *model, const hn_run_options *options, hn_error *error);
void hn_steer_free(hn_steer *steer);
/* Asks control at STATE, with the events in HAPPENED, which are forgotten: those of what it does take their
 * place. Joints take what they hold of the impulses it gives. The solver forgets what it remembers then.
 * CHANGED: the model that it makes of that of SOLVER, or NULL. -1 on error. */
int hn_steer_ask(hn_steer *steer, hn_solver *solver, hn_state *state, hn_happened *happened,
                 hn_model **changed, hn_error *error);
/* What it has done to STATE is taken back. */
void hn_steer_back(const hn_steer *steer, hn_state *state);

#endif
