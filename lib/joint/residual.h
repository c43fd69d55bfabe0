/* residual.h - joints with custom rows. Internal. */
#ifndef HN_RESIDUAL_H
#define HN_RESIDUAL_H

#include "joints.h"

/* Inputs of the tapes: time; position and rotation matrix, row-major, of a, then of b; for a rate, velocity
 * and angular velocity of a, then of b. */
enum {
  HN_INPUT_TIME,
  HN_INPUT_POSE_A,
  HN_INPUT_POSE_B = HN_INPUT_POSE_A + 12,
  HN_RESIDUAL_INPUTS = HN_INPUT_POSE_B + 12,
  HN_INPUT_TWISTS = HN_RESIDUAL_INPUTS,
  HN_RATE_INPUTS = HN_INPUT_TWISTS + 12
};

typedef struct hn_residual hn_residual;

/* Creates the type of JOINT, whose name is set, from SPEC. JOINT takes ownership of the tapes, even on
 * failure. */
int hn_residual_make(hn_joint *joint, const hn_custom_rows *spec, bool planar, hn_error *error);
void hn_residual_free(hn_residual *own); /* NULL is allowed */

#endif
