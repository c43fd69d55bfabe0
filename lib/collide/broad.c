/* broad.c - the broad phase: sweep and prune in the columns of a grid.
 *
 * Each bounding box is listed in the columns of the y-z grid that it crosses. A column lists its boxes in the
 * order of their lower x; a box is compared with its successors until one begins beyond its end. The grid is
 * wound around a torus and so needs no bounds. A pair is reported in the first column that both boxes share.
 * Boxes that cross many columns are compared with all. The order by x is kept between calls: after small
 * motions it is nearly sorted, and insertion sort repairs it. The pairs are sorted, so the order of the boxes
 * does not show in the result.
 *
 * Memory traffic dominates for many boxes: a box is small, and boxes are compared column by column.
 * [schmitt2005, collision detection; Baraff, PhD thesis, Cornell (1992)] */
#include "collide/broad.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  MAX_COLUMNS = 16, /* columns of a box: boxes that cross more are compared with all */
  FIRST_ROOM = 64,  /* pairs in the first allocation */
  MAX_MOVES = 16,   /* moves for each box in the insertion sort: beyond it the radix sort is faster */
  DIGIT = 8         /* bits of a digit of the radix sort */
};

typedef struct box {
  double low[3], high[3];
  int column[2]; /* cells of its lower corner in y and z */
  int collider;
  uint8_t extra[2]; /* further cells that it crosses in y and z */
  bool large;
} box;

struct hn_pairs {
  const hn_model *model;
  int n;                   /* colliders that belong to a group */
  box *box;                /* [n] */
  hn_placed_shape *placed; /* [ncollider] */
  hn_filter filter;
  uint64_t *order;    /* [n] sort keys of the boxes: rounded lower x, then number of the box */
  uint64_t *scratch;  /* [n] */
  double cell;        /* m, width of a column */
  int side;           /* cells around the torus in each direction, a power of two */
  int *column_end;    /* [side * side + 1] end of each column in `entry` */
  int *entry;         /* [MAX_COLUMNS * n] boxes, column by column */
  int *large, nlarge; /* [n] boxes that cross many columns and have begun */
  int *small, nsmall; /* [n] other boxes that have begun */
  hn_pair *found, *sorted;
  int count, room;
  int *start; /* [ncollider + 1] */
  hn_arrays arrays;
};

/* ---- Making ------------------------------------------------------------------------------------------ */

static int compare_reals(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Returns the width of a column: the median diameter of the finite colliders, plus the margin. */
static double choose_cell(const hn_pairs *p, double *reach)
{
  int count = 0;
  for (int i = 0; i < p->n; i++) {
    double r = p->model->collider[p->box[i].collider].reach;
    if (isfinite(r)) reach[count++] = r;
  }
  qsort(reach, (size_t)count, sizeof *reach, compare_reals);
  return 2.0 * reach[count / 2] + p->model->margin;
}

static int prepare(hn_pairs *p)
{
  const hn_model *model = p->model;
  for (int i = 0; i < model->ncollider; i++)
    if (model->collider[i].group) p->box[p->n++].collider = i;
  const size_t n = (size_t)p->n + 1;
  while ((size_t)p->side * (size_t)p->side < 2 * n) p->side *= 2;
  HN_ARRAYS(&p->arrays, sizeof(uint64_t) * n, &p->order, &p->scratch);
  HN_ARRAYS(&p->arrays, sizeof(int) * ((size_t)p->side * (size_t)p->side + 1), &p->column_end);
  HN_ARRAYS(&p->arrays, sizeof(int[MAX_COLUMNS]) * n, &p->entry);
  HN_ARRAYS(&p->arrays, sizeof(int) * n, &p->large, &p->small);
  HN_ARRAYS(&p->arrays, sizeof(int) * ((size_t)model->ncollider + 1), &p->start);
  double *reach = malloc(sizeof *reach * n);
  const bool ok = reach && hn_filter_setup(&p->filter, model, &p->arrays) == 0;
  for (int i = 0; ok && i < p->n; i++) p->order[i] = (uint64_t)i;
  if (ok) p->cell = choose_cell(p, reach);
  free(reach);
  return ok ? 0 : -1;
}

hn_pairs *hn_pairs_create(const hn_model *model, hn_error *error)
{
  hn_pairs *p = calloc(1, sizeof *p);
  if (p) {
    p->model = model, p->side = 1;
    HN_ARRAYS(&p->arrays, sizeof *p->box * (size_t)model->ncollider, &p->box);
    HN_ARRAYS(&p->arrays, sizeof *p->placed * (size_t)model->ncollider, &p->placed);
  }
  if (p && !p->arrays.failed && prepare(p) == 0) return p;
  hn_pairs_free(p);
  hn_fail(error, "out of memory");
  return NULL;
}

void hn_pairs_free(hn_pairs *p)
{
  if (!p) return;
  hn_arrays_free(&p->arrays);
  free(p->found), free(p->sorted), free(p);
}

bool hn_pairs_allowed(const hn_pairs *p, int a, int b)
{
  return hn_filter_allows(&p->filter, a, b);
}

bool hn_pairs_has_field(const hn_pairs *p, hn_pair pair)
{
  const hn_collider *all = p->model->collider;
  return p->model->field_bits > 0 &&
         (all[pair.a].shape.kind == HN_HEIGHT_FIELD || all[pair.b].shape.kind == HN_HEIGHT_FIELD);
}

const hn_placed_shape *hn_pairs_placed(const hn_pairs *pairs, int collider)
{
  return &pairs->placed[collider];
}

/* ---- Boxes in order ---------------------------------------------------------------------------------- */

/* Returns the cell of coordinate X. Values far out are clamped, values that are not numbers map to cell 0:
 * the boxes are compared exactly later. */
static int column_of(double x, double cell)
{
  const double max_cell = 1e9, column = floor(x / cell);
  return column < -max_cell  ? (int)-max_cell
         : column > max_cell ? (int)max_cell
         : column == column  ? (int)column
                             : 0;
}

static void place_boxes(hn_pairs *p, const hn_state *state)
{
  for (int i = 0; i < p->n; i++) {
    box *b = &p->box[i];
    const hn_collider *c = &p->model->collider[b->collider];
    hn_placed_shape *placed = &p->placed[b->collider];
    hn_placed_shape_at(placed, &c->shape, &c->place, &state->pose[c->body]);
    hn_placed_bounds(placed, 0.5 * p->model->margin, b->low, b->high);
    int64_t columns = 1;
    b->large = false;
    for (int k = 0; k < 2; k++) {
      b->column[k] = column_of(b->low[k + 1], p->cell);
      const int64_t extra = (int64_t)column_of(b->high[k + 1], p->cell) - b->column[k];
      if (extra >= MAX_COLUMNS || extra >= p->side) b->large = true;
      else columns *= extra + 1, b->extra[k] = (uint8_t)extra;
    }
    if (columns > MAX_COLUMNS) b->large = true;
  }
}

/* Returns the sort key of a box. Rounding of the lower bound to float is monotonic and keeps the order. */
static uint64_t key_of(const box *b, uint32_t number)
{
  const float low = (float)b->low[0];
  uint32_t bits;
  memcpy(&bits, &low, sizeof bits);
  bits = bits >> 31 ? ~bits : bits | UINT32_C(1) << 31;
  return (uint64_t)bits << 32 | number;
}

static int box_of(uint64_t key)
{
  return (int)(key & UINT32_MAX);
}

/* One pass of radix sort, stable. */
static void sort_by_digit(const uint64_t *from, uint64_t *to, int n, int shift)
{
  enum { DIGITS = 1 << DIGIT };
  int place[DIGITS + 1] = { 0 }; /* counts, then next free places */
  for (int i = 0; i < n; i++) place[(from[i] >> shift) % DIGITS + 1]++;
  for (int i = 1; i < DIGITS; i++) place[i] += place[i - 1];
  for (int i = 0; i < n; i++) to[place[(from[i] >> shift) % DIGITS]++] = from[i];
}

/* Sorts the keys by insertion; falls back to radix sort if the boxes have moved far. */
static void sort_boxes(hn_pairs *p)
{
  uint64_t *order = p->order;
  long moves = 0;
  for (int i = 0; i < p->n; i++) order[i] = key_of(&p->box[box_of(order[i])], (uint32_t)box_of(order[i]));
  for (int i = 1; i < p->n && moves <= (long)MAX_MOVES * p->n; i++) {
    const uint64_t moved = order[i];
    int j = i;
    for (; j > 0 && order[j - 1] > moved; j--, moves++) order[j] = order[j - 1];
    order[j] = moved;
  }
  if (moves <= (long)MAX_MOVES * p->n) return;
  for (int shift = 32; shift < 64; shift += 2 * DIGIT) {
    sort_by_digit(order, p->scratch, p->n, shift);
    sort_by_digit(p->scratch, order, p->n, shift + DIGIT);
  }
}

/* ---- Boxes in columns -------------------------------------------------------------------------------- */

static int column_number(const hn_pairs *p, int y, int z)
{
  const unsigned mask = (unsigned)p->side - 1;
  return (int)(((unsigned)y & mask) * (unsigned)p->side + ((unsigned)z & mask));
}

/* Lists the columns that box B crosses; returns their number. */
static int columns_of(const hn_pairs *p, const box *b, int column[MAX_COLUMNS])
{
  int count = 0;
  for (int y = 0; y <= b->extra[0] && !b->large; y++)
    for (int z = 0; z <= b->extra[1]; z++)
      column[count++] = column_number(p, b->column[0] + y, b->column[1] + z);
  return count;
}

static void list_columns(hn_pairs *p)
{
  const int columns = p->side * p->side;
  int *column_end = p->column_end,
      column[MAX_COLUMNS]; /* counts of the preceding column, then next free places */
  memset(column_end, 0, sizeof *column_end * ((size_t)columns + 1));
  for (int i = 0; i < p->n; i++)
    for (int k = columns_of(p, &p->box[i], column); k-- > 0;) column_end[column[k] + 1]++;
  for (int i = 1; i < columns; i++) column_end[i] += column_end[i - 1];
  for (int i = 0; i < p->n; i++) {
    const int number = box_of(p->order[i]);
    for (int k = columns_of(p, &p->box[number], column); k-- > 0;) p->entry[column_end[column[k]]++] = number;
  }
}

/* ---- Pairs ------------------------------------------------------------------------------------------- */

/* True if B ends before C begins, in the rounding of the sort keys. */
static bool ends_before(const box *b, const box *c)
{
  return (float)b->high[0] < (float)c->low[0];
}

static bool boxes_overlap(const box *b, const box *c)
{
  for (int k = 0; k < 3; k++)
    if (!(b->low[k] <= c->high[k] && c->low[k] <= b->high[k])) return false;
  return true;
}

static bool add_pair(hn_pairs *p, const box *b, const box *c)
{
  if (!hn_filter_allows(&p->filter, b->collider, c->collider)) return true;
  if (p->count == p->room) {
    const int room = p->room > 0 ? 2 * p->room : FIRST_ROOM;
    hn_pair *found = realloc(p->found, sizeof *found * (size_t)room);
    if (found) p->found = found;
    hn_pair *sorted = found ? realloc(p->sorted, sizeof *sorted * (size_t)room) : NULL;
    if (!sorted) return false;
    p->sorted = sorted, p->room = room;
  }
  const bool ordered = b->collider < c->collider;
  p->found[p->count++] = ordered ? (hn_pair){ b->collider, c->collider }
                                 : (hn_pair){ c->collider, b->collider };
  return true;
}

static int max(int a, int b)
{
  return a > b ? a : b;
}

/* Adds the overlapping pairs of a column: its entries from FIRST to END. */
static bool pair_column(hn_pairs *p, int column, int first, int end)
{
  bool ok = true;
  for (int i = first; i < end; i++) {
    const box *b = &p->box[p->entry[i]];
    for (int k = i + 1; k < end; k++) {
      const box *c = &p->box[p->entry[k]];
      if (ends_before(b, c)) break;
      if (!boxes_overlap(b, c)) continue;
      const int shared = column_number(p, max(b->column[0], c->column[0]), max(b->column[1], c->column[1]));
      if (shared == column) ok = ok && add_pair(p, b, c);
    }
  }
  return ok;
}

/* Adds the overlapping pairs of B with the boxes of LIST; removes from LIST the boxes that end before B. */
static bool pair_with_list(hn_pairs *p, const box *b, int *list, int *count)
{
  int remaining = 0;
  bool ok = true;
  for (int k = 0; k < *count; k++) {
    const box *c = &p->box[list[k]];
    if (ends_before(c, b)) continue;
    list[remaining++] = list[k];
    if (boxes_overlap(b, c)) ok = ok && add_pair(p, b, c);
  }
  *count = remaining;
  return ok;
}

/* Adds the overlapping pairs with boxes that cross many columns. */
static bool pair_large(hn_pairs *p)
{
  bool ok = true;
  p->nlarge = p->nsmall = 0;
  for (int i = 0; ok && i < p->n; i++) {
    const int number = box_of(p->order[i]);
    const box *b = &p->box[number];
    ok = pair_with_list(p, b, p->large, &p->nlarge);
    if (b->large) ok = ok && pair_with_list(p, b, p->small, &p->nsmall), p->large[p->nlarge++] = number;
    else p->small[p->nsmall++] = number;
  }
  return ok;
}

/* Counting sort of pairs by their first or second collider, stable. */
static void sort_by_collider(hn_pairs *p, bool second, const hn_pair *from, hn_pair *to)
{
  int *start = p->start; /* counts, then next free places */
  memset(start, 0, sizeof *start * ((size_t)p->model->ncollider + 1));
  for (int i = 0; i < p->count; i++) start[(second ? from[i].b : from[i].a) + 1]++;
  for (int i = 1; i <= p->model->ncollider; i++) start[i] += start[i - 1];
  for (int i = 0; i < p->count; i++) to[start[second ? from[i].b : from[i].a]++] = from[i];
}

const hn_pair *hn_pairs_find(hn_pairs *p, const hn_state *state, int *count)
{
  p->count = 0;
  place_boxes(p, state);
  sort_boxes(p);
  list_columns(p);
  bool ok = pair_large(p);
  for (int i = 0, start = 0; ok && i < p->side * p->side; start = p->column_end[i++])
    if (p->column_end[i] - start > 1) ok = pair_column(p, i, start, p->column_end[i]);
  *count = ok ? p->count : -1;
  if (ok) sort_by_collider(p, true, p->found, p->sorted), sort_by_collider(p, false, p->sorted, p->found);
  return p->found;
}
