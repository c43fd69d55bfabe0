/* basis.c - independent rows of a mode (events_parts.h).
 *
 * Rows are orthogonalised one by one in the metric of inverse masses (Gram and Schmidt),
 *
 *   r = W^1/2 G',   r - sum_i (q_i . r) q_i = left q_next;   r is dependent if left <= 1e-6 |r|
 *
 * first those of joints, then gaps, then slips. A gap that depends on others, n_k = sum w_i n_i, makes one
 * gap redundant. Forces p_k = -t and p_i = t w_i together accelerate nothing. They are added with the t at
 * which the first force becomes zero, and the gap of that force is left out; all other forces stay
 * nonnegative (Caratheodory's theorem). If gap k must enter, t is negative: the exchange of the simplex
 * method. A dependent slip is left out. Bodies connected by contacts and joints form islands, which are
 * treated one by one. Vectors are zero but in the bodies of their support. Cost: for each island, at most its
 * rows times the square of its degrees of freedom. */
#include "events/events_parts.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

static const double dependent = 1e-6; /* a row is dependent if at most this fraction of it is left */
static const double cancelled = 0.5;  /* a row is orthogonalised again if less than this fraction is left */
/* weights w_i up to this are rounding: the others are quotients of distances of contacts */
static const double unweighed = 1e-9;

int hn_events_basis_setup(const hn_system *s, hn_events_basis *b, hn_error *error)
{
  const size_t rows = (size_t)s->max_rows, blocks = (size_t)s->max_blocks;
  const size_t bodies = (size_t)s->model->nbody;
  return hn_arrays_allocate(&b->arrays, error, HN_ARRAY(b->c, rows), HN_ARRAY(b->length, rows),
                            HN_ARRAY(b->gap, blocks), HN_ARRAY(b->gap_at, blocks), HN_ARRAY(b->stick, blocks),
                            HN_ARRAY(b->block, blocks), HN_ARRAY(b->root, bodies),
                            HN_ARRAY(b->place, bodies));
}

void hn_events_basis_free(hn_events_basis *b)
{
  free(b->q), free(b->support), free(b->row);
  hn_arrays_free(&b->arrays);
}

/* ---- Islands ------------------------------------------------------------------------------------------- */

/* True if all rows of BLOCK are equations: joints, and bounded forces within their bounds. */
static bool is_held(const hn_block *block, const hn_role *role)
{
  const hn_set_kind kind = block->joint->set->kind;
  return (kind == HN_ANY && role->kind != HN_ROW_BROKEN) || (kind == HN_WITHIN && role->kind == HN_ROW_HELD);
}

/* True if the gap of BLOCK is closed: contacts and limits that have a force. */
static bool pushes(const hn_block *block, const hn_role *role)
{
  const hn_set_kind kind = block->joint->set->kind;
  return (kind == HN_PUSH || kind == HN_CONE) && (role->kind == HN_ROW_HELD || role->kind == HN_ROW_SLIDING);
}

static bool is_fixed(const hn_system *s, int body)
{
  return s->model->body[body].kind == HN_FIXED;
}

/* Returns the root of the island of BODY, its smallest body. Halves paths in the tree of islands. */
static int root_of(hn_events_basis *b, int body)
{
  while (b->root[body] != body) {
    b->root[body] = b->root[b->root[body]];
    body = b->root[body];
  }
  return body;
}

static int root_of_block(hn_events_basis *b, const hn_system *s, int k)
{
  const hn_block *block = &s->block[k];
  return root_of(b, is_fixed(s, block->a) ? block->b : block->a);
}

/* Joins the bodies of active blocks to islands, and lists these blocks in b->block[nblock]. */
static void join_bodies(const hn_system *s, hn_events_basis *b, const hn_role *role)
{
  for (int i = 0; i < s->model->nbody; i++) b->root[i] = i;
  b->nblock = 0;
  for (int k = 0; k < s->nblock; k++) {
    const hn_block *block = &s->block[k];
    if (!is_held(block, &role[k]) && !pushes(block, &role[k])) continue;
    b->block[b->nblock++] = (hn_basis_block){ .block = k, .yields = role[k].yields };
    if (is_fixed(s, block->a) || is_fixed(s, block->b)) continue;
    const int one = root_of(b, block->a), other = root_of(b, block->b);
    b->root[one > other ? one : other] = one > other ? other : one;
  }
  for (int i = 0; i < b->nblock; i++) b->block[i].island = root_of_block(b, s, b->block[i].block);
}

static int compare_blocks(const void *one, const void *other)
{
  const hn_basis_block *a = one, *b = other;
  if (a->island != b->island) return a->island < b->island ? -1 : 1;
  if (a->yields != b->yields) return a->yields ? 1 : -1;
  return (a->block > b->block) - (a->block < b->block);
}

/* Assigns the bodies of blocks FIRST to END - 1 of b->block their components in the vectors of the island,
 * and allocates these vectors. Returns -1 if out of memory. */
static int enter_island(const hn_system *s, hn_events_basis *b, int first, int end)
{
  size_t rows = 1, gaps = 0;
  for (int i = first; i < end; i++) {
    const hn_block *block = &s->block[b->block[i].block];
    b->place[block->a] = b->place[block->b] = -1;
    rows += (size_t)block->n, gaps++;
  }
  b->n = b->count = b->ngap = 0;
  for (int i = first; i < end; i++)
    for (int side = 0; side < 2; side++) {
      const hn_block *block = &s->block[b->block[i].block];
      const int body = side ? block->b : block->a;
      if (!is_fixed(s, body) && b->place[body] < 0) b->place[body] = b->n, b->n += 6;
    }
  if (rows > (size_t)b->n + 1) rows = (size_t)b->n + 1;
  const size_t q = rows * (size_t)b->n, row = gaps * (gaps + 1) / 2;
  if (q > b->q_room) {
    free(b->q), free(b->support);
    b->q = malloc(sizeof *b->q * q), b->support = malloc(sizeof *b->support * (q / 6));
    b->q_room = b->q && b->support ? q : 0;
  }
  if (row > b->row_room) {
    free(b->row);
    b->row = malloc(sizeof *b->row * row), b->row_room = b->row ? row : 0;
  }
  return b->q_room >= q && b->row ? 0 : -1;
}

/* ---- Orthogonalisation --------------------------------------------------------------------------------- */

/* Computes the row sum_r part[r] G_r of block K as the vector W^1/2 G', OUT[b->n]. */
static void weigh(const hn_system *s, const hn_events_basis *b, int k, const double *part,
                  const hn_state *state, double *out)
{
  const hn_block *block = &s->block[k];
  const double *G = s->G + 12 * block->row;
  memset(out, 0, sizeof *out * (size_t)b->n);
  for (int side = 0; side < 2; side++) {
    const int i = side ? block->b : block->a;
    const hn_body *body = &s->model->body[i];
    if (is_fixed(s, i)) continue;
    double turn[3], *at = out + b->place[i];
    for (int c = 0; c < 3; c++) {
      at[c] = turn[c] = 0.0;
      for (int r = 0; r < block->n; r++) {
        at[c] += part[r] * G[(6 * side + c) * block->n + r];
        turn[c] += part[r] * G[(6 * side + 3 + c) * block->n + r];
      }
      at[c] *= sqrt(body->inv_mass);
    }
    quat_unrotate(at + 3, state->pose[i].q, turn);
    for (int c = 0; c < 3; c++) at[3 + c] *= sqrt(body->inv_J[c]);
  }
}

/* Returns a . b over the COUNT bodies that begin at PLACE. Six independent sums let the processor overlap the
 * additions. */
static double dot(const double *a, const double *b, const int *place, int count)
{
  double sum[6] = { 0 };
  for (int i = 0; i < count; i++)
    for (int j = place[i]; j < place[i] + 6; j++) sum[j - place[i]] += a[j] * b[j];
  return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + (sum[4] + sum[5]);
}

/* Lists in PLACE[n / 6] the places of the bodies in which vector Q[n] is not zero. Returns their number. */
static int list_support(const double *q, int n, int *place)
{
  int count = 0;
  for (int i = 0; i < n; i += 6)
    if (q[i] != 0.0 || q[i + 1] != 0.0 || q[i + 2] != 0.0 || q[i + 3] != 0.0 || q[i + 4] != 0.0 ||
        q[i + 5] != 0.0)
      place[count++] = i;
  return count;
}

/* Adds the row sum_r part[r] G_r of block K as the next basis vector. b->c becomes its components along the
 * basis, the last one being the norm of the remainder. False if the row depends on the basis. */
static bool add_parts(const hn_system *s, hn_events_basis *b, int k, const double *part,
                      const hn_state *state)
{
  const int n = b->n;
  double *next = b->q + (size_t)b->count * (size_t)n;
  int *support = b->support + (size_t)b->count * (size_t)(n / 6);
  weigh(s, b, k, part, state, next);
  int bodies = list_support(next, n, support);
  const double whole = sqrt(dot(next, next, support, bodies));
  double left = whole;
  memset(b->c, 0, sizeof *b->c * ((size_t)b->count + 1));
  /* orthogonalise, twice if much is cancelled */
  for (int pass = 0; pass == 0 || (pass == 1 && left < cancelled * whole); pass++) {
    for (int i = 0; i < b->count; i++) {
      const double *q = b->q + (size_t)i * (size_t)n;
      const int *place = b->support + (size_t)i * (size_t)(n / 6);
      const double along = dot(q, next, place, b->length[i]);
      if (along == 0.0) continue;
      b->c[i] += along;
      for (int m = 0; m < b->length[i]; m++)
        for (int j = place[m]; j < place[m] + 6; j++) next[j] -= along * q[j];
    }
    bodies = list_support(next, n, support);
    left = sqrt(dot(next, next, support, bodies));
  }
  /* append what is left */
  if (!(left > dependent * whole) || b->count == n) return false;
  for (int j = 0; j < n; j++) next[j] /= left;
  b->length[b->count] = bodies;
  b->c[b->count++] = left;
  return true;
}

static bool add_row(const hn_system *s, hn_events_basis *b, int k, int r, const hn_state *state)
{
  double part[HN_MAX_ROWS] = { 0 };
  part[r] = 1.0;
  return add_parts(s, b, k, part, state);
}

/* ---- Gaps ---------------------------------------------------------------------------------------------- */

/* Changes the force of gap K by SIGN t and those of the listed gaps i by -SIGN t w_i, where n_k = sum w_i
 * n_i: no body accelerates by this. t >= 0 is the largest value that keeps all forces nonnegative. Returns
 * the index of the listed gap whose force becomes zero; -1: that of K does; -2: none does, and nothing is
 * changed. */
static int exchange(const hn_system *s, hn_events_basis *b, int k, double sign, double *p)
{
  const double *w = b->c + b->joints;
  double most = sign < 0.0 ? p[s->block[k].row] : HUGE_VAL;
  int out = sign < 0.0 ? -1 : -2;
  for (int i = 0; i < b->ngap; i++) {
    const double falls = sign * w[i], force = p[s->block[b->gap[i]].row];
    if (falls > unweighed && force < falls * most) most = force / falls, out = i;
  }
  /* change the forces */
  if (out == -2) return out;
  p[s->block[k].row] += sign * most;
  for (int i = 0; i < b->ngap; i++) p[s->block[b->gap[i]].row] -= sign * most * w[i];
  p[s->block[out < 0 ? k : b->gap[out]].row] = 0.0;
  return out;
}

/* Leaves out gap K, which depends on the listed gaps, or one of these: the first whose force becomes zero as
 * the force of K is reduced to zero. If K must enter, its force grows instead. Returns the index of the
 * listed gap left out; -1: K. */
static int leave_one(const hn_system *s, hn_events_basis *b, int k, hn_role *role, double *p)
{
  double *w = b->c + b->joints;
  for (int i = b->ngap - 1; i >= 0; i--) { /* back substitution: c = sum w_i row_i */
    const double *row = b->row + (size_t)i * ((size_t)i + 1) / 2;
    w[i] /= row[i];
    for (int j = 0; j < i; j++) w[j] -= w[i] * row[j];
  }
  int out = role[k].enters ? exchange(s, b, k, 1.0, p) : -2;
  if (out == -2) out = exchange(s, b, k, -1.0, p);
  role[out < 0 ? k : b->gap[out]].gap = false;
  return out;
}

/* Lists the gaps of the island that are equations. If a listed gap is left out, those after it are listed
 * anew. */
static void choose_gaps(const hn_system *s, hn_events_basis *b, int first, int end, hn_role *role, double *p,
                        const hn_state *state)
{
  for (int i = first; i < end;) {
    const int k = b->block[i].block;
    if (!pushes(&s->block[k], &role[k]) || !role[k].gap) {
      i++;
    } else if (add_row(s, b, k, 0, state)) {
      memcpy(b->row + (size_t)b->ngap * ((size_t)b->ngap + 1) / 2, b->c + b->joints,
             sizeof *b->c * ((size_t)b->ngap + 1));
      b->gap_at[b->ngap] = i++, b->gap[b->ngap++] = k;
    } else {
      const int out = leave_one(s, b, k, role, p);
      i = out < 0 ? i + 1 : b->gap_at[out] + 1;
      if (out >= 0) b->ngap = out, b->count = b->joints + out;
    }
  }
}

/* ---- Slips --------------------------------------------------------------------------------------------- */

/* Orders contacts whose gap is an equation before others, each by descending margins, then by ascending
 * blocks. */
static int compare_sticks(const void *one, const void *other)
{
  const hn_basis_stick *a = one, *b = other;
  if (a->gap != b->gap) return a->gap ? -1 : 1;
  if (a->margin != b->margin) return a->margin > b->margin ? -1 : 1;
  return (a->block > b->block) - (a->block < b->block);
}

/* Lists the sticking contacts of the island with the margins of their friction under the forces P. */
static void list_sticks(const hn_system *s, hn_events_basis *b, int first, int end, const hn_role *role,
                        const double *p)
{
  b->nstick = 0;
  for (int i = first; i < end; i++) {
    const int k = b->block[i].block;
    const hn_block *block = &s->block[k];
    const hn_set *set = block->joint->set;
    if (set->kind != HN_CONE || role[k].kind != HN_ROW_HELD) continue;
    const double margin = set->mu * p[block->row] - norm_of(p + block->row + 1, block->n - 1);
    b->stick[b->nstick++] = (hn_basis_stick){ .block = k, .margin = margin };
  }
}

/* Selects independent slips as equations, beginning with contacts of large margins: these can carry changes
 * of the forces. */
static void choose_sticks(const hn_system *s, hn_events_basis *b, hn_role *role, const hn_state *state)
{
  for (int i = 0; i < b->nstick; i++) b->stick[i].gap = role[b->stick[i].block].gap;
  qsort(b->stick, (size_t)b->nstick, sizeof *b->stick, compare_sticks);
  for (int i = 0; i < b->nstick; i++)
    for (int k = b->stick[i].block, r = 1; r < s->block[k].n && b->count < b->n; r++)
      if (add_row(s, b, k, r, state)) role[k].stick |= 1u << (r - 1);
}

static void choose_in_island(const hn_system *s, hn_events_basis *b, int first, int end, hn_role *role,
                             double *p, const hn_state *state)
{
  list_sticks(s, b, first, end, role, p);
  for (int i = first; i < end; i++) {
    const int k = b->block[i].block;
    for (int r = 0; is_held(&s->block[k], &role[k]) && r < s->block[k].n; r++) add_row(s, b, k, r, state);
  }
  b->joints = b->count;
  choose_gaps(s, b, first, end, role, p, state);
  choose_sticks(s, b, role, state);
  for (int i = first; i < end; i++) {
    const int k = b->block[i].block;
    const double across[3] = { 0.0, -role[k].along[1], role[k].along[0] };
    if (role[k].creeps && role[k].gap && add_parts(s, b, k, across, state)) role[k].stick = 2;
  }
}

int hn_events_basis_choose(const hn_system *s, hn_events_basis *b, hn_role *role, double *p,
                           const hn_state *state)
{
  for (int k = 0; k < s->nblock; k++) role[k].gap = true, role[k].stick = 0;
  join_bodies(s, b, role);
  qsort(b->block, (size_t)b->nblock, sizeof *b->block, compare_blocks);
  for (int first = 0, end = 0; first < b->nblock; first = end) {
    while (end < b->nblock && b->block[end].island == b->block[first].island) end++;
    if (enter_island(s, b, first, end)) return -1;
    choose_in_island(s, b, first, end, role, p, state);
  }
  return 0;
}
