/* scaled.c - the scaled constraint matrix A = D^-1/2 G S of the last Jacobian (defined in rank.c) and its
 * products. */
#include "rank/scaled.h"
#include "linear/system_parts.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

void hn_scaled_times(const hn_scaled *A, const double *x, double *y)
{
  for (int i = 0; i < A->rows; i++) {
    double sum = 0.0;
    for (int k = A->start[i]; k < A->start[i + 1]; k++) sum += A->value[k] * x[A->column[k]];
    y[i] = sum;
  }
}

void hn_scaled_transposed(const hn_scaled *A, const double *y, double *x)
{
  memset(x, 0, sizeof *x * (size_t)A->columns);
  for (int i = 0; i < A->rows; i++)
    for (int k = A->start[i]; k < A->start[i + 1]; k++) x[A->column[k]] += A->value[k] * y[i];
}

static int freedoms_of(const hn_body *body)
{
  return body->kind == HN_RIGID ? 6 : body->kind == HN_PARTICLE ? 3 : 0;
}

/* Multiplies row R of one side of a joint by S of its body, into VALUE and COLUMN; returns the number of
 * entries. */
static int scale_side(const hn_system *s, const double *roots, const int *first, int body, int rows, int r,
                      const double *G, double *value, int *column)
{
  int count = freedoms_of(&s->model->body[body]);
  const double *L = roots + 9 * body;
  for (int c = 0; c < count; c++) {
    column[c] = first[body] + c;
    if (c < 3) value[c] = G[c * rows + r];
    else value[c] = G[3 * rows + r] * L[c - 3] + G[4 * rows + r] * L[c] + G[5 * rows + r] * L[c + 3];
  }
  return count;
}

/* Divides row i by its length; a zero row stays zero. */
static void scale_row(hn_scaled *A, int i)
{
  double square = 0.0;
  for (int k = A->start[i]; k < A->start[i + 1]; k++) square += A->value[k] * A->value[k];
  double norm = sqrt(square);
  for (int k = A->start[i]; square != 0.0 && k < A->start[i + 1]; k++) A->value[k] /= norm;
}

static void fill_row(hn_scaled *A, const hn_system *s, const double *roots, const int *first,
                     const hn_block *block, int r)
{
  const double *G = s->G + 12 * block->row;
  /* the body with the lower number first */
  int ends[2] = { block->a, block->b }, swapped = block->b < block->a;
  int i = A->rows++, k = A->start[i];
  A->row_of[i] = block->row + r;
  for (int n = 0; n < 2; n++) {
    int side = n ^ swapped;
    k += scale_side(s, roots, first, ends[side], block->n, r, G + 6 * side * block->n, A->value + k,
                    A->column + k);
  }
  A->start[i + 1] = k;
  scale_row(A, i);
}

static void fill_rows(hn_scaled *A, const hn_system *s, const double *roots, const int *first)
{
  for (const hn_block *block = s->block; block < s->block + s->nblock; block++)
    for (int r = 0; r < block->n; r++)
      if (s->parts->held[block->row + r]) fill_row(A, s, roots, first, block, r);
}

void hn_scaled_free(hn_scaled *A)
{
  hn_arrays_free(&A->arrays);
}

int hn_scaled_create(hn_scaled *A, const hn_system *s, hn_error *error)
{
  size_t rows = (size_t)s->nrow, bodies = (size_t)s->model->nbody;
  double *roots;
  int *first;
  *A = (hn_scaled){ .rows = 0 };
  if (hn_arrays_allocate(&A->arrays, error, HN_ARRAY(roots, 9 * bodies), HN_ARRAY(first, bodies),
                         HN_ARRAY(A->start, rows + 1), HN_ARRAY(A->column, 12 * rows),
                         HN_ARRAY(A->value, 12 * rows), HN_ARRAY(A->row_of, rows)))
    return -1;
  for (size_t i = 0; i < bodies; i++) {
    first[i] = A->columns;
    A->columns += freedoms_of(&s->model->body[i]);
    double per_mass[9], mass = s->model->body[i].inv_mass > 0.0 ? 1.0 / s->model->body[i].inv_mass : 0.0;
    for (int k = 0; k < 9; k++) per_mass[k] = mass * s->parts->inv_inertia[9 * i + (size_t)k];
    mat_square_root(per_mass, roots + 9 * i);
  }
  fill_rows(A, s, roots, first);
  return 0;
}

bool hn_scaled_finite(const hn_scaled *A)
{
  for (int k = 0; k < A->start[A->rows]; k++)
    if (!isfinite(A->value[k])) return false;
  return true;
}

int hn_rank_reserve(hn_rank *rank, int redundant, int singular, hn_error *error)
{
  free(rank->redundant), free(rank->singular);
  rank->redundant = calloc((size_t)redundant + 1, sizeof *rank->redundant);
  rank->singular = calloc((size_t)singular + 1, sizeof *rank->singular);
  rank->nsingular = singular;
  return rank->redundant && rank->singular ? 0 : hn_fail(error, "out of memory");
}
