/* residual.h - joints whose rows are functions of one's own. Internal. */
#ifndef HN_RESIDUAL_H
#define HN_RESIDUAL_H

#include "joints.h"

/* Inputs of their tapes: the time; of a and then of b the position and the rotation matrix, row by row; and, of a rate,
 * of a and then of b velocity and angular velocity. */
enum {
  HN_OF_TIME,
  HN_OF_A,
  HN_OF_B = HN_OF_A + 12,
  HN_RESIDUAL_INPUTS = HN_OF_B + 12,
  HN_OF_TWISTS = HN_RESIDUAL_INPUTS,
  HN_RATE_INPUTS = HN_OF_TWISTS + 12
};

typedef struct hn_residual hn_residual;

/* JOINT, whose name is in place, gets a type of its own from what SPEC has of one. The tapes are JOINT's, also when
 * this fails. */
int hn_residual_make(hn_joint *joint, const hn_joint_own *spec, bool planar, hn_error *error);
void hn_residual_free(hn_residual *own); /* which may be NULL */

#endif
