/* contact_matrix.h - K + R of a contact problem and its factor; R > 0 is a multiple of the identity on each
 * block. Internal. */
#ifndef HN_CONTACT_MATRIX_H
#define HN_CONTACT_MATRIX_H

#include "contact/matrix/contact_pattern.h"

void hn_contact_matrix_free(hn_contact_matrix *sparse);
/* Loads K of PROBLEM; analyses the pattern if it changed. FACTOR: only hn_contact_matrix_factor and
 * hn_contact_matrix_solve will be used, so the factor may be computed through the bodies; a given
 * hn_contact_matrix uses the same value always. Returns HN_CONVERGED, or HN_NO_MEMORY. */
hn_reason hn_contact_matrix_load(hn_contact_matrix *sparse, const hn_problem *problem, bool factor);
/* Returns entry (r, c) of block (i, j) of K, from either triangle; NULL if it is structurally zero. If K is
 * given and not symmetric, it must have been loaded without `factor`. */
double *hn_contact_matrix_entry(hn_contact_matrix *sparse, int i, int j, int r, int c);
/* Factors K + R, with R[nblock]. Returns HN_CONVERGED, HN_SINGULAR or HN_NOT_FINITE. */
hn_reason hn_contact_matrix_factor(hn_contact_matrix *sparse, const double *R);
/* Replaces x[nrow], in the order of the problem, by (K + R)^-1 x. */
void hn_contact_matrix_solve(hn_contact_matrix *sparse, double *x);

#endif
