/* drive.c - prescribed motion: a coordinate of two bodies follows a function f of time (rheonomic constraint)
 *
 *   g = coordinate - f(t),  bias = -f',  gamma = that of the coordinate - f''
 *
 * An angle is compared with f modulo 2 pi. */
#include "joint/joint_rows.h"

#include <math.h>

static void eval(const hn_joint *joint, double t, const hn_pose *a, const hn_twist *ua, const hn_pose *b,
                 const hn_twist *ub, const hn_rows *out)
{
  const hn_row_part *part = joint->type->detail;
  hn_place place;
  hn_row row;
  hn_place_at(&place, joint, a, ua, b, ub, out->gamma != NULL);
  hn_place_row(&place, part, &row);
  if (out->g) row.g -= hn_motion_coefficient(&joint->axes->motion, t, 0);
  if (out->gamma) row.gamma -= 2.0 * hn_motion_coefficient(&joint->axes->motion, t, 2);
  if (part->kind == HN_ROW_TURN) row.g = remainder(row.g, 2.0 * M_PI);
  hn_row_store(&row, 0, 1, out);
  if (out->bias) out->bias[0] = -hn_motion_coefficient(&joint->axes->motion, t, 1);
}

static void jet(const hn_joint *joint, double t, const hn_body_jet *a, const hn_body_jet *b, size_t k,
                double *work, double *g, double *G_a, double *G_b)
{
  const hn_row_part *part = joint->type->detail;
  hn_row row;
  hn_place_jet(joint, a, b, k, work);
  hn_place_row_jet(joint, part, k, a->count, work, &row);
  row.g -= hn_motion_coefficient(&joint->axes->motion, t, k);
  if (k == 0 && part->kind == HN_ROW_TURN) row.g = remainder(row.g, 2.0 * M_PI);
  hn_row_store(&row, 0, 1, &(hn_rows){ .g = g, .G_a = G_a, .G_b = G_b });
}

static const hn_row_part turn[] = { { HN_ROW_TURN, 0, 0 } }, along[] = { { HN_ROW_ALONG, 0, 0 } };

const hn_joint_type hn_joint_drive_angle = {
  .name = "drive_angle",
  .summary = "the angle of b about an axis of a follows a function of time",
  .unit = "rad",
  .rows = 1,
  .keys = HN_KEY_AXIS | HN_KEY_MOTION | HN_ROTATION_A | HN_ROTATION_B | HN_AXIS_NORMAL,
  .detail = turn,
  .planar = &hn_joint_drive_angle,
  .jet_series = HN_PLACE_SERIES + HN_TURN_SERIES,
  .eval = eval,
  .jet = jet,
};

const hn_joint_type hn_joint_drive_position = {
  .name = "drive_position",
  .summary = "the position of b along an axis of a follows a function of time",
  .unit = "m",
  .rows = 1,
  .keys = HN_KEY_AT | HN_KEY_AXIS | HN_KEY_MOTION | HN_ROTATION_A | HN_AXIS_IN_PLANE,
  .detail = along,
  .planar = &hn_joint_drive_position,
  .jet_series = HN_PLACE_SERIES,
  .eval = eval,
  .jet = jet,
};
