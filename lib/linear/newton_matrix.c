/* newton_matrix.c - the pattern of M = G_end D W G_start' and its values.
 *
 * A moving body couples every pair of joints attached to it: M_ij += (G_end)_i D W (G_start)_j' over the six
 * columns of that body, and M_ji, which is another block. The pairs are those of K (assembly.c), each in both
 * orders. */
#include "linear/newton_matrix.h"

#include <string.h>

static int compare_parts(const void *left, const void *right)
{
  const hn_newton_part *a = left, *b = right;
  if (a->row != b->row) return (a->row > b->row) - (a->row < b->row);
  if (a->column != b->column) return (a->column > b->column) - (a->column < b->column);
  return (a->row_block > b->row_block) - (a->row_block < b->row_block); /* fixed summation order */
}

static void list_parts(hn_newton_matrix *m, const hn_system *s, const hn_assembly *as)
{
  for (int k = 0; k < as->nparts; k++) {
    const hn_contribution *c = &as->part[k];
    const hn_block *i = &s->block[c->row_owner], *j = &s->block[c->column_owner];
    hn_newton_part part = { .row_block = c->row_block,
                            .column_block = c->column_block,
                            .row = m->row_at[i->row],
                            .column = m->row_at[j->row],
                            .nr = i->n,
                            .nc = j->n };
    hn_newton_part transposed = { .row_block = c->column_block,
                                  .column_block = c->row_block,
                                  .row = part.column,
                                  .column = part.row,
                                  .nr = part.nc,
                                  .nc = part.nr };
    m->part[m->nparts++] = part;
    if (i != j) m->part[m->nparts++] = transposed;
  }
  qsort(m->part, (size_t)m->nparts, sizeof *m->part, compare_parts);
}

static bool is_first_of_block(const hn_newton_matrix *m, int k)
{
  const hn_newton_part *p = &m->part[k];
  return k == 0 || p->row != p[-1].row || p->column != p[-1].column;
}

static size_t count_values(const hn_newton_matrix *m)
{
  size_t values = 0;
  for (int k = 0; k < m->nparts; k++)
    if (is_first_of_block(m, k)) values += (size_t)(m->part[k].nr * m->part[k].nc);
  return values;
}

/* Builds the rows of the joint of part FIRST in units of M.bs; they have the same pattern. Returns the part
 * after its last. */
static int build_joint_rows(hn_newton_matrix *m, int first)
{
  hn_block_matrix *M = &m->M;
  const int bs = M->bs, row = m->part[first].row / bs, rows = m->part[first].nr / bs;
  int next = first, width = 0;
  for (; next < m->nparts && m->part[next].row == m->part[first].row; next++)
    if (is_first_of_block(m, next)) width += m->part[next].nc / bs;
  for (int r = 0; r < rows; r++) M->start[row + r + 1] = M->start[row + r] + width;
  for (int k = first, offset = -1; k < next; k++) {
    hn_newton_part *p = &m->part[k];
    if (k == first) offset = 0;
    else if (is_first_of_block(m, k)) offset += p[-1].nc / bs;
    p->at = (size_t)(M->start[row] + offset) * (size_t)(bs * bs);
    p->row_stride = bs > 1 ? 1 : width;
    p->column_stride = bs;
    for (int r = 0; r < rows; r++)
      for (int c = 0; c < p->nc / bs; c++) M->column[M->start[row + r] + offset + c] = p->column / bs + c;
  }
  return next;
}

/* Returns the rows of every joint, or 1 if they differ. */
static int common_size(const hn_system *s)
{
  for (int j = 1; j < s->nblock; j++)
    if (s->block[j].n != s->block[0].n) return 1;
  return s->nblock > 0 ? s->block[0].n : 1;
}

/* Numbers rows joint by joint, without gaps. */
static void number_rows(hn_newton_matrix *m, const hn_system *s, const int *order)
{
  for (int k = 0, at = 0; k < s->nblock; k++) {
    const hn_block *joint = &s->block[order[k]];
    for (int r = 0; r < joint->n; r++) m->row_at[joint->row + r] = at++;
  }
}

static int create_from(hn_newton_matrix *m, const hn_system *s, const hn_assembly *as, hn_error *error)
{
  const int bs = common_size(s), n = s->nrow / bs;
  *m = (hn_newton_matrix){ .M = { .n = n, .bs = bs } };
  if (hn_arrays_allocate(&m->arrays, error, HN_ARRAY(m->row_at, s->nrow), HN_ARRAY(m->part, 2 * as->nparts),
                         HN_ARRAY(m->M.start, n + 1)))
    return -1;
  number_rows(m, s, as->order);
  list_parts(m, s, as);
  size_t values = count_values(m);
  m->M.value = calloc(values + 1, sizeof *m->M.value); /* on its own: hn_block_matrix_lend frees it */
  if (!m->M.value) return hn_fail(error, "out of memory");
  if (hn_arrays_allocate(&m->arrays, error, HN_ARRAY(m->M.column, values / (size_t)(bs * bs)))) return -1;
  for (int k = 0; k < m->nparts;) k = build_joint_rows(m, k);
  return 0;
}

int hn_newton_matrix_create(hn_newton_matrix *m, const hn_system *s, hn_error *error)
{
  hn_assembly K;
  int status = hn_assembly_create(&K, s, HN_BY_CONSTRAINTS, error);
  *m = (hn_newton_matrix){ .nparts = 0 };
  if (status == 0) status = create_from(m, s, &K, error);
  hn_assembly_free(&K);
  return status;
}

void hn_newton_matrix_free(hn_newton_matrix *m)
{
  hn_arrays_free(&m->arrays);
  if (!m->M.borrowed) free(m->M.value);
}

/* Adds a product: entry (r, c) is a sum over the six entries of the twist. nr and nc are constants after
 * inlining. */
static inline void add_product(int nr, int nc, const hn_newton_part *p, const double *G, const double *T,
                               double *value)
{
  for (int c = 0; c < nc; c++)
    for (int r = 0; r < nr; r++) {
      double sum = 0.0;
      for (int k = 0; k < 6; k++) sum += G[k * nr + r] * T[6 * c + k];
      value[r * p->row_stride + c * p->column_stride] += sum;
    }
}

void hn_newton_matrix_fill(hn_newton_matrix *m, const double *G, const double *T)
{
  const hn_block_matrix *M = &m->M;
  memset(M->value, 0, sizeof *M->value * (size_t)M->start[M->n] * (size_t)(M->bs * M->bs));
  for (const hn_newton_part *p = m->part; p < m->part + m->nparts; p++) {
    const double *g = G + p->row_block, *t = T + p->column_block;
    if (p->nr == 3 && p->nc == 3) add_product(3, 3, p, g, t, M->value + p->at);
    else add_product(p->nr, p->nc, p, g, t, M->value + p->at);
  }
}
