/* collider.h - the shapes of a body while a model is built. Internal. */
#ifndef HN_COLLIDER_H
#define HN_COLLIDER_H

#include "model.h"

/* of one model: two indices and a feature form a contact key of 64 bits */
enum { HN_MAX_COLLIDERS = 1 << 20 };

/* Returns the number of shapes of SPEC. */
int hn_parts_count(const hn_body_spec *spec);
/* Computes the mass properties of all shapes in scene axes; a mass in SPEC replaces their total mass. */
int hn_parts_mass(const hn_body_spec *spec, hn_mass *sum, hn_error *error);
/* Adds the shapes of SPEC to body number BODY, which is already stored. */
int hn_parts_add(hn_model *model, int body, const hn_body_spec *spec, hn_error *error);
void hn_colliders_free(hn_model *model);

#endif
