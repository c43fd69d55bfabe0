/* supernodes.c - L D L' of a large K by dense parts.
 *
 * Rows of the factor with nearly the same columns form a supernode: a dense panel P of c rows, upper
 * triangular in its own c columns, with r columns beyond them. U = D L' is stored. For every panel in order
 *
 *   P_i  -=  sum_k (U_ki / D_k) U_k   for k < i, in strips of rows;   D_i = P_ii
 *   C     =  F' U,  F_ki = U_ki / D_k,   subtracted from the panels of the columns i beyond
 *
 * Products run over blocks of 4 x 4 sums in registers. Every sum runs over k in ascending order, so that
 * bits do not depend on the blocks. Rows are merged into one panel as long as this stores few zeros; the
 * bounds are those of CHOLMOD. Panels overlap in C only, so that the order of all operations is fixed.
 *
 * [Ng and Peyton, SIAM J. Sci. Comput. 14 (1993) 1034; Davis, Direct methods for sparse linear systems, 2006;
 * Chen, Davis, Hager and Rajamanickam, ACM Trans. Math. Softw. 35 (2008) 22 for the bounds] */
#include "linear/supernodes.h"
#include "base/array.h"
#include "base/lane.h"

#include <stdlib.h>
#include <string.h>

enum { STRIP = 8 };

struct hn_supernodes {
  hn_pivots *pivots;
  hn_arrays arrays;
  int count;       /* panels */
  int *first;      /* [count + 1] first row of each panel */
  int *start;      /* [count + 1] first of its columns beyond, in index */
  int *index;      /* [start[count]] columns beyond, ascending */
  size_t *at;      /* [count + 1] offsets of panels in value; row by row */
  int *owner;      /* [rows] panel of each row */
  size_t *from;    /* [blocks of K] destinations of their first entries */
  double *value;   /* [at[count]] */
  double *scaled;  /* F */
  double *product; /* C; in solutions the columns beyond of a vector */
  int *place;      /* columns of a panel in the panel that is updated */
};

static int columns_of(const hn_supernodes *f, int s)
{
  return f->first[s + 1] - f->first[s] + f->start[s + 1] - f->start[s];
}

/* ---- Pattern ------------------------------------------------------------------------------------------ */

/* A set of consecutive block rows while panels are formed. */
typedef struct group {
  int block;    /* first block row */
  int columns;  /* rows */
  int beyond;   /* columns beyond */
  int parent;   /* block row of the first column beyond; -1 if there is none */
  double zeros; /* entries stored that are zero */
} group;

static int size_of(const hn_block_matrix *K, int row)
{
  return K->row[row + 1] - K->row[row];
}

/* Lists the sets of block rows with exactly nested columns; returns their count. */
static int list_groups(const hn_block_matrix *K, const int *start, const int *column, group *g)
{
  int count = 0;
  for (int row = 0; row < K->n; row++) {
    int beyond = 0, parent = start[row + 1] > start[row] + 1 ? column[start[row] + 1] : -1;
    for (int k = start[row] + 1; k < start[row + 1]; k++) beyond += size_of(K, column[k]);
    group *last = count > 0 ? &g[count - 1] : NULL;
    if (last && last->parent == row && last->beyond == beyond + size_of(K, row))
      last->columns += size_of(K, row), last->beyond = beyond, last->parent = parent;
    else g[count++] = (group){ row, size_of(K, row), beyond, parent, 0.0 };
  }
  return count;
}

/* True if a panel of COLUMNS rows may have this part of zeros. */
static bool may_have_zeros(int columns, double part)
{
  return columns <= 4 || (columns <= 16 && part < 0.8) || (columns <= 48 && part < 0.1) || part < 0.05;
}

/* Merges groups with the next one from the last to the first; JOINED[k] if k and k + 1 are one. */
static void merge_groups(group *g, int count, bool *joined)
{
  for (int k = count - 2, last = count; k >= 0; k--) { /* g[k + 1] reaches to g[last - 1] */
    const group *next = &g[k + 1];
    const int end = last < count ? g[last].block : -1;
    const bool is_parent = g[k].parent >= next->block && (end < 0 || g[k].parent < end);
    const double columns = g[k].columns + next->columns;
    const double zeros = next->zeros + (double)g[k].columns * (next->columns + next->beyond - g[k].beyond);
    const double entries = 0.5 * columns * (columns + 1.0) + columns * next->beyond;
    joined[k] = is_parent && may_have_zeros((int)columns, zeros / entries);
    if (joined[k]) g[k].columns = (int)columns, g[k].beyond = next->beyond, g[k].zeros = zeros;
    else last = k + 1;
  }
}

/* Returns the last block row of the panel that begins with group k, and in *NEXT the first group after it. */
static int end_of_panel(const hn_block_matrix *K, const group *g, int count, const bool *joined, int k,
                        int *next)
{
  while (k + 1 < count && joined[k]) k++;
  *next = k + 1;
  return (k + 1 < count ? g[k + 1].block : K->n) - 1;
}

/* Sets the rows and columns of the panels. The columns beyond are those of the last block row. */
static void list_panels(hn_supernodes *f, const int *start, const int *column, const group *g, int count,
                        const bool *joined)
{
  const hn_block_matrix *K = f->pivots->K;
  f->count = 0;
  for (int k = 0, next; k < count; k = next) {
    const int s = f->count++, last = end_of_panel(K, g, count, joined, k, &next);
    int beyond = f->start[s];
    for (int row = f->first[s] = K->row[g[k].block]; row < K->row[last + 1]; row++) f->owner[row] = s;
    for (int b = start[last] + 1; b < start[last + 1]; b++)
      for (int c = K->row[column[b]]; c < K->row[column[b] + 1]; c++) f->index[beyond++] = c;
    f->start[s + 1] = beyond, f->first[s + 1] = K->row[last + 1];
    f->at[s + 1] = f->at[s] + (size_t)(f->first[s + 1] - f->first[s]) * (size_t)columns_of(f, s);
  }
}

/* Returns the position of column C in panel S. */
static int place_of(const hn_supernodes *f, int s, int c)
{
  const int own = f->first[s + 1] - f->first[s], *index = f->index + f->start[s];
  int low = 0, high = f->start[s + 1] - f->start[s] - 1;
  if (c < f->first[s + 1]) return c - f->first[s];
  while (low < high) {
    int middle = (low + high) / 2;
    if (index[middle] < c) low = middle + 1;
    else high = middle;
  }
  return own + low;
}

static void set_destinations(hn_supernodes *f)
{
  const hn_block_matrix *K = f->pivots->K;
  for (int row = 0; row < K->n; row++)
    for (int k = K->start[row]; k < K->start[row + 1]; k++) {
      const int s = f->owner[K->row[row]], i = K->row[row] - f->first[s];
      f->from[k] = f->at[s] + (size_t)i * (size_t)columns_of(f, s) +
                   (size_t)place_of(f, s, K->row[K->column[k]]);
    }
}

/* Allocates values and scratch for the widest panels. */
static int allocate_values(hn_supernodes *f)
{
  size_t rows = 0, columns = 0;
  for (int s = 0; s < f->count; s++) {
    const size_t c = (size_t)(f->first[s + 1] - f->first[s]), m = (size_t)columns_of(f, s);
    rows = c > rows ? c : rows, columns = m > columns ? m : columns;
  }
  /* C has as many rows as the columns that two panels share */
  return hn_arrays_allocate(&f->arrays, NULL, HN_ARRAY(f->value, f->at[f->count]),
                            HN_ARRAY(f->scaled, rows * rows), HN_ARRAY(f->product, rows * columns + columns),
                            HN_ARRAY(f->place, columns));
}

static int create(hn_supernodes *f, const int *start, const int *column, group *g, bool *joined)
{
  const hn_block_matrix *K = f->pivots->K;
  const size_t rows = (size_t)K->row[K->n];
  const int groups = list_groups(K, start, column, g);
  size_t beyond = 0;
  merge_groups(g, groups, joined);
  for (int k = 0; k < groups; k++) beyond += k == 0 || !joined[k - 1] ? (size_t)g[k].beyond : 0;
  if (hn_arrays_allocate(&f->arrays, NULL, HN_ARRAY(f->first, groups + 1), HN_ARRAY(f->start, groups + 1),
                         HN_ARRAY(f->index, beyond), HN_ARRAY(f->at, groups + 1), HN_ARRAY(f->owner, rows),
                         HN_ARRAY(f->from, K->start[K->n])))
    return -1;
  list_panels(f, start, column, g, groups, joined);
  set_destinations(f);
  return allocate_values(f);
}

hn_supernodes *hn_supernodes_create(hn_pivots *pivots, const int *start, const int *column)
{
  const size_t blocks = (size_t)pivots->K->n;
  hn_supernodes *f = calloc(1, sizeof *f);
  group *g = malloc(sizeof *g * (blocks + 1));
  bool *joined = calloc(blocks + 1, sizeof *joined);
  if (f) f->pivots = pivots;
  const int status = f && g && joined ? create(f, start, column, g, joined) : -1;
  free(g), free(joined);
  if (status == 0) return f;
  hn_supernodes_free(f);
  return NULL;
}

void hn_supernodes_free(hn_supernodes *f)
{
  if (!f) return;
  hn_arrays_free(&f->arrays);
  free(f);
}

size_t hn_supernodes_memory(const hn_supernodes *f)
{
  const hn_block_matrix *K = f->pivots->K;
  return sizeof(double) * f->at[f->count] +
         sizeof(int) * ((size_t)f->start[f->count] + (size_t)K->row[K->n]) +
         sizeof(size_t) * (size_t)K->start[K->n];
}

/* ---- Products ----------------------------------------------------------------------------------------- */

/* Computes ROWS (1 or 4) rows of F' U for COUNT rows of F and U, COLUMNS columns: stored in C, or
 * subtracted. Row k of F is at F + k stride_F. */
static inline __attribute__((always_inline)) void multiply(int rows, bool subtract, int count, int columns,
                                                           const double *F, int stride_F, const double *U,
                                                           int stride_U, double *C, int stride_C)
{
  int j = 0;
  for (; j + 4 <= columns; j += 4) {
    lane sum[4][2] = { { { 0 } } };
    for (int k = 0; k < count; k++) {
      const double *u = U + (size_t)k * (size_t)stride_U + j, *f = F + (size_t)k * (size_t)stride_F;
      const lane left = lane_load(u), right = lane_load(u + 2);
      for (int i = 0; i < rows; i++) sum[i][0] += f[i] * left, sum[i][1] += f[i] * right;
    }
    for (int i = 0; i < rows; i++)
      for (int half = 0; half < 2; half++) {
        double *c = C + (size_t)i * (size_t)stride_C + j + 2 * half;
        lane_store(c, subtract ? lane_load(c) - sum[i][half] : sum[i][half]);
      }
  }
  for (; j < columns; j++)
    for (int i = 0; i < rows; i++) {
      double sum = 0.0, *c = C + (size_t)i * (size_t)stride_C + j;
      for (int k = 0; k < count; k++)
        sum += F[(size_t)k * (size_t)stride_F + (size_t)i] * U[(size_t)k * (size_t)stride_U + (size_t)j];
      *c = subtract ? *c - sum : sum;
    }
}

/* Computes the upper triangle of ROWS rows of F' U in columns 0 to COLUMNS - 1, in blocks of 4 rows: some
 * entries below the diagonal are computed too. */
static void multiply_upper(bool subtract, int rows, int count, int columns, const double *F, const double *U,
                           int stride_U, double *C, int stride_C)
{
  int i = 0;
  for (; i + 4 <= rows; i += 4) {
    double *c = C + (size_t)i * (size_t)stride_C + i;
    if (subtract) multiply(4, true, count, columns - i, F + i, rows, U + i, stride_U, c, stride_C);
    else multiply(4, false, count, columns - i, F + i, rows, U + i, stride_U, c, stride_C);
  }
  for (; i < rows; i++) {
    double *c = C + (size_t)i * (size_t)stride_C + i;
    if (subtract) multiply(1, true, count, columns - i, F + i, rows, U + i, stride_U, c, stride_C);
    else multiply(1, false, count, columns - i, F + i, rows, U + i, stride_U, c, stride_C);
  }
}

/* F_ki = U_ki / D_k for ROWS columns of COUNT rows. */
static void scale(int rows, int count, const double *U, int stride, const double *inverse, double *F)
{
  for (int k = 0; k < count; k++)
    for (int i = 0; i < rows; i++) F[k * rows + i] = U[(size_t)k * (size_t)stride + (size_t)i] * inverse[k];
}

/* ---- Factorisation ------------------------------------------------------------------------------------ */

static void load(hn_supernodes *f)
{
  const hn_block_matrix *K = f->pivots->K;
  memset(f->value, 0, sizeof *f->value * f->at[f->count]);
  for (int row = 0; row < K->n; row++) {
    const size_t m = (size_t)columns_of(f, f->owner[K->row[row]]);
    const int nr = size_of(K, row);
    for (int k = K->start[row]; k < K->start[row + 1]; k++) {
      const double *block = K->value + K->at[k];
      for (int c = 0; c < size_of(K, K->column[k]); c++)
        for (int r = 0; r < nr && (K->column[k] > row || r <= c); r++)
          f->value[f->from[k] + (size_t)r * m + (size_t)c] = block[c * nr + r];
    }
  }
}

/* Factors rows FROM to TO - 1 of a panel P of M columns, of which row 0 is row FIRST of K. */
static hn_reason factor_strip(hn_pivots *pivots, int first, int from, int to, int m, double *P)
{
  for (int k = from; k < to; k++) {
    double *U = P + (size_t)k * (size_t)m;
    hn_reason reason = hn_accept_pivot(pivots, first + k, &U[k]);
    if (reason != HN_CONVERGED) return reason;
    pivots->inverse[first + k] = 1.0 / U[k];
    for (int i = k + 1; i < to; i++) {
      const double factor = U[i] * pivots->inverse[first + k];
      double *row = P + (size_t)i * (size_t)m;
      for (int j = i; j < m; j++) row[j] -= factor * U[j];
    }
  }
  return HN_CONVERGED;
}

static hn_reason factor_panel(hn_supernodes *f, int s)
{
  const int first = f->first[s], c = f->first[s + 1] - first, m = columns_of(f, s);
  double *P = f->value + f->at[s];
  hn_reason reason = HN_CONVERGED;
  for (int from = 0; from < c && reason == HN_CONVERGED; from += STRIP) {
    const int to = from + STRIP < c ? from + STRIP : c;
    if (from > 0) {
      scale(to - from, from, P + from, m, f->pivots->inverse + first, f->scaled);
      multiply_upper(true, to - from, from, m - from, f->scaled, P + from, m,
                     P + (size_t)from * (size_t)m + from, m);
    }
    reason = factor_strip(f->pivots, first, from, to, m, P);
  }
  return reason;
}

/* Subtracts ROWS rows of C, COLUMNS wide, from panel T. INDEX has their columns in K. */
static void subtract_from_panel(hn_supernodes *f, int t, int rows, int columns, const int *index)
{
  const int own = f->first[t + 1] - f->first[t], m = columns_of(f, t);
  const int *beyond = f->index + f->start[t];
  int *place = f->place;
  for (int j = 0; j < rows; j++) place[j] = index[j] - f->first[t];
  for (int j = rows, at = 0; j < columns; j++) {
    while (beyond[at] < index[j]) at++;
    place[j] = own + at++;
  }
  for (int i = 0; i < rows; i++) {
    double *to = f->value + f->at[t] + (size_t)place[i] * (size_t)m;
    const double *C = f->product + (size_t)i * (size_t)columns;
    for (int j = i; j < columns; j++) to[place[j]] -= C[j];
  }
}

/* Subtracts the products of panel S from all later panels. */
static void update_later_panels(hn_supernodes *f, int s)
{
  const int c = f->first[s + 1] - f->first[s], m = columns_of(f, s), beyond = m - c;
  const int *index = f->index + f->start[s];
  const double *U = f->value + f->at[s] + c, *inverse = f->pivots->inverse + f->first[s];
  for (int from = 0, to; from < beyond; from = to) {
    const int t = f->owner[index[from]];
    /* at most as many rows as fit in the scratch */
    for (to = from; to < beyond && to - from < f->first[t + 1] - f->first[t] && index[to] < f->first[t + 1];
         to++) {
    }
    scale(to - from, c, U + from, m, inverse, f->scaled);
    multiply_upper(false, to - from, c, beyond - from, f->scaled, U + from, m, f->product, beyond - from);
    subtract_from_panel(f, t, to - from, beyond - from, index + from);
  }
}

/* Solves the rows of panel S forward in x: x_k becomes x_k before the division by D_k. */
static void forward_panel(const hn_supernodes *f, int s, double *x)
{
  const int first = f->first[s], c = f->first[s + 1] - first, m = columns_of(f, s);
  const int *index = f->index + f->start[s];
  double *beyond = f->product;
  for (int j = c; j < m; j++) beyond[j] = 0.0;
  for (int k = 0; k < c; k++) {
    const double *U = f->value + f->at[s] + (size_t)k * (size_t)m;
    if (fabs(x[first + k]) < HN_NEGLIGIBLE) x[first + k] = 0.0;
    const double y = x[first + k] * f->pivots->inverse[first + k];
    for (int j = k + 1; j < c; j++) x[first + j] -= U[j] * y;
    for (int j = c; j < m; j++) beyond[j] += U[j] * y;
  }
  for (int j = c; j < m; j++) x[index[j - c]] -= beyond[j];
}

static hn_reason probe_panel(hn_supernodes *f, int s)
{
  hn_pivots *p = f->pivots;
  hn_reason reason = HN_CONVERGED;
  forward_panel(f, s, p->probe);
  for (int i = f->first[s]; i < f->first[s + 1] && reason == HN_CONVERGED; i++)
    reason = hn_judge_growth(p, p->probe[i] * p->probe[i] * p->inverse[i]);
  return reason;
}

hn_reason hn_supernodes_factor(hn_supernodes *f)
{
  hn_reason reason = HN_CONVERGED;
  load(f);
  for (int s = 0; s < f->count && reason == HN_CONVERGED; s++) {
    reason = factor_panel(f, s);
    if (reason == HN_CONVERGED) reason = probe_panel(f, s);
    if (reason == HN_CONVERGED) update_later_panels(f, s);
  }
  return reason;
}

/* ---- Solution ----------------------------------------------------------------------------------------- */

/* Returns a' b; terms with even and odd indices have separate sums. */
static double dot(const double *a, const double *b, int count)
{
  lane sum = { 0.0, 0.0 };
  int i = 0;
  for (; i + 1 < count; i += 2) sum += lane_load(a + i) * lane_load(b + i);
  return sum[0] + sum[1] + (i < count ? a[i] * b[i] : 0.0);
}

static void backward_panel(const hn_supernodes *f, int s, double *x)
{
  const int first = f->first[s], c = f->first[s + 1] - first, m = columns_of(f, s);
  const int *index = f->index + f->start[s];
  double *y = f->product;
  for (int j = c; j < m; j++) y[j] = x[index[j - c]];
  for (int k = c - 1; k >= 0; k--) {
    const double *U = f->value + f->at[s] + (size_t)k * (size_t)m;
    y[k] = (x[first + k] - dot(U + k + 1, y + k + 1, m - k - 1)) * f->pivots->inverse[first + k];
    if (fabs(y[k]) < HN_NEGLIGIBLE) y[k] = 0.0;
    x[first + k] = y[k];
  }
}

void hn_supernodes_solve(const hn_supernodes *f, double *x)
{
  for (int s = 0; s < f->count; s++) forward_panel(f, s, x);
  for (int s = f->count - 1; s >= 0; s--) backward_panel(f, s, x);
}
