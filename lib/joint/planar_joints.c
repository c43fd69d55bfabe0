/* planar_joints.c - joint types in planar systems: the same constraints without the rows that planar motion
 * satisfies
 *
 *   point_on_point, ball, hinge    x and y of the span                      2 rows
 *   fixed                          x and y of the span, and the angle       3
 *   point_on_line                  the span across the axis                 1
 *   slider                         the span across the axis, and the angle  2
 *   point_on_plane, plane_slider   the span along the axis, and the angle   1, 2
 *   lock_rotation, parallel_axes   the angle                                1
 *   constant_angle                 its own row                              1
 *
 * The frame of a joint in the plane is (axis, z x axis, z); DOT 1 0 is the sine of the angle. Types with
 * unchanged rows (distance, gear, drives) are their own planar types. */
#include "joint/joint_rows.h"

/* clang-format off */
#define ON_POINT { HN_ROW_WORLD, 0, 0 }, { HN_ROW_WORLD, 1, 0 }
#define ON_LINE { HN_ROW_ALONG, 1, 0 }
#define ON_PLANE { HN_ROW_ALONG, 0, 0 }
#define ANGLE { HN_ROW_DOT, 1, 0 }
/* clang-format on */

static const hn_row_part on_point[] = { ON_POINT }, on_point_locked[] = { ON_POINT, ANGLE };
static const hn_row_part on_line[] = { ON_LINE }, on_line_locked[] = { ON_LINE, ANGLE };
static const hn_row_part on_plane[] = { ON_PLANE }, on_plane_locked[] = { ON_PLANE, ANGLE };
static const hn_row_part locked[] = { ANGLE }, tilt[] = { { HN_ROW_TILT, 0, 0 } };

#define TURNS (HN_ROTATION_A | HN_ROTATION_B)
#define LINE (HN_KEY_AXIS | HN_AXIS_IN_PLANE)
/* The free motions: slides, and turning about the normal of the plane. */
#define TURNS_FREELY(along) HN_FREEDOMS(.slides = (along), .turning = HN_TURNS_AXIS, .about_normal = true)
#define TURNS_NOT(along) HN_FREEDOMS(.slides = (along))
#define TWIN(joint, text, unit, parts, with, left, free)                                                 \
  HN_COMPOSED_TYPE(hn_planar_, joint, text, unit, parts, with, 0, .coordinates = left, .freedoms = free, \
                   .planar = &hn_planar_##joint)

TWIN(point_on_point, "a point of b stays on a point of a", "m", on_point, HN_KEY_AT, NULL, TURNS_FREELY(0));
TWIN(ball, "two body points coincide", "m", on_point, HN_KEY_AT, NULL, TURNS_FREELY(0));
TWIN(hinge, "b turns about a point of a", "m", on_point, HN_KEY_AT | TURNS | HN_KEY_AXIS | HN_AXIS_NORMAL,
     HN_COORDINATES(&hn_coordinate_angle), HN_FREEDOMS(.turning = HN_TURNS_AXIS));
TWIN(fixed, "b is fixed to a", "m, rad", on_point_locked, HN_KEY_AT | TURNS, NULL, TURNS_NOT(0));
TWIN(point_on_line, "a point of b stays on a line of a", "m", on_line, HN_KEY_AT | HN_ROTATION_A | LINE,
     HN_COORDINATES(&hn_coordinate_position), TURNS_FREELY(HN_SLIDE_0));
TWIN(slider, "b slides along an axis of a", "m, rad", on_line_locked, HN_KEY_AT | TURNS | LINE,
     HN_COORDINATES(&hn_coordinate_position), TURNS_NOT(HN_SLIDE_0));
TWIN(point_on_plane, "a point of b stays on a line of a, whose normal is the axis", "m", on_plane,
     HN_KEY_AT | HN_ROTATION_A | LINE, HN_COORDINATES(&hn_coordinate_x), TURNS_FREELY(HN_SLIDE_1));
TWIN(plane_slider, "b slides on a line of a, whose normal is the axis", "m, rad", on_plane_locked,
     HN_KEY_AT | TURNS | LINE, HN_COORDINATES(&hn_coordinate_x), TURNS_NOT(HN_SLIDE_1));
TWIN(lock_rotation, "b keeps its orientation against a", "rad", locked, TURNS, NULL,
     TURNS_NOT(HN_SLIDE_0 | HN_SLIDE_1));
TWIN(parallel_axes, "an axis of b stays parallel to one of a", "rad", locked, TURNS | LINE, NULL,
     TURNS_NOT(HN_SLIDE_0 | HN_SLIDE_1));
TWIN(constant_angle, "the angle between an axis of a and one of b stays as it is", "rad", tilt,
     TURNS | HN_KEY_AXES | HN_AXIS_IN_PLANE, NULL, TURNS_NOT(HN_SLIDE_0 | HN_SLIDE_1));
