/* factor_pattern.c - the pattern of a factor with fill-in (factor_pattern.h), row by row along the
 * elimination tree: a row has the columns of its row of K, and those of all rows whose first column it is.
 * [Liu, SIAM J. Matrix Anal. Appl. 11 (1990) 134] */
#include "linear/factor_pattern.h"

#include <stdbool.h>
#include <stdlib.h>

static int ascending(const void *left, const void *right)
{
  const int *a = left, *b = right;
  return (*a > *b) - (*a < *b);
}

typedef struct search {
  const hn_block_matrix *K;
  int *start, *column;  /* of the factor */
  int *child, *sibling; /* [n] linked lists of rows by their first off-diagonal column; -1 ends a list */
  int *mark;            /* [n] last row found to have this column */
  size_t capacity;      /* capacity of column */
} search;

/* Makes room for MORE columns after the USED ones. */
static bool extend(search *s, int used, int more)
{
  if ((size_t)used + (size_t)more <= s->capacity) return true;
  s->capacity = 2 * ((size_t)used + (size_t)more);
  int *column = s->capacity < (size_t)1 << 31 ? realloc(s->column, sizeof *column * s->capacity) : NULL;
  if (column) s->column = column;
  return column != NULL;
}

/* Adds the COUNT columns beyond ROW that the row does not have yet; returns the new number of columns. */
static int add_columns(search *s, int row, const int *column, int count, int used)
{
  for (int k = 0; k < count; k++)
    if (column[k] > row && s->mark[column[k]] != row) s->mark[column[k]] = row, s->column[used++] = column[k];
  return used;
}

static bool find_row(search *s, int row)
{
  const hn_block_matrix *K = s->K;
  int first = s->start[row], used = first, width = K->start[row + 1] - K->start[row];
  for (int c = s->child[row]; c >= 0; c = s->sibling[c]) width += s->start[c + 1] - s->start[c];
  if (!extend(s, used, width + 1)) return false;
  s->column[used++] = row;
  used = add_columns(s, row, K->column + K->start[row], K->start[row + 1] - K->start[row], used);
  for (int c = s->child[row]; c >= 0; c = s->sibling[c])
    used = add_columns(s, row, s->column + s->start[c], s->start[c + 1] - s->start[c], used);
  qsort(s->column + first, (size_t)(used - first), sizeof *s->column, ascending);
  s->start[row + 1] = used;
  if (used == first + 1) return true;
  int parent = s->column[first + 1];
  s->sibling[row] = s->child[parent], s->child[parent] = row;
  return true;
}

bool hn_factor_pattern(const hn_block_matrix *K, int **start, int **column)
{
  const size_t n = (size_t)K->n, size = sizeof(int) * (n + 1);
  search s = { .K = K, .start = malloc(size), .child = malloc(size), .sibling = malloc(size) };
  s.mark = malloc(size);
  bool allocated = s.start && s.child && s.sibling && s.mark;
  if (allocated) s.start[0] = 0;
  for (size_t k = 0; allocated && k < n; k++) s.child[k] = s.sibling[k] = s.mark[k] = -1;
  for (size_t k = 0; allocated && k < n; k++) allocated = find_row(&s, (int)k);
  free(s.child), free(s.sibling), free(s.mark);
  *start = s.start, *column = s.column;
  return allocated;
}

double hn_pattern_work(const hn_block_matrix *K, const int *start, const int *column)
{
  double work = 0.0;
  for (int row = 0; row < K->n; row++) {
    const double n = K->row[row + 1] - K->row[row];
    double width = 0.0;
    for (int k = start[row] + 1; k < start[row + 1]; k++) width += K->row[column[k] + 1] - K->row[column[k]];
    work += n * n * n / 6.0 + n * n * width + 0.5 * n * width * (width + 1.0);
  }
  return work;
}

double hn_factor_work(const hn_block_matrix *K)
{
  int *start, *column;
  const double work = hn_factor_pattern(K, &start, &column) ? hn_pattern_work(K, start, column) : -1.0;
  free(start), free(column);
  return work;
}
