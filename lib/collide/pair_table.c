/* pair_table.c - the table of pairs of shapes (collide.def); pairs of boxes, convex hulls, spheres and
 * capsules: the separating axis, then its manifold. */
#include "collide/pairs.h"
#include "base/vec.h"
#include "collide/polytope.h"

static const hn_collide_type pairs[HN_SHAPE_KINDS][HN_SHAPE_KINDS] = {
#define PAIR(first, second, function, given, source)                                                         \
  [first][second] = {                                                                                        \
    .a = first, .b = second, .citation = source, .collide = hn_collide_##function, .along = hn_along_##given \
  },
#define FIELD(second) PAIR(HN_HEIGHT_FIELD, second, field, none, NULL)
#include "collide/collide.def"
#undef PAIR
};

const hn_collide_type *hn_collide_find(hn_shape_kind a, hn_shape_kind b, bool *swapped)
{
  *swapped = !pairs[a][b].collide;
  const hn_collide_type *type = *swapped ? &pairs[b][a] : &pairs[a][b];
  return type->collide ? type : NULL;
}

/* Exchanges the two shapes in the points. */
static void swap_shapes(hn_manifold *out)
{
  for (int i = 0; i < out->count; i++) {
    hn_contact_point *p = &out->point[i], old = *p;
    vec_copy(p->a, old.b);
    vec_copy(p->b, old.a);
    vec_scale(p->normal, -1, old.normal);
    p->skin_a = old.skin_b, p->skin_b = old.skin_a;
    p->on_b = !old.on_b;
  }
}

void hn_collide_pair(const hn_placed_shape *a, const hn_placed_shape *b, double margin, hn_manifold *out)
{
  bool swapped;
  const hn_collide_type *type = hn_collide_find(a->shape->kind, b->shape->kind, &swapped);
  out->count = 0;
  if (!type) return;
  type->collide(swapped ? b : a, swapped ? a : b, margin, out);
  if (swapped) swap_shapes(out);
}

void hn_collide_along(const hn_placed_shape *a, const hn_placed_shape *b, bool on_b, const double normal[3],
                      double margin, hn_manifold *out)
{
  bool swapped;
  double opposite[3];
  const hn_collide_type *type = hn_collide_find(a->shape->kind, b->shape->kind, &swapped);
  out->count = 0;
  if (!type) return;
  vec_scale(opposite, -1, normal);
  type->along(swapped ? b : a, swapped ? a : b, on_b != swapped, swapped ? opposite : normal, margin, out);
  if (swapped) swap_shapes(out);
}

void hn_along_none(const hn_placed_shape *a, const hn_placed_shape *b, bool on_b, const double normal[3],
                   double margin, hn_manifold *out)
{
  (void)a, (void)b, (void)on_b, (void)normal, (void)margin, (void)out;
}

void hn_along_polytopes(const hn_placed_shape *a, const hn_placed_shape *b, bool on_b, const double normal[3],
                        double margin, hn_manifold *out)
{
  hn_polytope p, q;
  hn_polytope_of(&p, a, a->x);
  hn_polytope_of(&q, b, a->x);
  hn_polytope_points_along(&p, &q, a->x, on_b, normal, margin, out);
}

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
