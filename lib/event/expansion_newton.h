/* expansion_newton.h - Newton's method for friction in the expansion of an impact (expansion.c). Internal. */
#ifndef HN_EXPANSION_NEWTON_H
#define HN_EXPANSION_NEWTON_H

#include "base/array.h"
#include "parts.h"

/* Scratch. The rows of the method are those of blocks that may have an impulse: `count` of them. */
typedef struct hn_expansion_newton {
  int *row;            /* [count] rows of the problem */
  double *given;       /* [max_blocks] e p1_n of blocks with friction; 0: the block has its set alone */
  double *mu, *scale;  /* [max_blocks] friction; k */
  double *p, *v;       /* [max_rows] q with z in the rows of friction; their velocities */
  double *F, *d, *v_d; /* [max_rows] the function, the step, and K d */
  double *trial, *v_trial;
  double *A, *B; /* [6 max_rows] derivatives of F, n x n by rows for each block */
  double *b;     /* [max_rows] the velocities of the problem, restored at the end */
  double *x;     /* [count] */
  double *K, *J; /* [room] count x count */
  size_t room;
  int count;
  hn_arrays arrays; /* all but K and J, which grow */
} hn_expansion_newton;

int hn_expansion_newton_setup(hn_expansion_newton *newton, const hn_system *system, hn_error *error);
void hn_expansion_newton_free(hn_expansion_newton *newton);
/* Solves the expansion from q in d->p and z in d->base to a residual of TOLERANCE, m/s. Returns false, with D
 * unchanged, if Newton's method fails, rows of moments have friction, or there is no memory. */
bool hn_expansion_newton_solve(hn_solver *solver, hn_expansion_newton *newton, hn_impact *d,
                               double tolerance);
/* True if the expansion of block K has friction. */
bool hn_expansion_has_friction(const hn_impact *d, const hn_system *system, int k);

#endif
