/* reduce.c - a manifold of few points: the deepest one, the one farthest from it, the one that spans the largest
 * triangle with both, and the one that makes it larger by most. What is as good, to a thousandth of the margin or to a
 * millionth of a length squared, comes in the order of the manifold, so that round-off does not choose. [after
 * Moravanszky and Terdiman 2004] */
#include "collide/collide.h"
#include "base/vec.h"

static const double as_deep = 1e-3, as_large = 1e-6;

static double gap_of(const hn_near_point *point)
{
  double way[3];
  vec_sub(way, point->b, point->a);
  return vec_dot(way, point->normal) - point->skin_a - point->skin_b;
}

/* Twice the area of the triangle from A to B to C as seen along the normal of A, with its sign. */
static double area(const hn_near_point *a, const hn_near_point *b, const hn_near_point *c)
{
  double ab[3], ac[3], across[3];
  vec_sub(ab, b->b, a->b), vec_sub(ac, c->b, a->b);
  vec_cross(across, ab, ac);
  return vec_dot(across, a->normal);
}

/* How good POINT is as the next one beside the COUNT that are CHOSEN. */
static double merit(const hn_near_point *const *chosen, int count, const hn_near_point *point)
{
  double way[3];
  switch (count) {
  case 0: return -gap_of(point);
  case 1: vec_sub(way, point->b, chosen[0]->b); return vec_dot(way, way);
  case 2: return fabs(area(chosen[0], chosen[1], point));
  default: break;
  }
  const double side = area(chosen[0], chosen[1], chosen[2]) < 0.0 ? -1.0 : 1.0;
  double most = 0.0; /* of what lies outside the triangle, beyond one of its edges */
  for (int i = 0; i < 3; i++) most = fmax(most, -side * area(chosen[i], chosen[(i + 1) % 3], point));
  return most;
}

void hn_manifold_reduce(hn_manifold *manifold, int most, double margin)
{
  const hn_near_point *chosen[HN_FEWEST_POINTS];
  hn_near_point kept[HN_FEWEST_POINTS];
  bool taken[HN_MAX_MANIFOLD] = { false };
  if (most == 0 || manifold->count <= most) return;
  for (int count = 0; count < most; count++) {
    int best = -1;
    double value = 0.0;
    for (int i = 0; i < manifold->count; i++) {
      if (taken[i]) continue;
      const double now = merit(chosen, count, &manifold->point[i]);
      if (best >= 0 && !(now > value + (count == 0 ? as_deep * margin : as_large * value))) continue;
      best = i, value = now;
    }
    taken[best] = true, chosen[count] = &manifold->point[best];
  }
  for (int i = 0; i < most; i++) kept[i] = *chosen[i];
  for (int i = 0; i < most; i++) manifold->point[i] = kept[i];
  manifold->count = most;
}
