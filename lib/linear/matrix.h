/* matrix.h - the constraint matrix K = G W G' as a block matrix, and its assembly. Internal.
 *
 * K is stored as the upper triangle of a block matrix in elimination order: constraints leaf first for a tree
 * mechanism, by approximate minimum degree otherwise. There are two layouts; each back end uses one:
 *
 *   by constraints  a block row for every constraint, of its size; of diagonal blocks the upper triangle
 *   even            blocks of one size: that of all constraints. If sizes differ, rows are grouped in pairs
 *                   or left single; rows of the identity fill incomplete pairs. This is the layout of PETSc's
 *                   SBAIJ matrices, which therefore work on it in place.
 *
 * In the layout by constraints, hubs (hubs.h) may be block rows too. The matrix is then
 *
 *   [ K_0  C ]    C = G_hubs W_hubs^1/2,  K = K_0 + C C'
 *   [ C'  -I ]
 *
 * and K is its Schur complement. `scale` has the diagonal of K, and -1 in rows of hubs. */
#ifndef HN_MATRIX_H
#define HN_MATRIX_H

#include "linear/hubs.h"

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
  double *scale; /* [row[n]] with hubs: diagonal of K, -1 in rows of hubs; NULL without hubs */
} hn_block_matrix;

/* Returns the diagonal entry of K in row ROW of the matrix; -1 in a row of a hub. */
static inline double hn_block_matrix_diagonal(const hn_block_matrix *K, int row)
{
  return K->scale ? K->scale[row] : K->value[K->diagonal[row]];
}

/* Adds X to the diagonal of K in row ROW. */
static inline void hn_block_matrix_add(hn_block_matrix *K, int row, double x)
{
  K->value[K->diagonal[row]] += x;
  if (K->scale) K->scale[row] += x;
}

/* Multiplies the diagonal of K in row ROW by 1 + PART. */
static inline void hn_block_matrix_raise(hn_block_matrix *K, int row, double part)
{
  if (K->scale) hn_block_matrix_add(K, row, part * K->scale[row]);
  else K->value[K->diagonal[row]] *= 1.0 + part;
}

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

/* Block C = G W^1/2 of a joint and a hub. */
typedef struct hn_hub_part {
  int joint, hub;   /* block of the system; index of the hub */
  int block;        /* offset in system->G of the joint's Jacobian for the body of the hub */
  int at;           /* offset in K.value */
  int row;          /* first row of the joint in K */
  bool joint_first; /* the joint is the row and the hub the column; otherwise the block is transposed */
  bool only_hubs;   /* the joint has no moving body but hubs: its diagonal block has no contribution */
} hn_hub_part;

typedef struct hn_assembly {
  hn_block_matrix K;
  hn_hubs hubs;
  bool aligned;          /* every constraint is one block row */
  bool upper;            /* only the upper triangle of diagonal blocks is computed */
  int *order;            /* [nblock + hubs.count] blocks and hubs in elimination order, see hn_order_blocks */
  int *row_at;           /* [nrow] row of K of each packed row; rows of a constraint are consecutive */
  hn_contribution *part; /* [nparts] in storage order */
  /* not aligned: offsets in K.value of the first column of the column's owner, row by row */
  int *entry_at;
  int nparts;
  hn_hub_part *hub_part; /* [nhub_parts] in storage order */
  double *hub_root;      /* [9 hubs.count] L of each hub, L L' = inverse inertia in world axes */
  int nhub_parts;
} hn_assembly;

/* Computes the elimination order of the blocks of S and of hubs (NULL: none): entry j < nblock is block j,
 * nblock + h is hub h; -1 on error. */
int hn_order_blocks(const hn_system *s, const hn_hubs *hubs, int *order, hn_error *error);

/* Layout of K. */
typedef enum hn_layout { HN_EVEN, HN_BY_CONSTRAINTS, HN_WITH_HUBS } hn_layout;

/* Creates the pattern of K; -1 on error. HN_WITH_HUBS: by constraints, with hubs if they save half of the
 * work of a factorisation or more. */
int hn_assembly_create(hn_assembly *assembly, const hn_system *s, hn_layout layout, hn_error *error);
/* The same for the hubs of ASSEMBLY, which is otherwise zero. */
int hn_assembly_build(hn_assembly *assembly, const hn_system *s, bool by_constraints, hn_error *error);
void hn_assembly_free(hn_assembly *assembly);
/* Initialises the values that hn_assembly_fill does not set: zeros, and ones on the diagonal of identity
 * rows. */
void hn_assembly_clear(hn_assembly *assembly, int nrow);
/* Computes K from the Jacobians G and T = W G' of S. */
void hn_assembly_fill(hn_assembly *assembly, const hn_system *s);
/* r -= K x, with the entries of both triangles. */
void hn_block_matrix_subtract(const hn_block_matrix *K, const double *x, double *r);
/* Clears entries between rows of different groups, group[rows of K]; a row of group -1 keeps its diagonal
 * entry only. Rows of hubs are in group 0, and no row in another group than 0 and -1 if there are hubs. */
void hn_block_matrix_uncouple(hn_block_matrix *K, const int *group);

#endif
