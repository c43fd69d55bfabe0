/* collider.h - the shapes of a body while a model is built. Internal. */
#ifndef HN_COLLIDER_H
#define HN_COLLIDER_H

#include "model.h"

enum { HN_MOST_COLLIDERS = 1 << 20 }; /* of one model: two and a feature make a key of 64 bits */

/* How many shapes SPEC has. */
int hn_parts_count(const hn_body_spec *spec);
/* What they weigh together, in the axes of the scene; the mass that SPEC gives is theirs. */
int hn_parts_mass(const hn_body_spec *spec, hn_mass *sum, hn_error *error);
/* Puts them on body number BODY, which is in its place. */
int hn_parts_add(hn_model *model, int body, const hn_body_spec *spec, hn_error *error);
void hn_colliders_free(hn_model *model);

#endif
