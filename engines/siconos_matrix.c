/* siconos_matrix.c - the matrix K = G W G' of a contact problem, row by row.
 *
 * By bodies: the part of contacts i and j is the sum of G_i T_j' over the moving bodies that both act on, T_j
 * = W G_j'. For j > i it is the transpose of that of j and i, so that K is symmetric to the bit. */
#include "engines/siconos_parts.h"

#include <stdlib.h>
#include <string.h>

/* Sides of blocks, 2 block + side, by the bodies that they move: of body i those from at[i] to at[i + 1]. */
typedef struct side_list {
  int *at, *side;
} side_list;

/* Scratch for the rows of one block. */
typedef struct block_row {
  int *seen;     /* [nblock] the block for which a neighbour was listed last, plus 1 */
  int *near;     /* [nblock] its neighbours, itself included, in ascending order */
  double *value; /* [nblock][HN_MAX_ROWS][HN_MAX_ROWS] of the neighbours */
  int count;
} block_row;

static int body_of(const hn_problem_block *block, int side)
{
  return side ? block->b : block->a;
}

/* Returns the responses T of a side of a block, row by row. */
static const double *responses(const hn_problem *problem, const hn_problem_block *block, int side)
{
  return problem->T + 12 * (size_t)block->row + (side ? 6 * block->n : 0);
}

/* True if impulses of side I, 2 block + side, move its body. */
static bool moves(const hn_problem *problem, int i)
{
  const hn_problem_block *block = &problem->block[i / 2];
  const double *T = responses(problem, block, i % 2);
  for (int k = 0; k < 6 * block->n; k++)
    if (T[k] != 0.0) return true;
  return false;
}

static bool list_sides(const hn_problem *problem, side_list *list)
{
  const int sides = 2 * problem->nblock;
  list->at = calloc((size_t)problem->nbody + 1, sizeof *list->at);
  list->side = calloc((size_t)sides + 1, sizeof *list->side);
  if (!list->at || !list->side) return false;
  for (int i = 0; i < sides; i++)
    if (moves(problem, i)) list->at[body_of(&problem->block[i / 2], i % 2)]++;
  for (int body = 1; body <= problem->nbody; body++) list->at[body] += list->at[body - 1];
  for (int i = sides - 1; i >= 0; i--)
    if (moves(problem, i)) list->side[--list->at[body_of(&problem->block[i / 2], i % 2)]] = i;
  return true;
}

static int ascending(const void *left, const void *right)
{
  const int a = *(const int *)left, b = *(const int *)right;
  return (a > b) - (a < b);
}

/* Lists the blocks that act on a moving body of block I, and I itself. */
static void list_neighbours(const hn_problem *problem, const side_list *list, int i, block_row *row)
{
  row->count = 0;
  row->near[row->count++] = i, row->seen[i] = i + 1;
  for (int side = 0; side < 2; side++) {
    const int body = body_of(&problem->block[i], side);
    if (!moves(problem, 2 * i + side)) continue;
    for (int at = list->at[body]; at < list->at[body + 1]; at++) {
      const int j = list->side[at] / 2;
      if (row->seen[j] == i + 1) continue;
      row->seen[j] = i + 1, row->near[row->count++] = j;
    }
  }
  qsort(row->near, (size_t)row->count, sizeof *row->near, ascending);
}

/* Returns entry (R, C) of the part of K of blocks I and J. */
static double coupling(const hn_problem *problem, int i, int j, int r, int c)
{
  const hn_problem_block *I = &problem->block[i], *J = &problem->block[j];
  double sum = 0.0;
  for (int side = 0; side < 4; side++) {
    const double *G = problem->G + 12 * (size_t)I->row + (side / 2 ? 6 * I->n : 0);
    const double *T = responses(problem, J, side % 2);
    if (body_of(I, side / 2) != body_of(J, side % 2)) continue;
    for (int k = 0; k < 6; k++) sum += G[k * I->n + r] * T[6 * c + k];
  }
  return sum;
}

static void compute_row(const hn_problem *problem, int i, block_row *row)
{
  double(*value)[HN_MAX_ROWS][HN_MAX_ROWS] = (void *)row->value;
  for (int at = 0; at < row->count; at++) {
    const int j = row->near[at];
    for (int r = 0; r < problem->block[i].n; r++)
      for (int c = 0; c < problem->block[j].n; c++)
        value[at][r][c] = j > i || (j == i && c > r) ? coupling(problem, j, i, c, r)
                                                     : coupling(problem, i, j, r, c);
  }
}

/* Calls ENTRY for the diagonal of the idle rows of block I: its mean diagonal, so that they are scaled as the
 * others are. */
static void idle_entries(const hn_problem *problem, int dimension, int i, siconos_entry *entry, void *to)
{
  const double scale = hn_problem_scale(problem, i);
  for (int r = problem->block[i].n; r < dimension; r++)
    entry(to, dimension * i + r, dimension * i + r, scale);
}

static void entries_by_bodies(const hn_problem *problem, int dimension, const side_list *list, block_row *row,
                              siconos_entry *entry, void *to)
{
  double(*value)[HN_MAX_ROWS][HN_MAX_ROWS] = (void *)row->value;
  for (int i = 0; i < problem->nblock; i++) {
    list_neighbours(problem, list, i, row);
    compute_row(problem, i, row);
    for (int r = 0; r < problem->block[i].n; r++)
      for (int at = 0; at < row->count; at++)
        for (int c = 0; c < problem->block[row->near[at]].n; c++)
          entry(to, dimension * i + r, dimension * row->near[at] + c, value[at][r][c]);
    idle_entries(problem, dimension, i, entry, to);
  }
}

static int compute_entries(const hn_problem *problem, int dimension, siconos_entry *entry, void *to)
{
  const size_t blocks = (size_t)problem->nblock;
  side_list list = { NULL, NULL };
  block_row row = { .seen = calloc(blocks + 1, sizeof *row.seen),
                    .near = malloc((blocks + 1) * sizeof *row.near),
                    .value = malloc((blocks + 1) * HN_MAX_ROWS * HN_MAX_ROWS * sizeof *row.value) };
  const bool enough = list_sides(problem, &list) && row.seen && row.near && row.value;
  if (enough) entries_by_bodies(problem, dimension, &list, &row, entry, to);
  free(list.at), free(list.side), free(row.seen), free(row.near), free(row.value);
  return enough ? 0 : -1;
}

/* Stores the row in the numbering of the translation of each row of PROBLEM. */
static void number_rows(const hn_problem *problem, int dimension, int *number)
{
  for (int i = 0; i < problem->nblock; i++)
    for (int r = 0; r < problem->block[i].n; r++) number[problem->block[i].row + r] = dimension * i + r;
}

/* Equivalent of compute_entries for K given. */
static int copy_entries(const hn_problem *problem, int dimension, siconos_entry *entry, void *to)
{
  const hn_problem_matrix *K = problem->K;
  int *number = malloc(((size_t)problem->nrow + 1) * sizeof *number);
  if (!number) return -1;
  number_rows(problem, dimension, number);
  for (int i = 0; i < problem->nblock; i++) {
    const hn_problem_block *block = &problem->block[i];
    for (int row = block->row; row < block->row + block->n; row++)
      for (int at = K->start[row]; at < K->start[row + 1]; at++)
        entry(to, number[row], number[K->column[at]], K->value[at]);
    idle_entries(problem, dimension, i, entry, to);
  }
  free(number);
  return 0;
}

int siconos_matrix_entries(const hn_problem *problem, int dimension, siconos_entry *entry, void *to)
{
  return problem->K ? copy_entries(problem, dimension, entry, to)
                    : compute_entries(problem, dimension, entry, to);
}
