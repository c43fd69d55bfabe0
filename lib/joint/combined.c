/* combined.c - joints composed of a translational and a rotational constraint, or of one of them [bender2006,
 * sections 4.2 to 4.4]. Other types: ball.c, distance.c, gear.c, screw.c, rolling.c, knife.c.
 *
 *                   free              constant angle      parallel axes    no rotation
 *   point on point  point_on_point    universal           hinge            fixed
 *   point on line   point_on_line     line_universal      cylindrical      slider
 *   point on plane  point_on_plane    plane_universal     planar           plane_slider
 *   free            -                 constant_angle      parallel_axes    lock_rotation */
#include "joint/joint_rows.h"

/* clang-format off */
#define ON_POINT { HN_ROW_WORLD, 0, 0 }, { HN_ROW_WORLD, 1, 0 }, { HN_ROW_WORLD, 2, 0 }
#define ON_LINE { HN_ROW_ALONG, 1, 0 }, { HN_ROW_ALONG, 2, 0 }
#define ON_PLANE { HN_ROW_ALONG, 0, 0 }
#define TILT { HN_ROW_TILT, 0, 0 }
#define PARALLEL { HN_ROW_DOT, 1, 0 }, { HN_ROW_DOT, 2, 0 }
#define LOCK { HN_ROW_DOT, 0, 1 }, { HN_ROW_DOT, 1, 2 }, { HN_ROW_DOT, 2, 0 }
/* clang-format on */

static const hn_row_part on_point[] = { ON_POINT }, on_line[] = { ON_LINE }, on_plane[] = { ON_PLANE };
static const hn_row_part lock[] = { LOCK }, parallel[] = { PARALLEL }, tilt[] = { TILT };
static const hn_row_part universal[] = { ON_POINT, TILT }, hinge[] = { ON_POINT, PARALLEL };
static const hn_row_part fixed[] = { ON_POINT, LOCK }, line_universal[] = { ON_LINE, TILT };
static const hn_row_part cylindrical[] = { ON_LINE, PARALLEL }, slider[] = { ON_LINE, LOCK };
static const hn_row_part plane_universal[] = { ON_PLANE, TILT }, planar[] = { ON_PLANE, PARALLEL };
static const hn_row_part plane_slider[] = { ON_PLANE, LOCK };

/* The free motions of a point, and the turnings. */
#define STAYS 0
#define SLIDES HN_SLIDE_0
#define GLIDES (HN_SLIDE_1 | HN_SLIDE_2)
#define FLIES (HN_SLIDE_0 | HN_SLIDE_1 | HN_SLIDE_2)
#define FREE(along, turns) .freedoms = HN_FREEDOMS(.slides = (along), .turning = HN_TURNS_##turns)

#define ANGLE &hn_coordinate_angle
#define ANGLES &hn_coordinate_angle_a, &hn_coordinate_angle_b
#define POSITION &hn_coordinate_position
#define POSITIONS &hn_coordinate_x, &hn_coordinate_y

static const hn_companion turning[] = { { &hn_joint_limit_angle, "limit", NULL },
                                        { &hn_joint_friction_angle, "friction", "friction" },
                                        { NULL, NULL, NULL } };
static const hn_companion sliding[] = { { &hn_joint_limit_position, "limit", NULL },
                                        { &hn_joint_friction_position, "friction", "friction" },
                                        { NULL, NULL, NULL } };

#define TURNS (HN_ROTATION_A | HN_ROTATION_B)
#define JOINT(name, text, unit, parts, with, ...) \
  HN_COMPOSED_TYPE(hn_joint_, name, text, unit, parts, with, 0, __VA_ARGS__)

JOINT(point_on_point, "a point of b stays on a point of a", "m", on_point, HN_KEY_AT,
      .planar = &hn_planar_point_on_point, FREE(STAYS, SPHERE));
JOINT(point_on_line, "a point of b stays on a line of a", "m", on_line,
      HN_KEY_AT | HN_KEY_AXIS | HN_ROTATION_A, .coordinates = HN_COORDINATES(POSITION),
      .planar = &hn_planar_point_on_line, FREE(SLIDES, SPHERE));
JOINT(point_on_plane, "a point of b stays on a plane of a, whose normal is the axis", "m", on_plane,
      HN_KEY_AT | HN_KEY_AXIS | HN_ROTATION_A, .coordinates = HN_COORDINATES(POSITIONS),
      .planar = &hn_planar_point_on_plane, FREE(GLIDES, SPHERE));
JOINT(lock_rotation, "b keeps its orientation against a", "rad", lock, TURNS,
      .planar = &hn_planar_lock_rotation, FREE(FLIES, NONE));
JOINT(parallel_axes, "an axis of b stays parallel to one of a", "rad", parallel, HN_KEY_AXIS | TURNS,
      .coordinates = HN_COORDINATES(ANGLE), .planar = &hn_planar_parallel_axes, FREE(FLIES, AXIS));
JOINT(constant_angle, "the angle between an axis of a and one of b stays as it is", "rad", tilt,
      HN_KEY_AXES | TURNS, .coordinates = HN_COORDINATES(ANGLES), .planar = &hn_planar_constant_angle,
      FREE(FLIES, CROSS));

#undef JOINT
#define JOINT(name, text, with, ...) \
  HN_COMPOSED_TYPE(hn_joint_, name, text, "m, rad", name, HN_KEY_AT | TURNS | (with), 0, __VA_ARGS__)

JOINT(hinge, "b turns about an axis of a", HN_KEY_AXIS, .coordinates = HN_COORDINATES(ANGLE),
      .beside = turning, .planar = &hn_planar_hinge, FREE(STAYS, AXIS));
JOINT(universal, "b turns about a cross that turns on a (Cardan)", HN_KEY_AXES,
      .coordinates = HN_COORDINATES(ANGLES), FREE(STAYS, CROSS));
JOINT(fixed, "b is fixed to a", 0, .planar = &hn_planar_fixed, FREE(STAYS, NONE));
JOINT(slider, "b slides along an axis of a (prismatic)", HN_KEY_AXIS, .coordinates = HN_COORDINATES(POSITION),
      .beside = sliding, .planar = &hn_planar_slider, FREE(SLIDES, NONE));
JOINT(cylindrical, "b slides along and turns about an axis of a", HN_KEY_AXIS,
      .coordinates = HN_COORDINATES(POSITION, ANGLE), FREE(SLIDES, AXIS));
JOINT(line_universal, "a universal joint that slides along its first axis", HN_KEY_AXES,
      .coordinates = HN_COORDINATES(POSITION, ANGLES), FREE(SLIDES, CROSS));
JOINT(planar, "b slides on a plane of a and turns about its normal", HN_KEY_AXIS,
      .coordinates = HN_COORDINATES(POSITIONS, ANGLE), FREE(GLIDES, AXIS));
JOINT(plane_universal, "a universal joint that slides on the plane normal to its first axis", HN_KEY_AXES,
      .coordinates = HN_COORDINATES(POSITIONS, ANGLES), FREE(GLIDES, CROSS));
JOINT(plane_slider, "b slides on a plane of a without turning", HN_KEY_AXIS,
      .coordinates = HN_COORDINATES(POSITIONS), .planar = &hn_planar_plane_slider, FREE(GLIDES, NONE));
