/* newton_matrix.h - Newton's method for the joint correction, and the matrix of its derivative. Internal.
 *
 *   F(x) = 0,   M dx = -F,   x += damping dx,   M = dF/dx = G_end D W G_start'
 *
 * M couples the same joints as K and has the same elimination order, but both triangles, since it is not
 * symmetric. Blocks have the common size of all joints, or are single numbers if sizes differ. This is the
 * layout of PETSc's BAIJ matrices, which lend their storage. */
#ifndef HN_NEWTON_MATRIX_H
#define HN_NEWTON_MATRIX_H

#include "base/array.h"
#include "linear/matrix.h"

/* Contribution of two joints on a common body to M: entry (r, c) at value[at + r * row_stride + c *
 * column_stride]. */
typedef struct hn_newton_part {
  int row_block, column_block; /* offsets of their blocks in G and T, packed as in hn_system */
  int row, column;             /* first row and column in M */
  int nr, nc;                  /* rows of the two joints */
  size_t at;
  int row_stride, column_stride;
} hn_newton_part;

typedef struct hn_newton_matrix {
  hn_arrays arrays;     /* all but M.value */
  hn_block_matrix M;    /* full pattern, not the upper triangle */
  int *row_at;          /* [nrow] row of M of each packed row; rows of a joint are consecutive */
  hn_newton_part *part; /* [nparts] by row, column and body */
  int nparts;
} hn_newton_matrix;

/* Creates the pattern of M from that of K without hubs. -1 on error. Call hn_newton_matrix_free either way.
 * */
int hn_newton_matrix_create(hn_newton_matrix *matrix, const hn_system *s, hn_error *error);
void hn_newton_matrix_free(hn_newton_matrix *matrix);
/* Computes M from packed Jacobians G at the end of the flight and packed columns T = D W G' from its
 * start. */
void hn_newton_matrix_fill(hn_newton_matrix *matrix, const double *G, const double *T);

typedef enum hn_newton_verdict { HN_NEWTON_CONTINUE, HN_NEWTON_ACCEPT, HN_NEWTON_FAIL } hn_newton_verdict;

/* The equations. Vectors are in the order of M's rows. */
typedef struct hn_newton_problem {
  void *user;
  hn_block_matrix *M;
  int iterations;
  const char *line_search; /* "bt", "basic", "l2", "cp" */
  void (*residual)(void *user, const double *x, double *F);
  void (*derivative)(void *user, const double *x); /* stores M at x in M->value */
  /* Judges every accepted iterate, x = 0 included. */
  hn_newton_verdict (*judge)(void *user, int iteration, const double *F);
} hn_newton_problem;

typedef struct hn_newton_type {
  void *(*create)(const hn_newton_problem *problem,
                  hn_error *error); /* Analyses the pattern; NULL on error. */
  /* Solves from x = 0, with the solution in x. Otherwise returns HN_STALLED, HN_SINGULAR for a singular M, or
   * HN_NOT_FINITE. Allocates nothing after the first call. */
  hn_reason (*solve)(void *self, double *x);
  void (*free)(void *self);
} hn_newton_type;

/* Symbol of an hn_newton_type in module hn_petsc. */
#define HN_PETSC_NEWTON "hn_petsc_newton"

#endif
