/* friction_ellipse.h - friction that depends on the direction of slip. Internal. */
#ifndef HN_FRICTION_ELLIPSE_H
#define HN_FRICTION_ELLIPSE_H

#include "state.h"

/* Makes friction of CONTACT, of colliders A and B, anisotropic if a friction axis makes it so: rotates
 * the tangents to the axes of the ellipse, the longer one first, and sets the coefficients along it and the
 * anisotropy. The frame is complete, and the coefficients are those along the friction axes. */
void hn_friction_ellipse_set(const hn_model *model, const hn_state *state, int a, int b, hn_contact *contact);

#endif
