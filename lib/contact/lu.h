/* lu.h - sparse systems that are not symmetric: the seam to a library. Internal. */
#ifndef HN_CONTACT_LU_H
#define HN_CONTACT_LU_H

#include "contact.h"

/* By columns; rows of a column are in any order. */
typedef struct hn_lu_matrix {
  int n;
  int *start;    /* [n + 1] */
  int *row;      /* [start[n]] */
  double *value; /* [start[n]] */
} hn_lu_matrix;

/* Module hn_klu exports this: x := A^-1 x. HN_SINGULAR; HN_FULL without memory. */
typedef hn_reason hn_lu_solve(const hn_lu_matrix *A, double *x);
#define HN_LU_MODULE "hn_klu.so"
#define HN_LU_SOLVE "hn_klu_solve"

#endif
