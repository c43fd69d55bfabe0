/* linear.h - K p = b: the back ends that factor K, and the one door to them. Internal. */
#ifndef HN_LINEAR_H
#define HN_LINEAR_H

#include "linear/backend.h"

/* K with a back end behind it. */
typedef struct hn_linear {
  const hn_linear_type *type;
  void *self;
  hn_assembly assembly;
  uint64_t pattern; /* of the system when K was analysed */
  double *work;     /* [rows of K] right-hand side in the order of K */
  bool uncouples;   /* rows may be let go of, or left out by a policy */
  int *group;       /* [rows of K] then: what couples: see hn_block_matrix_uncouple */
} hn_linear;

/* Chooses the back end and analyses the pattern of S. */
hn_linear *hn_linear_create(const hn_system *s, const hn_linear_options *options, hn_error *error);
void hn_linear_free(hn_linear *linear);
/* The pattern of S, after blocks have come or gone. */
int hn_linear_analyse(hn_linear *linear, const hn_system *s, hn_error *error);
/* K of the last Jacobian, in which rows couple that are held and, where ROWS_GROUP[nrow] is given, of one group; NULL:
 * all. Not factored yet. */
void hn_linear_fill(hn_system *s, const int *rows_group);
/* Factors the values of K. HN_SINGULAR when the back end says so or when the probe does: see linear.c. */
hn_reason hn_linear_factor(hn_system *s);
/* Solves K p = b, both in the order of packed rows; p is 0 on rows that are not held, whatever b is there. */
hn_reason hn_linear_solve(hn_system *s, const double *b, double *p);
/* Bytes held for K, without what the back end keeps. */
size_t hn_linear_memory(const hn_linear *linear, const hn_system *s);

#endif
