/* floor.c - the floor: K p = b of a tree by a 3 x 3 block L D L' written for this purpose alone.
 *
 *   for block rows k in elimination order:   V_kj = D_k^-1 K_kj,   K_ij -= K_ki' V_kj   for i <= j in row k
 *   x_j -= V_kj' x_k;   x_k := D_k^-1 x_k;   x_k -= V_kj x_j        forward, diagonal, backward
 *
 * K is the upper triangle of linear.h, whose order causes no fill-in on trees. The target of each update is
 * planned once. Without library and interface, the time is that of memory and arithmetic: a lower limit. */
#include "bench.h"

#include <string.h>

struct bench_floor {
  const hn_block_matrix *K;
  double *value; /* [blocks * 9] K, then D^-1 on the diagonal and V beside it */
  int *target;   /* target blocks of the updates, in order */
};

static int find_block(const hn_block_matrix *K, int row, int column)
{
  for (int k = K->start[row]; k < K->start[row + 1]; k++)
    if (K->column[k] == column) return k;
  bench_fail("the floor is for trees: block (%d, %d) would be fill-in", row, column);
}

/* Lists the target blocks of all updates and returns their number. TARGET may be NULL. */
static int plan(const hn_block_matrix *K, int *target)
{
  int count = 0;
  for (int row = 0; row < K->n; row++)
    for (int j = K->start[row] + 1; j < K->start[row + 1]; j++)
      for (int i = K->start[row] + 1; i <= j; i++, count++)
        if (target) target[count] = find_block(K, K->column[i], K->column[j]);
  return count;
}

bench_floor *bench_floor_create(const hn_block_matrix *K)
{
  if (K->bs != 3) bench_fail("the floor is for joints of three rows, not %d", K->bs);
  bench_floor *f = bench_alloc(1, sizeof *f);
  f->K = K;
  f->value = bench_alloc((size_t)K->start[K->n] * 9, sizeof *f->value);
  f->target = bench_alloc((size_t)plan(K, NULL), sizeof *f->target);
  plan(K, f->target);
  return f;
}

void bench_floor_free(bench_floor *f)
{
  free(f->value);
  free(f->target);
  free(f);
}

/* A := A^-1 for symmetric A. */
static inline void invert(double *A)
{
  double a = A[0], b = A[3], c = A[6], d = A[4], e = A[7], f = A[8];
  double A00 = d * f - e * e, A01 = c * e - b * f, A02 = b * e - c * d;
  double scale = 1.0 / (a * A00 + b * A01 + c * A02);
  A[0] = scale * A00, A[1] = A[3] = scale * A01, A[2] = A[6] = scale * A02;
  A[4] = scale * (a * f - c * c), A[5] = A[7] = scale * (b * c - a * e), A[8] = scale * (a * d - b * b);
}

/* C = A B */
static inline void multiply(double *restrict C, const double *restrict A, const double *restrict B)
{
  for (int c = 0; c < 3; c++)
    for (int r = 0; r < 3; r++)
      C[3 * c + r] = A[r] * B[3 * c] + A[3 + r] * B[3 * c + 1] + A[6 + r] * B[3 * c + 2];
}

/* C -= A' B */
static inline void subtract(double *restrict C, const double *restrict A, const double *restrict B)
{
  for (int c = 0; c < 3; c++)
    for (int r = 0; r < 3; r++)
      C[3 * c + r] -= A[3 * r] * B[3 * c] + A[3 * r + 1] * B[3 * c + 1] + A[3 * r + 2] * B[3 * c + 2];
}

static void factor(bench_floor *f)
{
  const hn_block_matrix *K = f->K;
  const int *target = f->target;
  double V[9];
  for (int row = 0; row < K->n; row++) {
    double *D = f->value + 9 * K->start[row];
    int count = K->start[row + 1] - K->start[row];
    invert(D);
    for (int j = count - 1; j >= 1; j--) {
      multiply(V, D, D + 9 * j);
      const int *land = target + (j - 1) * j / 2; /* updates of column j: i = 1 ... j */
      for (int i = 1; i <= j; i++) subtract(f->value + 9 * land[i - 1], D + 9 * i, V);
      memcpy(D + 9 * j, V, sizeof V);
    }
    target += (count - 1) * count / 2;
  }
}

static void solve(const bench_floor *f, double *x)
{
  const hn_block_matrix *K = f->K;
  for (int row = 0; row < K->n; row++) {
    const double *D = f->value + 9 * K->start[row];
    double a = x[3 * row], b = x[3 * row + 1], c = x[3 * row + 2];
    for (int k = K->start[row] + 1; k < K->start[row + 1]; k++) {
      const double *V = f->value + 9 * k;
      double *y = x + 3 * K->column[k];
      for (int i = 0; i < 3; i++) y[i] -= V[3 * i] * a + V[3 * i + 1] * b + V[3 * i + 2] * c;
    }
    for (int i = 0; i < 3; i++) x[3 * row + i] = D[i] * a + D[3 + i] * b + D[6 + i] * c;
  }
  for (int row = K->n - 1; row >= 0; row--)
    for (int k = K->start[row] + 1; k < K->start[row + 1]; k++) {
      const double *V = f->value + 9 * k, *y = x + 3 * K->column[k];
      for (int i = 0; i < 3; i++) x[3 * row + i] -= V[i] * y[0] + V[3 + i] * y[1] + V[6 + i] * y[2];
    }
}

void bench_floor_run(bench_floor *f, double *x)
{
  memcpy(f->value, f->K->value, sizeof *f->value * 9 * (size_t)f->K->start[f->K->n]);
  factor(f);
  solve(f, x);
}
