/* sparse_lu.h - LU factors of sparse matrices that are not symmetric, real or complex, kept for many
 * solutions. Internal.
 *
 * By KLU if Holonom was built with it and the matrix is not to be dense, else by elimination with row
 * pivoting in a full matrix. Neither uses BLAS: the bits are reproducible. A factorisation allocates no
 * memory, unless its fill exceeds that of all earlier ones by far. [davis2010] */
#ifndef HN_SPARSE_LU_H
#define HN_SPARSE_LU_H

#include "base.h"

/* Compressed columns; each place (row, column) occurs once, and the rows of a column ascend. */
typedef struct hn_lu_pattern {
  int n;
  const int *start; /* [n + 1] */
  const int *row;   /* [start[n]] */
  bool ordered;     /* elimination in the order of the unknowns; else the order is chosen */
} hn_lu_pattern;

typedef struct hn_sparse_lu hn_sparse_lu;

/* Creates the factor of matrices of PATTERN, which must outlive it. Numbers of a complex one stand as pairs,
 * real and imaginary part. DENSE: in a full matrix. Returns NULL on error. */
hn_sparse_lu *hn_sparse_lu_create(const hn_lu_pattern *pattern, bool is_complex, bool dense, hn_error *error);
void hn_sparse_lu_free(hn_sparse_lu *lu);
/* Factors the matrix of these values [start[n]]. HN_CONVERGED, HN_SINGULAR or HN_NO_MEMORY. */
hn_reason hn_sparse_lu_factor(hn_sparse_lu *lu, const double *value);
/* Solves A x = b with the last factor: X is b and becomes x. */
void hn_sparse_lu_solve(hn_sparse_lu *lu, double *x);

/* The functions of module hn_klu. */
typedef struct hn_klu_factor hn_klu_factor;
typedef struct hn_klu_module {
  hn_klu_factor *(*create)(const hn_lu_pattern *pattern, bool is_complex);
  void (*free)(hn_klu_factor *lu);
  hn_reason (*factor)(hn_klu_factor *lu, const double *value);
  void (*solve)(hn_klu_factor *lu, double *x);
} hn_klu_module;
#define HN_KLU_MODULE "hn_klu_lu"

#endif
