/* point_velocity.h - the velocity of b relative to a at one point of space, along a direction: rows of knife
 * edges and rolling bodies. Internal.
 *
 *   r: from the centre of mass of b to the point, rho: from that of a;  V = v_b + w_b x r - v_a - w_a x rho
 *   row  e . V:   G_b = (e, r x e),  G_a = -(e, rho x e),  gamma = e' . V + e . (w_b x r' - w_a x rho')
 *
 * The point may move over both bodies, with r' and rho', and the direction may change, with e'. */
#ifndef HN_POINT_VELOCITY_H
#define HN_POINT_VELOCITY_H

#include "joint/joint_rows.h"

typedef struct hn_touch {
  const hn_twist *ua, *ub;
  double arm[3], arm_rate[3];     /* r and r', world axes */
  double reach[3], reach_rate[3]; /* rho and rho' */
} hn_touch;

/* Computes TOUCH for the point of b at ARM from its centre of mass; ARM_RATE is its velocity minus that of
 * the centre. */
void hn_point_velocity_at(hn_touch *touch, const hn_pose *a, const hn_twist *ua, const hn_pose *b,
                          const hn_twist *ub, const double arm[3], const double arm_rate[3]);
/* Computes a row with residual 0. */
void hn_point_velocity_row(const hn_touch *touch, const double e[3], const double e_rate[3], hn_row *row);
/* Computes coefficient K of the Jacobian from the series of e, r and rho: component c, power i at [c * stride
 * + i]. */
void hn_point_velocity_jet(const double *e, const double *arm, const double *reach, size_t k, size_t stride,
                           hn_row *row);

#endif
