/* bounding_box.c - shapes at their places (hn_placed_shape_at), their axis-aligned bounding boxes
 * (hn_placed_bounds, hn_collider_bounds), and their extent along a direction (hn_placed_support). */
#include "base/vec.h"
#include "collide/collide.h"
#include "collide/field/height_field.h"
#include "collide/hull.h"
#include "collide/polytope.h"
#include "elementary.h"

/* 1 - cosine of the angle within which a direction is the normal of a plane: rounding. */
static const double plane_normal_tolerance = 1e-15;

void hn_placed_shape_at(hn_placed_shape *placed, const hn_shape *shape, const hn_pose *place,
                        const hn_pose *pose)
{
  double q[4];
  placed->shape = shape;
  quat_mul(q, pose->q, place->q);
  quat_matrix(placed->R, q);
  quat_rotate(placed->x, pose->q, place->x);
  vec_add(placed->x, placed->x, pose->x);
}

/* Computes half the extents of a box, capsule, cylinder, ellipsoid, sphere or circle along the world axes. */
static void half_extents(const hn_placed_shape *p, double half[3])
{
  const double *s = p->shape->size, *R = p->R;
  for (int i = 0; i < 3; i++) {
    const double *row = R + 3 * i, along = fabs(row[1]) * 0.5 * s[1];
    switch (p->shape->kind) {
    case HN_BOX: half[i] = 0.5 * (fabs(row[0]) * s[0] + fabs(row[1]) * s[1] + fabs(row[2]) * s[2]); break;
    case HN_CAPSULE: half[i] = along + s[0]; break;
    case HN_CYLINDER: half[i] = along + s[0] * sqrt(fmax(0.0, 1.0 - row[1] * row[1])); break;
    case HN_ELLIPSOID: half[i] = norm_of((double[]){ row[0] * s[0], row[1] * s[1], row[2] * s[2] }, 3); break;
    default: half[i] = s[0]; break;
    }
  }
}

static void hull_bounds(const hn_placed_shape *p, double low[3], double high[3])
{
  const hn_hull *hull = p->shape->hull;
  vec_set(low, HUGE_VAL, HUGE_VAL, HUGE_VAL), vec_set(high, -HUGE_VAL, -HUGE_VAL, -HUGE_VAL);
  for (int k = 0; k < hull->nvertex; k++) {
    double x[3];
    mat_vec(x, p->R, hull->vertex + 3 * k);
    for (int i = 0; i < 3; i++)
      low[i] = fmin(low[i], p->x[i] + x[i]), high[i] = fmax(high[i], p->x[i] + x[i]);
  }
}

/* Computes the bounds of a half space: finite on one side if its normal is along a world axis. */
static void plane_bounds(const hn_placed_shape *p, double low[3], double high[3])
{
  double n[3];
  mat_vec(n, p->R, p->shape->size);
  vec_set(low, -HUGE_VAL, -HUGE_VAL, -HUGE_VAL), vec_set(high, HUGE_VAL, HUGE_VAL, HUGE_VAL);
  for (int i = 0; i < 3; i++) {
    if (n[(i + 1) % 3] != 0.0 || n[(i + 2) % 3] != 0.0) continue;
    *(n[i] > 0.0 ? &high[i] : &low[i]) = p->x[i];
  }
}

/* Computes the bounds of a height field and the space below it. */
static void field_bounds(const hn_placed_shape *p, double low[3], double high[3])
{
  const hn_height_field *f = p->shape->field;
  for (int i = 0; i < 3; i++) {
    const double *row = p->R + 3 * i,
                 half = 0.5 * (fabs(row[0]) * (f->nx - 1) * f->dx + fabs(row[2]) * (f->nz - 1) * f->dz);
    low[i] = row[1] > 0.0 ? -HUGE_VAL : p->x[i] + fmin(row[1] * f->low, row[1] * f->high) - half;
    high[i] = row[1] < 0.0 ? HUGE_VAL : p->x[i] + fmax(row[1] * f->low, row[1] * f->high) + half;
  }
}

void hn_placed_bounds(const hn_placed_shape *placed, double margin, double low[3], double high[3])
{
  if (placed->shape->kind != HN_HEIGHT_FIELD && placed->shape->hull) hull_bounds(placed, low, high);
  else if (placed->shape->kind == HN_PLANE) plane_bounds(placed, low, high);
  else if (placed->shape->kind == HN_HEIGHT_FIELD) field_bounds(placed, low, high);
  else {
    double half[3];
    half_extents(placed, half);
    vec_sub(low, placed->x, half), vec_add(high, placed->x, half);
  }
  for (int i = 0; i < 3; i++) low[i] -= margin, high[i] += margin;
}

static double hull_support(const hn_hull *hull, const double n[3])
{
  double most = -HUGE_VAL;
  for (int k = 0; k < hull->nvertex; k++) most = fmax(most, vec_dot(n, hull->vertex + 3 * k));
  return most;
}

double hn_placed_support(const hn_placed_shape *placed, const double n[3])
{
  const double *s = placed->shape->size;
  double m[3];
  mat_tvec(m, placed->R, n);
  const double centre = vec_dot(n, placed->x), across = sqrt(m[0] * m[0] + m[2] * m[2]);
  switch (placed->shape->kind) {
  case HN_PLANE: return vec_dot(m, s) >= 1.0 - plane_normal_tolerance ? centre : HUGE_VAL;
  case HN_HEIGHT_FIELD: return HUGE_VAL;
  case HN_BOX: return centre + 0.5 * (fabs(m[0]) * s[0] + fabs(m[1]) * s[1] + fabs(m[2]) * s[2]);
  case HN_CONVEX:
  case HN_POLYGON: return centre + hull_support(placed->shape->hull, m);
  case HN_ELLIPSOID: return centre + norm_of((double[]){ m[0] * s[0], m[1] * s[1], m[2] * s[2] }, 3);
  case HN_CAPSULE: return centre + 0.5 * s[1] * fabs(m[1]) + s[0];
  case HN_CYLINDER: return centre + 0.5 * s[1] * fabs(m[1]) + s[0] * across;
  default: return centre + s[0];
  }
}

bool hn_placed_has_face(const hn_placed_shape *placed, const double n[3])
{
  double m[3];
  mat_tvec(m, placed->R, n);
  switch (placed->shape->kind) {
  case HN_PLANE: return vec_dot(m, placed->shape->size) > hn_cos_aligned;
  case HN_BOX: return fmax(fabs(m[0]), fmax(fabs(m[1]), fabs(m[2]))) > hn_cos_aligned;
  case HN_CYLINDER: return fabs(m[1]) > hn_cos_aligned;
  case HN_CONVEX:
  case HN_POLYGON:
    for (int f = 0; f < placed->shape->hull->nface; f++)
      if (vec_dot(m, placed->shape->hull->normal + 3 * f) > hn_cos_aligned) return true;
    return false;
  default: return false;
  }
}

static bool hull_contains(const hn_hull *hull, const double x[3], double tolerance)
{
  for (int f = 0; f < hull->nface; f++)
    if (vec_dot(hull->normal + 3 * f, x) > hull->offset[f] + tolerance) return false;
  return true;
}

bool hn_placed_contains(const hn_placed_shape *placed, const double x[3], double tolerance)
{
  const double *s = placed->shape->size;
  double from[3], m[3];
  vec_sub(from, x, placed->x);
  mat_tvec(m, placed->R, from);
  switch (placed->shape->kind) {
  case HN_PLANE: return vec_dot(m, s) <= tolerance;
  case HN_BOX:
    return fabs(m[0]) <= 0.5 * s[0] + tolerance && fabs(m[1]) <= 0.5 * s[1] + tolerance &&
           fabs(m[2]) <= 0.5 * s[2] + tolerance;
  case HN_CYLINDER: return fabs(m[1]) <= 0.5 * s[1] + tolerance && hn_hypot(m[0], m[2]) <= s[0] + tolerance;
  case HN_CONVEX:
  case HN_POLYGON: return hull_contains(placed->shape->hull, m, tolerance);
  default: return false;
  }
}

void hn_collider_bounds(const hn_collider *collider, const hn_pose *pose, double low[3], double high[3])
{
  hn_placed_shape placed;
  hn_placed_shape_at(&placed, &collider->shape, &collider->place, pose);
  hn_placed_bounds(&placed, 0.0, low, high);
}
