/* body_lu.h - Newton's system of a contact problem by its bodies. Internal.
 *
 *   (1 + H' D H) y = r,   K = H H' (body_matrix.h), D a matrix of each block that need not be symmetric
 *
 * The pattern is that of the bodies which blocks connect, six rows each: where contacts are redundant it is
 * much smaller than K. It loses as many digits as D is larger than 1 / K. With D >= 0 all leading parts are
 * regular, so that bodies are eliminated in the order of least fill-in, with pivoting inside a body only. */
#ifndef HN_BODY_LU_H
#define HN_BODY_LU_H

#include "contact/matrix/contact_pattern.h"

typedef struct hn_body_lu {
  int pattern;         /* of the matrix that it was analysed for; 0: none */
  int n;               /* moving bodies */
  int *start, *column; /* [n + 1] and [start[n]] blocks of each row of U, the diagonal first */
  /* [36 start[n]] blocks column by column: U, whose diagonal blocks become their inverses; and L', the blocks
   * below the diagonal, each transposed */
  double *upper, *lower;
  double *x; /* [6 n] */
} hn_body_lu;

void hn_body_lu_free(hn_body_lu *lu);
/* Factors 1 + H' D H. SPARSE is loaded by bodies; D[6 nrow] has n x n numbers of each block by rows. Analyses
 * the pattern if SPARSE has another one than before. HN_CONVERGED, HN_SINGULAR, HN_NO_MEMORY. */
hn_reason hn_body_lu_factor(hn_body_lu *lu, const hn_contact_matrix *sparse, const double *D);
/* The same with the instructions of every processor, to the same bits. */
hn_reason hn_body_lu_factor_portable(hn_body_lu *lu, const hn_contact_matrix *sparse, const double *D);
/* Replaces x[nrow] by x - D H (1 + H' D H)^-1 H' x. */
void hn_body_lu_solve(hn_body_lu *lu, const hn_contact_matrix *sparse, const double *D, double *x);

#endif
