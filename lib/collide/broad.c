/* broad.c - the broad phase: sweep and prune, in columns.
 *
 * Boxes along the world's axes are listed in the columns of y and z that they cross, each column in the order
 * of their lower x: there a box is compared with those behind it that begin before it ends. Columns are cells
 * of a grid that is wound around a torus, so that it needs no bounds; two boxes meet in the first column that
 * they share. What crosses many columns is compared with all. The order by x is kept from call to call: where
 * bodies have moved little it is nearly right, and insertion puts it in order. Which order boxes have does
 * not show in the pairs, which are sorted.
 *
 * Of many boxes memory is what takes time: all that a comparison looks at is one line of a cache, and boxes
 * are compared column by column, so that those of one are at hand. [schmitt2005, collision detection; Baraff,
 * PhD thesis, Cornell (1992)] */
#include "collide/broad.h"
#include "collide/bounding_box.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COLUMNS = 16, LEAST_PAIRS = 64, MOVES_EACH = 16, DIGIT = 8 /* bits */ };

typedef struct box {
  double low[3], high[3];
  int column[2]; /* cells of its lower corner in y and z */
  int collider;
  uint8_t more[2]; /* columns that it crosses beside that one */
  bool large;
} box;

struct hn_pairs {
  const hn_model *model;
  int n;             /* colliders that collide */
  box *box;          /* [n] */
  hn_placed *placed; /* [ncollider] */
  hn_filter filter;
  uint64_t *order;    /* [n] boxes by their lower x: it, rounded, and their number */
  uint64_t *spare;    /* [n] */
  double cell;        /* m, breadth of a column */
  int side;           /* columns around the torus, a power of two */
  int *end;           /* [side * side + 1] of each column among the entries */
  int *entry;         /* [MOST_COLUMNS * n] boxes, column by column */
  int *large, nlarge; /* [n] boxes that have begun and cross many columns */
  int *small, nsmall; /* [n] the others that have begun */
  hn_pair *found, *sorted;
  int count, room;
  int *first; /* [ncollider + 1] */
};

/* ---- Making -------------------------------------------------------------------------------------------- */

static int compare_reals(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Columns as broad as half of the shapes are. */
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
  p->order = malloc(sizeof *p->order * n), p->spare = malloc(sizeof *p->spare * n);
  p->end = malloc(sizeof *p->end * ((size_t)p->side * (size_t)p->side + 1));
  p->entry = malloc(sizeof *p->entry * MOST_COLUMNS * n);
  p->large = malloc(sizeof *p->large * n), p->small = malloc(sizeof *p->small * n);
  p->first = malloc(sizeof *p->first * ((size_t)model->ncollider + 1));
  double *reach = malloc(sizeof *reach * n);
  const bool lists = p->order && p->spare && p->end && p->entry && p->large && p->small;
  const bool good = lists && p->first && reach && hn_filter_setup(&p->filter, model) == 0;
  for (int i = 0; good && i < p->n; i++) p->order[i] = (uint64_t)i;
  if (good) p->cell = choose_cell(p, reach);
  free(reach);
  return good ? 0 : -1;
}

hn_pairs *hn_pairs_create(const hn_model *model, hn_error *error)
{
  hn_pairs *p = calloc(1, sizeof *p);
  if (p) {
    p->model = model, p->side = 1;
    p->box = calloc((size_t)model->ncollider + 1, sizeof *p->box);
    p->placed = calloc((size_t)model->ncollider + 1, sizeof *p->placed);
  }
  if (p && p->box && p->placed && prepare(p) == 0) return p;
  hn_pairs_free(p);
  hn_fail(error, "out of memory");
  return NULL;
}

void hn_pairs_free(hn_pairs *p)
{
  if (!p) return;
  hn_filter_free(&p->filter);
  free(p->box), free(p->placed), free(p->order), free(p->spare), free(p->end), free(p->entry);
  free(p->large), free(p->small), free(p->found), free(p->sorted), free(p->first);
  free(p);
}

bool hn_pairs_allowed(const hn_pairs *p, int a, int b)
{
  return hn_filter_allows(&p->filter, a, b);
}

const hn_placed *hn_pairs_placed(const hn_pairs *pairs, int collider)
{
  return &pairs->placed[collider];
}

/* ---- Boxes in order ------------------------------------------------------------------------------------ */

/* What is not finite, or far out, is put into the outermost column: it is compared all the same. */
static int column_of(double x, double cell)
{
  const double far = 1e9, column = floor(x / cell);
  return column < -far ? (int)-far : column > far ? (int)far : column == column ? (int)column : 0;
}

static void place_boxes(hn_pairs *p, const hn_state *state)
{
  for (int i = 0; i < p->n; i++) {
    box *b = &p->box[i];
    const hn_collider *c = &p->model->collider[b->collider];
    hn_placed *placed = &p->placed[b->collider];
    hn_placed_at(placed, &c->shape, &c->place, &state->pose[c->body]);
    hn_placed_bounds(placed, 0.5 * p->model->margin, b->low, b->high);
    int64_t columns = 1;
    b->large = false;
    for (int k = 0; k < 2; k++) {
      b->column[k] = column_of(b->low[k + 1], p->cell);
      const int64_t more = (int64_t)column_of(b->high[k + 1], p->cell) - b->column[k];
      if (more >= MOST_COLUMNS || more >= p->side) b->large = true;
      else columns *= more + 1, b->more[k] = (uint8_t)more;
    }
    if (columns > MOST_COLUMNS) b->large = true;
  }
}

/* Rounded keys are as good: what is rounded stays in order. */
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

/* By one digit of their keys; what has the same stays in order. */
static void sort_by_digit(const uint64_t *from, uint64_t *to, int n, int shift)
{
  enum { DIGITS = 1 << DIGIT };
  int place[DIGITS + 1] = { 0 }; /* counts, then next free places */
  for (int i = 0; i < n; i++) place[(from[i] >> shift) % DIGITS + 1]++;
  for (int i = 1; i < DIGITS; i++) place[i] += place[i - 1];
  for (int i = 0; i < n; i++) to[place[(from[i] >> shift) % DIGITS]++] = from[i];
}

/* By insertion while little has moved; else anew, digit by digit. */
static void sort_boxes(hn_pairs *p)
{
  uint64_t *order = p->order;
  long moves = 0;
  for (int i = 0; i < p->n; i++) order[i] = key_of(&p->box[box_of(order[i])], (uint32_t)box_of(order[i]));
  for (int i = 1; i < p->n && moves <= (long)MOVES_EACH * p->n; i++) {
    const uint64_t moved = order[i];
    int j = i;
    for (; j > 0 && order[j - 1] > moved; j--, moves++) order[j] = order[j - 1];
    order[j] = moved;
  }
  if (moves <= (long)MOVES_EACH * p->n) return;
  for (int shift = 32; shift < 64; shift += 2 * DIGIT) {
    sort_by_digit(order, p->spare, p->n, shift);
    sort_by_digit(p->spare, order, p->n, shift + DIGIT);
  }
}

/* ---- Boxes in columns ---------------------------------------------------------------------------------- */

static int number_of(const hn_pairs *p, int y, int z)
{
  const unsigned mask = (unsigned)p->side - 1;
  return (int)(((unsigned)y & mask) * (unsigned)p->side + ((unsigned)z & mask));
}

/* The numbers of the columns that B crosses: how many. */
static int columns_of(const hn_pairs *p, const box *b, int column[MOST_COLUMNS])
{
  int count = 0;
  for (int y = 0; y <= b->more[0] && !b->large; y++)
    for (int z = 0; z <= b->more[1]; z++) column[count++] = number_of(p, b->column[0] + y, b->column[1] + z);
  return count;
}

static void list_columns(hn_pairs *p)
{
  const int columns = p->side * p->side;
  int *end = p->end, column[MOST_COLUMNS]; /* counts of the column before, then next free places */
  memset(end, 0, sizeof *end * ((size_t)columns + 1));
  for (int i = 0; i < p->n; i++)
    for (int k = columns_of(p, &p->box[i], column); k-- > 0;) end[column[k] + 1]++;
  for (int i = 1; i < columns; i++) end[i] += end[i - 1];
  for (int i = 0; i < p->n; i++) {
    const int number = box_of(p->order[i]);
    for (int k = columns_of(p, &p->box[number], column); k-- > 0;) p->entry[end[column[k]]++] = number;
  }
}

/* ---- Pairs --------------------------------------------------------------------------------------------- */

/* Does B end before C, and all behind it, begin? As far as the order knows. */
static bool ends_before(const box *b, const box *c)
{
  return (float)b->high[0] < (float)c->low[0];
}

static bool boxes_meet(const box *b, const box *c)
{
  for (int k = 0; k < 3; k++)
    if (!(b->low[k] <= c->high[k] && c->low[k] <= b->high[k])) return false;
  return true;
}

static bool add_pair(hn_pairs *p, const box *b, const box *c)
{
  if (!hn_filter_allows(&p->filter, b->collider, c->collider)) return true;
  if (p->count == p->room) {
    const int room = p->room > 0 ? 2 * p->room : LEAST_PAIRS;
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

static int later(int a, int b)
{
  return a > b ? a : b;
}

/* Pairs of the entries from FIRST to END, which are a column's. */
static bool meet_column(hn_pairs *p, int column, int first, int end)
{
  bool good = true;
  for (int i = first; i < end; i++) {
    const box *b = &p->box[p->entry[i]];
    for (int k = i + 1; k < end; k++) {
      const box *c = &p->box[p->entry[k]];
      if (ends_before(b, c)) break;
      if (!boxes_meet(b, c)) continue;
      const int here = number_of(p, later(b->column[0], c->column[0]), later(b->column[1], c->column[1]));
      if (here == column) good = good && add_pair(p, b, c);
    }
  }
  return good;
}

/* Compares B with the boxes of LIST that have not ended, and takes those that have off it. */
static bool meet_list(hn_pairs *p, const box *b, int *list, int *count)
{
  int left = 0;
  bool good = true;
  for (int k = 0; k < *count; k++) {
    const box *c = &p->box[list[k]];
    if (ends_before(c, b)) continue;
    list[left++] = list[k];
    if (boxes_meet(b, c)) good = good && add_pair(p, b, c);
  }
  *count = left;
  return good;
}

/* Pairs with what crosses many columns. */
static bool meet_large(hn_pairs *p)
{
  bool good = true;
  p->nlarge = p->nsmall = 0;
  for (int i = 0; good && i < p->n; i++) {
    const int number = box_of(p->order[i]);
    const box *b = &p->box[number];
    good = meet_list(p, b, p->large, &p->nlarge);
    if (b->large) good = good && meet_list(p, b, p->small, &p->nsmall), p->large[p->nlarge++] = number;
    else p->small[p->nsmall++] = number;
  }
  return good;
}

/* FROM by one of their colliders into TO, counted; what has the same stays in order. */
static void sort_by(hn_pairs *p, bool second, const hn_pair *from, hn_pair *to)
{
  int *first = p->first; /* counts, then next free places */
  memset(first, 0, sizeof *first * ((size_t)p->model->ncollider + 1));
  for (int i = 0; i < p->count; i++) first[(second ? from[i].b : from[i].a) + 1]++;
  for (int i = 1; i <= p->model->ncollider; i++) first[i] += first[i - 1];
  for (int i = 0; i < p->count; i++) to[first[second ? from[i].b : from[i].a]++] = from[i];
}

const hn_pair *hn_pairs_find(hn_pairs *p, const hn_state *state, int *count)
{
  p->count = 0;
  place_boxes(p, state);
  sort_boxes(p);
  list_columns(p);
  bool good = meet_large(p);
  for (int i = 0, first = 0; good && i < p->side * p->side; first = p->end[i++])
    if (p->end[i] - first > 1) good = meet_column(p, i, first, p->end[i]);
  *count = good ? p->count : -1;
  if (good) sort_by(p, true, p->found, p->sorted), sort_by(p, false, p->sorted, p->found);
  return p->found;
}
