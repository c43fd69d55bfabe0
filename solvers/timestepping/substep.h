/* substep.h - semi-implicit Euler in small steps, for the real-time solvers. */
#ifndef HN_SUBSTEP_H
#define HN_SUBSTEP_H

#include "holonom.h"

/* Adds h times ACCELERATION[nbody] to the velocities of STATE. */
void hn_substep_accelerate(double h, const hn_twist *acceleration, hn_state *state);
/* Computes u += h a with the unconstrained acceleration a, which is left in ACCELERATION[nbody]. */
void hn_substep_kick(hn_system *system, double h, hn_twist *acceleration, hn_state *state);
/* Moves the bodies: x += h v, q := (1, h w / 2) q / |...|. hn_substep_angular_velocity is the exact inverse
 * of the rotation. */
void hn_substep_drift(hn_system *system, double h, hn_state *state);
/* Changes angular velocities such that the drift turns by h w instead of 2 atan(h w / 2). */
void hn_substep_use_exact_turn(const hn_system *system, double h, hn_state *state);
/* Limits the speeds of centres of mass to MAX_SPEED; returns the number of bodies limited. */
int hn_substep_limit_speed(double max_speed, hn_state *state);
/* Fails if SUBSTEPS times SWEEPS is too large for a report. */
int hn_substep_check(const hn_solver *solver, int substeps, const char *key, int sweeps, hn_error *error);
/* Computes the angular velocity that drifts orientation FROM to TO within h; not finite for half a turn. */
void hn_substep_angular_velocity(const double from[4], const double to[4], double h, double w[3]);

#endif
