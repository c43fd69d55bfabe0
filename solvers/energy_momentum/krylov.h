/* krylov.h - GMRES without restart: A x = b for a matrix that is known by its products only. Internal.
 *
 *   V = orthonormal basis of b, A b, A^2 b, ...;   min |b - A x| over x in V
 *
 * Lengths are weighted: |x|^2 = sum of (weight x)^2. [saad1986] */
#ifndef HN_KRYLOV_H
#define HN_KRYLOV_H

#include "solver.h"

enum { HN_KRYLOV_MOST = 40 }; /* largest dimension of the basis */

typedef struct hn_krylov {
  size_t n;
  double *V;      /* [(HN_KRYLOV_MOST + 1) n] */
  double *weight; /* [n] */
  double H[HN_KRYLOV_MOST + 1][HN_KRYLOV_MOST], sine[HN_KRYLOV_MOST], cosine[HN_KRYLOV_MOST];
  double right[HN_KRYLOV_MOST + 1]; /* rotated right-hand side */
} hn_krylov;

/* Computes OUT = A x. Any reason but HN_CONVERGED ends the solution. */
typedef hn_reason hn_krylov_product(void *user, const double *x, double *out);

int hn_krylov_setup(hn_solver *solver, hn_krylov *k, size_t n, hn_error *error);
/* Returns the weighted length of x. */
double hn_krylov_length(const hn_krylov *k, const double *x);
/* Solves A x = b until the residual is REDUCTION |b|, or the basis is complete; b becomes x. */
hn_reason hn_krylov_solve(hn_krylov *k, hn_krylov_product *product, void *user, double reduction, double *b);

#endif
