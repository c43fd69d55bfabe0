/* joint_rows.h - the rows that joints are composed of. Internal.
 *
 * p_a and p_b are the joint points, d = p_b - p_a. a_i and b_i are the joint's axes 0, 1, 2 fixed to bodies a
 * and b; axis 0 is the axis of the joint.
 *
 *   WORLD i          g = d_i             component of the span, world axes, m
 *   ALONG i          g = a_i . d         the span along axis i of a, m
 *   DOT i j          g = a_i . b_j       sine of a small angle between the bodies, rad
 *   TILT             g = (cos phi - a_0 . b_0) / sin phi  change of the angle phi between the axes, rad
 *   TURN 0           g = atan2(a_2 . b_1, a_1 . b_1)      angle of b about the common axis 0, rad
 *   TURN 1           g = atan2(a_2 . b_0, a_1 . b_0)      of a universal joint's cross about axis 0 of a, rad
 *   TURN 2           g = atan2(-a_0 . b_2, a_0 . b_1)     of b relative to that cross, about axis 0 of b, rad
 *   SPIN i           g = 0               Jacobian only: component i of w_b - w_a, for torques
 *   ABOUT i          g = 0               Jacobian only: a_i . (w_b - w_a)
 *   BODY_SPIN i      g = 0               Jacobian only: b_i . (w_b - w_a)
 *   BODY_VELOCITY i  g = 0               Jacobian only: b_i . velocity of p_b relative to a, forces at p_b
 *
 * An ALONG row acts on a at the point of a that coincides with p_b (arm p_b - x_a): the closest-point rule of
 * [bender2006, section 4.2] follows from the derivative. */
#ifndef HN_JOINT_ROWS_H
#define HN_JOINT_ROWS_H

#include "joint/freedoms.h"

typedef enum hn_row_kind {
  HN_ROW_WORLD,
  HN_ROW_ALONG,
  HN_ROW_DOT,
  HN_ROW_TILT,
  HN_ROW_TURN,
  HN_ROW_SPIN,
  HN_ROW_ABOUT,
  HN_ROW_BODY_VELOCITY,
  HN_ROW_BODY_SPIN
} hn_row_kind;

typedef struct hn_row_part {
  hn_row_kind kind;
  int i, j;
} hn_row_part;

/* One row: residual, Jacobian for the twists of a and b, acceleration term. */
typedef struct hn_row {
  double g, G_a[6], G_b[6], gamma;
} hn_row;

/* Kinematics of a joint at one state, from which rows are computed. */
typedef struct hn_place {
  const hn_joint *joint;
  const hn_twist *ua, *ub;
  bool moving;               /* false: rows have no gamma; `velocity` and `centripetal` are unset */
  double arm_a[3], arm_b[3]; /* from the centres of mass to the joint points, world axes, m */
  double span[3];            /* from point a to point b, m */
  double A[9], B[9];         /* the joint's axes on a and on b, world axes, one after the other */
  double velocity[3];        /* of point b against point a, m/s */
  double centripetal[3];     /* acceleration of point b against point a at constant twists, m/s^2 */
} hn_place;

/* Computes PLACE; MOVING if rows will need their acceleration terms. */
void hn_place_at(hn_place *place, const hn_joint *joint, const hn_pose *a, const hn_twist *ua,
                 const hn_pose *b, const hn_twist *ub, bool moving);
void hn_place_row(const hn_place *place, const hn_row_part *part, hn_row *row);

/* Computes the row of the angle atan2(s, c) from rows of its sine and cosine, times any positive factor. */
void hn_place_angle(const hn_place *place, const hn_row *s, const hn_row *c, hn_row *angle);
/* Computes the Jacobian block of a translational row: SIGN times the force e at ARM. */
void hn_row_act(double G[6], double sign, const double e[3], const double arm[3]);
/* row := scale * row + shift */
void hn_row_rescale(hn_row *row, double scale, double shift);
/* Stores ROW as row R of N in the requested members of OUT; its bias is zero. */
void hn_row_store(const hn_row *row, int r, int n, const hn_rows *out);

/* The DOT parts of the sine and cosine of a TURN part, and the sign of the sine. */
typedef struct hn_turn {
  hn_row_part sine, cosine;
  double sign;
} hn_turn;
const hn_turn *hn_row_turn(const hn_row_part *part);

/* eval and jet of types whose `detail` is a list of `type->rows` parts. */
void hn_rows_eval(const hn_joint *joint, double t, const hn_pose *a, const hn_twist *ua, const hn_pose *b,
                  const hn_twist *ub, const hn_rows *out);
void hn_rows_jet(const hn_joint *joint, double t, const hn_body_jet *a, const hn_body_jet *b, size_t k,
                 double *work, double *g, double *G_a, double *G_b);

/* setup of types with a TILT row: stores the angle between the axes, which must not be parallel. */
int hn_rows_setup_tilt(hn_joint *joint, const hn_joint_spec *spec, const hn_pose *a, const hn_pose *b,
                       hn_error *error);

/* Coordinates of joints, as types of one row. */
extern const hn_joint_type hn_coordinate_angle, hn_coordinate_position, hn_coordinate_angle_a,
  hn_coordinate_angle_b, hn_coordinate_x, hn_coordinate_y, hn_coordinate_length, hn_coordinate_spin,
  hn_coordinate_about, hn_coordinate_body_velocity, hn_coordinate_body_spin;
extern const hn_joint_type hn_joint_point_on_point;
/* Companions of joints that leave such a coordinate free. */
extern const hn_joint_type hn_joint_limit_angle, hn_joint_limit_position, hn_joint_friction_angle,
  hn_joint_friction_position;

/* Types of joints in planar systems. */
extern const hn_joint_type hn_planar_point_on_point, hn_planar_ball, hn_planar_hinge, hn_planar_fixed,
  hn_planar_point_on_line, hn_planar_slider, hn_planar_point_on_plane, hn_planar_plane_slider,
  hn_planar_lock_rotation, hn_planar_parallel_axes, hn_planar_constant_angle;

/* A type prefix##suffix composed of the rows of the array PARTS, with eval and jet of this file, SERIES work
 * series behind those of its place, and further members. */
#define HN_COMPOSED_TYPE(prefix, suffix, text, of_unit, parts, with, series, ...) \
  const hn_joint_type prefix##suffix = {                                          \
    .name = #suffix,                                                              \
    .summary = text,                                                              \
    .unit = of_unit,                                                              \
    .rows = sizeof parts / sizeof *parts,                                         \
    .keys = with,                                                                 \
    .jet_series = HN_PLACE_SERIES + (series),                                     \
    .detail = parts,                                                              \
    .setup = (with)&HN_KEY_AXES ? hn_rows_setup_tilt : NULL,                      \
    .eval = hn_rows_eval,                                                         \
    .jet = hn_rows_jet,                                                           \
    __VA_ARGS__,                                                                  \
  }
/* The parametrisation of a joint, from members of hn_freedoms. */
#define HN_FREEDOMS(...) (&(const hn_freedoms){ __VA_ARGS__ })
/* A list of coordinates. */
#define HN_COORDINATES(...) ((const hn_joint_type *const[]){ __VA_ARGS__, NULL })
/* A joint type with one row KIND, the angle about or the position along axis 0, that the functions setup,
 * eval and jet of its file change. It needs SERIES work series behind those of its place. */
#define HN_COORDINATE_TYPE(joint, text, of_unit, row_kind, with, series, ...) \
  const hn_joint_type hn_joint_##joint = {                                    \
    .name = #joint,                                                           \
    .summary = text,                                                          \
    .unit = of_unit,                                                          \
    .rows = 1,                                                                \
    .keys = with,                                                             \
    .jet_series = HN_PLACE_SERIES + (series),                                 \
    .detail = &(const hn_row_part){ row_kind, 0, 0 },                         \
    .planar = &hn_joint_##joint,                                              \
    .setup = setup,                                                           \
    .eval = eval,                                                             \
    .jet = jet,                                                               \
    __VA_ARGS__,                                                              \
  }
/* Geometry of a joint with the angle about an axis, and with the position along one. */
#define HN_ABOUT_AXIS (HN_KEY_AXIS | HN_ROTATION_A | HN_ROTATION_B | HN_AXIS_NORMAL)
#define HN_ALONG_AXIS (HN_KEY_AT | HN_KEY_AXIS | HN_ROTATION_A | HN_AXIS_IN_PLANE)

/* ---- Power series of rows ------------------------------------------------------------------------------ */

/* Series at the start of a joint's work memory: span, arms, arm of an ALONG row on a, axes. */
enum {
  HN_SPAN = 0,
  HN_ARM_A = 3,
  HN_ARM_B = 6,
  HN_REACH = 9,
  HN_AXES_A = 12,
  HN_AXES_B = 21,
  HN_PLACE_SERIES = 30
};
/* Series of a TURN row behind them: sine, cosine, sum of their squares, rate of the angle, and the Jacobians
 * of sine, cosine and angle. */
enum { HN_TURN_SERIES = 4 + 3 * 12 };
/* Series of an ABOUT row: angular velocity of b relative to a. Of a BODY_VELOCITY row: w_a and the
 * velocity. */
enum { HN_ABOUT_SERIES = 3, HN_BODY_VELOCITY_SERIES = 6 };

/* Computes coefficient K of the series of a place. */
void hn_place_jet(const hn_joint *joint, const hn_body_jet *a, const hn_body_jet *b, size_t k, double *work);
/* Computes coefficient K of a row without gamma. A TURN row keeps its series behind those of the place. */
void hn_place_row_jet(const hn_joint *joint, const hn_row_part *part, size_t k, size_t stride, double *work,
                      hn_row *row);
/* Computes coefficient K of the row of the angle atan2(s, c) from those of S and C; OWN keeps HN_TURN_SERIES
 * series. */
void hn_angle_jet(size_t k, size_t stride, const hn_row *s, const hn_row *c, double *own, hn_row *angle);

#endif
