/* reduced_rows.c - products with K by rows, sizes of right-hand sides, and K without the rows left out by a
 * policy. */
#include "redundant/policy.h"
#include "base/vec.h"

#include <string.h>

/* A residual is a conflict if it is larger than all of these: min_conflict (m, m/s, m/s^2, or the same in
 * rad), a part of the largest right-hand side since the factorisation (rounding), and most of this right-hand
 * side (redundant.c gives the reason). */
static const double min_conflict = 1e-9;
static const double rounding_part = 1e-6;
static const double conflict_part = 0.9;

void hn_redundant_apply(const hn_system *s, const int *blocks, int count, const double *p, double *twist)
{
  for (int k = 0; k < count; k++) {
    const hn_block *block = &s->block[blocks ? blocks[k] : k];
    const double *T = s->T + 12 * block->row;
    int n = block->n, ends[2] = { block->a, block->b };
    for (int side = 0; side < 2; side++)
      for (int r = 0; r < n; r++)
        for (int c = 0; c < 6; c++)
          twist[6 * ends[side] + c] += T[6 * (side * n + r) + c] * p[block->row + r];
  }
}

void hn_redundant_rates(const hn_system *s, const int *blocks, int count, const double *twist, double *y)
{
  for (int k = 0; k < count; k++) {
    const hn_block *block = &s->block[blocks ? blocks[k] : k];
    const double *G = s->G + 12 * block->row, *a = twist + 6 * block->a, *b = twist + 6 * block->b;
    int n = block->n;
    for (int r = 0; r < n; r++) {
      double sum = 0.0;
      for (int c = 0; c < 6; c++) sum += G[c * n + r] * a[c] + G[(6 + c) * n + r] * b[c];
      y[block->row + r] = sum;
    }
  }
}

void hn_redundant_multiply(const hn_system *s, const double *x, double *y)
{
  double *twist = s->parts->redundant->twist;
  memset(twist, 0, sizeof *twist * 6 * (size_t)s->model->nbody);
  hn_redundant_apply(s, NULL, s->nblock, x, twist);
  hn_redundant_rates(s, NULL, s->nblock, twist, y);
}

double hn_redundant_size(const hn_system *s, const double *x, int *which)
{
  double largest = 0.0;
  for (int i = 0; i < s->nrow; i++) {
    double size = fabs(x[i]) / s->parts->redundant->norm[i];
    if (!s->parts->held[i] || !exceeds(size, largest)) continue;
    largest = size;
    if (which) *which = i;
  }
  return largest;
}

bool hn_redundant_contradicts(const hn_system *s, const double *r, double size)
{
  const hn_redundant *d = s->parts->redundant;
  int worst = 0;
  double residual = hn_redundant_size(s, r, &worst);
  return residual > conflict_part * size && residual > rounding_part * d->scale &&
         fabs(r[worst]) > min_conflict;
}

hn_reason hn_redundant_mark_conflict(hn_system *s, const double *null_vector, double part)
{
  hn_redundant *d = s->parts->redundant;
  double largest = 0.0;
  for (int i = 0; i < s->nrow; i++) largest = fmax(largest, fabs(null_vector[i]) * d->norm[i]);
  for (int i = 0; i < s->nrow; i++) d->in_conflict[i] = fabs(null_vector[i]) * d->norm[i] > part * largest;
  d->conflict = true;
  return HN_SINGULAR;
}

/* Stores the roots of the diagonal of K in d->norm, and makes diagonal entries of dropped zero rows 1. */
static void measure_rows(hn_redundant *d, hn_assembly *as, int rows)
{
  hn_block_matrix *K = &as->K;
  for (int i = 0; i < rows; i++) {
    const int row = as->row_at[i];
    if (hn_block_matrix_diagonal(K, row) == 0.0 && d->group[i] < 0) hn_block_matrix_add(K, row, 1.0);
    const double entry = hn_block_matrix_diagonal(K, row);
    d->norm[i] = entry > 0.0 ? sqrt(entry) : 1.0;
  }
}

hn_reason hn_redundant_factor_groups(hn_system *s)
{
  hn_redundant *d = s->parts->redundant;
  hn_linear_fill(s, d->ndropped > 0 || d->ngroup > 1 ? d->group : NULL);
  measure_rows(d, &s->parts->linear->assembly, s->nrow);
  d->scale = 0.0;
  return hn_linear_factor(s);
}
