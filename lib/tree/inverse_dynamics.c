/* inverse_dynamics.c - the forces that a motion needs, and the joint-space mass matrix
 *
 *   tau = H(q) du + C(q, u) - S' F     recursive Newton-Euler: accelerations outwards, wrenches inwards
 *   H_ij = S_i' I_c S_j                I_c: composite inertia of the subtree of the outer of the two
 *
 * [featherstone2008, chapters 5 and 6] */
#include "tree/spatial.h"
#include "base/small.h"

/* Computes the accelerations of the nodes from DU. */
static void accelerate(hn_tree *tree, const double *du)
{
  static const hn_twist none = { { 0 }, { 0 } };
  for (int k = 0; k < tree->nnode; k++) {
    hn_tree_node *node = &tree->node[k];
    const hn_twist *parent = node->parent >= 0 ? &tree->node[node->parent].acceleration : &none;
    hn_twist *a = &node->acceleration;
    double turn[3];
    vec_cross(turn, parent->w, node->motion.lever_parent);
    for (int i = 0; i < 3; i++) a->v[i] = parent->v[i] + turn[i] + node->bias.v[i];
    vec_add(a->w, parent->w, node->bias.w);
    for (int i = 0; i < tree->edge[k].nfree; i++) {
      vec_add_scaled(a->v, du[node->free + i], node->motion.S[i]);
      vec_add_scaled(a->w, du[node->free + i], node->motion.S[i] + 3);
    }
    vec_cross(turn, a->w, node->motion.lever_child);
    vec_sub(a->v, a->v, turn);
  }
}

/* Adds the wrench P at the joint point of NODE to that of its parent. */
static void pass_to_parent(const hn_tree_node *node, const double p[6], double *to)
{
  double turn[3];

  vec_cross(turn, node->motion.lever_parent, p);
  vec_add(to, to, p), vec_add(to + 3, to + 3, p + 3);
  vec_add(to + 3, to + 3, turn);
}

/* Passes the wrenches of the nodes inwards; computes their parts along the freedoms. */
static void pass_inwards(hn_tree *tree, double *tau)
{
  for (int k = tree->nnode - 1; k >= 0; k--) {
    hn_tree_node *node = &tree->node[k];
    spatial_shift_wrench(node->p, node->motion.lever_child);
    for (int i = 0; i < tree->edge[k].nfree; i++)
      tau[node->free + i] = long_dot(node->motion.S[i], node->p, 6);
    if (node->parent >= 0) pass_to_parent(node, node->p, tree->node[node->parent].p);
  }
}

void hn_tree_project(hn_tree *tree, const double *wrench, double *tau)
{
  for (int k = 0; k < tree->nnode; k++)
    memcpy(tree->node[k].p, wrench + 6 * tree->node[k].body, sizeof tree->node[k].p);
  pass_inwards(tree, tau);
}

/* Computes the wrenches that the accelerations of the nodes need, and their parts along the freedoms. */
static void sum_wrenches(hn_tree *tree, const double *wrench, double *tau)
{
  for (int k = 0; k < tree->nnode; k++) {
    hn_tree_node *node = &tree->node[k];
    hn_tree_inertia body;
    double inertial[6];
    spatial_body(node, &body);
    spatial_bias(node, wrench, node->p);
    spatial_multiply(&body, (const double *)&node->acceleration, inertial);
    for (int c = 0; c < 6; c++) node->p[c] += inertial[c];
  }
  pass_inwards(tree, tau);
}

/* Sets STATE from the coordinates; returns the forces of the model there, NULL if it has none. */
static const double *forces_at(hn_tree *tree, const double *q, const double *u, hn_state *state)
{
  hn_tree_state(tree, q, u, state);
  if (!hn_model_has_forces(tree->system->model)) return NULL;
  hn_system_forces(tree->system, state, tree->wrench);
  return tree->wrench;
}

void hn_inverse_dynamics(hn_tree *tree, hn_state *state, const double *q, const double *u, const double *du,
                         double *tau)
{
  const double *wrench = forces_at(tree, q, u, state);
  accelerate(tree, du);
  sum_wrenches(tree, wrench, tau);
}

hn_reason hn_forward_dynamics(hn_tree *tree, hn_state *state, const double *q, const double *u,
                              const double *tau, double *du)
{
  int where;
  const double *wrench = forces_at(tree, q, u, state);
  hn_reason reason = hn_tree_factor(tree, &where);
  if (reason == HN_CONVERGED) hn_tree_accelerate(tree, wrench, tau, du);
  return reason;
}

/* Computes the column of freedom I of node K: its force, carried to the ancestors. */
static void mass_column(const hn_tree *tree, int k, int i, double *H)
{
  const int column = tree->node[k].free + i;
  double p[6], turn[3];
  spatial_multiply(&tree->node[k].inertia, tree->node[k].motion.S[i], p);
  for (int j = k;;) {
    const hn_tree_node *node = &tree->node[j];
    for (int f = 0; f < tree->edge[j].nfree; f++) {
      const int row = node->free + f;
      H[row * tree->nfree + column] = H[column * tree->nfree + row] = long_dot(node->motion.S[f], p, 6);
    }
    if (node->parent < 0) return;
    vec_cross(turn, node->motion.lever_parent, p);
    vec_add(p + 3, p + 3, turn);
    j = node->parent;
    spatial_shift_wrench(p, tree->node[j].motion.lever_child);
  }
}

void hn_joint_space_mass_matrix(hn_tree *tree, const hn_state *state, const double *q, double *H)
{
  hn_tree_place(tree, q, NULL, state);
  memset(H, 0, sizeof *H * (size_t)tree->nfree * (size_t)tree->nfree);
  for (int k = 0; k < tree->nnode; k++) spatial_body(&tree->node[k], &tree->node[k].inertia);
  for (int k = tree->nnode - 1; k >= 0; k--) {
    hn_tree_node *node = &tree->node[k];
    spatial_shift(&node->inertia, node->motion.lever_child);
    for (int i = 0; i < tree->edge[k].nfree; i++) mass_column(tree, k, i, H);
    if (node->parent >= 0)
      spatial_add(&tree->node[node->parent].inertia, &node->inertia, node->motion.lever_parent);
  }
}
