/* planar_model.c - models whose bodies move in the plane z = 0
 *
 * No constraint keeps bodies in the plane, so no row is redundant. Every part of the model must lie in the
 * plane exactly: positions, velocities, gravity, joint points and forces have z = 0. Orientations have x = y
 * = 0. Angular velocities, torques and rotation axes have only z. A body has one moment of inertia, about z:
 *
 *   J = diag(0, 0, Jz),  J^-1 in W = diag(0, 0, 1 / Jz): no gyroscopic term, no answer to torques in the plane
 *
 * Joint rows have no part out of the plane (planar_joints.c). Products and sums of these zeros are zeros, so
 * that every solver stays in the plane to the bit without special code. */
#include "joint/planar_model.h"
#include "base/vec.h"

int hn_model_set_planar(hn_model *model, hn_error *error)
{
  if (model->nbody > 1) return hn_fail(error, "a system is made planar before it has bodies");
  if (model->gravity[2] != 0)
    return hn_fail(error, "gravity of a planar system must lie in the plane z = 0: its z must be 0, not %s",
                   hn_exact(model->gravity[2]).text);
  model->planar = true;
  return 0;
}

int hn_planar_inertia(hn_body *body, const hn_body_spec *spec, hn_error *error)
{
  if (spec->has_mass && (body->J[0] != 0 || body->J[1] != 0))
    return hn_fail(error, "body \"%s\": in a planar system its inertia is one number, that about z",
                   spec->name);
  if (!(body->J[2] > 0))
    return hn_fail(error, "body \"%s\": inertia Jz must be positive, not %g", spec->name, body->J[2]);
  body->J[0] = body->J[1] = 0.0;
  return 0;
}

int hn_planar_check_body(const hn_body *body, const char *name, hn_error *error)
{
  const struct {
    const char *what, *component;
    double value;
  } zero[] = {
    { "position", "z", body->pose0.x[2] },          { "orientation", "x", body->pose0.q[1] },
    { "orientation", "y", body->pose0.q[2] },       { "velocity", "z", body->twist0.v[2] },
    { "angular velocity", "x", body->twist0.w[0] }, { "angular velocity", "y", body->twist0.w[1] },
    { "gravity", "z", body->gravity[2] },
  };
  for (size_t i = 0; i < sizeof zero / sizeof zero[0]; i++)
    if (zero[i].value != 0)
      return hn_fail(error, "body \"%s\": in a planar system %s of its %s must be 0, not %s", name,
                     zero[i].component, zero[i].what, hn_exact(zero[i].value).text);
  return 0;
}

const hn_joint_type *hn_planar_type(const hn_joint_type *type, const char *name, hn_error *error)
{
  if (!type->planar)
    hn_fail(error, "joint \"%s\": a %s joint has no meaning in a planar system", name, type->name);
  return type->planar;
}

static bool is_normal(const double axis[3])
{
  return axis[0] == 0 && axis[1] == 0;
}

static int check_axis(const hn_joint *joint, const double axis[3], hn_error *error)
{
  unsigned keys = joint->type->keys;
  if (keys & HN_AXIS_NORMAL && !is_normal(axis))
    return hn_fail(error, "joint \"%s\": in a planar system its axis must be along z, not {%g, %g, %g}",
                   joint->name, axis[0], axis[1], axis[2]);
  if (keys & HN_AXIS_IN_PLANE && axis[2] != 0)
    return hn_fail(error, "joint \"%s\": in a planar system its axis lies in the plane: z must be 0, not %s",
                   joint->name, hn_exact(axis[2]).text);
  return 0;
}

int hn_planar_check_geometry(const hn_joint_spec *spec, unsigned keys, const hn_joint *joint, hn_error *error)
{
  const double z[2] = { spec->at_a[2], spec->at_b[2] };
  for (int side = 0; side < 2; side++)
    if (z[side] != 0)
      return hn_fail(error,
                     "joint \"%s\": in a planar system its points lie in the plane: z must be 0, not %s",
                     joint->name, hn_exact(z[side]).text);
  if (keys & (HN_KEY_AXIS | HN_KEY_AXES) && check_axis(joint, spec->axis_a, error)) return -1;
  return keys & HN_KEY_AXES ? check_axis(joint, spec->axis_b, error) : 0;
}

void hn_planar_frame(double frame[9])
{
  if (is_normal(frame)) vec_set(frame + 3, 1.0, 0.0, 0.0);
  else vec_set(frame + 3, -frame[1], frame[0], 0.0);
  vec_cross(frame + 6, frame, frame + 3);
}

int hn_planar_check_vector(const char *name, const char *key, bool turns, const double vector[3],
                           hn_error *error)
{
  if (turns ? is_normal(vector) : vector[2] == 0) return 0;
  return hn_fail(error, "force \"%s\": in a planar system %s must %s, not {%g, %g, %g}", name, key,
                 turns ? "be along z" : "have z = 0", vector[0], vector[1], vector[2]);
}
