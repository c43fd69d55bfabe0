/* geometry.c - points and axes of a joint in the axes of its bodies, from the world at t = 0 */
#include "joint/geometry.h"
#include "base/vec.h"
#include "joint/planar_model.h"

#include <stdlib.h>

static const double off_particle = 1e-9; /* relative distance from a particle that is rounding in a scene */
static const double parallel = 1e-12;    /* sine of an angle below which axes are parallel */

static int check_bodies(const hn_model *model, const hn_joint_spec *spec, const char *name, hn_error *error)
{
  for (int side = 0; side < 2; side++) {
    int i = side ? spec->b : spec->a;
    if (i < 0 || i >= model->nbody)
      return hn_fail(error, "joint \"%s\": there is no body number %d", name, i);
  }
  const hn_body *a = &model->body[spec->a], *b = &model->body[spec->b];
  if (spec->a == spec->b)
    return hn_fail(error, "joint \"%s\" connects body \"%s\" with itself", name, a->name);
  if (a->kind == HN_FIXED && b->kind == HN_FIXED)
    return hn_fail(error, "joint \"%s\" connects two fixed bodies, \"%s\" and \"%s\"", name, a->name,
                   b->name);
  return 0;
}

/* Computes the joint point in body axes; the only point of a particle is its centre. */
static int set_point(const hn_body *body, const char *name, const double at[3], double point[3],
                     hn_error *error)
{
  double offset[3];
  vec_sub(offset, at, body->pose0.x);
  quat_unrotate(point, body->pose0.q, offset);
  double scale = 1.0 + vec_norm(at);
  if (body->kind != HN_PARTICLE) return 0;
  if (vec_norm(offset) > off_particle * scale)
    return hn_fail(error, "joint \"%s\": its point is %g m away from particle \"%s\"", name, vec_norm(offset),
                   body->name);
  vec_set(point, 0, 0, 0);
  return 0;
}

/* Computes a right-handed frame with its first axis along DIRECTION; false if DIRECTION has no length. */
static bool frame_along(double frame[9], const double direction[3])
{
  double length = vec_norm(direction);
  int least = 0;
  if (!(length > 0) || !isfinite(length)) return false;
  vec_scale(frame, 1.0 / length, direction);
  for (int i = 1; i < 3; i++)
    if (fabs(frame[i]) < fabs(frame[least])) least = i;
  double across[3] = { 0, 0, 0 };
  across[least] = 1.0;
  vec_cross(frame + 3, frame, across);
  vec_scale(frame + 3, 1.0 / vec_norm(frame + 3), frame + 3);
  vec_cross(frame + 6, frame, frame + 3);
  return true;
}

/* Rotates axes 1 and 2 of FRAME about axis 0 until axis 1 lies on the side of DIRECTION; false if DIRECTION
 * is parallel to axis 0. */
static bool turn_frame_to(double frame[9], const double direction[3])
{
  double along = vec_dot(frame, direction), across[3];
  for (int i = 0; i < 3; i++) across[i] = direction[i] - along * frame[i];
  if (!(vec_norm(across) > parallel)) return false;
  vec_scale(frame + 3, 1.0 / vec_norm(across), across);
  vec_cross(frame + 6, frame, frame + 3);
  return true;
}

/* Converts world directions to the axes of BODY. */
static void fix_axes(const hn_body *body, const double frame[9], double axes[9])
{
  for (int i = 0; i < 3; i++) quat_unrotate(axes + 3 * i, body->pose0.q, frame + 3 * i);
}

/* Sets the joint's axes on b to the scene axes of b, in its own axes. */
static void take_body_axes(const hn_body *b, hn_axes *axes)
{
  for (int i = 0; i < 3; i++) {
    double e[3] = { i == 0, i == 1, i == 2 };
    if (b->frame) quat_rotate(axes->b + 3 * i, b->frame->q, e);
    else vec_copy(axes->b + 3 * i, e);
  }
}

/* Sets the joint's axes on both bodies: one common frame, or frames along axis_a and axis_b. In the second
 * case each has the other's direction as second axis, so that the angles of a universal joint start at zero.
 * Normalises the directions in SPEC. */
static int set_axes(const hn_model *model, hn_joint_spec *spec, unsigned keys, hn_joint *joint,
                    hn_error *error)
{
  static const double x_axis[3] = { 1, 0, 0 };
  double frame_a[9], frame_b[9];
  bool two = keys & HN_KEY_AXES;
  if (!(keys & (HN_KEY_AXIS | HN_KEY_AXES | HN_KEY_MOTION | HN_ROTATION_A | HN_ROTATION_B)))
    return 0; /* no axes needed */
  joint->axes = calloc(1, sizeof *joint->axes);
  if (!joint->axes) return hn_fail(error, "out of memory");
  joint->axes->motion = spec->motion;
  /* World directions, the x axis by default. */
  if (!(keys & (HN_KEY_AXIS | HN_KEY_AXES))) vec_copy(spec->axis_a, x_axis);
  if (!two) vec_copy(spec->axis_b, spec->axis_a);
  if (!frame_along(frame_a, spec->axis_a) || !frame_along(frame_b, spec->axis_b))
    return hn_fail(error, "joint \"%s\": its axis must be a direction, three numbers not all zero",
                   joint->name);
  if (model->planar) hn_planar_frame(frame_a), hn_planar_frame(frame_b);
  vec_copy(spec->axis_a, frame_a), vec_copy(spec->axis_b, frame_b);
  if (two && (!turn_frame_to(frame_a, spec->axis_b) || !turn_frame_to(frame_b, spec->axis_a)))
    return hn_fail(error, "joint \"%s\": its axes are parallel; it needs them apart", joint->name);
  /* Body axes. */
  fix_axes(&model->body[joint->a], frame_a, joint->axes->a);
  fix_axes(&model->body[joint->b], frame_b, joint->axes->b);
  if (keys & HN_KEY_BODY_AXES) take_body_axes(&model->body[joint->b], joint->axes);
  return 0;
}

static int set_points(const hn_model *model, hn_joint_spec *spec, unsigned keys, hn_joint *joint,
                      hn_error *error)
{
  const hn_body *a = &model->body[joint->a], *b = &model->body[joint->b];
  if (!spec->has_points && (keys & HN_KEY_AT) && !(keys & HN_KEY_DEFAULT_POINTS))
    return hn_fail(error, "joint \"%s\" needs its point: at = {x, y, z}", joint->name);
  if (!spec->has_points) vec_copy(spec->at_a, a->pose0.x), vec_copy(spec->at_b, b->pose0.x);
  if (!all_finite(spec->at_a, 3) || !all_finite(spec->at_b, 3))
    return hn_fail(error, "joint \"%s\": its points must be finite", joint->name);
  if (set_point(a, joint->name, spec->at_a, joint->point_a, error)) return -1;
  return set_point(b, joint->name, spec->at_b, joint->point_b, error);
}

/* Returns an error if the joint needs the orientation of a particle. */
static int check_turning(const hn_model *model, unsigned keys, const hn_joint *joint, hn_error *error)
{
  for (int side = 0; side < 2; side++) {
    const hn_body *body = &model->body[side ? joint->b : joint->a];
    if (body->kind == HN_PARTICLE && (keys & (side ? HN_ROTATION_B : HN_ROTATION_A)))
      return hn_fail(error,
                     "joint \"%s\": it acts on the orientation of \"%s\", which is a particle and has none",
                     joint->name, body->name);
  }
  return 0;
}

int hn_model_set_geometry(const hn_model *model, hn_joint_spec spec, unsigned keys, hn_joint *joint,
                          hn_error *error)
{
  if (check_bodies(model, &spec, joint->name, error) || check_turning(model, keys, joint, error)) return -1;
  if (set_points(model, &spec, keys, joint, error)) return -1;
  if (model->planar && hn_planar_check_geometry(&spec, keys, joint, error)) return -1;
  if (set_axes(model, &spec, keys, joint, error)) return -1;
  const hn_body *a = &model->body[joint->a], *b = &model->body[joint->b];
  return joint->type->setup ? joint->type->setup(joint, &spec, &a->pose0, &b->pose0, error) : 0;
}
