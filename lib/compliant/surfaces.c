/* surfaces.c - materials of a model, and the contact properties of their pairs (see surfaces.h). */
#include "compliant/surfaces.h"
#include "base/array.h"
#include "base/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int hn_names_find(hn_names *list, const char *name)
{
  for (int i = 0; i < list->count; i++)
    if (strcmp(list->name[i], name) == 0) return i;
  char **grown = hn_array_grow(list->name, list->count, sizeof *grown);
  if (grown) list->name = grown;
  char *copy = grown ? strdup(name) : NULL;
  if (!copy) return -1;
  list->name[list->count] = copy;
  return list->count++;
}

void hn_names_free(hn_names *list)
{
  for (int i = 0; i < list->count; i++) free(list->name[i]);
  free(list->name);
}

int hn_surfaces_create(hn_model *model, hn_error *error)
{
  if (!model->surfaces) model->surfaces = calloc(1, sizeof *model->surfaces);
  return model->surfaces ? 0 : hn_fail(error, "out of memory");
}

/* Largest ratio of the coefficients along and across an axis: residuals of slip are scaled by it. */
static const double largest_ratio = 1000.0;

static int check_across(const hn_surface *surface, hn_error *error)
{
  const double along = surface->friction, across = surface->friction_across;
  if (isnan(across) || across == 0.0) return 0;
  if (across < 0 || isinf(across))
    return hn_fail(error, "friction across an axis must be positive, not %g", across);
  if (isnan(along) || along == 0.0)
    return hn_fail(error, "friction_across needs a friction along the axis: key \"friction\", above 0");
  if (along > largest_ratio * across || across > largest_ratio * along)
    return hn_fail(error,
                   "friction along and across an axis must not differ by more than a factor of %g: %g and %g",
                   largest_ratio, along, across);
  return 0;
}

int hn_surface_check(hn_surface *surface, hn_error *error)
{
  double *static_friction = &surface->static_friction;
  if (surface->friction < 0 || isinf(surface->friction))
    return hn_fail(error, "friction must be at least 0, not %g", surface->friction);
  if (*static_friction == 0.0 || isnan(surface->friction)) *static_friction = surface->friction;
  if (*static_friction < surface->friction || isinf(*static_friction))
    return hn_fail(error, "static friction must be at least the kinetic one, %g, not %g", surface->friction,
                   *static_friction);
  if (surface->rolling_friction < 0 || isinf(surface->rolling_friction))
    return hn_fail(error, "rolling friction must be at least 0 m, not %g", surface->rolling_friction);
  if (surface->torsional_friction < 0 || isinf(surface->torsional_friction))
    return hn_fail(error, "torsional friction must be at least 0 m, not %g", surface->torsional_friction);
  if (surface->restitution < 0 || surface->restitution > 1)
    return hn_fail(error, "restitution must be between 0 and 1, not %g", surface->restitution);
  return check_across(surface, error);
}

hn_material_pair *hn_surfaces_add_pair(hn_model *model, const char *a, const char *b, hn_error *error)
{
  if (hn_surfaces_create(model, error)) return NULL;
  struct hn_surfaces *s = model->surfaces;
  hn_material_pair pair = { .a = hn_names_find(&s->material, a),
                            .b = hn_names_find(&s->material, b),
                            .surface = { NAN, NAN, NAN, NAN, NAN, NAN } };
  hn_material_pair *grown = hn_array_grow(s->pair, s->npair, sizeof pair);
  if (pair.a < 0 || pair.b < 0 || !grown) {
    hn_fail(error, "out of memory");
    return NULL;
  }
  s->pair = grown;
  s->pair[s->npair] = pair;
  return &s->pair[s->npair++];
}

int hn_model_pair_materials(hn_model *model, const char *a, const char *b, const hn_surface *surface,
                            hn_error *error)
{
  hn_surface checked = *surface;
  if (hn_surface_check(&checked, error)) return -1;
  hn_material_pair *pair = hn_surfaces_add_pair(model, a, b, error);
  if (pair) pair->surface = checked;
  return pair ? 0 : -1;
}

static double mean_of(double a, double b)
{
  return a == b ? a : sqrt(a * b);
}

hn_surface hn_model_surface(const hn_model *model, int a, int b)
{
  const hn_collider *p = &model->collider[a], *q = &model->collider[b];
  const hn_surface *one = &model->surfaces->surface[p->surface], *two = &model->surfaces->surface[q->surface];
  hn_surface surface = { mean_of(one->friction, two->friction),
                         mean_of(one->static_friction, two->static_friction),
                         fmax(one->restitution, two->restitution),
                         mean_of(one->rolling_friction, two->rolling_friction),
                         mean_of(one->torsional_friction, two->torsional_friction),
                         0.0 };
  for (int i = 0; i < model->surfaces->npair; i++) {
    const hn_material_pair *pair = &model->surfaces->pair[i];
    if (!hn_material_pair_matches(pair, p->material, q->material)) continue;
    if (!isnan(pair->surface.friction))
      surface.friction = pair->surface.friction, surface.static_friction = pair->surface.static_friction;
    if (!isnan(pair->surface.restitution)) surface.restitution = pair->surface.restitution;
    if (!isnan(pair->surface.rolling_friction)) surface.rolling_friction = pair->surface.rolling_friction;
    if (!isnan(pair->surface.torsional_friction))
      surface.torsional_friction = pair->surface.torsional_friction;
  }
  return surface;
}

/* ---- Friction across an axis --------------------------------------------------------------------------- */

const double *hn_collider_axis(const hn_model *model, const hn_collider *collider)
{
  static const double none[3];
  return collider->axis > 0 ? model->axis[collider->axis - 1] : none;
}

static double ratio_of(const hn_surface *surface)
{
  return surface->friction_across > 0.0 ? surface->friction_across / surface->friction : 1.0;
}

bool hn_model_friction_ratios(const hn_model *model, int a, int b, double ratio[2])
{
  const hn_collider *of[] = { &model->collider[a], &model->collider[b] };
  bool by_pair = false;
  for (int k = 0; k < 2; k++)
    ratio[k] = vec_is_zero(hn_collider_axis(model, of[k]))
                 ? 1.0
                 : ratio_of(&model->surfaces->surface[of[k]->surface]);
  for (int i = 0; i < model->surfaces->npair; i++) {
    const hn_material_pair *pair = &model->surfaces->pair[i];
    if (isnan(pair->surface.friction) || !hn_material_pair_matches(pair, of[0]->material, of[1]->material))
      continue;
    by_pair = true, ratio[0] = ratio[1] = ratio_of(&pair->surface);
  }
  return by_pair;
}

bool hn_surfaces_anisotropic(const hn_model *model)
{
  bool any = false;
  for (int i = 0; i < model->ncollider; i++)
    any |= !vec_is_zero(hn_collider_axis(model, &model->collider[i])) &&
           ratio_of(&model->surfaces->surface[model->collider[i].surface]) != 1.0;
  for (int i = 0; i < model->surfaces->npair; i++) any |= ratio_of(&model->surfaces->pair[i].surface) != 1.0;
  return any;
}

/* Returns the first collider of MATERIAL without a friction axis, or NULL. */
static const hn_collider *without_axis(const hn_model *model, int material)
{
  for (const hn_collider *c = model->collider; c < model->collider + model->ncollider; c++)
    if (c->material == material && vec_is_zero(hn_collider_axis(model, c))) return c;
  return NULL;
}

int hn_surfaces_check_axes(const hn_model *model, hn_error *error)
{
  const struct hn_surfaces *s = model->surfaces;
  for (int i = 0; i < s->npair; i++) {
    const hn_collider *a = without_axis(model, s->pair[i].a), *b = without_axis(model, s->pair[i].b);
    if (ratio_of(&s->pair[i].surface) == 1.0 || !a || !b) continue;
    return hn_fail(error,
                   "materials \"%.60s\" and \"%.60s\" have friction_across, but neither body \"%.60s\" nor "
                   "\"%.60s\" has a friction_axis",
                   s->material.name[s->pair[i].a], s->material.name[s->pair[i].b], model->body[a->body].name,
                   model->body[b->body].name);
  }
  return 0;
}
