/* geometry.h - the place of a joint or a force on its bodies, and what a joint holds. Internal. */
#ifndef HN_GEOMETRY_H
#define HN_GEOMETRY_H

#include "model.h"

/* Points and axes of JOINT, whose name, type and bodies are in place, from SPEC; KEYS are what SPEC must say. */
int hn_model_set_geometry(const hn_model *model, hn_joint_spec spec, unsigned keys, hn_joint *joint,
                          hn_error *error);
/* Parameters of JOINT, whose type is in place, from SETTINGS ("key=value,..." or NULL). */
int hn_joint_set_data(hn_joint *joint, const char *settings, hn_error *error);
/* What JOINT owns; not itself. */
void hn_joint_free(hn_joint *joint);

#endif
