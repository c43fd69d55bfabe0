/* engine_scene.c - a model as engines know it: joints with what acts on their coordinates, pairs of shapes.
 *
 * Limits, motors and dry friction are joints of their own here. Where one acts on the coordinate of a hinge
 * or a slider, between the same bodies and about or along the same axis, it becomes a part of that joint. */
#include "engines/engine_scene.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double parallel = 1e-9; /* largest difference of unit vectors that count as equal */

int engine_fail(char *why, const char *format, ...)
{
  va_list values;
  va_start(values, format);
  vsnprintf(why, ENGINE_WHY, format, values);
  va_end(values);
  return -1;
}

/* ---- Rotations ----------------------------------------------------------------------------------------- */

void engine_turn(const double q[4], const double v[3], double to[3])
{
  const double *u = q + 1;
  const double t[3] = { 2.0 * (u[1] * v[2] - u[2] * v[1]), 2.0 * (u[2] * v[0] - u[0] * v[2]),
                        2.0 * (u[0] * v[1] - u[1] * v[0]) };
  const double turned[3] = { v[0] + q[0] * t[0] + u[1] * t[2] - u[2] * t[1],
                             v[1] + q[0] * t[1] + u[2] * t[0] - u[0] * t[2],
                             v[2] + q[0] * t[2] + u[0] * t[1] - u[1] * t[0] };
  memcpy(to, turned, sizeof turned);
}

void engine_turn_back(const double q[4], const double v[3], double to[3])
{
  const double back[4] = { q[0], -q[1], -q[2], -q[3] };
  engine_turn(back, v, to);
}

void engine_product(const double p[4], const double q[4], double to[4])
{
  const double product[4] = { p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
                              p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
                              p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
                              p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0] };
  memcpy(to, product, sizeof product);
}

static double dot(const double a[3], const double b[3])
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void point_of(const hn_body *body, const double local[3], double to[3])
{
  engine_turn(body->pose0.q, local, to);
  for (int i = 0; i < 3; i++) to[i] += body->pose0.x[i];
}

/* ---- Kinds of joints ----------------------------------------------------------------------------------- */

static const struct {
  const char *type;
  engine_joint_kind kind;
} kinds[] = {
  { "ball", ENGINE_BALL },
  { "point_on_point", ENGINE_BALL },
  { "hinge", ENGINE_HINGE },
  { "universal", ENGINE_UNIVERSAL },
  { "fixed", ENGINE_FIXED },
  { "slider", ENGINE_SLIDER },
  { "cylindrical", ENGINE_CYLINDRICAL },
  { "planar", ENGINE_PLANE },
  { "point_on_line", ENGINE_POINT_ON_LINE },
  { "point_on_plane", ENGINE_POINT_ON_PLANE },
  { "distance", ENGINE_DISTANCE },
};

/* Returns the kind of JOINT, or -1. */
static int kind_of(const hn_joint *joint)
{
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (strcmp(joint->type->name, kinds[i].type) == 0) return (int)kinds[i].kind;
  return -1;
}

static const struct part {
  const char *type;
  engine_part part;
  engine_joint_kind of;
} parts[] = {
  { "limit_angle", ENGINE_LIMIT, ENGINE_HINGE },
  { "limit_position", ENGINE_LIMIT, ENGINE_SLIDER },
  { "motor_angle", ENGINE_MOTOR, ENGINE_HINGE },
  { "motor_position", ENGINE_MOTOR, ENGINE_SLIDER },
  { "friction_angle", ENGINE_DRY_FRICTION, ENGINE_HINGE },
  { "friction_position", ENGINE_DRY_FRICTION, ENGINE_SLIDER },
};

static const struct part *part_of(const hn_joint *joint)
{
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (strcmp(joint->type->name, parts[i].type) == 0) return &parts[i];
  return NULL;
}

/* Reads the geometry of JOINT at the start. */
static int read_joint(const hn_model *model, const hn_joint *joint, engine_joint *to, char *why)
{
  const hn_body *a = &model->body[joint->a], *b = &model->body[joint->b];
  *to =
    (engine_joint){ .joint = joint, .kind = (engine_joint_kind)kind_of(joint), .a = joint->a, .b = joint->b };
  to->lower = -HUGE_VAL, to->upper = HUGE_VAL;
  point_of(a, joint->point_a, to->at_a), point_of(b, joint->point_b, to->at_b);
  if (joint->axes) engine_turn(a->pose0.q, joint->axes->a, to->axis);
  if (joint->axes) engine_turn(b->pose0.q, joint->axes->b, to->other);
  if (to->kind == ENGINE_UNIVERSAL && fabs(dot(to->axis, to->other)) > parallel)
    return engine_fail(why, "joint %s: the axes of a universal joint must be at right angles", joint->name);
  if (to->kind == ENGINE_DISTANCE) to->length = hn_joint_real(joint, "length");
  if (joint->more && (joint->more->breaks_at > 0.0 || joint->more->breaks_torque > 0.0))
    return engine_fail(why, "joint %s can break, which is not translated", joint->name);
  return 0;
}

/* ---- Parts of joints ----------------------------------------------------------------------------------- */

/* Returns the sign of the coordinate of PART, a joint of the model, against that of JOINT; 0: it is another
 * one. */
static double sign_of(const hn_model *model, const hn_joint *part, const engine_joint *joint)
{
  double axis[3];
  const bool same = part->a == joint->a && part->b == joint->b,
             swapped = part->a == joint->b && part->b == joint->a;
  if (!same && !swapped) return 0.0;
  engine_turn(model->body[part->a].pose0.q, part->axes->a, axis);
  const double along = dot(axis, joint->axis);
  if (fabs(fabs(along) - 1.0) > parallel) return 0.0;
  return (along > 0.0) == same ? 1.0 : -1.0;
}

/* Returns the angle between the second axes of both bodies, about the first. */
static double angle_at_start(const hn_model *model, const hn_joint *part)
{
  double a1[3], a2[3], b1[3];
  engine_turn(model->body[part->a].pose0.q, part->axes->a + 3, a1);
  engine_turn(model->body[part->a].pose0.q, part->axes->a + 6, a2);
  engine_turn(model->body[part->b].pose0.q, part->axes->b + 3, b1);
  return atan2(dot(b1, a2), dot(b1, a1));
}

/* Returns the coordinate of PART at the start: of a limit, whose bounds are measured from elsewhere. */
static double value_at_start(const hn_model *model, const hn_joint *part, const struct part *is)
{
  double a[3], b[3], axis[3];
  if (is->of == ENGINE_HINGE) return angle_at_start(model, part);
  point_of(&model->body[part->a], part->point_a, a), point_of(&model->body[part->b], part->point_b, b);
  engine_turn(model->body[part->a].pose0.q, part->axes->a, axis);
  return dot(axis, b) - dot(axis, a);
}

static void add_limit(engine_joint *joint, const hn_joint *part, double start, double sign)
{
  const double lower = hn_joint_real(part, "lower") - start, upper = hn_joint_real(part, "upper") - start;
  joint->has_limit = true;
  joint->restitution = hn_joint_real(part, "restitution");
  joint->lower = sign > 0.0 ? lower : -upper;
  joint->upper = sign > 0.0 ? upper : -lower;
}

static int add_part(const hn_model *model, engine_joint *joint, const hn_joint *part, const struct part *is,
                    double sign, char *why)
{
  const bool taken = is->part == ENGINE_LIMIT ? joint->has_limit : joint->motor || joint->friction > 0.0;
  if (taken)
    return engine_fail(why, "joint %s: joint %s has a limit, motor or friction already", part->name,
                       joint->joint->name);
  if (is->part == ENGINE_LIMIT) add_limit(joint, part, value_at_start(model, part, is), sign);
  else if (is->part == ENGINE_MOTOR) {
    joint->motor = part, joint->motor_sign = sign;
    joint->motor_limit = hn_joint_real(part, "limit");
  } else joint->friction = hn_joint_real(part, is->of == ENGINE_HINGE ? "torque" : "force");
  return 0;
}

/* Finds the joint on whose coordinate PART acts. */
static int place_part(engine_scene *scene, const hn_joint *part, const struct part *is, char *why)
{
  for (int i = 0; i < scene->njoint; i++) {
    engine_joint *joint = &scene->joint[i];
    const double sign = joint->kind == is->of ? sign_of(scene->model, part, joint) : 0.0;
    if (sign != 0.0) return add_part(scene->model, joint, part, is, sign, why);
  }
  return engine_fail(why, "joint %s acts on no %s, and is not translated", part->name,
                     is->of == ENGINE_HINGE ? "hinge" : "slider");
}

double engine_motor_rate(const engine_joint *joint, double time, const double *input)
{
  const hn_joint *motor = joint->motor;
  const double own = motor->input >= 0 ? input[motor->input] : 0.0;
  return joint->motor_sign * (hn_motion_coefficient(&motor->axes->motion, time, 0) + own);
}

/* ---- Shapes -------------------------------------------------------------------------------------------- */

static engine_pair ordered(int a, int b)
{
  return (engine_pair){ a < b ? a : b, a < b ? b : a };
}

static int compare_pairs(const void *one, const void *two)
{
  const engine_pair *p = one, *q = two;
  if (p->a != q->a) return p->a < q->a ? -1 : 1;
  return (p->b > q->b) - (p->b < q->b);
}

static void list_jointed(engine_scene *scene)
{
  const hn_model *model = scene->model;
  for (int j = 0; j < model->njoint && !model->jointed_collide; j++)
    scene->jointed[scene->njointed++] = ordered(model->joint[j].a, model->joint[j].b);
  qsort(scene->jointed, (size_t)scene->njointed, sizeof *scene->jointed, compare_pairs);
}

bool engine_collides(const engine_scene *scene, int c, int d)
{
  const hn_model *model = scene->model;
  const hn_collider *one = &model->collider[c], *two = &model->collider[d];
  const bool fixed = model->body[one->body].kind == HN_FIXED && model->body[two->body].kind == HN_FIXED;
  if (model->margin == 0.0 || one->body == two->body || fixed) return false;
  if (!(one->group & two->mask) || !(two->group & one->mask)) return false;
  if (model->compliant && hn_model_contact_law(model, c, d)) return false;
  const engine_pair key = ordered(one->body, two->body);
  return !bsearch(&key, scene->jointed, (size_t)scene->njointed, sizeof key, compare_pairs);
}

bool engine_has_forces(const engine_scene *scene)
{
  return scene->model->nforce > 0 || scene->model->compliant;
}

void engine_forces(const engine_scene *scene, const hn_state *state, double *wrench)
{
  hn_system_forces(scene->system, state, wrench);
}

/* Refuses the surface of the shapes C and D if engines do not have it. */
static int check_surface(const hn_model *model, int c, int d, const engine_kind *kind, char *why)
{
  const hn_surface s = hn_model_surface(model, c, d);
  const char *what = s.static_friction > s.friction          ? "static friction"
                     : s.restitution > 0.0 && !kind->bounces ? "restitution"
                                                             : NULL;
  if (!what) return 0;
  return engine_fail(why, "%s of %s and %s is not translated", what,
                     model->body[model->collider[c].body].name, model->body[model->collider[d].body].name);
}

/* Returns whether shape D has the material and the surface of shape C. */
static bool is_alike(const hn_model *model, int c, int d)
{
  return model->collider[c].material == model->collider[d].material &&
         model->collider[c].surface == model->collider[d].surface;
}

/* The first two shapes of a kind of surface; two is the first again if there is no second. */
typedef struct surface_kind {
  int one, two;
} surface_kind;

/* Checks the surfaces of all pairs: shapes come in few kinds. */
static int check_surfaces(const engine_scene *scene, const engine_kind *kind, surface_kind *of, char *why)
{
  const hn_model *model = scene->model;
  int count = 0, status = 0;
  for (int c = 0; model->margin > 0.0 && c < model->ncollider; c++) {
    int k = 0;
    while (k < count && !is_alike(model, of[k].one, c)) k++;
    if (k == count) of[count++] = (surface_kind){ c, c };
    else if (of[k].two == of[k].one) of[k].two = c;
  }
  for (int i = 0; i < count && status == 0; i++) {
    if (of[i].two != of[i].one) status = check_surface(model, of[i].one, of[i].two, kind, why);
    for (int k = i + 1; k < count && status == 0; k++)
      status = check_surface(model, of[i].one, of[k].one, kind, why);
  }
  return status;
}

static int check_shapes(const engine_scene *scene, const engine_kind *kind, char *why)
{
  const hn_model *model = scene->model;
  for (int c = 0; model->margin > 0.0 && c < model->ncollider; c++) {
    const hn_collider *collider = &model->collider[c];
    const hn_body *body = &model->body[collider->body];
    if (collider->group == 0) continue;
    if (!(kind->shapes & 1u << collider->shape.kind))
      return engine_fail(why, "the shape %s of body %s is not translated",
                         hn_shape_name(collider->shape.kind), body->name);
    if (body->kind == HN_PARTICLE)
      return engine_fail(why, "the shape of body %s is not translated: it is a particle", body->name);
    if (collider->shape.kind == HN_PLANE && body->kind != HN_FIXED)
      return engine_fail(why, "the plane of body %s is not translated: the body moves", body->name);
  }
  surface_kind *of = calloc((size_t)model->ncollider + 1, sizeof *of);
  const int status = of ? check_surfaces(scene, kind, of, why) : engine_fail(why, "out of memory");
  free(of);
  return status;
}

/* ---- All ----------------------------------------------------------------------------------------------- */

static int refuse_joint(const hn_joint *joint, char *why)
{
  return engine_fail(why, "joint %s is of type %s, which is not translated", joint->name, joint->type->name);
}

static int read_joints(engine_scene *scene, char *why)
{
  const hn_model *model = scene->model;
  for (int j = 0; j < model->njoint; j++) {
    const hn_joint *joint = &model->joint[j];
    if (part_of(joint)) continue;
    if (kind_of(joint) < 0) return refuse_joint(joint, why);
    if (read_joint(model, joint, &scene->joint[scene->njoint++], why)) return -1;
  }
  for (int j = 0; j < model->njoint; j++) {
    const struct part *part = part_of(&model->joint[j]);
    if (part && place_part(scene, &model->joint[j], part, why)) return -1;
  }
  return 0;
}

/* Refuses joints that KIND does not translate. */
static int check_joints(const engine_scene *scene, const engine_kind *kind, char *why)
{
  for (int i = 0; i < scene->njoint; i++) {
    const engine_joint *joint = &scene->joint[i];
    const unsigned has = kind->has;
    const char *lacks = joint->has_limit && !(has & ENGINE_HAS(ENGINE_LIMIT))               ? "limit"
                        : joint->restitution > 0.0 && !kind->bounces                        ? "restitution"
                        : joint->motor && !(has & ENGINE_HAS(ENGINE_MOTOR))                 ? "motor"
                        : joint->friction > 0.0 && !(has & ENGINE_HAS(ENGINE_DRY_FRICTION)) ? "friction"
                                                                                            : NULL;
    if (!(has & ENGINE_HAS(joint->kind))) return refuse_joint(joint->joint, why);
    if (lacks) return engine_fail(why, "joint %s: its %s is not translated", joint->joint->name, lacks);
  }
  return 0;
}

static int check_model(const hn_model *model, const engine_kind *kind, char *why)
{
  if (model->planar ? !kind->planar : !kind->spatial)
    return engine_fail(why, "%s models are not translated", model->planar ? "planar" : "spatial");
  for (int i = 0; i < model->nbody; i++)
    if (model->body[i].kind != HN_FIXED &&
        memcmp(model->body[i].gravity, model->gravity, sizeof model->gravity) != 0)
      return engine_fail(why, "body %s has a gravity of its own, which is not translated",
                         model->body[i].name);
  return 0;
}

int engine_scene_read(engine_scene *scene, const engine_kind *kind, char *why)
{
  scene->joint = calloc((size_t)scene->model->njoint + 1, sizeof *scene->joint);
  scene->jointed = calloc((size_t)scene->model->njoint + 1, sizeof *scene->jointed);
  if (!scene->joint || !scene->jointed) return engine_fail(why, "out of memory");
  list_jointed(scene);
  if (check_model(scene->model, kind, why) || read_joints(scene, why)) return -1;
  return check_joints(scene, kind, why) || check_shapes(scene, kind, why) ? -1 : 0;
}

void engine_scene_free(engine_scene *scene)
{
  free(scene->joint), free(scene->jointed);
}
