/* contact_pattern.h - what K + R of a problem is kept in, by rows or by bodies. Internal. */
#ifndef HN_CONTACT_PATTERN_H
#define HN_CONTACT_PATTERN_H

#include "contact/block_rows.h"
#include "linear/matrix.h"

/* The upper triangle of K in elimination order, a block row for each block of the problem, and a back end behind it; or
 * of A (body_matrix.h), with one for each body that moves: these are the nodes. */
typedef struct hn_sparse {
  hn_block_matrix K;
  void *factor;
  hn_problem_block *block; /* [nblock] what the pattern is of */
  unsigned char *sides;    /* [nblock] which of its bodies move */
  int *owner;              /* [nrow] block of each row */
  int nblock, nrow;
  bool given;                 /* was it a matrix? */
  int *order, *place;         /* [K.n] node at a place in elimination order, and back */
  double *value;              /* K without R, as in K.value; by bodies NULL */
  double *x;                  /* a right-hand side in the order of K */
  bool by_bodies, refined;    /* refined: there are equations */
  int *node;                  /* [nbody] by bodies */
  double *H, *weight, *right; /* [12 nrow], [nblock] 1 / R, [nrow] by bodies */
} hn_sparse;

/* The block of K at places I <= J; -1: it is zero. */
static inline int hn_pattern_find(const hn_block_matrix *K, int i, int j)
{
  int low = K->start[i], high = K->start[i + 1] - 1;
  while (low < high) {
    int middle = (low + high) / 2;
    if (K->column[middle] < j) low = middle + 1;
    else high = middle;
  }
  return K->column[low] == j ? K->at[low] : -1;
}

/* Where in the values the block of nodes I and J begins, of which the place of I comes first; -1: it is zero. */
static inline int hn_sparse_block(const hn_sparse *sparse, int i, int j)
{
  return hn_pattern_find(&sparse->K, sparse->place[i], sparse->place[j]);
}

#endif
