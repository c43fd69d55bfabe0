/* stage_motion.h - exponential coordinates of poses about the start of a step. Internal.
 *
 *   x = x_0 + d,   q = exp(phi) q_0                          phi: rotation vector, world axes
 *   phi' = dexp^-1(phi) w = w - phi x w / 2 + k phi x (phi x w),  k = (1 - (a/2) cot(a/2)) / a^2,  a = |phi|
 *
 * [iserles2000, section 2; hairer2006, section III.4.2] */
#ifndef HN_STAGE_MOTION_H
#define HN_STAGE_MOTION_H

#include "solver.h"

/* Computes the poses of TO at the displacements Q[6 nbody] from FROM, and its twists, FROM's plus U[6 nbody].
 * Counted as a flight of every body. */
void hn_stage_move(hn_system *system, const hn_state *from, const double *q, const double *u, hn_state *to);
/* Replaces the angular velocities W of FLOW by the derivatives of the rotation vectors in Q[6 nbody]. */
void hn_stage_flow(const hn_system *system, const double *q, hn_twist *flow);
/* Computes E = dexp^-1(phi) and H = (d/dphi dexp^-1(phi) w) E, row by row: derivatives of phi' by w, and by
 * the small world rotation d that changes phi by E d. */
void hn_stage_derivative(const double phi[3], const double w[3], double E[9], double H[9]);
/* Replaces the rotations in Q[6 nbody], small world rotations at PHI[6 nbody], by the changes of the rotation
 * vectors of PHI. */
void hn_stage_change(const hn_system *system, const double *phi, double *q);
/* Replaces the displacements Q[6 nbody] from a pose A by those from the pose B that lies at Q_B from A. */
void hn_stage_rebase(const hn_system *system, const double *q_b, double *q);

#endif
