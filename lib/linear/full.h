/* full.h - K written out: both triangles, row by row, for libraries that know no symmetric blocks. Internal to
 * the module hn_petsc. */
#ifndef HN_LINEAR_FULL_H
#define HN_LINEAR_FULL_H

#include "linear/matrix.h"

typedef struct hn_full {
  int n;       /* rows */
  int *start;  /* [n + 1] first entry of each row */
  int *column; /* [start[n]] ascending within a row */
  int *from;   /* [start[n]] where in K->value the entry is */
} hn_full;

/* The pattern of K written out; -1 when memory is out. Free with hn_full_free either way. */
int hn_full_create(hn_full *full, const hn_block_matrix *K);
void hn_full_free(hn_full *full);
/* The values: [start[n]]. */
void hn_full_values(const hn_full *full, const double *from, double *value);

#endif
