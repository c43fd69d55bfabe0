/* contact_matrix.h - K + R of a problem, R > 0 a multiple of the identity on each block, and its factor. Internal. */
#ifndef HN_CONTACT_MATRIX_H
#define HN_CONTACT_MATRIX_H

#include "contact/matrix/contact_pattern.h"

void hn_sparse_free(hn_sparse *sparse);
/* Takes the pattern of PROBLEM, where it is another one than the last, and the values of its K. FACTOR: nobody asks for
 * more than the factor of K + R, which may be found by bodies; so always or never. HN_CONVERGED, or HN_FULL without
 * memory. */
hn_reason hn_sparse_load(hn_sparse *sparse, const hn_problem *problem, bool factor);
/* Entry (r, c) of the blocks i, j of the problem: of K, whichever triangle it is in; NULL where it is zero. */
double *hn_sparse_entry(hn_sparse *sparse, int i, int j, int r, int c);
/* Factors K + R, R[nblock]. HN_CONVERGED, HN_SINGULAR or HN_NOT_FINITE. */
hn_reason hn_sparse_factor(hn_sparse *sparse, const double *R);
/* x[nrow] := (K + R)^-1 x, in the order of the problem. */
void hn_sparse_solve(hn_sparse *sparse, double *x);

#endif
