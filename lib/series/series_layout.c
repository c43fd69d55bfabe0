/* series_layout.c - allocates the memory of a series and assigns it to bodies and joints. */
#include "series/series_layout.h"

#include <stdlib.h>
#include <string.h>

void hn_series_free(hn_series *s)
{
  if (!s) return;
  free(s->body), free(s->link), free(s->power), free(s->work);
  free(s->G_start), free(s->G_v), free(s->G_w), free(s->lambda), free(s->twist), free(s->bias);
  hn_power_order_free(&s->visits);
  hn_force_series_free(s->forces);
  hn_row_force_series_free(s->row_forces);
  free(s);
}

/* Returns 0 if every joint has a power series. */
static int check_jets(const hn_model *model, hn_error *error)
{
  for (int j = 0; j < model->njoint; j++)
    if (!model->joint[j].type->jet)
      return hn_fail(error,
                     "joint \"%s\": joints of type %s have no power series (jet), and this solver needs one",
                     model->joint[j].name, model->joint[j].type->name);
  return 0;
}

static void assign_bodies(hn_series *s)
{
  for (int slot = 0; slot < s->system->model->nbody; slot++)
    hn_body_series_open(&s->body[slot], &s->system->model->body[s->visits.body[slot]],
                        s->power + (size_t)slot * s->count, s->count);
}

void hn_series_copy_joints(hn_series *s)
{
  const hn_model *model = s->system->model;
  for (int slot = 0; slot < s->nlink; slot++) {
    hn_series_link *link = &s->link[slot];
    if (s->visits.link[slot] >= model->njoint) continue;
    link->joint = model->joint[s->visits.link[slot]];
    link->last_nonzero = 0;
    memcpy(s->G_start + 12 * link->row_offset, s->system->G + 12 * link->joint.row,
           12 * sizeof *s->G_start * (size_t)link->joint.type->rows);
  }
}

static void assign_links(hn_series *s)
{
  const hn_model *model = s->system->model;
  size_t rows = 0;
  double *work = s->work;
  for (int slot = 0; slot < s->nlink; slot++) {
    hn_series_link *link = &s->link[slot];
    const int index = s->visits.link[slot];
    for (int side = 0; side < 2; side++) link->slot[side] = s->visits.bodies[slot][side];
    if (index >= model->njoint) continue;
    link->row_offset = rows, link->work = work;
    rows += (size_t)model->joint[index].type->rows;
    work += (size_t)model->joint[index].type->jet_series * s->count;
  }
}

/* True if rates are needed: for rows of velocities, or for the direction of friction. */
static bool needs_rates(const hn_model *model)
{
  return (model->needs & HN_CAN_VELOCITY) || model->more;
}

static bool allocate(hn_series *s)
{
  const hn_model *model = s->system->model;
  const size_t nb = (size_t)model->nbody, nr = (size_t)model->nrow;
  const bool rates = needs_rates(model);
  size_t jets = 0;
  for (int j = 0; j < model->njoint; j++) jets += (size_t)model->joint[j].type->jet_series;
  s->body = calloc(nb, sizeof *s->body);
  s->link = calloc((size_t)s->nlink + 1, sizeof *s->link);
  s->power = calloc(nb * s->count, sizeof *s->power);
  s->work = calloc(jets * s->count + 1, sizeof *s->work);
  s->G_start = calloc(12 * nr + 1, sizeof *s->G_start);
  s->G_v = calloc(6 * nr * s->jacobian_count + 1, sizeof *s->G_v);
  s->G_w = calloc(6 * nr * s->jacobian_count + 1, sizeof *s->G_w);
  s->lambda = calloc(nr * s->order + 1, sizeof *s->lambda);
  s->twist = rates ? calloc(6 * nb * s->jacobian_count, sizeof *s->twist) : NULL;
  s->bias = rates ? calloc(nr, sizeof *s->bias) : NULL;
  return s->body && s->link && s->power && s->work && s->G_start && s->G_v && s->G_w && s->lambda &&
         (!rates || (s->twist && s->bias));
}

hn_series *hn_series_create(hn_system *system, int order, hn_error *error)
{
  const hn_model *model = system->model;
  if (check_jets(model, error)) return NULL;
  hn_series *s = calloc(1, sizeof *s);
  if (s) {
    *s = (hn_series){ .system = system,
                      .order = (size_t)order,
                      .count = (size_t)order + 2,
                      .jacobian_count = (size_t)order + needs_rates(model),
                      .nlink = hn_power_order_links(model) };
  }
  if (!s || !allocate(s)) {
    hn_series_free(s);
    hn_fail(error, "out of memory");
    return NULL;
  }
  /* parts with memory of their own */
  s->forces = model->nforce > 0 ? hn_force_series_create(model, s->count, error) : NULL;
  s->row_forces = model->more ? hn_row_force_series_create(model, s->count, error) : NULL;
  if ((model->nforce > 0 && !s->forces) || (model->more && !s->row_forces) ||
      hn_power_order_init(&s->visits, model, error)) {
    hn_series_free(s);
    return NULL;
  }
  assign_bodies(s);
  assign_links(s);
  return s;
}
