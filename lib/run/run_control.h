/* run_control.h - calls of control between two steps, and their consequences. Internal. */
#ifndef HN_RUN_CONTROL_H
#define HN_RUN_CONTROL_H

#include "run.h"
#include "event/step_events.h"

typedef struct hn_run_control {
  hn_run_options options; /* only control and controller are used */
  hn_state *before;       /* state before the call; NULL: there is no control */
  hn_happened last;       /* events of the previous step */
  bool gave_impulse;      /* control has changed a velocity */
} hn_run_control;

int hn_run_control_create(hn_run_control *control, const hn_model *model, const hn_run_options *options,
                          hn_error *error);
void hn_run_control_free(hn_run_control *control);
/* Calls control at STATE with the events in HAPPENED, which are replaced by those that control causes. A
 * change of velocities is projected onto the joints and resets the solver's history. CHANGED receives the
 * edited model or NULL. Returns -1 on error. */
int hn_run_control_call(hn_run_control *control, hn_solver *solver, hn_state *state, hn_happened *happened,
                        hn_model **changed, hn_error *error);
/* Restores STATE as it was before control. */
void hn_run_control_undo(const hn_run_control *control, hn_state *state);

#endif
