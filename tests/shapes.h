/* shapes.h - random numbers, poses and hulls for tests of collision. */
#ifndef HN_TEST_SHAPES_H
#define HN_TEST_SHAPES_H

#include "base/vec.h"
#include "check.h"
#include "collide/hull.h"

static uint64_t shapes_seed = 88172645463325252u;

static inline double uniform(double low, double high)
{
  shapes_seed ^= shapes_seed << 13, shapes_seed ^= shapes_seed >> 7, shapes_seed ^= shapes_seed << 17;
  return low + (high - low) * (double)(shapes_seed >> 11) / 9007199254740992.0;
}

static inline void random_direction(double n[3])
{
  double length;
  do {
    for (int i = 0; i < 3; i++) n[i] = uniform(-1, 1);
    length = vec_norm(n);
  } while (length > 1 || length < 0.1);
  vec_scale(n, 1 / length, n);
}

static inline void random_turn(double q[4])
{
  double square;
  do {
    square = 0;
    for (int i = 0; i < 4; i++) q[i] = uniform(-1, 1), square += q[i] * q[i];
  } while (square > 1 || square < 0.01);
  quat_normalise(q);
}

static inline hn_hull *must_hull(const double *points, int count, bool polygon)
{
  hn_error error = { "" };
  hn_hull *hull = hn_hull_create(points, count, polygon, &error);
  if (!hull) fail_msg("%s", error.text);
  return hull;
}

/* Of COUNT points on an ellipsoid with these half axes. */
static inline hn_hull *random_hull(int count, double x, double y, double z)
{
  double point[3 * 256];
  for (int i = 0; i < count; i++) {
    random_direction(point + 3 * i);
    point[3 * i] *= x, point[3 * i + 1] *= y, point[3 * i + 2] *= z;
  }
  return must_hull(point, count, false);
}

/* Corner I of a box with edges L. */
static inline void box_corner(const double l[3], int i, double p[3])
{
  for (int k = 0; k < 3; k++) p[k] = (i >> k & 1 ? 0.5 : -0.5) * l[k];
}

static inline hn_hull *box_hull(const double l[3])
{
  double point[24];
  for (int i = 0; i < 8; i++) box_corner(l, i, point + 3 * i);
  return must_hull(point, 8, false);
}

#endif
