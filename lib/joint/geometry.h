/* geometry.h - geometry and parameters of a joint or a force. Internal. */
#ifndef HN_GEOMETRY_H
#define HN_GEOMETRY_H

#include "model.h"

/* Sets points and axes of JOINT, whose name, type and bodies are set, from SPEC. KEYS is the geometry that
 * SPEC must give. */
int hn_model_set_geometry(const hn_model *model, hn_joint_spec spec, unsigned keys, hn_joint *joint,
                          hn_error *error);
/* Sets the parameters of JOINT, whose type is set, from SETTINGS ("key=value,..." or NULL). */
int hn_joint_set_data(hn_joint *joint, const char *settings, hn_error *error);
/* Frees everything that JOINT owns, but not JOINT itself. */
void hn_joint_free(hn_joint *joint);

#endif
