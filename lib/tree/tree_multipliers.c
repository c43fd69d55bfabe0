/* tree_multipliers.c - joint forces of the edges of a tree, from the wrenches that they transmit
 *
 *   G' lambda = wrench on the child              G: rows of the joint, columns of the child
 *
 * The wrench has no part along the freedoms, so that the equations have one solution; it is that of their
 * normal equations G G' lambda = G wrench, with rows scaled to length 1. An edge with three angular freedoms
 * has rows of the force alone. */
#include "tree/tree_parts.h"
#include "base/small.h"
#include "base/vec.h"

#include <string.h>

/* Solves G' lambda = wrench, G[6 n] by columns. */
static bool solve_rows(int n, const double *G, const double wrench[6], double *lambda)
{
  double K[HN_MAX_ROWS * HN_MAX_ROWS], scale[HN_MAX_ROWS];
  for (int r = 0; r < n; r++) {
    double sum = 0.0;
    for (int c = 0; c < 6; c++) sum += G[c * n + r] * G[c * n + r];
    scale[r] = sum > 0.0 ? 1.0 / sqrt(sum) : 0.0;
  }
  for (int r = 0; r < n; r++) {
    lambda[r] = 0.0;
    for (int c = 0; c < 6; c++) lambda[r] += scale[r] * G[c * n + r] * wrench[c];
    for (int s = 0; s < n; s++) {
      K[r * n + s] = 0.0;
      for (int c = 0; c < 6; c++) K[r * n + s] += scale[r] * G[c * n + r] * scale[s] * G[c * n + s];
    }
  }
  if (!ldl_factor(n, K)) return false;
  ldl_solve(n, K, lambda);
  for (int r = 0; r < n; r++) lambda[r] *= scale[r];
  return true;
}

/* Removes what a particle or a planar body cannot transmit. */
static void mask(const hn_model *model, const hn_tree_node *node, int n, double *G)
{
  const bool rigid = model->body[node->body].kind == HN_RIGID;
  for (int c = 0; c < 6; c++) {
    const bool in_plane = c == 0 || c == 1 || c == 5;
    if ((rigid || c < 3) && (!model->planar || in_plane)) continue;
    memset(G + c * n, 0, sizeof *G * (size_t)n);
  }
}

hn_reason hn_tree_multipliers(const hn_tree *tree, const hn_state *state, double *lambda, int *where)
{
  const hn_model *model = tree->system->model;
  for (int k = 0; k < tree->nnode; k++) {
    const hn_tree_node *node = &tree->node[k];
    const hn_tree_joint *edge = &tree->edge[k];
    if (!edge->joint) continue;
    const hn_joint *joint = edge->joint;
    double wrench[6], G[6 * HN_MAX_ROWS];
    hn_tree_edge_wrench(tree, k, wrench);
    if (node->sphere) {
      vec_scale(lambda + joint->row, edge->reversed ? -1.0 : 1.0, wrench);
      continue;
    }
    const hn_rows out = { .G_a = edge->reversed ? G : NULL, .G_b = edge->reversed ? NULL : G };
    joint->type->eval(joint, state->time, &state->pose[joint->a], &state->twist[joint->a],
                      &state->pose[joint->b], &state->twist[joint->b], &out);
    mask(model, node, joint->type->rows, G);
    *where = node->block;
    if (!solve_rows(joint->type->rows, G, wrench, lambda + joint->row)) return HN_SINGULAR;
  }
  return HN_CONVERGED;
}
