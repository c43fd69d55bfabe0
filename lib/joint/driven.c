/* driven.c - a coordinate x, or its rate, that follows a function f of time (rheonomic constraint); and
 * dry friction in joints
 *
 *   drive      x = f(t)                               g = x - f, bias = -f', gamma = that of x - f''
 *   motor      dx/dt = f(t) + input,  |lambda| <= limit       bias = -f, gamma = that of x - f'
 *   friction   dx/dt = 0,             |lambda| <= torque or force
 *
 * An angle is compared with f modulo 2 pi. The system adds the input, which is not in the bias.
 *
 * Between its bounds, the multiplier of a motor or of friction enforces the rate exactly. At a bound the rate
 * deviates: lambda = upper if dx/dt is too small, lower if it is too large. For friction this is Coulomb's
 * law with a constant normal force: it sticks up to the bound and opposes slip with the bound. A motor
 * without a limit reaches its rate immediately. [gribel2009, section 2.6, eq. 23: its angular driver is
 * motor_angle with a limit]
 *
 * Neither controls a position: errors of the rate accumulate. Drives control one. */
#include "joint/joint_rows.h"

#include <math.h>

typedef struct bounded {
  hn_set set; /* the parameter is the upper bound; the lower bound is its negative */
} bounded;

/* Sets the bounds, which drives do not have; infinite by default for a motor, required for friction. */
static int setup(hn_joint *joint, const hn_joint_spec *spec, const hn_pose *a, const hn_pose *b,
                 hn_error *error)
{
  bounded *d = joint->data;
  const bool motor = joint->type->keys & HN_KEY_MOTION;
  (void)spec, (void)a, (void)b;
  if (!d) return 0;
  if (isnan(d->set.upper) && !motor)
    return hn_fail(error, "joint \"%s\": dry friction needs its largest %s", joint->name,
                   joint->type->params->key);
  if (isnan(d->set.upper)) d->set.upper = HUGE_VAL;
  d->set.lower = -d->set.upper;
  d->set.kind = HN_WITHIN;
  joint->set = &d->set;
  return 0;
}

/* Returns coefficient k of f. */
static double target(const hn_joint *joint, double t, size_t k)
{
  return joint->type->keys & HN_KEY_MOTION ? hn_motion_coefficient(&joint->axes->motion, t, k) : 0.0;
}

/* Reduces the difference of an angle from f modulo 2 pi. */
static double reduced(const hn_joint *joint, double g)
{
  const hn_row_part *part = joint->type->detail;
  return part->kind == HN_ROW_TURN ? remainder(g, 2.0 * M_PI) : g;
}

static void eval(const hn_joint *joint, double t, const hn_pose *a, const hn_twist *ua, const hn_pose *b,
                 const hn_twist *ub, const hn_rows *out)
{
  const bool rate = joint->type->velocity;
  hn_place place;
  hn_row row;
  hn_place_at(&place, joint, a, ua, b, ub, out->gamma != NULL);
  hn_place_row(&place, joint->type->detail, &row);
  if (rate) row.g = 0.0;
  else if (out->g) row.g = reduced(joint, row.g - target(joint, t, 0));
  if (out->gamma) row.gamma -= rate ? target(joint, t, 1) : 2.0 * target(joint, t, 2);
  hn_row_store(&row, 0, 1, out);
  if (out->bias) out->bias[0] = -target(joint, t, rate ? 0 : 1);
}

static void jet(const hn_joint *joint, double t, const hn_body_jet *a, const hn_body_jet *b, size_t k,
                double *work, double *g, double *G_a, double *G_b)
{
  const bool rate = joint->type->velocity;
  hn_row row;
  hn_place_jet(joint, a, b, k, work);
  hn_place_row_jet(joint, joint->type->detail, k, a->count, work, &row);
  row.g = rate ? -target(joint, t, k) : row.g - target(joint, t, k);
  if (k == 0 && !rate) row.g = reduced(joint, row.g);
  hn_row_store(&row, 0, 1, &(hn_rows){ .g = g, .G_a = G_a, .G_b = G_b });
}

HN_COORDINATE_TYPE(drive_angle, "the angle of b about an axis of a follows a function of time", "rad",
                   HN_ROW_TURN, HN_ABOUT_AXIS | HN_KEY_MOTION, HN_TURN_SERIES, .velocity = false);
HN_COORDINATE_TYPE(drive_position, "the position of b along an axis of a follows a function of time", "m",
                   HN_ROW_ALONG, HN_ALONG_AXIS | HN_KEY_MOTION, 0, .velocity = false);

#define BOUND(of, word, of_unit, text)                                                     \
  static const hn_param of[] = {                                                           \
    { word, HN_REAL, offsetof(bounded, set.upper), "", 0, HUGE_VAL, of_unit, NULL, text }, \
    { .key = NULL },                                                                       \
  }
BOUND(motor_angle_params, "limit", "N m", "maximum torque; default: none");
BOUND(motor_position_params, "limit", "N", "maximum force; default: none");
BOUND(friction_angle_params, "torque", "N m", "maximum torque");
BOUND(friction_position_params, "force", "N", "maximum force");

#define RATE(joint, text, unit, kind, with, series, control)                                    \
  HN_COORDINATE_TYPE(joint, text, unit, kind, with, series, .set = HN_WITHIN, .velocity = true, \
                     .inputs = control, .data_size = sizeof(bounded), .params = joint##_params)

RATE(motor_angle, "b turns about an axis of a at a speed, up to a torque", "rad", HN_ROW_TURN,
     HN_ABOUT_AXIS | HN_KEY_MOTION, HN_TURN_SERIES, 1);
RATE(motor_position, "b moves along an axis of a at a speed, up to a force", "m", HN_ROW_ALONG,
     HN_ALONG_AXIS | HN_KEY_MOTION, 0, 1);
RATE(friction_angle, "dry friction against turning about an axis of a", "rad", HN_ROW_TURN, HN_ABOUT_AXIS,
     HN_TURN_SERIES, 0);
RATE(friction_position, "dry friction against moving along an axis of a", "m", HN_ROW_ALONG, HN_ALONG_AXIS, 0,
     0);
