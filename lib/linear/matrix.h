/* matrix.h - the constraint matrix K = G W G' as a block matrix, and its assembly. Internal.
 *
 * K is stored as the upper triangle of a block matrix in elimination order: constraints leaf first for a tree
 * mechanism, by approximate minimum degree otherwise. There are two layouts; each back end uses one:
 *
 *   by constraints  a block row for every constraint, of its size; of diagonal blocks the upper triangle
 *   even            blocks of one size: that of all constraints. If sizes differ, rows are grouped in pairs
 *                   or left single; rows of the identity fill incomplete pairs. This is the layout of PETSc's
 *                   SBAIJ matrices, which therefore work on it in place. */
#ifndef HN_MATRIX_H
#define HN_MATRIX_H

#include "system.h"

#include <stdlib.h>

typedef struct hn_block_matrix {
  int n;         /* block rows */
  int bs;        /* their size; 0 if they differ */
  int *row;      /* [n + 1] first row of each block row, then the number of rows */
  int *start;    /* [n + 1] first block of each block row */
  int *column;   /* [start[n]] block columns, ascending; the diagonal block comes first */
  int *at;       /* [start[n] + 1] offset of each block in value; the last entry is the length of value */
  int *diagonal; /* [row[n]] offsets of the diagonal entries in value */
  double *value; /* [at[start[n]]] blocks, each column by column */
  bool borrowed; /* value belongs to the back end */
} hn_block_matrix;

/* Makes K use the storage of a back end with the same layout, so that K is assembled there. */
static inline void hn_block_matrix_lend(hn_block_matrix *K, double *value)
{
  if (!K->borrowed) free(K->value);
  K->value = value;
  K->borrowed = true;
}

/* Contribution of two constraints on a common body to K: G_row W G_column'. */
typedef struct hn_contribution {
  int row_owner, column_owner; /* the two constraints, as blocks of the system */
  int row_block, column_block; /* offsets of their Jacobians in system->G and system->T */
  /* aligned: offset of the block in K.value; otherwise: offset in entry_at, [rows of the row's owner]. The
   * first contribution of a pair is stored, not added, and has ~at, which is negative. */
  int at;
} hn_contribution;

typedef struct hn_assembly {
  hn_block_matrix K;
  bool aligned;          /* every constraint is one block row */
  bool upper;            /* only the upper triangle of diagonal blocks is computed */
  int *order;            /* [nblock] blocks of the system in elimination order */
  int *row_at;           /* [nrow] row of K of each packed row; rows of a constraint are consecutive */
  hn_contribution *part; /* [nparts] in storage order */
  /* not aligned: offsets in K.value of the first column of the column's owner, row by row */
  int *entry_at;
  int nparts;
} hn_assembly;

/* Computes the elimination order of the blocks of S; -1 on error. */
int hn_order_blocks(const hn_system *s, int *order, hn_error *error);

/* Creates the pattern of K in the layout by constraints or the even one; -1 on error. */
int hn_assembly_create(hn_assembly *assembly, const hn_system *s, bool by_constraints, hn_error *error);
void hn_assembly_free(hn_assembly *assembly);
/* Initialises the values that hn_assembly_fill does not set: zeros, and ones on the diagonal of identity
 * rows. */
void hn_assembly_clear(hn_assembly *assembly, int nrow);
/* Computes K from the Jacobians G and T = W G' of S. */
void hn_assembly_fill(hn_assembly *assembly, const hn_system *s);
/* Clears entries between rows of different groups, group[rows of K]; a row of group -1 keeps its diagonal
 * entry only. */
void hn_block_matrix_uncouple(hn_block_matrix *K, const int *group);

#endif
