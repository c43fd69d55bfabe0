/* fill.c - computes the values of K = G W G' from the list of contributions (assembly.c) in storage order.
 *
 * Sums run over the six entries of a twist, for all rows of a column at once; contributions of several bodies
 * are added one after the other. The order of every sum is that of the list, in both layouts. */
#include "linear/matrix.h"
#include "linear/system_parts.h"
#include "base/vec.h"

#include <string.h>

/* ---- Aligned blocks ----------------------------------------------------------------------------------- */

/* Computes rows 0 .. n - 1 of column c of a block of NR rows: entry r is a sum over the six entries of the
 * twist. All arguments but the pointers are constants after inlining. */
static inline void product_column(int nr, int n, int c, const double *restrict G, const double *restrict T,
                                  bool first, double *restrict block)
{
  double sum[HN_MAX_ROWS];
  for (int r = 0; r < n; r++) sum[r] = first ? G[r] * T[6 * c] : block[c * nr + r] + G[r] * T[6 * c];
  for (int k = 1; k < 6; k++)
    for (int r = 0; r < n; r++) sum[r] += G[k * nr + r] * T[6 * c + k];
  for (int r = 0; r < n; r++) block[c * nr + r] = sum[r];
}

static inline void product(int nr, int nc, const double *G, const double *T, bool first, double *block)
{
  for (int c = 0; c < nc; c++) product_column(nr, nr, c, G, T, first, block);
}

/* Computes the upper triangle of a diagonal block. */
static inline void product_upper(int n, const double *G, const double *T, bool first, double *block)
{
  product_column(n, 1, 0, G, T, first, block); /* not a loop, so that c is a constant */
  if (n > 1) product_column(n, 2, 1, G, T, first, block);
  if (n > 2) product_column(n, 3, 2, G, T, first, block);
  if (n > 3) product_column(n, 4, 3, G, T, first, block);
  if (n > 4) product_column(n, 5, 4, G, T, first, block);
  if (n > 5) product_column(n, 6, 5, G, T, first, block);
}

#define UPPER(n)                          \
  case n:                                 \
    product_upper(n, g, t, first, block); \
    continue;
#define PRODUCTS_WITH(nr)                                      \
  case 10 * nr + 1: product(nr, 1, g, t, first, block); break; \
  case 10 * nr + 2: product(nr, 2, g, t, first, block); break; \
  case 10 * nr + 3: product(nr, 3, g, t, first, block); break; \
  case 10 * nr + 4: product(nr, 4, g, t, first, block); break; \
  case 10 * nr + 5: product(nr, 5, g, t, first, block); break; \
  case 10 * nr + 6: product(nr, 6, g, t, first, block); break;

/* Computes the aligned layout; sizes are constants for the compiler. */
static void fill_blocks(hn_assembly *as, const hn_system *s, const double *G, const double *T)
{
  const int even = 11 * as->K.bs;
  for (const hn_contribution *p = as->part; p < as->part + as->nparts; p++) {
    const bool first = p->at < 0;
    double *block = as->K.value + (first ? ~p->at : p->at);
    const double *g = G + p->row_block, *t = T + p->column_block;
    if (as->upper && p->row_owner == p->column_owner) switch (s->block[p->row_owner].n) {
        UPPER(1) UPPER(2) UPPER(3) UPPER(4) UPPER(5) UPPER(6)
      }
    switch (even ? even : 10 * s->block[p->row_owner].n + s->block[p->column_owner].n) {
      PRODUCTS_WITH(1) PRODUCTS_WITH(2) PRODUCTS_WITH(3) PRODUCTS_WITH(4) PRODUCTS_WITH(5) PRODUCTS_WITH(6)
    }
  }
}

/* ---- Rows in blocks of one size ----------------------------------------------------------------------- */

static inline void store(double *entry, bool first, double value)
{
  *entry = first ? value : *entry + value;
}

/* Computes the first NR of the N rows of a joint in one column of G W G'; t is that row of T. */
static inline void product_entries(int nr, int n, const double *restrict G, const double *restrict t,
                                   double *restrict sum)
{
  for (int r = 0; r < nr; r++) sum[r] = G[r] * t[0];
  for (int k = 1; k < 6; k++)
    for (int r = 0; r < nr; r++) sum[r] += G[k * n + r] * t[k];
}

/* Adds a product whose joints may start within a block and end in another: entry (r, c) is at
 * value[entry_at[r] + bs * c]. */
static inline void scatter(int nr, int nc, const double *G, const double *T, const int *entry_at, bool first,
                           int bs, double *value)
{
  for (int c = 0; c < nc; c++) {
    double sum[HN_MAX_ROWS];
    product_entries(nr, nr, G, T + 6 * c, sum);
    for (int r = 0; r < nr; r++) store(&value[entry_at[r] + bs * c], first, sum[r]);
  }
}

/* Adds column c of a joint with itself, down to the diagonal. */
static inline void scatter_column(int c, int n, const double *G, const double *T, const int *entry_at,
                                  bool first, int bs, double *value)
{
  double sum[HN_MAX_ROWS];
  product_entries(c + 1, n, G, T + 6 * c, sum);
  for (int r = 0; r <= c; r++) store(&value[entry_at[r] + bs * c], first, sum[r]);
}

static inline void scatter_diagonal(int n, const double *G, const double *T, const int *entry_at, bool first,
                                    int bs, double *value)
{
  scatter_column(0, n, G, T, entry_at, first, bs, value); /* not a loop, so that c is a constant */
  if (n > 1) scatter_column(1, n, G, T, entry_at, first, bs, value);
  if (n > 2) scatter_column(2, n, G, T, entry_at, first, bs, value);
  if (n > 3) scatter_column(3, n, G, T, entry_at, first, bs, value);
  if (n > 4) scatter_column(4, n, G, T, entry_at, first, bs, value);
  if (n > 5) scatter_column(5, n, G, T, entry_at, first, bs, value);
}

#define SIZES_WITH(nr)                                                        \
  case 10 * nr + 1: scatter(nr, 1, G, T, entry_at, first, bs, value); return; \
  case 10 * nr + 2: scatter(nr, 2, G, T, entry_at, first, bs, value); return; \
  case 10 * nr + 3: scatter(nr, 3, G, T, entry_at, first, bs, value); return; \
  case 10 * nr + 4: scatter(nr, 4, G, T, entry_at, first, bs, value); return; \
  case 10 * nr + 5: scatter(nr, 5, G, T, entry_at, first, bs, value); return; \
  case 10 * nr + 6: scatter(nr, 6, G, T, entry_at, first, bs, value); return;

/* Dispatches on sizes, which are constants for the compiler. */
static void add_product(int nr, int nc, const double *G, const double *T, const int *entry_at, bool first,
                        int bs, double *value)
{
  switch (10 * nr + nc) {
    SIZES_WITH(1) SIZES_WITH(2) SIZES_WITH(3) SIZES_WITH(4) SIZES_WITH(5) SIZES_WITH(6)
  }
}

static void add_diagonal_product(int n, const double *G, const double *T, const int *entry_at, bool first,
                                 int bs, double *value)
{
  switch (n) {
  case 1: scatter_diagonal(1, G, T, entry_at, first, bs, value); return;
  case 2: scatter_diagonal(2, G, T, entry_at, first, bs, value); return;
  case 3: scatter_diagonal(3, G, T, entry_at, first, bs, value); return;
  case 4: scatter_diagonal(4, G, T, entry_at, first, bs, value); return;
  case 5: scatter_diagonal(5, G, T, entry_at, first, bs, value); return;
  default: scatter_diagonal(6, G, T, entry_at, first, bs, value);
  }
}

static void fill_rows(hn_assembly *as, const hn_system *s, const double *G, const double *T)
{
  hn_block_matrix *K = &as->K;
  for (const hn_contribution *p = as->part; p < as->part + as->nparts; p++) {
    int nr = s->block[p->row_owner].n, nc = s->block[p->column_owner].n;
    const double *g = G + p->row_block, *t = T + p->column_block;
    const bool first = p->at < 0;
    const int *entry_at = as->entry_at + (first ? ~p->at : p->at);
    if (p->row_owner == p->column_owner) add_diagonal_product(nr, g, t, entry_at, first, K->bs, K->value);
    else add_product(nr, nc, g, t, entry_at, first, K->bs, K->value);
  }
  for (int row = 0; row < K->n && K->bs == 2; row++) { /* complete diagonal blocks */
    double *block = K->value + 4 * (size_t)K->start[row];
    block[1] = block[2];
  }
}

/* ---- Hubs --------------------------------------------------------------------------------------------- */

/* Computes C = G W^1/2 of a joint with N rows, row by row. L L' is the inverse inertia. */
static inline void hub_block(int n, double root_inv_mass, const double *L, const double *G, double *C)
{
  const double *A = G + 3 * n;
  for (int r = 0; r < n; r++)
    for (int c = 0; c < 3; c++) {
      C[6 * r + c] = root_inv_mass * G[c * n + r];
      C[6 * r + 3 + c] = A[r] * L[c] + A[n + r] * L[3 + c] + A[2 * n + r] * L[6 + c];
    }
}

/* Computes C of one joint and hub, and adds C C' to the diagonal of K. */
static void fill_hub_part(hn_assembly *as, const hn_system *s, const hn_hub_part *p)
{
  const int n = s->block[p->joint].n;
  double C[HN_HUB_ROWS * HN_MAX_ROWS], *block = as->K.value + p->at;
  hub_block(n, sqrt(s->model->body[as->hubs.body[p->hub]].inv_mass), as->hub_root + 9 * p->hub,
            s->G + p->block, C);
  for (int r = 0; r < n; r++) {
    double square = 0.0;
    for (int c = 0; c < HN_HUB_ROWS; c++) {
      square += C[6 * r + c] * C[6 * r + c];
      block[p->joint_first ? c * n + r : 6 * r + c] = C[6 * r + c];
    }
    as->K.scale[p->row + r] += square;
  }
}

/* Clears diagonal blocks without contributions, which shifts may have changed. */
static void clear_hub_joints(hn_assembly *as, const hn_system *s)
{
  for (const hn_hub_part *p = as->hub_part; p < as->hub_part + as->nhub_parts; p++) {
    const size_t n = (size_t)s->block[p->joint].n;
    if (p->only_hubs) memset(as->K.value + as->K.diagonal[p->row], 0, sizeof(double) * n * n);
  }
}

static void fill_hubs(hn_assembly *as, const hn_system *s)
{
  hn_block_matrix *K = &as->K;
  clear_hub_joints(as, s);
  for (int i = 0; i < s->nrow; i++) K->scale[as->row_at[i]] = K->value[K->diagonal[as->row_at[i]]];
  for (int h = 0; h < as->hubs.count; h++)
    mat_square_root(s->parts->inv_inertia + 9 * as->hubs.body[h], as->hub_root + 9 * h);
  for (const hn_hub_part *p = as->hub_part; p < as->hub_part + as->nhub_parts; p++) fill_hub_part(as, s, p);
}

/* ---- Complete matrix ---------------------------------------------------------------------------------- */

void hn_assembly_fill(hn_assembly *as, const hn_system *s)
{
  if (as->aligned) fill_blocks(as, s, s->G, s->T);
  else fill_rows(as, s, s->G, s->T);
  if (as->hubs.count > 0) fill_hubs(as, s);
}

/* Restores the diagonal of K in rows of group -1. */
static void restore_diagonal(hn_block_matrix *K, const int *group)
{
  for (int i = 0; i < K->row[K->n]; i++)
    if (group[i] < 0) K->value[K->diagonal[i]] = K->scale[i];
}

void hn_block_matrix_uncouple(hn_block_matrix *K, const int *group)
{
  for (int row = 0; row < K->n; row++)
    for (int k = K->start[row]; k < K->start[row + 1]; k++) {
      double *entry = K->value + K->at[k];
      for (int j = K->row[K->column[k]]; j < K->row[K->column[k] + 1]; j++)
        for (int i = K->row[row]; i < K->row[row + 1]; i++, entry++)
          if (i != j && (group[i] != group[j] || group[i] < 0)) *entry = 0.0;
    }
  if (K->scale) restore_diagonal(K, group);
}

/* r -= A x for a block A of NR rows, and r -= A' x across the diagonal. */
static void subtract_block(int nr, int nc, const double *A, const double *x, const double *x_across,
                           double *r, double *r_across)
{
  for (int c = 0; c < nc; c++)
    for (int i = 0; i < nr; i++) {
      r[i] -= A[c * nr + i] * x[c];
      r_across[c] -= A[c * nr + i] * x_across[i];
    }
}

/* r -= A x for a diagonal block of which the upper triangle is stored. */
static void subtract_diagonal_block(int n, const double *A, const double *x, double *r)
{
  for (int c = 0; c < n; c++) {
    for (int i = 0; i < c; i++) r[i] -= A[c * n + i] * x[c], r[c] -= A[c * n + i] * x[i];
    r[c] -= A[c * n + c] * x[c];
  }
}

void hn_block_matrix_subtract(const hn_block_matrix *K, const double *x, double *r)
{
  for (int row = 0; row < K->n; row++) {
    const int i = K->row[row], nr = K->row[row + 1] - i;
    subtract_diagonal_block(nr, K->value + K->at[K->start[row]], x + i, r + i);
    for (int k = K->start[row] + 1; k < K->start[row + 1]; k++) {
      const int j = K->row[K->column[k]], nc = K->row[K->column[k] + 1] - j;
      subtract_block(nr, nc, K->value + K->at[k], x + j, x + i, r + i, r + j);
    }
  }
}

void hn_assembly_clear(hn_assembly *as, int nrow)
{
  hn_block_matrix *K = &as->K;
  memset(K->value, 0, sizeof *K->value * (size_t)K->at[K->start[K->n]]);
  for (int i = 0; i < K->row[K->n]; i++) K->value[K->diagonal[i]] = K->scale ? -1.0 : 1.0;
  for (int i = 0; i < nrow; i++) K->value[K->diagonal[as->row_at[i]]] = 0.0;
}
