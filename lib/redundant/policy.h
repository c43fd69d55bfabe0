/* policy.h - data of the policies for a singular K, and their common functions. Internal. */
#ifndef HN_POLICY_H
#define HN_POLICY_H

#include "base/array.h"
#include "linear/linear.h"
#include "rank/rank_parts.h"

/* Arrays of rows are packed like those of the system. */
typedef struct hn_redundant {
  int policy; /* hn_redundancy, not HN_REFUSE */
  hn_arrays arrays;
  int *group;  /* [max_rows] entries of K between rows of different groups, and of group -1, are left out */
  int ngroup;  /* loop-split: number of forests */
  int *forest; /* [nblock] loop-split: blocks, forest by forest */
  int *forest_start; /* [ngroup + 1] */
  int *dropped;      /* [ndropped] remove, min-norm: redundant rows, left out of K */
  int ndropped;
  double *norm;               /* [max_rows] root of K's diagonal; 1 for a zero row */
  hn_left_null N;             /* min-norm: left null space of the scaled rows at the last factorisation */
  double *b, *r, *x, *p, *dp; /* [max_rows]; dp: loop-split, last change of the multipliers */
  double *twist;              /* [6 nbody] */
  double scale;               /* largest scaled right-hand side since the last factorisation */
  bool *in_conflict;          /* [max_rows] rows named by hn_linear_explain */
  bool conflict;              /* the last factorisation or solution ended with contradictory rows */
} hn_redundant;

/* Returns the largest |x| of a held row divided by the norm of the row, and the row in *WHICH if not NULL. */
double hn_redundant_size(const hn_system *s, const double *x, int *which);
/* True if the residual R for a right-hand side of size SIZE means that rows contradict each other. */
bool hn_redundant_contradicts(const hn_system *s, const double *r, double size);
/* Marks the rows in conflict: scaled entries of NULL_VECTOR above PART of the largest. Returns
 * HN_SINGULAR. */
hn_reason hn_redundant_mark_conflict(hn_system *s, const double *null_vector, double part);
/* twist += (W G' p) of COUNT listed blocks, and y = G twist of COUNT listed blocks. BLOCKS NULL: the first
 * COUNT. */
void hn_redundant_apply(const hn_system *s, const int *blocks, int count, const double *p, double *twist);
void hn_redundant_rates(const hn_system *s, const int *blocks, int count, const double *twist, double *y);
/* y = K x; the arrays must differ. */
void hn_redundant_multiply(const hn_system *s, const double *x, double *y);
/* Fills K without the entries that the groups leave out, and factors it. */
hn_reason hn_redundant_factor_groups(hn_system *s);

/* loop-split: cut the graph of blocks into forests; solve by block Gauss-Seidel. */
int hn_loops_cut(hn_redundant *d, const hn_system *s, hn_error *error);
hn_reason hn_loops_solve(hn_system *s, const double *b, double *p);
/* Marks the rows that kept the last hn_loops_solve from converging; returns HN_SINGULAR. */
hn_reason hn_loops_conflict(hn_system *s);

#endif
