/* dense_lu.h - systems of Newton's method for small contact problems. Internal. */
#ifndef HN_DENSE_LU_H
#define HN_DENSE_LU_H

#include "contact/newton/unsymmetric.h"

/* Largest system that is solved so: the square fits into a first-level cache. */
enum { HN_MAX_DENSE = 64 };

/* Solves A x = b by elimination with row pivoting: X is b and becomes x. ROOM has n n numbers.
 * HN_CONVERGED or HN_SINGULAR. [Higham, Accuracy and Stability of Numerical Algorithms, 2002, chapter 9] */
hn_reason hn_dense_lu_solve(const hn_lu_matrix *A, double *room, double *x);
/* The same for a full matrix A[n * n], by rows, which is lost. */
hn_reason hn_dense_eliminate(int n, double *A, double *x);

#endif
