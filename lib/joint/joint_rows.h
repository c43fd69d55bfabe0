/* joint_rows.h - the rows that joints are made of. Internal.
 *
 * With p_a and p_b the joint points, d = p_b - p_a, and the joint's axes e_0, e_1, e_2 fixed to each body (along_a = on
 * axes of a, e_0 the axis of the joint):
 *
 *   WORLD i     g = d_i                    component of the span, world axes, m
 *   ALONG i     g = a_i . d                the span along axis i of a, m
 *   DOT i j     g = a_i . b_j              sine of a small angle between the bodies, rad
 *   TILT        g = (cos phi - a_0 . b_0) / sin phi     change of the angle phi between the axes, rad to first order
 *   TURN 0      g = atan2(a_2 . b_1, a_1 . b_1)         angle of b about axis 0, which both share, rad
 *   TURN 1      g = atan2(a_2 . b_0, a_1 . b_0)         of the cross of a universal joint about axis 0 of a, rad
 *   TURN 2      g = atan2(-a_0 . b_2, a_0 . b_1)        of b against that cross, about axis 0 of b, rad
 *   SPIN i      g = 0                      nothing but its Jacobian, component i of w_b - w_a: carries torques
 *   ABOUT i     g = 0                      the same, component a_i . (w_b - w_a)
 *   OWN_SPIN i  g = 0                      the same, component b_i . (w_b - w_a)
 *   OWN i       g = 0                      nothing but its Jacobian, b_i . the velocity of point b as a sees it:
 * carries forces at that point
 *
 * An ALONG row acts on a at the point of a nearest to p_b (its arm is p_b - x_a): the closest-point rule of
 * [bender2006, section 4.2] comes out of the derivative. */
#ifndef HN_JOINT_ROWS_H
#define HN_JOINT_ROWS_H

#include "joints.h"

typedef enum hn_row_kind {
  HN_ROW_END = 0,
  HN_ROW_WORLD,
  HN_ROW_ALONG,
  HN_ROW_DOT,
  HN_ROW_TILT,
  HN_ROW_TURN,
  HN_ROW_SPIN,
  HN_ROW_ABOUT,
  HN_ROW_OWN,
  HN_ROW_OWN_SPIN
} hn_row_kind;

typedef struct hn_row_part {
  hn_row_kind kind;
  int i, j;
} hn_row_part;

/* One row: residual, Jacobian for the twists of a and b, acceleration term. */
typedef struct hn_row {
  double g, G_a[6], G_b[6], gamma;
} hn_row;

/* Two bodies at one instant, as rows see them. */
typedef struct hn_place {
  const hn_joint *joint;
  const hn_twist *ua, *ub;
  bool moving;               /* else rows have no gamma, and what is below the axes is not there */
  double arm_a[3], arm_b[3]; /* from the centres of mass to the joint points, world axes, m */
  double span[3];            /* from point a to point b, m */
  double A[9], B[9];         /* the joint's axes on a and on b in world axes, one after the other */
  double velocity[3];        /* of point b against point a, m/s */
  double centripetal[3];     /* acceleration of point b against point a at constant twists, m/s^2 */
} hn_place;

/* MOVING: rows will be asked for their acceleration terms. */
void hn_place_at(hn_place *place, const hn_joint *joint, const hn_pose *a, const hn_twist *ua,
                 const hn_pose *b, const hn_twist *ub, bool moving);
void hn_place_row(const hn_place *place, const hn_row_part *part, hn_row *row);

/* The row of the angle atan2(s, c), from the rows of its sine and cosine, times any positive factor. */
void hn_place_angle(const hn_place *place, const hn_row *s, const hn_row *c, hn_row *angle);
/* row := scale * row + shift */
void hn_row_rescale(hn_row *row, double scale, double shift);
/* Puts ROW into row r of n of OUT, as far as OUT asks; its bias is zero. */
void hn_row_store(const hn_row *row, int r, int n, const hn_rows *out);

/* The rows whose atan2 a TURN part is: DOT parts, and the sign of the sine. */
typedef struct hn_turn {
  hn_row_part sine, cosine;
  double sign;
} hn_turn;
const hn_turn *hn_row_turn(const hn_row_part *part);

/* eval and jet of a type whose detail is a list of hn_row_part, ended by HN_ROW_END: its rows, one after the other. */
void hn_rows_eval(const hn_joint *joint, double t, const hn_pose *a, const hn_twist *ua, const hn_pose *b,
                  const hn_twist *ub, const hn_rows *out);
void hn_rows_jet(const hn_joint *joint, double t, const hn_body_jet *a, const hn_body_jet *b, size_t k,
                 double *work, double *g, double *G_a, double *G_b);

/* setup of a type with a TILT row: the angle between its axes, which must be one. */
int hn_rows_setup_tilt(hn_joint *joint, const hn_joint_spec *spec, const hn_pose *a, const hn_pose *b,
                       hn_error *error);

/* The coordinates of joints, as types of one row: what is left free, measured. */
extern const hn_joint_type hn_coordinate_angle, hn_coordinate_position, hn_coordinate_angle_a,
  hn_coordinate_angle_b, hn_coordinate_x, hn_coordinate_y, hn_coordinate_length, hn_coordinate_spin,
  hn_coordinate_about, hn_coordinate_body_velocity, hn_coordinate_body_spin;
extern const hn_joint_type hn_joint_point_on_point;
/* What can stand beside a joint that leaves such a coordinate free. */
extern const hn_joint_type hn_joint_limit_angle, hn_joint_limit_position, hn_joint_friction_angle,
  hn_joint_friction_position;

/* What joints are in planar systems. */
extern const hn_joint_type hn_planar_point_on_point, hn_planar_ball, hn_planar_hinge, hn_planar_fixed,
  hn_planar_point_on_line, hn_planar_slider, hn_planar_point_on_plane, hn_planar_plane_slider,
  hn_planar_lock_rotation, hn_planar_parallel_axes, hn_planar_constant_angle;

/* ---- Power series of rows ---------------------------------------------------------------------------------------- */

/* Series at the start of a joint's work memory: the span, the arms, the arm of an ALONG row on a, the axes. */
enum {
  HN_SPAN = 0,
  HN_ARM_A = 3,
  HN_ARM_B = 6,
  HN_REACH = 9,
  HN_AXES_A = 12,
  HN_AXES_B = 21,
  HN_PLACE_SERIES = 30
};
/* Series of a TURN row behind them: sine, cosine, their squares' sum, the angle's rate, and the Jacobians of sine and
 * cosine and of the angle. */
enum { HN_TURN_SERIES = 4 + 3 * 12 };
/* Of an ABOUT row: the angular velocity of b against a. */
enum { HN_ABOUT_SERIES = 3, HN_OWN_SERIES = 6 };

/* Coefficient k of the series of a place. */
void hn_place_jet(const hn_joint *joint, const hn_body_jet *a, const hn_body_jet *b, size_t k, double *work);
/* Coefficient k of a row, gamma excepted. A TURN row keeps its series behind those of the place. */
void hn_place_row_jet(const hn_joint *joint, const hn_row_part *part, size_t k, size_t stride, double *work,
                      hn_row *row);
/* Coefficient k of the row of the angle atan2(s, c), from those of S and C; OWN keeps HN_TURN_SERIES series. */
void hn_angle_jet(size_t k, size_t stride, const hn_row *s, const hn_row *c, double *own, hn_row *angle);

#endif
