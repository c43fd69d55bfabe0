/* wrench.c - forces at a point of a body and torques, as functions of time, in world axes or body axes
 *
 *   Q = f(t) vector               world axes; the rows only define the point
 *   Q = (f(t) + input) vector     axes of the body: thrusters, which control sets */
#include "forces.h"
#include "joint/joint_rows.h"

/* Returns coefficient k of the factor. */
static double factor_of(const hn_force *force, double t, const double *input, size_t k)
{
  double factor = hn_motion_coefficient(&force->motion, t, k);
  return k == 0 && force->type->inputs > 0 ? factor + input[0] : factor;
}

static void jet(const hn_force *force, double t, const double *input, const double *g, const double *rate,
                size_t stride, size_t k, double *work, double *Q)
{
  double factor = factor_of(force, t, input, k);
  (void)g, (void)rate, (void)work;
  for (size_t i = 0; i < 3; i++) Q[i * stride + k] = factor * force->vector[i];
}

static const hn_param none[] = { { .key = NULL } };

#define WRENCH(suffix, text, of, with, key, control, kind) \
  const hn_force_type hn_force_##suffix = {                \
    .name = #suffix,                                       \
    .summary = text,                                       \
    .rows = &of,                                           \
    .keys = with,                                          \
    .vector = key,                                         \
    .inputs = control,                                     \
    .own_law = kind,                                       \
    .params = none,                                        \
    .jet = jet,                                            \
  }

WRENCH(force, "a force at a point of a body, constant or a function of time", hn_joint_point_on_point,
       HN_KEY_AT, "force", 0, HN_LAW);
WRENCH(torque, "a torque on a body, constant or a function of time", hn_coordinate_spin, HN_ROTATION_B,
       "torque", 0, HN_RATE_LAW);
WRENCH(body_force, "a force at a point of a body, along axes of the body, with an input",
       hn_coordinate_body_velocity, HN_KEY_AT | HN_KEY_BODY_AXES | HN_ROTATION_B, "force", 1, HN_RATE_LAW);
WRENCH(body_torque, "a torque on a body, about axes of the body, with an input", hn_coordinate_body_spin,
       HN_KEY_BODY_AXES | HN_ROTATION_B, "torque", 1, HN_RATE_LAW);
