/* sparse.h - K + R of a problem, R > 0 a multiple of the identity on each block, and its factor. Internal. */
#ifndef HN_CONTACT_SPARSE_H
#define HN_CONTACT_SPARSE_H

#include "contact/rows.h"
#include "linear/matrix.h"

/* The upper triangle of K in elimination order, a block row for each block of the problem, and a back end behind it; or of
 * A (bodies.h), with one for each body that moves: these are the nodes. */
typedef struct hn_sparse {
  hn_block_matrix K;
  void *factor;
  hn_problem_block *block; /* [nblock] what the pattern is of */
  unsigned char *sides;    /* [nblock] which of its bodies move */
  int *owner;              /* [nrow] block of each row */
  int nblock, nrow;
  bool given;              /* was it a matrix? */
  int *order, *place;      /* [K.n] node at a place in elimination order, and back */
  double *value;           /* K without R, as in K.value; by bodies NULL */
  double *x;               /* a right-hand side in the order of K */
  bool by_bodies, refined; /* refined: there are equations */
  int *node;               /* [nbody] by bodies */
  double *H, *weight, *right; /* [12 nrow], [nblock] 1 / R, [nrow] by bodies */
} hn_sparse;

void hn_sparse_free(hn_sparse *sparse);
/* Takes the pattern of PROBLEM, where it is another one than the last, and the values of its K. FACTOR: nobody asks for
 * more than the factor of K + R, which may be found by bodies; so always or never. HN_CONVERGED, or HN_FULL without
 * memory. */
hn_reason hn_sparse_load(hn_sparse *sparse, const hn_problem *problem, bool factor);
/* Where in the values the block of nodes I and J begins, of which the place of I comes first; -1: it is zero. */
int hn_sparse_block(const hn_sparse *sparse, int i, int j);
/* Entry (r, c) of the blocks i, j of the problem: of K, whichever triangle it is in; NULL where it is zero. */
double *hn_sparse_entry(hn_sparse *sparse, int i, int j, int r, int c);
/* Factors K + R, R[nblock]. HN_CONVERGED, HN_SINGULAR or HN_NOT_FINITE. */
hn_reason hn_sparse_factor(hn_sparse *sparse, const double *R);
/* x[nrow] := (K + R)^-1 x, in the order of the problem. */
void hn_sparse_solve(hn_sparse *sparse, double *x);

#endif
