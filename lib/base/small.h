/* small.h - small numerics: a scalar product, and L D L' of small matrices. Internal. */
#ifndef HN_SMALL_H
#define HN_SMALL_H

#include <stdbool.h>
#include <stdint.h>

static inline double long_dot(const double *a, const double *b, int n)
{
  double sum = 0.0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}


/* ---- L D L' of symmetric n x n matrices, row by row, in place: L below the diagonal -------------------- */

/* relative to the diagonal entry: smaller pivots are rounding errors */
static const double ldl_rounding = 1e-14;

/* Returns pivot J of A, whose previous pivots D are on the diagonal. */
static inline double ldl_pivot(int n, const double *A, int j)
{
  double pivot = A[j * n + j];
  for (int k = 0; k < j; k++) pivot -= A[j * n + k] * A[j * n + k] * A[k * n + k];
  return pivot;
}

/* Returns entry I of column J of L D. */
static inline double ldl_entry(int n, const double *A, int i, int j)
{
  double sum = A[i * n + j];
  for (int k = 0; k < j; k++) sum -= A[i * n + k] * A[j * n + k] * A[k * n + k];
  return sum;
}

/* x := L^-1 x and x := L'^-1 x. */
static inline void ldl_forward(int n, const double *A, double *x)
{
  for (int i = 0; i < n; i++)
    for (int k = 0; k < i; k++) x[i] -= A[i * n + k] * x[k];
}

static inline void ldl_backward(int n, const double *A, double *x)
{
  for (int i = n - 1; i >= 0; i--)
    for (int k = i + 1; k < n; k++) x[i] -= A[k * n + i] * x[k];
}

/* Factors positive definite A, D on the diagonal; false if a pivot is a rounding error or not positive. */
static inline bool ldl_factor(int n, double *A)
{
  for (int j = 0; j < n; j++) {
    double pivot = ldl_pivot(n, A, j);
    if (!(pivot > ldl_rounding * A[j * n + j])) return false;
    A[j * n + j] = pivot;
    for (int i = j + 1; i < n; i++) A[i * n + j] = ldl_entry(n, A, i, j) / pivot;
  }
  return true;
}

/* x := A^-1 x with the factor of ldl_factor. */
static inline void ldl_solve(int n, const double *A, double *x)
{
  ldl_forward(n, A, x);
  for (int i = 0; i < n; i++) x[i] /= A[i * n + i];
  ldl_backward(n, A, x);
}

/* Factors positive semidefinite A, D^-1 on the diagonal; 0 for a pivot that is a rounding error. */
static inline void ldl_factor_semidefinite(int n, double *A)
{
  for (int j = 0; j < n; j++) {
    double pivot = ldl_pivot(n, A, j);
    bool depends = pivot <= ldl_rounding * A[j * n + j];
    double inverse = depends ? 0.0 : 1.0 / pivot;
    A[j * n + j] = depends ? 0.0 : pivot;
    for (int i = j + 1; i < n; i++) A[i * n + j] = ldl_entry(n, A, i, j) * inverse;
  }
  for (int j = 0; j < n; j++) A[j * n + j] = A[j * n + j] == 0.0 ? 0.0 : 1.0 / A[j * n + j];
}

/* x := a solution y of A y = x with that factor, exact if x is consistent; rows that depend on previous rows
 * get 0. */
static inline void ldl_solve_semidefinite(int n, const double *A, double *x)
{
  ldl_forward(n, A, x);
  for (int i = 0; i < n; i++) x[i] *= A[i * n + i];
  ldl_backward(n, A, x);
}

#endif
