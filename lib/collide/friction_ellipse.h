/* friction_ellipse.h - friction that depends on the direction of slip. Internal. */
#ifndef HN_FRICTION_ELLIPSE_H
#define HN_FRICTION_ELLIPSE_H

#include "collide/broad.h"

/* Makes friction of CONTACT, of the colliders of PAIR, anisotropic if a friction axis makes it so: rotates the
 * tangents to the axes of the ellipse, the longer one first, and sets the coefficients along it and the
 * anisotropy. Its frame is complete, and its coefficients are those along the friction axes. */
void hn_friction_ellipse_set(const hn_model *model, const hn_state *state, hn_pair pair, hn_contact *contact);

#endif
