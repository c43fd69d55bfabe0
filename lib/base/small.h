/* small.h - small numerics that several files need: a scalar product, an irregular pattern, L D L' of small matrices.
 * Internal. */
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

/* ---- An irregular pattern ---------------------------------------------------------------------------------------- */

#define IRREGULAR_START 0x2545f491u /* any number: only that it is always the same matters */

/* The next number of a pattern of irregular signs and sizes, between 1/2 and 3/2: rows that are alike, or symmetric, do
 * not cancel in a sum with them. */
static inline double irregular(uint32_t *pattern)
{
  *pattern = *pattern * 1664525u + 1013904223u;
  double size = 0.5 + (double)(*pattern >> 8 & 0xffffu) / 65536.0;
  return *pattern >> 31 ? size : -size;
}

/* ---- L D L' of symmetric n x n matrices, row by row, in place: L below the diagonal ------------------------------ */

static const double ldl_rounding = 1e-14; /* of a diagonal entry: a pivot below that is rounding error */

/* Pivot J of what is left of A, D being on the diagonal before it. */
static inline double ldl_pivot(int n, const double *A, int j)
{
  double pivot = A[j * n + j];
  for (int k = 0; k < j; k++) pivot -= A[j * n + k] * A[j * n + k] * A[k * n + k];
  return pivot;
}

/* Entry I of column J of L D. */
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

/* Positive definite A: D on the diagonal; false when a pivot is rounding error or not positive. */
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

/* x := A^-1 x with that factor. */
static inline void ldl_solve(int n, const double *A, double *x)
{
  ldl_forward(n, A, x);
  for (int i = 0; i < n; i++) x[i] /= A[i * n + i];
  ldl_backward(n, A, x);
}

/* Positive semidefinite A: D^-1 on the diagonal, 0 for a pivot that is rounding error. */
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

/* x := a solution of A y = x with that factor: rows that depend on rows before them get 0. Where they agree with those
 * it is exact. */
static inline void ldl_solve_semidefinite(int n, const double *A, double *x)
{
  ldl_forward(n, A, x);
  for (int i = 0; i < n; i++) x[i] *= A[i * n + i];
  ldl_backward(n, A, x);
}

#endif
