/* full.h - the full matrix K: both triangles, row by row, for libraries without symmetric blocks. Internal to
 * the module hn_petsc. */
#ifndef HN_LINEAR_FULL_H
#define HN_LINEAR_FULL_H

#include "linear/matrix.h"

typedef struct hn_full {
  int n;       /* rows */
  int *start;  /* [n + 1] first entry of each row */
  int *column; /* [start[n]] ascending within a row */
  int *from;   /* [start[n]] index of the entry in K->value */
} hn_full;

/* Creates the full pattern of K; -1 if out of memory. Call hn_full_free either way. */
int hn_full_create(hn_full *full, const hn_block_matrix *K);
void hn_full_free(hn_full *full);
/* Copies the values FROM, those of K, to the full matrix, value[start[n]]. */
void hn_full_values(const hn_full *full, const double *from, double *value);

#endif
