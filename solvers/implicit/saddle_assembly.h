/* saddle_assembly.h - assembly of the matrices of Newton's equations: saddle.c, stage_saddle.c. Internal.
 *
 * An assembly visits all entries in a fixed order: at first it notes their places, later it adds values to
 * them. */
#ifndef HN_ASSEMBLY_H
#define HN_ASSEMBLY_H

#include "implicit/force_tangent.h"

/* Numbers of the unknowns, and the places of the matrix. */
typedef struct hn_saddle_pattern {
  int n, entries;   /* unknowns; entries that are added up in the matrix */
  int *unknown;     /* [6 nbody] first unknown (q) of a component of a twist; that of u follows; -1: none */
  int *rows;        /* [nrow] unknown of lambda; that of mu follows */
  int *start, *row; /* compressed columns */
  int *slot;        /* [entries] place of each entry in the values */
} hn_saddle_pattern;

typedef struct hn_assembly {
  const hn_saddle_pattern *pattern; /* numbers of the unknowns */
  const hn_tangent *tangent;
  const hn_system *system;
  const hn_state *state;
  double re, im, proximal; /* c; e */
  const double *E, *H;     /* [9 nbody] see stage_saddle.h; NULL: the unit matrix and w x / 2 */
  int row, column;         /* added to the numbers of the unknowns */
  int (*place)[3];         /* [entries] row, column, number of the entry; or NULL */
  double *value;           /* values of the matrix; or NULL */
  const int *slot;         /* [entries] place of each entry in the values */
  int stride, count;       /* numbers of a value; entries so far */
} hn_assembly;

/* Adds re + i im, in ROW and COLUMN. */
void hn_assembly_add(hn_assembly *a, int row, int column, double re, double im);
/* Adds all entries for one state. */
void hn_assembly_visit(hn_assembly *a);
/* Stores N columns of sorted places: their starts [n + 1], zero before, rows, and slots by entry. */
void hn_assembly_sort(hn_assembly *a, int n, int *start, int *row, int *slot);

#endif
