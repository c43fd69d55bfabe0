/* elimination_order.c - the order in which joints are eliminated.
 *
 * Joints are coupled if they share a moving body. If moving bodies and joints form a forest with at most one
 * fixed body for each tree, eliminating joints leaf first creates no fill-in. Otherwise the order is
 * approximate minimum degree (AMD, from SuiteSparse) on the joint graph. */
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

/* Depth-first traversal of the mechanism that lists joints root first. */
typedef struct traversal {
  const hn_system *s;
  incidence of;
  bool *body_visited, *joint_visited;
  int *stack; /* joints to visit */
  int *preorder, count;
  bool forest;
} traversal;

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
    body = a_new ? joint->a : b_new ? joint->b : body;
    w->body_visited[body] = true;
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
    w->joint_visited[j] = w->body_visited[body] = true;
    w->preorder[w->count++] = j;
    visit_from(w, body);
  }
  for (int i = 0; i < w->s->model->nbody && w->forest; i++) {
    if (!moves(w->s, i) || w->body_visited[i]) continue;
    w->body_visited[i] = true;
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

/* Lists the neighbours of joint j in the joint graph, each once; mark[i] == j if i has been listed. OUT may
 * be NULL to count them. */
static int neighbours(const hn_system *s, incidence of, int j, int *mark, int *out)
{
  int count = 0, ends[2] = { s->block[j].a, s->block[j].b };
  mark[j] = j;
  for (int side = 0; side < 2; side++) {
    if (!moves(s, ends[side])) continue;
    for (int k = of.start[ends[side]]; k < of.start[ends[side] + 1]; k++) {
      int i = of.joint[k];
      if (mark[i] == j) continue;
      mark[i] = j;
      if (out) out[count] = i;
      count++;
    }
  }
  return count;
}

/* START[nblock + 1], zeros, and MARK[nblock] are scratch. */
static int minimum_degree(const hn_system *s, incidence of, int *start, int *mark, int *order)
{
  const int n = s->nblock;
  for (int j = 0; j < n; j++) mark[j] = -1;
  for (int j = 0; j < n; j++) start[j + 1] = start[j] + neighbours(s, of, j, mark, NULL);
  int *index = malloc(sizeof(int) * ((size_t)start[n] + 1)), result = AMD_OUT_OF_MEMORY;
  for (int j = 0; j < n; j++) mark[j] = -1;
  for (int j = 0; index && j < n; j++) neighbours(s, of, j, mark, index + start[j]);
  if (index) result = amd_order(n, start, index, order, NULL, NULL);
  free(index);
  return result == AMD_OK || result == AMD_OK_BUT_JUMBLED ? 0 : -1;
}

int hn_order_blocks(const hn_system *s, int *order, hn_error *error)
{
  const size_t nj = (size_t)s->nblock, nb = (size_t)s->model->nbody;
  hn_arrays arrays = { .first = NULL };
  traversal w = { .s = s, .forest = true };
  int *start, *mark;
  int status = hn_arrays_allocate(&arrays, NULL, HN_ARRAY(w.of.start, nb + 2), HN_ARRAY(w.of.joint, 2 * nj),
                                  HN_ARRAY(w.body_visited, nb), HN_ARRAY(w.joint_visited, nj),
                                  HN_ARRAY(w.stack, nj), HN_ARRAY(w.preorder, nj), HN_ARRAY(start, nj + 1),
                                  HN_ARRAY(mark, nj));
  if (status == 0) {
    list_joints(s, &w.of);
    if (!leaf_first(&w, order) && nj > 0) status = minimum_degree(s, w.of, start, mark, order);
  }
  hn_arrays_free(&arrays);
  return status ? hn_fail(error, "out of memory while ordering the joints") : 0;
}
