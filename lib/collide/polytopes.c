/* polytopes.c - pairs of boxes, convex hulls, spheres and capsules: the separating axis, then its
 * manifold. */
#include "collide/pairs.h"
#include "collide/polytope.h"

void hn_collide_polytopes(const hn_placed_shape *a, const hn_placed_shape *b, double margin, hn_manifold *out)
{
  hn_polytope p, q;
  hn_axis axis;
  hn_polytope_of(&p, a, a->x);
  hn_polytope_of(&q, b, a->x);
  if (hn_separate(&p, &q, margin + p.skin + q.skin, &axis))
    hn_polytope_points(&p, &q, a->x, margin, &axis, out);
}

void hn_collide_boxes(const hn_placed_shape *a, const hn_placed_shape *b, double margin, hn_manifold *out)
{
  hn_polytope p, q;
  hn_axis axis;
  if (!hn_separate_boxes(a, b, margin, &axis)) return;
  hn_polytope_of(&p, a, a->x);
  hn_polytope_of(&q, b, a->x);
  hn_polytope_points(&p, &q, a->x, margin, &axis, out);
}
