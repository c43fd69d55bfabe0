/* broad.c - the broad phase: sweep and prune, in columns.
 *
 * Boxes along the world's axes are swept in the order of their lower x. A box that begins is compared with those that
 * have not ended, of the columns of y and z that it crosses; columns are cells of a grid that is wound around a torus,
 * so that it needs no bounds. What crosses many columns is compared with all. The order is kept from call to call:
 * where bodies have moved little it is nearly right, and insertion puts it in order; ties go by number, so it is a
 * function of the poses. [schmitt2005, collision detection; Baraff, PhD thesis, Cornell (1992)] */
#include "collide/broad.h"
#include "collide/bounds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COLUMNS = 16, LEAST_PAIRS = 64, MOVES_EACH = 16 };

typedef struct box {
  double low[3], high[3];
  int64_t column[2], last[2]; /* cells of its lower and upper corner in y and z */
  int collider;
  bool large;
} box;

/* A box in one of its columns. */
typedef struct entry {
  int box, next;
  int64_t column[2];
} entry;

struct hn_pairs {
  const hn_model *model;
  int n;               /* colliders that collide */
  box *box;            /* [n] */
  hn_placed *placed;   /* [ncollider] */
  int *order;          /* [n] boxes by their lower x */
  double cell;         /* m, breadth of a column */
  int side;            /* columns around the torus, a power of two */
  int *head;           /* [side * side] first entry of each column, -1: none */
  entry *entry;        /* [MOST_COLUMNS * n] */
  int nentry;
  int *large, nlarge;  /* [n] boxes that have begun and cross many columns */
  int *small, nsmall;  /* [n] the others that have begun */
  hn_pair *found, *sorted;
  int count, room;
  int *first;          /* [ncollider + 1] */
  hn_pair *joined;     /* [njoined] bodies that a joint connects, ascending */
  int njoined;
};

/* ---- Who may touch whom ------------------------------------------------------------------------------------------ */

static int compare_pairs(const void *a, const void *b)
{
  const hn_pair *p = a, *q = b;
  if (p->a != q->a) return p->a < q->a ? -1 : 1;
  return (p->b > q->b) - (p->b < q->b);
}

static bool are_joined(const hn_pairs *p, int a, int b)
{
  const hn_pair key = { a < b ? a : b, a < b ? b : a };
  return bsearch(&key, p->joined, (size_t)p->njoined, sizeof key, compare_pairs) != NULL;
}

bool hn_pairs_allowed(const hn_pairs *p, int a, int b)
{
  const hn_collider *c = &p->model->collider[a], *d = &p->model->collider[b];
  const hn_body *body = p->model->body;
  if (c->body == d->body) return false;
  if (body[c->body].kind == HN_FIXED && body[d->body].kind == HN_FIXED) return false;
  if (!(c->group & d->mask) || !(d->group & c->mask)) return false;
  return p->njoined == 0 || !are_joined(p, c->body, d->body);
}

static void list_joined(hn_pairs *p)
{
  const hn_model *model = p->model;
  if (model->jointed_collide) return;
  for (int j = 0; j < model->njoint; j++) {
    const int a = model->joint[j].a, b = model->joint[j].b;
    p->joined[p->njoined++] = (hn_pair){ a < b ? a : b, a < b ? b : a };
  }
  qsort(p->joined, (size_t)p->njoined, sizeof *p->joined, compare_pairs);
}

/* ---- Making ------------------------------------------------------------------------------------------------------ */

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
  const size_t all = (size_t)model->ncollider;
  for (int i = 0; i < model->ncollider; i++)
    if (model->collider[i].group) p->box[p->n++].collider = i;
  const size_t n = (size_t)p->n + 1;
  while ((size_t)p->side * (size_t)p->side < 2 * n) p->side *= 2;
  p->order = malloc(sizeof *p->order * n);
  p->head = malloc(sizeof *p->head * (size_t)p->side * (size_t)p->side);
  p->entry = malloc(sizeof *p->entry * MOST_COLUMNS * n);
  p->large = malloc(sizeof *p->large * n), p->small = malloc(sizeof *p->small * n);
  p->first = malloc(sizeof *p->first * (all + 1));
  p->joined = malloc(sizeof *p->joined * ((size_t)model->njoint + 1));
  double *reach = malloc(sizeof *reach * n);
  bool good = p->order && p->head && p->entry && p->large && p->small && p->first && p->joined && reach;
  for (int i = 0; good && i < p->n; i++) p->order[i] = i;
  if (good) p->cell = choose_cell(p, reach), list_joined(p);
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
  free(p->box), free(p->placed), free(p->order), free(p->head), free(p->entry), free(p->large), free(p->small);
  free(p->found), free(p->sorted), free(p->first), free(p->joined);
  free(p);
}

const hn_placed *hn_pairs_placed(const hn_pairs *pairs, int collider)
{
  return &pairs->placed[collider];
}

/* ---- Finding ----------------------------------------------------------------------------------------------------- */

/* What is not finite, or far out, is put into the outermost column: it is compared all the same. */
static int64_t column_of(double x, double cell)
{
  const double far = 1e15, column = floor(x / cell);
  return column < -far ? (int64_t)-far : column > far ? (int64_t)far : column == column ? (int64_t)column : 0;
}

static void place_boxes(hn_pairs *p, const hn_state *state)
{
  for (int i = 0; i < p->n; i++) {
    box *b = &p->box[i];
    const hn_collider *c = &p->model->collider[b->collider];
    hn_placed *placed = &p->placed[b->collider];
    hn_placed_at(placed, &c->shape, &c->place, &state->pose[c->body]);
    hn_placed_bounds(placed, 0.5 * p->model->margin, b->low, b->high);
    for (int k = 0; k < 2; k++) {
      b->column[k] = column_of(b->low[k + 1], p->cell);
      b->last[k] = column_of(b->high[k + 1], p->cell);
    }
    const int64_t across = b->last[0] - b->column[0] + 1, deep = b->last[1] - b->column[1] + 1;
    b->large = across > MOST_COLUMNS || deep > MOST_COLUMNS || across * deep > MOST_COLUMNS || across > p->side ||
               deep > p->side;
  }
}

static int compare_begins(const void *a, const void *b, void *boxes)
{
  const int i = *(const int *)a, j = *(const int *)b;
  const double x = ((const box *)boxes)[i].low[0], y = ((const box *)boxes)[j].low[0];
  return x < y ? -1 : x > y ? 1 : (i > j) - (i < j);
}

/* By insertion while little has moved; else anew, to the same order. */
static void sort_boxes(hn_pairs *p)
{
  long moves = 0;
  for (int i = 1; i < p->n && moves <= (long)MOVES_EACH * p->n; i++) {
    const int moved = p->order[i];
    int j = i;
    for (; j > 0 && compare_begins(&moved, &p->order[j - 1], p->box) < 0; j--, moves++) p->order[j] = p->order[j - 1];
    p->order[j] = moved;
  }
  if (moves > (long)MOVES_EACH * p->n) qsort_r(p->order, (size_t)p->n, sizeof *p->order, compare_begins, p->box);
}

static bool add_pair(hn_pairs *p, const box *b, const box *c)
{
  if (!(b->low[1] <= c->high[1] && c->low[1] <= b->high[1])) return true;
  if (!(b->low[2] <= c->high[2] && c->low[2] <= b->high[2])) return true;
  if (!hn_pairs_allowed(p, b->collider, c->collider)) return true;
  if (p->count == p->room) {
    const int room = p->room > 0 ? 2 * p->room : LEAST_PAIRS;
    hn_pair *found = realloc(p->found, sizeof *found * (size_t)room);
    if (found) p->found = found;
    hn_pair *sorted = found ? realloc(p->sorted, sizeof *sorted * (size_t)room) : NULL;
    if (!sorted) return false;
    p->sorted = sorted, p->room = room;
  }
  const bool ordered = b->collider < c->collider;
  p->found[p->count++] = ordered ? (hn_pair){ b->collider, c->collider } : (hn_pair){ c->collider, b->collider };
  return true;
}

/* Compares B with the boxes of LIST that have not ended, and takes those that have off it. */
static bool meet_list(hn_pairs *p, const box *b, int *list, int *count)
{
  int left = 0;
  bool good = true;
  for (int k = 0; k < *count; k++) {
    const box *c = &p->box[list[k]];
    if (c->high[0] < b->low[0]) continue;
    list[left++] = list[k];
    good = good && add_pair(p, b, c);
  }
  *count = left;
  return good;
}

static int64_t later(int64_t a, int64_t b)
{
  return a > b ? a : b;
}

/* The same in one column, in which B then is. Two boxes meet in the first column that they share. */
static bool meet_column(hn_pairs *p, int number, int64_t y, int64_t z)
{
  const box *b = &p->box[number];
  const uint64_t mask = (uint64_t)p->side - 1;
  int *link = &p->head[((uint64_t)y & mask) * (uint64_t)p->side + ((uint64_t)z & mask)], *head = link;
  bool good = true;
  while (*link >= 0) {
    const entry *e = &p->entry[*link];
    const box *c = &p->box[e->box];
    if (c->high[0] < b->low[0]) {
      *link = e->next;
      continue;
    }
    const bool here = e->column[0] == y && e->column[1] == z;
    const bool first = later(b->column[0], c->column[0]) == y && later(b->column[1], c->column[1]) == z;
    if (here && first) good = good && add_pair(p, b, c);
    link = &p->entry[*link].next;
  }
  p->entry[p->nentry] = (entry){ .box = number, .next = *head, .column = { y, z } };
  *head = p->nentry++;
  return good;
}

static bool meet(hn_pairs *p, int number)
{
  const box *b = &p->box[number];
  bool good = meet_list(p, b, p->large, &p->nlarge);
  if (b->large) {
    good = good && meet_list(p, b, p->small, &p->nsmall);
    p->large[p->nlarge++] = number;
    return good;
  }
  for (int64_t y = b->column[0]; y <= b->last[0]; y++)
    for (int64_t z = b->column[1]; z <= b->last[1]; z++) good = good && meet_column(p, number, y, z);
  p->small[p->nsmall++] = number;
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
  bool good = true;
  place_boxes(p, state);
  sort_boxes(p);
  memset(p->head, -1, sizeof *p->head * (size_t)p->side * (size_t)p->side);
  p->nentry = p->nlarge = p->nsmall = p->count = 0;
  for (int i = 0; good && i < p->n; i++) good = meet(p, p->order[i]);
  *count = good ? p->count : -1;
  if (good) sort_by(p, true, p->found, p->sorted), sort_by(p, false, p->sorted, p->found);
  return p->found;
}
