/* policy.h - the memory of the policies for a singular K, and their common parts. Internal. */
#ifndef HN_POLICY_H
#define HN_POLICY_H

#include "linear/linear.h"
#include "rank/rank_parts.h"

/* Arrays of rows are packed like those of the system. */
typedef struct hn_redundant {
  int policy;  /* hn_redundancy, not HN_REFUSE */
  int *group;  /* [most_rows] entries of K between rows of different groups, and of group -1, are left out */
  int ngroup;  /* loop-split: forests of blocks */
  int *forest; /* [nblock] loop-split: the blocks, forest by forest */
  int *forest_start; /* [ngroup + 1] */
  int *dropped;      /* [ndropped] remove, min-norm: rows whose multipliers follow from the others */
  int ndropped;
  double *norm;   /* [most_rows] root of K's diagonal, 1 for a row of zeros */
  hn_left_null N; /* min-norm: left null space of the scaled rows at the last factorisation */
  double *b, *r, *x, *p,
    *turn;           /* [most_rows]; turn: loop-split, what each row's last turn added to its multiplier */
  double *twist;     /* [6 nbody] */
  double scale;      /* largest scaled right-hand side since the last factorisation */
  bool *in_conflict; /* [most_rows] */
  bool conflict;     /* right-hand sides contradicted each other */
} hn_redundant;

/* The largest of x over the norms of its rows, of those that are held; WHICH may be NULL. */
double hn_redundant_size(const hn_system *s, const double *x, int *which);
/* Does the residual R of a right-hand side of size SIZE say that rows contradict each other? */
bool hn_redundant_contradicts(const hn_system *s, const double *r, double size);
/* twist = 0; twist += (W G' p) of the blocks listed; y = G twist of the blocks listed (COUNT of them; NULL: all). */
void hn_redundant_apply(const hn_system *s, const int *blocks, int count, const double *p, double *twist);
void hn_redundant_rates(const hn_system *s, const int *blocks, int count, const double *twist, double *y);
/* y = K x; not the same array. */
void hn_redundant_multiply(const hn_system *s, const double *x, double *y);
/* Fills K without the entries that the groups leave out, and factors it. */
hn_reason hn_redundant_factor_groups(hn_system *s);

/* loop-split: forests of the graph of blocks, and the common iteration. */
int hn_loops_cut(hn_redundant *d, const hn_system *s, hn_error *error);
hn_reason hn_loops_solve(hn_system *s, const double *b, double *p);
/* Names the rows that kept the last hn_loops_solve from an end; HN_SINGULAR. */
hn_reason hn_loops_conflict(hn_system *s);

#endif
