/* singular_position.h - explains runs that fail where joints become dependent. Internal. */
#ifndef HN_SINGULAR_POSITION_H
#define HN_SINGULAR_POSITION_H

#include "run/runner_struct.h"

/* True if the energy, which is conserved, has jumped in the last step, and the joints are nearly dependent
 * before or after it: the motion would go on with wrong velocities, or on another branch. Stores the
 * explanation. */
bool hn_runner_left_singular_position(hn_runner *r);
/* Adds to the explanation of a step that stalled, or of a run that diverged, that the joints are nearly
 * dependent there, if they are. */
void hn_runner_explain_singular_position(hn_runner *r);

#endif
