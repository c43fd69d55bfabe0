/* seams.c - contacts at the seam of two flush faces (see seams.h). */
#include "collide/seams.h"
#include "base/array.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

/* Relative to the reach of both shapes: faces that differ by less are flush, a higher step is felt. It exceeds
 * the rounding of coordinates, and is less than what a scene would call a step. */
static const double flush_tolerance = 1e-9;
/* 1 - cosine of the angle between two normals of one plane, 1e-6 rad. */
static const double same_normal = 5e-13;
/* Relative to the margin: gaps that differ by less are equal. */
static const double gap_tie = 1e-9;

struct hn_seams {
  const hn_model *model;
  const hn_pairs *pairs;
  hn_arrays arrays;
  int *start, *list; /* touches of collider c: list[start[c]] to list[start[c + 1] - 1], ascending */
  const hn_touch *touch;
  int count;
};

hn_seams *hn_seams_create(const hn_model *model, const hn_pairs *pairs, int max_touches)
{
  hn_seams *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  s->model = model, s->pairs = pairs;
  HN_ARRAYS(&s->arrays, sizeof(int) * ((size_t)model->ncollider + 2), &s->start);
  HN_ARRAYS(&s->arrays, sizeof(int) * (2 * (size_t)max_touches + 1), &s->list);
  if (!s->arrays.failed) return s;
  hn_seams_free(s);
  return NULL;
}

void hn_seams_free(hn_seams *s)
{
  if (!s) return;
  hn_arrays_free(&s->arrays);
  free(s);
}

/* Lists the touches of each collider. */
static void list_touches(hn_seams *s)
{
  int *start = s->start + 1; /* counts, then next free places, at last the ends */
  memset(s->start, 0, sizeof *s->start * ((size_t)s->model->ncollider + 2));
  for (int i = 0; i < s->count; i++) start[s->touch[i].pair.a + 1]++, start[s->touch[i].pair.b + 1]++;
  for (int c = 1; c <= s->model->ncollider; c++) start[c] += start[c - 1];
  for (int i = 0; i < s->count; i++) {
    s->list[start[s->touch[i].pair.a]++] = i;
    s->list[start[s->touch[i].pair.b]++] = i;
  }
}

static int degree(const hn_seams *s, int collider)
{
  return s->start[collider + 1] - s->start[collider];
}

static int other_of(const hn_touch *touch, int collider)
{
  return touch->pair.a == collider ? touch->pair.b : touch->pair.a;
}

/* Returns the touch of two colliders, or -1. */
static int find_touch(const hn_seams *s, int c, int d)
{
  const int a = c < d ? c : d, b = c < d ? d : c;
  int low = 0, high = s->count;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    const hn_pair *pair = &s->touch[middle].pair;
    if (pair->a < a || (pair->a == a && pair->b < b)) low = middle + 1;
    else high = middle;
  }
  return low < s->count && s->touch[low].pair.a == a && s->touch[low].pair.b == b ? low : -1;
}

static bool is_fixed(const hn_seams *s, int collider)
{
  return s->model->body[s->model->collider[collider].body].kind == HN_FIXED;
}

/* True if the two colliders never move against each other. */
static bool are_rigid(const hn_seams *s, int a, int b)
{
  return s->model->collider[a].body == s->model->collider[b].body || (is_fixed(s, a) && is_fixed(s, b));
}

/* Returns the distance (m) within which faces of two shapes are flush. */
static double tolerance_of(const hn_seams *s, int a, int b)
{
  const double p = s->model->collider[a].reach, q = s->model->collider[b].reach;
  return flush_tolerance * ((isfinite(p) ? p : 0.0) + (isfinite(q) ? q : 0.0));
}

/* Computes the normal of a touch, directed to COLLIDER. */
static void normal_to(const hn_touch *touch, int collider, double n[3])
{
  vec_scale(n, touch->pair.b == collider ? 1.0 : -1.0, touch->normal);
}

/* True if U separates the other shape of T from COLLIDER, which both touch: that shape is behind the plane of
 * U, and flush with it unless it never moves against the other shape of U. */
static bool separates(const hn_seams *s, const hn_touch *u, const hn_touch *t, int collider)
{
  const int carrier = other_of(u, collider), shape = other_of(t, collider);
  double n[3], m[3];
  normal_to(u, collider, n), normal_to(t, collider, m);
  if (vec_dot(n, m) >= 1.0 - same_normal || !(t->gap >= u->gap - gap_tie * s->model->margin)) return false;
  const double height = hn_placed_support(hn_pairs_placed(s->pairs, shape), n) -
                        hn_placed_support(hn_pairs_placed(s->pairs, carrier), n);
  const double tolerance = tolerance_of(s, carrier, shape);
  return height <= tolerance && (height >= -tolerance || are_rigid(s, carrier, shape));
}

/* Takes U instead of T if it separates better than the one found so far. Two touches that separate each
 * other are those of a ridge: both stay. */
static void try_carrier(const hn_seams *s, int u, hn_touch *t, int collider)
{
  const hn_touch *carrier = &s->touch[u];
  if (carrier == t || !separates(s, carrier, t, collider) || separates(s, t, carrier, collider)) return;
  if (t->instead < 0 || carrier->gap < s->touch[t->instead].gap) t->instead = u;
}

/* Tries the touches of COLLIDER with the neighbours of SHAPE, which it touches in T: shapes of its body, other
 * fixed shapes if it is fixed, and shapes that it touches itself. */
static void try_neighbours(const hn_seams *s, hn_touch *t, int collider, int shape)
{
  const bool fixed = is_fixed(s, shape);
  const int through = fixed || degree(s, collider) <= degree(s, shape) ? collider : shape;
  for (int i = s->start[through]; i < s->start[through + 1]; i++) {
    const int other = other_of(&s->touch[s->list[i]], through);
    if (other == shape || other == collider) continue;
    if (through == collider && !are_rigid(s, shape, other) && find_touch(s, shape, other) < 0) continue;
    const int u = through == collider ? s->list[i] : find_touch(s, collider, other);
    if (u >= 0) try_carrier(s, u, t, collider);
  }
  if (through == collider) return;
  const hn_collider *all = s->model->collider;
  for (int step = -1; step <= 1; step += 2)
    for (int c = shape + step; c >= 0 && c < s->model->ncollider && all[c].body == all[shape].body;
         c += step) {
      const int u = find_touch(s, collider, c);
      if (u >= 0) try_carrier(s, u, t, collider);
    }
}

void hn_seams_find(hn_seams *s, hn_touch *touch, int count)
{
  s->touch = touch, s->count = count;
  list_touches(s);
  for (int i = 0; i < count; i++) {
    hn_touch *t = &touch[i];
    t->instead = -1;
    for (int side = 0; side < 2; side++) {
      const int collider = side ? t->pair.a : t->pair.b, shape = other_of(t, collider);
      if (degree(s, collider) > 1 && s->model->collider[shape].shape.kind != HN_PLANE)
        try_neighbours(s, t, collider, shape);
    }
  }
}
