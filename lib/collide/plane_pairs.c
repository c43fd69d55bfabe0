/* plane_pairs.c - planes with round shapes, ellipsoids and corners: the gap is the height of a centre, of the
 * lowest point or of a corner. */
#include "base/vec.h"
#include "collide/ellipsoid/ellipsoid.h"
#include "collide/hull.h"
#include "collide/pairs.h"
#include "collide/polytope.h"

/* Adds the point at X with radius SKIN and number FEATURE if it is within MARGIN of the plane. */
static void add_point(const hn_placed_shape *plane, const double n[3], const double x[3], double skin,
                      double margin, int feature, hn_manifold *out)
{
  double to[3], foot[3];
  vec_sub(to, x, plane->x);
  double height = vec_dot(n, to);
  if (!(height - skin < margin)) return;
  vec_along(foot, to, -height, n);
  hn_manifold_add(out, plane->x, foot, to, n, 0, skin, false, hn_feature(HN_FACE_VERTEX, 0, feature));
}

void hn_collide_plane_round(const hn_placed_shape *plane, const hn_placed_shape *b, double margin,
                            hn_manifold *out)
{
  double n[3], half = b->shape->kind == HN_CAPSULE ? 0.5 * b->shape->size[1] : 0.0;
  mat_vec(n, plane->R, plane->shape->size);
  for (int i = 0; i < (half > 0 ? 2 : 1); i++) {
    double x[3];
    for (int c = 0; c < 3; c++) x[c] = b->x[c] + (i ? half : -half) * b->R[3 * c + 1];
    add_point(plane, n, x, b->shape->size[0], margin, i, out);
  }
}

void hn_collide_plane_ellipsoid(const hn_placed_shape *plane, const hn_placed_shape *b, double margin,
                                hn_manifold *out)
{
  double n[3], down[3], x[3];
  hn_ellipsoid e;
  mat_vec(n, plane->R, plane->shape->size);
  vec_scale(down, -1.0, n);
  hn_ellipsoid_make(&e, b->shape->size, b->x, b->R);
  hn_ellipsoid_point(&e, down, x);
  const double skin = hn_ellipsoid_skin(&e, down);
  vec_add_scaled(x, skin, n);
  vec_add(x, x, b->x);
  add_point(plane, n, x, skin, margin, 0, out);
}

void hn_collide_plane_box(const hn_placed_shape *plane, const hn_placed_shape *box, double margin,
                          hn_manifold *out)
{
  const double *l = box->shape->size;
  double n[3], m[3], to[3], x[3], corner[3];
  mat_vec(n, plane->R, plane->shape->size);
  mat_tvec(m, box->R, n);
  vec_sub(to, box->x, plane->x);
  double height = vec_dot(n, to);
  if (height - 0.5 * (l[0] * fabs(m[0]) + l[1] * fabs(m[1]) + l[2] * fabs(m[2])) >= margin) return;
  for (int i = 0; i < 8; i++) {
    vec_set(corner, i & 1 ? 0.5 * l[0] : -0.5 * l[0], i & 2 ? 0.5 * l[1] : -0.5 * l[1],
            i & 4 ? 0.5 * l[2] : -0.5 * l[2]);
    if (height + vec_dot(m, corner) >= margin) continue;
    mat_vec(x, box->R, corner);
    vec_add(x, x, box->x);
    add_point(plane, n, x, 0, margin, i, out);
  }
}

/* Returns the index of the highest point of OUT. */
static int highest(const hn_manifold *out, const double n[3])
{
  double largest = -HUGE_VAL;
  int place = 0;
  for (int k = 0; k < out->count; k++) {
    double span[3];
    vec_sub(span, out->point[k].b, out->point[k].a);
    if (vec_dot(n, span) > largest) largest = vec_dot(n, span), place = k;
  }
  return place;
}

/* Adds every vertex of a hull or polygon within the margin; if there is no room for all, the lowest. */
void hn_collide_plane_corners(const hn_placed_shape *plane, const hn_placed_shape *b, double margin,
                              hn_manifold *out)
{
  const hn_hull *hull = b->shape->hull;
  double n[3], m[3], to[3], x[3];
  mat_vec(n, plane->R, plane->shape->size);
  mat_tvec(m, b->R, n);
  vec_sub(to, b->x, plane->x);
  double height = vec_dot(n, to), bound = margin;
  if (height - hull->radius >= margin) return;
  for (int i = 0; i < hull->nvertex; i++) {
    if (height + vec_dot(m, hull->vertex + 3 * i) >= bound) continue;
    if (out->count == HN_MAX_MANIFOLD) {
      int last = highest(out, n);
      double span[3];
      vec_sub(span, out->point[last].b, out->point[last].a);
      bound = vec_dot(n, span);
      if (height + vec_dot(m, hull->vertex + 3 * i) >= bound) continue;
      out->point[last] = out->point[--out->count];
    }
    mat_vec(x, b->R, hull->vertex + 3 * i);
    vec_add(x, x, b->x);
    add_point(plane, n, x, 0, margin, i, out);
  }
}
