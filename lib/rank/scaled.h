/* scaled.h - the scaled constraint matrix for the rank analysis. Internal. */
#ifndef HN_SCALED_H
#define HN_SCALED_H

#include "base/array.h"
#include "system.h"

/* The scaled constraint matrix A, stored by rows of length 1; defined in rank.c. */
typedef struct hn_scaled {
  hn_arrays arrays;
  int rows, columns; /* columns: degrees of freedom of the moving bodies */
  int *start;        /* [rows + 1] */
  int *column;       /* [start[rows]] ascending within a row */
  double *value;
  int *row_of; /* [rows] ascending: packed rows that are held */
} hn_scaled;

/* Computes A from the last Jacobian of S; -1 if out of memory. Call hn_scaled_free either way. */
int hn_scaled_create(hn_scaled *A, const hn_system *s, hn_error *error);
void hn_scaled_free(hn_scaled *A);
bool hn_scaled_finite(const hn_scaled *A);
/* y = A x, and x = A' y. */
void hn_scaled_times(const hn_scaled *A, const double *x, double *y);
void hn_scaled_transposed(const hn_scaled *A, const double *y, double *x);

/* Allocates the lists of redundant rows and singular values of RANK; -1 if out of memory. */
int hn_rank_reserve(hn_rank *rank, int redundant, int singular, hn_error *error);

#endif
