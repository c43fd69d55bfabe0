/* basic.c - the basic constraints between bodies, from which all joints are composed [bender2006, sections
 * 4.2, 4.3]
 *
 * Translational: a point of b on a point, a line or a plane of a. Rotational: no relative rotation, a common
 * direction, a constant angle between an axis of a and one of b. `distance` has a file of its own. */
#include "joint/joint_rows.h"
#include "base/vec.h"

static const hn_row_part on_point[] = { { HN_ROW_WORLD, 0, 0 },
                                        { HN_ROW_WORLD, 1, 0 },
                                        { HN_ROW_WORLD, 2, 0 } };
static const hn_row_part on_line[] = { { HN_ROW_ALONG, 1, 0 }, { HN_ROW_ALONG, 2, 0 } };
static const hn_row_part on_plane[] = { { HN_ROW_ALONG, 0, 0 } };
static const hn_row_part lock[] = { { HN_ROW_DOT, 0, 1 }, { HN_ROW_DOT, 1, 2 }, { HN_ROW_DOT, 2, 0 } };
static const hn_row_part parallel[] = { { HN_ROW_DOT, 1, 0 }, { HN_ROW_DOT, 2, 0 } };
static const hn_row_part tilt[] = { { HN_ROW_TILT, 0, 0 } };

const hn_joint_type hn_joint_point_on_point = {
  .name = "point_on_point",
  .summary = "a point of b stays on a point of a",
  .unit = "m",
  .rows = 3,
  .keys = HN_KEY_AT,
  .jet_series = HN_PLACE_SERIES,
  .detail = on_point,
  .planar = &hn_planar_point_on_point,
  .eval = hn_rows_eval,
  .jet = hn_rows_jet,
};

static const hn_joint_type *const along_line[] = { &hn_coordinate_position, NULL };

const hn_joint_type hn_joint_point_on_line = {
  .name = "point_on_line",
  .summary = "a point of b stays on a line of a",
  .unit = "m",
  .rows = 2,
  .keys = HN_KEY_AT | HN_KEY_AXIS | HN_ROTATION_A,
  .jet_series = HN_PLACE_SERIES,
  .detail = on_line,
  .coordinates = along_line,
  .planar = &hn_planar_point_on_line,
  .eval = hn_rows_eval,
  .jet = hn_rows_jet,
};

static const hn_joint_type *const in_plane[] = { &hn_coordinate_x, &hn_coordinate_y, NULL };

const hn_joint_type hn_joint_point_on_plane = {
  .name = "point_on_plane",
  .summary = "a point of b stays on a plane of a, whose normal is the axis",
  .unit = "m",
  .rows = 1,
  .keys = HN_KEY_AT | HN_KEY_AXIS | HN_ROTATION_A,
  .jet_series = HN_PLACE_SERIES,
  .detail = on_plane,
  .coordinates = in_plane,
  .planar = &hn_planar_point_on_plane,
  .eval = hn_rows_eval,
  .jet = hn_rows_jet,
};

const hn_joint_type hn_joint_lock_rotation = {
  .name = "lock_rotation",
  .summary = "b keeps its orientation against a",
  .unit = "rad",
  .rows = 3,
  .keys = HN_ROTATION_A | HN_ROTATION_B,
  .jet_series = HN_PLACE_SERIES,
  .detail = lock,
  .planar = &hn_planar_lock_rotation,
  .eval = hn_rows_eval,
  .jet = hn_rows_jet,
};

static const hn_joint_type *const about_axis[] = { &hn_coordinate_angle, NULL };

const hn_joint_type hn_joint_parallel_axes = {
  .name = "parallel_axes",
  .summary = "an axis of b stays parallel to one of a",
  .unit = "rad",
  .rows = 2,
  .keys = HN_KEY_AXIS | HN_ROTATION_A | HN_ROTATION_B,
  .jet_series = HN_PLACE_SERIES,
  .detail = parallel,
  .coordinates = about_axis,
  .planar = &hn_planar_parallel_axes,
  .eval = hn_rows_eval,
  .jet = hn_rows_jet,
};

static const hn_joint_type *const about_axes[] = { &hn_coordinate_angle_a, &hn_coordinate_angle_b, NULL };

const hn_joint_type hn_joint_constant_angle = {
  .name = "constant_angle",
  .summary = "the angle between an axis of a and one of b stays as it is",
  .unit = "rad",
  .rows = 1,
  .keys = HN_KEY_AXES | HN_ROTATION_A | HN_ROTATION_B,
  .jet_series = HN_PLACE_SERIES,
  .detail = tilt,
  .coordinates = about_axes,
  .setup = hn_rows_setup_tilt,
  .planar = &hn_planar_constant_angle,
  .eval = hn_rows_eval,
  .jet = hn_rows_jet,
};
