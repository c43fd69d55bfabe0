/* alart_curnier.h - Alart and Curnier's function F of a block, whose zeros satisfy the block's law. Internal.
 *
 *   z = k p - v,  k the mean of the diagonal of K on the block
 *
 *   set      mode                          F
 *   any                                    v
 *   push     z <= 0: open                  k p
 *            else: closed                  v
 *   within   beyond a bound                k (p - bound)
 *            else                          v
 *   cone     z_n <= 0: open                k p
 *            else, for each disc d:        v_n
 *            |z_d| <= mu_d z_n: sticking   v_d
 *            else: sliding                 k p_d - mu_d z_n z_d / |z_d|
 *
 * F is piecewise smooth; derivatives are of the piece at p and v. [Alart and Curnier, Comput. Methods Appl.
 * Mech. Eng. 92 (1991) 353] */
#ifndef HN_ALART_CURNIER_H
#define HN_ALART_CURNIER_H

#include "contact.h"

/* Computes F[n] of BLOCK at p[n], v[n] and, unless A is NULL, its derivative dF = A dp + B dv, each n x n by
 * rows. Returns true if F depends on p alone. */
bool hn_alart_function(const hn_problem *problem, const hn_problem_block *block, double k, const double *p,
                       const double *v, double *F, double *A, double *B);
/* Returns the smallest t > 0 at which a sticking contact reaches its cone, or a sliding one opens, at p + t d
 * with the velocities v + t v_d; HUGE_VAL if there is none. BLOCK has a cone. */
double hn_alart_mode_change(const hn_problem_block *block, double k, const double *p, const double *v,
                            const double *d, const double *v_d);

#endif
