/* knife.c - a knife edge: a point of b does not move along an axis fixed to b, relative to the coincident
 * point of a. Examples are a skate, a sledge, a wheel that does not slip sideways. The constraint is not
 * holonomic and does no work.
 *
 *   e . V = 0,   e = R_b e_0,  r = R_b point_b   1 row, m/s; see point_velocity.h, e' = w_b x e, r' = w_b x r
 *
 * Only b has a joint point; another joint must keep it on a. */
#include "joint/point_velocity.h"
#include "base/vec.h"

static void eval(const hn_joint *joint, double t, const hn_pose *a, const hn_twist *ua, const hn_pose *b,
                 const hn_twist *ub, const hn_rows *out)
{
  double e[3], e_rate[3], arm[3], arm_rate[3];
  hn_touch touch;
  hn_row row;
  (void)t;
  quat_rotate(e, b->q, joint->axes->b);
  quat_rotate(arm, b->q, joint->point_b);
  vec_cross(e_rate, ub->w, e);
  vec_cross(arm_rate, ub->w, arm);
  hn_point_velocity_at(&touch, a, ua, b, ub, arm, arm_rate);
  hn_point_velocity_row(&touch, e, e_rate, &row);
  hn_row_store(&row, 0, 1, out);
}

static void jet(const hn_joint *joint, double t, const hn_body_jet *a, const hn_body_jet *b, size_t k,
                double *work, double *g, double *G_a, double *G_b)
{
  const size_t n = a->count;
  hn_row row;
  (void)t;
  hn_place_jet(joint, a, b, k, work);
  hn_point_velocity_jet(work + HN_AXES_B * n, work + HN_ARM_B * n, work + HN_REACH * n, k, n, &row);
  hn_row_store(&row, 0, 1, &(hn_rows){ .g = g, .G_a = G_a, .G_b = G_b });
}

const hn_joint_type hn_joint_knife_edge = {
  .name = "knife_edge",
  .summary = "a point of b does not move along an axis of b (a skate)",
  .unit = "m",
  .rows = 1,
  .velocity = true,
  .keys = HN_KEY_AT | HN_KEY_AXIS | HN_ROTATION_A | HN_ROTATION_B | HN_AXIS_IN_PLANE,
  .planar = &hn_joint_knife_edge,
  .jet_series = HN_PLACE_SERIES,
  .eval = eval,
  .jet = jet,
};
