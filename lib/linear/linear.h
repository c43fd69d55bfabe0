/* linear.h - K p = b: the common interface to the back ends. Internal. */
#ifndef HN_LINEAR_H
#define HN_LINEAR_H

#include "linear/backend.h"
#include "linear/system_parts.h"

/* K and its back end. */
typedef struct hn_linear {
  const hn_linear_type *type;
  void *self;
  hn_assembly assembly;
  uint64_t pattern;  /* system->pattern when K was analysed */
  double *work;      /* [rows of K] right-hand side in the order of K */
  bool splits;       /* entries between groups of rows are left out (loop-split): K has no hubs */
  bool can_uncouple; /* rows may be released, or dropped by a policy */
  int *group;        /* [rows of K] if can_uncouple: see hn_block_matrix_uncouple */
} hn_linear;

/* Creates the back end and analyses the pattern of S; NULL on error. */
hn_linear *hn_linear_create(const hn_system *s, const hn_linear_options *options, hn_error *error);
void hn_linear_free(hn_linear *linear);
/* Analyses the pattern of S again, after blocks have appeared or disappeared. */
int hn_linear_analyse(hn_linear *linear, const hn_system *s, hn_error *error);
/* Computes K, with its compliance, from the last Jacobian, without factoring it. Only held rows are coupled,
 * and, if ROWS_GROUP[nrow] is not NULL, only those of the same group. */
void hn_linear_fill(hn_system *s, const int *rows_group);
/* Factors K. Returns HN_SINGULAR if the back end or the probe finds K singular (see linear.c). */
hn_reason hn_linear_factor(hn_system *s);
/* Solves K p = b, both in the order of packed rows; p is 0 on rows that are not held, whatever b. */
hn_reason hn_linear_solve(hn_system *s, const double *b, double *p);
/* Returns the bytes held for K, including those that the back end reports. */
size_t hn_linear_memory(const hn_linear *linear, const hn_system *s);

#endif
