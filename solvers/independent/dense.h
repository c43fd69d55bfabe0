/* dense.h - dense factorisations for the choice of independent coordinates. Internal. Matrices are stored row
 * by row. */
#ifndef HN_INDEPENDENT_DENSE_H
#define HN_INDEPENDENT_DENSE_H

#include <stdbool.h>

/* Factors A, n x n, by rows with partial pivoting in place; pivot[n]. False if A is singular to round-off. */
bool hn_lu_factor(int n, double *A, int *pivot);
/* x := A^-1 x and x := A'^-1 x. */
void hn_lu_solve(int n, const double *A, const int *pivot, double *x);
void hn_lu_solve_transposed(int n, const double *A, const int *pivot, double *x);

/* Rows of a matrix C, m x n, from which independent ones are chosen. */
typedef struct hn_row_choice {
  int m, n;
  double *C;         /* [m n] */
  double tolerance;  /* size of a remainder of a row, relative to the row, that is round-off */
  const bool *group; /* [m] rows among which is chosen; the others are only reduced */
  bool *taken;       /* [m] rows chosen before */
  int count;         /* number of rows chosen */
  int *row;          /* [count] these rows */
} hn_row_choice;

/* Chooses rows of the group, and a column for each, by Gaussian elimination with complete pivoting. order[n]
 * is a permutation of the columns, and its first `count` entries are the columns chosen. */
void hn_choose_columns(hn_row_choice *choice, int *order);
/* Chooses rows of the group by Householder's QR factorisation of C' with pivoting. The first `count` columns
 * of Q[n n], an orthogonal matrix, span the rows chosen. */
void hn_choose_basis(hn_row_choice *choice, double *Q, double *v);

#endif
