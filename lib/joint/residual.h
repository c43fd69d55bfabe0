/* residual.h - joints with custom rows. Internal. */
#ifndef HN_RESIDUAL_H
#define HN_RESIDUAL_H

#include "joints.h"

/* Inputs of the tapes: time; position and rotation matrix, row-major, of a, then of b; for a rate, velocity
 * and angular velocity of a, then of b. */
enum {
  HN_OF_TIME,
  HN_OF_A,
  HN_OF_B = HN_OF_A + 12,
  HN_RESIDUAL_INPUTS = HN_OF_B + 12,
  HN_OF_TWISTS = HN_RESIDUAL_INPUTS,
  HN_RATE_INPUTS = HN_OF_TWISTS + 12
};

typedef struct hn_residual hn_residual;

/* Creates the type of JOINT, whose name is set, from SPEC. JOINT takes ownership of the tapes, even on
 * failure. */
int hn_residual_make(hn_joint *joint, const hn_joint_own *spec, bool planar, hn_error *error);
void hn_residual_free(hn_residual *own); /* NULL is allowed */

#endif
