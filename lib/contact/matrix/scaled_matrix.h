/* scaled_matrix.h - (K + (Q Q')^-1)^-1 of a contact problem, Q a matrix of each block. Internal.
 *
 *   (K + (Q Q')^-1)^-1 = Q (1 + Q' K Q)^-1 Q'
 *
 * Q may be singular: impulses then stay outside of its null space. The middle matrix is symmetric and
 * positive definite, with the pattern of K or, by bodies (body_matrix.h), of the bodies. Where the entries of
 * Q differ by many powers of ten, as near the end of an interior-point method, the factor is inaccurate; one
 * step of iterative refinement mends that. */
#ifndef HN_SCALED_MATRIX_H
#define HN_SCALED_MATRIX_H

#include "contact/matrix/contact_matrix.h"

/* Loads K of PROBLEM and factors 1 + Q' K Q. Q[6 nrow] has n x n numbers of each block by rows.
 * HN_CONVERGED, HN_SINGULAR, HN_NOT_FINITE or HN_NO_MEMORY. */
hn_reason hn_scaled_matrix_factor(hn_contact_matrix *sparse, const hn_problem *problem, const double *Q);
/* Scratch of a solution, the caller's: [nrow] each, but u[6 nbody]. */
typedef struct hn_refinement {
  double *y, *Qy, *r, *u;
} hn_refinement;

/* Replaces X[nrow] by (K + (Q Q')^-1)^-1 X, with one step of iterative refinement. */
void hn_scaled_matrix_solve(hn_contact_matrix *sparse, const hn_problem *problem, const double *Q,
                            hn_refinement *work, double *x);

#endif
