/* unknown_order.c - the order in which the unknowns of bodies and joints are eliminated (saddle.h).
 *
 * Approximate minimum degree (AMD, from SuiteSparse) on the graph of bodies and joints, whose edges are the
 * bodies of joints and the pairs that forces couple. The diagonal of a joint is zero before its bodies: the
 * joint waits until the bodies before it have as many freedoms, beyond those that other joints have taken, as
 * it has rows. Trees then have no fill-in but within bodies and joints. */
#include "implicit/unknown_order.h"

#include <stdlib.h>
#include <string.h>
#include <suitesparse/amd.h>

/* Nodes for the fixed bodies, coupled with each other: AMD then leaves a joint to ground until its body is
 * gone, as the nodes of a tree have at most two neighbours. */
enum { GROUND = 3 };

typedef struct ordering {
  const hn_system *s;
  const hn_tangent *t;
  int nodes; /* bodies, then joints */
  int
    *freedoms; /* [nbody] of a body that is in the order and not taken by joints; -1: not yet in the order */
  bool *waits; /* [nblock] AMD's place of the joint has passed */
  int *of,
    *end; /* [2 nblock] joints by body; [nbody + 1] where those of a body end: of the one before, begin */
  int *order, count;
} ordering;

static int total_freedoms(const hn_tangent *t, int body)
{
  int count = 0;
  for (int c = 0; c < 6; c++) count += t->freedom[6 * body + c] ? 1 : 0;
  return count;
}

static int available(const ordering *o, int body)
{
  return o->freedoms[body] > 0 ? o->freedoms[body] : 0;
}

static void take(ordering *o, int body, int *rows)
{
  const int taken = available(o, body) < *rows ? available(o, body) : *rows;
  if (taken > 0) o->freedoms[body] -= taken, *rows -= taken;
}

/* Appends joint J if the bodies before it suffice. */
static void try_joint(ordering *o, int j)
{
  const hn_block *block = &o->s->block[j];
  int rows = block->n;
  const int a = available(o, block->a), b = block->b == block->a ? 0 : available(o, block->b);
  o->waits[j] = a + b < rows;
  if (o->waits[j]) return;
  take(o, a >= b ? block->a : block->b, &rows);
  take(o, a >= b ? block->b : block->a, &rows);
  o->order[o->count++] = o->s->model->nbody + j;
}

static void append(ordering *o, int node)
{
  const int nbody = o->s->model->nbody;
  if (node >= nbody) {
    try_joint(o, node - nbody);
    return;
  }
  o->order[o->count++] = node;
  o->freedoms[node] = total_freedoms(o->t, node);
  for (int k = node > 0 ? o->end[node - 1] : 0; k < o->end[node]; k++)
    if (o->waits[o->of[k]]) try_joint(o, o->of[k]);
}

/* Lists the joints of every body, in ascending order. */
static void list_joints(const ordering *o)
{
  for (int pass = 0; pass < 2; pass++) {
    for (int j = 0; j < o->s->nblock; j++)
      for (int side = 0; side < 2; side++) {
        const int body = side ? o->s->block[j].b : o->s->block[j].a;
        if (pass == 0) o->end[body + 1]++;
        else o->of[o->end[body]++] = j;
      }
    for (int i = 0; pass == 0 && i < o->s->model->nbody; i++) o->end[i + 1] += o->end[i];
  }
}

/* Lists the neighbours of every node, each edge once or twice; returns their number. INDEX may be NULL. */
static int list_edges(const ordering *o, int *start, int *index)
{
  const hn_tangent *t = o->t;
  const int nbody = o->s->model->nbody;
  int count = 0;
  for (int node = 0; node < o->nodes + GROUND; node++) {
    const int j = node - nbody;
    start[node] = count;
    for (int pair = j < 0 ? t->first[node] : 0; j < 0 && pair < t->first[node + 1]; pair++, count++)
      if (index) index[count] = t->other[pair];
    for (int side = 0; j >= 0 && node < o->nodes && side < 2; side++) {
      const int body = side ? o->s->block[j].b : o->s->block[j].a;
      const bool fixed = total_freedoms(t, body) == 0;
      for (int k = 0; k < (fixed ? GROUND : 1); k++, count++)
        if (index) index[count] = fixed ? o->nodes + k : body;
    }
    for (int other = o->nodes; other < node; other++, count++)
      if (index) index[count] = other;
  }
  return start[o->nodes + GROUND] = count;
}

/* Computes AMD's order. Returns -1 if there is no memory. */
static int minimum_degree(const ordering *o, int *amd)
{
  int *start = malloc(sizeof *start * ((size_t)o->nodes + GROUND + 1)), result = AMD_OUT_OF_MEMORY;
  int *index = start ? malloc(sizeof *index * ((size_t)list_edges(o, start, NULL) + 1)) : NULL;
  if (index)
    list_edges(o, start, index), result = amd_order(o->nodes + GROUND, start, index, amd, NULL, NULL);
  free(index), free(start);
  return result == AMD_OK || result == AMD_OK_BUT_JUMBLED ? 0 : -1;
}

int hn_unknown_order(const hn_system *s, const hn_tangent *t, int *order, hn_error *error)
{
  const int nbody = s->model->nbody, nodes = nbody + s->nblock;
  ordering o = { .s = s, .t = t, .nodes = nodes, .order = order };
  int *amd = malloc(sizeof *amd * ((size_t)nodes + GROUND));
  o.freedoms = malloc(sizeof *o.freedoms * ((size_t)nbody + 1));
  o.waits = calloc((size_t)s->nblock + 1, sizeof *o.waits);
  o.of = malloc(sizeof *o.of * (2 * (size_t)s->nblock + 1));
  o.end = calloc((size_t)nbody + 1, sizeof *o.end);
  const int status = amd && o.freedoms && o.waits && o.of && o.end ? minimum_degree(&o, amd) : -1;
  if (status == 0) list_joints(&o);
  for (int i = 0; o.freedoms && i < nbody; i++) o.freedoms[i] = -1;
  for (int k = 0; status == 0 && k < nodes + GROUND; k++)
    if (amd[k] < nodes) append(&o, amd[k]);
  for (int j = 0; status == 0 && j < s->nblock; j++) /* redundant joints */
    if (o.waits[j]) order[o.count++] = nbody + j;
  free(amd), free(o.freedoms), free(o.waits), free(o.of), free(o.end);
  return status == 0 ? 0 : hn_fail(error, "out of memory");
}
