/* spring.c - springs with dampers: along the line of two points, about an axis, along an axis
 *
 *   Q = -stiffness (x - rest) - damping dx/dt,   energy stiffness (x - rest)^2 / 2
 *
 * Without stiffness it is a damper, for example viscous friction in a joint. */
#include "forces.h"
#include "joint/joint_rows.h"

#include <math.h>

typedef struct spring {
  double stiffness, damping, rest;
  int active; /* negative stiffness or damping is allowed */
  bool turns; /* x is an angle: differences are modulo 2 pi */
} spring;

#define SPRING_PARAMS(of, stiffness_unit, damping_unit, more)                                               \
  static const hn_param of[] = { { "stiffness", HN_REAL, offsetof(spring, stiffness), "0", -HUGE_VAL,       \
                                   HUGE_VAL, stiffness_unit, NULL, "force per displacement" },              \
                                 { "damping", HN_REAL, offsetof(spring, damping), "0", -HUGE_VAL, HUGE_VAL, \
                                   damping_unit, NULL, "force per speed" },                                 \
                                 { "active", HN_FLAG, offsetof(spring, active), "false", 0, 0, "", NULL,    \
                                   "allows negative stiffness and damping, which feed energy" },            \
                                 more{ .key = NULL } }
#define LENGTH                                 \
  { "length", HN_REAL, offsetof(spring, rest), \
    "",       0,       HUGE_VAL,               \
    "m",      NULL,    "length without force; default: the length at the start" },
#define REST(unit) \
  { "rest", HN_REAL, offsetof(spring, rest), "0", -HUGE_VAL, HUGE_VAL, unit, NULL, "value without force" },

SPRING_PARAMS(line_params, "N/m", "N s/m", LENGTH);
SPRING_PARAMS(angle_params, "N m/rad", "N m s/rad", REST("rad"));
SPRING_PARAMS(axis_params, "N/m", "N s/m", REST("m"));

static int setup(hn_force *force, const double *g, hn_error *error)
{
  spring *d = force->data;
  if (isnan(d->rest)) d->rest = g[0];
  d->turns = force->rows.type == &hn_coordinate_angle;
  force->conservative = d->damping == 0;
  if (d->stiffness == 0 && d->damping == 0)
    return hn_fail(error, "force \"%s\": it needs stiffness or damping", force->name);
  if (!d->active && (d->stiffness < 0 || d->damping < 0))
    return hn_fail(error, "force \"%s\": negative %s feeds energy; set active = true if this is intended",
                   force->name, d->stiffness < 0 ? "stiffness" : "damping");
  return 0;
}

static double stretch(const spring *d, double x)
{
  return d->turns ? remainder(x - d->rest, 2.0 * M_PI) : x - d->rest;
}

static void jet(const hn_force *force, double t, const double *input, const double *g, const double *rate,
                size_t stride, size_t k, double *work, double *Q)
{
  const spring *d = force->data;
  (void)t, (void)input, (void)stride, (void)work;
  Q[k] = -d->stiffness * (k == 0 ? stretch(d, g[0]) : g[k]) - d->damping * rate[k];
}

static double energy(const hn_force *force, const double *g)
{
  const spring *d = force->data;
  double x = stretch(d, g[0]);
  return 0.5 * d->stiffness * x * x;
}

#define SPRING(suffix, text, of, with, table) \
  const hn_force_type hn_force_##suffix = {   \
    .name = #suffix,                          \
    .summary = text,                          \
    .rows = &hn_coordinate_##of,              \
    .keys = with,                             \
    .uses_rates = true,                       \
    .data_size = sizeof(spring),              \
    .params = table,                          \
    .own_law = HN_LAW,                        \
    .setup = setup,                           \
    .jet = jet,                               \
    .energy = energy,                         \
  }

SPRING(spring, "spring and damper between two points", length, HN_KEY_AT | HN_KEY_DEFAULT_POINTS,
       line_params);
SPRING(angular_spring, "spring and damper about an axis", angle, HN_KEY_AXIS | HN_ROTATION_A | HN_ROTATION_B,
       angle_params);
SPRING(axial_spring, "spring and damper along an axis of a", position,
       HN_KEY_AT | HN_KEY_AXIS | HN_ROTATION_A, axis_params);
