/* tree_state.c - trees of reduced coordinates: creation, and the way between coordinates and states */
#include "tree.h"
#include "base/vec.h"
#include "tree/tree_parts.h"

#include <stdlib.h>
#include <string.h>

hn_tree *hn_tree_create(hn_system *system, hn_error *error)
{
  const size_t bodies = (size_t)system->model->nbody, joints = (size_t)system->model->njoint;
  hn_tree *tree = calloc(1, sizeof *tree);
  if (!tree) return hn_fail(error, "out of memory"), NULL;
  tree->system = system;
  if (hn_arrays_allocate(&tree->arrays, error, HN_ARRAY(tree->node, bodies), HN_ARRAY(tree->edge, bodies),
                         HN_ARRAY(tree->node_of, bodies), HN_ARRAY(tree->cut, joints),
                         HN_ARRAY(tree->wrench, 6 * bodies)) == 0 &&
      hn_tree_span(tree, error) == 0)
    return tree;
  hn_tree_free(tree);
  return NULL;
}

void hn_tree_free(hn_tree *tree)
{
  if (!tree) return;
  hn_arrays_free(&tree->arrays);
  free(tree);
}

int hn_tree_coordinates(const hn_tree *tree)
{
  return tree->ncoordinate;
}

int hn_tree_freedoms(const hn_tree *tree)
{
  return tree->nfree;
}

void hn_tree_freedom_of(const hn_tree *tree, int i, hn_tree_freedom *freedom)
{
  int k = 0;
  while (i >= tree->node[k].free + tree->edge[k].nfree) k++;
  const int index = i - tree->node[k].free;
  *freedom = (hn_tree_freedom){ .joint = tree->edge[k].joint,
                                .body = tree->node[k].body,
                                .index = index,
                                .angular = index >= tree->edge[k].nslide };
}

int hn_tree_cut_joints(const hn_tree *tree, const int **block)
{
  *block = tree->cut;
  return tree->ncut;
}

/* ---- Coordinates to state ------------------------------------------------------------------------------ */

static const hn_twist at_rest = { { 0 }, { 0 } };
static const hn_pose origin = { { 0 }, { 1.0 } };

/* Returns the pose that node K hangs on: that of its parent, of a fixed body at STATE, or the origin. */
static const hn_pose *base_pose(const hn_tree *tree, int k, const hn_state *state)
{
  const hn_tree_node *node = &tree->node[k];
  if (node->parent >= 0) return &tree->node[node->parent].pose;
  return node->block < 0 ? &origin : &state->pose[node->fixed];
}

static const hn_twist *base_twist(const hn_tree *tree, int k)
{
  return tree->node[k].parent >= 0 ? &tree->node[tree->node[k].parent].twist : &at_rest;
}

/* Places a node with three angular freedoms, as hn_tree_joint_place does, by rotation matrices. */
static void place_sphere(hn_tree_node *node, const hn_tree_joint *edge, const double *q,
                         const hn_pose *parent, const double R[9])
{
  double r[4] = { q[0], q[1], q[2], edge->reversed ? -q[3] : q[3] };
  double *const lever_a = edge->reversed ? node->motion.lever_child : node->motion.lever_parent;
  double *const lever_b = edge->reversed ? node->motion.lever_parent : node->motion.lever_child;
  const double *const a = edge->reversed ? node->R : R, *const b = edge->reversed ? R : node->R;
  const double sigma = edge->reversed ? -1.0 : 1.0;
  if (edge->reversed) r[1] = -r[1], r[2] = -r[2];
  quat_normalise(r);
  quat_mul(node->pose.q, parent->q, r);
  quat_matrix(node->R, node->pose.q);
  mat_vec(lever_a, a, edge->point_a);
  mat_vec(lever_b, b, edge->point_b);
  for (int i = 0; i < 3; i++)
    node->pose.x[i] = parent->x[i] + node->motion.lever_parent[i] - node->motion.lever_child[i];
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 3; i++) node->motion.S[k][3 + i] = sigma * a[3 * i + k];
}

/* Computes the twist and the bias of such a node. */
static void move_sphere(hn_tree_node *node, const hn_tree_joint *edge, const double *u,
                        const hn_twist *parent)
{
  const double *lp = node->motion.lever_parent, *lc = node->motion.lever_child;
  double(*S)[6] = node->motion.S;
  hn_twist *twist = &node->twist;
  double relative[3], of_parent[3], of_child[3], bend[3];
  for (int i = 0; i < 3; i++) relative[i] = u[0] * S[0][3 + i] + u[1] * S[1][3 + i] + u[2] * S[2][3 + i];
  vec_add(twist->w, parent->w, relative);
  vec_cross(of_parent, parent->w, lp), vec_cross(of_child, twist->w, lc);
  for (int i = 0; i < 3; i++) twist->v[i] = parent->v[i] + of_parent[i] - of_child[i];
  vec_cross(node->bias.v, parent->w, of_parent), vec_cross(bend, twist->w, of_child);
  vec_sub(node->bias.v, node->bias.v, bend);
  vec_cross(node->bias.w, edge->reversed ? twist->w : parent->w, relative);
}

/* Places a node by the functions of joints. In a planar model the frames of joints leave the plane by
 * rounding; the pose does not. */
static void place_node(hn_tree *tree, int k, const double *own, const hn_pose *parent)
{
  hn_tree_node *node = &tree->node[k];
  hn_tree_joint_place(&tree->edge[k], own, parent, &node->pose, &node->motion);
  if (tree->system->model->planar) node->pose.x[2] = node->pose.q[1] = node->pose.q[2] = 0.0;
  quat_matrix(node->R, node->pose.q);
}

/* Places and moves a node by the functions of joints. */
static void place_general(hn_tree *tree, int k, const double *q, const double *u, const hn_pose *parent)
{
  hn_tree_node *node = &tree->node[k];
  const hn_tree_joint *edge = &tree->edge[k];
  place_node(tree, k, q + node->coordinate, parent);
  if (!u) return;
  hn_tree_joint_move(edge, &node->motion, u + node->free, base_twist(tree, k), &node->twist);
  hn_tree_joint_bias(edge, &node->motion, u + node->free, base_twist(tree, k), &node->twist, &node->bias);
}

void hn_tree_place(hn_tree *tree, const double *q, const double *u, const hn_state *state)
{
  for (int k = 0; k < tree->nnode; k++) {
    hn_tree_node *node = &tree->node[k];
    const hn_pose *parent = base_pose(tree, k, state);
    if (!node->sphere) {
      place_general(tree, k, q, u, parent);
      continue;
    }
    double fixed[9];
    if (node->parent < 0) quat_matrix(fixed, parent->q);
    place_sphere(node, &tree->edge[k], q + node->coordinate, parent,
                 node->parent < 0 ? fixed : tree->node[node->parent].R);
    if (u) move_sphere(node, &tree->edge[k], u + node->free, base_twist(tree, k));
  }
}

bool hn_tree_is_spherical(const hn_tree *tree)
{
  bool all = true;
  for (int k = 0; k < tree->nnode; k++) all &= tree->node[k].sphere;
  return all;
}

void hn_tree_store(const hn_tree *tree, hn_state *state)
{
  for (int k = 0; k < tree->nnode; k++) {
    const hn_tree_node *node = &tree->node[k];
    hn_pose *pose = &state->pose[node->body];
    hn_twist *twist = &state->twist[node->body];
    vec_copy(pose->x, node->pose.x), vec_copy(twist->v, node->twist.v);
    if (tree->system->model->body[node->body].kind != HN_RIGID) continue;
    memcpy(pose->q, node->pose.q, sizeof pose->q), vec_copy(twist->w, node->twist.w);
  }
}

void hn_tree_state(hn_tree *tree, const double *q, const double *u, hn_state *state)
{
  hn_tree_place(tree, q, u, state);
  hn_tree_store(tree, state);
}

/* ---- State to coordinates ------------------------------------------------------------------------------ */

void hn_tree_coordinates_of(hn_tree *tree, const hn_state *state, double *q, double *u)
{
  for (int k = 0; k < tree->nnode; k++) {
    hn_tree_node *node = &tree->node[k];
    const hn_tree_joint *edge = &tree->edge[k];
    const hn_pose *parent = base_pose(tree, k, state);
    double *own = q + node->coordinate, *rate = u + node->free;
    hn_tree_joint_coordinates(edge, parent, &state->pose[node->body], own);
    place_node(tree, k, own, parent);
    const hn_twist *of_parent = base_twist(tree, k);
    hn_tree_joint_rates(edge, &node->motion, of_parent, &state->twist[node->body], rate);
    hn_tree_joint_move(edge, &node->motion, rate, of_parent, &node->twist);
  }
}

void hn_tree_flow(const hn_tree *tree, const double *q, const double *u, double *dq)
{
  for (int k = 0; k < tree->nnode; k++) {
    const hn_tree_node *node = &tree->node[k];
    hn_tree_joint_flow(&tree->edge[k], q + node->coordinate, u + node->free, dq + node->coordinate);
  }
}

void hn_tree_advance(const hn_tree *tree, double h, const double *u, double *q)
{
  for (int k = 0; k < tree->nnode; k++) {
    const hn_tree_node *node = &tree->node[k];
    hn_tree_joint_advance(&tree->edge[k], h, u + node->free, q + node->coordinate);
  }
}

void hn_tree_normalise(const hn_tree *tree, double *q)
{
  for (int k = 0; k < tree->nnode; k++)
    if (tree->edge[k].turning == HN_TURNS_SPHERE)
      quat_normalise(q + tree->node[k].coordinate + tree->edge[k].nslide);
}
