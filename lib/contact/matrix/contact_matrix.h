/* contact_matrix.h - K + R of a contact problem and its factor; R > 0 is a multiple of the identity on each
 * block. Internal. */
#ifndef HN_CONTACT_MATRIX_H
#define HN_CONTACT_MATRIX_H

#include "contact/matrix/contact_pattern.h"

void hn_contact_matrix_free(hn_contact_matrix *sparse);
/* True if a problem is to be loaded by bodies (body_matrix.h). */
typedef bool hn_bodies_test(const hn_problem *problem);
/* Loads K of PROBLEM, or H if BY_BODIES is true for it; NULL: K. Analyses the pattern if it changed; a given
 * hn_contact_matrix has the same BY_BODIES always. Returns HN_CONVERGED, or HN_NO_MEMORY. */
hn_reason hn_contact_matrix_load(hn_contact_matrix *sparse, const hn_problem *problem,
                                 hn_bodies_test *by_bodies);
/* Returns entry (r, c) of block (i, j) of K, from either triangle; NULL if it is structurally zero. */
double *hn_contact_matrix_entry(hn_contact_matrix *sparse, int i, int j, int r, int c);
/* Factors K + R, with R[nblock] on the diagonals of the blocks, or K + 1 if R is NULL. Returns HN_CONVERGED,
 * HN_SINGULAR or HN_NOT_FINITE. */
hn_reason hn_contact_matrix_factor(hn_contact_matrix *sparse, const double *R);
/* Replaces x[nrow], in the order of the problem, by (K + R)^-1 x. */
void hn_contact_matrix_solve(hn_contact_matrix *sparse, double *x);

#endif
