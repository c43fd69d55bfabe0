/* newton_step.h - the direction of a Newton iteration of contact_newton.c. Internal. */
#ifndef HN_NEWTON_STEP_H
#define HN_NEWTON_STEP_H

#include "base/array.h"
#include "contact/newton/unsymmetric.h"
#include "contact/matrix/body_lu.h"
#include "contact/matrix/contact_matrix.h"

typedef struct hn_newton {
  int first_sweeps, help; /* parameters "sweeps" and "help" */
  double regularisation;  /* e in force */
  hn_contact_matrix K;    /* its pattern, or that of the bodies if it is smaller */
  hn_body_lu bodies;      /* by bodies: the factor */
  double *D;              /* [6 most.rows] by bodies */
  hn_lu_solve *lu;
  hn_lu_matrix J;
  size_t capacity; /* of J.row and J.value */
  hn_lu_scratch scratch;
  double *dense;         /* [HN_MAX_DENSE^2] J of small problems */
  hn_contact_solver pgs; /* Gauss-Seidel, for sweeps */
  double *scale;         /* [most.blocks] k */
  double *A, *B;         /* [6 most.rows] derivative of F, n x n by rows for each block */
  bool *fixed;           /* [most.blocks] F depends on p alone */
  int *column;           /* [most.blocks] first column in J; -1 of fixed blocks */
  double *F, *v, *d, *v_d, *x, *trial,
    *v_trial; /* [most.rows] v_d = K d; x: right-hand side and solution of J */
  double *u;  /* [6 most.bodies] scratch */
  hn_arrays arrays;
} hn_newton;

/* Solves J d = -F for d, from F, A, B and `fixed`; the data of SOLVER is an hn_newton, and the work is
 * counted in it. HN_CONVERGED; HN_SINGULAR; HN_NO_MEMORY. */
hn_reason hn_newton_step(hn_contact_solver *solver, hn_newton *s, const hn_problem *problem);

#endif
