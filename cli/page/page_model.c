/* page_model.c - the model for the page. */
#include "cli/base/json.h"
#include "cli/base/memory.h"
#include "cli/page/page_model.h"
#include "cli/record/model_json.h"
#include "cli/study/track.h"

/* Replaces the size of SHAPE by that of FIELD along x and z; adds the number of points along x, and all
 * heights. */
static void add_field(json_t *shape, const hn_height_field *field)
{
  json_object_set_new(shape, "size", cli_json_field_size(field));
  json_object_set_new(shape, "row", json_integer(field->nx));
  json_object_set_new(shape, "heights", cli_json_reals(field->height, field->nx * field->nz));
}

static json_t *shape_json(const hn_collider *c)
{
  json_t *shape = json_pack("{s:s, s:o, s:o, s:o}", "kind", hn_shape_name(c->shape.kind), "size",
                            cli_json_reals(c->shape.size, 3), "position", cli_json_reals(c->place.x, 3),
                            "orientation", cli_json_reals(c->place.q, 4));
  if (c->shape.kind == HN_HEIGHT_FIELD) add_field(shape, c->shape.field);
  if (c->shape.kind == HN_HEIGHT_FIELD || !c->shape.hull) return shape;
  json_object_set_new(shape, "corners", cli_json_reals(c->shape.hull->vertex, 3 * c->shape.hull->nvertex));
  json_object_set_new(shape, "faces", cli_json_faces(c->shape.hull));
  return shape;
}

static json_t *body_json(const hn_model *model, const hn_body *body)
{
  static const char *const kind[] = { "fixed", "particle", "rigid" };
  json_t *shapes = json_array();
  for (int i = 0; i < body->ncollider; i++)
    json_array_append_new(shapes, shape_json(&model->collider[body->collider + i]));
  return json_pack("{s:o, s:s, s:o, s:o, s:o, s:o, s:o}", "name", cli_json_string(body->name), "kind",
                   kind[body->kind], "mass", cli_json_real(body->mass), "inertia", cli_json_reals(body->J, 3),
                   "position", cli_json_reals(body->pose0.x, 3), "orientation",
                   cli_json_reals(body->pose0.q, 4), "shapes", shapes);
}

/* Returns a joint, or the geometry of a force. AT maps bodies to their indices in the page; -1: not shown. */
static json_t *geometry_json(const hn_joint *joint, const char *name, const char *type, unsigned keys,
                             const int *at)
{
  json_t *root = json_pack("{s:o, s:s, s:i, s:i, s:o, s:o}", "name", cli_json_string(name), "type", type, "a",
                           at[joint->a], "b", at[joint->b], "point_a", cli_json_reals(joint->point_a, 3),
                           "point_b", cli_json_reals(joint->point_b, 3));
  if (joint->axes && keys & (HN_KEY_AXIS | HN_KEY_AXES))
    json_object_set_new(root, "axis_a", cli_json_reals(joint->axes->a, 3));
  return root;
}

json_t *cli_page_model(const hn_model *model)
{
  json_t *bodies = json_array(), *joints = json_array(), *forces = json_array();
  int *at = cli_alloc((size_t)model->nbody, sizeof *at), moving = 0, fixed = 0;
  for (int i = 0; i < model->nbody; i++) {
    int *count = model->body[i].kind == HN_FIXED ? &fixed : &moving;
    at[i] = *count < CLI_TRACK_BODIES ? (int)json_array_size(bodies) : -1;
    if (at[i] >= 0) json_array_append_new(bodies, body_json(model, &model->body[i]));
    ++*count;
  }
  for (int j = 0; j < model->njoint && j < CLI_TRACK_BODIES; j++) {
    const hn_joint *joint = &model->joint[j];
    json_array_append_new(joints,
                          geometry_json(joint, joint->name, joint->type->name, joint->type->keys, at));
  }
  for (int f = 0; f < model->nforce && f < CLI_TRACK_BODIES; f++) {
    const hn_force *force = &model->force[f];
    json_array_append_new(forces,
                          geometry_json(&force->rows, force->name, force->type->name, force->type->keys, at));
  }
  free(at);
  return json_pack("{s:b, s:o, s:i, s:i, s:i, s:i, s:i, s:o, s:o, s:o}", "planar", model->planar, "gravity",
                   cli_json_reals(model->gravity, 3), "moving", moving, "fixed", fixed, "njoint",
                   model->njoint, "nforce", model->nforce, "nrow", model->nrow, "bodies", bodies, "joints",
                   joints, "forces", forces);
}
