/* backend.h - the interface of linear back ends, which factor K and solve with it. Internal. */
#ifndef HN_BACKEND_H
#define HN_BACKEND_H

#include "linear/matrix.h"

/* A back end. It may keep pointers into the K that it has analysed: its pattern is constant, its values
 * change between factorisations. */
typedef struct hn_linear_type hn_linear_type;
struct hn_linear_type {
  const char *name;
  const void *detail;    /* data of one of several back ends with common functions */
  bool by_constraints;   /* layout of K, see matrix.h */
  bool detects_singular; /* factor detects a singular K by the criterion of linear.c; no probe is needed */
  /* OPTIONS are checked PETSc options, see petsc_options.h. NULL on error. */
  void *(*create)(const hn_linear_type *type, const char *options, hn_error *error);
  /* Analyses the pattern of K; called again if K gets another pattern. -1 on error. */
  int (*analyse)(void *self, hn_block_matrix *K, hn_error *error);
  hn_reason (*factor)(void *self);
  hn_reason (*solve)(void *self, double *x); /* x holds b, then the solution */
  size_t (*memory)(const void *self);        /* bytes held; NULL if the library does not report them */
  void (*free)(void *self);
};

/* Module hn_petsc exports an array of back ends, ended by one without a name. */
typedef const hn_linear_type hn_linear_module[];
#define HN_PETSC_BACKENDS "hn_petsc_backends"

extern const hn_linear_type hn_linear_dense, hn_linear_ldl;

/* Returns the number of pivots that the last factorisation by ldl increased (ldl.c). */
int hn_ldl_increased(const void *self);

#endif
