/* model_json.c - JSON of a model. Keys and their order are part of the interface. Positions and axes are
 * relative to the centre of mass and the principal axes of a body; `frame` is the body frame of the scene in
 * them. */
#include "cli/base/json.h"
#include "cli/record/model_json.h"
#include "cli/study/bodies_json.h"
#include "cli/study/outcome_json.h"

/* ---- Bodies ------------------------------------------------------------------------------------------ */

static json_t *points(const double *x, int count)
{
  json_t *array = json_array();
  for (int i = 0; i < count; i++) json_array_append_new(array, cli_json_reals(x + 3 * i, 3));
  return array;
}

json_t *cli_json_field_size(const hn_height_field *field)
{
  return cli_json_reals((const double[]){ (field->nx - 1) * field->dx, (field->nz - 1) * field->dz }, 2);
}

static json_t *heights(const hn_height_field *field)
{
  json_t *rows = json_array();
  for (int j = 0; j < field->nz; j++)
    json_array_append_new(rows, cli_json_reals(field->height + (size_t)j * (size_t)field->nx, field->nx));
  return rows;
}

json_t *cli_json_faces(const hn_hull *hull)
{
  json_t *array = json_array();
  for (int f = 0; f < hull->nface; f++) {
    json_t *face = json_array();
    for (int k = hull->face_start[f]; k < hull->face_start[f + 1]; k++)
      json_array_append_new(face, json_integer(hull->face_vertex[k]));
    json_array_append_new(array, face);
  }
  return array;
}

/* Adds the size of a shape in the words of the scene language. */
static void add_size(json_t *to, const hn_shape *shape)
{
  switch (shape->kind) {
  case HN_BOX: json_object_set_new(to, "size", cli_json_reals(shape->size, 3)); break;
  case HN_ELLIPSOID: json_object_set_new(to, "half_axes", cli_json_reals(shape->size, 3)); break;
  case HN_CYLINDER:
  case HN_CAPSULE: json_object_set_new(to, "height", cli_json_real(shape->size[1])); /* fall through */
  case HN_SPHERE:
  case HN_CIRCLE: json_object_set_new(to, "radius", cli_json_real(shape->size[0])); break;
  case HN_PLANE: json_object_set_new(to, "normal", cli_json_reals(shape->size, 3)); break;
  case HN_CONVEX: json_object_set_new(to, "faces", cli_json_faces(shape->hull)); /* fall through */
  case HN_POLYGON:
    json_object_set_new(to, "points", points(shape->hull->vertex, shape->hull->nvertex));
    break;
  case HN_HEIGHT_FIELD:
    json_object_set_new(to, "size", cli_json_field_size(shape->field));
    json_object_set_new(to, "heights", heights(shape->field));
    break;
  default: break;
  }
}

static json_t *shapes_json(const hn_model *model, const hn_body *body)
{
  json_t *array = json_array();
  for (int c = body->collider; c < body->collider + body->ncollider; c++) {
    const hn_collider *collider = &model->collider[c];
    const hn_surface surface = hn_model_surface(model, c, c);
    json_t *one = json_pack("{s:s}", "kind", hn_shape_name(collider->shape.kind)),
           *place = cli_json_pose(&collider->place);
    add_size(one, &collider->shape);
    json_object_update(one, place);
    json_decref(place);
    json_object_set_new(one, "collides", json_boolean(collider->group != 0));
    json_object_set_new(one, "friction", cli_json_real(surface.friction));
    json_object_set_new(one, "restitution", cli_json_real(surface.restitution));
    json_array_append_new(array, one);
  }
  return array;
}

static json_t *body_json(const hn_model *model, const hn_body *body)
{
  static const char *const kinds[] = {
    [HN_FIXED] = "fixed", [HN_PARTICLE] = "particle", [HN_RIGID] = "rigid"
  };
  json_t *one = json_pack("{s:o, s:s, s:o, s:o, s:o}", "name", cli_json_string(body->name), "kind",
                          kinds[body->kind], "mass", cli_json_real(body->mass), "inertia",
                          cli_json_reals(body->J, 3), "gravity", cli_json_reals(body->gravity, 3));
  json_t *start = cli_json_pose(&body->pose0);
  json_object_update(one, start);
  json_decref(start);
  json_object_set_new(one, "velocity", cli_json_reals(body->twist0.v, 3));
  json_object_set_new(one, "angular_velocity", cli_json_reals(body->twist0.w, 3));
  if (body->frame) json_object_set_new(one, "frame", cli_json_pose(body->frame));
  json_object_set_new(one, "shapes", shapes_json(model, body));
  return one;
}

/* ---- Joints and forces ------------------------------------------------------------------------------- */

static json_t *settings_json(const hn_param *params, const void *data)
{
  json_t *all = json_object();
  for (const hn_param *p = params; p && p->key; p++)
    json_object_set_new(all, p->key, cli_json_setting(p, data));
  return all;
}

static json_t *motion_json(const hn_motion *motion)
{
  return json_pack("{s:o, s:o, s:o, s:o}", "polynomial", cli_json_reals(motion->polynomial, HN_MOTION_TERMS),
                   "amplitude", cli_json_real(motion->amplitude), "frequency",
                   cli_json_real(motion->frequency), "phase", cli_json_real(motion->phase));
}

/* Returns what joints and forces have in common: bodies, points and axes. */
static json_t *geometry_json(const hn_model *model, const char *name, const char *type, const hn_joint *rows)
{
  json_t *one = json_pack("{s:o, s:s, s:o, s:o, s:o, s:o}", "name", cli_json_string(name), "type", type, "a",
                          cli_json_string(model->body[rows->a].name), "b",
                          cli_json_string(model->body[rows->b].name), "point_a",
                          cli_json_reals(rows->point_a, 3), "point_b", cli_json_reals(rows->point_b, 3));
  if (!rows->axes) return one;
  json_object_set_new(one, "axes_a", points(rows->axes->a, 3));
  json_object_set_new(one, "axes_b", points(rows->axes->b, 3));
  return one;
}

static json_t *joint_json(const hn_model *model, const hn_joint *joint)
{
  const hn_joint_type *type = joint->type;
  json_t *one = geometry_json(model, joint->name, type->name, joint), *coordinates = json_array();
  if (joint->axes && type->keys & HN_KEY_MOTION)
    json_object_set_new(one, "motion", motion_json(&joint->axes->motion));
  json_object_set_new(one, "rows", json_integer(type->rows));
  json_object_set_new(one, "unit", json_string(type->unit));
  json_object_set_new(one, "parameters", settings_json(hn_joint_params(type), joint->data));
  for (int i = 0; i < hn_joint_coordinates(joint); i++)
    json_array_append_new(coordinates, json_string(type->coordinates[i]->name));
  json_object_set_new(one, "coordinates", coordinates);
  return one;
}

static json_t *force_json(const hn_model *model, const hn_force *force)
{
  const hn_force_type *type = force->type;
  json_t *one = geometry_json(model, force->name, type->name, &force->rows);
  if (type->vector) json_object_set_new(one, type->vector, cli_json_reals(force->vector, 3));
  if (type->vector || type->keys & HN_KEY_MOTION)
    json_object_set_new(one, "motion", motion_json(&force->motion));
  json_object_set_new(one, "parameters", settings_json(type->params, force->data));
  return one;
}

/* ---- The model --------------------------------------------------------------------------------------- */

json_t *cli_json_mechanism(const hn_model *model)
{
  json_t *bodies = json_array(), *joints = json_array(), *forces = json_array();
  for (int i = 0; i < model->nbody; i++) json_array_append_new(bodies, body_json(model, &model->body[i]));
  for (int j = 0; j < model->njoint; j++) json_array_append_new(joints, joint_json(model, &model->joint[j]));
  for (int f = 0; f < model->nforce; f++) json_array_append_new(forces, force_json(model, &model->force[f]));
  return json_pack("{s:s, s:o, s:b, s:b, s:o, s:o, s:o}", "version", hn_version(), "gravity",
                   cli_json_reals(model->gravity, 3), "planar", (int)model->planar, "collides",
                   model->max_contacts > 0, "bodies", bodies, "joints", joints, "forces", forces);
}

json_t *cli_json_model(const hn_scene *scene)
{
  json_t *model = json_pack("{s:o, s:o}", "scene", cli_json_string(scene->name), "parameters",
                            cli_json_parameters(scene));
  cli_json_merge(model, cli_json_mechanism(scene->model));
  return model;
}
