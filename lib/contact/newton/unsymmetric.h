/* unsymmetric.h - sparse systems that are not symmetric: the seam to a library. Internal. */
#ifndef HN_UNSYMMETRIC_H
#define HN_UNSYMMETRIC_H

#include "contact.h"

/* By columns; rows of a column are in any order. */
typedef struct hn_lu_matrix {
  int n;
  int *start;    /* [n + 1] */
  int *row;      /* [start[n]] */
  double *value; /* [start[n]] */
} hn_lu_matrix;

/* Memory that a solution needs beside that, kept from one to the next: it grows to the most that one has
 * needed, and is asked for no more then. No bytes at first; MEMORY is to be freed at the end. */
typedef struct hn_lu_scratch {
  size_t most; /* numbers of the largest matrix to come */
  void *memory;
  size_t size;
} hn_lu_scratch;

/* Module hn_klu exports this: x := A^-1 x, and the bits do not depend on SCRATCH.
 * HN_SINGULAR; HN_FULL without memory. */
typedef hn_reason hn_lu_solve(const hn_lu_matrix *A, hn_lu_scratch *scratch, double *x);
#define HN_LU_MODULE "hn_klu.so"
#define HN_LU_SOLVE "hn_klu_solve"

#endif
