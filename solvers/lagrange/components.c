/* components.c - the components of a state that can change (components.h). */
#include "lagrange/components.h"

/* The components of pose and twist of a body that can change. */
typedef struct components {
  int poses, twists;
  int pose[7], twist[6];
} components;

static const components *components_of(const hn_model *model, int body)
{
  static const components in_space[] = {
    [HN_PARTICLE] = { 3, 3, { 0, 1, 2 }, { 0, 1, 2 } },
    [HN_RIGID] = { 7, 6, { 0, 1, 2, 3, 4, 5, 6 }, { 0, 1, 2, 3, 4, 5 } },
  };
  static const components in_plane[] = {
    [HN_PARTICLE] = { 2, 2, { 0, 1 }, { 0, 1 } },
    [HN_RIGID] = { 4, 3, { 0, 1, 3, 6 }, { 0, 1, 5 } },
  };
  return (model->planar ? in_plane : in_space) + model->body[body].kind;
}

/* Adds the component at PLACE of an array to the stretches that begin with number FIRST: lengthens the last
 * of them, or begins another. Only counts while c->part is NULL; END is one past the place added before. */
static void add_component(hn_components *c, int first, int place, int *end)
{
  if (c->parts == first || place != *end) {
    if (c->part) c->part[c->parts] = (hn_stretch){ place, 0 };
    c->parts++;
  }
  if (c->part) c->part[c->parts - 1].count++;
  *end = place + 1;
}

void hn_components_list(hn_components *c)
{
  const hn_model *model = c->model;
  int end = 0;
  c->positions = c->size = 0, c->parts = 0;
  for (int i = 0; i < model->nbody; i++) {
    const components *p = components_of(model, i);
    for (int k = 0; k < p->poses; k++) add_component(c, 0, 7 * i + p->pose[k], &end);
    c->positions += (size_t)p->poses, c->size += (size_t)(p->poses + p->twists);
  }
  c->pose_parts = c->parts;
  for (int i = 0; i < model->nbody; i++) {
    const components *p = components_of(model, i);
    for (int k = 0; k < p->twists; k++) add_component(c, c->pose_parts, 6 * i + p->twist[k], &end);
  }
}

void hn_components_gather(const hn_components *c, const hn_pose *poses, const hn_twist *twists, double *y)
{
  for (int k = 0; k < c->parts; k++) {
    const double *from = (k < c->pose_parts ? (const double *)poses : (const double *)twists) +
                         c->part[k].place;
    for (int i = 0; i < c->part[k].count; i++) *y++ = from[i];
  }
}

void hn_components_scatter(const hn_components *c, const double *y, hn_state *state)
{
  for (int k = 0; k < c->parts; k++) {
    double *to = (k < c->pose_parts ? (double *)state->pose : (double *)state->twist) + c->part[k].place;
    for (int i = 0; i < c->part[k].count; i++) to[i] = *y++;
  }
}

void hn_components_scatter_body(const hn_model *model, int body, const double **poses, const double **twists,
                                hn_pose *pose, hn_twist *twist)
{
  const components *p = components_of(model, body);
  for (int k = 0; k < p->poses; k++) ((double *)pose)[p->pose[k]] = *(*poses)++;
  for (int k = 0; k < p->twists; k++) ((double *)twist)[p->twist[k]] = *(*twists)++;
}
