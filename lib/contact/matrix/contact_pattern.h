/* contact_pattern.h - storage of K + R of a contact problem, by blocks or by bodies. Internal. */
#ifndef HN_CONTACT_PATTERN_H
#define HN_CONTACT_PATTERN_H

#include "base/array.h"
#include "contact/block_rows.h"
#include "linear/matrix.h"

/* The upper triangle of K in elimination order, one node for each block of the problem, and its factor; or
 * the matrix A of body_matrix.h, with one node for each moving body. */
typedef struct hn_contact_matrix {
  hn_block_matrix K;
  void *factor;
  int pattern;             /* number of the pattern, from 1 on: another one after each analysis */
  hn_problem_block *block; /* [nblock] blocks that define the pattern */
  unsigned char *sides;    /* [nblock] bits of the sides whose bodies move */
  int *owner;              /* [nrow] block of each row */
  int nblock, nrow;
  bool given, dense;          /* the problem gave K as a matrix; as one without zeros */
  int *order, *place;         /* [K.n] node at each place of the elimination order, and place of each node */
  double *value;              /* K without R, laid out as K.value; NULL by bodies */
  double *transposed;         /* the same of K', for a given K; else value */
  double *x;                  /* right-hand side in the order of K */
  bool by_bodies, refined;    /* refined: with equations, solutions are refined once */
  int *node;                  /* [nbody] by bodies: node of each body, -1 if it does not move */
  double *H, *weight, *right; /* by bodies: [12 nrow], [nblock] 1 / R, [nrow] */
  hn_arrays arrays;
} hn_contact_matrix;

/* Returns the offset of the block at places I <= J; -1 if it is zero. */
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

/* Returns the offset of the block of nodes I and J, I placed first; -1 if it is zero. */
static inline int hn_contact_matrix_block(const hn_contact_matrix *sparse, int i, int j)
{
  return hn_pattern_find(&sparse->K, sparse->place[i], sparse->place[j]);
}

#endif
