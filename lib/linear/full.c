/* full.c - converts the upper block triangle of K to compressed rows of the full matrix.
 *
 * The pattern is traversed once. Block rows come in ascending order. Each contributes its blocks to its own
 * row and, transposed, to the rows of their columns. Every row therefore gets its entries from left to right,
 * those below the diagonal from earlier block rows. The source of each entry is stored, so that new values
 * take one pass over that list. Entries below the diagonal are copies of those above it, within diagonal
 * blocks too: the result is symmetric to the bit. */
#include "linear/full.h"

#include <string.h>

/* Counts the entries of each row into start[row + 1] and sums them. */
static void count_entries(hn_full *full, const hn_block_matrix *K)
{
  for (int row = 0; row < K->n; row++)
    for (int k = K->start[row]; k < K->start[row + 1]; k++)
      for (int r = 0; r < K->bs; r++) {
        full->start[row * K->bs + r + 1] += K->bs;
        if (K->column[k] != row) full->start[K->column[k] * K->bs + r + 1] += K->bs;
      }
  for (int i = 0; i < full->n; i++) full->start[i + 1] += full->start[i];
}

/* Appends block K of block row ROW, or its transpose, to the rows at their positions NEXT. */
static void add_block(hn_full *full, const hn_block_matrix *K, int row, int k, bool transposed, int *next)
{
  int bs = K->bs, to_row = transposed ? K->column[k] : row, to_column = transposed ? row : K->column[k];
  for (int r = 0; r < bs; r++)
    for (int c = 0; c < bs; c++) {
      bool mirror = transposed || (K->column[k] == row && r > c);
      int entry = next[to_row * bs + r]++;
      full->column[entry] = to_column * bs + c;
      full->from[entry] = k * bs * bs + (mirror ? r * bs + c : c * bs + r);
    }
}

int hn_full_create(hn_full *full, const hn_block_matrix *K)
{
  size_t n = (size_t)(K->n * K->bs);
  *full = (hn_full){ .n = (int)n };
  full->start = calloc(n + 1, sizeof *full->start);
  if (!full->start) return -1;
  count_entries(full, K);
  size_t entries = (size_t)full->start[n];
  int *next = malloc(sizeof *next * (n + 1));
  full->column = malloc(sizeof *full->column * (entries + 1));
  full->from = malloc(sizeof *full->from * (entries + 1));
  bool allocated = next && full->column && full->from;
  if (allocated) memcpy(next, full->start, sizeof *next * (n + 1));
  for (int row = 0; allocated && row < K->n; row++)
    for (int k = K->start[row]; k < K->start[row + 1]; k++) {
      add_block(full, K, row, k, false, next);
      if (K->column[k] != row) add_block(full, K, row, k, true, next);
    }
  free(next);
  return allocated ? 0 : -1;
}

void hn_full_free(hn_full *full)
{
  free(full->start), free(full->column), free(full->from);
}

void hn_full_values(const hn_full *full, const double *from, double *value)
{
  for (int k = 0; k < full->start[full->n]; k++) value[k] = from[full->from[k]];
}
