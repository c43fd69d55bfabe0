/* moving_contact.h - contacts whose place moves over both bodies, as joints. Internal.
 *
 * A rim on a plane, a ball on a ball or on an edge, edges that cross: two cores (collide/cores.h), and where
 * they are nearest. With c_a and c_b the points of the cores there, w = c_b - c_a, n the normal, tau the
 * tangents of lines and circles,
 *
 *   w . tau_a = 0,  w . tau_b = 0       of two that are no planes
 *   n . tau = 0                         of a line or circle before a plane
 *   n = tau_a x tau_b / |...|;  w / |w| where one is a point;  the plane's own;  from a to b
 *   gap = n . w - skin_a - skin_b;      they touch at r = c_b - skin_b n, which moves with c_b and n
 *
 * As c_a and c_b move along what is across n, the rate of the gap is n . V, V the velocity of b against
 * a at r; and t_1 . V, t_2 . V are the slips: rows of touch.h all three. t_1 is what is left across n
 * of a direction fixed to a. */
#ifndef HN_MOVING_CONTACT_H
#define HN_MOVING_CONTACT_H

#include "system/nearest_points.h"

/* CONTACT, found at STATE by colliders of MODEL. False where n or r is no smooth function of the poses: a
 * corner on an edge or a corner without a radius, edges that are parallel, a disc that lies flat. */
bool hn_moving_set(hn_moving *moving, const hn_model *model, const hn_contact *contact,
                   const hn_state *state);
/* As hn_touching_gap and hn_touching_stick: the joints that hold CONTACT, of which MOVING
 * was made and is the data. */
hn_joint hn_moving_gap(const hn_moving *moving, const hn_contact *contact);
hn_joint hn_moving_stick(const hn_moving *moving, const hn_contact *contact, bool planar, unsigned tangents);
/* By how much these directions have turned up to STATE, rad, or the chord where that is large; and how fast
 * they turn there, rad/s. */
double hn_moving_turn(const hn_moving *moving, const hn_contact *contact, const hn_state *state);
double hn_moving_turn_rate(const hn_moving *moving, const hn_contact *contact, const hn_state *state);
/* The acceleration terms of the first ROWS of n, t_1, t_2 at STATE. */
void hn_moving_gamma(const hn_moving *moving, const hn_contact *contact, const hn_state *state, int rows,
                     double *gamma);

#endif
