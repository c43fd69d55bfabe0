/* lorentz.h - second-order cones x_0 >= |x_1| of 1 to 3 dimensions: Nesterov and Todd's scaling of a pair,
 * the Jordan product, and steps to the boundary. Internal.
 *
 *   x o z = (x . z, x_0 z_1 + z_0 x_1),   identity (1, 0);   det x = x_0^2 - |x_1|^2
 *   W z = W^-1 x = u for the pair x, z in the interior, W symmetric and positive definite
 *
 * W has the eigenvectors (1, e), (1, -e) and, in three dimensions, (0, e'), with e' orthogonal to e. With one
 * dimension x and z are positive numbers. [Nesterov and Todd, SIAM J. Optim. 8 (1998) 324] */
#ifndef HN_LORENTZ_H
#define HN_LORENTZ_H

typedef struct hn_scaling {
  int n;
  double e[2];          /* [n - 1] unit vector */
  double eigenvalue[3]; /* of (1, e), (1, -e), and of all others */
  double u[3];          /* [n] the scaled pair */
} hn_scaling;

/* Computes the scaling of X[n] and Z[n] in the interior. */
void hn_scaling_set(hn_scaling *scaling, int n, const double *x, const double *z);
/* Computes RESULT = W y, or W^-1 y if INVERSE. RESULT may be Y. */
void hn_scaling_apply(const hn_scaling *scaling, int inverse, const double *y, double *result);
/* Computes (W^-2 + shift)^-1/2 y. */
void hn_scaling_apply_root(const hn_scaling *scaling, double shift, const double *y, double *result);
/* Computes RESULT = x o y. */
void hn_jordan_product(int n, const double *x, const double *y, double *result);
/* Computes RESULT with x o result = y, x in the interior. */
void hn_jordan_quotient(int n, const double *x, const double *y, double *result);
/* Returns the largest t with x + t d in the cone, at most MOST; x is in the interior. */
double hn_lorentz_step(int n, const double *x, const double *d, double most);

#endif
