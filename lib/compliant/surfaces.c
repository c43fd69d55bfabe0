/* surfaces.c - materials of a model, and the contact properties of their pairs (see surfaces.h). */
#include "compliant/surfaces.h"
#include "base/array.h"

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
  return 0;
}

hn_material_pair *hn_surfaces_add_pair(hn_model *model, const char *a, const char *b, hn_error *error)
{
  if (hn_surfaces_create(model, error)) return NULL;
  struct hn_surfaces *s = model->surfaces;
  hn_material_pair pair = { .a = hn_names_find(&s->material, a),
                            .b = hn_names_find(&s->material, b),
                            .surface = { NAN, NAN, NAN, NAN, NAN } };
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
                         mean_of(one->torsional_friction, two->torsional_friction) };
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
