/* sphere_box.c - a sphere and the nearest point of a box, or the nearest face if the centre is inside. */
#include "base/vec.h"
#include "collide/pairs.h"
#include "collide/polytope.h"

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
static unsigned feature_at(const double half[3], const double y[3], int outside)
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
  unsigned feature = face ? hn_feature(HN_VERTEX_FACE, 0, 2 * k + (c[k] >= 0)) : feature_at(half, y, outside);
  vec_sub(y, y, c); /* relative to the centre of the sphere */
  double distance = face ? fabs(y[k]) : vec_norm(y);
  if (!((outside ? distance : -distance) - r < margin)) return;
  if (face) vec_set(n, 0, 0, 0), n[k] = c[k] >= 0 ? -1 : 1;
  else vec_scale(n, 1 / distance, y);
  mat_vec(x, b->R, y);
  mat_vec(offset, b->R, n);
  hn_manifold_add(out, a->x, centre, x, offset, r, 0, face, feature);
}
