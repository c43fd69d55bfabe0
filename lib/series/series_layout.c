/* series_layout.c - allocates the memory of a series and assigns it to bodies and joints. */
#include "series/series_layout.h"

#include <stdlib.h>
#include <string.h>

void hn_series_free(hn_series *s)
{
  if (!s) return;
  hn_arrays_free(&s->arrays);
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

static int allocate(hn_series *s, hn_error *error)
{
  const hn_model *model = s->system->model;
  const size_t nb = (size_t)model->nbody, nr = (size_t)model->nrow;
  size_t jets = 0;
  for (int j = 0; j < model->njoint; j++) jets += (size_t)model->joint[j].type->jet_series;
  if (hn_arrays_allocate(&s->arrays, error, HN_ARRAY(s->body, nb), HN_ARRAY(s->link, s->nlink),
                         HN_ARRAY(s->power, nb * s->count), HN_ARRAY(s->work, jets * s->count),
                         HN_ARRAY(s->G_start, 12 * nr), HN_ARRAY(s->G_v, 6 * nr * s->jacobian_count),
                         HN_ARRAY(s->G_w, 6 * nr * s->jacobian_count), HN_ARRAY(s->lambda, nr * s->order)))
    return -1;
  if (needs_rates(model) &&
      hn_arrays_allocate(&s->arrays, error, HN_ARRAY(s->twist, 6 * nb * s->jacobian_count),
                         HN_ARRAY(s->bias, nr)))
    return -1;
  /* parts */
  if (model->nforce > 0) {
    s->forces = hn_force_series_create(model, s->count, &s->arrays, error);
    if (!s->forces) return -1;
  }
  if (model->more) {
    s->row_forces = hn_row_force_series_create(model, s->count, &s->arrays, error);
    if (!s->row_forces) return -1;
  }
  return hn_power_order_init(&s->visits, model, &s->arrays, error);
}

hn_series *hn_series_create(hn_system *system, int order, hn_error *error)
{
  const hn_model *model = system->model;
  if (check_jets(model, error)) return NULL;
  hn_series *s = calloc(1, sizeof *s);
  if (!s) return hn_fail(error, "out of memory"), NULL;
  *s = (hn_series){ .system = system,
                    .order = (size_t)order,
                    .count = (size_t)order + 2,
                    .jacobian_count = (size_t)order + needs_rates(model),
                    .nlink = hn_power_order_links(model) };
  if (allocate(s, error)) {
    hn_series_free(s);
    return NULL;
  }
  assign_bodies(s);
  assign_links(s);
  return s;
}
