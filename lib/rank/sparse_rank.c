/* sparse_rank.c - rank of a large system from a sparse QR factorisation with rank detection, A' E = Q [R1
 * R2].
 *
 * R1 belongs to the rows kept and is a regular triangle; R2 to the rows left out. Each row left out gives a
 * left null vector,
 *
 *   n = (-R1^-1 R2 e_j on the rows kept, e_j on those left out)
 *
 * N consists of these vectors, made orthonormal. The diagonal of R can miss small singular values, so the gap
 * is computed separately. The smallest value kept is found by Lanczos' method on the pseudo-inverse of A A',
 * with P = I - N N',
 *
 *   (A A')^+ = P X P,   X = R1^-1 R1^-T on the rows kept, 0 elsewhere
 *
 * The largest value dropped is the norm of A' N. If the smallest value kept is below the tolerance, because
 * Heath's test missed it, its vector is added to N.
 *
 * N is a tall full matrix. If it would be too large (FULL_ENTRIES, FULL_WORK: thousands of redundant rows),
 * it is not formed: the redundant rows are those left out by the factorisation, and `kept` belongs to the
 * matrix of the rows kept. That is a lower bound, since adding rows does not decrease singular values. Some
 * random combinations of null vectors show which multipliers are unique, but not how arbitrary the others
 * are. */
#include "base/module.h"
#include "base/random.h"
#include "base/vec.h"
#include "base/small.h"
#include "base/array.h"
#include "rank/rank_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 60, MIN_STEPS = 8, PROBES = 3 };

/* Lanczos' method ends when the basis spans an invariant subspace (a remainder up to `exhausted`), or when
 * the value grows by at most `converged` after MIN_STEPS; both relative to the value and near rounding. */
static const double exhausted = 1e-13, converged = 1e-14;
/* Entries of a probed null vector up to this size are zero: its weights are about 1. */
static const double zero_entry = 1e-8;

#define FULL_ENTRIES 4e6 /* of N: as many as a full matrix of HN_RANK_MAX_DENSE rows */
#define FULL_WORK 5e8    /* rows times the square of the number of redundant rows */

/* State of an analysis. Vectors have one number for each row of A unless another size is given. */
typedef struct analysis {
  const hn_scaled *A;
  hn_trapezoid R;
  hn_left_null N;
  bool full;           /* N is formed */
  double *body_motion; /* [columns] */
  double *triangle;    /* [rank] */
  double *basis;       /* [rows * (STEPS + 1)] Lanczos vectors */
} analysis;

void hn_trapezoid_free(hn_trapezoid *R)
{
  free(R->row_of), free(R->start), free(R->row), free(R->value);
}

/* ---- Triangles ---------------------------------------------------------------------------------------- */

/* R1 x = x */
static void solve_upper(const hn_trapezoid *R, double *x)
{
  for (int c = R->rank - 1; c >= 0; c--) {
    int last = R->start[c + 1] - 1;
    x[c] /= R->value[last];
    for (int k = R->start[c]; k < last; k++) x[R->row[k]] -= R->value[k] * x[c];
  }
}

/* R1' x = x */
static void solve_lower(const hn_trapezoid *R, double *x)
{
  for (int c = 0; c < R->rank; c++) {
    int last = R->start[c + 1] - 1;
    for (int k = R->start[c]; k < last; k++) x[c] -= R->value[k] * x[R->row[k]];
    x[c] /= R->value[last];
  }
}

static bool is_triangle(const hn_trapezoid *R)
{
  for (int c = 0; c < R->rank; c++)
    if (R->start[c + 1] == R->start[c] || R->row[R->start[c + 1] - 1] != c) return false;
  return true;
}

/* Computes the null vector of the row left out as column ONLY of R; or, with PATTERN, a combination of all
 * null vectors with irregular weights. */
static void null_vector(analysis *a, int column, uint32_t *pattern, double *n)
{
  const hn_trapezoid *R = &a->R;
  memset(a->triangle, 0, sizeof *a->triangle * (size_t)R->rank);
  for (int c = R->rank; c < R->rows; c++) {
    double weight = pattern ? irregular(pattern) : c == column;
    n[R->row_of[c]] = weight;
    if (weight == 0.0) continue;
    for (int k = R->start[c]; k < R->start[c + 1]; k++) a->triangle[R->row[k]] += weight * R->value[k];
  }
  solve_upper(R, a->triangle);
  for (int c = 0; c < R->rank; c++) n[R->row_of[c]] = -a->triangle[c];
}

/* ---- Singular values ---------------------------------------------------------------------------------- */

/* y = (A A')^+ x if N is formed; otherwise the inverse for the rows kept. */
static void invert(analysis *a, const double *x, double *y)
{
  const hn_trapezoid *R = &a->R;
  memcpy(y, x, sizeof *y * (size_t)R->rows);
  if (a->full) hn_left_null_remove(&a->N, y);
  for (int c = 0; c < R->rank; c++) a->triangle[c] = y[R->row_of[c]];
  solve_lower(R, a->triangle);
  solve_upper(R, a->triangle);
  memset(y, 0, sizeof *y * (size_t)R->rows);
  for (int c = 0; c < R->rank; c++) y[R->row_of[c]] = a->triangle[c];
  if (a->full) hn_left_null_remove(&a->N, y);
}

/* Returns the largest eigenvalue of the symmetric tridiagonal matrix with diagonals d and e, by bisection on
 * Sturm sequences. */
static double largest_eigenvalue(const double *d, const double *e, int n)
{
  double low = d[0], high = d[0];
  for (int i = 0; i < n; i++) {
    double radius = (i > 0 ? fabs(e[i - 1]) : 0.0) + (i + 1 < n ? fabs(e[i]) : 0.0);
    low = fmax(low, d[i]), high = fmax(high, d[i] + radius);
  }
  for (int pass = 0; pass < 100 && high - low > 1e-15 * high; pass++) {
    double middle = 0.5 * (low + high), pivot = d[0] - middle;
    bool above = pivot > 0.0; /* an eigenvalue is above the middle */
    for (int i = 1; i < n && !above; i++) {
      pivot = d[i] - middle - e[i - 1] * e[i - 1] / (pivot == 0.0 ? -1e-300 : pivot);
      above = pivot > 0.0;
    }
    *(above ? &low : &high) = middle;
  }
  return 0.5 * (low + high);
}

/* Returns the smallest singular value kept, by Lanczos' method with full orthogonalisation. Singular vectors
 * are not computed. */
static double smallest_kept(analysis *a)
{
  const int n = a->A->rows;
  double diagonal[STEPS], off[STEPS], value = 0.0;
  double *v = a->basis;
  uint32_t pattern = RANDOM_SEED;
  /* start vector, in the range of the pseudo-inverse */
  for (int i = 0; i < n; i++) v[n + i] = irregular(&pattern);
  invert(a, v + n, v);
  double size = norm_of(v, n);
  if (!(size > 0.0)) return NAN;
  for (int i = 0; i < n; i++) v[i] /= size;
  /* Lanczos steps; `next` is orthogonalised twice */
  for (int k = 0; k < STEPS; k++) {
    double *now = v + (size_t)k * (size_t)n, *next = now + n, before = value;
    invert(a, now, next);
    diagonal[k] = long_dot(now, next, n);
    value = largest_eigenvalue(diagonal, off, k + 1);
    for (int pass = 0; pass < 2; pass++)
      for (int j = 0; j <= k; j++) {
        double *old = v + (size_t)j * (size_t)n, part = long_dot(old, next, n);
        for (int i = 0; i < n; i++) next[i] -= part * old[i];
      }
    off[k] = norm_of(next, n);
    if (off[k] <= exhausted * value || (k > MIN_STEPS && value - before <= converged * value)) break;
    for (int i = 0; i < n; i++) next[i] /= off[k];
  }
  return 1.0 / sqrt(value);
}

/* Appends the vector of the smallest singular value kept to N, by inverse iteration, which converges fast
 * because that value is far below the others. */
static void drop_smallest(analysis *a)
{
  const int n = a->A->rows;
  double *x = a->basis, *y = a->basis + n;
  uint32_t pattern = 0x9e3779b9u;
  for (int i = 0; i < n; i++) x[i] = irregular(&pattern);
  for (int pass = 0; pass < 6; pass++) {
    invert(a, x, y);
    double size = norm_of(y, n);
    for (int i = 0; i < n; i++) x[i] = y[i] / size;
  }
  memcpy(a->N.value + (size_t)a->N.count * (size_t)n, x, sizeof *x * (size_t)n);
  a->N.count++;
  hn_left_null_orthonormalise(&a->N);
}

/* Returns the largest singular value of A' N, by the power method on N' A A' N. It consists of rounding
 * errors. */
static double largest_dropped(analysis *a)
{
  const int n = a->A->rows, k = a->N.count;
  double *c = a->basis, *x = a->basis + n, *y = x + n, value = 0.0;
  for (int j = 0; j < k; j++) c[j] = 1.0 / sqrt(k);
  for (int pass = 0; pass < 20; pass++) {
    memset(x, 0, sizeof *x * (size_t)n);
    for (int j = 0; j < k; j++)
      for (int i = 0; i < n; i++) x[i] += c[j] * a->N.value[(size_t)j * (size_t)n + (size_t)i];
    hn_scaled_transposed(a->A, x, a->body_motion);
    value = fmax(value, norm_of(a->body_motion, a->A->columns));
    hn_scaled_times(a->A, a->body_motion, y);
    for (int j = 0; j < k; j++) c[j] = long_dot(a->N.value + (size_t)j * (size_t)n, y, n);
    double size = norm_of(c, k);
    if (!(size > 0.0)) break;
    for (int j = 0; j < k; j++) c[j] /= size;
  }
  return value;
}

/* ---- Full and probed analysis ------------------------------------------------------------------------- */

static int analyse_full(analysis *a, hn_rank *rank, hn_error *error)
{
  const int spare = 4, left_out = a->R.rows - a->R.rank;
  size_t rows = (size_t)a->R.rows;
  a->N = (hn_left_null){ .rows = a->R.rows,
                         .value = malloc(sizeof(double) * rows * (size_t)(left_out + spare)) };
  if (!a->N.value) return hn_fail(error, "out of memory");
  for (int j = 0; j < left_out; j++) null_vector(a, a->R.rank + j, NULL, a->N.value + (size_t)j * rows);
  a->N.count = left_out;
  hn_left_null_orthonormalise(&a->N);
  rank->kept = smallest_kept(a);
  for (int more = 0; more < spare && rank->kept <= rank->tolerance; more++) {
    drop_smallest(a);
    rank->kept = smallest_kept(a);
  }
  rank->rank = a->R.rows - a->N.count;
  rank->dropped = a->N.count > 0 ? largest_dropped(a) : NAN;
  if (hn_rank_reserve(rank, a->N.count, 0, error)) return -1;
  return hn_left_null_judge(&a->N, rank, error);
}

static int analyse_probed(analysis *a, hn_rank *rank, hn_error *error)
{
  const int n = a->R.rows;
  uint32_t pattern = RANDOM_SEED;
  rank->rank = a->R.rank;
  rank->measured = false;
  rank->dropped = 0.0;
  /* combinations of null vectors: multipliers that are not unique, and the residual of A' n = 0 */
  for (int probe = 0; probe < PROBES; probe++) {
    double *x = a->basis;
    null_vector(a, 0, &pattern, x);
    double size = norm_of(x, n);
    hn_scaled_transposed(a->A, x, a->body_motion);
    rank->dropped = fmax(rank->dropped, norm_of(a->body_motion, a->A->columns) / size);
    for (int i = 0; i < n; i++)
      if (fabs(x[i]) > zero_entry) rank->undetermined[i] = 1.0;
  }
  rank->kept = smallest_kept(a);
  if (hn_rank_reserve(rank, n - a->R.rank, 0, error)) return -1;
  /* the rows left out, ascending */
  int *left_out = calloc((size_t)n + 1, sizeof *left_out);
  if (!left_out) return hn_fail(error, "out of memory");
  for (int c = a->R.rank; c < n; c++) left_out[a->R.row_of[c]] = 1;
  for (int i = 0, k = 0; i < n; i++)
    if (left_out[i]) rank->redundant[k++] = i;
  free(left_out);
  return 0;
}

/* Stores the values next to the gap, as far as they exist, as singular values. */
static int store_values(hn_rank *rank, hn_error *error)
{
  int *redundant = rank->redundant, count = (rank->rank > 0) + (rank->rank < rank->rows);
  rank->redundant = NULL;
  int status = hn_rank_reserve(rank, 0, count, error);
  free(rank->redundant);
  rank->redundant = redundant;
  rank->complete = false;
  if (status) return status;
  if (rank->rank > 0) rank->singular[0] = rank->kept;
  if (rank->rank < rank->rows) rank->singular[count - 1] = rank->dropped;
  return 0;
}

int hn_rank_sparse(const hn_scaled *A, const int *order, hn_rank *rank, hn_error *error)
{
  hn_rank_factor *factor;
  const void *symbol = hn_module_symbol(HN_RANK_MODULE, HN_RANK_FACTOR, error);
  if (!symbol) return -1;
  memcpy(&factor, &symbol, sizeof factor); /* ISO C cannot cast an object pointer to a function pointer */
  /* factorisation */
  analysis a = { .A = A };
  int status = factor(A, order, rank->tolerance, &a.R, error);
  if (status == 0 && !is_triangle(&a.R))
    status = hn_fail(error, "the sparse factorisation is not triangular");
  size_t rows = (size_t)A->rows;
  hn_arrays arrays = { .first = NULL };
  if (status == 0)
    status = hn_arrays_allocate(&arrays, error, HN_ARRAY(a.body_motion, (size_t)A->columns),
                                HN_ARRAY(a.triangle, rows), HN_ARRAY(a.basis, rows * (STEPS + 3)));
  /* analysis, with N if it is small enough */
  if (status == 0) {
    double left_out = a.R.rows - a.R.rank;
    a.full = (double)rows * left_out <= FULL_ENTRIES && (double)rows * left_out * left_out <= FULL_WORK;
    status = a.full ? analyse_full(&a, rank, error) : analyse_probed(&a, rank, error);
  }
  if (status == 0) status = store_values(rank, error);
  hn_trapezoid_free(&a.R);
  hn_arrays_free(&arrays);
  free(a.N.value);
  return status;
}
