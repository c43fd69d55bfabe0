/* exact_pair.h - closed form of the rotation of two bodies at a time, for short steps. Internal. */
#ifndef HN_EXACT_PAIR_H
#define HN_EXACT_PAIR_H

#include "flight/flight.h"

/* Rotates those of bodies A and B whose motion in H is short enough for series; DONE tells which. */
void hn_rotate_pair(const hn_body *body, int a, int b, double h, const hn_pose *pose, const hn_twist *twist,
                    hn_pose *pose_out, hn_twist *twist_out, bool done[2]);

#endif
