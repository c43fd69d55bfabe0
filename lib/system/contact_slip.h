/* contact_slip.h - the slip of contacts over a step. Internal. */
#ifndef HN_CONTACT_SLIP_H
#define HN_CONTACT_SLIP_H

#include "linear/system_parts.h"

/* True if the slip direction of contact BLOCK turns with its bodies. False for round bodies on fixed ones,
 * whose centre is the centre of mass: their slip is the way of the contact point along the surface, for any
 * rotation. */
bool hn_contact_turns(const hn_system *s, const hn_block *block);
/* Returns the rate at which the slip direction of contact BLOCK, for which hn_contact_turns is true, turns
 * with its bodies at STATE, rad/s. A round feature does not turn it by spinning about the line from the
 * centre of mass. */
double hn_contact_slip_turn(const hn_block *block, const hn_state *state);
/* Computes the slip of b on a in a flight of H seconds between two states along the tangents of a contact
 * with friction, fixed in body a: SLIP[2], or SLIP[1] in the plane, m. The rotation of b relative to a is
 * counted in whole turns by their angular velocities. */
void hn_contact_slip(const hn_block *block, const hn_state *from, const hn_state *to, double h, double *slip);

#endif
