/* spanning_tree.c - the edges of the tree: a spanning tree of the graph of bodies and joints.
 *
 * Fixed bodies are one vertex, the root. Every joint with an explicit parametrisation can be an edge. The
 * tree is one of largest weight, the number of rows: each row of an edge is removed from the equations of
 * the loops. Few rows are left, and they are those of joints of many freedoms. Among joints of equal weight
 * the first in the scene is chosen [Kruskal 1956]. The other joints are cut: their rows are equations on the
 * reduced coordinates. In every component without a fixed body, its first body is free: six coordinates.
 *
 * Nodes are numbered depth first, so that neighbours in the tree are neighbours in memory. */
#include "tree/tree_parts.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

/* Work memory of the choice. */
typedef struct span {
  int *set;          /* [nbody] union-find: the parent; roots are their own */
  int *order;        /* [njoint] candidates by weight */
  bool *is_edge;     /* [njoint] */
  int *first, *next; /* [nbody], [2 njoint] edges of each body: list of half edges 2 j + side, -1 ends it */
  int *stack;        /* [nbody] */
  hn_arrays arrays;
} span;

static int root_of(int *set, int i)
{
  while (set[i] != i) i = set[i] = set[set[i]];
  return i;
}

/* Returns the vertex of a body: all fixed bodies are vertex 0. */
static int vertex_of(const hn_model *model, int body)
{
  return model->body[body].kind == HN_FIXED ? 0 : body;
}

/* Lists the joints that can be edges, those with more rows first. */
static int list_candidates(const hn_model *model, int *order)
{
  int count = 0;
  hn_tree_joint edge;
  for (int rows = HN_MAX_ROWS; rows >= 1; rows--)
    for (int j = 0; j < model->njoint; j++)
      if (model->joint[j].type->rows == rows && hn_tree_joint_set(&edge, model, &model->joint[j], false))
        order[count++] = j;
  return count;
}

/* Marks the joints that are edges. */
static void choose_edges(const hn_model *model, span *s)
{
  const int count = list_candidates(model, s->order);
  for (int i = 0; i < model->nbody; i++) s->set[i] = i;
  for (int k = 0; k < count; k++) {
    const hn_joint *joint = &model->joint[s->order[k]];
    int a = root_of(s->set, vertex_of(model, joint->a)), b = root_of(s->set, vertex_of(model, joint->b));
    if (a == b) continue;
    s->set[a > b ? a : b] = a > b ? b : a;
    s->is_edge[s->order[k]] = true;
  }
}

/* Lists the edges of each vertex, the first in the scene at the head of its list. */
static void list_edges(const hn_model *model, span *s)
{
  for (int i = 0; i < model->nbody; i++) s->first[i] = -1;
  for (int j = model->njoint - 1; j >= 0; j--)
    for (int side = 0; side < 2 && s->is_edge[j]; side++) {
      int *first = &s->first[vertex_of(model, side ? model->joint[j].b : model->joint[j].a)];
      s->next[2 * j + side] = *first, *first = 2 * j + side;
    }
}

/* Appends a node for BODY; JOINT -1: it is free. PARENT is the body it hangs on. */
static void add_node(hn_tree *tree, int body, int joint, int parent)
{
  const hn_model *model = tree->system->model;
  const hn_body *of = &model->body[body];
  hn_tree_node *node = &tree->node[tree->nnode];
  hn_tree_joint *edge = &tree->edge[tree->nnode];
  if (joint < 0) hn_tree_joint_set_free(edge, model, body);
  else hn_tree_joint_set(edge, model, &model->joint[joint], model->joint[joint].a == body);
  *node = (hn_tree_node){ .body = body,
                          .parent = tree->node_of[parent],
                          .fixed = joint < 0 ? 0 : parent,
                          .coordinate = tree->ncoordinate,
                          .free = tree->nfree,
                          .block = joint,
                          .sphere = edge->turning == HN_TURNS_SPHERE && edge->nslide == 0,
                          .mass = of->mass };
  vec_copy(node->J, of->J), vec_copy(node->gravity, of->gravity);
  tree->ncoordinate += edge->ncoordinate, tree->nfree += edge->nfree;
  tree->node_of[body] = tree->nnode++;
}

/* Adds the nodes that hang on VERTEX, depth first. */
static void add_subtree(hn_tree *tree, span *s, int vertex)
{
  const hn_model *model = tree->system->model;
  int depth = 0;
  s->stack[depth++] = vertex;
  while (depth > 0) {
    int *at = &s->first[s->stack[depth - 1]];
    if (*at < 0) {
      depth--;
      continue;
    }
    const hn_joint *joint = &model->joint[*at / 2];
    const int child = *at % 2 ? joint->a : joint->b, parent = *at % 2 ? joint->b : joint->a;
    const int j = *at / 2;
    *at = s->next[*at];
    if (model->body[child].kind == HN_FIXED || tree->node_of[child] >= 0) continue;
    add_node(tree, child, j, parent);
    s->stack[depth++] = child;
  }
}

/* Lists the equations that are no edges. */
static void list_cut(hn_tree *tree, const span *s)
{
  for (int j = 0; j < tree->system->model->njoint; j++)
    if (!s->is_edge[j]) tree->cut[tree->ncut++] = j;
}

static void build(hn_tree *tree, span *s)
{
  const hn_model *model = tree->system->model;
  choose_edges(model, s);
  list_edges(model, s);
  for (int i = 0; i < model->nbody; i++) tree->node_of[i] = -1;
  add_subtree(tree, s, 0);
  for (int i = 0; i < model->nbody; i++) {
    if (model->body[i].kind == HN_FIXED || tree->node_of[i] >= 0) continue;
    add_node(tree, i, -1, 0);
    add_subtree(tree, s, i);
  }
  list_cut(tree, s);
}

int hn_tree_span(hn_tree *tree, hn_error *error)
{
  const hn_model *model = tree->system->model;
  const size_t bodies = (size_t)model->nbody, joints = (size_t)model->njoint;
  span s = { .set = NULL };
  int failed = hn_arrays_allocate(&s.arrays, error, HN_ARRAY(s.set, bodies), HN_ARRAY(s.order, joints),
                                  HN_ARRAY(s.is_edge, joints), HN_ARRAY(s.first, bodies),
                                  HN_ARRAY(s.next, 2 * joints), HN_ARRAY(s.stack, bodies + 1));
  if (!failed) build(tree, &s);
  hn_arrays_free(&s.arrays);
  return failed;
}
