/* limit.c - limits of a joint's coordinate: one-sided constraints.
 *
 *   lower <= x <= upper:   g = x - lower or upper - x, whichever is less,   g >= 0, lambda >= 0, g lambda = 0
 *
 * One row serves both bounds, of which at most one can act. */
#include "joint/rows.h"

#include <math.h>

static int setup(hn_joint *joint, const hn_joint_spec *spec, const hn_pose *a, const hn_pose *b, hn_error *error)
{
  (void)a, (void)b;
  joint->axes->lower = spec->has_lower ? spec->lower : -HUGE_VAL;
  joint->axes->upper = spec->has_upper ? spec->upper : HUGE_VAL;
  if (!spec->has_lower && !spec->has_upper)
    return hn_fail(error, "joint \"%s\": a limit needs its lower or its upper bound", joint->name);
  if (joint->axes->lower < joint->axes->upper) return 0;
  return hn_fail(error, "joint \"%s\": its limits cross: lower %g is not below upper %g", joint->name,
                 joint->axes->lower, joint->axes->upper);
}

static void eval(const hn_joint *joint, double t, const hn_pose *a, const hn_twist *ua, const hn_pose *b,
                 const hn_twist *ub, const hn_rows *out)
{
  const double lower = joint->axes->lower, upper = joint->axes->upper;
  hn_place place;
  hn_row row;
  (void)t;
  hn_place_at(&place, joint, a, ua, b, ub, out->gamma != NULL);
  hn_place_row(&place, joint->type->detail, &row);
  if (row.g - lower <= upper - row.g) hn_row_rescale(&row, 1.0, -lower);
  else hn_row_rescale(&row, -1.0, upper);
  hn_row_store(&row, 0, 1, out);
}

static const hn_row_part turn[] = { { HN_ROW_TURN, 0, 0 } }, along[] = { { HN_ROW_ALONG, 0, 0 } };

const hn_joint_type hn_joint_limit_angle = {
  .name = "limit_angle", .summary = "the angle of b about an axis of a stays between two bounds", .unit = "rad",
  .rows = 1, .set = HN_PUSH, .keys = HN_KEY_AXIS | HN_KEY_BOUNDS | HN_TURNS_A | HN_TURNS_B | HN_AXIS_NORMAL,
  .planar = &hn_joint_limit_angle, .detail = turn, .setup = setup, .eval = eval,
};

const hn_joint_type hn_joint_limit_position = {
  .name = "limit_position", .summary = "the position of b along an axis of a stays between two bounds", .unit = "m",
  .rows = 1, .set = HN_PUSH, .keys = HN_KEY_AT | HN_KEY_AXIS | HN_KEY_BOUNDS | HN_TURNS_A | HN_AXIS_IN_PLANE,
  .planar = &hn_joint_limit_position, .detail = along, .setup = setup, .eval = eval,
};
