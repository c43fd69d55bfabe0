/* model_change.h - a run whose model changes: its state, its events, joints that break. Internal. */
#ifndef HN_MODEL_CHANGE_H
#define HN_MODEL_CHANGE_H

#include "event/step_events.h"

/* STATE becomes one of MODEL, a change of the model it is of; where it was, with what
 * it had. -1 without memory. */
int hn_state_follow(hn_state *state, const hn_model *model, hn_error *error);
/* Joints of OLD that are in NOW: those behind them are new. */
int hn_joints_kept(const hn_model *old, const hn_model *now);
/* What comes and goes from OLD to NOW, as events. -1 without memory. */
int hn_change_tell(hn_happened *happened, const hn_model *old, const hn_model *now, double time,
                   hn_error *error);
/* Joints from number FIRST on take the velocities of STATE that they do not let, at once, as an
 * impact without restitution. */
int hn_joints_catch(const hn_model *model, int first, hn_state *state, hn_error *error);
/* Which joints, into BROKEN[njoint], have broken in the step that ended with STATE: as the solver has told
 * among what has HAPPENED, or as they have more force in them than they bear, with their events. How many, or
 * -1. */
int hn_joints_break(hn_happened *happened, const hn_solver *solver, const hn_state *state, bool *broken,
                    hn_error *error);

#endif
