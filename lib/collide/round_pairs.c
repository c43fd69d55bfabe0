/* round_pairs.c - spheres, circles and capsules with one another: centres and segments with a radius. A
 * sphere and the nearest point of a box, or the nearest face if the centre is inside. */
#include "base/vec.h"
#include "collide/pairs.h"
#include "collide/polytope.h"

/* Sine squared of the angle between two lines below which they have no common normal. */
static const double min_sine_squared = 1e-14;
/* Cosine squared of the angle between two segments above which they count as side by side. */
static const double side_by_side_cosine_squared = 0.99;

/* Returns the length of SPAN and its unit vector N; if the length is 0, N is the first axis of R. */
static double normalize(const double span[3], const double R[9], double n[3])
{
  double length = vec_norm(span);
  if (length > 0) vec_scale(n, 1 / length, span);
  else vec_set(n, R[0], R[3], R[6]);
  return length;
}

void hn_collide_spheres(const hn_placed_shape *a, const hn_placed_shape *b, double margin, hn_manifold *out)
{
  double span[3], n[3], r = a->shape->size[0], s = b->shape->size[0];
  const double centre[3] = { 0, 0, 0 };
  vec_sub(span, b->x, a->x);
  if (!(normalize(span, a->R, n) - r - s < margin)) return;
  hn_manifold_add_free(out, a->x, centre, span, n, r, s, hn_feature(HN_VERTEX_VERTEX, 0, 0));
}

/* Two segments relative to the place of the first shape: ends, directions times lengths, and squared
 * lengths. */
typedef struct segments {
  const hn_placed_shape *a, *b;
  double end[2][2][3], d[2][3], square[2], skin[2], margin;
  hn_manifold *out;
} segments;

static void set_segment(segments *s, int which, const hn_placed_shape *placed)
{
  double at[3], length = placed->shape->kind == HN_CAPSULE ? placed->shape->size[1] : 0.0;
  vec_sub(at, placed->x, s->a->x);
  s->skin[which] = placed->shape->size[0];
  for (int c = 0; c < 3; c++) {
    s->d[which][c] = length * placed->R[3 * c + 1];
    s->end[which][0][c] = at[c] - 0.5 * s->d[which][c], s->end[which][1][c] = at[c] + 0.5 * s->d[which][c];
  }
  s->square[which] = length * length;
}

/* A candidate: fractions along the segments, distance, normal, and features. */
typedef struct near_pair {
  double fraction[2], distance, normal[3];
  hn_touch_kind kind;
  int i, j;
} near_pair;

static void points_of(const segments *s, const double fraction[2], double x[3], double y[3])
{
  for (int which = 0; which < 2; which++) {
    double *p = which ? y : x, f = fraction[which];
    bool from_end = f > 0.5; /* computed from the nearer end, so that ends are exact */
    vec_along(p, s->end[which][from_end], from_end ? f - 1 : f, s->d[which]);
  }
}

static void set_distance(const segments *s, near_pair *pair)
{
  double x[3], y[3];
  points_of(s, pair->fraction, x, y);
  vec_sub(y, y, x);
  pair->distance = normalize(y, s->a->R, pair->normal);
}

/* Pairs end I of segment WHICH with the nearest point of the other segment, clamped to its ends. True if that
 * point was within the length. */
static bool beside_end(const segments *s, int which, int i, near_pair *pair)
{
  int other = !which;
  double to[3], f = 0;
  vec_sub(to, s->end[which][i], s->end[other][0]);
  if (s->square[other] > 0) f = vec_dot(to, s->d[other]) / s->square[other];
  bool within = f >= -hn_side_tolerance && f <= 1 + hn_side_tolerance;
  f = f < hn_side_tolerance ? 0 : f > 1 - hn_side_tolerance ? 1 : f;
  pair->fraction[which] = i, pair->fraction[other] = f;
  bool inside = f > 0 && f < 1;
  int number = inside ? 0 : f == 1;
  pair->kind = !inside ? HN_VERTEX_VERTEX : which ? HN_EDGE_VERTEX : HN_VERTEX_EDGE;
  pair->i = which ? number : i, pair->j = which ? i : number;
  set_distance(s, pair);
  return within;
}

/* Finds the common normal of the two lines; false if it meets one beyond an end, or the lines are
 * parallel. */
static bool cross_lines(const segments *s, near_pair *pair)
{
  double n[3], span[3];
  vec_cross(n, s->d[0], s->d[1]);
  vec_sub(span, s->end[1][0], s->end[0][0]);
  double square = vec_dot(n, n), dg = vec_dot(s->d[0], s->d[1]);
  if (!(square > min_sine_squared * s->square[0] * s->square[1])) return false;
  double ds = vec_dot(s->d[0], span), gs = vec_dot(s->d[1], span);
  pair->fraction[0] = (ds * s->square[1] - gs * dg) / square;
  pair->fraction[1] = (ds * dg - gs * s->square[0]) / square;
  pair->kind = HN_EDGE_EDGE, pair->i = pair->j = 0;
  for (int k = 0; k < 2; k++)
    if (!(pair->fraction[k] > hn_side_tolerance && pair->fraction[k] < 1 - hn_side_tolerance)) return false;
  set_distance(s, pair);
  /* accurate also for a small distance */
  vec_scale(pair->normal, (vec_dot(n, pair->normal) < 0 ? -1 : 1) / sqrt(square), n);
  return true;
}

static void add_point(const segments *s, const near_pair *pair)
{
  double x[3], y[3];
  uint64_t feature = hn_feature(pair->kind, pair->i, pair->j);
  if (!(pair->distance - s->skin[0] - s->skin[1] < s->margin)) return;
  for (int k = 0; k < s->out->count; k++)
    if (s->out->point[k].feature == feature) return;
  points_of(s, pair->fraction, x, y);
  hn_manifold_add_free(s->out, s->a->x, x, y, pair->normal, s->skin[0], s->skin[1], feature);
}

/* Adds the nearest points; if the segments run side by side, first the points where their overlap begins and
 * ends. */
void hn_collide_capsules(const hn_placed_shape *a, const hn_placed_shape *b, double margin, hn_manifold *out)
{
  segments s = { .a = a, .b = b, .margin = margin, .out = out };
  near_pair best, pair;
  bool within[4];
  set_segment(&s, 0, a);
  set_segment(&s, 1, b);
  bool crossed = cross_lines(&s, &best);
  if (!crossed) best.distance = HUGE_VAL;
  for (int k = 0; k < 4; k++) {
    within[k] = beside_end(&s, k / 2, k % 2, &pair);
    if (!crossed && pair.distance < best.distance) best = pair;
  }
  double radii = s.skin[0] + s.skin[1];
  if (!(best.distance - radii < margin)) return;
  double dg = vec_dot(s.d[0], s.d[1]);
  bool side_by_side = dg * dg > side_by_side_cosine_squared * s.square[0] * s.square[1] && dg != 0;
  double least_distance = HUGE_VAL;
  for (int k = 0; side_by_side && k < 4; k++)
    if (within[k]) {
      beside_end(&s, k / 2, k % 2, &pair);
      add_point(&s, &pair);
      least_distance = fmin(least_distance, pair.distance);
    }
  if (least_distance > best.distance + hn_tie_tolerance * radii) add_point(&s, &best);
}

/* ---- Sphere and box ------------------------------------------------------------------------------------ */

/* Returns the box face (axis) nearest to C inside the box; Y is its foot. */
static int nearest_face(const double half[3], const double c[3], double y[3])
{
  int k = 0;
  for (int i = 1; i < 3; i++)
    if (half[i] - fabs(c[i]) < half[k] - fabs(c[k])) k = i;
  vec_copy(y, c);
  y[k] = c[k] < 0 ? -half[k] : half[k];
  return k;
}

/* Computes the nearest point Y of the box to C. Returns the number of coordinates of C outside; the last one
 * in K. */
static int nearest_point(const double half[3], const double c[3], double y[3], int *k)
{
  int outside = 0;
  for (int i = 0; i < 3; i++) {
    y[i] = c[i] > half[i] ? half[i] : c[i] < -half[i] ? -half[i] : c[i];
    if (y[i] != c[i]) outside++, *k = i;
  }
  return outside;
}

/* Returns the feature of the box at Y: a corner, or an edge along the axis whose coordinate is inside. */
static uint64_t feature_at(const double half[3], const double y[3], int outside)
{
  int corner = 0, along = 0;
  for (int i = 0; i < 3; i++) {
    if (y[i] == half[i]) corner |= 1 << i;
    else if (y[i] != -half[i]) along = i;
  }
  if (outside == 3) return hn_feature(HN_VERTEX_VERTEX, 0, corner);
  int low = corner >> (along + 1) % 3 & 1, high = corner >> (along + 2) % 3 & 1;
  return hn_feature(HN_VERTEX_EDGE, 0, 4 * along + low + 2 * high);
}

void hn_collide_sphere_box(const hn_placed_shape *a, const hn_placed_shape *b, double margin,
                           hn_manifold *out)
{
  double offset[3], c[3], y[3], half[3], n[3], x[3], r = a->shape->size[0];
  const double centre[3] = { 0, 0, 0 };
  int k = 0;
  vec_scale(half, 0.5, b->shape->size);
  vec_sub(offset, a->x, b->x);
  mat_tvec(c, b->R, offset);
  int outside = nearest_point(half, c, y, &k);
  if (outside == 0) k = nearest_face(half, c, y);
  bool face = outside < 2;
  uint64_t feature = face ? hn_feature(HN_VERTEX_FACE, 0, 2 * k + (c[k] >= 0)) : feature_at(half, y, outside);
  vec_sub(y, y, c); /* relative to the centre of the sphere */
  double distance = face ? fabs(y[k]) : vec_norm(y);
  if (!((outside ? distance : -distance) - r < margin)) return;
  if (face) vec_set(n, 0, 0, 0), n[k] = c[k] >= 0 ? -1 : 1;
  else vec_scale(n, 1 / distance, y);
  mat_vec(x, b->R, y);
  mat_vec(offset, b->R, n);
  if (face) hn_manifold_add(out, a->x, centre, x, offset, r, 0, true, feature);
  else hn_manifold_add_free(out, a->x, centre, x, offset, r, 0, feature);
}
