/* turn_limit.h - steps in which bodies in contact turn far are divided. */
#ifndef HN_TURN_LIMIT_H
#define HN_TURN_LIMIT_H

#include "solver.h"

/* Returns the number of equal parts of a step of H from STATE, whose contacts are listed, in each of which no
 * two bodies in contact turn far against each other: 1 for most steps. Slip over a part
 * is the way of a point of a body. After more than half a turn that way points against the velocity of the
 * point, and friction against it would drive the body. Round bodies on fixed ones need no limit
 * (hn_contact_turns). */
int hn_turn_parts(const hn_system *system, const hn_state *state, double h);

#endif
