/* correction.h - what the solvers with corrections have in common: bound, capabilities, a velocity correction
 * that is switched off. */
#ifndef HN_CORRECTION_H
#define HN_CORRECTION_H

#include "solver.h"

/* Residual (m, rad) beyond which an iteration counts as diverged: far above any residual of a useful step. */
#define HUGE_RESIDUAL 1e6

/* Returns the CAPABILITIES of an impulse method with these parameters. Without the velocity correction it
 * cannot handle constraints on velocities, impacts or bounds. It conserves momentum only with the exact
 * flight and with corrections iterated TO_TOLERANCE. */
unsigned hn_impulse_capabilities(unsigned capabilities, bool velocity_correction, bool to_tolerance,
                                 const hn_flight_options *flight);

/* Leaves the velocities of STATE; takes the place of a velocity correction that is switched off. */
hn_reason hn_skip_velocity_correction(hn_solver *solver, void *user, hn_state *state);

#define HN_VELOCITY_CORRECTION_PARAM(data, field)                                                   \
  {                                                                                                 \
    "velocity_correction", HN_FLAG, offsetof(data, field), "true", 0, 0, "", NULL,                  \
      "correct the velocities at the end of a step; false: leave that to the next joint correction" \
  }

#endif
