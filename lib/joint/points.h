/* points.h - arms from the centres of mass to the joint points, and the power series of a point. Internal. */
#ifndef HN_JOINT_POINTS_H
#define HN_JOINT_POINTS_H

#include "joints.h"
#include "base/lane.h"

/* Computes R(q) point of both bodies: half 0 is a, half 1 is b. */
static inline void joint_arms(const hn_joint *joint, const hn_pose *a, const hn_pose *b, lane arm[3])
{
  lane n[3], point[3], c[3], d[3], w = { a->q[0], b->q[0] };
  for (int i = 0; i < 3; i++) {
    n[i] = (lane){ a->q[1 + i], b->q[1 + i] };
    point[i] = (lane){ joint->point_a[i], joint->point_b[i] };
  }
  lane_cross(c, n, point);
  lane_cross(d, n, c);
  for (int i = 0; i < 3; i++) arm[i] = point[i] + 2.0 * (w * c[i] + d[i]);
}

/* out = joint point of b minus joint point of a */
static inline void joint_span(const hn_pose *a, const hn_pose *b, const lane arm[3], double out[3])
{
  for (int i = 0; i < 3; i++) out[i] = (b->x[i] + arm[i][1]) - (a->x[i] + arm[i][0]);
}

/* Extracts one side of the arms. */
static inline void joint_arm(const lane arm[3], int side, double out[3])
{
  for (int i = 0; i < 3; i++) out[i] = arm[i][side];
}

/* Returns coefficient k of component i of a body point relative to the centre of mass: R_k point. */
static inline double joint_arm_coefficient(const hn_body_jet *body, int i, size_t k, const double point[3])
{
  const double *row = body->power[k].R + 3 * i;
  return row[0] * point[0] + row[1] * point[1] + row[2] * point[2];
}

/* Returns coefficient k of component i of a body point relative to the origin: x_k + R_k point. */
static inline double joint_point_coefficient(const hn_body_jet *body, int i, size_t k, const double point[3])
{
  return body->power[k].x[i] + joint_arm_coefficient(body, i, k, point);
}

#endif
