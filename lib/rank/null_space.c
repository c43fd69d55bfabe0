/* null_space.c - redundant rows and undetermined multipliers from the left null space N of the scaled
 * constraint matrix.
 *
 * Rows D can be removed together without loss if N_D is a regular square matrix. They are chosen from the end
 * of the scene: in each step the last row is taken whose part of N outside the span of the rows taken before
 * is long enough,
 *
 *   |n_i| >= slack * max |n|,   then   n_j -= (n_j . d) d for all rows j,  d = n_i / |n_i|
 *
 * With slack = 0 these would be the very last possible rows; a positive slack keeps the remaining rows well
 * conditioned. The choice depends on the row space of N only, not on its basis. Rounding matters only where
 * two lengths nearly tie. */
#include "base/array.h"
#include "rank/rank_parts.h"
#include "base/small.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double slack = 0.05;

static void subtract(double *a, double factor, const double *b, int n)
{
  for (int i = 0; i < n; i++) a[i] -= factor * b[i];
}

static double *column(const hn_left_null *N, int j)
{
  return N->value + (size_t)j * (size_t)N->rows;
}

void hn_left_null_orthonormalise(hn_left_null *N)
{
  for (int j = 0; j < N->count; j++) {
    double *n = column(N, j);
    for (int pass = 0; pass < 2; pass++)
      for (int i = 0; i < j; i++) subtract(n, long_dot(column(N, i), n, N->rows), column(N, i), N->rows);
    double norm = sqrt(long_dot(n, n, N->rows));
    for (int i = 0; norm > 0.0 && i < N->rows; i++) n[i] /= norm;
  }
}

void hn_left_null_remove(const hn_left_null *N, double *x)
{
  for (int j = 0; j < N->count; j++) subtract(x, long_dot(column(N, j), x, N->rows), column(N, j), N->rows);
}

/* Computes the lengths of the rows of M. */
static void measure_rows(const hn_left_null *M, double *length)
{
  memset(length, 0, sizeof *length * (size_t)M->rows);
  for (int j = 0; j < M->count; j++)
    for (int i = 0; i < M->rows; i++) length[i] += column(M, j)[i] * column(M, j)[i];
  for (int i = 0; i < M->rows; i++) length[i] = sqrt(length[i]);
}

/* Returns the last row that is long enough. */
static int choose(const double *length, int rows)
{
  double largest = 0.0;
  for (int i = 0; i < rows; i++) largest = fmax(largest, length[i]);
  int i = rows - 1;
  while (i > 0 && length[i] < slack * largest) i--;
  return i;
}

/* Makes all rows of M orthogonal to row i: a Householder reflection of the columns maps that row onto the
 * last column, which is then removed. Scratch: v[columns of M], p[rows of M]. */
static void eliminate(hn_left_null *M, int i, double *v, double *p)
{
  int last = M->count - 1;
  double square = 0.0;
  for (int j = 0; j <= last; j++) v[j] = column(M, j)[i], square += v[j] * v[j];
  double head = v[last], beta = head > 0.0 ? -sqrt(square) : sqrt(square);
  v[last] -= beta;
  memset(p, 0, sizeof *p * (size_t)M->rows);
  for (int j = 0; j <= last; j++) subtract(p, -v[j], column(M, j), M->rows);
  M->count = last;
  for (int j = 0; j < last; j++) {
    subtract(column(M, j), v[j] / (beta * (beta - head)), p, M->rows);
    column(M, j)[i] = 0.0;
  }
}

static int compare_numbers(const void *left, const void *right)
{
  const int *a = left, *b = right;
  return (*a > *b) - (*a < *b);
}

int hn_left_null_judge(const hn_left_null *N, hn_rank *rank, hn_error *error)
{
  size_t rows = (size_t)N->rows, count = (size_t)N->count;
  hn_left_null M = *N;
  hn_arrays arrays = { .first = NULL };
  double *length, *p, *v;
  const int status = hn_arrays_allocate(&arrays, error, HN_ARRAY(M.value, rows * count),
                                        HN_ARRAY(length, rows), HN_ARRAY(p, rows), HN_ARRAY(v, count));
  measure_rows(N, rank->undetermined);
  if (status == 0) memcpy(M.value, N->value, sizeof *M.value * rows * count);
  for (int taken = 0; status == 0 && taken < N->count; taken++) {
    measure_rows(&M, length);
    rank->redundant[taken] = choose(length, N->rows);
    eliminate(&M, rank->redundant[taken], v, p);
  }
  qsort(rank->redundant, count, sizeof *rank->redundant, compare_numbers);
  hn_arrays_free(&arrays);
  return status;
}
