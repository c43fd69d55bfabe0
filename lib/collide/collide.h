/* collide.h - which features of two shapes are near, and the table of pairs of shapes. Internal.
 *
 * A pair's function looks at two placed shapes and lists points: one for each vertex of what touches, in a fixed order,
 * with a number that stays the same while the same features do. It allocates nothing and remembers nothing, so that the
 * contacts of a state are a function of its poses. */
#ifndef HN_COLLIDE_H
#define HN_COLLIDE_H

#include "bodies.h"

enum { HN_MAX_MANIFOLD = 64 }; /* points of one pair */

/* A shape where it stands: R turns its axes into the world's, row by row. */
typedef struct hn_placed {
  const hn_shape *shape;
  double x[3], R[9];
} hn_placed;

/* Two features, a on the first shape and b on the second. */
typedef struct hn_near_point {
  double a[3], b[3];     /* world axes, m: centres of round features, else points of the surface */
  double normal[3];      /* from a to b, unit length; fixed to the shape that `on_b` names */
  double skin_a, skin_b; /* m, radii of round features: the gap is normal . (b - a) - skin_a - skin_b */
  bool on_b; /* the normal is that of a face of the second shape, else of the first; where it is of no face,
                         * either will do */
  unsigned
    feature; /* below 2^24: names both features, in the order of the table; no two points have the same */
} hn_near_point;

typedef struct hn_manifold {
  int count;
  hn_near_point point[HN_MAX_MANIFOLD];
} hn_manifold;

typedef struct hn_collide_type {
  hn_shape_kind a, b;
  const char *citation; /* of its solver; NULL: closed form */
  /* Points with a gap below MARGIN into OUT, which comes empty. */
  void (*collide)(const hn_placed *a, const hn_placed *b, double margin, hn_manifold *out);
} hn_collide_type;

/* The function of a pair of kinds, in the order of the table or, with *SWAPPED, the other one; NULL: the two never
 * touch: planes with planes, shapes of the plane with shapes of space. */
const hn_collide_type *hn_collide_find(hn_shape_kind a, hn_shape_kind b, bool *swapped);

/* Where SHAPE at PLACE on a body at POSE stands. */
void hn_placed_at(hn_placed *placed, const hn_shape *shape, const hn_pose *place, const hn_pose *pose);
/* The points of two placed shapes, whichever comes first in the table. */
void hn_collide_pair(const hn_placed *a, const hn_placed *b, double margin, hn_manifold *out);

enum { HN_FEWEST_POINTS = 4 }; /* that span what a manifold does */
/* Leaves MOST points, up to HN_FEWEST_POINTS, of a manifold that has more; 0: all. */
void hn_manifold_reduce(hn_manifold *manifold, int most, double margin);

/* The point of OUT to be written next; NULL when it is full. */
static inline hn_near_point *hn_manifold_next(hn_manifold *out)
{
  return out->count < HN_MAX_MANIFOLD ? &out->point[out->count++] : NULL;
}

#endif
