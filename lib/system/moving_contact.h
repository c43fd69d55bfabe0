/* moving_contact.h - contacts whose contact point moves over both bodies, as joints. Internal.
 *
 * Examples: a rim on a plane, a sphere on a sphere or on an edge, crossing edges. The contact is at the
 * nearest points of two cores (collide/cores.h). c_a and c_b are these points, w = c_b - c_a, n is the
 * normal, tau are the tangents of lines and circles:
 *
 *   w . tau_a = 0,  w . tau_b = 0       if neither core is a plane
 *   n . tau = 0                         for a line or circle on a plane
 *   c = W' W n / |W n|                  for an ellipsoid with half axes W, on a plane alone
 *   n = tau_a x tau_b / |...|;  w / |w| if a core is a point;  the plane's normal;  from a to b
 *   gap = n . w - skin_a - skin_b;      contact point r = c_b - skin_b n, which moves with c_b and n
 *
 * c_a and c_b move perpendicular to n, so the rate of the gap is n . V, where V is the velocity of b relative
 * to a at r. The slips are t_1 . V and t_2 . V. All three are rows of joint/point_velocity.h. t_1 is the
 * projection of a direction fixed to a onto the plane perpendicular to n. */
#ifndef HN_MOVING_CONTACT_H
#define HN_MOVING_CONTACT_H

#include "system/nearest_points.h"

/* Initialises MOVING from CONTACT, detected at STATE for shapes of MODEL. Returns false if n or r is not a
 * smooth function of the poses: a corner on a corner or edge without a radius, parallel edges, a disc that
 * lies flat; nor for an ellipsoid on anything but a plane or face. */
bool hn_moving_contact_set(hn_moving_contact *moving, const hn_model *model, const hn_contact *contact,
                           const hn_state *state);
/* Return joints that hold CONTACT as equations, like hn_contact_gap_joint and hn_contact_stick_joint. MOVING
 * must be initialised from CONTACT; it is their data and must outlive them. */
hn_joint hn_moving_contact_gap_joint(const hn_moving_contact *moving, const hn_contact *contact);
hn_joint hn_moving_contact_stick_joint(const hn_moving_contact *moving, const hn_contact *contact,
                                       bool planar, unsigned tangents);
/* Return the rotation since hn_moving_contact_set of the normal and of the directions to nearest points on
 * circles (length of the chord, 1), and its rate, 1/s. */
double hn_moving_contact_rotation(const hn_moving_contact *moving, const hn_contact *contact,
                                  const hn_state *state);
double hn_moving_contact_rotation_rate(const hn_moving_contact *moving, const hn_contact *contact,
                                       const hn_state *state);
/* Computes the acceleration terms of the first ROWS of n, t_1, t_2 at STATE. */
void hn_moving_contact_gamma(const hn_moving_contact *moving, const hn_contact *contact,
                             const hn_state *state, int rows, double *gamma);

#endif
