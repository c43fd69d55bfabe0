/* backend.h - what factors K and solves with it: the seam to libraries of linear algebra. Internal. */
#ifndef HN_BACKEND_H
#define HN_BACKEND_H

#include "linear/matrix.h"

/* A back end. It may keep pointers into the K it has analysed, whose pattern is constant and whose values change
 * between factorisations. */
typedef struct hn_linear_type hn_linear_type;
struct hn_linear_type {
  const char *name;
  const void *detail;  /* of back ends that share their functions: which one this is */
  bool by_constraints; /* the layout of K: see matrix.h */
  bool detects;        /* factor tells a singular K, by the measure of linear.c: no probe is needed */
  /* OPTIONS for PETSc are those that have passed, see petsc_options.h. NULL on error. */
  void *(*create)(const hn_linear_type *type, const char *options, hn_error *error);
  /* Takes the pattern of K; called again when K has another one. -1 on error. */
  int (*analyse)(void *self, hn_block_matrix *K, hn_error *error);
  hn_reason (*factor)(void *self);
  hn_reason (*solve)(void *self, double *x); /* x holds b, then the solution */
  size_t (*memory)(const void *self);        /* bytes held; NULL: what a library holds it does not tell */
  void (*free)(void *self);
};

/* Module hn_petsc exports this: back ends, ended by one without a name. */
typedef const hn_linear_type hn_linear_module[];
#define HN_PETSC_BACKENDS "hn_petsc_backends"

extern const hn_linear_type hn_linear_dense, hn_linear_ldl;

#endif
