/* kick.h - forces beside gravity in the impulse methods: half a kick before each step and half a kick after it. */
#ifndef HN_KICK_H
#define HN_KICK_H

#include "holonom.h"

typedef struct hn_kick {
  hn_twist *before, *last; /* [nbody] velocities before the closing kick, and of the last iteration */
} hn_kick;

int hn_kick_setup(hn_solver *solver, hn_kick *kick, hn_error *error);
void hn_kick_free(hn_kick *kick);
/* u += h W f at the state, f the forces there. */
void hn_kick_open(hn_solver *solver, hn_state *state, double h);
/* Solves u = u_0 + h W f(u) + W G' p for a u that meets the joints, by fixed-point iteration: PROJECT corrects the
 * velocities of STATE. One pass when no force depends on velocities. Stalled when h times the damping is too large. */
hn_reason hn_kick_close(hn_solver *solver, hn_kick *kick, hn_state *state, double h,
                        hn_reason (*project)(hn_solver *solver, void *user, hn_state *state), void *user);

#endif
