/* reduce.c - reduction of a manifold to few points: the deepest one, the one farthest from it, the one that
 * spans the largest triangle with both, and the one that enlarges the area most. Among points equal within
 * the tie tolerances the first in the manifold wins, so that rounding does not choose. [after Moravanszky and
 * Terdiman 2004] */
#include "collide/collide.h"
#include "base/vec.h"

/* Tie tolerances: of the depth relative to the margin, of squared lengths and areas relative to the best. */
static const double depth_tie = 1e-3, area_tie = 1e-6;

static double gap_of(const hn_contact_point *point)
{
  double span[3];
  vec_sub(span, point->b, point->a);
  return vec_dot(span, point->normal) - point->skin_a - point->skin_b;
}

/* Returns twice the signed area of the triangle A B C projected along the normal of A. */
static double area(const hn_contact_point *a, const hn_contact_point *b, const hn_contact_point *c)
{
  double ab[3], ac[3], across[3];
  vec_sub(ab, b->b, a->b), vec_sub(ac, c->b, a->b);
  vec_cross(across, ab, ac);
  return vec_dot(across, a->normal);
}

/* Returns the merit of POINT as the next one after the COUNT chosen points. */
static double merit(const hn_contact_point *const *chosen, int count, const hn_contact_point *point)
{
  double span[3];
  switch (count) {
  case 0: return -gap_of(point);
  case 1: vec_sub(span, point->b, chosen[0]->b); return vec_dot(span, span);
  case 2: return fabs(area(chosen[0], chosen[1], point));
  default: break;
  }
  const double side = area(chosen[0], chosen[1], chosen[2]) < 0.0 ? -1.0 : 1.0;
  double largest = 0.0; /* area outside the triangle, beyond one of its edges */
  for (int i = 0; i < 3; i++) largest = fmax(largest, -side * area(chosen[i], chosen[(i + 1) % 3], point));
  return largest;
}

void hn_manifold_reduce(hn_manifold *manifold, int max_points, double margin)
{
  const hn_contact_point *chosen[HN_REDUCED_POINTS];
  hn_contact_point reduced[HN_REDUCED_POINTS];
  bool taken[HN_MAX_MANIFOLD] = { false };
  if (max_points == 0 || manifold->count <= max_points) return;
  for (int count = 0; count < max_points; count++) {
    int best = -1;
    double value = 0.0;
    for (int i = 0; i < manifold->count; i++) {
      if (taken[i]) continue;
      const double candidate = merit(chosen, count, &manifold->point[i]);
      if (best >= 0 && !(candidate > value + (count == 0 ? depth_tie * margin : area_tie * value))) continue;
      best = i, value = candidate;
    }
    taken[best] = true, chosen[count] = &manifold->point[best];
  }
  for (int i = 0; i < max_points; i++) reduced[i] = *chosen[i];
  for (int i = 0; i < max_points; i++) manifold->point[i] = reduced[i];
  manifold->count = max_points;
}
