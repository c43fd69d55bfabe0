/* scaled_matrix.h - (K + (Q Q')^-1)^-1 of a contact problem, Q a matrix of each block. Internal.
 *
 *   (K + (Q Q')^-1)^-1 = Q (1 + Q' K Q)^-1 Q'
 *
 * Q may be singular: impulses then stay outside of its null space. The middle matrix is symmetric and
 * positive definite, with the pattern of K or, by bodies (body_matrix.h), of the bodies. */
#ifndef HN_SCALED_MATRIX_H
#define HN_SCALED_MATRIX_H

#include "contact/matrix/contact_matrix.h"

/* Loads K of PROBLEM and factors 1 + Q' K Q. Q[6 nrow] has n x n numbers of each block by rows.
 * HN_CONVERGED, HN_SINGULAR, HN_NOT_FINITE or HN_NO_MEMORY. */
hn_reason hn_scaled_matrix_factor(hn_contact_matrix *sparse, const hn_problem *problem, const double *Q);
/* Replaces X[nrow] by (K + (Q Q')^-1)^-1 X. */
void hn_scaled_matrix_solve(hn_contact_matrix *sparse, const hn_problem *problem, const double *Q, double *x);

#endif
