/* model.c - builds a model from specifications and refuses those without a physical meaning */
#include "base/array.h"
#include "base/vec.h"
#include "force/force.h"
#include "joint/geometry.h"
#include "joint/planar_model.h"
#include "joint/residual.h"
#include "joint/joint_start.h"
#include "model/collider.h"
#include "tape/tape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double plastic_speed = 0.01; /* m/s, rad/s: default of the threshold of plastic impacts */
static const double rounding = 1e-12;     /* relative, of moments of inertia in a scene */

static void add_ground(hn_model *model)
{
  hn_body *ground = calloc(1, sizeof *ground);
  if (!ground) return;
  ground->name = strdup("ground");
  ground->pose0.q[0] = 1.0;
  model->body = ground;
  model->nbody = 1;
}

hn_model *hn_model_create(const double gravity[3])
{
  hn_model *model = calloc(1, sizeof *model);
  if (!model) return NULL;
  vec_copy(model->gravity, gravity);
  model->threshold = plastic_speed;
  add_ground(model);
  if (model->nbody == 1 && model->body[0].name) return model;
  hn_model_free(model);
  return NULL;
}

/* Frees an edited model; elements of other models remain. */
static void free_view(hn_model *model)
{
  free(model->body), free(model->joint), free(model->force), free(model->collider);
  free(model);
}

void hn_model_free(hn_model *model)
{
  if (!model) return;
  if (model->view) {
    free_view(model);
    return;
  }
  for (int i = 0; i < model->nbody; i++) free(model->body[i].name), free(model->body[i].frame);
  hn_colliders_free(model);
  for (int j = 0; j < model->njoint; j++) hn_joint_free(&model->joint[j]);
  for (int i = 0; i < model->nforce; i++) hn_force_free(&model->force[i]);
  free(model->force);
  free(model->body);
  free(model->joint);
  free(model);
}

bool hn_model_has_forces(const hn_model *model)
{
  return model->nforce > 0 || model->compliant || model->more;
}

int hn_model_freedoms(const hn_model *model)
{
  const int turning = model->planar ? 3 : 6, point = model->planar ? 2 : 3;
  int count = 0;
  for (int i = 0; i < model->nbody; i++) {
    hn_body_kind kind = model->body[i].kind;
    count += kind == HN_RIGID ? turning : kind == HN_PARTICLE ? point : 0;
  }
  return count;
}

/* Returns the name of element I of ARRAY. Elements have SIZE bytes and begin with their name. */
static const char *name_of(const void *array, int i, size_t size)
{
  const char *name;
  memcpy(&name, (const char *)array + (size_t)i * size, sizeof name);
  return name;
}

_Static_assert(offsetof(hn_body, name) == 0 && offsetof(hn_joint, name) == 0 && offsetof(hn_force, name) == 0,
               "names come first");

/* Returns the index of the element called NAME; an error with the nearest name if there is none. */
static int find(const char *what, const char *name, const void *array, int count, size_t size,
                hn_error *error)
{
  for (int i = 0; i < count; i++)
    if (strcmp(name_of(array, i, size), name) == 0) return i;
  const char **names = malloc(sizeof *names * ((size_t)count + 1));
  if (!names) return hn_fail(error, "out of memory");
  for (int i = 0; i < count; i++) names[i] = name_of(array, i, size);
  const char *near = hn_nearest(name, names, (size_t)count);
  free(names);
  return near ? hn_fail(error, "no %s \"%s\"; did you mean \"%s\"?", what, name, near)
              : hn_fail(error, "no %s \"%s\"", what, name);
}

int hn_model_find_body(const hn_model *model, const char *name, hn_error *error)
{
  return find("body", name, model->body, model->nbody, sizeof *model->body, error);
}

static int compare_names(const void *a, const void *b, void *model)
{
  const hn_body *body = ((const hn_model *)model)->body;
  return strcmp(body[*(const int *)a].name, body[*(const int *)b].name);
}

int *hn_model_sort_bodies(const hn_model *model)
{
  int *sorted = malloc(sizeof *sorted * (size_t)model->nbody);
  for (int i = 0; sorted && i < model->nbody; i++) sorted[i] = i;
  if (sorted) qsort_r(sorted, (size_t)model->nbody, sizeof *sorted, compare_names, (void *)model);
  return sorted;
}

int hn_model_look_up(const hn_model *model, const int *sorted, const char *name)
{
  int low = 0, high = model->nbody;
  while (low < high) {
    int middle = low + (high - low) / 2;
    int order = strcmp(model->body[sorted[middle]].name, name);
    if (order == 0) return sorted[middle];
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return -1;
}

int hn_model_find_joint(const hn_model *model, const char *name, hn_error *error)
{
  return find("joint", name, model->joint, model->njoint, sizeof *model->joint, error);
}

int hn_model_find_force(const hn_model *model, const char *name, hn_error *error)
{
  return find("force", name, model->force, model->nforce, sizeof *model->force, error);
}

/* Checks that no moment exceeds the sum of the others, the condition for a physical body; a flat body attains
 * it. */
static int check_inertia(const char *name, const double J[3], hn_error *error)
{
  static const char axis[] = "xyz";
  for (int i = 0; i < 3; i++)
    if (!(J[i] > 0))
      return hn_fail(error, "body \"%s\": inertia J%c must be positive, not %g", name, axis[i], J[i]);
  for (int i = 0; i < 3; i++)
    if (J[i] > (J[(i + 1) % 3] + J[(i + 2) % 3]) * (1.0 + rounding))
      return hn_fail(
        error,
        "body \"%s\": inertia {%g, %g, %g} violates the triangle inequality (J%c is above the sum "
        "of the others)",
        name, J[0], J[1], J[2], axis[i]);
  return 0;
}

/* Computes the mass properties of SPEC in scene axes. */
static int find_mass(const hn_body_spec *spec, hn_mass *mass, hn_error *error)
{
  hn_error why;
  *mass = (hn_mass){ .mass = spec->mass };
  vec_copy(mass->centre, spec->centre);
  vec_copy(mass->J, spec->inertia), vec_copy(mass->J + 3, spec->products);
  const bool homogeneous = spec->kind == HN_RIGID && hn_parts_count(spec) > 0 && vec_norm(spec->inertia) == 0;
  if ((!spec->has_mass || homogeneous) && hn_parts_mass(spec, mass, &why))
    return hn_fail(error, "body \"%s\": %.400s", spec->name, why.text);
  if (!isfinite(mass->mass) || !all_finite(mass->centre, 3) || !all_finite(mass->J, 6))
    return hn_fail(error, "body \"%s\": mass and inertia must be finite", spec->name);
  if (!(mass->mass > 0))
    return hn_fail(error, "body \"%s\": mass must be positive, not %g", spec->name, mass->mass);
  return 0;
}

/* Sets the body's own axes: origin at the centre of mass, directions along the principal axes of inertia. */
static int set_axes(hn_body *body, bool planar, const hn_mass *mass, hn_error *error)
{
  double q[4] = { 1, 0, 0, 0 };
  vec_copy(body->J, mass->J);
  if (!planar && hn_mass_principal(mass, q, body->J, error)) return -1;
  if (!(vec_norm(mass->centre) > 0 || vec_norm(q + 1) > 0)) return 0;
  body->frame = malloc(sizeof *body->frame);
  if (!body->frame) return hn_fail(error, "out of memory");
  quat_conj(body->frame->q, q);
  quat_rotate(body->frame->x, body->frame->q, mass->centre);
  vec_scale(body->frame->x, -1.0, body->frame->x);
  return 0;
}

/* kg, kg m^2: masses and moments of inertia within these bounds have products that are numbers. */
static const double smallest_mass = 1e-100, largest_mass = 1e100;

/* Returns -1 and an error if VALUE, the mass or a moment of inertia, is out of bounds. */
static int check_size(const char *name, const char *what, double value, hn_error *error)
{
  const bool small = value < smallest_mass;
  if (!small && value <= largest_mass) return 0;
  return hn_fail(error, "body \"%s\": %s %g is too %s, %s %g: its products would %s; use other units", name,
                 what, value, small ? "small" : "large", small ? "at least" : "at most",
                 small ? smallest_mass : largest_mass, small ? "vanish" : "overflow");
}

static int set_mass(hn_body *body, bool planar, const hn_body_spec *spec, hn_error *error)
{
  hn_mass mass;
  if (find_mass(spec, &mass, error)) return -1;
  body->mass = mass.mass;
  if (spec->kind == HN_RIGID && set_axes(body, planar, &mass, error)) return -1;
  if (spec->kind == HN_RIGID && planar && hn_planar_inertia(body, spec, error)) return -1;
  if (spec->kind == HN_RIGID && !planar && check_inertia(spec->name, body->J, error)) return -1;
  if (check_size(spec->name, "mass", body->mass, error)) return -1;
  body->inv_mass = 1.0 / body->mass;
  for (int i = 0; i < 3; i++) {
    const bool turns = spec->kind == HN_RIGID && body->J[i] > 0;
    if (turns && check_size(spec->name, "inertia", body->J[i], error)) return -1;
    body->inv_J[i] = turns ? 1.0 / body->J[i] : 0.0;
  }
  return 0;
}

/* Sets Q to GIVEN / |GIVEN|, or to the identity if GIVEN is zero. GIVEN is first scaled by a power of two, so
 * that no square overflows or underflows. */
static void set_orientation(double q[4], const double given[4])
{
  static const double identity[4] = { 1.0, 0.0, 0.0, 0.0 };
  double largest = 0.0;
  int exponent;
  for (int i = 0; i < 4; i++) largest = fmax(largest, fabs(given[i]));
  if (largest == 0.0) given = identity, largest = 1.0;
  frexp(largest, &exponent);
  for (int i = 0; i < 4; i++) q[i] = ldexp(given[i], -exponent);
  double length = norm_of(q, 4);
  for (int i = 0; i < 4; i++) q[i] /= length;
}

static int set_motion(hn_body *body, const hn_body_spec *spec, hn_error *error)
{
  if (!all_finite(spec->position, 3) || !all_finite(spec->orientation, 4) || !all_finite(spec->velocity, 3) ||
      !all_finite(spec->angular_velocity, 3))
    return hn_fail(error, "body \"%s\": position, orientation and velocities must be finite", spec->name);
  set_orientation(body->pose0.q, spec->orientation);
  hn_pose pose = body->pose0;
  hn_twist twist;
  vec_copy(pose.x, spec->position);
  vec_copy(twist.v, spec->velocity);
  vec_copy(twist.w, spec->angular_velocity);
  hn_body_from_scene(body, &pose, &twist, &body->pose0, &body->twist0);
  bool moving = vec_norm(spec->velocity) > 0 || vec_norm(spec->angular_velocity) > 0;
  if (spec->kind == HN_FIXED && moving)
    return hn_fail(error, "body \"%s\" is fixed and cannot have a velocity", spec->name);
  return 0;
}

/* Adds the shapes of the new body, which is not counted yet. */
static int add_shapes(hn_model *model, const hn_body_spec *spec, hn_error *error)
{
  hn_error why;
  return hn_parts_add(model, model->nbody, spec, &why)
           ? hn_fail(error, "body \"%s\": %.400s", spec->name, why.text)
           : 0;
}

static int fill_body(const hn_model *model, const hn_body_spec *spec, hn_body *body, hn_error *error)
{
  if (spec->kind != HN_FIXED && set_mass(body, model->planar, spec, error)) return -1;
  if (set_motion(body, spec, error)) return -1;
  vec_copy(body->gravity, spec->has_gravity ? spec->gravity : model->gravity);
  if (!all_finite(body->gravity, 3)) return hn_fail(error, "body \"%s\": gravity must be finite", spec->name);
  return model->planar ? hn_planar_check_body(body, spec->name, error) : 0;
}

static int add_named(hn_model *model, const hn_body_spec *spec, hn_error *error)
{
  hn_body *grown = hn_array_grow(model->body, model->nbody, sizeof *grown);
  if (grown) model->body = grown;
  hn_body *body = &model->body[model->nbody];
  if (!grown) return hn_fail(error, "out of memory");
  *body = (hn_body){ .kind = spec->kind, .name = strdup(spec->name) };
  int status = body->name ? fill_body(model, spec, body, error) : hn_fail(error, "out of memory");
  if (status == 0 && add_shapes(model, spec, error) == 0) return model->nbody++;
  free(body->name), free(body->frame);
  return -1;
}

int hn_model_add_body(hn_model *model, const hn_body_spec *spec, hn_error *error)
{
  char numbered[32];
  hn_body_spec named = *spec;
  snprintf(numbered, sizeof numbered, "body%d", model->nbody);
  if (!named.name) named.name = numbered;
  return add_named(model, &named, error);
}

int hn_model_check_start(const hn_model *model, hn_error *error)
{
  for (int j = 0; j < model->njoint; j++)
    if (hn_joint_check_start(model, &model->joint[j], error)) return -1;
  return 0;
}

static const hn_set plain[] = {
  { .kind = HN_ANY }, { .kind = HN_PUSH }, { .kind = HN_WITHIN }, { .kind = HN_CONE }
};

/* Sets JOINT from SPEC; the caller owns joint->name. */
static int set_joint(const hn_model *model, const hn_joint_spec *spec, hn_joint *joint, hn_error *error)
{
  if (model->planar) joint->type = hn_planar_type(joint->type, joint->name, error);
  if (!joint->type) return -1;
  joint->set = &plain[joint->type->set];
  joint->input = joint->type->inputs > 0 ? model->ninput : -1;
  if (hn_joint_set_data(joint, spec->settings, error)) return -1;
  if (hn_model_set_geometry(model, *spec, joint->type->keys, joint, error)) return -1;
  return model->loose || model->consistent ? 0 : hn_joint_check_start(model, joint, error);
}

/* Returns the capabilities that JOINT needs from a solver. */
static unsigned needs_of(const hn_joint *joint)
{
  static const unsigned of_set[] = {
    [HN_ANY] = 0, [HN_PUSH] = HN_CAN_PUSH, [HN_WITHIN] = HN_CAN_WITHIN, [HN_CONE] = HN_CAN_CONE
  };
  unsigned needs = of_set[joint->set->kind] | (joint->type->velocity ? HN_CAN_VELOCITY : 0);
  if (joint->more && (joint->more->breaks_at > 0 || joint->more->breaks_torque > 0)) needs |= HN_CAN_BREAK;
  return needs | (joint->set->restitution > 0 ? HN_CAN_BOUNCE : 0);
}

bool hn_model_has_events(const hn_model *model)
{
  return model->max_contacts > 0 || model->needs & (HN_CAN_PUSH | HN_CAN_WITHIN | HN_CAN_BREAK);
}

int hn_model_add_joint(hn_model *model, const hn_joint_spec *spec, hn_error *error)
{
  char numbered[64];
  const bool more = spec->own || spec->breaks_at > 0 || spec->breaks_torque > 0;
  hn_joint joint = { .a = spec->a, .b = spec->b, .row = model->nrow };
  if (!spec->own && !(joint.type = hn_joint_type_find(spec->type, error))) return -1;
  /* Name and memory. */
  snprintf(numbered, sizeof numbered, "%s%d", spec->type, model->njoint + 1);
  joint.name = strdup(spec->name ? spec->name : numbered);
  hn_joint *grown = hn_array_grow(model->joint, model->njoint, sizeof joint);
  if (grown) model->joint = grown;
  if (more) joint.more = calloc(1, sizeof *joint.more);
  if (joint.more) joint.more->breaks_at = spec->breaks_at, joint.more->breaks_torque = spec->breaks_torque;
  int status = joint.name && grown && (joint.more || !more) ? 0 : hn_fail(error, "out of memory");
  /* Rows and geometry; on failure everything is freed, custom rows included. */
  if (status && spec->own) hn_tape_free(spec->own->residual), hn_tape_free(spec->own->rate);
  if (status == 0 && spec->own) status = hn_residual_make(&joint, spec->own, model->planar, error);
  if (status || set_joint(model, spec, &joint, error)) {
    hn_joint_free(&joint);
    return -1;
  }
  model->joint[model->njoint] = joint;
  model->nrow += joint.type->rows;
  model->ninput += joint.type->inputs;
  model->needs |= needs_of(&joint);
  return model->njoint++;
}
