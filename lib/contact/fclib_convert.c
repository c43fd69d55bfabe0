/* fclib_convert.c - a local problem of FCLIB as a contact problem with K given: contacts first, equations
 * after them. */
#include "contact/fclib.h"

#include <stdlib.h>
#include <string.h>

/* ---- K ------------------------------------------------------------------------------------------------- */

typedef struct entry {
  int row, column;
  double value;
} entry;

static int compare_entries(const void *left, const void *right)
{
  const entry *a = left, *b = right;
  return a->row != b->row ? (a->row > b->row) - (a->row < b->row)
                          : (a->column > b->column) - (a->column < b->column);
}

static size_t list_entries(const hn_fclib_matrix *A, int row, int column, bool transposed, entry *to)
{
  for (int k = 0; k < A->count; k++) {
    const int r = row + A->row[k], c = column + A->column[k];
    to[k] = transposed ? (entry){ c, r, A->value[k] } : (entry){ r, c, A->value[k] };
  }
  return (size_t)A->count;
}

/* Lists a square matrix on the diagonal of K, and zeros across, so that the pattern is symmetric. */
static size_t list_square(const hn_fclib_matrix *A, int row, entry *to)
{
  const size_t count = list_entries(A, row, row, false, to);
  list_entries(A, row, row, true, to + count);
  for (size_t k = count; k < 2 * count; k++) to[k].value = 0.0;
  return 2 * count;
}

/* Assembles K of contact rows and equations; duplicate entries add up. Returns -1 if memory runs out. */
static int fill_matrix(const hn_fclib *f, hn_problem_matrix *K)
{
  const int n = f->rows + f->equations;
  const size_t room = 2 * ((size_t)f->W.count + (size_t)f->V.count + (size_t)f->R.count) + 1;
  entry *all = malloc(sizeof *all * room);
  K->start = calloc((size_t)n + 1, sizeof(int));
  K->column = malloc(sizeof(int) * room), K->value = malloc(sizeof(double) * room);
  bool ok = all && K->start && K->column && K->value;
  size_t count = 0;
  int at = 0;
  if (ok) {
    count = list_square(&f->W, 0, all);
    count += list_entries(&f->V, 0, f->rows, false, all + count),
      count += list_entries(&f->V, 0, f->rows, true, all + count);
    count += list_square(&f->R, f->rows, all + count);
    qsort(all, count, sizeof *all, compare_entries);
  }
  for (size_t k = 0; k < count; k++) {
    if (k > 0 && compare_entries(&all[k], &all[k - 1]) == 0) {
      K->value[at - 1] += all[k].value;
      continue;
    }
    K->column[at] = all[k].column, K->value[at++] = all[k].value;
    K->start[all[k].row + 1] = at;
  }
  for (int r = 0; ok && r < n; r++)
    if (K->start[r + 1] < K->start[r]) K->start[r + 1] = K->start[r]; /* empty rows */
  free(all);
  return ok ? 0 : -1;
}

int hn_fclib_convert(const hn_fclib *f, hn_problem *problem)
{
  const int contacts = f->rows / f->dimension, n = f->rows + f->equations;
  problem->h = 1.0;
  problem->nblock = contacts + f->equations, problem->nrow = n;
  problem->block = calloc((size_t)problem->nblock + 1, sizeof *problem->block);
  problem->b = calloc((size_t)n + 1, sizeof *problem->b), problem->K = calloc(1, sizeof *problem->K);
  if (!problem->block || !problem->b || !problem->K || fill_matrix(f, problem->K)) return -1;
  for (int k = 0; k < contacts; k++)
    problem->block[k] = (hn_problem_block){
      .row = k * f->dimension,
      .n = f->dimension,
      .set = { .kind = HN_CONE, .mu = f->mu[k], .mu_rolling = f->mu_r ? f->mu_r[k] : 0.0 },
    };
  for (int k = 0; k < f->equations; k++)
    problem->block[contacts + k] =
      (hn_problem_block){ .row = f->rows + k, .n = 1, .set = { .kind = HN_ANY } };
  if (f->rows > 0) memcpy(problem->b, f->q, sizeof(double) * (size_t)f->rows);
  if (f->equations > 0) memcpy(problem->b + f->rows, f->s, sizeof(double) * (size_t)f->equations);
  return 0;
}
