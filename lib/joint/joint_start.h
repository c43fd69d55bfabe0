/* joint_start.h - checks of the start of a model against its joints. Internal. */
#ifndef HN_JOINT_START_H
#define HN_JOINT_START_H

#include "model.h"

/* Returns 0 if positions and velocities at the start satisfy JOINT. */
int hn_joint_check_start(const hn_model *model, const hn_joint *joint, hn_error *error);
/* Returns the initial speed of a body, |v| + |w|: m/s and rad/s. */
double hn_body_speed(const hn_body *body);
/* Returns the unit of the rate of a residual: "m/s", "rad/s" or both. */
const char *hn_joint_rate_unit(const hn_joint_type *type);

#endif
