/* newton_step.h - a step of Newton's method of contact_newton.c: the matrix and its solution. Internal. */
#ifndef HN_NEWTON_STEP_H
#define HN_NEWTON_STEP_H

#include "contact/newton/unsymmetric.h"
#include "contact/matrix/contact_matrix.h"

typedef struct hn_newton {
  int first_sweeps, help;
  double regularisation; /* in force */
  hn_sparse K;
  hn_lu_solve *lu;
  hn_lu_matrix J;
  size_t room; /* of J.row and J.value */
  hn_lu_scratch scratch;
  hn_contact_solver pgs; /* for sweeps */
  double *scale;         /* [most.blocks] k */
  double *A, *B;         /* [6 most.rows] of a block n x n, row by row: parts of the derivative of F */
  bool *fixed;           /* [most.blocks] d is known at once */
  int *at;               /* [most.blocks] first column in J; -1 of fixed ones */
  double *F, *v, *d, *v_d, *x, *trial, *v_trial; /* [most.rows] */
  double *u;                                     /* [6 most.bodies] */
} hn_newton;

/* d with J d = -F, of F, A, B and `fixed` as they are; what it costs is counted in SOLVER, whose data is an
 * hn_newton. HN_SINGULAR; HN_FULL without memory. */
hn_reason hn_newton_step(hn_contact_solver *solver, const hn_problem *problem);

#endif
