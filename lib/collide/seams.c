/* seams.c - contacts at the seam of two flush faces (see seams.h). */
#include "collide/seams.h"
#include "base/array.h"
#include "base/vec.h"
#include "collide/polytope.h"

#include <stdlib.h>
#include <string.h>

/* Relative to the reach of both shapes: faces that differ by less are flush, a higher step is felt. It
 * exceeds the rounding of coordinates, and is less than what a scene would call a step. */
static const double flush_tolerance = 1e-9;
/* Relative to the margin, for shapes that can move against each other: solvers leave them apart by more than
 * rounding. */
static const double loose_tolerance = 1e-2;
/* 1 - cosine of the angle between two normals of one plane, 1e-6 rad. */
static const double same_normal = 5e-13;
/* Relative to the margin: gaps that differ by less are equal. */
static const double gap_tie = 1e-9;

/* Points around a corner, at this fraction of the reach of its shape; axes of a shape whose cosines with a
 * normal differ by less are equally normal to it. */
enum { SPOKES = 8 };
static const double spoke_length = 1e-5, axis_tie = 1e-6;

/* A touch of a collider with another one. */
typedef struct adjacent {
  int touch, other;
} adjacent;

struct hn_seams {
  const hn_model *model;
  const hn_pairs *pairs;
  hn_arrays arrays;
  int *start;
  adjacent *list; /* of collider c: list[start[c]] to list[start[c + 1] - 1], both numbers ascending */
  hn_touch *touch;
  int count;
  hn_contact_point *point; /* of the touches */
  double spoke[SPOKES][3]; /* m, world axes: points around a corner */
  bool covered[SPOKES];    /* by a flush shape */
};

hn_seams *hn_seams_create(const hn_model *model, const hn_pairs *pairs, int max_touches)
{
  hn_seams *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  s->model = model, s->pairs = pairs;
  HN_ARRAYS(&s->arrays, sizeof(int) * ((size_t)model->ncollider + 2), &s->start);
  HN_ARRAYS(&s->arrays, sizeof *s->list * (2 * (size_t)max_touches + 1), &s->list);
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
    const hn_pair pair = s->touch[i].pair;
    s->list[start[pair.a]++] = (adjacent){ i, pair.b };
    s->list[start[pair.b]++] = (adjacent){ i, pair.a };
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
  const bool few = degree(s, c) < degree(s, d);
  const int through = few ? c : d, other = few ? d : c, end = s->start[through + 1];
  int low = s->start[through], high = end;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (s->list[middle].other < other) low = middle + 1;
    else high = middle;
  }
  return low < end && s->list[low].other == other ? s->list[low].touch : -1;
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
  const double rounding = flush_tolerance * ((isfinite(p) ? p : 0.0) + (isfinite(q) ? q : 0.0));
  return are_rigid(s, a, b) ? rounding : fmax(rounding, loose_tolerance * s->model->margin);
}

/* Computes the normal of a touch, directed to COLLIDER. */
static void normal_to(const hn_touch *touch, int collider, double n[3])
{
  vec_scale(n, touch->pair.b == collider ? 1.0 : -1.0, touch->normal);
}

/* True if U separates the other shape of T from COLLIDER, which both touch: that shape is behind the plane
 * of U, and flush with it. A lower one must not move against the other shape of U and have a face along the
 * plane, whose points are then listed: a round one may be reached within the step. */
static bool separates(const hn_seams *s, const hn_touch *u, const hn_touch *t, int collider)
{
  const int carrier = other_of(u, collider), shape = other_of(t, collider);
  double n[3], m[3];
  normal_to(u, collider, n), normal_to(t, collider, m);
  if (vec_dot(n, m) >= 1.0 - same_normal || !(t->gap >= u->gap - gap_tie * s->model->margin)) return false;
  const double height = hn_placed_support(hn_pairs_placed(s->pairs, shape), n) -
                        hn_placed_support(hn_pairs_placed(s->pairs, carrier), n);
  const double tolerance = tolerance_of(s, carrier, shape);
  if (height < -tolerance &&
      !(are_rigid(s, carrier, shape) && hn_placed_has_face(hn_pairs_placed(s->pairs, shape), n)))
    return false;
  return height <= tolerance;
}

/* Takes U instead of T if it separates better than the one found so far. Two touches that separate each
 * other are those of a ridge: both stay. */
static void try_carrier(hn_seams *s, int u, int t, int collider)
{
  hn_touch *touch = &s->touch[t];
  const hn_touch *carrier = &s->touch[u];
  if (!separates(s, carrier, touch, collider) || separates(s, touch, carrier, collider)) return;
  if (touch->instead >= 0 && carrier->gap >= s->touch[touch->instead].gap) return;
  const int shape = other_of(touch, collider), carrying = other_of(carrier, collider);
  touch->instead = u, touch->rigid = are_rigid(s, shape, carrying);
  touch->beside = !touch->rigid && touch->gap > -tolerance_of(s, shape, carrying);
}

/* True if one of the shapes of TOUCH is a height field: its contacts have many normals, and none at
 * flat edges. */
static bool has_field(const hn_seams *s, const hn_touch *touch)
{
  return hn_pairs_has_field(s->pairs, touch->pair);
}

typedef void visit_neighbour(hn_seams *s, int u, int t, int collider);

static void visit(hn_seams *s, visit_neighbour *function, int u, int t, int collider)
{
  if (u >= 0 && u != t && !has_field(s, &s->touch[u])) function(s, u, t, collider);
}

/* Visits the touches of COLLIDER with the neighbours of SHAPE, which it touches in T: shapes of its body,
 * other fixed shapes if it is fixed, and shapes that it touches itself. */
static void visit_neighbours(hn_seams *s, visit_neighbour *function, int t, int collider, int shape)
{
  const bool fixed = is_fixed(s, shape);
  const int through = fixed || degree(s, collider) <= degree(s, shape) ? collider : shape;
  for (int i = s->start[through]; i < s->start[through + 1]; i++) {
    const int other = s->list[i].other;
    if (other == shape || other == collider) continue;
    if (through == collider && !are_rigid(s, shape, other) && find_touch(s, shape, other) < 0) continue;
    visit(s, function, through == collider ? s->list[i].touch : find_touch(s, collider, other), t, collider);
  }
  if (through == collider) return;
  const hn_collider *all = s->model->collider;
  for (int step = -1; step <= 1; step += 2)
    for (int c = shape + step; c >= 0 && c < s->model->ncollider && all[c].body == all[shape].body; c += step)
      visit(s, function, find_touch(s, collider, c), t, collider);
}

/* True if SHAPE, which COLLIDER touches, can have neighbours that COLLIDER touches as well. */
static bool has_neighbours(const hn_seams *s, int collider, int shape)
{
  return degree(s, collider) > 1 && s->model->collider[shape].shape.kind != HN_PLANE;
}

/* True if SHAPE may have rigid neighbours that COLLIDER touches as well. */
static bool has_rigid_neighbours(const hn_seams *s, int collider, int shape)
{
  const hn_collider *of = &s->model->collider[shape];
  const bool compound = (shape > 0 && of[-1].body == of->body) ||
                        (shape + 1 < s->model->ncollider && of[1].body == of->body);
  return (compound || is_fixed(s, shape)) && has_neighbours(s, collider, shape);
}

typedef bool may_have_neighbours(const hn_seams *s, int collider, int shape);

/* Visits the neighbours of both shapes of T. */
static void visit_both(hn_seams *s, may_have_neighbours *any, visit_neighbour *function, int t)
{
  const hn_pair pair = s->touch[t].pair;
  if (has_field(s, &s->touch[t])) return;
  for (int side = 0; side < 2; side++) {
    const int collider = side ? pair.a : pair.b, shape = side ? pair.b : pair.a;
    if (any(s, collider, shape)) visit_neighbours(s, function, t, collider, shape);
  }
}

void hn_seams_find(hn_seams *s, hn_touch *touch, int count)
{
  s->touch = touch, s->count = count;
  list_touches(s);
  for (int i = 0; i < count; i++) touch[i].instead = -1;
  for (int i = 0; i < count; i++) visit_both(s, has_neighbours, try_carrier, i);
}

/* ---- Points on a seam ---------------------------------------------------------------------------------- */

/* Computes the friction axis of COLLIDER in world axes. */
static void place_axis(const hn_seams *s, int collider, double axis[3])
{
  const hn_collider *c = &s->model->collider[collider];
  double own[3];
  quat_unrotate(own, c->place.q, hn_collider_axis(s->model, c));
  mat_vec(axis, hn_pairs_placed(s->pairs, collider)->R, own);
}

/* True if friction of COLLIDER with SHAPE and with NEIGHBOUR is equal in every direction, for equal frictions
 * along their axes. */
static bool same_ellipse(const hn_seams *s, int collider, int shape, int neighbour)
{
  const hn_model *model = s->model;
  double one[2], other[2], e[3], f[3];
  if (!(model->needs & HN_CAN_ANISOTROPIC)) return true;
  hn_model_friction_ratios(model, collider, shape, one),
    hn_model_friction_ratios(model, collider, neighbour, other);
  if (one[0] != other[0] || one[1] != other[1]) return false;
  place_axis(s, shape, e), place_axis(s, neighbour, f);
  if (vec_is_zero(e) || vec_is_zero(f)) return vec_is_zero(e) && vec_is_zero(f);
  return fabs(vec_dot(e, f)) >= 1.0 - same_normal;
}

/* True if U and T have one normal and one surface, and touch COLLIDER with flush faces of one rigid body. */
static bool continues(const hn_seams *s, const hn_touch *u, const hn_touch *t, int collider)
{
  const int shape = other_of(t, collider), neighbour = other_of(u, collider);
  double n[3], m[3];
  if (!are_rigid(s, shape, neighbour)) return false;
  normal_to(u, collider, n), normal_to(t, collider, m);
  if (!(vec_dot(n, m) >= 1.0 - same_normal)) return false;
  const hn_surface p = hn_model_surface(s->model, collider, shape),
                   q = hn_model_surface(s->model, collider, neighbour);
  return p.friction == q.friction && p.static_friction == q.static_friction &&
         p.restitution == q.restitution && p.rolling_friction == q.rolling_friction &&
         p.torsional_friction == q.torsional_friction && same_ellipse(s, collider, shape, neighbour) &&
         fabs(hn_placed_support(hn_pairs_placed(s->pairs, shape), n) -
              hn_placed_support(hn_pairs_placed(s->pairs, neighbour), n)) <=
           tolerance_of(s, shape, neighbour);
}

/* True if POINT of T is a corner of SHAPE. */
static bool is_corner(const hn_seams *s, const hn_touch *t, const hn_contact_point *point, int shape)
{
  bool swapped;
  hn_collide_find(s->model->collider[t->pair.a].shape.kind, s->model->collider[t->pair.b].shape.kind,
                  &swapped);
  return hn_feature_kind(point->feature) ==
         ((t->pair.a == shape) != swapped ? HN_VERTEX_FACE : HN_FACE_VERTEX);
}

/* Returns the place of POINT of T on SHAPE. */
static const double *point_of(const hn_touch *t, const hn_contact_point *point, int shape)
{
  return t->pair.a == shape ? point->a : point->b;
}

/* Removes the points of T that are inside the neighbour of U: those on edges, and corners of the other shape
 * that a touch with a lower number lists. Notes that U continues the face of T. */
static void remove_inner_points(hn_seams *s, int u, int t, int collider)
{
  hn_touch *touch = &s->touch[t];
  const int shape = other_of(touch, collider), neighbour = other_of(&s->touch[u], collider);
  const hn_placed_shape *placed = hn_pairs_placed(s->pairs, neighbour);
  int kept = 0;
  if (touch->count == 0 || !continues(s, &s->touch[u], touch, collider)) return;
  touch->continued[shape == touch->pair.b] = true;
  hn_contact_point *point = s->point + touch->first;
  for (int i = 0; i < touch->count; i++) {
    const bool edge = hn_feature_kind(point[i].feature) == HN_EDGE_EDGE;
    if (!(edge || (u < t && is_corner(s, touch, &point[i], shape))) ||
        !hn_placed_contains(placed, point_of(touch, &point[i], shape), tolerance_of(s, shape, neighbour)))
      point[kept++] = point[i];
  }
  touch->count = kept;
}

/* ---- Corners inside a common face ---------------------------------------------------------------------- */

/* Computes two unit vectors across unit N: the first also across an axis of SHAPE that is as normal to N as
 * any other. In a planar model, it is in the plane. */
static void cross_normal(const hn_seams *s, int shape, const double n[3], double e[3], double f[3])
{
  const double *R = hn_pairs_placed(s->pairs, shape)->R;
  double least = HUGE_VAL, axis[3] = { 0 };
  for (int k = 2; k >= 0; k--) {
    const double column[3] = { R[k], R[3 + k], R[6 + k] }, along = fabs(vec_dot(column, n));
    if (along < least - axis_tie) least = along, vec_copy(axis, column);
  }
  vec_cross(e, n, axis);
  vec_scale(e, 1.0 / vec_norm(e), e);
  vec_cross(f, n, e);
}

/* Sets s->spoke around the corner AT of SHAPE in the plane across unit N. Spokes 0 and 4 are opposite to each
 * other. */
static void place_spokes(hn_seams *s, const double at[3], int shape, const double n[3])
{
  static const double part[SPOKES][2] = { { 1, 0 },  { 1, 1 },   { 0, 1 },  { -1, 1 },
                                          { -1, 0 }, { -1, -1 }, { 0, -1 }, { 1, -1 } };
  const double radius = spoke_length * s->model->collider[shape].reach;
  double e[3], f[3];
  cross_normal(s, shape, n, e, f);
  for (int i = 0; i < SPOKES; i++) {
    vec_along(s->spoke[i], at, radius * part[i][0], e);
    vec_along(s->spoke[i], s->spoke[i], radius * part[i][1], f);
    s->covered[i] = hn_placed_contains(hn_pairs_placed(s->pairs, shape), s->spoke[i],
                                       tolerance_of(s, shape, shape));
  }
}

/* Marks the spokes that end in the neighbour of U, which continues the face of T. */
static void cover_spokes(hn_seams *s, int u, int t, int collider)
{
  const int shape = other_of(&s->touch[t], collider), neighbour = other_of(&s->touch[u], collider);
  if (!continues(s, &s->touch[u], &s->touch[t], collider)) return;
  for (int i = 0; i < SPOKES; i++)
    s->covered[i] |= hn_placed_contains(hn_pairs_placed(s->pairs, neighbour), s->spoke[i],
                                        tolerance_of(s, shape, neighbour));
}

/* True if the covered spokes surround the corner: no three neighbours are uncovered. The corner is then
 * inside the convex hull of the area of contact, unless a corner of the other shape, a point of its own,
 * meets it. It bears nothing that other points cannot bear. */
static bool is_surrounded(const hn_seams *s)
{
  int open = 0, most = 0; /* uncovered spokes in succession */
  if (s->model->planar) return s->covered[0] && s->covered[SPOKES / 2];
  for (int i = 0; i < 2 * SPOKES; i++) {
    open = s->covered[i % SPOKES] ? 0 : open + 1;
    if (open > most) most = open;
  }
  return most <= 2;
}

/* True if the faces of SHAPE are polygons. Points of round shapes are no corners. */
static bool has_corners(const hn_seams *s, int shape)
{
  const hn_shape_kind kind = s->model->collider[shape].shape.kind;
  return kind == HN_BOX || kind == HN_CONVEX || kind == HN_POLYGON;
}

/* True if flush shapes may surround a corner of SHAPE, on SIDE of TOUCH. Alone, a box covers three spokes of
 * its corner; the corner of a polygon may be almost flat. */
static bool may_be_surrounded(const hn_seams *s, const hn_touch *touch, int side, int shape)
{
  const bool box = s->model->collider[shape].shape.kind == HN_BOX;
  return has_neighbours(s, other_of(touch, shape), shape) && has_corners(s, shape) &&
         (touch->continued[side] || !box);
}

/* Removes the corners of T that other flush shapes surround. */
static void remove_inner_corners(hn_seams *s, int t)
{
  hn_touch *touch = &s->touch[t];
  hn_contact_point *point = s->point + touch->first;
  int kept = 0;
  for (int i = 0; i < touch->count; i++) {
    bool inside = false;
    for (int side = 0; side < 2 && !inside; side++) {
      const int shape = side ? touch->pair.b : touch->pair.a, collider = other_of(touch, shape);
      if (!may_be_surrounded(s, touch, side, shape) || !is_corner(s, touch, &point[i], shape)) continue;
      place_spokes(s, point_of(touch, &point[i], shape), shape, touch->normal);
      if (touch->continued[side]) visit_neighbours(s, cover_spokes, t, collider, shape);
      inside = is_surrounded(s);
    }
    if (!inside) point[kept++] = point[i];
  }
  touch->count = kept;
}

void hn_seams_remove_inner_points(hn_seams *s, hn_contact_point *point)
{
  s->point = point;
  for (int i = 0; i < s->count; i++) visit_both(s, has_rigid_neighbours, remove_inner_points, i);
  for (int i = 0; i < s->count; i++) remove_inner_corners(s, i);
}
