/* cores.c - cores of the features of a contact (see cores.h; features: collide.h). */
#include "collide/cores.h"
#include "base/vec.h"
#include "collide/contact_list.h"
#include "collide/cylinder/cylinder.h"
#include "collide/field/height_field.h"
#include "collide/polytope.h"

/* Kinds of features in the number of a contact. */
typedef enum feature_kind { CORNER, EDGE, FACE, EITHER } feature_kind;

static const struct {
  feature_kind of[2];
} feature_kinds[] = {
  [HN_FACE_VERTEX] = { { FACE, CORNER } }, [HN_VERTEX_FACE] = { { CORNER, FACE } },
  [HN_EDGE_EDGE] = { { EDGE, EDGE } },     [HN_VERTEX_EDGE] = { { CORNER, EDGE } },
  [HN_EDGE_VERTEX] = { { EDGE, CORNER } }, [HN_VERTEX_VERTEX] = { { CORNER, CORNER } },
  [HN_RIM_POINT] = { { EITHER, EITHER } },
};

/* Computes the core of a feature of a cylinder. The side is the axis with radius r. A rim is a circle, except
 * beside a parallel edge or side: there it marks the end of the line of contact and is the end of the axis,
 * with skin r. ALONG: the contact normal is along the axis. */
static void cylinder_core(const hn_placed_shape *placed, feature_kind kind, feature_kind other, int number,
                          bool along, hn_core *core)
{
  const hn_cylinder c = { placed->shape->size[0], 0.5 * placed->shape->size[1] };
  const int feature = number % HN_SECOND;
  double at[3] = { 0, 0, 0 }, world[3];
  vec_set(core->axis, placed->R[1], placed->R[4], placed->R[7]);
  core->kind = HN_CORE_LINE, core->skin = c.r;
  if (feature >= HN_RIM_FIXED) {
    hn_rim_fixed(&c, feature >= HN_RIM_FIXED + 4, (feature - HN_RIM_FIXED) % 4, at);
    core->kind = HN_CORE_POINT, core->skin = 0.0;
  } else if (feature >= HN_END) {
    at[1] = feature == HN_END ? -c.h : c.h;
    if (feature == HN_END) vec_scale(core->axis, -1.0, core->axis);
    core->kind = HN_CORE_PLANE, core->skin = 0.0;
  } else if (feature >= HN_RIM) {
    const bool is_end = (kind == CORNER && other == EDGE) || (kind == EDGE && other == EDGE && !along);
    at[1] = feature == HN_RIM ? -c.h : c.h;
    core->kind = is_end ? HN_CORE_POINT : HN_CORE_CIRCLE;
    core->radius = is_end ? 0.0 : c.r, core->skin = is_end ? c.r : 0.0;
  }
  mat_vec(world, placed->R, at);
  vec_add(core->at, placed->x, world);
}

static void polytope_core(const hn_placed_shape *placed, feature_kind kind, int number, hn_core *core)
{
  static const double origin[3] = { 0, 0, 0 };
  hn_polytope p;
  hn_polytope_of(&p, placed, origin);
  core->skin = p.skin;
  if (kind == FACE) {
    core->kind = HN_CORE_PLANE;
    vec_copy(core->axis, p.normal[number]);
    vec_scale(core->at, p.offset[number], p.normal[number]);
  } else if (kind == CORNER || p.nvertex == 1) { /* a sphere is a point, whatever the feature is called */
    core->kind = HN_CORE_POINT;
    vec_copy(core->at, p.vertex[p.nvertex == 1 ? 0 : number]);
  } else {
    const int *e = p.edge + 4 * number;
    core->kind = HN_CORE_LINE;
    vec_copy(core->at, p.vertex[e[0]]);
    vec_sub(core->axis, p.vertex[e[1]], p.vertex[e[0]]);
    vec_scale(core->axis, 1.0 / vec_norm(core->axis), core->axis);
  }
}

/* Computes the core of an edge or vertex of a height field (field/height_field.h). */
static void field_core(const hn_placed_shape *placed, feature_kind kind, int number, hn_core *core)
{
  const hn_height_field *f = placed->shape->field;
  double at[3], axis[3] = { 0, 0, 0 }, world[3];
  if (kind == CORNER) {
    core->kind = HN_CORE_POINT;
    hn_field_point(f, number % f->nx, number / f->nx, at);
  } else {
    hn_field_edge edge = { 0 };
    const int point = number / 3;
    core->kind = HN_CORE_LINE;
    hn_field_edge_of(f, point % f->nx, point / f->nx, number % 3, &edge);
    vec_copy(at, edge.p), vec_copy(axis, edge.d);
  }
  mat_vec(core->axis, placed->R, axis);
  mat_vec(world, placed->R, at);
  vec_add(core->at, placed->x, world);
}

/* Cosine between normal and axis that tells an end from a side: touching parallels have nearly 1 or 0. */
static const double along_cosine = 0.5;

/* Computes the plane of CONTACT, whose body a has the normal. */
static void plane_core(const hn_contact *contact, hn_core *core)
{
  *core = (hn_core){ .kind = HN_CORE_PLANE };
  vec_copy(core->at, contact->point_a), vec_copy(core->axis, contact->frame);
}

/* NORMAL is the contact normal in body axes. */
static void find_core(const hn_collider *collider, feature_kind kind, feature_kind other, int number,
                      const double normal[3], hn_core *core)
{
  const hn_pose identity = { .q = { 1.0 } };
  hn_placed_shape placed;
  hn_placed_shape_at(&placed, &collider->shape, &collider->place, &identity);
  *core = (hn_core){ .kind = HN_CORE_PLANE };
  if (collider->shape.kind == HN_PLANE) {
    vec_copy(core->at, placed.x);
    mat_vec(core->axis, placed.R, collider->shape.size);
  } else if (collider->shape.kind == HN_ELLIPSOID) {
    core->kind = HN_CORE_ELLIPSOID;
    vec_copy(core->at, placed.x);
    for (int i = 0; i < 9; i++) core->half[i] = collider->shape.size[i / 3] * placed.R[3 * (i % 3) + i / 3];
  } else if (collider->shape.kind == HN_HEIGHT_FIELD) {
    field_core(&placed, kind == EITHER ? EDGE : kind, number, core);
  } else if (collider->shape.kind == HN_CYLINDER) {
    const double axis[3] = { placed.R[1], placed.R[4], placed.R[7] };
    cylinder_core(&placed, kind, other, number, fabs(vec_dot(axis, normal)) > along_cosine, core);
  } else {
    polytope_core(&placed, kind == EITHER ? EDGE : kind, number, core);
  }
}

/* The features of a contact key, in the order of the pair table. */
typedef struct features {
  int collider[2];
  hn_touch_kind kind;
  int number[2];
} features;

static features features_of(const hn_model *model, uint64_t key)
{
  const hn_pair pair = hn_contact_key_colliders(model->field_bits, key);
  const uint64_t feature = hn_contact_key_feature(model->field_bits, key);
  bool swapped;
  hn_collide_find(model->collider[pair.a].shape.kind, model->collider[pair.b].shape.kind, &swapped);
  return (features){ { swapped ? pair.b : pair.a, swapped ? pair.a : pair.b },
                     hn_feature_kind(feature),
                     { hn_feature_number(feature, 0), hn_feature_number(feature, 1) } };
}

bool hn_contact_is_fixed(const hn_model *model, const hn_contact *contact)
{
  const hn_pair pair = hn_contact_key_colliders(model->field_bits, contact->key);
  if (pair.a >= model->ncollider || pair.b >= model->ncollider) return true;
  const features f = features_of(model, contact->key);
  if (f.kind != HN_FACE_VERTEX && f.kind != HN_VERTEX_FACE) return false;
  for (int k = 0; k < 2; k++) {
    const hn_shape_kind kind = model->collider[f.collider[k]].shape.kind;
    if (kind == HN_ELLIPSOID || (kind == HN_CYLINDER && f.number[k] % HN_SECOND < HN_END)) return false;
  }
  return true;
}

void hn_contact_cores(const hn_model *model, const hn_contact *contact, const hn_state *state,
                      hn_core core[2])
{
  const features f = features_of(model, contact->key);
  double normal[3], normal_b[3];
  quat_rotate(normal, state->pose[contact->a].q, contact->frame);
  for (int k = 0; k < 2; k++) {
    const hn_collider *collider = &model->collider[f.collider[k]];
    const feature_kind *kind = feature_kinds[f.kind].of;
    if (collider->shape.kind == HN_HEIGHT_FIELD && kind[k] == FACE) {
      plane_core(contact, &core[0]); /* a face has many triangles */
      continue;
    }
    quat_unrotate(normal_b, state->pose[collider->body].q, normal);
    find_core(collider, kind[k], kind[!k], f.number[k], normal_b, &core[collider->body == contact->b]);
  }
}
