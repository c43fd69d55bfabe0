/* substep.h - what the real-time methods share: semi-implicit Euler in small steps, and blocks that may be singular. */
#ifndef HN_SUBSTEP_H
#define HN_SUBSTEP_H

#include "holonom.h"

/* u += h a, with a the acceleration without joints; ACCELERATION[nbody] is scratch. */
void hn_substep_kick(hn_system *system, double h, hn_twist *acceleration, hn_state *state);
/* x += h v, q := (1, h w / 2) q / |...|: a turn whose exact inverse is hn_substep_turn. */
void hn_substep_drift(hn_system *system, double h, hn_state *state);
/* The angular velocity that drifts FROM to TO within h; not finite for half a turn. */
void hn_substep_turn(const double from[4], const double to[4], double h, double w[3]);

/* Solves A x = b for the symmetric positive semidefinite n x n matrix A (row by row), b given in x. A is overwritten.
 * Rows that depend on rows before them get 0: where they agree with those, the solution is exact. */
void hn_semidefinite_factor(int n, double *A);
void hn_semidefinite_solve(int n, const double *A, double *x);

#endif
