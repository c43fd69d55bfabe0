/* consistent.h - does the start of a model agree with its joints? Internal. */
#ifndef HN_CONSISTENT_H
#define HN_CONSISTENT_H

#include "holonom.h"

/* 0 when positions and velocities at the start satisfy JOINT, or may violate it. */
int hn_joint_check_start(const hn_model *model, const hn_joint *joint, hn_error *error);

#endif
