/* exact_pair.h - the closed form of the rotation for two bodies at a time, where steps are short. Internal. */
#ifndef HN_EXACT_PAIR_H
#define HN_EXACT_PAIR_H

#include "flight/flight.h"

/* Of bodies A and B those whose motion in h is short enough for series; DONE says which. */
void hn_rotate_pair(const hn_body *body, int a, int b, double h, const hn_pose *pose, const hn_twist *twist,
                    hn_pose *pose_out, hn_twist *twist_out, bool done[2]);

#endif
