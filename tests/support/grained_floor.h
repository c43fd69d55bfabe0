/* grained_floor.h - a block on a floor whose friction differs along and across an axis, and its closed forms.
 *
 * Slip v has the friction f_i = -N mu_i^2 v_i / D, D = sqrt((mu_1 v_1)^2 + (mu_2 v_2)^2), along and across
 * the axis: the force in the ellipse (f_1 / mu_1)^2 + (f_2 / mu_2)^2 <= N^2 that dissipates most. */
#ifndef TESTS_GRAINED_FLOOR_H
#define TESTS_GRAINED_FLOOR_H

#include "trials.h"
#include "solver.h"
#include "base/vec.h"

enum { AXIS_ON_FLOOR = 1, AXIS_ON_BLOCK = 2, BLOCK_FIRST = 4, TILES = 8, THREE_FEET = 16 };

typedef struct grained {
  double along, across;     /* coefficients of the pair of materials */
  double axis;              /* angle of the axis from x, rad */
  double other;             /* of the second of two tiles, relative to it, rad */
  double pull[2], speed[2]; /* acceleration and initial velocity of the block along x and y, m/s^2 and m/s */
  double spin;              /* rad/s, about the normal */
  double turn[4];           /* orientation of the whole scene, a unit quaternion; 0: none */
  int options;              /* AXIS_ON_FLOOR if 0 */
  int more;                 /* number of blocks beside the first */
  const char *friction;     /* Lua, in place of `along`; NULL: a number */
} grained;

static const double weight = 9.81, mass = 2.0; /* normal acceleration, m/s^2; kg */

static inline void turned(const grained *s, double x, double y, double z, double out[3])
{
  const double v[3] = { x, y, z }, none[4] = { 1, 0, 0, 0 };
  quat_rotate(out, s->turn[0] != 0.0 || s->turn[1] != 0.0 ? s->turn : none, v);
}

static inline void append(char *text, size_t size, const char *format, ...)
{
  va_list list;
  const size_t length = strlen(text);
  va_start(list, format);
  const int more = vsnprintf(text + length, size - length, format, list);
  va_end(list);
  assert_true(more > 0 && (size_t)more < size - length);
}

static inline void append_vector(char *text, size_t size, const char *key, const double v[3])
{
  append(text, size, "%s = { %.17g, %.17g, %.17g }", key, v[0], v[1], v[2]);
}

/* Appends the orientation of a body and its friction axis at the angle AXIS. */
static inline void append_axis(const grained *s, char *text, size_t size, bool has_axis, double axis)
{
  static const double none[4] = { 1, 0, 0, 0 };
  const double *q = s->turn[0] != 0.0 || s->turn[1] != 0.0 ? s->turn : none;
  append(text, size, ", orientation = { %.17g, %.17g, %.17g, %.17g }", q[0], q[1], q[2], q[3]);
  if (has_axis) append(text, size, ", friction_axis = { %.17g, %.17g, 0 }", cos(axis), sin(axis));
}

static inline void append_floor(const grained *s, char *text, size_t size)
{
  const bool has_axis = !(s->options & AXIS_ON_BLOCK) || s->options & AXIS_ON_FLOOR;
  for (int side = -1; side <= 1; side += 2) {
    double at[3] = { 0 };
    if (s->options & TILES) turned(s, 2.0 * side, 0, -0.5, at);
    append(text, size, "sys:body { name = 'floor%d', fixed = true, material = 'floor', ", side + 1);
    append_vector(text, size, "position", at);
    append(text, size, ", shape = %s",
           s->options & TILES ? "scene.box { 4, 4, 1 }" : "scene.plane { normal = { 0, 0, 1 } }");
    append_axis(s, text, size, has_axis, side > 0 ? s->axis + s->other : s->axis);
    append(text, size, " }\n");
    if (!(s->options & TILES)) break;
  }
}

/* The block is a box on four corners, whose forces are not unique; or stands on three feet. */
static inline void append_shape(const grained *s, char *text, size_t size)
{
  static const double foot[3][2] = { { 0.2, 0.0 }, { -0.1, 0.15 }, { -0.1, -0.15 } };
  if (!(s->options & THREE_FEET)) append(text, size, "shape = scene.box { 0.4, 0.3, 0.2 }, ");
  else append(text, size, "shapes = { ");
  for (int i = 0; i < 3 && s->options & THREE_FEET; i++)
    append(text, size, "{ shape = scene.sphere { radius = 0.02 }, position = { %g, %g, -0.08 } }%s",
           foot[i][0], foot[i][1], i < 2 ? ", " : " }, ");
}

/* Appends block number I, 0.5 m beside the one before; the first is `block`. */
static inline void append_block(const grained *s, int i, char *text, size_t size)
{
  double at[3], v[3], w[3];
  turned(s, 0, 0.5 * i, 0.1, at), turned(s, s->speed[0], s->speed[1], 0, v), turned(s, 0, 0, s->spin, w);
  append(text, size, "sys:body { name = 'block%.0d', mass = %g, ", i, mass);
  append_shape(s, text, size);
  append(text, size, "material = 'block', inertia = { 0.02, 0.03, 0.04 }, products = { 0.006, 0, 0 }, ");
  append_vector(text, size, "position", at), append(text, size, ", ");
  append_vector(text, size, "velocity", v), append(text, size, ", ");
  append_vector(text, size, "angular_velocity", w);
  append_axis(s, text, size, s->options & AXIS_ON_BLOCK, s->axis);
  append(text, size, " }\n");
}

/* Writes the scene. */
static inline void write_grained(const grained *s)
{
  char text[4096] = "local scene = require 'holonom.scene'\nlocal sys = scene.system { ";
  double gravity[3];
  turned(s, s->pull[0], s->pull[1], -weight, gravity);
  append_vector(text, sizeof text, "gravity", gravity);
  append(text, sizeof text, " }\n");
  if (s->options & BLOCK_FIRST) append_block(s, 0, text, sizeof text);
  append_floor(s, text, sizeof text);
  if (!(s->options & BLOCK_FIRST)) append_block(s, 0, text, sizeof text);
  for (int i = 1; i <= s->more; i++) append_block(s, i, text, sizeof text);
  append(text, sizeof text, "sys:material_pair { 'floor', 'block', friction_across = %.17g, ", s->across);
  if (s->friction) append(text, sizeof text, "friction = %s }\n", s->friction);
  else append(text, sizeof text, "friction = %.17g }\n", s->along);
  append(text, sizeof text, "sys:contact { margin = 0.02 }\nreturn sys");
  write_bytes(text, strlen(text));
}

/* Runs the scene; it must converge. */
static inline trial run_grained(const grained *s, const char *spec, double h, double time)
{
  write_grained(s);
  trial r = run_spec(spec, h, time, NULL, NULL);
  if (r.reason != HN_CONVERGED) fail_msg("%s: %s", spec, r.summary.explanation);
  return r;
}

/* Returns the twist or the position of the block along x, y, z of the scene before it is turned. */
static inline int block_of(const trial *r)
{
  hn_error error;
  return hn_model_find_body(r->scene->model, "block", &error);
}

static inline void seen(const grained *s, const double in[3], double out[3])
{
  static const double none[4] = { 1, 0, 0, 0 };
  quat_unrotate(out, s->turn[0] != 0.0 || s->turn[1] != 0.0 ? s->turn : none, in);
}

/* ---- Closed forms -------------------------------------------------------------------------------------- */

/* Components of V along and across the axis, and back. */
static inline void to_axis(double angle, const double v[2], double out[2])
{
  const double c = cos(angle), s = sin(angle), x = v[0], y = v[1];
  out[0] = c * x + s * y, out[1] = c * y - s * x;
}

/* Returns the acceleration at which a load in direction ANGLE from the axis begins to move the block. */
static inline double threshold(double along, double across, double angle)
{
  return weight / hypot(cos(angle) / along, sin(angle) / across);
}

/* Computes the acceleration a of a block that starts from rest under PULL, along and across the axis: a_i =
 * pull_i - N mu_i^2 a_i / D(a). With L = N / D, a_i = pull_i / (1 + L mu_i^2). L D(a) = N grows with L. */
static inline void start_acceleration(double along, double across, const double pull[2], double a[2])
{
  double low = 0.0, high = 1e9;
  for (int i = 0; i < 200; i++) {
    const double L = 0.5 * (low + high);
    a[0] = pull[0] / (1.0 + L * along * along), a[1] = pull[1] / (1.0 + L * across * across);
    if (L * hypot(along * a[0], across * a[1]) < weight) low = L;
    else high = L;
  }
}

/* Gauss and Legendre's rule with five points on each of PANELS parts of [from, to]. */
static inline double integral(double (*f)(const double *, double), const double *c, double from, double to)
{
  enum { PANELS = 400 };
  static const double x[] = { 0.0, 0.5384693101056831, 0.9061798459386640 },
                      w[] = { 0.5688888888888889, 0.4786286704993665, 0.2369268850561891 };
  const double half = 0.5 * (to - from) / PANELS;
  double sum = 0.0;
  for (int i = 0; i < PANELS; i++) {
    const double mid = from + (2 * i + 1) * half;
    sum += w[0] * f(c, mid);
    for (int k = 1; k < 3; k++) sum += w[k] * (f(c, mid - half * x[k]) + f(c, mid + half * x[k]));
  }
  return half * sum;
}

/* Sliding without a load: with ds / s = -mu_2^2 N dt / D, v_2 = s v_2(0) and v_1 = s^k v_1(0), k = (mu_1 /
 * mu_2)^2, so that dt = -D ds / (mu_2^2 N s); s = 0 at rest. Data: mu_1, mu_2, v_1(0), v_2(0); k >= 1. */
static inline double time_of(const double *c, double s)
{
  const double k = c[0] * c[0] / (c[1] * c[1]);
  return hypot(c[0] * c[2] * pow(s, k - 1.0), c[1] * c[3]) / (c[1] * c[1] * weight);
}

static inline double way_along(const double *c, double s)
{
  return c[2] * pow(s, c[0] * c[0] / (c[1] * c[1])) * time_of(c, s);
}

static inline double way_across(const double *c, double s)
{
  return c[3] * s * time_of(c, s);
}

/* Computes the way x[2] and the velocity v[2] at TIME, along and across the axis, from the initial velocity
 * C[2], C[3]; returns the time of the stop. */
static inline double slide(const double c[4], double time, double x[2], double v[2])
{
  const double stop = integral(time_of, c, 0.0, 1.0);
  double low = 0.0, high = 1.0;
  for (int i = 0; i < 60 && time < stop; i++) {
    const double s = 0.5 * (low + high);
    if (integral(time_of, c, s, 1.0) > time) low = s;
    else high = s;
  }
  const double s = time < stop ? low : 0.0;
  x[0] = integral(way_along, c, s, 1.0), x[1] = integral(way_across, c, s, 1.0);
  v[0] = c[2] * pow(s, c[0] * c[0] / (c[1] * c[1])), v[1] = c[3] * s;
  return stop;
}

#endif
