/* pair_laws.h - the laws of compliant contact of the pairs of shapes of a model. Internal. */
#ifndef HN_PAIR_LAWS_H
#define HN_PAIR_LAWS_H

#include "model.h"

/* Sets the law of SPEC, if it has one, and checks the pairs of shapes that may touch. *RIGID is false if all
 * of them are compliant; the needs of the model are then complete. Returns -1 on error. */
int hn_contact_laws_set_up(hn_model *model, const hn_contact_spec *spec, bool *rigid, hn_error *error);
void hn_contact_laws_free(struct hn_surfaces *surfaces);
/* True if two colliders may touch by bodies, groups and joints. */
bool hn_colliders_may_touch(const hn_model *model, int a, int b);
/* Returns the effective radius of two spheres, or of a sphere and a plane, m; NAN for other shapes. */
double hn_effective_radius(const hn_shape *a, const hn_shape *b);
/* True if no law of contact can supply energy. */
bool hn_contact_laws_are_passive(const hn_model *model);
/* True if no compliant contact can dissipate energy. */
bool hn_contact_laws_conserve(const hn_model *model);

#endif
