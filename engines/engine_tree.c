/* engine_tree.c - a spanning tree of a model's joints (engine_tree.h).
 *
 * Joints are chosen by uniting the sets of bodies that they connect; then the chosen ones are followed from
 * the roots outwards. */
#include "engines/engine_tree.h"

#include <stdlib.h>

typedef struct growth {
  const engine_scene *scene;
  engine_tree *tree;
  int *set;     /* [nbody] a partition of the bodies by the joints chosen */
  bool *chosen; /* [njoint] */
  bool *there;  /* [nbody] the body is in the tree */
  int *queue;   /* [nbody] */
  int *first;   /* [nbody + 1] of the entries of a body in `at` */
  int *at;      /* [2 njoint] chosen joints by body */
} growth;

static bool is_fixed(const growth *g, int body)
{
  return g->scene->model->body[body].kind == HN_FIXED;
}

static int find(growth *g, int body)
{
  while (g->set[body] != body) body = g->set[body] = g->set[g->set[body]];
  return body;
}

/* Chooses joint J unless it closes a loop. */
static void unite(growth *g, int j)
{
  const int a = find(g, g->scene->joint[j].a), b = find(g, g->scene->joint[j].b);
  if (a == b) return;
  g->set[a > b ? a : b] = a > b ? b : a;
  g->chosen[j] = true;
}

/* Lists the chosen joints of each body, in their order. */
static void list_joints(growth *g)
{
  const engine_scene *scene = g->scene;
  const int n = scene->model->nbody;
  for (int j = 0; j < scene->njoint; j++)
    if (g->chosen[j]) g->first[scene->joint[j].a + 1]++, g->first[scene->joint[j].b + 1]++;
  for (int i = 0; i < n; i++) g->first[i + 1] += g->first[i], g->queue[i] = g->first[i];
  for (int j = 0; j < scene->njoint; j++)
    if (g->chosen[j]) g->at[g->queue[scene->joint[j].a]++] = j, g->at[g->queue[scene->joint[j].b]++] = j;
}

static void add(growth *g, int body, int parent, const engine_joint *joint)
{
  g->tree->link[g->tree->nlink++] = (engine_link){ body, parent, joint };
}

/* Adds what the joints connect to ROOT, outwards. */
static void grow(growth *g, int root)
{
  int count = 0;
  g->queue[count++] = root, g->there[root] = true;
  if (!is_fixed(g, root)) add(g, root, 0, NULL);
  for (int k = 0; k < count; k++)
    for (int i = g->first[g->queue[k]]; i < g->first[g->queue[k] + 1]; i++) {
      const int body = g->queue[k];
      const engine_joint *joint = &g->scene->joint[g->at[i]];
      const int next = joint->a == body ? joint->b : joint->a;
      if (g->there[next] || is_fixed(g, next)) continue;
      g->there[next] = true, g->queue[count++] = next;
      add(g, next, is_fixed(g, body) ? 0 : body, joint);
    }
}

static void choose(growth *g, int ranks, engine_rank *rank)
{
  const engine_scene *scene = g->scene;
  for (int i = 0; i < scene->model->nbody; i++) g->set[i] = is_fixed(g, i) ? 0 : i;
  for (int r = 0; r < ranks; r++)
    for (int j = 0; j < scene->njoint; j++)
      if (rank(scene->model, &scene->joint[j]) == r) unite(g, j);
  list_joints(g);
}

int engine_tree_grow(engine_tree *tree, const engine_scene *scene, int ranks, engine_rank *rank)
{
  const size_t n = (size_t)scene->model->nbody, m = (size_t)scene->njoint;
  growth g = { .scene = scene, .tree = tree };
  *tree = (engine_tree){ .link = calloc(n, sizeof *tree->link),
                         .closing = calloc(m + 1, sizeof *tree->closing) };
  g.set = calloc(n, sizeof *g.set), g.queue = calloc(n, sizeof *g.queue),
  g.there = calloc(n, sizeof *g.there);
  g.first = calloc(n + 1, sizeof *g.first), g.at = calloc(2 * m + 1, sizeof *g.at);
  g.chosen = calloc(m + 1, sizeof *g.chosen);
  const bool good = tree->link && tree->closing && g.set && g.queue && g.there && g.first && g.at && g.chosen;
  if (good) {
    choose(&g, ranks, rank);
    for (int i = 0; i < (int)n; i++)
      if (!g.there[i] && (is_fixed(&g, i) || find(&g, i) != 0)) grow(&g, i);
    for (int j = 0; j < scene->njoint; j++)
      if (!g.chosen[j] && !(is_fixed(&g, scene->joint[j].a) && is_fixed(&g, scene->joint[j].b)))
        tree->closing[tree->nclosing++] = &scene->joint[j];
  }
  free(g.set), free(g.queue), free(g.there), free(g.first), free(g.at), free(g.chosen);
  return good ? 0 : -1;
}

void engine_tree_free(engine_tree *tree)
{
  free(tree->link), free((void *)tree->closing);
}
