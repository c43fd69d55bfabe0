/* motor.c - motors and servos about and along an axis, with a maximum force
 *
 *   motor  Q = gain (target + offset - rate)                                      target: a speed
 *   servo  Q = stiffness e + integral z + damping de/dt,  e = target + offset - x   target: a position (PID)
 *
 * Q is limited to +- limit; at its limit it is constant. For a motor about an axis of a, the rate is that
 * component of w_b - w_a, and Q acts about that axis, whatever the orientation of b. `target` is a function
 * of time, `offset` an input (sys:control). z is the integral of e. It grows by h e at the end of each step
 * that is not at the limit (anti-windup of a digital controller), so a servo with an integral part has order
 * 1 in h. Without an integral part z does not change, because a changed input would end the history of a
 * multistep method. */
#include "forces.h"
#include "joint/joint_rows.h"

#include <math.h>

typedef struct motor {
  double gain, limit;
} motor;

typedef struct servo {
  double stiffness, integral, damping, limit;
  bool turns; /* x is an angle: differences are modulo 2 pi */
} servo;

enum { OFFSET, INTEGRAL, SERVO_INPUTS, MOTOR_INPUTS = 1 };

#define MOTOR_PARAMS(of, gain_unit, limit_unit)                                                             \
  static const hn_param of[] = {                                                                            \
    { "gain", HN_REAL, offsetof(motor, gain), "0", 0, HUGE_VAL, gain_unit, NULL, "force per speed error" }, \
    { "limit", HN_REAL, offsetof(motor, limit), "0", 0, HUGE_VAL, limit_unit, NULL, "maximum force" },      \
    { .key = NULL },                                                                                        \
  }
MOTOR_PARAMS(motor_params, "N m s/rad", "N m");
MOTOR_PARAMS(axial_motor_params, "N s/m", "N");

#define SERVO_PARAMS(of, force_unit, per_place, per_integral, per_speed)                                    \
  static const hn_param of[] = {                                                                            \
    { "stiffness", HN_REAL, offsetof(servo, stiffness), "0", 0, HUGE_VAL, per_place, NULL,                  \
      "proportional part" },                                                                                \
    { "integral", HN_REAL, offsetof(servo, integral), "0", 0, HUGE_VAL, per_integral, NULL,                 \
      "integral part" },                                                                                    \
    { "damping", HN_REAL, offsetof(servo, damping), "0", 0, HUGE_VAL, per_speed, NULL, "derivative part" }, \
    { "limit", HN_REAL, offsetof(servo, limit), "0", 0, HUGE_VAL, force_unit, NULL, "maximum force" },      \
    { .key = NULL },                                                                                        \
  }
SERVO_PARAMS(servo_params, "N m", "N m/rad", "N m/(rad s)", "N m s/rad");
SERVO_PARAMS(axial_servo_params, "N", "N/m", "N/(m s)", "N s/m");

static double limited(double Q, double limit)
{
  return Q > limit ? limit : Q < -limit ? -limit : Q;
}

static int check_limit(const hn_force *force, double limit, hn_error *error)
{
  if (limit > 0) return 0;
  return hn_fail(error, "force \"%s\": its limit is missing, the largest force that it can give",
                 force->name);
}

/* ---- Motors -------------------------------------------------------------------------------------------- */

static int setup_motor(hn_force *force, const double *g, hn_error *error)
{
  const motor *d = force->data;
  (void)g;
  if (!(d->gain > 0)) return hn_fail(error, "force \"%s\": a motor needs a gain above zero", force->name);
  return check_limit(force, d->limit, error);
}

static double motor_force(const hn_force *force, double t, const double *input, double rate)
{
  const motor *d = force->data;
  return d->gain * (hn_motion_coefficient(&force->motion, t, 0) + input[OFFSET] - rate);
}

static void motor_jet(const hn_force *force, double t, const double *input, const double *g,
                      const double *rate, size_t stride, size_t k, double *work, double *Q)
{
  const motor *d = force->data;
  (void)g, (void)stride, (void)work;
  const double force_now = motor_force(force, t, input, rate[0]);
  if (k == 0) Q[0] = limited(force_now, d->limit);
  else if (fabs(force_now) > d->limit) Q[k] = 0.0;
  else Q[k] = d->gain * (hn_motion_coefficient(&force->motion, t, k) - rate[k]);
}

/* ---- Servos -------------------------------------------------------------------------------------------- */

static int setup_servo(hn_force *force, const double *g, hn_error *error)
{
  servo *d = force->data;
  (void)g;
  d->turns = force->rows.type == &hn_coordinate_angle;
  if (!(d->stiffness > 0))
    return hn_fail(error, "force \"%s\": a servo needs a stiffness above zero", force->name);
  return check_limit(force, d->limit, error);
}

static double servo_error(const hn_force *force, double t, const double *input, double x)
{
  double error = hn_motion_coefficient(&force->motion, t, 0) + input[OFFSET] - x;
  return ((const servo *)force->data)->turns ? remainder(error, 2.0 * M_PI) : error;
}

static double servo_force(const hn_force *force, double t, const double *input, double x, double rate)
{
  const servo *d = force->data;
  return d->stiffness * servo_error(force, t, input, x) + d->integral * input[INTEGRAL] +
         d->damping * (hn_motion_coefficient(&force->motion, t, 1) - rate);
}

static void servo_jet(const hn_force *force, double t, const double *input, const double *g,
                      const double *rate, size_t stride, size_t k, double *work, double *Q)
{
  const servo *d = force->data;
  const hn_motion *target = &force->motion;
  (void)stride, (void)work;
  const double force_now = servo_force(force, t, input, g[0], rate[0]);
  if (k == 0) Q[0] = limited(force_now, d->limit);
  else if (fabs(force_now) > d->limit) Q[k] = 0.0;
  else
    Q[k] = d->stiffness * (hn_motion_coefficient(target, t, k) - g[k]) +
           d->damping * ((double)(k + 1) * hn_motion_coefficient(target, t, k + 1) - rate[k]);
}

static void servo_update(const hn_force *force, double t, double h, const double *g, const double *rate,
                         double *input)
{
  const servo *d = force->data;
  bool at_limit = !(fabs(servo_force(force, t, input, g[0], rate[0])) <= d->limit);
  if (d->integral > 0 && !at_limit) input[INTEGRAL] += h * servo_error(force, t, input, g[0]);
}

#define ACTUATOR(suffix, text, of, geometry, law, table, ...)         \
  const hn_force_type hn_force_##suffix = {                           \
    .name = #suffix,                                                  \
    .summary = text,                                                  \
    .rows = &hn_coordinate_##of,                                      \
    .keys = HN_KEY_MOTION | HN_KEY_AXIS | HN_ROTATION_A | (geometry), \
    .uses_rates = true,                                               \
    .data_size = sizeof(law),                                         \
    .params = table,                                                  \
    .setup = setup_##law,                                             \
    .jet = law##_jet,                                                 \
    __VA_ARGS__,                                                      \
  }
#define SERVO \
  .inputs = SERVO_INPUTS, .update = servo_update, .citation = "Bender and Schmitt 2006, section 4.4"

ACTUATOR(motor, "turns b about an axis of a at a speed, up to a torque", about, HN_ROTATION_B, motor,
         motor_params, .inputs = MOTOR_INPUTS, .own_law = HN_RATE_LAW);
ACTUATOR(axial_motor, "moves b along an axis of a at a speed, up to a force", position, HN_KEY_AT, motor,
         axial_motor_params, .inputs = MOTOR_INPUTS, .own_law = HN_LAW);
ACTUATOR(servo, "turns b about an axis of a to an angle (PID), up to a torque", angle, HN_ROTATION_B, servo,
         servo_params, SERVO);
ACTUATOR(axial_servo, "moves b along an axis of a to a position (PID), up to a force", position, HN_KEY_AT,
         servo, axial_servo_params, SERVO);
