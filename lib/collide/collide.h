/* collide.h - narrow phase: contact points of two shapes, and the table of pairs of shapes. Internal.
 *
 * The function of a pair of shapes lists points, one for each vertex of the touching features, in a fixed
 * order. Each point has a feature number that persists while the same features touch. The functions allocate
 * nothing and have no memory, so the contacts of a state are a function of its poses. */
#ifndef HN_COLLIDE_H
#define HN_COLLIDE_H

#include "bodies.h"

enum { HN_MAX_MANIFOLD = 64 }; /* points of one pair */

/* A shape at its place in the world: x in m, R maps shape axes to world axes, row-major. */
typedef struct hn_placed_shape {
  const hn_shape *shape;
  double x[3], R[9];
} hn_placed_shape;

/* A contact point between feature a of the first shape and feature b of the second. */
typedef struct hn_contact_point {
  double a[3], b[3];     /* m, world axes: centre of a round feature, else a point of the surface */
  double normal[3];      /* unit vector from a to b, fixed to the shape that `on_b` names */
  double skin_a, skin_b; /* m, radii of round features: the gap is normal . (b - a) - skin_a - skin_b */
  /* the normal is fixed to the second shape, else to the first; to the rounder if no face is involved */
  bool on_b;
  /* names both features in the order of the table, unique within the manifold; below 2^24 but for height
   * fields */
  uint64_t feature;
} hn_contact_point;

typedef struct hn_manifold {
  int count;
  hn_contact_point point[HN_MAX_MANIFOLD];
} hn_manifold;

/* Adds the points with a gap below MARGIN between the features that face each other along NORMAL, a unit
 * vector from a to b: those above the face of b if ON_B, else of a, if it has one across NORMAL. */
typedef void hn_along_function(const hn_placed_shape *a, const hn_placed_shape *b, bool on_b,
                               const double normal[3], double margin, hn_manifold *out);

typedef struct hn_collide_type {
  hn_shape_kind a, b;
  const char *citation; /* of the algorithm; NULL: closed form */
  /* Adds the points with a gap below MARGIN to OUT, which is empty on entry. */
  void (*collide)(const hn_placed_shape *a, const hn_placed_shape *b, double margin, hn_manifold *out);
  hn_along_function *along;
} hn_collide_type;

/* Returns the entry for two kinds of shape. *SWAPPED is true if the table has them in the other order.
 * Returns NULL for pairs that never touch: two planes or height fields, or a planar and a spatial
 * shape. */
const hn_collide_type *hn_collide_find(hn_shape_kind a, hn_shape_kind b, bool *swapped);

/* Computes the placement of SHAPE, at PLACE on a body at POSE. */
void hn_placed_shape_at(hn_placed_shape *placed, const hn_shape *shape, const hn_pose *place,
                        const hn_pose *pose);
/* Computes the axis-aligned box (world axes, m) of a placed shape, enlarged by MARGIN on every side. */
void hn_placed_bounds(const hn_placed_shape *placed, double margin, double low[3], double high[3]);
/* Returns the largest extent of a placed shape along unit N: max n . x, m. Infinite for a plane unless N is
 * its normal to rounding; infinite for a height field. */
double hn_placed_support(const hn_placed_shape *placed, const double n[3]);
/* True if a placed shape has a flat face with the outward normal N, within hn_cos_aligned. */
bool hn_placed_has_face(const hn_placed_shape *placed, const double n[3]);
/* True if point X is in a placed shape with flat faces, or nearer to it than TOLERANCE; false for others. */
bool hn_placed_contains(const hn_placed_shape *placed, const double x[3], double tolerance);
/* Computes the contact points of two placed shapes in either order. */
void hn_collide_pair(const hn_placed_shape *a, const hn_placed_shape *b, double margin, hn_manifold *out);
/* Computes the contact points along a given normal (see hn_along_function) of two placed shapes in either
 * order. There are none for a round shape: its nearest point is the only one. */
void hn_collide_along(const hn_placed_shape *a, const hn_placed_shape *b, bool on_b, const double normal[3],
                      double margin, hn_manifold *out);

/* that span a manifold: the deepest point, a line, a triangle, a quadrilateral */
enum { HN_REDUCED_POINTS = 4 };
/* Reduces a manifold to at most MAX_POINTS points, up to HN_FEWEST_POINTS; 0: no reduction. */
void hn_manifold_reduce(hn_manifold *manifold, int max_points, double margin);

/* Appends a point; returns NULL if the manifold is full. */
static inline hn_contact_point *hn_manifold_next(hn_manifold *out)
{
  return out->count < HN_MAX_MANIFOLD ? &out->point[out->count++] : NULL;
}

#endif
