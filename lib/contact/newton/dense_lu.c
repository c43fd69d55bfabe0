/* dense_lu.c - see dense_lu.h. Its bits are those of this code alone, which no library's are. */
#include "contact/newton/dense_lu.h"

#include <math.h>
#include <string.h>

/* Moves the largest entry of column K to the diagonal; false if it is 0 or no number. */
static bool pivot(int n, int k, double *row, double *x)
{
  int largest = k;
  for (int i = k + 1; i < n; i++)
    if (fabs(row[i * n + k]) > fabs(row[largest * n + k])) largest = i;
  for (int j = k; j < n && largest != k; j++) {
    const double kept = row[k * n + j];
    row[k * n + j] = row[largest * n + j], row[largest * n + j] = kept;
  }
  const double kept = x[k];
  x[k] = x[largest], x[largest] = kept;
  return fabs(row[k * n + k]) > 0.0;
}

hn_reason hn_dense_eliminate(int n, double *A, double *x)
{
  for (int k = 0; k < n; k++) {
    if (!pivot(n, k, A, x)) return HN_SINGULAR;
    for (int i = k + 1; i < n; i++) {
      const double factor = A[i * n + k] / A[k * n + k];
      if (factor == 0.0) continue;
      for (int j = k + 1; j < n; j++) A[i * n + j] -= factor * A[k * n + j];
      x[i] -= factor * x[k];
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    for (int j = k + 1; j < n; j++) x[k] -= A[k * n + j] * x[j];
    x[k] /= A[k * n + k];
  }
  return HN_CONVERGED;
}

hn_reason hn_dense_lu_solve(const hn_lu_matrix *A, double *room, double *x)
{
  const int n = A->n;
  memset(room, 0, sizeof *room * (size_t)(n * n));
  for (int j = 0; j < n; j++)
    for (int k = A->start[j]; k < A->start[j + 1]; k++) room[A->row[k] * n + j] = A->value[k];
  return hn_dense_eliminate(n, room, x);
}
