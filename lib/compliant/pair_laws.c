/* pair_laws.c - the laws of compliant contact of the pairs of shapes of a model: choice and checks
 *
 * A pair has the law of its pair of materials, else that of the model. Pairs with a law are left out of the
 * collision detection of rigid contacts (hn_filter_allows). */
#include "compliant/pair_laws.h"
#include "collide/collide.h"
#include "compliant/contact_law.h"
#include "compliant/smooth_friction.h"
#include "compliant/surfaces.h"

#include <math.h>

void hn_contact_laws_free(struct hn_surfaces *surfaces)
{
  hn_contact_law_free(surfaces->law);
  for (int i = 0; i < surfaces->npair; i++) hn_contact_law_free(surfaces->pair[i].law);
}

/* Sets the law of two materials, or of all pairs if A is NULL. Takes ownership of LAW, even on failure. */
static int set_law(hn_model *model, const char *a, const char *b, hn_contact_law *law, hn_error *error)
{
  if (!a && hn_surfaces_create(model, error) == 0) {
    hn_contact_law_free(model->surfaces->law);
    model->surfaces->law = law;
    return 0;
  }
  hn_material_pair *pair = a ? hn_surfaces_add_pair(model, a, b, error) : NULL;
  if (!pair) {
    hn_contact_law_free(law);
    return -1;
  }
  pair->has_law = true, pair->law = law;
  return 0;
}

int hn_model_pair_law(hn_model *model, const char *a, const char *b, const char *law, hn_error *error)
{
  hn_contact_law *own = law ? hn_contact_law_create(law, error) : NULL;
  return law && !own ? -1 : set_law(model, a, b, own, error);
}

int hn_model_own_law(hn_model *model, const char *a, const char *b, const char *settings,
                     struct hn_tape *force, struct hn_tape *energy, hn_error *error)
{
  hn_contact_law *own = hn_contact_law_create_own(settings, force, energy, error);
  return own ? set_law(model, a, b, own, error) : -1;
}

const hn_contact_law *hn_model_contact_law(const hn_model *model, int a, int b)
{
  const struct hn_surfaces *s = model->surfaces;
  const int p = model->collider[a].material, q = model->collider[b].material;
  const hn_contact_law *law = s->law;
  for (int i = 0; i < s->npair; i++)
    if (s->pair[i].has_law && hn_material_pair_matches(&s->pair[i], p, q)) law = s->pair[i].law;
  return law;
}

static bool are_joined(const hn_model *reduced, int a, int b)
{
  const hn_model *model = reduced->whole ? reduced->whole : reduced;
  for (int j = 0; j < model->njoint; j++)
    if ((model->joint[j].a == a && model->joint[j].b == b) ||
        (model->joint[j].a == b && model->joint[j].b == a))
      return true;
  return false;
}

bool hn_colliders_may_touch(const hn_model *model, int a, int b)
{
  const hn_collider *p = &model->collider[a], *q = &model->collider[b];
  bool swapped;
  if (p->body == q->body || !(p->group & q->mask) || !(q->group & p->mask)) return false;
  if (model->body[p->body].kind == HN_FIXED && model->body[q->body].kind == HN_FIXED) return false;
  if (!hn_collide_find(p->shape.kind, q->shape.kind, &swapped)) return false;
  return model->jointed_collide || !are_joined(model, p->body, q->body);
}

double hn_effective_radius(const hn_shape *a, const hn_shape *b)
{
  const hn_shape *shape[] = { a, b };
  double curvature = 0.0;
  for (int i = 0; i < 2; i++)
    if (shape[i]->kind == HN_SPHERE) curvature += 1.0 / shape[i]->size[0];
    else if (shape[i]->kind != HN_PLANE) return NAN;
  return 1.0 / curvature;
}

/* Checks that LAW suits a pair of colliders. */
static int check_pair(const hn_model *model, const hn_contact_law *law, int a, int b, hn_error *error)
{
  const hn_shape *p = &model->collider[a].shape, *q = &model->collider[b].shape;
  const char *first = model->body[model->collider[a].body].name,
             *second = model->body[model->collider[b].body].name;
  const hn_surface surface = hn_model_surface(model, a, b);
  if (law->type->needs_radius && law->type->needs_radius(law->data) && isnan(hn_effective_radius(p, q)))
    return hn_fail(
      error,
      "law %s of \"%.60s\" and \"%.60s\": a modulus is for spheres and planes, not for a %s and a "
      "%s; give their pair of materials a stiffness",
      law->type->name, first, second, hn_shape_name(p->kind), hn_shape_name(q->kind));
  if (surface.static_friction > surface.friction && !hn_smooth_friction_has_static(law->data))
    return hn_fail(
      error,
      "law %s of \"%.60s\" and \"%.60s\": smoothing threlfall has one coefficient of friction, not "
      "%g and %g; use brown-mcphee",
      law->type->name, first, second, surface.friction, surface.static_friction);
  if (surface.rolling_friction > 0.0 || surface.torsional_friction > 0.0)
    return hn_fail(error,
                   "law %s of \"%.60s\" and \"%.60s\": compliant contacts have no rolling and no torsional "
                   "friction",
                   law->type->name, first, second);
  double ratio[2];
  hn_model_friction_ratios(model, a, b, ratio);
  if (ratio[0] != 1.0 || ratio[1] != 1.0)
    return hn_fail(error,
                   "law %s of \"%.60s\" and \"%.60s\": friction of compliant contacts is the same in all "
                   "directions: leave out friction_across",
                   law->type->name, first, second);
  return 0;
}

/* Counts the pairs that may touch, with and without a law, and checks those with one. */
static int check_pairs(const hn_model *model, int *compliant, int *rigid, hn_error *error)
{
  *compliant = *rigid = 0;
  for (int a = 0; a < model->ncollider; a++)
    for (int b = a + 1; b < model->ncollider; b++) {
      if (!hn_colliders_may_touch(model, a, b)) continue;
      const hn_contact_law *law = hn_model_contact_law(model, a, b);
      if (law && check_pair(model, law, a, b, error)) return -1;
      ++*(law ? compliant : rigid);
    }
  return 0;
}

/* Refuses settings of rigid contacts in a model that has none. */
static int check_settings(const hn_model *model, const hn_contact_spec *spec, hn_error *error)
{
  const char *word = spec->margin > 0      ? "margin"
                     : spec->most > 0      ? "capacity"
                     : spec->threshold > 0 ? "threshold"
                     : spec->points > 0    ? "points"
                                           : NULL;
  if (word)
    return hn_fail(error, "%s is a setting of rigid contacts, and all pairs are compliant: leave it out",
                   word);
  for (int a = 0; a < model->ncollider; a++)
    if (model->surfaces->surface[model->collider[a].surface].restitution > 0)
      return hn_fail(
        error,
        "body \"%.60s\" has a restitution, and all its contacts are compliant: their law determines "
        "it; leave it out",
        model->body[model->collider[a].body].name);
  return 0;
}

static bool has_law(const struct hn_surfaces *surfaces)
{
  bool some = surfaces->law != NULL;
  for (int i = 0; i < surfaces->npair; i++) some |= surfaces->pair[i].law != NULL;
  return some;
}

int hn_contact_laws_set_up(hn_model *model, const hn_contact_spec *spec, bool *rigid, hn_error *error)
{
  struct hn_surfaces *s = model->surfaces;
  int compliant, others;
  *rigid = true;
  if (spec->law && hn_model_pair_law(model, NULL, NULL, spec->law, error)) return -1;
  if (!has_law(s)) return 0;
  model->jointed_collide = spec->jointed;
  if (check_pairs(model, &compliant, &others, error)) return -1;
  *rigid = others > 0;
  if (*rigid && compliant == 0) return 0;
  model->compliant = true, model->needs |= HN_CAN_COMPLIANT;
  return *rigid ? 0 : check_settings(model, spec, error);
}

bool hn_contact_laws_are_passive(const hn_model *model)
{
  const struct hn_surfaces *s = model->surfaces;
  bool passive = !s->law || !s->law->type->can_drive || !s->law->type->dissipates(s->law->data);
  for (int i = 0; i < s->npair; i++) {
    const hn_contact_law *law = s->pair[i].law;
    passive &= !law || !law->type->can_drive || !law->type->dissipates(law->data);
  }
  return passive;
}

bool hn_contact_laws_conserve(const hn_model *model)
{
  for (int a = 0; a < model->ncollider; a++)
    for (int b = a + 1; b < model->ncollider; b++) {
      if (!hn_colliders_may_touch(model, a, b)) continue;
      const hn_contact_law *law = hn_model_contact_law(model, a, b);
      if (!law) continue;
      if (law->type->dissipates(law->data) || hn_model_surface(model, a, b).friction > 0.0) return false;
    }
  return true;
}
