/* elimination_order.c - the order in which joints and hubs are eliminated.
 *
 * Joints are coupled if they share a moving body that is no hub; a hub is coupled with its joints. If moving
 * bodies and joints form a forest with at most one fixed body for each tree, eliminating joints leaf first
 * creates no fill-in; a hub comes before the joint that leads to it from the root. Otherwise the order is
 * approximate minimum degree (AMD, from SuiteSparse) on the graph of joints and hubs.
 *
 * A joint before its hub sees the hub as fixed. It therefore needs another moving body: a joint that moves
 * hubs only comes after one of them. */
#include "base/array.h"
#include "linear/matrix.h"

#include <stdlib.h>
#include <string.h>
#include <suitesparse/amd.h>

/* Joints of every body: joint[start[i]] to joint[start[i + 1] - 1]. */
typedef struct incidence {
  int *start, *joint;
} incidence;

static bool moves(const hn_system *s, int body)
{
  return s->model->body[body].kind != HN_FIXED;
}

static void list_joints(const hn_system *s, incidence *of)
{
  int *fill = of->start + 1; /* counts, then next free positions; in the end starts shifted by one */
  for (int j = 0; j < s->nblock; j++) fill[s->block[j].a + 1]++, fill[s->block[j].b + 1]++;
  for (int i = 0; i < s->model->nbody; i++) fill[i + 1] += fill[i];
  for (int j = 0; j < s->nblock; j++) {
    of->joint[fill[s->block[j].a]++] = j;
    of->joint[fill[s->block[j].b]++] = j;
  }
}

/* Returns the hub of a body as an entry of the order; -1 if it is none. */
static int hub_of(const hn_system *s, const hn_hubs *hubs, int body)
{
  return hubs && hubs->count > 0 && hubs->number[body] >= 0 ? s->nblock + hubs->number[body] : -1;
}

/* Depth-first traversal of the mechanism that lists joints root first. */
typedef struct traversal {
  const hn_system *s;
  const hn_hubs *hubs;
  incidence of;
  bool *body_visited, *joint_visited;
  int *stack; /* joints to visit */
  int *preorder, count;
  bool forest;
} traversal;

/* Marks BODY as visited and lists it if it is a hub. */
static void enter_body(traversal *w, int body)
{
  const int hub = hub_of(w->s, w->hubs, body);
  w->body_visited[body] = true;
  if (hub >= 0) w->preorder[w->count++] = hub;
}

/* Lists the joints reached from BODY over moving bodies. A joint that closes a loop, or leads to a second
 * fixed body, shows that the mechanism is no forest. */
static void visit_from(traversal *w, int body)
{
  int depth = 0;
  for (;;) {
    for (int k = w->of.start[body]; k < w->of.start[body + 1]; k++) {
      int j = w->of.joint[k];
      if (!w->joint_visited[j]) w->joint_visited[j] = true, w->stack[depth++] = j;
    }
    if (depth == 0) return;
    int j = w->stack[--depth];
    const hn_block *joint = &w->s->block[j];
    w->preorder[w->count++] = j;
    int a_new = moves(w->s, joint->a) && !w->body_visited[joint->a];
    int b_new = moves(w->s, joint->b) && !w->body_visited[joint->b];
    if (!a_new && !b_new) w->forest = false;
    if (!a_new && !b_new) continue;
    body = a_new ? joint->a : joint->b;
    enter_body(w, body);
  }
}

/* Visits trees that start at a fixed body first, then floating trees. */
static void traverse(traversal *w)
{
  for (int j = 0; j < w->s->nblock && w->forest; j++) {
    const hn_block *joint = &w->s->block[j];
    bool is_root = !moves(w->s, joint->a) || !moves(w->s, joint->b);
    int body = moves(w->s, joint->a) ? joint->a : joint->b;
    if (!is_root || w->joint_visited[j]) continue;
    w->joint_visited[j] = true;
    w->preorder[w->count++] = j;
    enter_body(w, body);
    visit_from(w, body);
  }
  for (int i = 0; i < w->s->model->nbody && w->forest; i++) {
    if (!moves(w->s, i) || w->body_visited[i]) continue;
    enter_body(w, i);
    visit_from(w, i);
  }
}

/* True if the mechanism is a forest; then ORDER is leaf first. */
static bool leaf_first(traversal *w, int *order)
{
  traverse(w);
  for (int k = 0; w->forest && k < w->count; k++) order[k] = w->preorder[w->count - 1 - k];
  return w->forest;
}

/* The graph of joints and hubs, and scratch. */
typedef struct graph {
  const hn_system *s;
  const hn_hubs *hubs;
  incidence of;
  int *start;     /* [nodes + 1], zeros */
  int *mark;      /* [nodes] */
  bool *deferred; /* [nblock] */
  int *initial;   /* [nodes] the order before joints are deferred */
} graph;

/* Adds NODE to the neighbours of node j unless it is listed. */
static void add_neighbour(graph *g, int j, int node, int *out, int *count)
{
  if (g->mark[node] == j) return;
  g->mark[node] = j;
  if (out) out[*count] = node;
  ++*count;
}

static void add_joints(graph *g, int j, int body, int *out, int *count)
{
  for (int k = g->of.start[body]; k < g->of.start[body + 1]; k++)
    add_neighbour(g, j, g->of.joint[k], out, count);
}

/* Lists the neighbours of node j, each once; mark[i] == j if i has been listed. OUT may be NULL to count
 * them. */
static int neighbours(graph *g, int j, int *out)
{
  const hn_system *s = g->s;
  int count = 0;
  g->mark[j] = j;
  if (j >= s->nblock) {
    add_joints(g, j, g->hubs->body[j - s->nblock], out, &count);
    return count;
  }
  const int ends[2] = { s->block[j].a, s->block[j].b };
  for (int side = 0; side < 2; side++) {
    const int hub = hub_of(s, g->hubs, ends[side]);
    if (hub >= 0) add_neighbour(g, j, hub, out, &count);
    else if (moves(s, ends[side])) add_joints(g, j, ends[side], out, &count);
  }
  return count;
}

static int minimum_degree(graph *g, int nodes, int *order)
{
  int *start = g->start;
  for (int j = 0; j < nodes; j++) g->mark[j] = -1;
  for (int j = 0; j < nodes; j++) start[j + 1] = start[j] + neighbours(g, j, NULL);
  int *index = malloc(sizeof(int) * ((size_t)start[nodes] + 1)), result = AMD_OUT_OF_MEMORY;
  for (int j = 0; j < nodes; j++) g->mark[j] = -1;
  for (int j = 0; index && j < nodes; j++) neighbours(g, j, index + start[j]);
  if (index) result = amd_order(nodes, start, index, order, NULL, NULL);
  free(index);
  return result == AMD_OK || result == AMD_OK_BUT_JUMBLED ? 0 : -1;
}

/* True if the joint moves hubs, and no other body. */
static bool moves_only_hubs(const graph *g, const hn_block *joint)
{
  const int a = hub_of(g->s, g->hubs, joint->a), b = hub_of(g->s, g->hubs, joint->b);
  return (a >= 0 || b >= 0) && (a >= 0 || !moves(g->s, joint->a)) && (b >= 0 || !moves(g->s, joint->b));
}

/* Moves joints that move hubs only behind the first of their hubs. */
static void defer_joints(graph *g, int nodes, int *order)
{
  const hn_system *s = g->s;
  int count = 0;
  memcpy(g->initial, order, sizeof *order * (size_t)nodes);
  for (int j = 0; j < s->nblock; j++) g->deferred[j] = moves_only_hubs(g, &s->block[j]);
  for (int k = 0; k < nodes; k++) {
    const int node = g->initial[k];
    if (node < s->nblock && g->deferred[node]) g->mark[node] = -2; /* waits for its hub */
    else order[count++] = node;
    if (node < s->nblock) continue;
    const int body = g->hubs->body[node - s->nblock];
    for (int i = g->of.start[body]; i < g->of.start[body + 1]; i++) {
      const int j = g->of.joint[i];
      if (g->deferred[j] && g->mark[j] == -2) order[count++] = j;
      g->deferred[j] = false;
    }
  }
}

int hn_order_blocks(const hn_system *s, const hn_hubs *hubs, int *order, hn_error *error)
{
  const size_t nj = (size_t)s->nblock, nb = (size_t)s->model->nbody,
               nodes = nj + (hubs ? (size_t)hubs->count : 0);
  hn_arrays arrays = { .first = NULL };
  traversal w = { .s = s, .hubs = hubs, .forest = true };
  graph g = { .s = s, .hubs = hubs };
  int status = hn_arrays_allocate(&arrays, NULL, HN_ARRAY(w.of.start, nb + 2), HN_ARRAY(w.of.joint, 2 * nj),
                                  HN_ARRAY(w.body_visited, nb), HN_ARRAY(w.joint_visited, nj),
                                  HN_ARRAY(w.stack, nj), HN_ARRAY(w.preorder, nodes),
                                  HN_ARRAY(g.start, nodes + 1), HN_ARRAY(g.mark, nodes),
                                  HN_ARRAY(g.deferred, nj), HN_ARRAY(g.initial, nodes));
  if (status == 0) {
    list_joints(s, &w.of);
    g.of = w.of;
    if (!leaf_first(&w, order) && nj > 0) {
      status = minimum_degree(&g, (int)nodes, order);
      if (status == 0 && nodes > nj) defer_joints(&g, (int)nodes, order);
    }
  }
  hn_arrays_free(&arrays);
  return status ? hn_fail(error, "out of memory while ordering the joints") : 0;
}
