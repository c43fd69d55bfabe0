/* joint_response.h - instantaneous response of joints to a change of velocities. Internal. */
#ifndef HN_JOINT_RESPONSE_H
#define HN_JOINT_RESPONSE_H

#include "system.h"

/* Creates a system of MODEL that can factor K, without redundant joints. Returns NULL on error. */
hn_system *hn_joint_response_create(const hn_model *model, hn_error *error);
/* Solves K p = b at the current Jacobian of S and adds W G' p to the velocities of STATE, which changes
 * the joint rates by B[nrow]. Stores p in B. */
hn_reason hn_joint_response(hn_system *s, double *b, hn_state *state);

#endif
