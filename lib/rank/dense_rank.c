/* dense_rank.c - rank of a small system from all its singular values, by one-sided Jacobi rotations.
 *
 *   B = A, V = I;  repeat for all pairs of rows i < j:  rotate rows i and j of B, and of V, until b_i . b_j = 0
 *
 * In the end B = V A with orthogonal V and orthogonal rows, whose lengths are the singular values: rows of V for those
 * of length zero are the left null space of A. Small values come out as accurate as the rows are: they are found as
 * lengths, not as differences. Each sweep takes O(rows^2 columns), and about eight are needed. [golub2013, section
 * 8.6.3, on the transpose]
 *
 * GSL's decompositions do not serve: its Jacobi rotations stop early where a value is zero many times (rank 120 instead
 * of 111 on a flat grid of 5 x 5 boxes), and its Golub and Reinsch, as accurate and faster, ask for memory without
 * looking whether they got it. */
#include "rank/rank_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SWEEPS = 60 };

static const double orthogonal = 1e-15,
                    nothing = 1e-31; /* of the product of two lengths; of a squared length */

static void expand(const hn_scaled *A, double *B)
{
  memset(B, 0, sizeof *B * (size_t)A->rows * (size_t)A->columns);
  for (int i = 0; i < A->rows; i++)
    for (int k = A->start[i]; k < A->start[i + 1]; k++)
      B[(size_t)i * (size_t)A->columns + (size_t)A->column[k]] = A->value[k];
}

/* Four partial sums, in a fixed order, for the processor to add at the same time. */
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

/* Makes rows a and b orthogonal, and turns u and v with them; SQUARE of both lengths is kept. False when they were. */
static bool make_orthogonal(double *a, double *b, int columns, double *u, double *v, int rows,
                            double square[2])
{
  double product = dot(a, b, columns);
  if (square[0] < nothing || square[1] < nothing) return false;
  if (!(fabs(product) > orthogonal * sqrt(square[0]) * sqrt(square[1]))) return false;
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
  bool turned = true;
  for (int sweep = 0; turned && sweep < MAX_SWEEPS; sweep++) {
    turned = false;
    for (size_t i = 0; i + 1 < m; i++)
      for (size_t j = i + 1; j < m; j++) {
        double pair[2] = { square[i], square[j] };
        if (!make_orthogonal(B + i * n, B + j * n, columns, V + i * m, V + j * m, rows, pair)) continue;
        turned = true;
        square[i] = pair[0], square[j] = pair[1];
      }
  }
}

/* Moves the rows of V into WORK, and the lengths S, in descending order of length. */
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

static int judge(const hn_scaled *A, const double *S, double *V, hn_rank *rank, hn_error *error)
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
  double *B = malloc(sizeof *B * (rows * (size_t)A->columns + 1)), *V = malloc(sizeof *V * rows * rows);
  double *sorted = malloc(sizeof *sorted * rows * rows), *S = malloc(sizeof *S * rows);
  double *square = malloc(sizeof *square * rows);
  int status = B && V && sorted && S && square
                 ? 0
                 : hn_fail(error, "no memory for a full matrix of %d rows", A->rows);
  if (status == 0) {
    expand(A, B);
    sweep_all(B, V, square, A->rows, A->columns);
    sort(V, sorted, square, S, A->rows);
    status = judge(A, S, sorted, rank, error);
  }
  free(B), free(V), free(sorted), free(S), free(square);
  return status;
}
