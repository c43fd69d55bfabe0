/* power_order.c - the order in which one power of a motion is worked out.
 *
 * Visits by kind, all bodies and then all joints and so on, move everything that belongs to a body through the caches
 * once a kind. Here bodies are taken depth first along their links, and after each all visits follow that have become
 * possible: of a large tree only a path stays open. The order of a visit among others has no influence on its result:
 * a body gathers the forces of its links in their own order. */
#include "series/power_order.h"

#include <stdbool.h>
#include <stdlib.h>

/* Only while the order is found. */
typedef struct scratch {
  const hn_model *model;
  hn_sweep *sweep;
  size_t norder, nlinked, ntodo;
  int *slot;     /* [nbody] of the bodies */
  int *place;    /* [nlink] slots of the links */
  size_t *first; /* [nbody + 1] by body, as in hn_sweep */
  hn_link_end *end;
  bool *seen;    /* [nbody] */
  size_t *stack; /* bodies still to be taken, some of them twice */
  int *links;    /* [nbody] that are not done */
  int *pushed;   /* [nlink] free bodies that are not pushed */
  int *advanced; /* [nlink] not advanced */
} scratch;

void hn_sweep_free(hn_sweep *sweep)
{
  free(sweep->visit), free(sweep->body), free(sweep->link), free(sweep->bodies), free(sweep->first),
    free(sweep->end);
  *sweep = (hn_sweep){ .visit = NULL };
}

int hn_sweep_links(const hn_model *model)
{
  return model->njoint + model->nforce + (model->more ? model->more->ngiven : 0);
}

static const hn_joint *rows_of(const hn_model *model, int link)
{
  const int force = link - model->njoint, given = force - model->nforce;
  return force < 0   ? &model->joint[link]
         : given < 0 ? &model->force[force].rows
                     : model->more->given[given].joint;
}

/* The body at one side of a link; -1 when that is fixed. */
static int free_body(const hn_model *model, int link, int side)
{
  const hn_joint *rows = rows_of(model, link);
  const int body = side == 0 ? rows->a : rows->b;
  return model->body[body].kind == HN_FIXED ? -1 : body;
}

static void list_ends(scratch *s)
{
  const hn_model *model = s->model;
  size_t *first = s->first;
  for (int l = 0; l < hn_sweep_links(model); l++)
    for (int side = 0; side < 2; side++) {
      int i = free_body(model, l, side);
      if (i >= 0) first[i + 1]++, s->links[i]++, s->pushed[l]++, s->advanced[l]++;
    }
  for (int i = 0; i < model->nbody; i++) first[i + 1] += first[i];
  const size_t count = first[model->nbody];
  for (int l = hn_sweep_links(model); l-- > 0;) /* from the last on, each before the one set before */
    for (int side = 2; side-- > 0;) {
      int i = free_body(model, l, side);
      if (i >= 0) s->end[--first[i + 1]] = (hn_link_end){ l, side };
    }
  /* Each start has moved back to that of the body before. */
  for (int i = 0; i < model->nbody; i++) first[i] = first[i + 1];
  first[model->nbody] = count;
}

static void visit(scratch *s, hn_visit_kind kind, int index)
{
  const bool of_body = kind == HN_VISIT_PUSH || kind == HN_VISIT_ADVANCE;
  s->sweep->visit[s->sweep->nvisit++] = (hn_visit){ kind, of_body ? s->slot[index] : s->place[index] };
}

static void advance(scratch *s, int i)
{
  visit(s, HN_VISIT_ADVANCE, i);
  for (size_t e = s->first[i]; e < s->first[i + 1]; e++) {
    const int l = s->end[e].link;
    if (--s->advanced[l] == 0 && l < s->model->njoint) visit(s, HN_VISIT_RESIDUAL, l);
  }
}

static void finish_link(scratch *s, int l)
{
  s->place[l] = (int)s->nlinked;
  s->sweep->link[s->nlinked++] = l;
  visit(s, HN_VISIT_LINK, l);
  for (int side = 0; side < 2; side++) {
    int i = free_body(s->model, l, side);
    if (i >= 0 && --s->links[i] == 0) advance(s, i);
  }
}

/* A body that is taken, and all that this makes possible. */
static void take(scratch *s, int i)
{
  s->slot[i] = (int)s->norder;
  s->sweep->body[s->norder++] = i;
  if (s->model->body[i].kind == HN_FIXED) return;
  visit(s, HN_VISIT_PUSH, i);
  if (s->links[i] == 0) advance(s, i);
  for (size_t e = s->first[i]; e < s->first[i + 1]; e++)
    if (--s->pushed[s->end[e].link] == 0) finish_link(s, s->end[e].link);
}

static void take_with_neighbours(scratch *s, int start)
{
  s->stack[s->ntodo++] = (size_t)start;
  while (s->ntodo > 0) {
    const size_t i = s->stack[--s->ntodo];
    if (s->seen[i]) continue;
    s->seen[i] = true;
    take(s, (int)i);
    for (size_t e = s->first[i + 1]; e-- > s->first[i];) {
      int other = free_body(s->model, s->end[e].link, 1 - s->end[e].side);
      if (other >= 0 && !s->seen[other]) s->stack[s->ntodo++] = (size_t)other;
    }
  }
}

static void find_order(scratch *s)
{
  list_ends(s);
  for (int l = 0; l < hn_sweep_links(s->model); l++) {
    if (s->pushed[l] > 0) continue; /* else between fixed bodies */
    finish_link(s, l);
    if (l < s->model->njoint) visit(s, HN_VISIT_RESIDUAL, l);
  }
  for (int i = 0; i < s->model->nbody; i++)
    if (!s->seen[i]) take_with_neighbours(s, i);
}

/* By slots, what was found by bodies and links. */
static void number(scratch *s)
{
  hn_sweep *sweep = s->sweep;
  size_t ends = 0;
  for (size_t slot = 0; slot < s->norder; slot++) {
    const int i = sweep->body[slot];
    sweep->first[slot] = ends;
    for (size_t e = s->first[i]; e < s->first[i + 1]; e++)
      sweep->end[ends++] = (hn_link_end){ s->place[s->end[e].link], s->end[e].side };
  }
  sweep->first[s->norder] = ends;
  for (size_t slot = 0; slot < s->nlinked; slot++) {
    const hn_joint *rows = rows_of(s->model, sweep->link[slot]);
    sweep->bodies[slot][0] = s->slot[rows->a], sweep->bodies[slot][1] = s->slot[rows->b];
  }
}

int hn_sweep_init(hn_sweep *sweep, const hn_model *model, hn_error *error)
{
  const size_t nb = (size_t)model->nbody, nl = (size_t)hn_sweep_links(model);
  *sweep = (hn_sweep){
    .visit = calloc(2 * (nb + nl) + 1, sizeof *sweep->visit),
    .body = calloc(nb, sizeof *sweep->body),
    .link = calloc(nl + 1, sizeof *sweep->link),
    .bodies = calloc(nl + 1, sizeof *sweep->bodies),
    .first = calloc(nb + 1, sizeof *sweep->first),
    .end = calloc(2 * nl + 1, sizeof *sweep->end),
  };
  scratch s = {
    .model = model,
    .sweep = sweep,
    .seen = calloc(nb, sizeof *s.seen),
    .slot = calloc(nb, sizeof *s.slot),
    .place = calloc(nl + 1, sizeof *s.place),
    .first = calloc(nb + 1, sizeof *s.first),
    .end = calloc(2 * nl + 1, sizeof *s.end),
    .stack = calloc(2 * nl + nb, sizeof *s.stack),
    .links = calloc(nb, sizeof *s.links),
    .pushed = calloc(nl + 1, sizeof *s.pushed),
    .advanced = calloc(nl + 1, sizeof *s.advanced),
  };
  bool enough = sweep->visit && sweep->body && sweep->link && sweep->bodies && sweep->first && sweep->end &&
                s.seen && s.slot && s.place && s.first && s.end && s.stack && s.links && s.pushed &&
                s.advanced;
  if (enough) find_order(&s), number(&s);
  free(s.seen), free(s.slot), free(s.place), free(s.first), free(s.end);
  free(s.stack), free(s.links), free(s.pushed), free(s.advanced);
  return enough ? 0 : hn_fail(error, "out of memory");
}
