/* scaled.h - the scaled constraint matrix, on which ranks are judged. Internal. */
#ifndef HN_SCALED_H
#define HN_SCALED_H

#include "system.h"

/* The scaled constraint matrix A, row by row, each of length 1: see rank.c. */
typedef struct hn_scaled {
  int rows, columns; /* columns: freedoms of the moving bodies */
  int *start;        /* [rows + 1] */
  int *column;       /* [start[rows]] ascending within a row */
  double *value;
  int *row_of; /* [rows] ascending: packed rows, of those that are held */
} hn_scaled;

/* A of the last Jacobian of S: -1 when memory is out; free it either way. */
int hn_scaled_create(hn_scaled *A, const hn_system *s, hn_error *error);
void hn_scaled_free(hn_scaled *A);
bool hn_scaled_finite(const hn_scaled *A);
/* y = A x, and x = A' y. */
void hn_scaled_times(const hn_scaled *A, const double *x, double *y);
void hn_scaled_transposed(const hn_scaled *A, const double *y, double *x);

/* Room for as many redundant rows and singular values in RANK; -1 when memory is out. */
int hn_rank_reserve(hn_rank *rank, int redundant, int singular, hn_error *error);

#endif
