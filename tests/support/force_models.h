/* force_models.h - short forms for tests of forces: bodies, a rotor on a hinge, forces. */
#ifndef HN_FORCE_MODELS_H
#define HN_FORCE_MODELS_H

#include "every_solver.h"

static const double none[3] = { 0, 0, 0 };
enum { X, Y, Z };
static const double axes[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
static const double MASS = 1.3, INERTIA = 0.4; /* kg; kg m^2 about z */

static inline hn_model *without_gravity(void)
{
  hn_model *model = hn_model_create(none);
  assert_non_null(model);
  return model;
}

/* Adds a body whose axes are the world axes. */
static inline int add_body(hn_model *model, const char *name, double mass, const double at[3],
                           const double v[3], double w_z)
{
  hn_body_spec spec = rigid_body(name, mass, 0.2, 0.3, INERTIA);
  vec_copy(spec.position, at), vec_copy(spec.velocity, v);
  spec.angular_velocity[2] = w_z;
  return must_add(model, &spec);
}

static inline void add_joint(hn_model *model, const char *type, int a, int b, const double axis[3])
{
  hn_error error;
  hn_joint_spec spec = { .type = type, .a = a, .b = b, .has_points = true };
  vec_copy(spec.axis_a, axis);
  must(hn_model_add_joint(model, &spec, &error), &error);
}

/* Adds a body on a hinge along z through the origin. */
static inline int add_rotor(hn_model *model, double w_z)
{
  int body = add_body(model, "rotor", 2.0, none, none, w_z);
  add_joint(model, "hinge", 0, body, axes[Z]);
  return body;
}

static inline void add_force(hn_model *model, const char *type, int a, int b, const char *settings,
                             hn_force_spec spec)
{
  hn_error error;
  spec.geometry.type = type, spec.geometry.a = a, spec.geometry.b = b, spec.geometry.has_points = true;
  spec.settings = settings;
  must(hn_model_add_force(model, &spec, &error), &error);
}

/* Returns parameters formatted with three numbers; valid until the next call. */
static inline const char *settings_of(const char *format, double first, double second, double third)
{
  static char text[256];
  snprintf(text, sizeof text, format, first, second, third);
  return text;
}

#endif
