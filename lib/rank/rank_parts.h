/* rank_parts.h - parts of the rank analysis (rank.c). Internal. */
#ifndef HN_RANK_PARTS_H
#define HN_RANK_PARTS_H

#include "rank/scaled.h"

/* R of A' E = Q R: upper trapezoidal, rank x rows, stored by columns. E permutes the columns of A', the rows
 * of A. The first `rank` columns are a triangle, with the diagonal entry last in each column. */
typedef struct hn_trapezoid {
  int rows, rank;
  int *row_of; /* [rows] row of A for each column */
  int *start;  /* [rows + 1] */
  int *row;    /* [start[rows]] ascending within a column */
  double *value;
} hn_trapezoid;

void hn_trapezoid_free(hn_trapezoid *R);

/* Signature of the factorisation that module hn_spqr exports. It eliminates the rows of A in the given ORDER
 * and leaves out rows whose distance from the earlier ones is at most TOLERANCE. -1 on error. */
typedef int hn_rank_factor(const hn_scaled *A, const int *order, double tolerance, hn_trapezoid *R,
                           hn_error *error);
#define HN_RANK_MODULE "hn_spqr.so"
#define HN_RANK_FACTOR "hn_spqr_factor"

/* Orthonormal vectors with N' A = 0: column j at value[j * rows]. */
typedef struct hn_left_null {
  int rows, count;
  double *value; /* [rows * count] */
} hn_left_null;

/* Makes the columns orthonormal by Gram-Schmidt, applied twice. */
void hn_left_null_orthonormalise(hn_left_null *N);
/* x -= N N' x */
void hn_left_null_remove(const hn_left_null *N, double *x);
/* Selects the redundant rows and computes rank->undetermined from N; -1 if out of memory. */
int hn_left_null_judge(const hn_left_null *N, hn_rank *rank, hn_error *error);

/* Compute the rank by the singular value decomposition of the full matrix, or by a sparse factorisation. RANK
 * gets rows of A, not of the model; -1 on error. */
int hn_rank_dense(const hn_scaled *A, hn_rank *rank, hn_error *error);
int hn_rank_sparse(const hn_scaled *A, const int *order, hn_rank *rank, hn_error *error);

#endif
