/* assembly.c - the pattern of K = G W G' and the list of contributions to it; fill.c computes the values.
 *
 * A moving body couples every pair of joints attached to it: K_ij += G_i W G_j' over the six columns of that
 * body. The list of these contributions is made once, in storage order.
 *
 * In the even layout joints of one size, up to 4 rows, have a block each. Otherwise rows are numbered joint
 * by joint and grouped in pairs, so that a joint may begin in the second row of a block; rows of the identity
 * separate joints without a common body. With blocks of two PETSc's Cholesky takes two thirds of the time for
 * single numbers, and less than with blocks of 5 or 6 (bench/README.md). Single numbers are used only if
 * pairs would store too many zeros. */
#include "linear/matrix.h"

#include <limits.h>
#include <stdlib.h>

enum { LARGEST_BLOCK = 4 };

/* Work for single numbers over work for as many numbers in pairs. */
static const double pair_advantage = 2.0;

/* One side of a joint on a moving body, while the pattern is built. */
typedef struct side {
  int body, position, joint, block; /* position: rank of the joint in elimination order */
} side;

typedef struct coupling {
  int row, column;      /* positions of the two joints, or of a joint and a hub */
  hn_contribution part; /* the owner of a hub is nblock + its index */
} coupling;

static int compare_bodies(const void *left, const void *right)
{
  const side *a = left, *b = right;
  return a->body != b->body ? (a->body > b->body) - (a->body < b->body)
                            : (a->position > b->position) - (a->position < b->position);
}

static int compare_storage(const void *left, const void *right)
{
  const coupling *a = left, *b = right;
  if (a->row != b->row) return (a->row > b->row) - (a->row < b->row);
  if (a->column != b->column) return (a->column > b->column) - (a->column < b->column);
  return (a->part.row_block > b->part.row_block) -
         (a->part.row_block < b->part.row_block); /* fixed summation order */
}

static int nodes_of(const hn_assembly *as, const hn_system *s)
{
  return s->nblock + as->hubs.count;
}

/* Lists the sides of joints and of hubs: a hub has one side, on its body. */
static int list_sides(const hn_assembly *as, const hn_system *s, side *sides)
{
  int count = 0;
  for (int k = 0; k < nodes_of(as, s); k++) {
    const int node = as->order[k];
    if (node >= s->nblock) {
      sides[count++] = (side){ as->hubs.body[node - s->nblock], k, node, -1 };
      continue;
    }
    const hn_block *joint = &s->block[node];
    int block = 12 * joint->row;
    if (s->model->body[joint->a].kind != HN_FIXED) sides[count++] = (side){ joint->a, k, node, block };
    if (s->model->body[joint->b].kind != HN_FIXED)
      sides[count++] = (side){ joint->b, k, node, block + 6 * joint->n };
  }
  qsort(sides, (size_t)count, sizeof *sides, compare_bodies);
  return count;
}

/* Lists all pairs of sides on a common body, the earlier one as row, on a hub only those with the hub itself;
 * returns their count. COUPLINGS may be NULL. */
static size_t list_couplings(const hn_assembly *as, const hn_system *s, const side *sides, int nsides,
                             coupling *couplings)
{
  size_t count = 0;
  for (int i = 0; i < nsides; i++)
    for (int j = i; j < nsides && sides[j].body == sides[i].body; j++) {
      const bool on_hub = as->hubs.count > 0 && as->hubs.number[sides[i].body] >= 0;
      if (on_hub && (i == j || (sides[i].joint < s->nblock && sides[j].joint < s->nblock))) continue;
      hn_contribution part = { .row_owner = sides[i].joint,
                               .column_owner = sides[j].joint,
                               .row_block = sides[i].block,
                               .column_block = sides[j].block };
      if (couplings) couplings[count] = (coupling){ sides[i].position, sides[j].position, part };
      count++;
    }
  if (couplings) qsort(couplings, count, sizeof *couplings, compare_storage);
  return count;
}

/* Returns the rows of a joint, or of a hub. */
static int rows_of(const hn_system *s, int node)
{
  return node < s->nblock ? s->block[node].n : HN_HUB_ROWS;
}

static bool have_equal_sizes(const hn_system *s, int nodes)
{
  for (int j = 1; j < nodes; j++)
    if (rows_of(s, j) != rows_of(s, 0)) return false;
  return s->nblock > 0;
}

static bool is_first_of_pair(const coupling *c, size_t k)
{
  return k == 0 || c[k].row != c[k - 1].row || c[k].column != c[k - 1].column;
}

/* ---- Rows and blocks ---------------------------------------------------------------------------------- */

static bool share_a_body(const hn_system *s, const hn_block *i, const hn_block *j)
{
  bool at_a = i->a == j->a || i->a == j->b, at_b = i->b == j->a || i->b == j->b;
  return (at_a && s->model->body[i->a].kind != HN_FIXED) || (at_b && s->model->body[i->b].kind != HN_FIXED);
}

/* Numbers the rows joint by joint. A joint starts within a block only if the joint before it shares a body
 * with it, because their patterns are then nearly equal. Otherwise the block is filled up with rows of the
 * identity. */
static void number_rows(hn_assembly *as, const hn_system *s)
{
  const int bs = as->K.bs;
  int at = 0;
  for (int k = 0; k < s->nblock; k++) {
    const hn_block *joint = &s->block[as->order[k]];
    if (at % bs > 0 && !share_a_body(s, joint, &s->block[as->order[k - 1]])) at += bs - at % bs;
    for (int r = 0; r < joint->n; r++) as->row_at[joint->row + r] = at++;
  }
  as->K.n = (at + bs - 1) / bs;
}

/* Finds the range of block rows that contains the rows of a joint. */
static void find_blocks(const hn_assembly *as, const hn_system *s, int joint, int *first, int *last)
{
  int at = as->row_at[s->block[joint].row];
  *first = at / as->K.bs;
  *last = (at + rows_of(s, joint) - 1) / as->K.bs;
}

static int ascending(const void *left, const void *right)
{
  const uint64_t *a = left, *b = right;
  return (*a > *b) - (*a < *b);
}

/* Lists the blocks of the upper triangle that pairs of joints touch as row * n + column, ascending and
 * distinct; returns their count. With LIST NULL it returns an upper bound. */
static size_t list_blocks(const hn_assembly *as, const hn_system *s, const coupling *c, size_t count,
                          uint64_t *list)
{
  size_t blocks = 0, distinct = 0;
  for (size_t k = 0; k < count; k++) {
    int i, j, last_i, first_j, last_j;
    if (!is_first_of_pair(c, k)) continue;
    find_blocks(as, s, c[k].part.row_owner, &i, &last_i);
    find_blocks(as, s, c[k].part.column_owner, &first_j, &last_j);
    for (; i <= last_i; i++)
      for (j = first_j > i ? first_j : i; j <= last_j; j++, blocks++)
        if (list) list[blocks] = (uint64_t)i * (uint64_t)as->K.n + (uint64_t)j;
  }
  if (!list) return blocks;
  qsort(list, blocks, sizeof *list, ascending);
  for (size_t k = 0; k < blocks; k++)
    if (k == 0 || list[k] != list[distinct - 1]) list[distinct++] = list[k];
  return distinct;
}

static bool allocate_matrix(hn_block_matrix *K, int rows, size_t blocks, size_t numbers)
{
  K->row = calloc((size_t)K->n + 1, sizeof *K->row);
  K->start = calloc((size_t)K->n + 1, sizeof *K->start);
  K->column = malloc(sizeof *K->column * (blocks + 1));
  K->at = calloc(blocks + 1, sizeof *K->at);
  K->diagonal = malloc(sizeof *K->diagonal * ((size_t)rows + 1));
  K->value = calloc(numbers + 1, sizeof *K->value);
  return K->row && K->start && K->column && K->at && K->diagonal && K->value;
}

static int size_of(const hn_block_matrix *K, int row)
{
  return K->row[row + 1] - K->row[row];
}

/* Sets the offsets of blocks in storage, in the order of the pattern. */
static void place_blocks(hn_block_matrix *K)
{
  for (int row = 0; row < K->n; row++) {
    int n = size_of(K, row);
    for (int k = K->start[row]; k < K->start[row + 1]; k++)
      K->at[k + 1] = K->at[k] + n * size_of(K, K->column[k]);
    for (int r = 0; r < n; r++) K->diagonal[K->row[row] + r] = K->at[K->start[row]] + r * n + r;
  }
}

/* Builds the even pattern with blocks of size BS. Estimates the work of a factorisation: for each row the
 * square of its length, before fill-in. -1 if out of memory. */
static int build_even_pattern(hn_assembly *as, const hn_system *s, const coupling *c, size_t count, int bs,
                              double *work)
{
  hn_block_matrix *K = &as->K;
  K->bs = bs;
  number_rows(as, s);
  uint64_t *list = malloc(sizeof *list * (list_blocks(as, s, c, count, NULL) + 1));
  size_t blocks = list ? list_blocks(as, s, c, count, list) : 0, k = 0;
  bool allocated = list && allocate_matrix(K, K->n * bs, blocks, blocks * (size_t)(bs * bs));
  *work = 0.0;
  for (int row = 0; allocated && row < K->n; row++) {
    K->row[row + 1] = bs * (row + 1);
    for (; k < blocks && list[k] / (uint64_t)K->n == (uint64_t)row; k++)
      K->column[k] = (int)(list[k] % (uint64_t)K->n);
    K->start[row + 1] = (int)k;
    double width = bs * (double)(K->start[row + 1] - K->start[row]);
    *work += bs * width * width;
  }
  free(list);
  if (allocated) place_blocks(K);
  return allocated ? 0 : -1;
}

/* Builds the pattern by constraints in elimination order. A constraint between fixed bodies has a diagonal
 * block of zeros. -1 if out of memory. */
static int build_constraint_pattern(hn_assembly *as, const hn_system *s, const coupling *c, size_t count)
{
  hn_block_matrix *K = &as->K;
  const int nodes = nodes_of(as, s), rows = s->nrow + HN_HUB_ROWS * as->hubs.count;
  size_t blocks = (size_t)nodes, numbers = 0, next = 0;
  for (int k = 0; k < nodes; k++) numbers += (size_t)(rows_of(s, k) * rows_of(s, k));
  for (size_t k = 0; k < count; k++) {
    if (!is_first_of_pair(c, k) || c[k].row == c[k].column) continue;
    blocks++, numbers += (size_t)(rows_of(s, c[k].part.row_owner) * rows_of(s, c[k].part.column_owner));
  }
  K->n = nodes, K->bs = have_equal_sizes(s, nodes) ? rows_of(s, 0) : 0;
  if (!allocate_matrix(K, rows, blocks, numbers)) return -1;
  if (as->hubs.count > 0 && !(K->scale = calloc((size_t)rows, sizeof *K->scale))) return -1;
  for (int row = 0, k = 0; row < K->n; row++) {
    const int node = as->order[row], n = rows_of(s, node);
    for (int r = 0; node < s->nblock && r < n; r++) as->row_at[s->block[node].row + r] = K->row[row] + r;
    for (int r = 0; node >= s->nblock && r < n; r++) K->scale[K->row[row] + r] = -1.0;
    K->row[row + 1] = K->row[row] + n;
    K->column[k++] = row;
    for (; next < count && c[next].row == row; next++)
      if (is_first_of_pair(c, next) && c[next].column != row) K->column[k++] = c[next].column;
    K->start[row + 1] = k;
  }
  place_blocks(K);
  return 0;
}

static void free_matrix(hn_block_matrix *K)
{
  free(K->row), free(K->start), free(K->column), free(K->at), free(K->diagonal), free(K->scale);
  if (!K->borrowed) free(K->value);
  *K = (hn_block_matrix){ 0 };
}

/* Chooses the block size: that of joints of equal size; otherwise two, unless pairs store too many zeros. A
 * number in a block of two costs half as much as a single one. */
static int choose_layout(hn_assembly *as, const hn_system *s, const coupling *c, size_t count)
{
  double paired, single;
  as->aligned = have_equal_sizes(s, s->nblock) && rows_of(s, 0) <= LARGEST_BLOCK;
  if (as->aligned) return build_even_pattern(as, s, c, count, rows_of(s, 0), &paired);
  int status = build_even_pattern(as, s, c, count, 1, &single);
  free_matrix(&as->K);
  if (status == 0) status = build_even_pattern(as, s, c, count, 2, &paired);
  if (status || paired <= pair_advantage * single) return status;
  free_matrix(&as->K);
  return build_even_pattern(as, s, c, count, 1, &single);
}

/* Returns the index of the block of COLUMN in ROW, which must exist. */
static int find_block(const hn_block_matrix *K, int row, int column)
{
  int low = K->start[row], high = K->start[row + 1] - 1;
  while (low < high) {
    int middle = (low + high) / 2;
    if (K->column[middle] < column) low = middle + 1;
    else high = middle;
  }
  return low;
}

/* True if the joint moves hubs, and no other body. */
static bool moves_only_hubs(const hn_assembly *as, const hn_system *s, const hn_block *joint)
{
  const int ends[2] = { joint->a, joint->b };
  for (int end = 0; end < 2; end++)
    if (s->model->body[ends[end]].kind != HN_FIXED && as->hubs.number[ends[end]] < 0) return false;
  return true;
}

static void add_hub_part(hn_assembly *as, const hn_system *s, const coupling *c)
{
  const hn_contribution *part = &c->part;
  const bool joint_first = part->row_owner < s->nblock;
  const int joint = joint_first ? part->row_owner : part->column_owner,
            hub = joint_first ? part->column_owner : part->row_owner;
  as->hub_part[as->nhub_parts++] = (hn_hub_part){ .joint = joint,
                                                  .hub = hub - s->nblock,
                                                  .block = joint_first ? part->row_block : part->column_block,
                                                  .at = as->K.at[find_block(&as->K, c->row, c->column)],
                                                  .row = as->row_at[s->block[joint].row],
                                                  .joint_first = joint_first,
                                                  .only_hubs = moves_only_hubs(as, s, &s->block[joint]) };
}

/* Sets where each contribution is stored. Blocks of a joint's columns are adjacent in every row, so that its
 * columns are bs numbers apart. -1 if out of memory. */
static int set_destinations(hn_assembly *as, const hn_system *s, const coupling *c, size_t count)
{
  const int bs = as->K.bs;
  int used = 0;
  for (size_t k = 0; k < count && !as->aligned; k++) used += rows_of(s, c[k].part.row_owner);
  as->entry_at = malloc(sizeof *as->entry_at * ((size_t)used + 1));
  if (!as->entry_at) return -1;
  used = 0;
  for (size_t k = 0; k < count; k++) {
    if (c[k].part.row_owner >= s->nblock || c[k].part.column_owner >= s->nblock) {
      add_hub_part(as, s, &c[k]);
      continue;
    }
    hn_contribution *part = &as->part[as->nparts++];
    *part = c[k].part;
    int at = as->row_at[s->block[part->row_owner].row], column = as->row_at[s->block[part->column_owner].row];
    part->at = as->aligned ? as->K.at[find_block(&as->K, c[k].row, c[k].column)] : used;
    if (is_first_of_pair(c, k)) part->at = ~part->at;
    for (int r = 0; r < rows_of(s, part->row_owner) && !as->aligned; r++) {
      int row = (at + r) / bs, first = column / bs, stored = first > row ? first : row;
      int block = find_block(&as->K, row, stored) - (stored - first);
      as->entry_at[used++] = block * bs * bs + column % bs * bs + (at + r) % bs;
    }
  }
  return 0;
}

/* Checks that the number of pairs of coupled rows fits into int. */
static int check_size(const hn_assembly *as, const hn_system *s, hn_error *error)
{
  double *rows = calloc((size_t)s->model->nbody, sizeof *rows), pairs = 0.0;
  int worst = 0;
  if (!rows) return hn_fail(error, "out of memory");
  for (const hn_block *block = s->block; block < s->block + s->nblock; block++) {
    rows[block->a] += block->n;
    rows[block->b] += block->n;
  }
  for (int i = 0; i < s->model->nbody; i++) {
    if (s->model->body[i].kind == HN_FIXED || (as->hubs.count > 0 && as->hubs.number[i] >= 0)) continue;
    pairs += rows[i] * rows[i];
    if (rows[i] > rows[worst] || s->model->body[worst].kind == HN_FIXED) worst = i;
  }
  double max_rows = rows[worst];
  free(rows);
  if (pairs <= INT_MAX) return 0;
  return hn_fail(error,
                 "the constraint matrix is too large: the %.0f rows of the joints on body \"%s\" are all "
                 "coupled; solvers without such a matrix: impulse-gs, xpbd, tgs-soft",
                 max_rows, s->model->body[worst].name);
}

int hn_assembly_build(hn_assembly *as, const hn_system *s, bool by_constraints, hn_error *error)
{
  const size_t nodes = (size_t)nodes_of(as, s);
  as->aligned = as->upper = by_constraints;
  if (check_size(as, s, error)) return -1;
  as->order = malloc(sizeof *as->order * (nodes + 1));
  as->row_at = malloc(sizeof *as->row_at * ((size_t)s->nrow + 1));
  /* elimination order */
  side *sides = malloc(sizeof *sides * (nodes + (size_t)s->nblock + 1));
  coupling *couplings = NULL;
  int status = as->order && as->row_at && sides ? hn_order_blocks(s, &as->hubs, as->order, error)
                                                : hn_fail(error, "out of memory");
  /* contributions, then pattern and destinations */
  if (status == 0) {
    int nsides = list_sides(as, s, sides);
    couplings = malloc(sizeof *couplings * (list_couplings(as, s, sides, nsides, NULL) + 1));
    size_t count = couplings ? list_couplings(as, s, sides, nsides, couplings) : 0;
    as->part = malloc(sizeof *as->part * (count + 1));
    as->hub_part = malloc(sizeof *as->hub_part * (as->hubs.count > 0 ? count + 1 : 1));
    as->hub_root = malloc(sizeof *as->hub_root * (9 * (size_t)as->hubs.count + 1));
    bool allocated = couplings && as->part && as->hub_part && as->hub_root &&
                     (by_constraints ? build_constraint_pattern : choose_layout)(as, s, couplings, count) ==
                       0;
    if (!allocated || set_destinations(as, s, couplings, count)) status = hn_fail(error, "out of memory");
  }
  free(sides);
  free(couplings);
  return status;
}

void hn_assembly_free(hn_assembly *as)
{
  free(as->order), free(as->row_at), free(as->part), free(as->entry_at), free(as->hub_part);
  free(as->hub_root);
  hn_hubs_free(&as->hubs);
  free_matrix(&as->K);
}
