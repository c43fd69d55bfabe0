/* contact_matrix.c - K + R of a contact problem as a block matrix for linear/ldl.c, or A of body_matrix.h if
 * that is smaller.
 *
 * Blocks couple if they share a moving body (one with a nonzero part of T) or if a given matrix has entries.
 * The elimination order is approximate minimum degree. The pattern is reused while the blocks stay the
 * same. */
#include "contact/matrix/contact_matrix.h"
#include "contact/matrix/body_matrix.h"
#include "linear/backend.h"

#include <string.h>
#include <suitesparse/amd.h>

typedef struct graph {
  int *start; /* [nodes + 1] */
  int *other; /* [start[nodes]] neighbours of each node, without itself */
} graph;

static void free_graph(graph *g)
{
  free(g->start), free(g->other);
}

void hn_contact_matrix_free(hn_contact_matrix *s)
{
  if (s->factor) hn_linear_ldl.free(s->factor);
  hn_arrays_free(&s->arrays);
  *s = (hn_contact_matrix){ .pattern = s->pattern };
}

/* ---- Coupled blocks -------------------------------------------------------------------------------- */

/* True if block K is listed at its body on SIDE: the body moves, and is not the one on the other side
 * already. */
static bool is_listed(const hn_problem *problem, int k, int side)
{
  const hn_problem_block *block = &problem->block[k];
  return hn_rows_moves(problem, block, side) &&
         !(side && block->a == block->b && hn_rows_moves(problem, block, 0));
}

/* Lists the blocks of each moving body i: other[start[i]] to other[start[i + 1] - 1]. */
static bool list_blocks_of_bodies(const hn_problem *problem, graph *blocks)
{
  blocks->start = calloc((size_t)problem->nbody + 2, sizeof *blocks->start);
  blocks->other = malloc(sizeof *blocks->other * (2 * (size_t)problem->nblock + 1));
  if (!blocks->start || !blocks->other) return false;
  int *fill = blocks->start + 1; /* counts, then next free places; at the end starts shifted by one */
  for (int k = 0; k < problem->nblock; k++)
    for (int side = 0; side < 2; side++)
      if (is_listed(problem, k, side)) fill[(side ? problem->block[k].b : problem->block[k].a) + 1]++;
  for (int i = 0; i < problem->nbody; i++) fill[i + 1] += fill[i];
  for (int k = 0; k < problem->nblock; k++)
    for (int side = 0; side < 2; side++)
      if (is_listed(problem, k, side))
        blocks->other[fill[side ? problem->block[k].b : problem->block[k].a]++] = k;
  return true;
}

typedef struct finder {
  const hn_problem *problem;
  graph blocks;     /* blocks of each body */
  const int *owner; /* [nrow] block of each row */
  int *mark;        /* [nblock] last node that counted this one */
} finder;

static int add_once(finder *f, int k, int other, int count, int *list)
{
  if (f->mark[other] == k) return count;
  f->mark[other] = k;
  if (list) list[count] = other;
  return count + 1;
}

/* Lists the blocks coupled with block K, each once; returns their number. LIST may be NULL. */
static int list_coupled(finder *f, int k, int *list)
{
  const hn_problem *problem = f->problem;
  const hn_problem_block *block = &problem->block[k];
  int count = 0;
  f->mark[k] = k;
  if (problem->K) {
    for (int i = problem->K->start[block->row]; i < problem->K->start[block->row + block->n]; i++)
      count = add_once(f, k, f->owner[problem->K->column[i]], count, list);
    return count;
  }
  for (int side = 0; side < 2; side++) {
    const int body = side ? block->b : block->a;
    if (!hn_rows_moves(problem, block, side)) continue;
    for (int i = f->blocks.start[body]; i < f->blocks.start[body + 1]; i++)
      count = add_once(f, k, f->blocks.other[i], count, list);
  }
  return count;
}

/* Lists the nodes of the bodies coupled with body I. */
static int list_coupled_bodies(finder *f, const int *node, int i, int *list)
{
  return hn_bodies_neighbours(f->problem, node, f->blocks.start, f->blocks.other, i, f->mark, list);
}

/* One pass over all nodes: counts the neighbours, or lists them. */
static void visit_all(finder *f, const hn_contact_matrix *s, graph *g, bool list)
{
  const hn_problem *problem = f->problem;
  for (int k = 0; k < problem->nblock && !s->by_bodies; k++)
    if (list) list_coupled(f, k, g->other + g->start[k]);
    else g->start[k + 1] = g->start[k] + list_coupled(f, k, NULL);
  for (int i = 0; i < problem->nbody && s->by_bodies; i++) {
    const int node = s->node[i];
    if (node < 0) continue;
    if (list) list_coupled_bodies(f, s->node, i, g->other + g->start[node]);
    else g->start[node + 1] = g->start[node] + list_coupled_bodies(f, s->node, i, NULL);
  }
}

static bool find_graph(const hn_contact_matrix *s, const hn_problem *problem, int nodes, graph *g)
{
  const size_t n = (size_t)(s->by_bodies ? problem->nbody : problem->nblock);
  finder f = { .problem = problem, .owner = s->owner, .mark = malloc(sizeof(int) * (n + 1)) };
  bool ok = f.mark && (problem->K || list_blocks_of_bodies(problem, &f.blocks));
  g->start = calloc((size_t)nodes + 1, sizeof *g->start);
  for (int pass = 0; pass < 2 && ok && g->start; pass++) {
    for (size_t k = 0; k < n; k++) f.mark[k] = -1;
    if (pass) g->other = malloc(sizeof *g->other * ((size_t)g->start[nodes] + 1));
    if (pass && !g->other) break;
    visit_all(&f, s, g, pass);
  }
  free_graph(&f.blocks), free(f.mark);
  return g->start && g->other;
}

/* ---- The pattern ------------------------------------------------------------------------------------- */

static int ascending(const void *left, const void *right)
{
  const int *a = left, *b = right;
  return (*a > *b) - (*a < *b);
}

static int size_of(const hn_contact_matrix *s, const hn_problem *problem, int node)
{
  return s->by_bodies ? HN_MAX_ROWS : problem->block[node].n;
}

static bool allocate(hn_contact_matrix *s, const hn_problem *problem, int nodes, const graph *g)
{
  const size_t n = (size_t)nodes, blocks = n + (size_t)g->start[n] / 2, rows = (size_t)problem->nrow;
  const size_t all = s->by_bodies ? HN_MAX_ROWS * n : rows;
  hn_block_matrix *K = &s->K;
  K->n = nodes;
  HN_ARRAYS(&s->arrays, sizeof(int) * (n + 1), &K->row, &K->start, &s->order, &s->place);
  HN_ARRAYS(&s->arrays, sizeof(int) * (blocks + 1), &K->column, &K->at);
  HN_ARRAYS(&s->arrays, sizeof(int) * all, &K->diagonal);
  HN_ARRAYS(&s->arrays, sizeof(double) * all, &s->x);
  if (s->by_bodies) {
    HN_ARRAYS(&s->arrays, sizeof(double[12]) * rows, &s->H);
    HN_ARRAYS(&s->arrays, sizeof(double) * rows, &s->right);
    HN_ARRAYS(&s->arrays, sizeof(double) * (size_t)problem->nblock, &s->weight);
  }
  return !s->arrays.failed;
}

/* Lays out the block rows in elimination order: the diagonal, then the columns. Returns -1 on overflow. */
static int lay_out(hn_contact_matrix *s, const hn_problem *problem, const graph *g)
{
  hn_block_matrix *K = &s->K;
  double size = 0.0;
  for (int i = 0; i < K->n; i++) K->row[i + 1] = K->row[i] + size_of(s, problem, s->order[i]);
  for (int i = 0, k = 0; i < K->n; i++) {
    const int node = s->order[i], n = K->row[i + 1] - K->row[i], first = k;
    K->column[k++] = i;
    for (int e = g->start[node]; e < g->start[node + 1]; e++)
      if (s->place[g->other[e]] > i) K->column[k++] = s->place[g->other[e]];
    qsort(K->column + first, (size_t)(k - first), sizeof *K->column, ascending);
    for (int e = first; e < k; e++) {
      K->at[e] = (int)size;
      size += n * (K->row[K->column[e] + 1] - K->row[K->column[e]]);
      if (size > 0x7fffffff) return -1;
    }
    for (int r = 0; r < n; r++) K->diagonal[K->row[i] + r] = K->at[first] + r * n + r;
    K->start[i + 1] = k;
  }
  K->at[K->start[K->n]] = (int)size;
  return 0;
}

/* Returns a bit for each side whose body moves. */
static unsigned char sides_of(const hn_problem *problem, int k)
{
  const hn_problem_block *block = &problem->block[k];
  return problem->K
           ? 0
           : (unsigned char)(hn_rows_moves(problem, block, 0) + 2 * hn_rows_moves(problem, block, 1));
}

/* True if a given K has no zeros. */
static bool is_dense(const hn_problem *problem)
{
  return (double)problem->K->start[problem->nrow] == (double)problem->nrow * problem->nrow;
}

/* Copies the data that define the pattern; returns the number of nodes, -1 if memory runs out. */
static int copy_problem(hn_contact_matrix *s, const hn_problem *problem, hn_bodies_test *by_bodies)
{
  const size_t n = (size_t)problem->nblock;
  HN_ARRAYS(&s->arrays, sizeof *s->block * n, &s->block);
  HN_ARRAYS(&s->arrays, n, &s->sides);
  HN_ARRAYS(&s->arrays, sizeof(int) * (size_t)problem->nrow, &s->owner);
  if (s->arrays.failed) return -1;
  memcpy(s->block, problem->block, sizeof *s->block * n);
  s->nblock = problem->nblock, s->nrow = problem->nrow, s->given = problem->K != NULL;
  s->dense = s->given && is_dense(problem);
  for (int k = 0; k < problem->nblock; k++) {
    for (int r = 0; r < problem->block[k].n; r++) s->owner[problem->block[k].row + r] = k;
    s->sides[k] = sides_of(problem, k);
    s->refined |= problem->block[k].set.kind == HN_ANY;
  }
  s->by_bodies = by_bodies && by_bodies(problem);
  if (!s->by_bodies) return problem->nblock;
  HN_ARRAYS(&s->arrays, sizeof *s->node * (size_t)problem->nbody, &s->node);
  return s->node ? hn_bodies_number(problem, s->node) : -1;
}

static bool analyse(hn_contact_matrix *s, const hn_problem *problem, hn_bodies_test *by_bodies)
{
  graph g = { 0 };
  const int pattern = s->pattern + 1;
  hn_contact_matrix_free(s);
  s->pattern = pattern;
  const int nodes = copy_problem(s, problem, by_bodies);
  bool ok = nodes >= 0 && find_graph(s, problem, nodes, &g) && allocate(s, problem, nodes, &g);
  if (ok) {
    int result = amd_order(nodes, g.start, g.other, s->order, NULL, NULL);
    ok = result == AMD_OK || result == AMD_OK_BUT_JUMBLED;
  }
  for (int i = 0; ok && i < nodes; i++) s->place[s->order[i]] = i;
  ok = ok && lay_out(s, problem, &g) == 0;
  free_graph(&g);
  if (!ok) return false;
  const size_t size = (size_t)s->K.at[s->K.start[s->K.n]];
  HN_ARRAYS(&s->arrays, sizeof(double) * size, &s->K.value);
  if (!s->by_bodies) HN_ARRAYS(&s->arrays, sizeof(double) * size, &s->value);
  s->transposed = s->value;
  if (problem->K) HN_ARRAYS(&s->arrays, sizeof(double) * size, &s->transposed);
  s->factor = hn_linear_ldl.create(&hn_linear_ldl, "", NULL);
  return !s->arrays.failed && s->factor && hn_linear_ldl.analyse(s->factor, &s->K, NULL) == 0;
}

/* True if the pattern fits PROBLEM. A given matrix that has zeros is always analysed anew. */
static bool is_current(const hn_contact_matrix *s, const hn_problem *problem)
{
  if (!s->factor || s->nblock != problem->nblock || s->dense != (problem->K && is_dense(problem)) ||
      s->given != (problem->K != NULL) || (s->given && !s->dense))
    return false;
  for (int k = 0; k < s->nblock; k++) {
    const hn_problem_block *a = &s->block[k], *b = &problem->block[k];
    if (a->a != b->a || a->b != b->b || a->row != b->row || a->n != b->n ||
        s->sides[k] != sides_of(problem, k))
      return false;
  }
  return true;
}

/* ---- Values ------------------------------------------------------------------------------------------ */

double *hn_contact_matrix_entry(hn_contact_matrix *s, int i, int j, int r, int c)
{
  int row = s->place[i], column = s->place[j];
  double *value = s->value;
  if (row > column || (row == column && r > c)) {
    int swapped = row;
    row = column, column = swapped;
    swapped = r, r = c, c = swapped;
    value = s->transposed;
  }
  int at = hn_pattern_find(&s->K, row, column);
  return at < 0 ? NULL : &value[at + c * (s->K.row[row + 1] - s->K.row[row]) + r];
}

/* Adds G_i T_j' of sides SIDE_I and SIDE_J, which share a body, to K_ij. */
static void add_product(hn_contact_matrix *s, const hn_problem *problem, int i, int side_i, int j, int side_j)
{
  const hn_problem_block *I = &problem->block[i], *J = &problem->block[j];
  const double *G = problem->G + 12 * (size_t)I->row + 6 * I->n * side_i;
  const double *T = problem->T + 12 * (size_t)J->row + 6 * J->n * side_j;
  double *entry = s->value + hn_contact_matrix_block(s, i, j);
  for (int c = 0; c < J->n; c++)
    for (int r = 0; r < I->n; r++) {
      double sum = 0.0;
      for (int x = 0; x < 6; x++) sum += G[x * I->n + r] * T[6 * c + x];
      entry[c * I->n + r] += sum;
    }
}

static void fill_by_bodies(hn_contact_matrix *s, const hn_problem *problem)
{
  for (int row = 0; row < s->K.n; row++)
    for (int k = s->K.start[row]; k < s->K.start[row + 1]; k++) {
      const int i = s->order[row], j = s->order[s->K.column[k]];
      const hn_problem_block *I = &problem->block[i], *J = &problem->block[j];
      if (I->a == J->a) add_product(s, problem, i, 0, j, 0);
      if (I->a == J->b) add_product(s, problem, i, 0, j, 1);
      if (I->b == J->a) add_product(s, problem, i, 1, j, 0);
      if (I->b == J->b) add_product(s, problem, i, 1, j, 1);
    }
}

/* Loads a given K: its upper triangle in elimination order and, unless that is not stored, the lower one. */
static void fill_given(hn_contact_matrix *s, const hn_problem *problem)
{
  const hn_problem_matrix *K = problem->K;
  for (int row = 0; row < problem->nrow; row++)
    for (int k = K->start[row]; k < K->start[row + 1]; k++) {
      const int i = s->owner[row], j = s->owner[K->column[k]];
      const int r = row - problem->block[i].row, c = K->column[k] - problem->block[j].row;
      const bool upper = s->place[i] < s->place[j] || (i == j && r <= c);
      double *entry = upper || s->transposed != s->value ? hn_contact_matrix_entry(s, i, j, r, c) : NULL;
      if (entry) *entry = K->value[k];
    }
}

hn_reason hn_contact_matrix_load(hn_contact_matrix *s, const hn_problem *problem, hn_bodies_test *by_bodies)
{
  if (!is_current(s, problem) && !analyse(s, problem, by_bodies)) {
    hn_contact_matrix_free(s);
    return HN_NO_MEMORY;
  }
  if (s->by_bodies) {
    hn_bodies_root(problem, s->H);
    return HN_CONVERGED;
  }
  const size_t size = sizeof *s->value * (size_t)s->K.at[s->K.start[s->K.n]];
  memset(s->value, 0, size), memset(s->transposed, 0, size);
  if (problem->K) fill_given(s, problem);
  else fill_by_bodies(s, problem);
  return HN_CONVERGED;
}

/* ---- Factor ------------------------------------------------------------------------------------------ */

hn_reason hn_contact_matrix_factor(hn_contact_matrix *s, const double *R)
{
  hn_block_matrix *K = &s->K;
  if (s->by_bodies) {
    hn_bodies_fill(s, R);
    return hn_linear_ldl.factor(s->factor);
  }
  memcpy(K->value, s->value, sizeof *K->value * (size_t)K->at[K->start[K->n]]);
  for (int i = 0; i < K->n; i++)
    for (int r = K->row[i]; r < K->row[i + 1]; r++) K->value[K->diagonal[r]] += R ? R[s->order[i]] : 1.0;
  return hn_linear_ldl.factor(s->factor);
}

void hn_contact_matrix_solve(hn_contact_matrix *s, double *x)
{
  const hn_block_matrix *K = &s->K;
  if (s->by_bodies) {
    hn_bodies_solve(s, x);
    return;
  }
  for (int i = 0; i < K->n; i++)
    memcpy(s->x + K->row[i], x + s->block[s->order[i]].row, sizeof *x * (size_t)(K->row[i + 1] - K->row[i]));
  hn_linear_ldl.solve(s->factor, s->x);
  for (int i = 0; i < K->n; i++)
    memcpy(x + s->block[s->order[i]].row, s->x + K->row[i], sizeof *x * (size_t)(K->row[i + 1] - K->row[i]));
}
