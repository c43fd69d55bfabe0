/* joint_response.h - joints answer a change of velocities at once, in the mass metric. Internal. */
#ifndef HN_JOINT_RESPONSE_H
#define HN_JOINT_RESPONSE_H

#include "system.h"

/* A system of MODEL that can factor its K, joints that repeat each other left out. NULL on error. */
hn_system *hn_answer_create(const hn_model *model, hn_error *error);
/* Where the Jacobian of S is: velocities of STATE take W G' p, K p = b, so that the rows change by what of
 * B[nrow] they can. B becomes p. */
hn_reason hn_answer(hn_system *s, double *b, hn_state *state);

#endif
