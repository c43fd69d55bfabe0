/* force.c - forces: their registry (forces.def), their creation in a model, and their sum on the bodies
 *
 *   wrench = sum of G' Q,  Q = law(t, input, g, G u)      G, g: the rows a force measures */
#include "force/force.h"
#include "base/array.h"
#include "base/params.h"
#include "base/rates.h"
#include "base/type_registry.h"
#include "base/vec.h"
#include "compliant/compliant.h"
#include "compliant/pair_laws.h"
#include "joint/geometry.h"
#include "joint/planar_model.h"
#include "tape/tape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FORCE(name) extern const hn_force_type hn_force_##name;
#include "force/forces.def"
#undef FORCE

static const hn_force_type *types[] = {
#define FORCE(name) &hn_force_##name,
#include "force/forces.def"
#undef FORCE
  NULL
};
enum { TYPES = sizeof types / sizeof *types - 1 };

static hn_type_registry registry = {
  .kind = "force",
  .listing = "forces",
  .name = offsetof(hn_force_type, name),
  .types = types,
  .room = TYPES,
  .built_in = TYPES,
  .count = TYPES,
};

const hn_force_type *const *hn_force_types(size_t *count)
{
  if (count) *count = TYPES;
  return types;
}

const hn_force_type *hn_force_type_find(const char *name, hn_error *error)
{
  return hn_type_find(&registry, name, NULL, error);
}

void hn_force_free(hn_force *force)
{
  hn_texts_free(force->texts);
  free(force->rows.axes);
  free(force->data);
  free(force->name);
  hn_law_free(force->own);
}

/* The rows of a force at the states of two bodies. */
typedef struct rows {
  double g[HN_FORCE_ROWS], rate[HN_FORCE_ROWS], G_a[6 * HN_FORCE_ROWS], G_b[6 * HN_FORCE_ROWS];
} rows;

static void measure(const hn_force *force, double t, const hn_pose *a, const hn_twist *ua, const hn_pose *b,
                    const hn_twist *ub, rows *r)
{
  const hn_joint *joint = &force->rows;
  joint->type->eval(joint, t, a, ua, b, ub,
                    &(hn_rows){ .g = r->g, .G_a = r->G_a, .G_b = r->G_b, .bias = r->rate });
  hn_add_rates(joint->type->rows, r->G_a, ua, r->G_b, ub, r->rate);
}

static void measure_state(const hn_force *force, const hn_state *state, rows *r)
{
  int a = force->rows.a, b = force->rows.b;
  measure(force, state->time, &state->pose[a], &state->twist[a], &state->pose[b], &state->twist[b], r);
}

/* Corrects the first word of an error about geometry, which the functions of joints have set. */
static int rename_in_error(hn_error *error)
{
  if (error && strncmp(error->text, "joint ", 6) == 0) memcpy(error->text, "force", 5);
  return -1;
}

/* Sets the custom law of the scene, if there is one. */
static int take_law(const hn_force_spec *spec, hn_force *force, hn_error *error)
{
  if (!spec->law && !spec->energy) return 0;
  if (force->type->own_law != HN_NO_LAW) return hn_law_make(force, spec->law, spec->energy, error);
  hn_tape_free(spec->law), hn_tape_free(spec->energy);
  return hn_fail(error, "force \"%s\": a %s takes no law", force->name, force->type->name);
}

/* Sets geometry, parameters and motion of a new force, whose name is set. */
static int set_force(const hn_model *model, const hn_force_spec *spec, hn_force *force, hn_error *error)
{
  if (take_law(spec, force, error)) return -1;
  /* Geometry. */
  const hn_force_type *type = force->type;
  rows start;
  force->rows = (hn_joint){
    .name = force->name, .type = type->rows, .a = spec->geometry.a, .b = spec->geometry.b, .input = -1
  };
  if (hn_model_set_geometry(model, spec->geometry, type->keys, &force->rows, error))
    return rename_in_error(error);
  /* Vector and motion. */
  vec_copy(force->vector, spec->vector);
  force->motion = spec->geometry.motion;
  if (!spec->has_motion && type->vector) force->motion.polynomial[0] = 1.0;
  for (int i = 0; i < 3; i++)
    if (!isfinite(force->vector[i]))
      return hn_fail(error, "force \"%s\": %s must be finite", force->name, type->vector);
  bool turns = !(type->keys & HN_KEY_AT);
  if (model->planar && type->vector &&
      hn_planar_check_vector(force->name, type->vector, turns, force->vector, error))
    return -1;
  /* Parameters and values at the start. */
  force->data = calloc(1, type->data_size ? type->data_size : 1);
  if (!force->data) return hn_fail(error, "out of memory");
  if (hn_params_read(type->params, type->name, spec->settings, force->data, &force->texts, error)) return -1;
  const hn_body *a = &model->body[force->rows.a], *b = &model->body[force->rows.b];
  measure(force, 0.0, &a->pose0, &a->twist0, &b->pose0, &b->twist0, &start);
  if (type->setup && type->setup(force, start.g, error)) return -1;
  if (!force->own) return 0;
  if (model->planar && type->rows->rows == 3 && hn_law_check_planar(force, error)) return -1;
  return hn_law_check_start(force, start.g, start.rate, error);
}

int hn_model_add_force(hn_model *model, const hn_force_spec *spec, hn_error *error)
{
  /* Name and memory. */
  char numbered[64];
  hn_force force = { .type = hn_force_type_find(spec->geometry.type, error), .input = model->ninput };
  if (!force.type) {
    hn_tape_free(spec->law), hn_tape_free(spec->energy);
    return -1;
  }
  snprintf(numbered, sizeof numbered, "%s%d", force.type->name, model->nforce + 1);
  force.name = strdup(spec->geometry.name ? spec->geometry.name : numbered);
  hn_force *grown = hn_array_grow(model->force, model->nforce, sizeof force);
  if (grown) model->force = grown;
  if (!force.name || !grown) {
    hn_tape_free(spec->law), hn_tape_free(spec->energy);
    hn_fail(error, "out of memory");
  }
  if (!force.name || !grown || set_force(model, spec, &force, error)) {
    hn_force_free(&force);
    return -1;
  }
  model->force[model->nforce] = force;
  model->ninput += force.type->inputs;
  return model->nforce++;
}

void hn_force_law(const hn_force *force, double t, const double *input, const double *g, const double *rate,
                  double *Q)
{
  const hn_force_type *type = force->type;
  if (type->law) type->law(force, t, input, g, rate, Q);
  else type->jet(force, t, input, g, rate, 1, 0, NULL, Q);
}

void hn_forces_sum(const hn_model *model, const hn_state *state, double *wrench)
{
  rows r;
  double Q[HN_FORCE_ROWS];
  memset(wrench, 0, sizeof *wrench * 6 * (size_t)state->nbody);
  for (const hn_force *force = model->force; force < model->force + model->nforce; force++) {
    const int n = force->rows.type->rows;
    double *on_a = wrench + 6 * force->rows.a, *on_b = wrench + 6 * force->rows.b;
    measure_state(force, state, &r);
    hn_force_law(force, state->time, state->input + force->input, r.g, r.rate, Q);
    for (int c = 0; c < 6; c++)
      for (int i = 0; i < n; i++) on_a[c] += r.G_a[c * n + i] * Q[i], on_b[c] += r.G_b[c * n + i] * Q[i];
  }
}

void hn_force_evaluate(const hn_force *force, const hn_state *state, double *value, double *rate,
                       double *pull)
{
  rows r;
  const size_t size = sizeof *value * (size_t)force->rows.type->rows;
  measure_state(force, state, &r);
  hn_force_law(force, state->time, state->input + force->input, r.g, r.rate, pull);
  memcpy(value, r.g, size), memcpy(rate, r.rate, size);
}

double hn_forces_energy(const hn_model *model, const hn_state *state)
{
  double energy = model->compliant ? hn_compliant_energy(model, state) : 0.0;
  rows r;
  for (const hn_force *force = model->force; force < model->force + model->nforce; force++) {
    if (!force->type->energy) continue;
    measure_state(force, state, &r);
    energy += force->type->energy(force, r.g);
  }
  return energy;
}

bool hn_model_is_passive(const hn_model *model)
{
  for (int j = 0; j < model->njoint; j++)
    if (model->joint[j].type->keys & HN_KEY_MOTION) return false;
  for (int i = 0; i < model->nforce; i++)
    if (!model->force[i].conservative) return false;
  return !model->compliant || hn_contact_laws_are_passive(model);
}

bool hn_model_conserves_energy(const hn_model *model)
{
  if (model->max_contacts > 0) return false;
  if (model->compliant && !hn_contact_laws_conserve(model)) return false;
  for (int j = 0; j < model->njoint; j++)
    if (model->joint[j].set->kind != HN_ANY) return false;
  return hn_model_is_passive(model);
}

void hn_forces_start(const hn_model *model, hn_state *state)
{
  rows r;
  for (const hn_force *force = model->force; force < model->force + model->nforce; force++) {
    if (!force->type->start) continue;
    measure_state(force, state, &r);
    force->type->start(force, r.g, state->input + force->input);
  }
}

void hn_forces_update(const hn_model *model, double h, hn_state *state)
{
  rows r;
  for (const hn_force *force = model->force; force < model->force + model->nforce; force++) {
    if (!force->type->update) continue;
    measure_state(force, state, &r);
    force->type->update(force, state->time, h, r.g, r.rate, state->input + force->input);
  }
}
