/* border.h - K = A - U U', solved with the factor of A, where the columns of U are multiples of unit vectors.
 * Internal.
 *
 *   K^-1 b = x + X S^-1 U' x,   x = A^-1 b,  X = A^-1 U,  S = 1 - U' X
 *
 * ldl.c increases pivots that would be too small while hubs are still fixed; A is the matrix with larger
 * diagonal entries. A row keeps them only if K needs the hub to be regular. There are at most 6 such rows for
 * each hub if K is regular, since the rank of K exceeds that of K_0 by 6 at most. S is singular exactly if K
 * is. */
#ifndef HN_BORDER_H
#define HN_BORDER_H

#include "base.h"

enum { HN_BORDER_MOST = 60 }; /* columns of U */

typedef struct hn_border {
  int rows, capacity, count;
  int row[HN_BORDER_MOST];                   /* [count] rows of the entries of U */
  double u[HN_BORDER_MOST];                  /* [count] entries of U */
  double S[HN_BORDER_MOST * HN_BORDER_MOST]; /* L D L' of S, row by row */
  double *X;                                 /* [rows * capacity] column by column */
  double growth;                             /* sum of the terms of the probe, see ldl.c */
  bool refines;                              /* solutions need a step of refinement */
  double *residual;                          /* [rows] */
} hn_border;

/* Solves A x = b in place. */
typedef void hn_border_solve(const void *factor, double *x);

/* Allocates X for a matrix of ROWS rows with HUBS hubs; NULL if out of memory. */
hn_border *hn_border_create(int rows, int hubs);
void hn_border_free(hn_border *border);
/* Adds D > 0 to the diagonal of A in row ROW; false if there is no room. */
bool hn_border_add(hn_border *border, int row, double d);
/* Computes X and factors S. HN_SINGULAR if a pivot of S is below MIN_PIVOT. */
hn_reason hn_border_factor(hn_border *border, hn_border_solve *solve, const void *factor, double min_pivot);
/* x += X S^-1 U' x. */
void hn_border_correct(const hn_border *border, double *x);

#endif
