/* substep.h - what the real-time solvers share: semi-implicit Euler in small steps. */
#ifndef HN_SUBSTEP_H
#define HN_SUBSTEP_H

#include "holonom.h"

/* u += h a, with a the acceleration without joints; ACCELERATION[nbody] is scratch. */
void hn_substep_kick(hn_system *system, double h, hn_twist *acceleration, hn_state *state);
/* x += h v, q := (1, h w / 2) q / |...|: a turn whose exact inverse is hn_substep_turn. */
void hn_substep_drift(hn_system *system, double h, hn_state *state);
/* Angular velocities become those for which the drift turns by h times what they were, not by the angle whose half has
 * the tangent h w / 2. */
void hn_substep_lengthen(const hn_system *system, double h, hn_state *state);
/* Cuts speeds of centres of mass to MOST; returns how many were greater. */
int hn_substep_cut(double most, hn_state *state);
/* SWEEPS in each of so many SUBSTEPS must be a number that a report can hold. */
int hn_substep_check(const hn_solver *solver, int substeps, const char *key, int sweeps, hn_error *error);
/* The angular velocity that drifts FROM to TO within h; not finite for half a turn. */
void hn_substep_turn(const double from[4], const double to[4], double h, double w[3]);

#endif
