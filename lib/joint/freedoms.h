/* freedoms.h - explicit kinematics of joints: free coordinates, their rates, and the motion that they
 * produce. Internal.
 *
 * A joint of the tree connects a body to its parent. With a the first and b the second body of the joint,
 * the joint point of b lies at s_i along the axes i of a that are free, and the orientation of b is that of
 * a, turned by the free angles:
 *
 *   p_b = x_a + R_a point_a + sum s_i a_i + lead theta a_0,    x_b = p_b - R_b point_b
 *
 *   none     q_b = q_a rest
 *   axis     q_b = q_a turn(e, theta) rest                 e = a_0: hinge; or the normal of the plane
 *   cross    q_b = q_a turn(a_0, alpha) rest turn(b_0, beta)                universal joint
 *   sphere   q_b = q_a r rest                              r: unit quaternion, w first
 *
 * Coordinates: the s_i, then the angles or r. Rates: the ds_i/dt, then the rates of the angles, or the
 * angular velocity of b against a along the axes of a. The parent may be a or b.
 *
 * Motion subspace S: columns (v, w) of the child against the parent for a unit rate, at the joint point p_b,
 * in world axes. With l_p and l_c the levers from the centres of parent and child to p_b, and sigma = 1 if
 * the child is b, else -1:
 *
 *   w_c = w_p + S_w u,    v_c + w_c x l_c = v_p + w_p x l_p + S_v u
 *   slide i  S = sigma (a_i, 0),    angle about e  S = sigma (lead e, e)
 *
 *   dw_c = dw_p + S_w du + c_w,    dv_c + dw_c x l_c = dv_p + dw_p x l_p + S_v du + c_v
 *   c_w = dS_w/dt u,    c_v = w_p x (w_p x l_p) - w_c x (w_c x l_c) + 2 w_a x (S_v u)
 *
 * [featherstone2008, sections 3.5 and 4.4; world axes and levers in place of his Pluecker transforms] */
#ifndef HN_FREEDOMS_H
#define HN_FREEDOMS_H

#include "model.h"

typedef enum hn_turning { HN_TURNS_NONE, HN_TURNS_AXIS, HN_TURNS_CROSS, HN_TURNS_SPHERE } hn_turning;

enum {
  HN_SLIDE_0 = 1, /* along axis 0 of the joint, fixed to a */
  HN_SLIDE_1 = 2,
  HN_SLIDE_2 = 4,
  HN_MAX_FREEDOMS = 6,
  HN_MAX_COORDINATES = 7
};

/* The parametrisation of a joint type. */
typedef struct hn_freedoms {
  unsigned slides; /* HN_SLIDE_... */
  hn_turning turning;
  bool about_normal; /* the axis is the normal of the plane of a planar system, not axis 0 of the joint */
  double (*lead)(const hn_joint *joint); /* m/rad: advance along axis 0 with the angle; NULL: 0 */
} hn_freedoms;

/* An edge of the tree: a joint, or none between a free body and the ground. Constant. */
typedef struct hn_tree_joint {
  const hn_joint *joint; /* NULL: none */
  hn_turning turning;
  bool reversed;          /* the child is body a of the joint */
  bool framed;            /* `rest` is not the identity */
  int nslide;             /* number of slides */
  int ncoordinate, nfree; /* number of coordinates and of rates */
  double slide[3][3];     /* directions of the slides in body axes of a */
  double axis_a[3];       /* axis of the angle in body axes of a */
  double axis_b[3];       /* second axis of a cross in body axes of b */
  double rest[4];         /* orientation of b against a at angles of 0 */
  double point_a[3], point_b[3];
  double lead; /* m/rad */
} hn_tree_joint;

/* Motion of a child against its parent at one state. */
typedef struct hn_tree_motion {
  double lever_parent[3], lever_child[3]; /* l_p and l_c, m, world axes */
  double S[HN_MAX_FREEDOMS][6];           /* column by column */
} hn_tree_motion;

/* Sets EDGE for JOINT; REVERSED if the child is its body a. Returns false if the joint has no explicit
 * parametrisation, or is no equation. */
bool hn_tree_joint_set(hn_tree_joint *edge, const hn_model *model, const hn_joint *joint, bool reversed);
/* Sets EDGE for BODY without a joint: its coordinates are its position and orientation. */
void hn_tree_joint_set_free(hn_tree_joint *edge, const hn_model *model, int body);
/* Computes the pose of the child and, if MOTION is not NULL, its motion. The quaternion of a sphere need not
 * be normalised. */
void hn_tree_joint_place(const hn_tree_joint *edge, const double *q, const hn_pose *parent, hn_pose *child,
                         hn_tree_motion *motion);
/* Computes the twist of the child from that of the parent and the rates U. */
void hn_tree_joint_move(const hn_tree_joint *edge, const hn_tree_motion *motion, const double *u,
                        const hn_twist *parent, hn_twist *child);
/* Computes the acceleration terms c_v into BIAS->v and c_w into BIAS->w. */
void hn_tree_joint_bias(const hn_tree_joint *edge, const hn_tree_motion *motion, const double *u,
                        const hn_twist *parent, const hn_twist *child, hn_twist *bias);
/* Computes the coordinates of the child at CHILD against PARENT: those of the nearest pose that the joint
 * permits. Angles are in (-2 pi, 2 pi], so that the quaternion of the child keeps its sign. */
void hn_tree_joint_coordinates(const hn_tree_joint *edge, const hn_pose *parent, const hn_pose *child,
                               double *q);
/* Computes the rates from the twists, by least squares where the joint does not permit the velocity. */
void hn_tree_joint_rates(const hn_tree_joint *edge, const hn_tree_motion *motion, const hn_twist *parent,
                         const hn_twist *child, double *u);
/* Computes the derivatives of the coordinates Q from the rates U. */
void hn_tree_joint_flow(const hn_tree_joint *edge, const double *q, const double *u, double *dq);
/* Moves the coordinates Q by the rates U over h, a sphere by the exponential: exact for constant rates. */
void hn_tree_joint_advance(const hn_tree_joint *edge, double h, const double *u, double *q);

#endif
