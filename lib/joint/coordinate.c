/* coordinate.c - coordinates of joints: the relative motion that a joint permits, each a type of one row
 *
 * The residual is the coordinate, G u its rate, and G' Q the wrench of a force Q along it. `spin`, of three
 * rows, serves to apply torques. `about` has a rate and no value: if nothing aligns the axis of b with that
 * of a, the rotation rate about the axis is not the derivative of an angle. */
#include "joint/joint_rows.h"

static const hn_row_part angle[] = { { HN_ROW_TURN, 0, 0 } }, angle_a[] = { { HN_ROW_TURN, 1, 0 } };
static const hn_row_part angle_b[] = { { HN_ROW_TURN, 2, 0 } }, about[] = { { HN_ROW_ABOUT, 0, 0 } };
static const hn_row_part position[] = { { HN_ROW_ALONG, 0, 0 } }, x[] = { { HN_ROW_ALONG, 1, 0 } };
static const hn_row_part y[] = { { HN_ROW_ALONG, 2, 0 } };
static const hn_row_part spin[] = { { HN_ROW_SPIN, 0, 0 }, { HN_ROW_SPIN, 1, 0 }, { HN_ROW_SPIN, 2, 0 } };
static const hn_row_part body_velocity[] = { { HN_ROW_BODY_VELOCITY, 0, 0 },
                                             { HN_ROW_BODY_VELOCITY, 1, 0 },
                                             { HN_ROW_BODY_VELOCITY, 2, 0 } };
static const hn_row_part body_spin[] = { { HN_ROW_BODY_SPIN, 0, 0 },
                                         { HN_ROW_BODY_SPIN, 1, 0 },
                                         { HN_ROW_BODY_SPIN, 2, 0 } };

#define COORDINATE(name, text, unit, with, series) \
  HN_COMPOSED_TYPE(hn_coordinate_, name, text, unit, name, with, series, .planar = NULL)

COORDINATE(angle, "angle of b about the axis, from the start, in (-pi, pi]", "rad", HN_AXIS_NORMAL,
           HN_TURN_SERIES);
COORDINATE(about, "turning of b against a about the axis of a", "rad", HN_AXIS_NORMAL, HN_ABOUT_SERIES);
COORDINATE(angle_a, "angle of the cross about the axis of a", "rad", 0, HN_TURN_SERIES);
COORDINATE(angle_b, "angle of b about its axis against the cross", "rad", 0, HN_TURN_SERIES);
COORDINATE(position, "position of b along the axis of a", "m", HN_AXIS_IN_PLANE, 0);
COORDINATE(x, "position of b in the plane, first direction", "m", 0, 0);
COORDINATE(y, "position of b in the plane, second direction", "m", 0, 0);
COORDINATE(spin, "angular velocity of b against a", "rad", 0, 0);
COORDINATE(body_velocity, "velocity of a point of b against a, along axes of b", "m", 0,
           HN_BODY_VELOCITY_SERIES);
COORDINATE(body_spin, "angular velocity of b against a, along axes of b", "rad", 0, HN_ABOUT_SERIES);
