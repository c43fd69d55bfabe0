/* tree_loops.h - loops of a tree: the rows of the cut joints as equations on the reduced coordinates.
 * Internal. */
#ifndef HN_TREE_LOOPS_H
#define HN_TREE_LOOPS_H

#include "tree/tree_parts.h"

/* The nodes that move the bodies of a cut joint: from these bodies inwards. */
typedef struct hn_tree_path {
  int block;        /* of the system */
  int row, n;       /* first row among the cut rows, and their number */
  int first, count; /* in hn_tree_loops.node: descending, so that children come before parents */
  size_t y;         /* first number in hn_tree_loops.y: for each node, [n nfree] */
} hn_tree_path;

typedef struct hn_tree_loops {
  hn_tree *tree;
  int nrow, npath;
  hn_tree_path *path; /* [npath] in scene order */
  int *node;
  double *y;        /* innovations of the rows */
  int *first;       /* [nrow] first column of the envelope of each row of K */
  size_t *start;    /* [nrow + 1] offset of that column in K */
  double *K;        /* lower envelope of K = G H^-1 G', row by row; then L, with D on the diagonal */
  double *diagonal; /* [nrow] of G W G', without the tree */
  double *p;        /* [6 nnode] scratch */
  double *wrench;   /* [6 nbody] of the cut joints on the bodies */
  double *right;    /* [nrow] */
  int *dropped;     /* [nrow + 1] their number, then 1 for a row that depends on others: a memory */
  bool drops;       /* dependent rows are dropped; false: they make K singular */
  hn_arrays arrays;
} hn_tree_loops;

/* Lists the paths of the cut joints of TREE, without those that prescribe a motion if PASSIVE; -1 on error.
 * Call hn_tree_loops_free either way. */
int hn_tree_loops_create(hn_tree_loops *loops, hn_tree *tree, bool passive, hn_error *error);
void hn_tree_loops_free(hn_tree_loops *loops);
/* Computes the Jacobians of the cut joints at STATE into the system, K from them, and its factor; call
 * hn_tree_factor before. Returns HN_CONVERGED, HN_SINGULAR or HN_NOT_FINITE. */
hn_reason hn_tree_loops_factor(hn_tree_loops *loops, const hn_state *state);
/* Solves K x = x, x[nrow] in the order of the cut rows; 0 for dropped rows. */
void hn_tree_loops_solve(const hn_tree_loops *loops, double *x);
/* Computes into OUT[nrow] the products G a with the accelerations of the nodes. */
void hn_tree_loops_rates(const hn_tree_loops *loops, double *out);
/* Adds the wrenches G' LAMBDA on the bodies to WRENCH[6 nbody]. */
void hn_tree_loops_add(const hn_tree_loops *loops, const double *lambda, double *wrench);
/* Computes the accelerations DU of the rates at STATE, where the nodes are, with the forces WRENCH[6 nbody]
 * on the bodies, NULL: none; and the multipliers LAMBDA[rows of the system] of the cut rows. The rows obey
 * g'' + 2 ALPHA g' + BETA^2 g = 0. Call hn_tree_factor before. */
hn_reason hn_tree_loops_accelerate(hn_tree_loops *loops, const hn_state *state, const double *wrench,
                                   double alpha, double beta, double *lambda, double *du);
/* Computes the change DU of the rates, or the displacement, that changes the residuals of the cut rows by
 * -RIGHT[nrow] with the factor of K: du = H^-1 G' K^-1 (-right). RIGHT is overwritten. */
void hn_tree_loops_correct(hn_tree_loops *loops, double *right, double *du);

#endif
