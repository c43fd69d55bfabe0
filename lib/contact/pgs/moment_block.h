/* moment_block.h - solution of one contact with moments of friction: rolling, torsional or both. Internal.
 *
 * Find p with v = D p + q for the law of contact.h, D the diagonal block of K. The discs of hn_set_discs are
 * coupled by their common normal and by D: the tangents of a ball and its rolling moments turn the same body.
 *
 *   repeat   solve F(p) = 0 by a step of Newton's method, Alart and Curnier's F (alart_curnier.h)
 *            if |F| does not decrease for t = 1, 1/2, ... 1/8: solve normal and disc d exactly, for each d in
 *            turn, the other discs fixed (local_coulomb.h)
 *   until    |F| is rounding error of D p and q
 *
 * Moments are measured in the length l with which the mean diagonals of tangents and moments are equal: m / l
 * is an impulse. So F has one unit, and its scale k suits all rows. */
#ifndef HN_MOMENT_BLOCK_H
#define HN_MOMENT_BLOCK_H

#include "joints.h"

/* Replaces P[n] by the solution for SET, a cone of n > 3 rows, given the velocities V[n] at the old P and the
 * diagonal block D, n x n. If the steps run out, P has the smallest |F| of them. */
void hn_moment_block_solve(const hn_set *set, int n, const double *D, const double *v, double *p);

#endif
