/* creep.h - creep: slips that friction turns faster than a step can follow. Internal.
 *
 * Let k be the inverse mass of a contact. Within a time of |u| / (mu lambda_n k), friction turns a slip u
 * into the direction in which it no longer accelerates transversely. If that time is short compared with the
 * time ahead, the contact creeps: it slips in that direction at once. An equation holds the slip across it,
 * and the force of that equation is a part of friction. */
#ifndef HN_EVENTS_CREEP_H
#define HN_EVENTS_CREEP_H

#include "events/events_parts.h"

/* m/s: upper bound of slips that may creep, and of slips whose directions rounding makes uncertain */
static const double hn_slow = 0.1;

/* True if block K creeps under the forces of LAW when its slip changes at RATE, m/s^2, during the time
 * ahead. */
bool hn_creeps(const hn_events_law *law, int k, double rate);
/* Marks in ROLE[nblock] the contacts that creep, and sets their slip directions: those at the end of the time
 * ahead with friction opposite to them (implicit Euler). LAW is posed, with accelerations of SIZE; its forces
 * are overwritten. */
hn_reason hn_creep_find_direction(hn_solver *solver, hn_events_law *law, const bool *touches, double size,
                                  hn_block_mode *role);
/* Marks contacts that decelerate under the forces of LAW, which is solved. A contact creeps if friction would
 * turn it far before it comes to rest. A contact that turns far in a small part of the time ahead stops. */
void hn_creep_judge(hn_system *s, hn_events_law *law, const bool *touches, hn_block_mode *role);

#endif
