/* linear.h - the constraint matrix K = G W G' and the back ends that factor it. Internal.
 *
 * K is kept as the upper triangle of a block matrix in elimination order: joints leaf first when the mechanism is a
 * tree, by approximate minimum degree otherwise. Blocks have the common size of all joints; when joints differ, their
 * rows are cut into pairs, with rows of the identity here and there to fill one up, or into single numbers. This is the
 * layout of PETSc's SBAIJ matrices, which therefore work on it in place. */
#ifndef HN_LINEAR_H
#define HN_LINEAR_H

#include "system.h"

#include <stdlib.h>

typedef struct hn_block_matrix {
  int n;          /* block rows */
  int bs;         /* block size */
  int *start;     /* [n + 1] first block of each row */
  int *column;    /* [start[n]] block columns, ascending; the diagonal block comes first */
  double *value;  /* [start[n] * bs * bs] blocks, each column by column */
  bool borrowed;  /* value belongs to the back end */
} hn_block_matrix;

/* A back end whose own storage has K's layout lends it, so that K is filled where it is needed. */
static inline void hn_block_matrix_lend(hn_block_matrix *K, double *value)
{
  if (!K->borrowed) free(K->value);
  K->value = value;
  K->borrowed = true;
}

/* A back end. It may keep pointers into K, whose pattern is constant and whose values change between factorisations. */
typedef struct hn_linear_type hn_linear_type;
struct hn_linear_type {
  const char *name;
  const void *detail;          /* of back ends that share their functions: which one this is */
  /* Analyses the pattern; NULL on error. */
  void *(*create)(const hn_linear_type *type, hn_block_matrix *K, const char *options, hn_error *error);
  hn_reason (*factor)(void *self);
  hn_reason (*solve)(void *self, double *x); /* x holds b, then the solution */
  void (*free)(void *self);
};

/* Module hn_petsc exports this: back ends, ended by one without a name. */
typedef const hn_linear_type hn_linear_module[];
#define HN_PETSC_BACKENDS "hn_petsc_backends"

extern const hn_linear_type hn_linear_dense;

/* Diagonal entry of row i. */
static inline double *hn_block_matrix_diagonal(const hn_block_matrix *K, int i)
{
  int row = i / K->bs, r = i % K->bs;
  return &K->value[(size_t)K->start[row] * (size_t)(K->bs * K->bs) + (size_t)(r * K->bs + r)];
}

/* Where a pair of joints on one body adds to K, and what: G_row W G_column'. */
typedef struct hn_contribution {
  int row_joint, column_joint;
  int row_block, column_block; /* offsets of their Jacobian blocks in system->G and system->T */
  bool first;                  /* of its pair of joints: store instead of add */
  int at;                      /* uniform blocks: that block in K.value; else in place: [rows of the row joint] */
} hn_contribution;

typedef struct hn_assembly {
  hn_block_matrix K;
  bool uniform;                /* all joints have K.bs rows */
  int *order;                  /* [njoint] joints in elimination order */
  int *row_at;                 /* [nrow] row of K of each packed row; those of a joint follow each other */
  hn_contribution *part;       /* [nparts] in order of storage */
  int *place;                  /* not uniform: entries of the column joint's first column in K.value, row by row */
  int nparts;
} hn_assembly;

/* Joints in elimination order; -1 on error. */
int hn_order_joints(const hn_model *model, int *order, hn_error *error);

int hn_assembly_create(hn_assembly *assembly, const hn_model *model, hn_error *error);
void hn_assembly_free(hn_assembly *assembly);
/* All values that hn_assembly_fill leaves as they are: zeros, and ones on the diagonal of rows that fill up a block. */
void hn_assembly_clear(hn_assembly *assembly, int nrow);
/* Fills K from the packed Jacobians G and T = W G'. A joint of one row that is OFF has zeros in G and gets the row of
 * the identity; OFF may be NULL. */
void hn_assembly_fill(hn_assembly *assembly, const hn_model *model, const double *G, const double *T, const bool *off);

/* K with a back end behind it. */
typedef struct hn_linear {
  const hn_linear_type *type;
  void *self;
  hn_assembly assembly;
  double *work;                /* [rows of K] right-hand side in the order of K */
  int nrow;                    /* of the model: K may have more */
} hn_linear;

hn_linear *hn_linear_create(const hn_model *model, const hn_linear_options *options, hn_error *error);
void hn_linear_free(hn_linear *linear);
/* Factors the values of K. HN_SINGULAR when the back end says so or when the probe does: see linear.c. */
hn_reason hn_linear_factor(hn_linear *linear);
/* Solves K p = b, both in the order of the model's rows. */
hn_reason hn_linear_solve(hn_linear *linear, const double *b, double *p);

#endif
