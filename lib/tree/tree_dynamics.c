/* tree_dynamics.c - accelerations and corrections of a tree with loops
 *
 *   K lambda = -(G a + gamma) - 2 alpha dg/dt - beta^2 g        a: accelerations of the open tree
 *   du = H^-1 (tau - C + G' lambda)
 *
 * The accelerations with multipliers come from a second pass over the tree, so that the wrenches of its
 * edges are those of the closed mechanism. */
#include "tree/tree_loops.h"
#include "base/vec.h"

#include <string.h>

/* Computes the right-hand side for the accelerations of the nodes. */
static void right_hand_side(hn_tree_loops *loops, const hn_state *state, double alpha, double beta)
{
  hn_system *s = loops->tree->system;
  const double damping = 2.0 * alpha, stiffness = beta * beta;
  hn_tree_loops_rates(loops, loops->right);
  for (int i = 0; i < loops->npath; i++) {
    const hn_tree_path *path = &loops->path[i];
    const int row = s->block[path->block].row;
    double *right = loops->right + path->row, g[HN_MAX_ROWS], rate[HN_MAX_ROWS];
    hn_system_block_gamma(s, path->block, state);
    for (int r = 0; r < path->n; r++) right[r] = -right[r] - s->gamma[row + r];
    if (damping == 0.0 && stiffness == 0.0) continue;
    hn_system_block_residual(s, path->block, state, g);
    hn_system_block_rates(s, path->block, state, rate);
    for (int r = 0; r < path->n; r++) right[r] -= damping * rate[r] + stiffness * g[r];
  }
}

hn_reason hn_tree_loops_accelerate(hn_tree_loops *loops, const hn_state *state, const double *wrench,
                                   double alpha, double beta, double *lambda, double *du)
{
  hn_tree *tree = loops->tree;
  const size_t numbers = 6 * (size_t)tree->system->model->nbody;
  hn_reason reason = hn_tree_loops_factor(loops, state);
  if (reason != HN_CONVERGED) return reason;
  hn_tree_accelerate(tree, wrench, NULL, du);
  right_hand_side(loops, state, alpha, beta);
  hn_tree_loops_solve(loops, loops->right);
  if (wrench) memcpy(loops->wrench, wrench, sizeof *wrench * numbers);
  else memset(loops->wrench, 0, sizeof *wrench * numbers);
  hn_tree_loops_add(loops, loops->right, loops->wrench);
  hn_tree_accelerate(tree, loops->wrench, NULL, du);
  for (int i = 0; i < loops->npath; i++) {
    const hn_tree_path *path = &loops->path[i];
    memcpy(lambda + tree->system->block[path->block].row, loops->right + path->row,
           sizeof *lambda * (size_t)path->n);
  }
  return HN_CONVERGED;
}

void hn_tree_loops_correct(hn_tree_loops *loops, double *right, double *du)
{
  hn_tree *tree = loops->tree;
  for (int r = 0; r < loops->nrow; r++) right[r] = -right[r];
  hn_tree_loops_solve(loops, right);
  memset(loops->wrench, 0, sizeof *loops->wrench * 6 * (size_t)tree->system->model->nbody);
  hn_tree_loops_add(loops, right, loops->wrench);
  hn_tree_respond(tree, loops->wrench, NULL, du);
}
