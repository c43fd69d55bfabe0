/* series_layout.c - memory of a series, and who stands where in it. */
#include "series/series_layout.h"

#include <stdlib.h>
#include <string.h>

void hn_series_clear_away(hn_series *s)
{
  if (!s) return;
  free(s->body), free(s->link), free(s->power), free(s->work);
  free(s->effect), free(s->push), free(s->turn), free(s->lambda), free(s->twist), free(s->bias);
  hn_sweep_free(&s->sweep);
  hn_force_series_free(s->forces);
  hn_given_series_free(s->given);
  free(s);
}

/* 0 when every joint can be written as a power series. */
static int check_jets(const hn_model *model, hn_error *error)
{
  for (int j = 0; j < model->njoint; j++)
    if (!model->joint[j].type->jet)
      return hn_fail(error,
                     "joint \"%s\": joints of type %s have no power series (jet), and this solver needs one",
                     model->joint[j].name, model->joint[j].type->name);
  return 0;
}

static void lay_out_bodies(hn_series *s)
{
  for (int slot = 0; slot < s->system->model->nbody; slot++)
    hn_body_series_open(&s->body[slot], &s->system->model->body[s->sweep.body[slot]],
                        s->power + (size_t)slot * s->count, s->count);
}

void hn_series_take_joints(hn_series *s)
{
  const hn_model *model = s->system->model;
  for (int slot = 0; slot < s->nlink; slot++) {
    hn_series_link *link = &s->link[slot];
    if (s->sweep.link[slot] >= model->njoint) continue;
    link->joint = model->joint[s->sweep.link[slot]];
    link->pushing = 0;
    memcpy(s->effect + 12 * link->at, s->system->G + 12 * link->joint.row,
           12 * sizeof *s->effect * (size_t)link->joint.type->rows);
  }
}

static void lay_out_links(hn_series *s)
{
  const hn_model *model = s->system->model;
  size_t rows = 0;
  double *work = s->work;
  for (int slot = 0; slot < s->nlink; slot++) {
    hn_series_link *link = &s->link[slot];
    const int index = s->sweep.link[slot];
    for (int side = 0; side < 2; side++) link->slot[side] = s->sweep.bodies[slot][side];
    if (index >= model->njoint) continue;
    link->at = rows, link->work = work;
    rows += (size_t)model->joint[index].type->rows;
    work += (size_t)model->joint[index].type->jet_series * s->count;
  }
}

/* Does anything ask for rates: rows of velocities, or friction for its direction? */
static bool asks_for_rates(const hn_model *model)
{
  return (model->needs & HN_CAN_VELOCITY) || model->more;
}

static bool allocate(hn_series *s)
{
  const hn_model *model = s->system->model;
  const size_t nb = (size_t)model->nbody, nr = (size_t)model->nrow;
  const bool rates = asks_for_rates(model);
  size_t jets = 0;
  for (int j = 0; j < model->njoint; j++) jets += (size_t)model->joint[j].type->jet_series;
  s->body = calloc(nb, sizeof *s->body);
  s->link = calloc((size_t)s->nlink + 1, sizeof *s->link);
  s->power = calloc(nb * s->count, sizeof *s->power);
  s->work = calloc(jets * s->count + 1, sizeof *s->work);
  s->effect = calloc(12 * nr + 1, sizeof *s->effect);
  s->push = calloc(6 * nr * s->kept + 1, sizeof *s->push);
  s->turn = calloc(6 * nr * s->kept + 1, sizeof *s->turn);
  s->lambda = calloc(nr * s->order + 1, sizeof *s->lambda);
  s->twist = rates ? calloc(6 * nb * s->kept, sizeof *s->twist) : NULL;
  s->bias = rates ? calloc(nr, sizeof *s->bias) : NULL;
  return s->body && s->link && s->power && s->work && s->effect && s->push && s->turn && s->lambda &&
         (!rates || (s->twist && s->bias));
}

hn_series *hn_series_lay_out(hn_system *system, int order, hn_error *error)
{
  const hn_model *model = system->model;
  if (check_jets(model, error)) return NULL;
  hn_series *s = calloc(1, sizeof *s);
  if (s) {
    *s = (hn_series){ .system = system,
                      .order = (size_t)order,
                      .count = (size_t)order + 2,
                      .kept = (size_t)order + asks_for_rates(model),
                      .nlink = hn_sweep_links(model) };
  }
  if (!s || !allocate(s)) {
    hn_series_clear_away(s);
    hn_fail(error, "out of memory");
    return NULL;
  }
  s->forces = model->nforce > 0 ? hn_force_series_create(model, s->count, error) : NULL;
  s->given = model->more ? hn_given_series_create(model, s->count, error) : NULL;
  if ((model->nforce > 0 && !s->forces) || (model->more && !s->given) ||
      hn_sweep_init(&s->sweep, model, error)) {
    hn_series_clear_away(s);
    return NULL;
  }
  lay_out_bodies(s);
  lay_out_links(s);
  return s;
}
