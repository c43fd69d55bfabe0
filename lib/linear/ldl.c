/* ldl.c - block L D L' without a library; the fastest back end on mechanisms.
 *
 *   for block rows k in elimination order:   V_kj = A_kk^-1 A_kj,   A_ij -= A_ki' V_kj  for i <= j in row k
 *   b_j -= V_kj' b_k,  b_k := A_kk^-1 b_k;   then from the last row to the first   x_k = b_k - V_kj x_j
 *
 * A_kk^-1 is applied by the L D L' of the block. A starts as K by constraints; its pattern with fill-in is
 * computed once, from the elimination tree. Block sizes are constants in loops, 1 to 6 rows. The order of all
 * operations is fixed.
 *
 * A singular K is detected during the factorisation. K y = D^1/2 s is solved forward for the probe of
 * linear.c, s irregular and D the diagonal of K. The largest y_k' A_kk^-1 y_k is about the growth defined
 * there, since their sum is s' D^1/2 K^-1 D^1/2 s. K is singular if it exceeds 1e12, or if a pivot is below
 * 1e-12 of the diagonal; the inverse of a pivot is a diagonal entry of the inverse of a part of K.
 *
 * With hubs (matrix.h) the pivots of hubs are negative, below -1. A joint before its hub is factored as if
 * the hub were fixed. Where it then has hardly any mobility left (pivots.h), the diagonal entry of K is added
 * to the pivot, and border.h takes it back after the factorisation. Of
 * the growth only the sum has a meaning then, in which the terms of hubs are negative.
 *
 * A large factor with wide rows consists of dense parts instead (supernodes.h).
 *
 * Values that decay along a long chain would become subnormal numbers, which processors handle a hundred
 * times slower. Rows of a right-hand side or a solution below HN_NEGLIGIBLE are set to 0. Their squares would
 * be lost from every norm anyway.
 *
 * [Golub and Van Loan, section 4.2; Liu 1990 for the elimination tree] */
#if defined __GNUC__ && !defined __clang__
#pragma GCC optimize("no-tree-vectorize") /* vector loads of numbers just stored one by one are slow */
#endif
#include "linear/backend.h"
#include "linear/factor_pattern.h"
#include "linear/supernodes.h"
#include "base/small.h"
#include "base/vec.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Marks functions whose size arguments are constants after inlining, so that loops are unrolled. */
#define inlined static inline __attribute__((always_inline))

/* From this many multiplications, in all and for each row, a factor consists of supernodes. */
static const double large_work = 2e5, large_row_work = 160.0;

typedef struct ldl {
  const hn_block_matrix *K;
  const int *row; /* [n + 1] of K */
  int *start;     /* [n + 1] first block of each block row */
  int *column;    /* [start[n]] block columns, ascending; the diagonal block comes first */
  int *at;        /* [start[n] + 1] offsets of blocks in value */
  int *from;      /* [blocks of K] their destinations; NULL without fill-in */
  /* [at[start[n]]] A, then L D L' in diagonal blocks (L below the diagonal, row by row) and V in the
   * others */
  double *value;
  hn_pivots pivots;
  hn_supernodes *supernodes; /* the factor if it is large; then A and V are not allocated */
} ldl;

static void free_pattern(ldl *f)
{
  free(f->start), free(f->column), free(f->at), free(f->from), free(f->value);
  free(f->pivots.inverse), free(f->pivots.probe);
  hn_border_free(f->pivots.border);
  hn_supernodes_free(f->supernodes);
  *f = (ldl){ 0 };
}

static void destroy(void *self)
{
  free_pattern(self);
  free(self);
}

static void *create(const hn_linear_type *type, const char *options, hn_error *error)
{
  (void)type, (void)options;
  ldl *f = calloc(1, sizeof *f);
  if (!f) hn_fail(error, "out of memory");
  return f;
}

/* ---- Pattern ------------------------------------------------------------------------------------------ */

static int size_of(const ldl *f, int row)
{
  return f->row[row + 1] - f->row[row];
}

/* Sets block offsets row by row without gaps: a row of blocks is one matrix, column by column. -1 if there
 * are too many numbers. */
static int place_blocks(ldl *f)
{
  double numbers = 0.0;
  for (int row = 0; row < f->K->n; row++)
    for (int k = f->start[row]; k < f->start[row + 1]; k++) {
      f->at[k] = (int)numbers;
      numbers += size_of(f, row) * size_of(f, f->column[k]);
      if (numbers > INT_MAX) return -1;
    }
  f->at[f->start[f->K->n]] = (int)numbers;
  return 0;
}

/* Sets the destinations of the blocks of K, for an A with fill-in. */
static void set_destinations(ldl *f)
{
  const hn_block_matrix *K = f->K;
  for (int row = 0; row < K->n; row++)
    for (int k = K->start[row], a = f->start[row]; k < K->start[row + 1]; k++) {
      while (f->column[a] < K->column[k]) a++;
      f->from[k] = f->at[a];
    }
}

static int count_hubs(const hn_block_matrix *K)
{
  int count = 0;
  for (int row = 0; row < K->n; row++) count += K->scale[K->row[row]] < 0.0;
  return count;
}

/* Allocates the blocks of the factor. */
static int allocate_blocks(ldl *f, hn_error *error)
{
  const hn_block_matrix *K = f->K;
  const size_t rows = (size_t)K->row[K->n], blocks = (size_t)f->start[K->n];
  f->at = malloc(sizeof *f->at * (blocks + 1));
  if (!f->at) return hn_fail(error, "out of memory");
  if (place_blocks(f)) return hn_fail(error, "linear=ldl: the factor of %zu rows has too many numbers", rows);
  f->value = calloc((size_t)f->at[blocks] + 1, sizeof *f->value);
  bool fills = f->start[K->n] > K->start[K->n];
  if (fills) f->from = malloc(sizeof *f->from * ((size_t)K->start[K->n] + 1));
  if (!f->value || (fills && !f->from)) return hn_fail(error, "no memory for a factor of %zu rows", rows);
  if (fills) set_destinations(f);
  return 0;
}

static bool is_large(const ldl *f)
{
  const double work = hn_pattern_work(f->K, f->start, f->column);
  return work >= large_work && work >= large_row_work * f->row[f->K->n];
}

static int analyse(void *self, hn_block_matrix *K, hn_error *error)
{
  ldl *f = self;
  free_pattern(f);
  f->K = f->pivots.K = K, f->row = K->row;
  const size_t rows = (size_t)K->row[K->n];
  f->pivots.inverse = calloc(rows + 1, sizeof *f->pivots.inverse);
  f->pivots.probe = calloc(rows + 1, sizeof *f->pivots.probe);
  if (!f->pivots.inverse || !f->pivots.probe || !hn_factor_pattern(K, &f->start, &f->column))
    return hn_fail(error, "out of memory");
  if (K->scale && !(f->pivots.border = hn_border_create((int)rows, count_hubs(K))))
    return hn_fail(error, "out of memory");
  if (!is_large(f)) return allocate_blocks(f, error);
  f->supernodes = hn_supernodes_create(&f->pivots, f->start, f->column);
  return f->supernodes ? 0 : hn_fail(error, "no memory for a factor of %zu rows", rows);
}

/* ---- Factorisation ------------------------------------------------------------------------------------ */

static void load(ldl *f)
{
  const hn_block_matrix *K = f->K;
  if (!f->from) {
    memcpy(f->value, K->value, sizeof *f->value * (size_t)K->at[K->start[K->n]]);
    return;
  }
  memset(f->value, 0, sizeof *f->value * (size_t)f->at[f->start[K->n]]);
  for (int k = 0; k < K->start[K->n]; k++)
    memcpy(f->value + f->from[k], K->value + K->at[k], sizeof *f->value * (size_t)(K->at[k + 1] - K->at[k]));
}

inlined double diagonal_of(const ldl *f, int row)
{
  return f->K->value[f->K->diagonal[row]];
}

/* Factors the diagonal block A of the rows from ROW on: L, and 1 / D into f->pivots.inverse. */
inlined hn_reason factor_pivots(int n, ldl *f, int row, double *A)
{
  for (int j = 0; j < n; j++) {
    double pivot = ldl_pivot(n, A, j);
    hn_reason reason = hn_accept_pivot(&f->pivots, row + j, &pivot);
    if (reason != HN_CONVERGED) return reason;
    const double inverse = 1.0 / pivot;
    A[j * n + j] = pivot;
    for (int i = j + 1; i < n; i++) A[i * n + j] = ldl_entry(n, A, i, j) * inverse;
    f->pivots.inverse[row + j] = inverse;
  }
  return HN_CONVERGED;
}

/* Factors a block of three rows by minors: all divisions can start at once, where pivots depend on each
 * other. */
inlined hn_reason factor_minors(ldl *f, int row, double *A)
{
  const double a = A[0], b = A[3], c = A[6], first = a * A[4] - b * b, mixed = a * A[7] - b * c;
  const double second = a * A[8] - c * c, last = first * second - mixed * mixed, both = a * first;
  const double over_a = 1.0 / a, over_first = 1.0 / first, over_last = 1.0 / last;
  double *inverse = f->pivots.inverse + row;
  inverse[0] = over_a, inverse[1] = a * over_first, inverse[2] = both * over_last;
  A[3] = b * over_a, A[6] = c * over_a, A[7] = mixed * over_first;
  hn_reason reason = hn_check_pivot(a, diagonal_of(f, row));
  if (reason == HN_CONVERGED) reason = hn_check_pivot(first, a * diagonal_of(f, row + 1));
  return reason == HN_CONVERGED ? hn_check_pivot(last, both * diagonal_of(f, row + 2)) : reason;
}

/* x := A^-1 x for a diagonal block. */
inlined void solve_diagonal(int n, const double *A, const double *inverse, double *x)
{
  ldl_forward(n, A, x);
  for (int r = 0; r < n; r++) x[r] *= inverse[r];
  ldl_backward(n, A, x);
}

/* C (ni rows) -= A' V for a number of columns; A and V have nk rows. */
inlined void subtract_product(int nk, int ni, int columns, const double *restrict A, const double *restrict V,
                              double *restrict C)
{
  for (int c = 0; c < columns; c++)
    for (int r = 0; r < ni; r++) {
      double sum = A[r * nk] * V[c * nk];
      for (int s = 1; s < nk; s++) sum += A[r * nk + s] * V[c * nk + s];
      C[c * ni + r] -= sum;
    }
}

/* C -= A' V for a symmetric C: its upper triangle. */
inlined void subtract_symmetric_product(int nk, int n, const double *restrict A, const double *restrict V,
                                        double *restrict C)
{
  for (int c = 0; c < n; c++)
    for (int r = 0; r <= c; r++) {
      double sum = A[r * nk] * V[c * nk];
      for (int s = 1; s < nk; s++) sum += A[r * nk + s] * V[c * nk + s];
      C[c * n + r] -= sum;
    }
}

/* Eliminates block k of row ROW, ni columns wide, from the row of its column, then replaces it by V. The
 * blocks after it hold V already. EVEN: all blocks have nk rows. */
inlined void update(int nk, int ni, bool even, ldl *f, int row, int k)
{
  const double *D = f->value + f->at[f->start[row]], *inverse = f->pivots.inverse + f->row[row];
  double A[HN_MAX_ROWS * HN_MAX_ROWS], V[HN_MAX_ROWS * HN_MAX_ROWS], *block = f->value + f->at[k];
  int to = f->start[f->column[k]];
  for (int i = 0; i < nk * ni; i++) A[i] = V[i] = block[i];
  for (int c = 0; c < ni; c++) solve_diagonal(nk, D, inverse, V + c * nk);
  for (int i = 0; i < nk * ni; i++) block[i] = V[i];
  subtract_symmetric_product(nk, ni, A, V, f->value + f->at[to]);
  for (int j = k + 1; j < f->start[row + 1]; j++) {
    do to++;
    while (f->column[to] < f->column[j]);
    subtract_product(nk, ni, even ? nk : size_of(f, f->column[j]), A, f->value + f->at[j],
                     f->value + f->at[to]);
  }
}

/* x_j -= V_kj' y for the columns of row k, whose first off-diagonal block is V. */
inlined void scatter(int n, bool even, const ldl *f, int row, const double *V, const double *y, double *x)
{
  for (int k = f->start[row] + 1; k < f->start[row + 1]; k++) {
    double *to = x + f->row[f->column[k]];
    int columns = even ? n : size_of(f, f->column[k]);
    for (int c = 0; c < columns; c++, V += n) {
      double sum = V[0] * y[0];
      for (int s = 1; s < n; s++) sum += V[s] * y[s];
      to[c] -= sum;
    }
  }
}

/* Solves row ROW of the probe forward; returns its contribution to the growth. */
inlined double probe(int n, bool even, ldl *f, int row, const double *A)
{
  double y[HN_MAX_ROWS], x[HN_MAX_ROWS], growth = 0.0;
  for (int r = 0; r < n; r++) x[r] = y[r] = f->pivots.probe[f->row[row] + r];
  scatter(n, even, f, row, A + n * n, y, f->pivots.probe);
  ldl_forward(n, A, x);
  for (int r = 0; r < n; r++)
    growth += x[r] * x[r] * f->pivots.inverse[f->row[row] + r]; /* negative for a hub */
  return growth;
}

inlined hn_reason eliminate(int n, bool even, ldl *f, int row)
{
  double *A = f->value + f->at[f->start[row]];
  hn_reason reason = n == 3 && !f->pivots.border ? factor_minors(f, f->row[row], A)
                                                 : factor_pivots(n, f, f->row[row], A);
  if (reason != HN_CONVERGED) return reason;
  for (int k = f->start[row + 1] - 1; k > f->start[row]; k--) switch (even ? n : size_of(f, f->column[k])) {
    case 1: update(n, 1, even, f, row, k); break;
    case 2: update(n, 2, even, f, row, k); break;
    case 3: update(n, 3, even, f, row, k); break;
    case 4: update(n, 4, even, f, row, k); break;
    case 5: update(n, 5, even, f, row, k); break;
    default: update(n, 6, even, f, row, k);
    }
  const double growth = probe(n, even, f, row, A);
  return hn_judge_growth(&f->pivots, growth);
}

/* ---- Solution ----------------------------------------------------------------------------------------- */

inlined void clear_negligible(int n, double *x)
{
  double size = 0.0;
  for (int r = 0; r < n; r++) size += fabs(x[r]);
  if (size < HN_NEGLIGIBLE)
    for (int r = 0; r < n; r++) x[r] = 0.0;
}

inlined void forward(int n, bool even, const ldl *f, int row, double *x)
{
  const double *A = f->value + f->at[f->start[row]];
  double y[HN_MAX_ROWS];
  for (int r = 0; r < n; r++) y[r] = x[f->row[row] + r];
  clear_negligible(n, y);
  scatter(n, even, f, row, A + n * n, y, x);
  solve_diagonal(n, A, f->pivots.inverse + f->row[row], y);
  for (int r = 0; r < n; r++) x[f->row[row] + r] = y[r];
}

inlined void backward(int n, bool even, const ldl *f, int row, double *x)
{
  const double *V = f->value + f->at[f->start[row]] + n * n;
  double y[HN_MAX_ROWS];
  for (int r = 0; r < n; r++) y[r] = x[f->row[row] + r];
  for (int k = f->start[row] + 1; k < f->start[row + 1]; k++) {
    const double *from = x + f->row[f->column[k]];
    int columns = even ? n : size_of(f, f->column[k]);
    for (int c = 0; c < columns; c++, V += n)
      for (int r = 0; r < n; r++) y[r] -= V[r] * from[c];
  }
  clear_negligible(n, y);
  for (int r = 0; r < n; r++) x[f->row[row] + r] = y[r];
}

/* ---- Dispatch on block size --------------------------------------------------------------------------- */

/* Functions for rows FIRST to LAST - 1. */
typedef struct kernels {
  hn_reason (*eliminate)(ldl *f, int first, int last);
  void (*forward)(const ldl *f, int first, int last, double *x),
    (*backward)(const ldl *f, int first, int last, double *x);
} kernels;

#define KERNELS(n, even, name)                                                                              \
  static hn_reason eliminate_##name(ldl *f, int first, int last)                                            \
  {                                                                                                         \
    hn_reason reason = HN_CONVERGED;                                                                        \
    for (int row = first; row < last && reason == HN_CONVERGED; row++) reason = eliminate(n, even, f, row); \
    return reason;                                                                                          \
  }                                                                                                         \
  static void forward_##name(const ldl *f, int first, int last, double *x)                                  \
  {                                                                                                         \
    for (int row = first; row < last; row++) forward(n, even, f, row, x);                                   \
  }                                                                                                         \
  static void backward_##name(const ldl *f, int first, int last, double *x)                                 \
  {                                                                                                         \
    for (int row = last - 1; row >= first; row--) backward(n, even, f, row, x);                             \
  }

/* clang-format off */
KERNELS(1, true, 1) KERNELS(2, true, 2) KERNELS(3, true, 3)
KERNELS(4, true, 4) KERNELS(5, true, 5) KERNELS(6, true, 6)
KERNELS(1, false, of_1) KERNELS(2, false, of_2) KERNELS(3, false, of_3)
KERNELS(4, false, of_4) KERNELS(5, false, of_5) KERNELS(6, false, of_6)
/* clang-format on */

#define BY_SIZE(name)                                 \
  {                                                   \
    eliminate_##name, forward_##name, backward_##name \
  }
          static const kernels even[] = { BY_SIZE(1), BY_SIZE(2), BY_SIZE(3),
                                          BY_SIZE(4), BY_SIZE(5), BY_SIZE(6) };
static const kernels mixed[] = { BY_SIZE(of_1), BY_SIZE(of_2), BY_SIZE(of_3),
                                 BY_SIZE(of_4), BY_SIZE(of_5), BY_SIZE(of_6) };

static hn_reason eliminate_all(ldl *f)
{
  const int n = f->K->n, bs = f->K->bs;
  hn_reason reason = HN_CONVERGED;
  if (f->supernodes) return hn_supernodes_factor(f->supernodes);
  load(f);
  if (bs > 0) return even[bs - 1].eliminate(f, 0, n);
  for (int row = 0; row < n && reason == HN_CONVERGED; row++)
    reason = mixed[size_of(f, row) - 1].eliminate(f, row, row + 1);
  return reason;
}

static void substitute(const void *self, double *x)
{
  const ldl *f = self;
  const int n = f->K->n, bs = f->K->bs;
  if (f->supernodes) {
    hn_supernodes_solve(f->supernodes, x);
    return;
  }
  if (bs > 0) {
    even[bs - 1].forward(f, 0, n, x);
    even[bs - 1].backward(f, 0, n, x);
    return;
  }
  for (int row = 0; row < n; row++) mixed[size_of(f, row) - 1].forward(f, row, row + 1, x);
  for (int row = n - 1; row >= 0; row--) mixed[size_of(f, row) - 1].backward(f, row, row + 1, x);
}

static hn_reason factor(void *self)
{
  ldl *f = self;
  hn_reason reason = hn_pivots_begin(&f->pivots);
  if (reason == HN_CONVERGED) reason = eliminate_all(f);
  if (!f->pivots.border) return reason;
  if (reason == HN_CONVERGED && !(f->pivots.border->growth <= HN_MAX_GROWTH)) reason = HN_SINGULAR;
  return reason == HN_CONVERGED ? hn_border_factor(f->pivots.border, substitute, f, HN_MIN_PIVOT) : reason;
}

/* Solves with a matrix that has hubs; refines once if pivots are small against the diagonal of K. */
static void solve_with_hubs(const ldl *f, double *x)
{
  const size_t rows = (size_t)f->row[f->K->n];
  double *r = f->pivots.border->residual;
  if (f->pivots.border->refines) memcpy(r, x, sizeof *r * rows);
  substitute(f, x);
  hn_border_correct(f->pivots.border, x);
  if (!f->pivots.border->refines) return;
  hn_block_matrix_subtract(f->K, x, r);
  substitute(f, r);
  hn_border_correct(f->pivots.border, r);
  for (size_t i = 0; i < rows; i++) x[i] += r[i];
}

static hn_reason solve(void *self, double *x)
{
  const ldl *f = self;
  if (f->pivots.border) solve_with_hubs(f, x);
  else substitute(f, x);
  return HN_CONVERGED;
}

static size_t memory(const void *self)
{
  const ldl *f = self;
  const hn_border *border = f->pivots.border;
  size_t n = (size_t)f->K->n, blocks = (size_t)f->start[n], rows = (size_t)f->row[n];
  size_t bytes = sizeof(int) * (n + blocks) + 2 * sizeof(double) * rows;
  if (border) bytes += sizeof *border + sizeof(double) * rows * ((size_t)border->capacity + 1);
  if (f->supernodes) return bytes + hn_supernodes_memory(f->supernodes);
  bytes += sizeof(int) * (blocks + (f->from ? (size_t)f->K->start[n] : 0));
  return bytes + sizeof(double) * (size_t)f->at[blocks];
}

int hn_ldl_increased(const void *self)
{
  const ldl *f = self;
  return f->pivots.border ? f->pivots.border->count : 0;
}

const hn_linear_type hn_linear_ldl = {
  .name = "ldl",
  .by_constraints = true,
  .detects_singular = true,
  .create = create,
  .analyse = analyse,
  .factor = factor,
  .solve = solve,
  .memory = memory,
  .free = destroy,
};
