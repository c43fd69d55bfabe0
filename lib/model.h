/* model.h - parts of building a model that joints and forces share. Internal. */
#ifndef HN_MODEL_H
#define HN_MODEL_H

#include "holonom.h"

/* Room for one more element of SIZE bytes in an array of COUNT that doubles; NULL when memory is out. */
void *hn_with_room(void *array, int count, size_t size);

/* Points and axes of JOINT, whose name, type and bodies are in place, from SPEC; KEYS are what SPEC must say. */
int hn_model_set_geometry(const hn_model *model, hn_joint_spec spec, unsigned keys, hn_joint *joint, hn_error *error);

#endif
