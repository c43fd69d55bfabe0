/* geometry.h - the place of a joint or a force on its bodies. Internal. */
#ifndef HN_GEOMETRY_H
#define HN_GEOMETRY_H

#include "model.h"

/* Points and axes of JOINT, whose name, type and bodies are in place, from SPEC; KEYS are what SPEC must say. */
int hn_model_set_geometry(const hn_model *model, hn_joint_spec spec, unsigned keys, hn_joint *joint, hn_error *error);

#endif
