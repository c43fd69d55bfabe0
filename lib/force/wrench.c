/* wrench.c - a force at a point of a body, and a torque, as functions of time in world axes.
 *
 *   Q = f(t) vector;  the rows only carry it to the bodies */
#include "joint/rows.h"

static void law(const hn_force *force, double t, const double *input, const double *g, const double *rate, double *Q)
{
  double factor = hn_motion_coefficient(&force->motion, t, 0);
  (void)input, (void)g, (void)rate;
  for (int i = 0; i < 3; i++) Q[i] = factor * force->vector[i];
}

static void jet(const hn_force *force, double t, const double *input, const double *g, const double *rate,
                size_t stride, size_t k, double *Q)
{
  double factor = hn_motion_coefficient(&force->motion, t, k);
  (void)input, (void)g, (void)rate;
  for (size_t i = 0; i < 3; i++) Q[i * stride + k] = factor * force->vector[i];
}

static const hn_param none[] = { { .key = NULL } };

const hn_force_type hn_force_force = {
  .name = "force", .summary = "a force at a point of a body, constant or a function of time",
  .rows = &hn_joint_point_on_point, .keys = HN_KEY_AT, .vector = "force", .params = none, .law = law, .jet = jet,
};

const hn_force_type hn_force_torque = {
  .name = "torque", .summary = "a torque on a body, constant or a function of time", .rows = &hn_coordinate_spin,
  .keys = HN_TURNS_B, .vector = "torque", .params = none, .law = law, .jet = jet,
};
