/* round_pairs.c - spheres, circles and capsules with one another: centres and segments with a radius. */
#include "base/vec.h"
#include "collide/pairs.h"
#include "collide/polytope.h"

/* The unit vector along SPAN, of which the length is returned; where it is 0, the first axis of R. */
static double direction(const double span[3], const double R[9], double n[3])
{
  double length = vec_norm(span);
  if (length > 0) vec_scale(n, 1 / length, span);
  else vec_set(n, R[0], R[3], R[6]);
  return length;
}

void hn_collide_spheres(const hn_placed *a, const hn_placed *b, double margin, hn_manifold *out)
{
  double span[3], n[3], r = a->shape->size[0], s = b->shape->size[0];
  const double centre[3] = { 0, 0, 0 };
  vec_sub(span, b->x, a->x);
  if (!(direction(span, a->R, n) - r - s < margin)) return;
  hn_manifold_add(out, a->x, centre, span, n, r, s, false, hn_feature(HN_VERTEX_VERTEX, 0, 0));
}

/* Two segments, from the place of the first shape: ends, half their directions, and the squares of their lengths. */
typedef struct segments {
  const hn_placed *a, *b;
  double end[2][2][3], d[2][3], square[2], skin[2], margin;
  hn_manifold *out;
} segments;

static void set_segment(segments *s, int which, const hn_placed *placed)
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

/* A pair of points to be considered: how far along the segments, and which features. */
typedef struct near_pair {
  double fraction[2], distance, normal[3];
  hn_touch_kind kind;
  int i, j;
} near_pair;

static void points_of(const segments *s, const double fraction[2], double x[3], double y[3])
{
  for (int which = 0; which < 2; which++) {
    double *p = which ? y : x, f = fraction[which];
    bool far = f > 0.5; /* from the nearer end, where an end is to be met exactly */
    vec_copy(p, s->end[which][far]);
    vec_add_scaled(p, far ? f - 1 : f, s->d[which]);
  }
}

static void measure(const segments *s, near_pair *pair)
{
  double x[3], y[3];
  points_of(s, pair->fraction, x, y);
  vec_sub(y, y, x);
  pair->distance = direction(y, s->a->R, pair->normal);
}

/* End I of segment WHICH beside the other one, to whose ends it may be drawn. True: within that one's length. */
static bool beside_end(const segments *s, int which, int i, near_pair *pair)
{
  int other = !which;
  double to[3], f = 0;
  vec_sub(to, s->end[which][i], s->end[other][0]);
  if (s->square[other] > 0) f = vec_dot(to, s->d[other]) / s->square[other];
  bool within = f >= -hn_on_side && f <= 1 + hn_on_side;
  f = f < hn_on_side ? 0 : f > 1 - hn_on_side ? 1 : f;
  pair->fraction[which] = i, pair->fraction[other] = f;
  bool inside = f > 0 && f < 1;
  int number = inside ? 0 : f == 1;
  pair->kind = !inside ? HN_VERTEX_VERTEX : which ? HN_EDGE_VERTEX : HN_VERTEX_EDGE;
  pair->i = which ? number : i, pair->j = which ? i : number;
  measure(s, pair);
  return within;
}

/* Where the lines have their common normal; false when that is beyond an end, or they are parallel. */
static bool cross(const segments *s, near_pair *pair)
{
  double n[3], span[3];
  vec_cross(n, s->d[0], s->d[1]);
  vec_sub(span, s->end[1][0], s->end[0][0]);
  double square = vec_dot(n, n), dg = vec_dot(s->d[0], s->d[1]);
  if (!(square > 1e-14 * s->square[0] * s->square[1])) return false;
  double ds = vec_dot(s->d[0], span), gs = vec_dot(s->d[1], span);
  pair->fraction[0] = (ds * s->square[1] - gs * dg) / square;
  pair->fraction[1] = (ds * dg - gs * s->square[0]) / square;
  pair->kind = HN_EDGE_EDGE, pair->i = pair->j = 0;
  for (int k = 0; k < 2; k++)
    if (!(pair->fraction[k] > hn_on_side && pair->fraction[k] < 1 - hn_on_side)) return false;
  measure(s, pair);
  vec_scale(pair->normal, (vec_dot(n, pair->normal) < 0 ? -1 : 1) / sqrt(square),
            n); /* however near they are */
  return true;
}

static void add(const segments *s, const near_pair *pair)
{
  double x[3], y[3];
  unsigned feature = hn_feature(pair->kind, pair->i, pair->j);
  if (!(pair->distance - s->skin[0] - s->skin[1] < s->margin)) return;
  for (int k = 0; k < s->out->count; k++)
    if (s->out->point[k].feature == feature) return;
  points_of(s, pair->fraction, x, y);
  hn_manifold_add(s->out, s->a->x, x, y, pair->normal, s->skin[0], s->skin[1], false, feature);
}

/* The nearest points first; where segments run side by side, also where both begin and end. */
void hn_collide_capsules(const hn_placed *a, const hn_placed *b, double margin, hn_manifold *out)
{
  segments s = { .a = a, .b = b, .margin = margin, .out = out };
  near_pair best, pair;
  bool within[4];
  set_segment(&s, 0, a);
  set_segment(&s, 1, b);
  bool crossed = cross(&s, &best);
  if (!crossed) best.distance = HUGE_VAL;
  for (int k = 0; k < 4; k++) {
    within[k] = beside_end(&s, k / 2, k % 2, &pair);
    if (!crossed && pair.distance < best.distance) best = pair;
  }
  double sum = s.skin[0] + s.skin[1];
  if (!(best.distance - sum < margin)) return;
  double dg = vec_dot(s.d[0], s.d[1]);
  bool side_by_side = dg * dg > 0.99 * s.square[0] * s.square[1] && dg != 0;
  double least = HUGE_VAL;
  for (int k = 0; side_by_side && k < 4; k++)
    if (within[k]) {
      beside_end(&s, k / 2, k % 2, &pair);
      add(&s, &pair);
      least = fmin(least, pair.distance);
    }
  if (least > best.distance + 1e-12 * sum) add(&s, &best);
}
