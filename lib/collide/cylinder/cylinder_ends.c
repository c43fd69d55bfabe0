/* cylinder_ends.c - pairs of a plane or a sphere with a cylinder, in closed form. */
#include "base/vec.h"
#include "collide/cylinder/cylinder.h"
#include "collide/pairs.h"

/* Adds rim point X above the plane n . x = offset, in the axes of the cylinder. ROUND: as the surface of a
 * sphere around a point of the axis. */
static void add_rim(const double n[3], double offset, double x[3], double margin, bool round, int feature,
                    hn_manifold *out)
{
  double foot[3], height = vec_dot(n, x) - offset;
  if (!(height < margin)) return;
  vec_along(foot, x, -height, n);
  const double skin = round ? hn_onto_axis((double[3]){ -n[0], -n[1], -n[2] }, x) : 0.0;
  hn_manifold_add(out, hn_cylinder_centre, foot, x, n, 0, skin, false,
                  hn_feature(HN_FACE_VERTEX, 0, feature));
}

/* Adds the lowest point of each rim. A nearly level end also gets its fixed points, a level one only these:
 * there a sphere around a point of the axis would be large, and the end tilts faster than it turns. */
void hn_collide_plane_cylinder(const hn_placed_shape *plane, const hn_placed_shape *b, double margin,
                               hn_manifold *out)
{
  const hn_cylinder c = { b->shape->size[0], 0.5 * b->shape->size[1] };
  double world[3], n[3], to[3], low[3], x[3];
  mat_vec(world, plane->R, plane->shape->size);
  mat_tvec(n, b->R, world);
  vec_sub(to, plane->x, b->x);
  double offset = vec_dot(world, to);
  if (-hn_cylinder_support(&c, n) - offset >= margin) return;
  vec_scale(low, -1, n);
  for (int end = 0; end < 2; end++) {
    bool level = fabs(n[1]) > hn_cos_level;
    hn_rim_point(c.r, end ? c.h : -c.h, low, x);
    if (!level || low[0] * low[0] + low[2] * low[2] > hn_sin_level * hn_sin_level)
      add_rim(n, offset, x, margin, !level, HN_RIM + end, out);
    for (int k = 0; level && k < 4; k++) {
      hn_rim_fixed(&c, end, k, x);
      add_rim(n, offset, x, margin, false, HN_RIM_FIXED + 4 * end + k, out);
    }
  }
  hn_out_of_axes(b, out);
}

/* Computes Y, the point of the cylinder nearest to X, or of its surface if X is inside; returns its
 * feature. */
static int nearest_point(const hn_cylinder *c, const double x[3], double y[3])
{
  double rho = sqrt(x[0] * x[0] + x[2] * x[2]), end = x[1] < 0 ? -c->h : c->h;
  bool out_side = rho > c->r, out_end = fabs(x[1]) > c->h;
  if (!out_side && !out_end) {
    out_side = c->r - rho < c->h - fabs(x[1]);
    out_end = !out_side;
  }
  if (out_side) hn_rim_point(c->r, out_end ? end : x[1], x, y);
  else vec_set(y, x[0], end, x[2]);
  return out_side ? out_end ? HN_RIM + (x[1] >= 0) : HN_SIDE : HN_END + (x[1] >= 0);
}

void hn_collide_sphere_cylinder(const hn_placed_shape *a, const hn_placed_shape *b, double margin,
                                hn_manifold *out)
{
  const hn_cylinder c = { b->shape->size[0], 0.5 * b->shape->size[1] };
  double to[3], x[3], y[3], n[3], r = a->shape->size[0];
  vec_sub(to, a->x, b->x);
  mat_tvec(x, b->R, to);
  int feature = nearest_point(&c, x, y);
  double rho = sqrt(x[0] * x[0] + x[2] * x[2]), distance;
  if (feature == HN_SIDE) {
    distance = rho - c.r;
    vec_set(n, -y[0] / c.r, 0, -y[2] / c.r);
  } else if (feature >= HN_END) {
    distance = fabs(x[1]) - c.h;
    vec_set(n, 0, x[1] < 0 ? 1 : -1, 0);
  } else {
    vec_sub(n, y, x);
    distance = vec_norm(n);
    vec_scale(n, 1 / distance, n);
  }
  if (!(distance - r < margin)) return;
  if (feature >= HN_END) {
    hn_manifold_add(out, hn_cylinder_centre, x, y, n, r, 0, true, hn_feature(HN_VERTEX_FACE, 0, feature));
  } else {
    const double skin = fabs(n[1]) > hn_cos_level ? 0.0 : hn_onto_axis((double[3]){ -n[0], -n[1], -n[2] }, y);
    hn_manifold_add_free(out, hn_cylinder_centre, x, y, n, r, skin, hn_feature(HN_VERTEX_EDGE, 0, feature));
  }
  hn_out_of_axes(b, out);
}
