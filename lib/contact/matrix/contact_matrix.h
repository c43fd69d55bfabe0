/* contact_matrix.h - K + R of a contact problem and its factor; R > 0 is a multiple of the identity on each
 * block. Internal. */
#ifndef HN_CONTACT_MATRIX_H
#define HN_CONTACT_MATRIX_H

#include "contact/matrix/contact_pattern.h"

void hn_sparse_free(hn_sparse *sparse);
/* Loads K of PROBLEM; analyses the pattern if it changed. FACTOR: only hn_sparse_factor and hn_sparse_solve
 * will be used, so the factor may be computed through the bodies; a given hn_sparse uses the same value
 * always. Returns HN_CONVERGED, or HN_NO_MEMORY. */
hn_reason hn_sparse_load(hn_sparse *sparse, const hn_problem *problem, bool factor);
/* Returns entry (r, c) of block (i, j) of K, from either triangle; NULL if it is structurally zero. */
double *hn_sparse_entry(hn_sparse *sparse, int i, int j, int r, int c);
/* Factors K + R, with R[nblock]. Returns HN_CONVERGED, HN_SINGULAR or HN_NOT_FINITE. */
hn_reason hn_sparse_factor(hn_sparse *sparse, const double *R);
/* Replaces x[nrow], in the order of the problem, by (K + R)^-1 x. */
void hn_sparse_solve(hn_sparse *sparse, double *x);

#endif
