/* dense.c - dense factorisations (dense.h). [golub2013, sections 3.4, 5.1 and 5.4] */
#include "independent/dense.h"
#include "base/small.h"

#include <math.h>

/* Pivot, relative to the largest entry, that is round-off. */
static const double smallest_pivot = 1e-14;

static void swap(double *a, double *b)
{
  const double c = *a;
  *a = *b, *b = c;
}

static double largest_entry(const double *x, int n)
{
  double largest = 0.0;
  for (int i = 0; i < n; i++) largest = fabs(x[i]) > largest ? fabs(x[i]) : largest;
  return largest;
}

/* Eliminates column K below its pivot. */
static void eliminate(int n, double *A, int k)
{
  for (int i = k + 1; i < n; i++) {
    const double factor = A[i * n + k] / A[k * n + k];
    A[i * n + k] = factor;
    if (factor == 0.0) continue;
    for (int j = k + 1; j < n; j++) A[i * n + j] -= factor * A[k * n + j];
  }
}

bool hn_lu_factor(int n, double *A, int *pivot)
{
  const double least = smallest_pivot * largest_entry(A, n * n);
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(A[i * n + k]) > fabs(A[best * n + k])) best = i;
    pivot[k] = best;
    if (!(fabs(A[best * n + k]) > least)) return false;
    for (int j = 0; j < n && best != k; j++) swap(&A[k * n + j], &A[best * n + j]);
    eliminate(n, A, k);
  }
  return true;
}

void hn_lu_solve(int n, const double *A, const int *pivot, double *x)
{
  for (int k = 0; k < n; k++) swap(&x[k], &x[pivot[k]]);
  for (int i = 0; i < n; i++) x[i] -= long_dot(A + i * n, x, i);
  for (int i = n - 1; i >= 0; i--)
    x[i] = (x[i] - long_dot(A + i * n + i + 1, x + i + 1, n - i - 1)) / A[i * n + i];
}

void hn_lu_solve_transposed(int n, const double *A, const int *pivot, double *x)
{
  for (int i = 0; i < n; i++) {
    x[i] /= A[i * n + i];
    for (int j = i + 1; j < n; j++) x[j] -= A[i * n + j] * x[i];
  }
  for (int i = n - 1; i >= 0; i--)
    for (int j = 0; j < i; j++) x[j] -= A[i * n + j] * x[i];
  for (int k = n - 1; k >= 0; k--) swap(&x[k], &x[pivot[k]]);
}

/* ---- Choice of rows ------------------------------------------------------------------------------------ */

/* Finds the largest entry of the rows of the group not taken, in the columns ORDER[count...]. */
static double find_pivot(const hn_row_choice *c, const int *order, int *row, int *place)
{
  double largest = 0.0;
  for (int i = 0; i < c->m; i++) {
    if (c->taken[i] || !c->group[i]) continue;
    for (int k = c->count; k < c->n; k++) {
      const double size = fabs(c->C[i * c->n + order[k]]);
      if (size > largest) largest = size, *row = i, *place = k;
    }
  }
  return largest;
}

void hn_choose_columns(hn_row_choice *c, int *order)
{
  int row = 0, place = 0;
  while (c->count < c->n && find_pivot(c, order, &row, &place) > c->tolerance) {
    const double *from = c->C + row * c->n;
    const int column = order[place];
    order[place] = order[c->count], order[c->count] = column;
    c->taken[row] = true, c->row[c->count++] = row;
    for (int i = 0; i < c->m; i++) {
      double *to = c->C + i * c->n, factor = to[column] / from[column];
      for (int j = 0; j < c->n && !c->taken[i] && factor != 0.0; j++) to[j] -= factor * from[j];
    }
  }
}

/* Returns the row of the group not taken with the largest remainder, and its size. */
static int longest_row(const hn_row_choice *c, double *size)
{
  int longest = -1;
  *size = 0.0;
  for (int i = 0; i < c->m; i++) {
    if (c->taken[i] || !c->group[i]) continue;
    const double *x = c->C + i * c->n + c->count, square = long_dot(x, x, c->n - c->count);
    if (square > *size) *size = square, longest = i;
  }
  *size = sqrt(*size);
  return longest;
}

/* Reflects x[n] by 1 - v v' / beta. */
static void reflect(int n, const double *v, double beta, double *x)
{
  const double factor = long_dot(v, x, n) / beta;
  for (int i = 0; i < n && factor != 0.0; i++) x[i] -= factor * v[i];
}

void hn_choose_basis(hn_row_choice *c, double *Q, double *v)
{
  double size;
  for (int row = longest_row(c, &size); c->count < c->n && size > c->tolerance; row = longest_row(c, &size)) {
    const int k = c->count, n = c->n - k;
    for (int i = 0; i < n; i++) v[i] = c->C[row * c->n + k + i];
    const double head = v[0] > 0.0 ? -size : size; /* the image of the row */
    const double beta = head * (head - v[0]);
    v[0] -= head;
    c->taken[row] = true, c->row[c->count++] = row;
    for (int i = 0; i < c->m; i++)
      if (!c->taken[i]) reflect(n, v, beta, c->C + i * c->n + k);
    for (int i = 0; i < c->n; i++) reflect(n, v, beta, Q + i * c->n + k);
  }
}
