/* tree_parts.h - the tree of reduced coordinates: nodes, kinematics and articulated inertias. Internal.
 *
 * The nodes are the moving bodies, parents before children. World axes; twists and wrenches of a body are
 * taken at its centre of mass, or at the joint point of its edge where that is said. */
#ifndef HN_TREE_PARTS_H
#define HN_TREE_PARTS_H

#include "base/array.h"
#include "joint/freedoms.h"
#include "tree.h"

/* A symmetric 6 x 6 inertia: force = A v + B w, torque = B' v + C w, each part row by row. */
typedef struct hn_tree_inertia {
  double A[9], B[9], C[9];
} hn_tree_inertia;

/* Parts of a node that the passes over the tree read and write. */
typedef struct hn_tree_node {
  int body, parent;     /* parent: a node; -1: a fixed body */
  int fixed;            /* that fixed body */
  int coordinate, free; /* first coordinate and first rate in packed arrays */
  int block;            /* joint of the edge, a block of the system; -1: none */
  bool sphere;          /* the edge has three angular freedoms and no other */
  double mass, J[3], gravity[3];
  hn_pose pose;
  double R[9];          /* rotation matrix of the pose */
  hn_twist twist, bias; /* bias: c_v and c_w of freedoms.h */
  hn_tree_motion motion;
  hn_tree_inertia inertia;       /* of the subtree, without the freedoms of the edge, at the joint point */
  double U[6 * HN_MAX_FREEDOMS]; /* columns: inertia times S, before the freedoms are removed */
  double D[HN_MAX_FREEDOMS * HN_MAX_FREEDOMS]; /* [nfree nfree] (S' inertia S)^-1 */
  double p[6];               /* bias wrench of the subtree at the joint point, the freedoms removed */
  double y[HN_MAX_FREEDOMS]; /* S' of the bias wrench, negative: generalised force that is left */
  hn_twist acceleration;     /* of the centre of mass */
} hn_tree_node;

struct hn_tree {
  hn_system *system;
  int nnode, ncoordinate, nfree;
  hn_tree_node *node;  /* [nnode] */
  hn_tree_joint *edge; /* [nnode] */
  int *node_of;        /* [nbody] -1 for fixed bodies */
  int ncut;
  int *cut;       /* [ncut] blocks that are no edges, in scene order */
  double *wrench; /* [6 nbody] forces of the system */
  hn_arrays arrays;
};

/* Chooses the edges (spanning_tree.c); -1 on error. */
int hn_tree_span(hn_tree *tree, hn_error *error);

/* Computes the poses of all nodes from the coordinates Q and, if U is not NULL, their twists and biases.
 * Fixed bodies are at STATE. */
void hn_tree_place(hn_tree *tree, const double *q, const double *u, const hn_state *state);
/* True if the edges are spherical joints and nothing else. */
bool hn_tree_is_spherical(const hn_tree *tree);
/* Copies the poses and twists of the nodes to STATE. Particles keep their orientation. */
void hn_tree_store(const hn_tree *tree, hn_state *state);

/* Computes the articulated inertias at the poses of the nodes. Returns HN_SINGULAR with the node in *WHERE
 * if a freedom has no inertia. */
hn_reason hn_tree_factor(hn_tree *tree, int *where);
/* Solves H du = tau - C for the rates' derivatives DU, with the forces WRENCH[6 nbody] on the bodies (NULL:
 * none) besides gravity, and the generalised forces TAU[nfree] (NULL: none). Leaves the accelerations in the
 * nodes. */
void hn_tree_accelerate(hn_tree *tree, const double *wrench, const double *tau, double *du);
/* Solves H du = S' WRENCH + TAU alone: without velocities and gravity. Either may be NULL: none. */
void hn_tree_respond(hn_tree *tree, const double *wrench, const double *tau, double *du);
/* TAU = S' WRENCH[6 nbody]: the generalised forces of forces on the bodies. */
void hn_tree_project(hn_tree *tree, const double *wrench, double *tau);
/* Computes the wrench (force, torque) of the edge on the child K at its centre of mass, after
 * hn_tree_accelerate. */
void hn_tree_edge_wrench(const hn_tree *tree, int k, double wrench[6]);

/* Passes the wrench P, at the centre of mass of node K, inwards through its edge: stores the innovation in
 * y[nfree], and in P the wrench at the centre of mass of the parent. */
void hn_tree_pass_wrench(const hn_tree *tree, int k, double p[6], double *y);
/* Computes the multipliers LAMBDA of the rows of all edges at STATE, where hn_tree_accelerate was called
 * last and the nodes were stored; other rows are unchanged. Returns HN_SINGULAR with the block in *WHERE. */
hn_reason hn_tree_multipliers(const hn_tree *tree, const hn_state *state, double *lambda, int *where);

#endif
