/* anderson.h - Anderson acceleration, type II, of a fixed-point iteration x := T(x), with a safeguard.
 * Internal.
 *
 *   f = T(x) - x,   c = argmin |f - dF c|,   x := T(x) - (dX + dF) c
 *
 * The columns of dX and dF are the last changes of x and of f. Where the slow part of T is linear and of few
 * dimensions, a few columns describe it fully. If |f| after an accelerated step is more than twice the
 * smallest one since the restart, the step is taken back to T(x), the history is discarded and the next steps
 * are plain: 10 of them, twice as many after each failure. Norms are weighted: |f|^2 = sum of (weight f)^2.
 *
 * To accelerate T: create once; reset for each new problem; compute T(x) and call hn_anderson_step in a loop.
 * [Walker and Ni, SIAM J. Numer. Anal. 49 (2011) 1715; of splittings: Zhang, O'Donoghue and Boyd, SIAM J.
 * Optim. 30 (2020) 3170] */
#ifndef HN_CONTACT_ANDERSON_H
#define HN_CONTACT_ANDERSON_H

#include <stdbool.h>
#include <stddef.h>

enum { HN_ANDERSON_COLUMNS = 10 };

typedef struct hn_anderson {
  int count, next;                                       /* columns in use; index of the next one, cyclic */
  double *x, *f, *tx;                                    /* [n] of the last step; tx = T(x) */
  double *dX, *dF;                                       /* [HN_ANDERSON_COLUMNS n] */
  double gram[HN_ANDERSON_COLUMNS][HN_ANDERSON_COLUMNS]; /* dF' dF, weighted */
  double min_residual; /* smallest |f| since the restart; negative before the first step */
  bool accelerated;    /* the last step was more than T(x) */
  int wait, pause;     /* plain steps left; plain steps after the next failure */
} hn_anderson;

/* Allocates for N numbers; false without memory. */
bool hn_anderson_create(hn_anderson *a, size_t n);
void hn_anderson_free(hn_anderson *a);
/* Prepares for a new problem: discards the history and the failures. */
void hn_anderson_reset(hn_anderson *a);
/* Discards the history: T is another one from now on. */
void hn_anderson_restart(hn_anderson *a);
/* Replaces X[n] by the next iterate, given TX[n] = T(x); WEIGHT[n]. */
void hn_anderson_step(hn_anderson *a, int n, const double *weight, const double *tx, double *x);

#endif
