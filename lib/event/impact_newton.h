/* impact_newton.h - Newton's method for the problems of an impact: friction in the expansion (expansion.c),
 * and the least impulses of a compression (least_impulses.c). Internal.
 *
 *   set given, mu and takes_part of all blocks, p, share and least_regularisation;  hn_impact_newton_begin
 *   hn_impact_newton_iterate
 *   hn_impact_newton_end
 *
 * The problem is d->problem, whose velocities without impulses must not change meanwhile. */
#ifndef HN_IMPACT_NEWTON_H
#define HN_IMPACT_NEWTON_H

#include "base/array.h"
#include "parts.h"

typedef struct hn_impact_newton {
  /* set before use */
  bool *takes_part; /* [max_blocks] the others keep their impulses p */
  double *given;    /* [max_blocks] N s: a normal impulse besides p by which friction is bounded */
  double *mu;       /* [max_blocks] friction of cones */
  double *p;        /* [max_rows] N s: the start, and the solution */
  /* v + share k p is in the place of v, with k the mean diagonal of K on the block */
  double share;
  double least_regularisation; /* lower bound of e */
  /* private */
  int *row;                /* [count] rows of the blocks that take part */
  double *scale;           /* [max_blocks] k */
  double *v, *F, *d, *v_d; /* [max_rows] velocities, function, step, and K d */
  double *trial, *v_trial; /* [max_rows] */
  double *A, *B;           /* [6 max_rows] derivatives of F, n x n by rows for each block */
  double *x;               /* [count] */
  double *K, *J;           /* [room] count x count */
  size_t room;
  int count;
  hn_arrays arrays; /* all but K and J, which grow */
} hn_impact_newton;

int hn_impact_newton_setup(hn_impact_newton *newton, const hn_system *system, hn_error *error);
void hn_impact_newton_free(hn_impact_newton *newton);
/* Lists the rows and computes K. False if there are too many rows or there is no memory. */
bool hn_impact_newton_begin(hn_impact_newton *newton, const hn_impact *d);
/* Iterates until the residual is at most TOLERANCE, m/s; false if it stalls before. */
bool hn_impact_newton_iterate(hn_impact_newton *newton, const hn_impact *d, double tolerance);
/* Projects p onto its sets, and computes its velocities v. True if its residual is at most TOLERANCE. */
bool hn_impact_newton_end(hn_impact_newton *newton, const hn_impact *d, double tolerance);

#endif
