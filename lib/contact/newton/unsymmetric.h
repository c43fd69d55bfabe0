/* unsymmetric.h - interface to a library for sparse systems that are not symmetric. Internal. */
#ifndef HN_UNSYMMETRIC_H
#define HN_UNSYMMETRIC_H

#include "contact.h"

/* Compressed columns; the rows of a column are in any order. */
typedef struct hn_lu_matrix {
  int n;
  int *start;    /* [n + 1] */
  int *row;      /* [start[n]] */
  double *value; /* [start[n]] */
} hn_lu_matrix;

/* Memory of the library for a solution, kept from one to the next so that later ones need not allocate.
 * Begins empty; it grows after a solution that needed more. The owner frees MEMORY. */
typedef struct hn_lu_scratch {
  size_t most; /* numbers of the largest matrix to come */
  void *memory;
  size_t size; /* bytes */
} hn_lu_scratch;

/* Solves A x = b: X is b and becomes x. The bits do not depend on SCRATCH. HN_CONVERGED, HN_SINGULAR, or
 * HN_NO_MEMORY. Module hn_klu exports it. */
typedef hn_reason hn_lu_solve(const hn_lu_matrix *A, hn_lu_scratch *scratch, double *x);
#define HN_LU_MODULE "hn_klu.so"
#define HN_LU_SOLVE "hn_klu_solve"

#endif
