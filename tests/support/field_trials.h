/* field_trials.h - height fields for tests, and distances to their triangles by definition: independent of
 * lib/collide. */
#ifndef TESTS_FIELD_TRIALS_H
#define TESTS_FIELD_TRIALS_H

#include "collide/field/height_field.h"
#include "shape_trials.h"

#include <stdlib.h>

typedef double height_function(double x, double z);

/* Returns a field of N x N points over SIDE x SIDE m with the heights of FUNCTION. */
static inline trial_shape field_of(height_function *function, int n, double side)
{
  trial_shape t = { .placed = { .R = { 1, 0, 0, 0, 1, 0, 0, 0, 1 } } };
  double *height = malloc(sizeof *height * (size_t)(n * n)), size[2] = { side, side };
  hn_error error;
  for (int k = 0; k < n * n; k++)
    height[k] = function((k % n - 0.5 * (n - 1)) * side / (n - 1), (k / n - 0.5 * (n - 1)) * side / (n - 1));
  if (hn_shape_height_field(&t.shape, size, n, n, height, &error)) fail_msg("%s", error.text);
  free(height);
  return t;
}

/* Returns a field of N x N points over SIDE x SIDE m with random heights up to HIGH. */
static double random_high = 0;
static inline double random_height(double x, double z)
{
  (void)x, (void)z;
  return uniform(0, random_high);
}

static inline trial_shape random_field(int n, double side, double high)
{
  random_high = high;
  return field_of(random_height, n, side);
}

static inline void free_field(trial_shape *t)
{
  hn_shape_free(&t->shape);
}

/* Places X of the axes of FIELD in the world. */
static inline void on_field(const trial_shape *field, const double x[3], double out[3])
{
  mat_vec(out, field->placed.R, x);
  vec_add(out, out, field->placed.x);
}

/* Computes the corners of triangle K of the field, world axes. */
static inline void triangle_of(const trial_shape *field, int k, double corner[3][3])
{
  static const int at[2][3][2] = { { { 0, 0 }, { 1, 0 }, { 0, 1 } }, { { 1, 1 }, { 0, 1 }, { 1, 0 } } };
  const hn_height_field *f = field->shape.field;
  const int cell = k / 2, cells = f->nx - 1;
  for (int c = 0; c < 3; c++) {
    const int i = cell % cells + at[k % 2][c][0], j = cell / cells + at[k % 2][c][1];
    const double x[3] = { (i - 0.5 * (f->nx - 1)) * f->dx, f->height[j * f->nx + i],
                          (j - 0.5 * (f->nz - 1)) * f->dz };
    on_field(field, x, corner[c]);
  }
}

static inline int triangles_of(const trial_shape *field)
{
  return 2 * (field->shape.field->nx - 1) * (field->shape.field->nz - 1);
}

/* Computes the point of a triangle nearest to X. [Ericson, Real-Time Collision Detection (2005), section
 * 5.1.5] */
static inline void nearest_in_triangle(double t[3][3], const double x[3], double out[3])
{
  double ab[3], ac[3], ap[3], bp[3], cp[3], bc[3];
  vec_sub(ab, t[1], t[0]), vec_sub(ac, t[2], t[0]), vec_sub(bc, t[2], t[1]);
  vec_sub(ap, x, t[0]), vec_sub(bp, x, t[1]), vec_sub(cp, x, t[2]);
  const double d1 = vec_dot(ab, ap), d2 = vec_dot(ac, ap), d3 = vec_dot(ab, bp), d4 = vec_dot(ac, bp),
               d5 = vec_dot(ab, cp), d6 = vec_dot(ac, cp);
  const double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
  if (d1 <= 0 && d2 <= 0) vec_copy(out, t[0]);
  else if (d3 >= 0 && d4 <= d3) vec_copy(out, t[1]);
  else if (d6 >= 0 && d5 <= d6) vec_copy(out, t[2]);
  else if (vc <= 0 && d1 >= 0 && d3 <= 0) vec_along(out, t[0], d1 / (d1 - d3), ab);
  else if (vb <= 0 && d2 >= 0 && d6 <= 0) vec_along(out, t[0], d2 / (d2 - d6), ac);
  else if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) vec_along(out, t[1], (d4 - d3) / (d4 - d3 + d5 - d6), bc);
  else {
    vec_along(out, t[0], vb / (va + vb + vc), ab);
    vec_add_scaled(out, vc / (va + vb + vc), ac);
  }
}

/* Returns the distance of X from the field, and its unit direction N from the nearest point. */
static inline double distance_to_field(const trial_shape *field, const double x[3], double n[3])
{
  double best = HUGE_VAL, corner[3][3], y[3], span[3];
  for (int k = 0; k < triangles_of(field); k++) {
    triangle_of(field, k, corner);
    nearest_in_triangle(corner, x, y);
    vec_sub(span, x, y);
    if (vec_norm(span) < best) best = vec_norm(span), vec_scale(n, 1 / best, span);
  }
  return best;
}

/* Returns the distance of two segments. [Ericson (2005), section 5.1.9] */
static inline double segment_distance(const double p[3], const double q[3], const double r[3],
                                      const double s[3])
{
  double d[3], e[3], to[3], x[3], y[3];
  vec_sub(d, q, p), vec_sub(e, s, r), vec_sub(to, p, r);
  const double a = vec_dot(d, d), b = vec_dot(d, e), c = vec_dot(d, to), ee = vec_dot(e, e),
               f = vec_dot(e, to);
  const double det = a * ee - b * b;
  double u = det > 1e-14 * a * ee ? fmin(1, fmax(0, (b * f - c * ee) / det)) : 0, w = (b * u + f) / ee;
  if (w < 0) w = 0, u = fmin(1, fmax(0, -c / a));
  else if (w > 1) w = 1, u = fmin(1, fmax(0, (b - c) / a));
  vec_along(x, p, u, d), vec_along(y, r, w, e);
  vec_sub(to, y, x);
  return vec_norm(to);
}

/* Returns the distance of X from a placed box; 0 inside. */
static inline double box_distance(const hn_placed_shape *box, const double x[3])
{
  double to[3], m[3], off[3];
  vec_sub(to, x, box->x);
  mat_tvec(m, box->R, to);
  for (int k = 0; k < 3; k++) off[k] = fmax(0, fabs(m[k]) - 0.5 * box->shape->size[k]);
  return vec_norm(off);
}

/* True if the segment from P to Q crosses the triangle. */
static inline bool crosses_triangle(double t[3][3], const double p[3], const double q[3])
{
  double ab[3], ac[3], n[3], d[3], to[3], x[3], across[3];
  vec_sub(ab, t[1], t[0]), vec_sub(ac, t[2], t[0]), vec_sub(d, q, p), vec_sub(to, t[0], p);
  vec_cross(n, ab, ac);
  const double along = vec_dot(n, to) / vec_dot(n, d);
  if (!(along >= 0 && along <= 1)) return false;
  vec_along(x, p, along, d);
  for (int k = 0; k < 3; k++) {
    vec_sub(d, t[(k + 1) % 3], t[k]), vec_sub(to, x, t[k]);
    vec_cross(across, d, to);
    if (vec_dot(across, n) < 0) return false;
  }
  return true;
}

/* Returns the distance of a box from a triangle, 0 if they overlap: disjoint polyhedra are nearest at a
 * corner of one of them, or at two edges. */
static inline double box_triangle_distance(const hn_placed_shape *box, double t[3][3])
{
  double corner[8][3], local[3], y[3], span[3], best = HUGE_VAL;
  for (int i = 0; i < 8; i++) {
    box_corner(box->shape->size, i, local);
    mat_vec(corner[i], box->R, local);
    vec_add(corner[i], corner[i], box->x);
    nearest_in_triangle(t, corner[i], y);
    vec_sub(span, corner[i], y);
    best = fmin(best, vec_norm(span));
  }
  for (int k = 0; k < 3; k++) best = fmin(best, box_distance(box, t[k]));
  for (int i = 0; i < 8; i++)
    for (int k = 0; k < 3; k++) {
      const int j = i ^ 1 << k;
      if (j < i) continue;
      if (crosses_triangle(t, corner[i], corner[j])) return 0;
      for (int e = 0; e < 3; e++)
        best = fmin(best, segment_distance(corner[i], corner[j], t[e], t[(e + 1) % 3]));
    }
  return best;
}

static inline double box_field_distance(const trial_shape *field, const hn_placed_shape *box)
{
  double best = HUGE_VAL, corner[3][3];
  for (int k = 0; k < triangles_of(field); k++) {
    triangle_of(field, k, corner);
    best = fmin(best, box_triangle_distance(box, corner));
  }
  return best;
}

#endif
