/* lie_group.h - motion of poses on the group R^3 x SO(3) of each body. */
#ifndef HN_LIE_GROUP_H
#define HN_LIE_GROUP_H

#include "holonom.h"

/* Moves FROM by the displacement D into TO, with the velocities U: x += D_x, R := R exp(D_W). Linear parts
 * are in world axes; angular parts of D and U are in body axes, those of TO in world axes. Counted as a
 * flight of every body. */
void hn_group_move(hn_system *system, const hn_state *from, const hn_twist *D, const hn_twist *u,
                   hn_state *to);
/* Moves the poses alone; TO may be FROM. */
void hn_group_displace(hn_system *system, const hn_state *from, const hn_twist *D, hn_state *to);

/* Computes the displacement D with TO = FROM exp(D), of rotations by less than half a turn. */
void hn_group_difference(const hn_system *system, const hn_state *from, const hn_state *to, hn_twist *D);

/* Converts twists to body axes: angular parts are rotated, linear parts stay in world axes. */
void hn_to_body_axes(const hn_state *at, const hn_twist *world, hn_twist *body);
void hn_to_world_axes(const hn_state *at, const hn_twist *body, hn_twist *world); /* the inverse */

/* Computes OUT = X + S A for all BODIES; OUT may be X. */
void hn_combine_twists(int bodies, hn_twist *out, const hn_twist *x, double s, const hn_twist *a);

#endif
