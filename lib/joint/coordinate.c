/* coordinate.c - coordinates of joints: the relative motion that a joint permits, each a type of one row
 *
 * The residual is the coordinate, G u its rate, and G' Q the wrench of a force Q along it. `spin`, of three
 * rows, serves to apply torques. `about` has a rate and no value: if nothing aligns the axis of b with that
 * of a, the rotation rate about the axis is not the derivative of an angle. */
#include "joint/joint_rows.h"

static const hn_row_part turn[] = { { HN_ROW_TURN, 0, 0 } }, turn_a[] = { { HN_ROW_TURN, 1, 0 } };
static const hn_row_part turn_b[] = { { HN_ROW_TURN, 2, 0 } };
static const hn_row_part along[] = { { HN_ROW_ALONG, 0, 0 } }, along_x[] = { { HN_ROW_ALONG, 1, 0 } };
static const hn_row_part about_axis[] = { { HN_ROW_ABOUT, 0, 0 } };
static const hn_row_part along_y[] = { { HN_ROW_ALONG, 2, 0 } };

static const hn_row_part spins[] = { { HN_ROW_SPIN, 0, 0 }, { HN_ROW_SPIN, 1, 0 }, { HN_ROW_SPIN, 2, 0 } };

#define COORDINATE(suffix, text, of_unit, part, with, series) \
  const hn_joint_type hn_coordinate_##suffix = {              \
    .name = #suffix,                                          \
    .summary = text,                                          \
    .unit = of_unit,                                          \
    .rows = 1,                                                \
    .jet_series = HN_PLACE_SERIES + (series),                 \
    .keys = with,                                             \
    .detail = part,                                           \
    .eval = hn_rows_eval,                                     \
    .jet = hn_rows_jet,                                       \
  }

COORDINATE(angle, "angle of b about the axis, from the start, in (-pi, pi]", "rad", turn, HN_AXIS_NORMAL,
           HN_TURN_SERIES);
COORDINATE(about, "turning of b against a about the axis of a", "rad", about_axis, HN_AXIS_NORMAL,
           HN_ABOUT_SERIES);
COORDINATE(angle_a, "angle of the cross about the axis of a", "rad", turn_a, 0, HN_TURN_SERIES);
COORDINATE(angle_b, "angle of b about its axis against the cross", "rad", turn_b, 0, HN_TURN_SERIES);
COORDINATE(position, "position of b along the axis of a", "m", along, HN_AXIS_IN_PLANE, 0);
COORDINATE(x, "position of b in the plane, first direction", "m", along_x, 0, 0);
COORDINATE(y, "position of b in the plane, second direction", "m", along_y, 0, 0);

static const hn_row_part own[] = { { HN_ROW_BODY_VELOCITY, 0, 0 },
                                   { HN_ROW_BODY_VELOCITY, 1, 0 },
                                   { HN_ROW_BODY_VELOCITY, 2, 0 } };
static const hn_row_part own_spins[] = { { HN_ROW_BODY_SPIN, 0, 0 },
                                         { HN_ROW_BODY_SPIN, 1, 0 },
                                         { HN_ROW_BODY_SPIN, 2, 0 } };

const hn_joint_type hn_coordinate_body_velocity = {
  .name = "body_velocity",
  .summary = "velocity of a point of b against a, along axes of b",
  .unit = "m",
  .rows = 3,
  .jet_series = HN_PLACE_SERIES + HN_BODY_VELOCITY_SERIES,
  .detail = own,
  .eval = hn_rows_eval,
  .jet = hn_rows_jet,
};

const hn_joint_type hn_coordinate_body_spin = {
  .name = "body_spin",
  .summary = "angular velocity of b against a, along axes of b",
  .unit = "rad",
  .rows = 3,
  .jet_series = HN_PLACE_SERIES + HN_ABOUT_SERIES,
  .detail = own_spins,
  .eval = hn_rows_eval,
  .jet = hn_rows_jet,
};

const hn_joint_type hn_coordinate_spin = {
  .name = "spin",
  .summary = "angular velocity of b against a",
  .unit = "rad",
  .rows = 3,
  .jet_series = HN_PLACE_SERIES,
  .detail = spins,
  .eval = hn_rows_eval,
  .jet = hn_rows_jet,
};
