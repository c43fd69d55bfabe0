/* freedoms.c - explicit kinematics of joints; the formulas are in freedoms.h */
#include "joint/freedoms.h"
#include "base/turn.h"
#include "elementary.h"

#include <string.h>

/* ---- Edges --------------------------------------------------------------------------------------------- */

/* Computes the unit quaternion of the rotation matrix whose columns are X, Y, Z: by its largest component. */
static void quaternion_of(double q[4], const double x[3], const double y[3], const double z[3])
{
  const double t[4] = { x[0] + y[1] + z[2], x[0] - y[1] - z[2], y[1] - x[0] - z[2], z[2] - x[0] - y[1] };
  int k = 0;
  for (int i = 1; i < 4; i++)
    if (t[i] > t[k]) k = i;
  const double of[4][4] = { { 1 + t[0], y[2] - z[1], z[0] - x[2], x[1] - y[0] },
                            { y[2] - z[1], 1 + t[1], y[0] + x[1], z[0] + x[2] },
                            { z[0] - x[2], y[0] + x[1], 1 + t[2], z[1] + y[2] },
                            { x[1] - y[0], z[0] + x[2], z[1] + y[2], 1 + t[3] } };
  memcpy(q, of[k], sizeof of[k]);
  quat_normalise(q);
}

/* Computes the orientation of b against a at angles of 0: the axes of the joint coincide or, if it has TWO,
 * form its cross. Its sign is that of the start of the model. */
static void set_rest(hn_tree_joint *edge, const hn_axes *axes, bool two, const hn_pose *a, const hn_pose *b)
{
  double of_a[4], of_b[4], from[4], start[4], back[4];
  quaternion_of(of_a, axes->a, axes->a + 3, axes->a + 6);
  quaternion_of(of_b, axes->b, axes->b + 3, axes->b + 6);
  quat_conj(back, of_b);
  if (two) { /* half a turn about the bisector of the axes takes one to the other */
    double half[4] = { 0.0 };
    hn_sincos(0.5 * axes->angle, &half[2], &half[1]);
    quat_mul(of_a, of_a, half);
  }
  quat_mul(edge->rest, of_a, back);
  quat_conj(from, a->q);
  quat_mul(start, from, b->q);
  double same = 0.0;
  for (int i = 0; i < 4; i++) same += start[i] * edge->rest[i];
  for (int i = 0; i < 4 && same < 0.0; i++) edge->rest[i] = -edge->rest[i];
  edge->framed = true;
}

/* Completes EDGE from its turning and slides. A particle has no angles. */
static void count(hn_tree_joint *edge, const hn_body *child)
{
  static const int coordinates[] = { 0, 1, 2, 4 }, rates[] = { 0, 1, 2, 3 };
  if (child->kind == HN_PARTICLE) edge->turning = HN_TURNS_NONE;
  edge->ncoordinate = edge->nslide + coordinates[edge->turning];
  edge->nfree = edge->nslide + rates[edge->turning];
}

static void add_slide(hn_tree_joint *edge, const double direction[3])
{
  vec_copy(edge->slide[edge->nslide++], direction);
}

bool hn_tree_joint_set(hn_tree_joint *edge, const hn_model *model, const hn_joint *joint, bool reversed)
{
  static const double normal[3] = { 0, 0, 1 };
  const hn_freedoms *f = joint->type->freedoms;
  if (!f || joint->set->kind != HN_ANY || joint->type->velocity) return false;
  *edge = (hn_tree_joint){ .joint = joint, .turning = f->turning, .reversed = reversed, .rest = { 1.0 } };
  vec_copy(edge->point_a, joint->point_a), vec_copy(edge->point_b, joint->point_b);
  for (int i = 0; i < 3; i++)
    if (f->slides >> i & 1u) add_slide(edge, joint->axes->a + 3 * i);
  vec_copy(edge->axis_a, f->about_normal || !joint->axes ? normal : joint->axes->a);
  if (joint->axes) vec_copy(edge->axis_b, joint->axes->b);
  if (f->lead) edge->lead = f->lead(joint);
  if (joint->axes && !f->about_normal && f->turning != HN_TURNS_SPHERE)
    set_rest(edge, joint->axes, joint->type->keys & HN_KEY_AXES, &model->body[joint->a].pose0,
             &model->body[joint->b].pose0);
  count(edge, &model->body[reversed ? joint->a : joint->b]);
  return true;
}

void hn_tree_joint_set_free(hn_tree_joint *edge, const hn_model *model, int body)
{
  *edge = (hn_tree_joint){ .turning = model->planar ? HN_TURNS_AXIS : HN_TURNS_SPHERE,
                           .axis_a = { 0, 0, 1 },
                           .rest = { 1.0 } };
  for (int i = 0; i < (model->planar ? 2 : 3); i++)
    add_slide(edge, (const double[]){ i == 0, i == 1, i == 2 });
  count(edge, &model->body[body]);
}

/* ---- Poses --------------------------------------------------------------------------------------------- */

/* Computes the unit quaternion of the rotation by ANGLE about a unit AXIS. */
static void turn_about(double q[4], const double axis[3], double angle)
{
  double sine;
  hn_sincos(0.5 * angle, &sine, q);
  vec_scale(q + 1, sine, axis);
}

/* Computes the orientation of b against a. */
static void relative_orientation(const hn_tree_joint *edge, const double *angle, double r[4])
{
  double turn[4];
  switch (edge->turning) {
  case HN_TURNS_NONE: memcpy(r, edge->rest, sizeof edge->rest); return;
  case HN_TURNS_SPHERE:
    memcpy(r, angle, 4 * sizeof *r);
    quat_normalise(r);
    return;
  case HN_TURNS_AXIS: turn_about(r, edge->axis_a, angle[0]); break;
  case HN_TURNS_CROSS: turn_about(r, edge->axis_a, angle[0]); break;
  }
  if (edge->framed) quat_mul(r, r, edge->rest);
  if (edge->turning != HN_TURNS_CROSS) return;
  turn_about(turn, edge->axis_b, angle[1]);
  quat_mul(r, r, turn);
}

/* Sets the columns of S for angles about E, an axis in world axes, or for the axes of a. */
static void turning_columns(const hn_tree_joint *edge, const hn_pose *a, const hn_pose *b, double S[][6])
{
  const double sigma = edge->reversed ? -1.0 : 1.0;
  if (edge->turning == HN_TURNS_NONE) return;
  if (edge->turning == HN_TURNS_SPHERE) {
    double R[9];
    quat_matrix(R, a->q);
    for (int k = 0; k < 3; k++)
      for (int i = 0; i < 3; i++) S[k][i] = 0.0, S[k][3 + i] = sigma * R[3 * i + k];
    return;
  }
  quat_rotate(S[0] + 3, a->q, edge->axis_a);
  for (int i = 0; i < 3; i++) S[0][3 + i] *= sigma, S[0][i] = edge->lead * S[0][3 + i];
  if (edge->turning != HN_TURNS_CROSS) return;
  quat_rotate(S[1] + 3, b->q, edge->axis_b);
  for (int i = 0; i < 3; i++) S[1][3 + i] *= sigma, S[1][i] = 0.0;
}

/* Computes the span from point a to point b in world axes. */
static void span_of(const hn_tree_joint *edge, const double *q, const double orientation[4], double span[3])
{
  double in_a[3] = { 0, 0, 0 };
  for (int i = 0; i < edge->nslide; i++) vec_add_scaled(in_a, q[i], edge->slide[i]);
  if (edge->lead != 0.0) vec_add_scaled(in_a, edge->lead * q[edge->nslide], edge->axis_a);
  quat_rotate(span, orientation, in_a);
}

void hn_tree_joint_place(const hn_tree_joint *edge, const double *q, const hn_pose *parent, hn_pose *child,
                         hn_tree_motion *motion)
{
  const double sigma = edge->reversed ? -1.0 : 1.0;
  const hn_pose *a = edge->reversed ? child : parent, *b = edge->reversed ? parent : child;
  double relative[4], arm_a[3], arm_b[3], span[3] = { 0, 0, 0 };
  relative_orientation(edge, q + edge->nslide, relative);
  if (edge->reversed) quat_conj(relative, relative);
  quat_mul(child->q, parent->q, relative);
  quat_rotate(arm_a, a->q, edge->point_a);
  quat_rotate(arm_b, b->q, edge->point_b);
  if (edge->nslide > 0 || edge->lead != 0.0) span_of(edge, q, a->q, span);
  vec_add(arm_a, arm_a, span);
  for (int i = 0; i < 3; i++) child->x[i] = parent->x[i] + sigma * (arm_a[i] - arm_b[i]);
  if (!motion) return;
  vec_copy(edge->reversed ? motion->lever_child : motion->lever_parent, arm_a);
  vec_copy(edge->reversed ? motion->lever_parent : motion->lever_child, arm_b);
  for (int k = 0; k < edge->nslide; k++) {
    quat_rotate(motion->S[k], a->q, edge->slide[k]);
    for (int i = 0; i < 3; i++) motion->S[k][i] *= sigma, motion->S[k][3 + i] = 0.0;
  }
  turning_columns(edge, a, b, motion->S + edge->nslide);
}

/* ---- Velocities ---------------------------------------------------------------------------------------- */

/* out = S u, split into its linear and its angular part. */
static void relative_twist(const hn_tree_joint *edge, const hn_tree_motion *motion, const double *u,
                           double v[3], double w[3])
{
  vec_set(v, 0, 0, 0), vec_set(w, 0, 0, 0);
  for (int k = 0; k < edge->nfree; k++)
    vec_add_scaled(v, u[k], motion->S[k]), vec_add_scaled(w, u[k], motion->S[k] + 3);
}

void hn_tree_joint_move(const hn_tree_joint *edge, const hn_tree_motion *motion, const double *u,
                        const hn_twist *parent, hn_twist *child)
{
  double turn[3];
  relative_twist(edge, motion, u, child->v, child->w);
  vec_add(child->w, child->w, parent->w);
  vec_add(child->v, child->v, parent->v);
  vec_cross(turn, parent->w, motion->lever_parent);
  vec_add(child->v, child->v, turn);
  vec_cross(turn, child->w, motion->lever_child);
  vec_sub(child->v, child->v, turn);
}

/* out += sign w x (w x r) */
static void add_centripetal(double out[3], double sign, const double w[3], const double r[3])
{
  double turn[3], bend[3];
  vec_cross(turn, w, r);
  vec_cross(bend, w, turn);
  vec_add_scaled(out, sign, bend);
}

void hn_tree_joint_bias(const hn_tree_joint *edge, const hn_tree_motion *motion, const double *u,
                        const hn_twist *parent, const hn_twist *child, hn_twist *bias)
{
  const hn_twist *a = edge->reversed ? child : parent, *b = edge->reversed ? parent : child;
  double v[3], w[3], across[3], turn[3];
  relative_twist(edge, motion, u, v, w);
  vec_cross(bias->w, a->w, w);
  if (edge->turning == HN_TURNS_CROSS) { /* the second axis is fixed to b */
    vec_sub(turn, b->w, a->w);
    vec_cross(across, turn, motion->S[edge->nslide + 1] + 3);
    vec_add_scaled(bias->w, u[edge->nslide + 1], across);
  }
  vec_cross(across, a->w, v);
  vec_scale(bias->v, 2.0, across);
  add_centripetal(bias->v, 1.0, parent->w, motion->lever_parent);
  add_centripetal(bias->v, -1.0, child->w, motion->lever_child);
}

/* ---- Coordinates of a state ---------------------------------------------------------------------------- */

/* Returns the angle of the rotation Q about AXIS: the part of Q about it, by its half angle. */
static double angle_about(const double q[4], const double axis[3])
{
  return 2.0 * hn_atan2(vec_dot(q + 1, axis), q[0]);
}

/* Computes the angles of a cross from the orientation R of b against a. With a_0 along AXIS_A, the first is
 * the angle about a_0 from the second axis at rest to that axis now. */
static void cross_angles(const hn_tree_joint *edge, const double r[4], double *angle)
{
  double now[3], rest[3], across[3], first[4], left[4], back[4], beyond[4];
  quat_rotate(now, r, edge->axis_b);
  quat_rotate(rest, edge->rest, edge->axis_b);
  vec_cross(across, edge->axis_a, rest);
  vec_add_scaled(rest, -vec_dot(rest, edge->axis_a), edge->axis_a);
  angle[0] = hn_atan2(vec_dot(across, now), vec_dot(rest, now));
  turn_about(first, edge->axis_a, angle[0]);
  quat_mul(beyond, first, edge->rest);
  quat_conj(back, beyond);
  quat_mul(left, back, r);
  angle[1] = angle_about(left, edge->axis_b);
}

/* Adds to the angle of a screw the whole turns that its advance shows. */
static double screw_angle(const hn_tree_joint *edge, double angle, double advance)
{
  const double turn = 2.0 * M_PI;
  return angle + turn * rint((advance / edge->lead - angle) / turn);
}

void hn_tree_joint_coordinates(const hn_tree_joint *edge, const hn_pose *parent, const hn_pose *child,
                               double *q)
{
  const hn_pose *a = edge->reversed ? child : parent, *b = edge->reversed ? parent : child;
  double back[4], r[4], left[4], arm_a[3], arm_b[3], span[3], in_a[3], *angle = q + edge->nslide;
  quat_rotate(arm_a, a->q, edge->point_a);
  quat_rotate(arm_b, b->q, edge->point_b);
  for (int i = 0; i < 3; i++) span[i] = (b->x[i] + arm_b[i]) - (a->x[i] + arm_a[i]);
  quat_unrotate(in_a, a->q, span);
  for (int i = 0; i < edge->nslide; i++) q[i] = vec_dot(edge->slide[i], in_a);
  quat_conj(back, a->q);
  quat_mul(r, back, b->q);
  switch (edge->turning) {
  case HN_TURNS_NONE: break;
  case HN_TURNS_SPHERE: memcpy(angle, r, sizeof r), quat_normalise(angle); break;
  case HN_TURNS_CROSS: cross_angles(edge, r, angle); break;
  case HN_TURNS_AXIS:
    quat_conj(back, edge->rest);
    quat_mul(left, r, back);
    angle[0] = angle_about(left, edge->axis_a);
    if (edge->lead != 0.0) angle[0] = screw_angle(edge, angle[0], vec_dot(edge->axis_a, in_a));
    break;
  }
}

void hn_tree_joint_rates(const hn_tree_joint *edge, const hn_tree_motion *motion, const hn_twist *parent,
                         const hn_twist *child, double *u)
{
  double v[3], w[3], turn[3], *spin = u + edge->nslide;
  vec_sub(w, child->w, parent->w);
  vec_sub(v, child->v, parent->v);
  vec_cross(turn, child->w, motion->lever_child);
  vec_add(v, v, turn);
  vec_cross(turn, parent->w, motion->lever_parent);
  vec_sub(v, v, turn);
  for (int k = 0; k < edge->nslide; k++) u[k] = vec_dot(motion->S[k], v);
  const double(*axis)[6] = motion->S + edge->nslide;
  for (int k = 0; k < edge->nfree - edge->nslide; k++) spin[k] = vec_dot(axis[k] + 3, w);
  if (edge->turning != HN_TURNS_CROSS) return;
  double c = vec_dot(axis[0] + 3, axis[1] + 3), first = spin[0], second = spin[1];
  spin[0] = (first - c * second) / (1.0 - c * c), spin[1] = (second - c * first) / (1.0 - c * c);
}

/* ---- Motion of coordinates ----------------------------------------------------------------------------- */

void hn_tree_joint_flow(const hn_tree_joint *edge, const double *q, const double *u, double *dq)
{
  const int n = edge->nslide;
  if (edge->turning != HN_TURNS_SPHERE) {
    memcpy(dq, u, sizeof *dq * (size_t)edge->nfree);
    return;
  }
  for (int i = 0; i < n; i++) dq[i] = u[i];
  const double half[4] = { 0.0, 0.5 * u[n], 0.5 * u[n + 1], 0.5 * u[n + 2] };
  quat_mul(dq + n, half, q + n);
}

void hn_tree_joint_advance(const hn_tree_joint *edge, double h, const double *u, double *q)
{
  const int n = edge->nslide, plain = edge->turning == HN_TURNS_SPHERE ? n : edge->nfree;
  for (int i = 0; i < plain; i++) q[i] += h * u[i];
  if (edge->turning != HN_TURNS_SPHERE) return;
  double turn[4];
  turn_by(turn, h, u + n);
  quat_mul(q + n, turn, q + n);
  quat_normalise(q + n);
}
