/* redundant.h - what K p = b means when K is singular: the policies of parameter `redundancy`. Internal. */
#ifndef HN_LINEAR_REDUNDANT_H
#define HN_LINEAR_REDUNDANT_H

#include "linear/linear.h"
#include "rank/rank.h"

/* Arrays of rows are in the order of the model. */
typedef struct hn_redundant {
  int policy;          /* hn_redundancy, not HN_REFUSE */
  int *group;          /* [nrow] entries of K between rows of different groups, and of group -1, are left out */
  int ngroup;          /* loop-split: forests of joints */
  int *forest;         /* [nrow] loop-split: the joints, forest by forest */
  int *forest_start;   /* [ngroup + 1] */
  int *dropped;        /* [ndropped] remove, min-norm: rows whose multipliers follow from the others */
  int ndropped;
  int *group_at;       /* [rows of K] group, in the order of K */
  double *norm;        /* [nrow] root of K's diagonal, 1 for a row of zeros */
  hn_left_null N;      /* min-norm: left null space of the scaled rows at the last factorisation */
  double *b, *r, *x, *p, *turn; /* [nrow]; turn: loop-split, what each row's last turn added to its multiplier */
  double *twist;       /* [6 nbody] */
  double scale;        /* largest scaled right-hand side since the last factorisation */
  bool *in_conflict;   /* [nrow] */
  bool conflict;       /* right-hand sides contradicted each other */
} hn_redundant;

/* NULL on error. */
hn_redundant *hn_redundant_create(const hn_model *model, int policy, hn_error *error);
void hn_redundant_free(hn_redundant *d);
/* As after create: nothing was found to be redundant yet. */
void hn_redundant_forget(hn_redundant *d, const hn_model *model);

/* The doors of system.c, for a system whose linear back end has a policy. */
hn_reason hn_redundant_factor(hn_system *s);
hn_reason hn_redundant_solve(hn_system *s, const double *b, double *p);

/* Fills K without the entries that the groups leave out, and factors it. */
hn_reason hn_redundant_factor_groups(hn_system *s);
/* twist = 0; twist += (W G' p) of the joints listed; y = G twist of the joints listed (COUNT of them; NULL: all). */
void hn_redundant_apply(const hn_system *s, const int *joints, int count, const double *p, double *twist);
void hn_redundant_rates(const hn_system *s, const int *joints, int count, const double *twist, double *y);
/* The largest of x over the norms of its rows; WHICH may be NULL. */
double hn_redundant_size(const hn_system *s, const double *x, int *which);
/* Does the residual R of a right-hand side of size SIZE say that rows contradict each other? */
bool hn_redundant_contradicts(const hn_system *s, const double *r, double size);

/* loop-split: forests of the joint graph, and the common iteration. */
int hn_loops_cut(hn_redundant *d, const hn_model *model, hn_error *error);
hn_reason hn_loops_solve(hn_system *s, const double *b, double *p);
/* Names the rows that kept the last hn_loops_solve from an end; HN_SINGULAR. */
hn_reason hn_loops_conflict(hn_system *s);

/* Why K was refused, to be put behind the reason: the redundant constraints by name, or those in conflict. */
void hn_linear_explain(const hn_system *system, char *text, size_t size);

#endif
