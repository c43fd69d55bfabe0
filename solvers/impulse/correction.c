/* correction.c - what the solvers with corrections have in common (correction.h). */
#include "impulse/correction.h"

unsigned hn_impulse_capabilities(unsigned capabilities, bool velocity_correction, bool to_tolerance,
                                 const hn_flight_options *flight)
{
  const unsigned at_ends = HN_CAN_PUSH | HN_CAN_WITHIN | HN_CAN_CONE | HN_CAN_CHANGE | HN_CAN_BOUNCE |
                           HN_CAN_VELOCITY;
  if (!velocity_correction) capabilities &= ~at_ends;
  if (!to_tolerance || flight->kind != HN_EXACT) capabilities &= ~(unsigned)HN_KEEPS_MOMENTUM;
  return capabilities;
}

hn_reason hn_skip_velocity_correction(hn_solver *solver, void *user, hn_state *state)
{
  (void)solver, (void)user, (void)state;
  return HN_CONVERGED;
}
