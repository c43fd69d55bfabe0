/* shape_trials.h - random numbers, poses and hulls for tests of collision detection; supports and gaps by
 * definition. */
#ifndef TESTS_SHAPE_TRIALS_H
#define TESTS_SHAPE_TRIALS_H

#include "base/vec.h"
#include "check.h"
#include "collide/collide.h"
#include "collide/hull.h"

static uint64_t shapes_seed = 88172645463325252u;

static inline double uniform(double low, double high)
{
  shapes_seed ^= shapes_seed << 13, shapes_seed ^= shapes_seed >> 7, shapes_seed ^= shapes_seed << 17;
  return low + (high - low) * (double)(shapes_seed >> 11) / 9007199254740992.0;
}

static inline void random_direction(double n[3])
{
  double length;
  do {
    for (int i = 0; i < 3; i++) n[i] = uniform(-1, 1);
    length = vec_norm(n);
  } while (length > 1 || length < 0.1);
  vec_scale(n, 1 / length, n);
}

static inline void random_turn(double q[4])
{
  double square;
  do {
    square = 0;
    for (int i = 0; i < 4; i++) q[i] = uniform(-1, 1), square += q[i] * q[i];
  } while (square > 1 || square < 0.01);
  quat_normalise(q);
}

static inline hn_hull *must_hull(const double *points, int count, bool polygon)
{
  hn_error error = { "" };
  hn_hull *hull = hn_hull_create(points, count, polygon, &error);
  if (!hull) fail_msg("%s", error.text);
  return hull;
}

/* Returns the hull of COUNT points on an ellipsoid with the given half axes. */
static inline hn_hull *random_hull(int count, double x, double y, double z)
{
  double point[3 * 256];
  for (int i = 0; i < count; i++) {
    random_direction(point + 3 * i);
    point[3 * i] *= x, point[3 * i + 1] *= y, point[3 * i + 2] *= z;
  }
  return must_hull(point, count, false);
}

/* Computes corner I of a box with edges L. */
static inline void box_corner(const double l[3], int i, double p[3])
{
  for (int k = 0; k < 3; k++) p[k] = (i >> k & 1 ? 0.5 : -0.5) * l[k];
}

static inline hn_hull *box_hull(const double l[3])
{
  double point[24];
  for (int i = 0; i < 8; i++) box_corner(l, i, point + 3 * i);
  return must_hull(point, 8, false);
}

/* ---- Placed shapes ------------------------------------------------------------------------------------- */

typedef struct trial_shape {
  hn_shape shape;
  hn_placed_shape placed;
} trial_shape;

/* Gives the shape a random orientation, about z only if PLANAR. */
static inline void turn_at_random(hn_placed_shape *placed, bool planar)
{
  double q[4];
  random_turn(q);
  if (planar) q[1] = q[2] = 0, quat_normalise(q);
  quat_matrix(placed->R, q);
  /* without this the columns deviate from unit length by a unit or two in the last place */
  for (int k = 0; k < 3; k++) {
    double *R = placed->R + k, length = sqrt(R[0] * R[0] + R[3] * R[3] + R[6] * R[6]);
    R[0] /= length, R[3] /= length, R[6] /= length;
  }
}

/* Places the shape at random near the origin. */
static inline void put_at_random(trial_shape *t)
{
  bool planar = t->shape.kind == HN_CIRCLE || t->shape.kind == HN_POLYGON;
  for (int i = 0; i < 3; i++) t->placed.x[i] = planar && i == 2 ? 0 : uniform(-1, 1);
  turn_at_random(&t->placed, planar);
  t->placed.shape = &t->shape;
}

/* Makes a random shape of KIND with sizes about 1 near the origin; free with free_shape. */
static inline void random_shape(trial_shape *t, hn_shape_kind kind)
{
  *t = (trial_shape){ .shape = { .kind = kind } };
  for (int i = 0; i < 3; i++) t->shape.size[i] = uniform(0.3, 1.5);
  if (kind == HN_PLANE) random_direction(t->shape.size);
  if (kind == HN_CONVEX)
    t->shape.hull = random_hull(4 + (int)uniform(0, 10), 1, uniform(0.4, 1), uniform(0.4, 1));
  if (kind == HN_POLYGON) {
    double point[3 * 8];
    int n = 3 + (int)uniform(0, 6);
    for (int i = 0; i < n; i++) {
      double angle = 2 * M_PI * (i + uniform(0, 0.8)) / n;
      vec_set(point + 3 * i, cos(angle), 0.7 * sin(angle), 0);
    }
    t->shape.hull = must_hull(point, n, true);
  }
  put_at_random(t);
}

static inline void free_shape(trial_shape *t)
{
  hn_hull_free((hn_hull *)t->shape.hull);
}

/* Returns the support of the shape, relative to its origin, along the unit vector N (world axes). */
static inline double reach(const hn_placed_shape *p, const double n[3])
{
  const double *s = p->shape->size;
  double m[3], most = -HUGE_VAL;
  mat_tvec(m, p->R, n);
  switch (p->shape->kind) {
  case HN_BOX: return 0.5 * (s[0] * fabs(m[0]) + s[1] * fabs(m[1]) + s[2] * fabs(m[2]));
  case HN_CYLINDER: return 0.5 * s[1] * fabs(m[1]) + s[0] * sqrt(m[0] * m[0] + m[2] * m[2]);
  case HN_CAPSULE: return 0.5 * s[1] * fabs(m[1]) + s[0];
  case HN_ELLIPSOID: return norm_of((double[]){ s[0] * m[0], s[1] * m[1], s[2] * m[2] }, 3);
  case HN_PLANE: return vec_dot(m, s) > 1 - 1e-9 ? 0 : HUGE_VAL;
  case HN_CONVEX:
  case HN_POLYGON:
    for (int i = 0; i < p->shape->hull->nvertex; i++)
      most = fmax(most, vec_dot(m, p->shape->hull->vertex + 3 * i));
    return most;
  default: return s[0];
  }
}

/* Returns the separation of two shapes along unit N from the first to the second: a lower bound of the
 * distance. */
static inline double separation(const hn_placed_shape *a, const hn_placed_shape *b, const double n[3])
{
  double span[3], back[3];
  vec_sub(span, b->x, a->x);
  vec_scale(back, -1, n);
  return vec_dot(n, span) - reach(a, n) - reach(b, back);
}

/* Returns a signed height of X (world axes) above the surface, negative inside. It is 0 exactly on the
 * surface but not the distance outside of edges. */
static inline double height_above(const hn_placed_shape *p, const double x[3])
{
  const double *s = p->shape->size;
  double to[3], m[3], most = -HUGE_VAL;
  vec_sub(to, x, p->x);
  mat_tvec(m, p->R, to);
  double across = sqrt(m[0] * m[0] + m[2] * m[2]), along = fabs(m[1]) - 0.5 * s[1];
  switch (p->shape->kind) {
  case HN_BOX: return fmax(fabs(m[0]) - 0.5 * s[0], fmax(fabs(m[1]) - 0.5 * s[1], fabs(m[2]) - 0.5 * s[2]));
  case HN_CYLINDER: return fmax(across - s[0], along);
  case HN_CAPSULE: return along > 0 ? sqrt(across * across + along * along) - s[0] : across - s[0];
  case HN_ELLIPSOID: { /* to first order the distance */
    const double y[3] = { m[0] / s[0], m[1] / s[1], m[2] / s[2] };
    return (vec_dot(y, y) - 1) / (2 * norm_of((double[]){ y[0] / s[0], y[1] / s[1], y[2] / s[2] }, 3));
  }
  case HN_PLANE: return vec_dot(m, s);
  case HN_CONVEX:
  case HN_POLYGON:
    for (int f = 0; f < p->shape->hull->nface; f++)
      most = fmax(most, vec_dot(m, p->shape->hull->normal + 3 * f) - p->shape->hull->offset[f]);
    return most;
  default: return vec_norm(m) - s[0];
  }
}

static inline double gap_of(const hn_contact_point *p)
{
  double span[3];
  vec_sub(span, p->b, p->a);
  return vec_dot(p->normal, span) - p->skin_a - p->skin_b;
}

/* Improves the direction N by random steps across it of decreasing length; returns the separation. */
static inline double improve_direction(const hn_placed_shape *a, const hn_placed_shape *b, double n[3],
                                       bool planar, double first)
{
  double best = separation(a, b, n);
  for (double step = first; step > 1e-9; step *= 0.6)
    for (int k = 0; k < (planar ? 4 : 12); k++) {
      double d[3], next[3];
      random_direction(d);
      if (planar) d[2] = 0;
      vec_copy(next, n);
      vec_add_scaled(next, step, d);
      vec_scale(next, 1 / vec_norm(next), next);
      double value = separation(a, b, next);
      if (value > best) best = value, vec_copy(n, next);
    }
  return best;
}

/* Returns the deviation of the least gap from the separation along its normal; 0 if that is the distance or
 * least depth. Faces that are parallel within 1e-3 have a manifold along the normal of one of them: then no
 * neighbouring direction may be better than the gap. LEVEL counts these cases. */
static inline double extent_error(const trial_shape *a, const trial_shape *b, const hn_contact_point *p,
                                  double *level)
{
  double gap = gap_of(p), off = fabs(gap - separation(&a->placed, &b->placed, p->normal)), n[3];
  if (off <= 2e-13) return off;
  vec_copy(n, p->normal);
  double most = improve_direction(&a->placed, &b->placed, n, b->shape.kind >= HN_CIRCLE, 1e-3);
  *level += 1;
  return most <= gap + 1e-11 + 5e-7 * fabs(gap) && separation(&a->placed, &b->placed, p->normal) <= gap ? 0
                                                                                                        : off;
}

/* Returns the index of the point with the least gap; -1 without points. */
static inline int least_point(const hn_manifold *m)
{
  int least = -1;
  for (int k = 0; k < m->count; k++)
    if (least < 0 || gap_of(&m->point[k]) < gap_of(&m->point[least])) least = k;
  return least;
}

/* Every pair of the collision table. */
static const hn_shape_kind trial_pairs[][2] = {
#define PAIR(first, second, function, given, source) { first, second },
#include "collide/collide.def"
#undef PAIR
};
enum { TRIAL_PAIRS = sizeof trial_pairs / sizeof *trial_pairs };

static inline const char *shape_name(hn_shape_kind kind)
{
  static const char *const names[HN_SHAPE_KINDS] = {
    [HN_BOX] = "box",         [HN_SPHERE] = "sphere",   [HN_CYLINDER] = "cylinder",
    [HN_CAPSULE] = "capsule", [HN_PLANE] = "plane",     [HN_CONVEX] = "convex",
    [HN_CIRCLE] = "circle",   [HN_POLYGON] = "polygon", [HN_ELLIPSOID] = "ellipsoid"
  };
  return names[kind];
}

/* Places B in a random direction from A, at least DISTANCE away along it. */
static inline void place_beside(const hn_placed_shape *a, hn_placed_shape *b, double distance)
{
  double n[3], back[3];
  random_direction(n);
  if (a->shape->kind == HN_CIRCLE || a->shape->kind == HN_POLYGON || b->shape->kind >= HN_CIRCLE) {
    n[2] = 0;
    vec_scale(n, 1 / vec_norm(n), n);
  }
  if (a->shape->kind == HN_PLANE) mat_vec(n, a->R, a->shape->size);
  vec_scale(back, -1, n);
  vec_copy(b->x, a->x);
  vec_add_scaled(b->x, reach(a, n) + reach(b, back) + distance, n);
}

/* ---- Shapes at a given place --------------------------------------------------------------------------- */

static inline trial_shape shape_at(hn_shape_kind kind, double x, double y, double z, double at_x, double at_y,
                                   double at_z)
{
  trial_shape t = { .shape = { .kind = kind, .size = { x, y, z } },
                    .placed = { .x = { at_x, at_y, at_z }, .R = { 1, 0, 0, 0, 1, 0, 0, 0, 1 } } };
  return t;
}

static inline trial_shape convex_at(hn_hull *hull, double x, double y, double z)
{
  trial_shape t = shape_at(HN_CONVEX, 0, 0, 0, x, y, z);
  t.shape.hull = hull;
  return t;
}

static inline void turn_about(trial_shape *t, double x, double y, double z, double angle)
{
  const double half = 0.5 * angle, length = sqrt(x * x + y * y + z * z);
  const double q[4] = { cos(half), sin(half) * x / length, sin(half) * y / length, sin(half) * z / length };
  quat_matrix(t->placed.R, q);
}

static inline void collide(trial_shape *a, trial_shape *b, double margin, hn_manifold *m)
{
  a->placed.shape = &a->shape, b->placed.shape = &b->shape;
  hn_collide_pair(&a->placed, &b->placed, margin, m);
}

/* Returns the largest deviation of a gap from GAP. */
static inline double largest_gap_error(const hn_manifold *m, double gap)
{
  double off = 0;
  for (int k = 0; k < m->count; k++) off = larger(off, fabs(gap_of(&m->point[k]) - gap));
  return off;
}

/* Returns a prism over a regular polygon of SIDES sides. */
static inline hn_hull *must_prism(int sides, double radius, double height)
{
  double point[6 * 32];
  for (int i = 0; i < 2 * sides; i++) {
    double angle = M_PI * (2 * (i / 2) + 1) / sides;
    vec_set(point + 3 * i, radius * cos(angle), i % 2 ? 0.5 * height : -0.5 * height, radius * sin(angle));
  }
  return must_hull(point, 2 * sides, false);
}

#endif
