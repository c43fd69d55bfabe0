/* collider.c - shapes on bodies: place, mass, surface properties, and filters of collisions */
#include "model/collider.h"
#include "base/array.h"
#include "base/vec.h"
#include "collide/contact_key.h"
#include "collide/field/height_field.h"
#include "collide/hull.h"
#include "compliant/pair_laws.h"
#include "compliant/surfaces.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_GROUPS = 32, CONTACTS_PER_SHAPE = 8, MIN_CONTACTS = 64 };

static void free_shape(hn_collider *collider)
{
  hn_shape_free(&collider->shape);
}

void hn_colliders_free(hn_model *model)
{
  for (int i = 0; i < model->ncollider; i++) free_shape(&model->collider[i]);
  free(model->collider), free(model->axis);
  if (!model->surfaces) return;
  hn_names_free(&model->surfaces->group), hn_names_free(&model->surfaces->material);
  hn_contact_laws_free(model->surfaces);
  free(model->surfaces->pair), free(model->surfaces->surface);
  free(model->surfaces);
}

/* ---- Parts --------------------------------------------------------------------------------------------- */

static bool is_planar(hn_shape_kind kind)
{
  return kind == HN_CIRCLE || kind == HN_POLYGON;
}

/* Returns part I of SPEC; a single shape is a part at the origin. */
static hn_part part_of(const hn_body_spec *spec, int i)
{
  hn_part part = spec->nparts > 0 ? spec->part[i] : (hn_part){ .shape = spec->shape };
  if (part.density == 0.0) part.density = spec->has_mass ? 1.0 : spec->density;
  return part;
}

int hn_parts_count(const hn_body_spec *spec)
{
  return spec->nparts > 0 ? spec->nparts : spec->shape.kind != HN_NO_SHAPE;
}

static int part_place(const hn_part *part, hn_pose *place, hn_error *error)
{
  double length = norm_of(part->orientation, 4);
  if (!all_finite(part->position, 3) || !isfinite(length))
    return hn_fail(error, "positions and orientations of shapes must be finite");
  vec_copy(place->x, part->position);
  for (int i = 0; i < 4; i++) place->q[i] = length > 0 ? part->orientation[i] / length : i == 0;
  return 0;
}

int hn_parts_mass(const hn_body_spec *spec, hn_mass *sum, hn_error *error)
{
  *sum = (hn_mass){ 0 };
  for (int i = 0; i < hn_parts_count(spec); i++) {
    hn_part part = part_of(spec, i);
    hn_mass mass;
    hn_pose place;
    if (part.weightless) continue;
    if (part_place(&part, &place, error) || hn_shape_mass(&part.shape, part.density, &mass, error)) return -1;
    if (!(mass.mass > 0)) return hn_fail(error, "mass must be positive, not %g", mass.mass);
    hn_mass_add(sum, &mass, &place);
  }
  if (!(sum->mass > 0)) return hn_fail(error, "a density needs a shape");
  if (!spec->has_mass) return 0;
  for (int i = 0; i < 6; i++) sum->J[i] *= spec->mass / sum->mass;
  sum->mass = spec->mass;
  return 0;
}

/* Returns the radius of the bounding sphere of SHAPE about its origin. */
static double reach_of(const hn_shape *shape)
{
  const double *s = shape->size;
  switch (shape->kind) {
  case HN_BOX: return 0.5 * vec_norm(s);
  case HN_SPHERE:
  case HN_CIRCLE: return s[0];
  case HN_ELLIPSOID: return fmax(s[0], fmax(s[1], s[2]));
  case HN_CYLINDER: return sqrt(s[0] * s[0] + 0.25 * s[1] * s[1]);
  case HN_CAPSULE: return s[0] + 0.5 * s[1];
  case HN_PLANE:
  case HN_HEIGHT_FIELD: return HUGE_VAL;
  case HN_CONVEX:
  case HN_POLYGON: return shape->hull->radius;
  default: return 0.0;
  }
}

static int check_part(const hn_model *model, const hn_body *body, const hn_part *part, hn_error *error)
{
  if (hn_shape_check(&part->shape, error)) return -1;
  if (part->shape.kind == HN_PLANE && body->kind != HN_FIXED)
    return hn_fail(error, "a plane belongs on the ground or on a fixed body");
  if (part->shape.kind == HN_HEIGHT_FIELD && body->kind != HN_FIXED)
    return hn_fail(error, "a height field belongs on the ground or on a fixed body: set fixed = true, or use "
                          "shapes such as boxes and convex hulls for a body that moves");
  if (part->shape.kind == HN_HEIGHT_FIELD && model->planar)
    return hn_fail(error, "a height field belongs in a system in space, not in the plane");
  if (is_planar(part->shape.kind) && !model->planar)
    return hn_fail(error, "a %s belongs in a planar system", hn_shape_name(part->shape.kind));
  return 0;
}

/* Sets the collision group of the body and the mask of the groups it collides with. */
static int set_groups(hn_model *model, const hn_body_spec *spec, hn_collider *collider, hn_error *error)
{
  collider->group = 1, collider->mask = ~UINT32_C(0);
  if (spec->collides) collider->mask = 0;
  for (int i = -1; i < 0 || (spec->collides && spec->collides[i]); i++) {
    const char *name = i < 0 ? spec->group : spec->collides[i];
    if (!name) continue;
    int number = hn_names_find(&model->surfaces->group, name);
    if (number < 0) return hn_fail(error, "out of memory");
    if (number >= MAX_GROUPS - 1) return hn_fail(error, "the maximum number of groups is %d", MAX_GROUPS - 1);
    if (i < 0) collider->group = UINT32_C(2) << number;
    else collider->mask |= UINT32_C(2) << number;
  }
  return 0;
}

/* Returns the number of SURFACE, that of the previous one if it is equal, which is common; -1 if out of
 * memory. */
static int number_of_surface(struct hn_surfaces *s, const hn_surface *surface)
{
  const hn_surface *last = s->nsurface > 0 ? &s->surface[s->nsurface - 1] : NULL;
  if (last && last->friction == surface->friction && last->static_friction == surface->static_friction &&
      last->restitution == surface->restitution && last->rolling_friction == surface->rolling_friction &&
      last->torsional_friction == surface->torsional_friction &&
      last->friction_across == surface->friction_across)
    return s->nsurface - 1;
  hn_surface *grown = hn_array_grow(s->surface, s->nsurface, sizeof *grown);
  if (!grown) return -1;
  s->surface = grown;
  s->surface[s->nsurface] = *surface;
  return s->nsurface++;
}

/* Sets the friction axis, in the body's own axes: that of the collider before, if it is the same. */
static int set_axis(hn_model *model, const hn_body_spec *spec, hn_collider *collider, hn_error *error)
{
  const double length = norm_of(spec->friction_axis, 3);
  const hn_body *body = &model->body[collider->body];
  double axis[3];
  if (!isfinite(length)) return hn_fail(error, "friction_axis must be finite");
  if (length == 0.0 && spec->friction_across > 0.0)
    return hn_fail(error, "friction_across needs a friction_axis, which is not 0");
  if (length == 0.0) return 0;
  vec_scale(axis, 1.0 / length, spec->friction_axis);
  if (body->frame) quat_rotate(axis, body->frame->q, axis);
  collider->axis = model->naxis;
  if (model->naxis > 0 && memcmp(model->axis[model->naxis - 1], axis, sizeof axis) == 0) return 0;
  double(*grown)[3] = hn_array_grow(model->axis, model->naxis, sizeof *grown);
  if (!grown) return hn_fail(error, "out of memory");
  model->axis = grown, collider->axis = ++model->naxis;
  vec_copy(model->axis[model->naxis - 1], axis);
  return 0;
}

static int set_surface(hn_model *model, const hn_body_spec *spec, hn_collider *collider, hn_error *error)
{
  hn_surface surface = { spec->friction,         spec->static_friction,    spec->restitution,
                         spec->rolling_friction, spec->torsional_friction, spec->friction_across };
  if (isnan(spec->friction) || isnan(spec->static_friction))
    return hn_fail(error, "friction must be at least 0, not %g", NAN);
  if (isnan(spec->rolling_friction) || isnan(spec->torsional_friction))
    return hn_fail(error, "rolling and torsional friction must be at least 0 m, not %g", NAN);
  if (isnan(spec->friction_across))
    return hn_fail(error, "friction across an axis must be positive, not %g", NAN);
  if (isnan(spec->restitution)) return hn_fail(error, "restitution must be between 0 and 1, not %g", NAN);
  if (hn_surface_check(&surface, error) || set_axis(model, spec, collider, error)) return -1;
  collider->surface = number_of_surface(model->surfaces, &surface);
  if (collider->surface < 0) return hn_fail(error, "out of memory");
  collider->material = -1;
  if (spec->material && (collider->material = hn_names_find(&model->surfaces->material, spec->material)) < 0)
    return hn_fail(error, "out of memory");
  return set_groups(model, spec, collider, error);
}

/* Converts PLACE from scene axes to the body's own axes. */
static hn_pose own_place(const hn_body *body, const hn_pose *place)
{
  static const hn_twist rest;
  hn_twist none;
  hn_pose own;
  hn_pose part = *place;
  if (!body->frame) return part;
  hn_body_to_scene(&(hn_body){ .frame = &part }, body->frame, &rest, &own, &none);
  return own;
}

/* Makes room for the features of SHAPE in contact keys, which must be able to name one shape more. */
static int widen_keys(hn_model *model, const hn_shape *shape, hn_error *error)
{
  const int more = shape->kind == HN_HEIGHT_FIELD ? hn_height_field_bits(shape->field) : 0,
            bits = more > model->field_bits ? more : model->field_bits,
            most = hn_contact_key_colliders_limit(bits);
  if (model->ncollider >= most)
    return hn_fail(error,
                   bits > 0 ? "beside so large a height field the maximum number of shapes is %d"
                            : "the maximum number of shapes is %d",
                   most);
  model->field_bits = bits;
  return 0;
}

static int add_part(hn_model *model, int body, const hn_body_spec *spec, const hn_part *part, hn_error *error)
{
  hn_pose place;
  hn_collider collider = { .body = body, .shape = part->shape };
  if (check_part(model, &model->body[body], part, error) || part_place(part, &place, error)) return -1;
  if (hn_surfaces_create(model, error) || set_surface(model, spec, &collider, error)) return -1;
  if (widen_keys(model, &part->shape, error)) return -1;
  hn_collider *grown = hn_array_grow(model->collider, model->ncollider, sizeof collider);
  if (!grown) return hn_fail(error, "out of memory");
  model->collider = grown;
  collider.place = own_place(&model->body[body], &place);
  collider.reach = reach_of(&collider.shape);
  if (part->ghost) collider.group = 0;
  if (collider.shape.kind == HN_HEIGHT_FIELD) collider.shape.field = hn_height_field_copy(part->shape.field);
  else if (collider.shape.hull) collider.shape.hull = hn_hull_copy(part->shape.hull);
  if (part->shape.hull && !collider.shape.hull) return hn_fail(error, "out of memory");
  model->collider[model->ncollider++] = collider;
  return 0;
}

int hn_parts_add(hn_model *model, int body, const hn_body_spec *spec, hn_error *error)
{
  hn_body *of = &model->body[body];
  of->collider = model->ncollider;
  for (; of->ncollider < hn_parts_count(spec); of->ncollider++) {
    hn_part part = part_of(spec, of->ncollider);
    if (add_part(model, body, spec, &part, error) == 0) continue;
    for (; model->ncollider > of->collider; model->ncollider--)
      free_shape(&model->collider[model->ncollider - 1]);
    return -1;
  }
  return 0;
}

/* ---- Contact ------------------------------------------------------------------------------------------- */

int hn_model_reserve_contacts(hn_model *model, int most, bool friction, hn_error *error)
{
  if (most < 1 || most > HN_MAX_CONTACTS)
    return hn_fail(error, "room for contacts must be between 1 and %d, not %d", HN_MAX_CONTACTS, most);
  model->max_contacts = most;
  model->needs |= HN_CAN_CHANGE | (friction ? HN_CAN_CONE : HN_CAN_PUSH);
  return 0;
}

/* Returns the capabilities that the surfaces need from a solver. */
static unsigned needs_of(const hn_model *model)
{
  bool friction = false, restitution = false, moments = false;
  int rough = 0, rolling = 0, torsion = 0;
  for (int i = 0; i < model->ncollider; i++) {
    const hn_surface *surface = &model->surfaces->surface[model->collider[i].surface];
    rough += surface->static_friction > 0;
    rolling += surface->rolling_friction > 0, torsion += surface->torsional_friction > 0;
    restitution |= surface->restitution > 0;
  }
  friction = rough > 1, moments = rolling > 1 || torsion > 1;
  for (int i = 0; i < model->surfaces->npair; i++) {
    friction |= model->surfaces->pair[i].surface.static_friction > 0;
    restitution |= model->surfaces->pair[i].surface.restitution > 0;
    moments |= model->surfaces->pair[i].surface.rolling_friction > 0;
    moments |= model->surfaces->pair[i].surface.torsional_friction > 0;
  }
  return (friction || moments ? HN_CAN_CONE : HN_CAN_PUSH) | (moments ? HN_CAN_ROLL : 0) |
         (hn_surfaces_anisotropic(model) ? HN_CAN_ANISOTROPIC : 0) | (restitution ? HN_CAN_BOUNCE : 0);
}

static double smallest_reach(const hn_model *model)
{
  double smallest = HUGE_VAL;
  for (int i = 0; i < model->ncollider; i++)
    if (model->collider[i].group) smallest = fmin(smallest, model->collider[i].reach);
  return smallest;
}

int hn_model_collide(hn_model *model, const hn_contact_spec *spec, hn_error *error)
{
  const int estimate = MIN_CONTACTS + CONTACTS_PER_SHAPE * model->ncollider;
  const int most = spec->most > 0 ? spec->most : estimate < HN_MAX_CONTACTS ? estimate : HN_MAX_CONTACTS;
  const double margin = spec->margin > 0 ? spec->margin : smallest_reach(model) / 20;
  bool rigid;
  if (model->ncollider == 0 || !isfinite(margin))
    return hn_fail(error, "nothing can collide: no body has a shape of finite size that collides");
  if (hn_surfaces_check_axes(model, error) || hn_contact_laws_set_up(model, spec, &rigid, error)) return -1;
  if (!rigid) return 0;
  model->margin = margin;
  if (spec->threshold > 0) model->threshold = spec->threshold;
  if (spec->points < 0 || spec->points > 4)
    return hn_fail(error, "points of a pair must be 1 to 4, or 0 for all, not %d", spec->points);
  model->jointed_collide = spec->jointed, model->most_points = spec->points;
  unsigned needs = needs_of(model);
  if (needs & HN_CAN_ROLL && model->planar)
    return hn_fail(error, "rolling and torsional friction are for systems in space, not in the plane");
  if (needs & HN_CAN_ANISOTROPIC && model->planar)
    return hn_fail(error, "friction_across is for systems in space, not in the plane");
  model->needs |= needs;
  return hn_model_reserve_contacts(model, most, needs & HN_CAN_CONE, error);
}
