/* rank_parts.h - the parts of the rank analysis (rank.c). Internal. */
#ifndef HN_RANK_PARTS_H
#define HN_RANK_PARTS_H

#include "rank/scaled.h"

/* R of A' E = Q R, A' with its columns (the rows of A) permuted by E: upper trapezoidal, rank x rows, column by column;
 * the leading rank columns are a triangle, with the diagonal entry last. */
typedef struct hn_trapezoid {
  int rows, rank;
  int *row_of; /* [rows] the row of A that column c stands for */
  int *start;  /* [rows + 1] */
  int *row;    /* [start[rows]] ascending within a column */
  double *value;
} hn_trapezoid;

void hn_trapezoid_free(hn_trapezoid *R);

/* Module hn_spqr exports this: factors with the rows of A eliminated in the given ORDER, leaving out those whose
 * distance from the earlier ones is at most TOLERANCE. -1 on error. */
typedef int hn_rank_factor(const hn_scaled *A, const int *order, double tolerance, hn_trapezoid *R,
                           hn_error *error);
#define HN_RANK_MODULE "hn_spqr.so"
#define HN_RANK_FACTOR "hn_spqr_factor"

/* Vectors with N' A = 0, orthonormal: column j at value[j * rows]. */
typedef struct hn_left_null {
  int rows, count;
  double *value; /* [rows * count] */
} hn_left_null;

/* Makes the columns orthonormal, by Gram and Schmidt twice. */
void hn_left_null_orthonormalise(hn_left_null *N);
/* x -= N N' x */
void hn_left_null_remove(const hn_left_null *N, double *x);
/* What N says of the rows: which to remove, and how undetermined each multiplier is. -1 when memory is out. */
int hn_left_null_judge(const hn_left_null *N, hn_rank *rank, hn_error *error);

/* Rank by the singular value decomposition of the full matrix, or by a sparse factorisation. Both fill what does not
 * depend on names; -1 on error. */
int hn_rank_dense(const hn_scaled *A, hn_rank *rank, hn_error *error);
int hn_rank_sparse(const hn_scaled *A, const int *order, hn_rank *rank, hn_error *error);

#endif
