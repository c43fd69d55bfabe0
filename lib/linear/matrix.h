/* matrix.h - the constraint matrix K = G W G' as a block matrix, and how it is put together. Internal.
 *
 * K is kept as the upper triangle of a block matrix in elimination order: constraints leaf first when the mechanism
 * is a tree, by approximate minimum degree otherwise. There are two layouts, and each back end has one:
 *
 *   by constraints  a block row for every constraint, of its size; diagonal blocks have their upper triangle alone
 *   even            blocks of one size: that of all constraints; when they differ, their rows are cut into pairs, with
 *                   rows of the identity here and there to fill one up, or into single numbers. This is the layout of
 *                   PETSc's SBAIJ matrices, which therefore work on it in place. */
#ifndef HN_MATRIX_H
#define HN_MATRIX_H

#include "system.h"

#include <stdlib.h>

typedef struct hn_block_matrix {
  int n;         /* block rows */
  int bs;        /* their size; 0: they differ */
  int *row;      /* [n + 1] first row of each block row, then the number of rows */
  int *start;    /* [n + 1] first block of each block row */
  int *column;   /* [start[n]] block columns, ascending; the diagonal block comes first */
  int *at;       /* [start[n] + 1] first number of each block in value, then how many there are */
  int *diagonal; /* [row[n]] diagonal entries in value */
  double *value; /* [at[start[n]]] blocks, each column by column */
  bool borrowed; /* value belongs to the back end */
} hn_block_matrix;

/* A back end whose own storage has K's layout lends it, so that K is filled where it is needed. */
static inline void hn_block_matrix_lend(hn_block_matrix *K, double *value)
{
  if (!K->borrowed) free(K->value);
  K->value = value;
  K->borrowed = true;
}

/* Where a pair of constraints on one body adds to K, and what: G_row W G_column'. */
typedef struct hn_contribution {
  int row_owner, column_owner; /* the two, numbers of blocks of the system */
  int row_block, column_block; /* offsets of their Jacobians in system->G and system->T */
  int at; /* whole: that block in K.value; else in place: [rows of the row's owner]. Of the first
                                * of its pair, which is stored and not added: ~at, which is negative */
} hn_contribution;

typedef struct hn_assembly {
  hn_block_matrix K;
  bool whole;            /* every constraint is a block row */
  bool upper;            /* of diagonal blocks the upper triangle is enough */
  int *order;            /* [nblock] blocks of the system in elimination order */
  int *row_at;           /* [nrow] row of K of each packed row; those of a constraint follow each other */
  hn_contribution *part; /* [nparts] in order of storage */
  int *place;            /* not whole: entries of the column owner's first column in K.value, row by row */
  int nparts;
} hn_assembly;

/* The blocks of S in elimination order; -1 on error. */
int hn_order_blocks(const hn_system *s, int *order, hn_error *error);

/* BY_CONSTRAINTS or even: see above. */
int hn_assembly_create(hn_assembly *assembly, const hn_system *s, bool by_constraints, hn_error *error);
void hn_assembly_free(hn_assembly *assembly);
/* All values that hn_assembly_fill leaves as they are: zeros, and ones on the diagonal of rows that fill up a block. */
void hn_assembly_clear(hn_assembly *assembly, int nrow);
/* Fills K from the Jacobians G and T = W G' of S. */
void hn_assembly_fill(hn_assembly *assembly, const hn_system *s);
/* Makes zero what couples rows of different groups; GROUP[rows of K], a row of group -1 stands alone. */
void hn_block_matrix_uncouple(hn_block_matrix *K, const int *group);

#endif
