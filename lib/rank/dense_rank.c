/* dense_rank.c - rank of a small system from all its singular values, by one-sided Jacobi rotations.
 *
 *   B = A, V = I;  repeat for all pairs i < j:  rotate rows i and j of B, and of V, until b_i . b_j = 0
 *
 * The result is B = V A with orthogonal V and orthogonal rows, whose lengths are the singular values. Rows of
 * V for lengths of zero span the left null space of A. Small values are as accurate as the rows, because they
 * are lengths, not differences. Each sweep takes O(rows^2 columns); about eight are needed. [golub2013,
 * section 8.6.3, on the transpose]
 *
 * GSL's decompositions are not used. Its Jacobi rotations stop too early for multiple zero values (rank 120
 * instead of 111 on a flat grid of 5 x 5 boxes). Its Golub-Reinsch algorithm, equally accurate and faster,
 * does not check whether its allocations succeed. */
#include "base/array.h"
#include "rank/rank_parts.h"

#include <math.h>
#include <string.h>

enum { MAX_SWEEPS = 60 };

/* Rows are orthogonal if their product is at most this fraction of the product of their lengths: a few
 * roundings. */
static const double orthogonality = 1e-15;
/* Squared length of a row that counts as zero: lengths at rounding level, 3e-16. */
static const double zero_square = 1e-31;

static void expand(const hn_scaled *A, double *B)
{
  memset(B, 0, sizeof *B * (size_t)A->rows * (size_t)A->columns);
  for (int i = 0; i < A->rows; i++)
    for (int k = A->start[i]; k < A->start[i + 1]; k++)
      B[(size_t)i * (size_t)A->columns + (size_t)A->column[k]] = A->value[k];
}

/* Returns a . b in four partial sums of fixed order, which a processor can add in parallel. */
static double dot(const double *a, const double *b, int n)
{
  double sum[4] = { 0 };
  int i = 0;
  for (; i + 4 <= n; i += 4)
    for (int k = 0; k < 4; k++) sum[k] += a[i + k] * b[i + k];
  for (; i < n; i++) sum[0] += a[i] * b[i];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static void rotate(double *restrict a, double *restrict b, int n, double c, double s)
{
  for (int i = 0; i < n; i++) {
    double old = a[i];
    a[i] = c * old - s * b[i];
    b[i] = s * old + c * b[i];
  }
}

/* Rotates rows a and b until they are orthogonal, and u and v with them; updates SQUARE, the squares of both
 * lengths. Returns false if they were orthogonal already. */
static bool make_orthogonal(double *a, double *b, int columns, double *u, double *v, int rows,
                            double square[2])
{
  double product = dot(a, b, columns);
  if (square[0] < zero_square || square[1] < zero_square) return false;
  if (!(fabs(product) > orthogonality * sqrt(square[0]) * sqrt(square[1]))) return false;
  double zeta = (square[1] - square[0]) / (2.0 * product);
  double t = copysign(1.0, zeta) / (fabs(zeta) + sqrt(1.0 + zeta * zeta)), c = 1.0 / sqrt(1.0 + t * t);
  rotate(a, b, columns, c, c * t);
  rotate(u, v, rows, c, c * t);
  square[0] = dot(a, a, columns), square[1] = dot(b, b, columns);
  return true;
}

static void sweep_all(double *B, double *V, double *square, int rows, int columns)
{
  size_t m = (size_t)rows, n = (size_t)columns;
  memset(V, 0, sizeof *V * m * m);
  for (size_t i = 0; i < m; i++) V[i * m + i] = 1.0, square[i] = dot(B + i * n, B + i * n, columns);
  bool rotated = true;
  for (int sweep = 0; rotated && sweep < MAX_SWEEPS; sweep++) {
    rotated = false;
    for (size_t i = 0; i + 1 < m; i++)
      for (size_t j = i + 1; j < m; j++) {
        double pair[2] = { square[i], square[j] };
        if (!make_orthogonal(B + i * n, B + j * n, columns, V + i * m, V + j * m, rows, pair)) continue;
        rotated = true;
        square[i] = pair[0], square[j] = pair[1];
      }
  }
}

/* Stores the rows of V in WORK and their lengths in S, in descending order of length. */
static void sort(const double *V, double *work, double *square, double *S, int rows)
{
  size_t m = (size_t)rows;
  for (int k = 0; k < rows; k++) {
    int longest = 0;
    for (int i = 1; i < rows; i++)
      if (square[i] > square[longest]) longest = i;
    S[k] = sqrt(square[longest]);
    square[longest] = -1.0;
    memcpy(work + (size_t)k * m, V + (size_t)longest * m, sizeof *V * m);
  }
}

static int store_result(const hn_scaled *A, const double *S, double *V, hn_rank *rank, hn_error *error)
{
  int values = A->rows < A->columns ? A->rows : A->columns;
  while (rank->rank < values && S[rank->rank] > rank->tolerance) rank->rank++;
  rank->kept = rank->rank > 0 ? S[rank->rank - 1] : NAN;
  rank->dropped = rank->rank < A->rows ? S[rank->rank] : NAN;
  if (hn_rank_reserve(rank, A->rows - rank->rank, values, error)) return -1;
  memcpy(rank->singular, S, sizeof *S * (size_t)values);
  const hn_left_null N = { .rows = A->rows,
                           .count = A->rows - rank->rank,
                           .value = V + (size_t)rank->rank * (size_t)A->rows };
  return hn_left_null_judge(&N, rank, error);
}

int hn_rank_dense(const hn_scaled *A, hn_rank *rank, hn_error *error)
{
  size_t rows = (size_t)A->rows;
  hn_arrays arrays = { .first = NULL };
  double *B, *V, *sorted, *S, *square;
  int status = hn_arrays_allocate(&arrays, NULL, HN_ARRAY(B, rows * (size_t)A->columns),
                                  HN_ARRAY(V, rows * rows), HN_ARRAY(sorted, rows * rows), HN_ARRAY(S, rows),
                                  HN_ARRAY(square, rows));
  if (status) hn_fail(error, "no memory for a full matrix of %d rows", A->rows);
  if (status == 0) {
    expand(A, B);
    sweep_all(B, V, square, A->rows, A->columns);
    sort(V, sorted, square, S, A->rows);
    status = store_result(A, S, sorted, rank, error);
  }
  hn_arrays_free(&arrays);
  return status;
}
