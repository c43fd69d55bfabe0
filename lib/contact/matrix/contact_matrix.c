/* contact_matrix.c - K of a problem as a block matrix for the back end of linear/ldl.c; or A, where bodies pay (body_matrix.h).
 *
 * Blocks couple that share a body which moves (one whose part of T is not zero), or where a given matrix has numbers.
 * They are eliminated by approximate minimum degree. The pattern is kept from problem to problem while the blocks are
 * the same ones. */
#include "contact/matrix/body_matrix.h"
#include "linear/backend.h"

#include <string.h>
#include <suitesparse/amd.h>

typedef struct graph {
  int *start; /* [nodes + 1] */
  int *other; /* [start[nodes]] those that one couples with, itself excepted, in the order they were found */
} graph;

static void free_graph(graph *g)
{
  free(g->start), free(g->other);
}

void hn_sparse_free(hn_sparse *s)
{
  hn_block_matrix *K = &s->K;
  if (s->factor) hn_linear_ldl.free(s->factor);
  free(K->row), free(K->start), free(K->column), free(K->at), free(K->diagonal), free(K->value);
  free(s->block), free(s->sides), free(s->owner), free(s->order), free(s->place), free(s->value), free(s->x);
  free(s->node), free(s->H), free(s->weight), free(s->right);
  *s = (hn_sparse){ 0 };
}

/* ---- Who couples ------------------------------------------------------------------------------------- */

/* Does a block stand in the list of its body on SIDE: once? */
static bool stands(const hn_problem *problem, int k, int side)
{
  const hn_problem_block *block = &problem->block[k];
  return hn_rows_moves(problem, block, side) &&
         !(side && block->a == block->b && hn_rows_moves(problem, block, 0));
}

/* The blocks of each body that moves: of[start[i]] to of[start[i + 1] - 1]. */
static bool list_of_bodies(const hn_problem *problem, graph *of)
{
  of->start = calloc((size_t)problem->nbody + 2, sizeof *of->start);
  of->other = malloc(sizeof *of->other * (2 * (size_t)problem->nblock + 1));
  if (!of->start || !of->other) return false;
  int *fill = of->start + 1; /* counts, then next free places, end as starts shifted by one */
  for (int k = 0; k < problem->nblock; k++)
    for (int side = 0; side < 2; side++)
      if (stands(problem, k, side)) fill[(side ? problem->block[k].b : problem->block[k].a) + 1]++;
  for (int i = 0; i < problem->nbody; i++) fill[i + 1] += fill[i];
  for (int k = 0; k < problem->nblock; k++)
    for (int side = 0; side < 2; side++)
      if (stands(problem, k, side)) of->other[fill[side ? problem->block[k].b : problem->block[k].a]++] = k;
  return true;
}

typedef struct finder {
  const hn_problem *problem;
  graph of;         /* bodies */
  const int *owner; /* [nrow] the block of a row */
  int *mark;        /* [nblock] */
} finder;

static int note(finder *f, int k, int other, int count, int *list)
{
  if (f->mark[other] == k) return count;
  f->mark[other] = k;
  if (list) list[count] = other;
  return count + 1;
}

/* Those that block K couples with, each once; LIST may be NULL. */
static int couples(finder *f, int k, int *list)
{
  const hn_problem *problem = f->problem;
  const hn_problem_block *block = &problem->block[k];
  int count = 0;
  f->mark[k] = k;
  if (problem->K) {
    for (int i = problem->K->start[block->row]; i < problem->K->start[block->row + block->n]; i++)
      count = note(f, k, f->owner[problem->K->column[i]], count, list);
    return count;
  }
  for (int side = 0; side < 2; side++) {
    const int body = side ? block->b : block->a;
    if (!hn_rows_moves(problem, block, side)) continue;
    for (int i = f->of.start[body]; i < f->of.start[body + 1]; i++)
      count = note(f, k, f->of.other[i], count, list);
  }
  return count;
}

/* Those that body I couples with, as nodes. */
static int couples_body(finder *f, const int *node, int i, int *list)
{
  return hn_bodies_beside(f->problem, node, f->of.start, f->of.other, i, f->mark, list);
}

/* One pass over all: counts, or lists. */
static void visit_all(finder *f, const hn_sparse *s, graph *g, bool list)
{
  const hn_problem *problem = f->problem;
  for (int k = 0; k < problem->nblock && !s->by_bodies; k++)
    if (list) couples(f, k, g->other + g->start[k]);
    else g->start[k + 1] = g->start[k] + couples(f, k, NULL);
  for (int i = 0; i < problem->nbody && s->by_bodies; i++) {
    const int node = s->node[i];
    if (node < 0) continue;
    if (list) couples_body(f, s->node, i, g->other + g->start[node]);
    else g->start[node + 1] = g->start[node] + couples_body(f, s->node, i, NULL);
  }
}

static bool find_graph(const hn_sparse *s, const hn_problem *problem, int nodes, graph *g)
{
  const size_t n = (size_t)(s->by_bodies ? problem->nbody : problem->nblock);
  finder f = { .problem = problem, .owner = s->owner, .mark = malloc(sizeof(int) * (n + 1)) };
  bool made = f.mark && (problem->K || list_of_bodies(problem, &f.of));
  g->start = calloc((size_t)nodes + 1, sizeof *g->start);
  for (int pass = 0; pass < 2 && made && g->start; pass++) {
    for (size_t k = 0; k < n; k++) f.mark[k] = -1;
    if (pass) g->other = malloc(sizeof *g->other * ((size_t)g->start[nodes] + 1));
    if (pass && !g->other) break;
    visit_all(&f, s, g, pass);
  }
  free_graph(&f.of), free(f.mark);
  return g->start && g->other;
}

/* ---- The pattern ------------------------------------------------------------------------------------- */

static int ascending(const void *left, const void *right)
{
  const int *a = left, *b = right;
  return (*a > *b) - (*a < *b);
}

static int size_of(const hn_sparse *s, const hn_problem *problem, int node)
{
  return s->by_bodies ? HN_MAX_ROWS : problem->block[node].n;
}

static bool allocate(hn_sparse *s, const hn_problem *problem, int nodes, const graph *g)
{
  const size_t n = (size_t)nodes, blocks = n + (size_t)g->start[n] / 2, rows = (size_t)problem->nrow + 1;
  const size_t all = (s->by_bodies ? HN_MAX_ROWS * n : (size_t)problem->nrow) + 1;
  hn_block_matrix *K = &s->K;
  K->n = nodes;
  K->row = calloc(n + 1, sizeof *K->row), K->start = calloc(n + 1, sizeof *K->start);
  K->column = malloc(sizeof *K->column * (blocks + 1)), K->at = calloc(blocks + 1, sizeof *K->at);
  K->diagonal = malloc(sizeof *K->diagonal * all);
  s->order = malloc(sizeof(int) * (n + 1)), s->place = malloc(sizeof(int) * (n + 1));
  s->x = malloc(sizeof *s->x * all);
  if (s->by_bodies) {
    s->H = malloc(sizeof *s->H * 12 * rows), s->right = malloc(sizeof *s->right * rows);
    s->weight = malloc(sizeof *s->weight * ((size_t)problem->nblock + 1));
  }
  return K->row && K->start && K->column && K->at && K->diagonal && s->x && s->order && s->place &&
         (!s->by_bodies || (s->H && s->right && s->weight));
}

/* Block rows in elimination order with their columns behind the diagonal. -1: more numbers than there can be. */
static int lay_out(hn_sparse *s, const hn_problem *problem, const graph *g)
{
  hn_block_matrix *K = &s->K;
  double numbers = 0.0;
  for (int i = 0; i < K->n; i++) K->row[i + 1] = K->row[i] + size_of(s, problem, s->order[i]);
  for (int i = 0, k = 0; i < K->n; i++) {
    const int node = s->order[i], n = K->row[i + 1] - K->row[i], first = k;
    K->column[k++] = i;
    for (int e = g->start[node]; e < g->start[node + 1]; e++)
      if (s->place[g->other[e]] > i) K->column[k++] = s->place[g->other[e]];
    qsort(K->column + first, (size_t)(k - first), sizeof *K->column, ascending);
    for (int e = first; e < k; e++) {
      K->at[e] = (int)numbers;
      numbers += n * (K->row[K->column[e] + 1] - K->row[K->column[e]]);
      if (numbers > 0x7fffffff) return -1;
    }
    for (int r = 0; r < n; r++) K->diagonal[K->row[i] + r] = K->at[first] + r * n + r;
    K->start[i + 1] = k;
  }
  K->at[K->start[K->n]] = (int)numbers;
  return 0;
}

/* Which of its bodies move. */
static unsigned char sides_of(const hn_problem *problem, int k)
{
  const hn_problem_block *block = &problem->block[k];
  return problem->K
           ? 0
           : (unsigned char)(hn_rows_moves(problem, block, 0) + 2 * hn_rows_moves(problem, block, 1));
}

/* What the pattern is of; how many nodes it has, -1 without memory. */
static int take_problem(hn_sparse *s, const hn_problem *problem, bool factor)
{
  const size_t n = (size_t)problem->nblock;
  s->block = malloc(sizeof *s->block * (n + 1));
  s->sides = malloc(n + 1), s->owner = malloc(sizeof(int) * ((size_t)problem->nrow + 1));
  if (!s->block || !s->sides || !s->owner) return -1;
  memcpy(s->block, problem->block, sizeof *s->block * n);
  s->nblock = problem->nblock, s->nrow = problem->nrow, s->given = problem->K != NULL;
  for (int k = 0; k < problem->nblock; k++) {
    for (int r = 0; r < problem->block[k].n; r++) s->owner[problem->block[k].row + r] = k;
    s->sides[k] = sides_of(problem, k);
    s->refined |= problem->block[k].set.kind == HN_ANY;
  }
  if (!factor || !hn_bodies_pay(problem)) return problem->nblock;
  s->by_bodies = true;
  s->node = malloc(sizeof *s->node * (size_t)problem->nbody);
  return s->node ? hn_bodies_number(problem, s->node) : -1;
}

static bool analyse(hn_sparse *s, const hn_problem *problem, bool factor)
{
  graph g = { 0 };
  hn_sparse_free(s);
  const int nodes = take_problem(s, problem, factor);
  bool made = nodes >= 0 && find_graph(s, problem, nodes, &g) && allocate(s, problem, nodes, &g);
  if (made) {
    int result = amd_order(nodes, g.start, g.other, s->order, NULL, NULL);
    made = result == AMD_OK || result == AMD_OK_BUT_JUMBLED;
  }
  for (int i = 0; made && i < nodes; i++) s->place[s->order[i]] = i;
  made = made && lay_out(s, problem, &g) == 0;
  free_graph(&g);
  if (!made) return false;
  const size_t numbers = (size_t)s->K.at[s->K.start[s->K.n]];
  s->K.value = calloc(numbers + 1, sizeof(double));
  if (!s->by_bodies) s->value = calloc(numbers + 1, sizeof(double));
  s->factor = hn_linear_ldl.create(&hn_linear_ldl, "", NULL);
  return s->K.value && (s->value || s->by_bodies) && s->factor &&
         hn_linear_ldl.analyse(s->factor, &s->K, NULL) == 0;
}

/* Is the pattern that of PROBLEM? That of a given matrix is found anew. */
static bool is_known(const hn_sparse *s, const hn_problem *problem)
{
  if (!s->factor || s->nblock != problem->nblock || problem->K || s->given) return false;
  for (int k = 0; k < s->nblock; k++) {
    const hn_problem_block *a = &s->block[k], *b = &problem->block[k];
    if (a->a != b->a || a->b != b->b || a->row != b->row || a->n != b->n ||
        s->sides[k] != sides_of(problem, k))
      return false;
  }
  return true;
}

/* ---- Values ------------------------------------------------------------------------------------------ */

double *hn_sparse_entry(hn_sparse *s, int i, int j, int r, int c)
{
  int row = s->place[i], column = s->place[j];
  if (row > column || (row == column && r > c)) {
    int kept = row;
    row = column, column = kept;
    kept = r, r = c, c = kept;
  }
  int at = hn_pattern_find(&s->K, row, column);
  return at < 0 ? NULL : &s->value[at + c * (s->K.row[row + 1] - s->K.row[row]) + r];
}

/* K_ij of two blocks on a common BODY, sides I and J: G_i T_j'. */
static void add_product(hn_sparse *s, const hn_problem *problem, int i, int side_i, int j, int side_j)
{
  const hn_problem_block *I = &problem->block[i], *J = &problem->block[j];
  const double *G = problem->G + 12 * (size_t)I->row + 6 * I->n * side_i;
  const double *T = problem->T + 12 * (size_t)J->row + 6 * J->n * side_j;
  double *entry = s->value + hn_sparse_block(s, i, j);
  for (int c = 0; c < J->n; c++)
    for (int r = 0; r < I->n; r++) {
      double sum = 0.0;
      for (int x = 0; x < 6; x++) sum += G[x * I->n + r] * T[6 * c + x];
      entry[c * I->n + r] += sum;
    }
}

static void fill_by_bodies(hn_sparse *s, const hn_problem *problem)
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

static void fill_given(hn_sparse *s, const hn_problem *problem)
{
  const hn_problem_matrix *K = problem->K;
  for (int row = 0; row < problem->nrow; row++)
    for (int k = K->start[row]; k < K->start[row + 1]; k++) {
      const int i = s->owner[row], j = s->owner[K->column[k]];
      const int r = row - problem->block[i].row, c = K->column[k] - problem->block[j].row;
      if (s->place[i] < s->place[j] || (i == j && r <= c)) *hn_sparse_entry(s, i, j, r, c) = K->value[k];
    }
}

hn_reason hn_sparse_load(hn_sparse *s, const hn_problem *problem, bool factor)
{
  if (!is_known(s, problem) && !analyse(s, problem, factor)) {
    hn_sparse_free(s);
    return HN_FULL;
  }
  if (s->by_bodies) {
    hn_bodies_root(problem, s->H);
    return HN_CONVERGED;
  }
  memset(s->value, 0, sizeof *s->value * (size_t)s->K.at[s->K.start[s->K.n]]);
  if (problem->K) fill_given(s, problem);
  else fill_by_bodies(s, problem);
  return HN_CONVERGED;
}

/* ---- Factor ------------------------------------------------------------------------------------------ */

hn_reason hn_sparse_factor(hn_sparse *s, const double *R)
{
  hn_block_matrix *K = &s->K;
  if (s->by_bodies) {
    hn_bodies_fill(s, R);
    return hn_linear_ldl.factor(s->factor);
  }
  memcpy(K->value, s->value, sizeof *K->value * (size_t)K->at[K->start[K->n]]);
  for (int i = 0; i < K->n; i++)
    for (int r = K->row[i]; r < K->row[i + 1]; r++) K->value[K->diagonal[r]] += R[s->order[i]];
  return hn_linear_ldl.factor(s->factor);
}

void hn_sparse_solve(hn_sparse *s, double *x)
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
