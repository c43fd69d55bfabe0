/* combined.c - joints that combine a translational and a rotational basic constraint [bender2006, section
 * 4.4]. The table has all pairs; entries with a single part are basic constraints (basic.c), and ball.c has
 * the ball joint.
 *
 *                   free              constant angle      parallel axes    no rotation
 *   point on point  ball              universal           hinge            fixed
 *   point on line   point_on_line     line_universal      cylindrical      slider
 *   point on plane  point_on_plane    plane_universal     planar           plane_slider
 *   free            -                 constant_angle      parallel_axes    lock_rotation */
#include "joint/joint_rows.h"

#define ON_POINT                                  \
  { HN_ROW_WORLD, 0, 0 }, { HN_ROW_WORLD, 1, 0 }, \
  {                                               \
    HN_ROW_WORLD, 2, 0                            \
  }
#define ON_LINE           \
  { HN_ROW_ALONG, 1, 0 }, \
  {                       \
    HN_ROW_ALONG, 2, 0    \
  }
#define ON_PLANE       \
  {                    \
    HN_ROW_ALONG, 0, 0 \
  }
#define TILT          \
  {                   \
    HN_ROW_TILT, 0, 0 \
  }
#define PARALLEL        \
  { HN_ROW_DOT, 1, 0 }, \
  {                     \
    HN_ROW_DOT, 2, 0    \
  }
#define LOCK                                  \
  { HN_ROW_DOT, 0, 1 }, { HN_ROW_DOT, 1, 2 }, \
  {                                           \
    HN_ROW_DOT, 2, 0                          \
  }

static const hn_row_part universal_rows[] = { ON_POINT, TILT }, hinge_rows[] = { ON_POINT, PARALLEL };
static const hn_row_part fixed_rows[] = { ON_POINT, LOCK }, line_universal_rows[] = { ON_LINE, TILT };
static const hn_row_part cylindrical_rows[] = { ON_LINE, PARALLEL }, slider_rows[] = { ON_LINE, LOCK };
static const hn_row_part plane_universal_rows[] = { ON_PLANE, TILT }, planar_rows[] = { ON_PLANE, PARALLEL };
static const hn_row_part plane_slider_rows[] = { ON_PLANE, LOCK };

static const hn_joint_type *const angle[] = { &hn_coordinate_angle, NULL };
static const hn_joint_type *const angles[] = { &hn_coordinate_angle_a, &hn_coordinate_angle_b, NULL };
static const hn_joint_type *const position[] = { &hn_coordinate_position, NULL };
static const hn_joint_type *const position_angle[] = { &hn_coordinate_position, &hn_coordinate_angle, NULL };
static const hn_joint_type *const position_angles[] = { &hn_coordinate_position, &hn_coordinate_angle_a,
                                                        &hn_coordinate_angle_b, NULL };
static const hn_joint_type *const plane[] = { &hn_coordinate_x, &hn_coordinate_y, NULL };
static const hn_joint_type *const plane_angle[] = { &hn_coordinate_x, &hn_coordinate_y, &hn_coordinate_angle,
                                                    NULL };
static const hn_joint_type *const plane_angles[] = { &hn_coordinate_x, &hn_coordinate_y,
                                                     &hn_coordinate_angle_a, &hn_coordinate_angle_b, NULL };

#define COMBINED(joint, text, with, left, add, twin)            \
  const hn_joint_type hn_joint_##joint = {                      \
    .name = #joint,                                             \
    .summary = text,                                            \
    .unit = "m, rad",                                           \
    .rows = sizeof joint##_rows / sizeof joint##_rows[0],       \
    .keys = HN_KEY_AT | HN_ROTATION_A | HN_ROTATION_B | (with), \
    .jet_series = HN_PLACE_SERIES,                              \
    .detail = joint##_rows,                                     \
    .coordinates = left,                                        \
    .beside = add,                                              \
    .planar = twin,                                             \
    .eval = hn_rows_eval,                                       \
    .jet = hn_rows_jet,                                         \
    .setup = (with) == HN_KEY_AXES ? hn_rows_setup_tilt : NULL, \
  }

static const hn_companion turning[] = { { &hn_joint_limit_angle, "limit", NULL },
                                        { &hn_joint_friction_angle, "friction", "friction" },
                                        { NULL, NULL, NULL } };
static const hn_companion sliding[] = { { &hn_joint_limit_position, "limit", NULL },
                                        { &hn_joint_friction_position, "friction", "friction" },
                                        { NULL, NULL, NULL } };

COMBINED(hinge, "b turns about an axis of a", HN_KEY_AXIS, angle, turning, &hn_planar_hinge);
COMBINED(universal, "b turns about a cross that turns on a (Cardan)", HN_KEY_AXES, angles, NULL, NULL);
COMBINED(fixed, "b is fixed to a", 0, NULL, NULL, &hn_planar_fixed);
COMBINED(slider, "b slides along an axis of a (prismatic)", HN_KEY_AXIS, position, sliding,
         &hn_planar_slider);
COMBINED(cylindrical, "b slides along and turns about an axis of a", HN_KEY_AXIS, position_angle, NULL, NULL);
COMBINED(line_universal, "a universal joint that slides along its first axis", HN_KEY_AXES, position_angles,
         NULL, NULL);
COMBINED(planar, "b slides on a plane of a and turns about its normal", HN_KEY_AXIS, plane_angle, NULL, NULL);
COMBINED(plane_universal, "a universal joint that slides on the plane normal to its first axis", HN_KEY_AXES,
         plane_angles, NULL, NULL);
COMBINED(plane_slider, "b slides on a plane of a without turning", HN_KEY_AXIS, plane, NULL,
         &hn_planar_plane_slider);
