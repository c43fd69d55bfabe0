/* creep.h - slips that friction turns faster than a step can follow, and which are led to where it turns them.
 * Internal.
 *
 * In a time of |u| / (mu lambda_n k), k its inverse mass, friction turns a slip u into the direction in which it
 * accelerates no more across. Where that is short beside the time ahead, the slip creeps: it has that direction
 * at once, and is held across it by an equation, whose force is a part of friction. */
#ifndef HN_EVENTS_CREEP_H
#define HN_EVENTS_CREEP_H

#include "events/events_parts.h"

static const double hn_slow =
  0.1; /* m/s: slips that may creep, and whose directions rounding makes uncertain */

/* Does block K creep by the forces of LAW, if its slip changes at the RATE, m/s^2, while the motion goes on? */
bool hn_creeps(const hn_events_law *law, int k, double rate);
/* ROLE of what creeps: the direction of its slip after the time ahead, against which friction is by then (Euler's
 * implicit rule). LAW is posed, with accelerations of SIZE, and its forces are used up. */
hn_reason hn_creep_lead(hn_solver *solver, hn_events_law *law, const bool *touches, double size,
                        hn_block_role *role);
/* What slows down by its forces, where LAW is met: it creeps as well, if friction would turn it by more before
 * it comes to rest; what turns by much in a small part of the time ahead stops. */
void hn_creep_judge(hn_system *s, hn_events_law *law, const bool *touches, hn_block_role *role);

#endif
