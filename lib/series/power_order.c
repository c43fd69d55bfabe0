/* power_order.c - the order in which one power of a motion is computed.
 *
 * Visiting all bodies, then all joints and so on would load all data into the caches once for each kind of
 * visit. Here bodies are visited depth first along their links, each followed by all visits that have become
 * possible: in a large tree only one path is unfinished at a time. The order does not affect results: a body
 * sums the forces of its links in a fixed order of their own. */
#include "series/power_order.h"

#include <stdbool.h>

/* Data needed only while the order is found. */
typedef struct scratch {
  const hn_model *model;
  hn_power_order *order;
  size_t norder, nlinked, ntodo;
  int *body_slot; /* [nbody] slots of the bodies */
  int *link_slot; /* [nlink] slots of the links */
  size_t *first;  /* [nbody + 1] by body, as in hn_power_order */
  hn_link_end *end;
  bool *visited;   /* [nbody] the body is already visited */
  size_t *stack;   /* bodies to be visited, possibly twice */
  int *open_links; /* [nbody] unfinished links of the body */
  int *unpushed;   /* [nlink] free bodies without their push visit */
  int *unadvanced; /* [nlink] free bodies that have not advanced */
} scratch;

int hn_power_order_links(const hn_model *model)
{
  return model->njoint + model->nforce + (model->more ? model->more->nrow_force : 0);
}

static const hn_joint *rows_of(const hn_model *model, int link)
{
  const int force = link - model->njoint, row_force = force - model->nforce;
  return force < 0       ? &model->joint[link]
         : row_force < 0 ? &model->force[force].rows
                         : model->more->given[row_force].joint;
}

/* Returns the body at one side of a link; -1 if it is fixed. */
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
  for (int l = 0; l < hn_power_order_links(model); l++)
    for (int side = 0; side < 2; side++) {
      int i = free_body(model, l, side);
      if (i >= 0) first[i + 1]++, s->open_links[i]++, s->unpushed[l]++, s->unadvanced[l]++;
    }
  for (int i = 0; i < model->nbody; i++) first[i + 1] += first[i];
  const size_t count = first[model->nbody];
  /* fill from the back: an entry is stored before the previous one */
  for (int l = hn_power_order_links(model); l-- > 0;)
    for (int side = 2; side-- > 0;) {
      int i = free_body(model, l, side);
      if (i >= 0) s->end[--first[i + 1]] = (hn_link_end){ l, side };
    }
  /* first[i + 1] is now the start of body i: shift by one. */
  for (int i = 0; i < model->nbody; i++) first[i] = first[i + 1];
  first[model->nbody] = count;
}

static void visit(scratch *s, hn_visit_kind kind, int index)
{
  const bool of_body = kind == HN_VISIT_PUSH || kind == HN_VISIT_ADVANCE;
  s->order->visit[s->order->nvisit++] = (hn_visit){ kind,
                                                    of_body ? s->body_slot[index] : s->link_slot[index] };
}

static void advance(scratch *s, int i)
{
  visit(s, HN_VISIT_ADVANCE, i);
  for (size_t e = s->first[i]; e < s->first[i + 1]; e++) {
    const int l = s->end[e].link;
    if (--s->unadvanced[l] == 0 && l < s->model->njoint) visit(s, HN_VISIT_RESIDUAL, l);
  }
}

static void finish_link(scratch *s, int l)
{
  s->link_slot[l] = (int)s->nlinked;
  s->order->link[s->nlinked++] = l;
  visit(s, HN_VISIT_LINK, l);
  for (int side = 0; side < 2; side++) {
    int i = free_body(s->model, l, side);
    if (i >= 0 && --s->open_links[i] == 0) advance(s, i);
  }
}

/* Visits a body, then everything that has become possible. */
static void visit_body(scratch *s, int i)
{
  s->body_slot[i] = (int)s->norder;
  s->order->body[s->norder++] = i;
  if (s->model->body[i].kind == HN_FIXED) return;
  visit(s, HN_VISIT_PUSH, i);
  if (s->open_links[i] == 0) advance(s, i);
  for (size_t e = s->first[i]; e < s->first[i + 1]; e++)
    if (--s->unpushed[s->end[e].link] == 0) finish_link(s, s->end[e].link);
}

static void visit_component(scratch *s, int start)
{
  s->stack[s->ntodo++] = (size_t)start;
  while (s->ntodo > 0) {
    const size_t i = s->stack[--s->ntodo];
    if (s->visited[i]) continue;
    s->visited[i] = true;
    visit_body(s, (int)i);
    for (size_t e = s->first[i + 1]; e-- > s->first[i];) {
      int other = free_body(s->model, s->end[e].link, 1 - s->end[e].side);
      if (other >= 0 && !s->visited[other]) s->stack[s->ntodo++] = (size_t)other;
    }
  }
}

/* Every link has a free body: joints and forces between two fixed bodies are refused. */
static void find_order(scratch *s)
{
  list_ends(s);
  for (int i = 0; i < s->model->nbody; i++)
    if (!s->visited[i]) visit_component(s, i);
}

/* Renumbers links and bodies by slots. */
static void number_by_slots(scratch *s)
{
  hn_power_order *order = s->order;
  size_t ends = 0;
  for (size_t slot = 0; slot < s->norder; slot++) {
    const int i = order->body[slot];
    order->first[slot] = ends;
    for (size_t e = s->first[i]; e < s->first[i + 1]; e++)
      order->end[ends++] = (hn_link_end){ s->link_slot[s->end[e].link], s->end[e].side };
  }
  order->first[s->norder] = ends;
  for (size_t slot = 0; slot < s->nlinked; slot++) {
    const hn_joint *rows = rows_of(s->model, order->link[slot]);
    order->bodies[slot][0] = s->body_slot[rows->a], order->bodies[slot][1] = s->body_slot[rows->b];
  }
}

int hn_power_order_init(hn_power_order *order, const hn_model *model, hn_arrays *arrays, hn_error *error)
{
  const size_t nb = (size_t)model->nbody, nl = (size_t)hn_power_order_links(model);
  scratch s = { .model = model, .order = order };
  hn_arrays of_scratch = { .first = NULL };
  int status = hn_arrays_allocate(arrays, error, HN_ARRAY(order->visit, 2 * (nb + nl)),
                                  HN_ARRAY(order->body, nb), HN_ARRAY(order->link, nl),
                                  HN_ARRAY(order->bodies, nl), HN_ARRAY(order->first, nb + 1),
                                  HN_ARRAY(order->end, 2 * nl));
  if (status == 0)
    status = hn_arrays_allocate(&of_scratch, error, HN_ARRAY(s.visited, nb), HN_ARRAY(s.body_slot, nb),
                                HN_ARRAY(s.link_slot, nl), HN_ARRAY(s.first, nb + 1), HN_ARRAY(s.end, 2 * nl),
                                HN_ARRAY(s.stack, 2 * nl + nb), HN_ARRAY(s.open_links, nb),
                                HN_ARRAY(s.unpushed, nl), HN_ARRAY(s.unadvanced, nl));
  if (status == 0) find_order(&s), number_by_slots(&s);
  hn_arrays_free(&of_scratch);
  return status;
}
