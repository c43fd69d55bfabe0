/* model_change.h - changes of the model during a run: state, events, new and broken joints. Internal. */
#ifndef HN_MODEL_CHANGE_H
#define HN_MODEL_CHANGE_H

#include "event/step_events.h"

/* Adapts STATE to MODEL, an edit of its model; time, motion, inputs and contacts of remaining bodies are
 * kept. Returns -1 without memory. */
int hn_state_change_model(hn_state *state, const hn_model *model, hn_error *error);
/* Returns the number of joints of OLD that are in NOW, where they precede the new ones. */
int hn_count_kept_joints(const hn_model *old, const hn_model *now);
/* Adds events for the elements that the change from OLD to NOW adds and removes. Returns -1 without
 * memory. */
int hn_model_change_events(hn_happened *happened, const hn_model *old, const hn_model *now, double time,
                           hn_error *error);
/* Stops the rates of the joints from number FIRST on by an impact without restitution. Returns -1 on
 * error. */
int hn_joints_stop(const hn_model *model, int first, hn_state *state, hn_error *error);
/* Stores in BROKEN[njoint] which joints broke in the step that ended with STATE: those that the solver
 * reported in HAPPENED, and those above their breakage load, for which it adds events. Returns their
 * number, or -1 without memory. */
int hn_joints_break(hn_happened *happened, const hn_solver *solver, const hn_state *state, bool *broken,
                    hn_error *error);

#endif
