/* fill.c - the values of K = G W G': the list of contributions, walked in order of storage (assembly.c makes it).
 *
 * Sums run over the six entries of a twist, for all rows of a column at once, and a body's part is added to that of the
 * one before it: the order of every sum is that of the list, whatever the layout. */
#include "linear/matrix.h"

#include <string.h>

/* ---- Blocks of whole constraints ---------------------------------------------------------------------- */

/* Column c of a block of NR rows, entry r = sum over the twist's six entries, down to row N - 1; all but the pointers
 * are constants where this is inlined. */
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

/* Its upper triangle alone. */
static inline void product_upper(int n, const double *G, const double *T, bool first, double *block)
{
  product_column(n, 1, 0, G, T, first, block); /* not a loop: C is a constant for the compiler */
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

/* Sizes are constants for the compiler. */
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

static inline void put(double *entry, bool first, double value)
{
  *entry = first ? value : *entry + value;
}

/* Entries of one column of G W G', t that row of T: the first NR of the N rows of a joint. */
static inline void column_of(int nr, int n, const double *restrict G, const double *restrict t,
                             double *restrict sum)
{
  for (int r = 0; r < nr; r++) sum[r] = G[r] * t[0];
  for (int k = 1; k < 6; k++)
    for (int r = 0; r < nr; r++) sum[r] += G[k * n + r] * t[k];
}

/* Where joints may start within a block and end in another: entry (r, c) is at value[place[r] + bs * c]. */
static inline void scatter(int nr, int nc, const double *G, const double *T, const int *place, bool first,
                           int bs, double *value)
{
  for (int c = 0; c < nc; c++) {
    double sum[HN_MAX_ROWS];
    column_of(nr, nr, G, T + 6 * c, sum);
    for (int r = 0; r < nr; r++) put(&value[place[r] + bs * c], first, sum[r]);
  }
}

/* Column c of a joint with itself, down to the diagonal. */
static inline void scatter_column(int c, int n, const double *G, const double *T, const int *place,
                                  bool first, int bs, double *value)
{
  double sum[HN_MAX_ROWS];
  column_of(c + 1, n, G, T + 6 * c, sum);
  for (int r = 0; r <= c; r++) put(&value[place[r] + bs * c], first, sum[r]);
}

static inline void scatter_diagonal(int n, const double *G, const double *T, const int *place, bool first,
                                    int bs, double *value)
{
  scatter_column(0, n, G, T, place, first, bs, value); /* not a loop: C is a constant for the compiler */
  if (n > 1) scatter_column(1, n, G, T, place, first, bs, value);
  if (n > 2) scatter_column(2, n, G, T, place, first, bs, value);
  if (n > 3) scatter_column(3, n, G, T, place, first, bs, value);
  if (n > 4) scatter_column(4, n, G, T, place, first, bs, value);
  if (n > 5) scatter_column(5, n, G, T, place, first, bs, value);
}

#define SIZES_WITH(nr)                                                     \
  case 10 * nr + 1: scatter(nr, 1, G, T, place, first, bs, value); return; \
  case 10 * nr + 2: scatter(nr, 2, G, T, place, first, bs, value); return; \
  case 10 * nr + 3: scatter(nr, 3, G, T, place, first, bs, value); return; \
  case 10 * nr + 4: scatter(nr, 4, G, T, place, first, bs, value); return; \
  case 10 * nr + 5: scatter(nr, 5, G, T, place, first, bs, value); return; \
  case 10 * nr + 6: scatter(nr, 6, G, T, place, first, bs, value); return;

/* Sizes are constants for the compiler. */
static void scatter_of(int nr, int nc, const double *G, const double *T, const int *place, bool first, int bs,
                       double *value)
{
  switch (10 * nr + nc) {
    SIZES_WITH(1) SIZES_WITH(2) SIZES_WITH(3) SIZES_WITH(4) SIZES_WITH(5) SIZES_WITH(6)
  }
}

static void scatter_diagonal_of(int n, const double *G, const double *T, const int *place, bool first, int bs,
                                double *value)
{
  switch (n) {
  case 1: scatter_diagonal(1, G, T, place, first, bs, value); return;
  case 2: scatter_diagonal(2, G, T, place, first, bs, value); return;
  case 3: scatter_diagonal(3, G, T, place, first, bs, value); return;
  case 4: scatter_diagonal(4, G, T, place, first, bs, value); return;
  case 5: scatter_diagonal(5, G, T, place, first, bs, value); return;
  default: scatter_diagonal(6, G, T, place, first, bs, value);
  }
}

static void fill_rows(hn_assembly *as, const hn_system *s, const double *G, const double *T)
{
  hn_block_matrix *K = &as->K;
  for (const hn_contribution *p = as->part; p < as->part + as->nparts; p++) {
    int nr = s->block[p->row_owner].n, nc = s->block[p->column_owner].n;
    const double *g = G + p->row_block, *t = T + p->column_block;
    const bool first = p->at < 0;
    const int *place = as->place + (first ? ~p->at : p->at);
    if (p->row_owner == p->column_owner) scatter_diagonal_of(nr, g, t, place, first, K->bs, K->value);
    else scatter_of(nr, nc, g, t, place, first, K->bs, K->value);
  }
  for (int row = 0; row < K->n && K->bs == 2; row++) { /* diagonal blocks are whole */
    double *block = K->value + 4 * (size_t)K->start[row];
    block[1] = block[2];
  }
}

/* ---- K as a whole ------------------------------------------------------------------------------------- */

void hn_assembly_fill(hn_assembly *as, const hn_system *s)
{
  if (as->whole) fill_blocks(as, s, s->G, s->T);
  else fill_rows(as, s, s->G, s->T);
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
}

void hn_assembly_clear(hn_assembly *as, int nrow)
{
  hn_block_matrix *K = &as->K;
  memset(K->value, 0, sizeof *K->value * (size_t)K->at[K->start[K->n]]);
  for (int i = 0; i < K->row[K->n]; i++) K->value[K->diagonal[i]] = 1.0;
  for (int i = 0; i < nrow; i++) K->value[K->diagonal[as->row_at[i]]] = 0.0;
}
