/* anderson.h - Anderson's acceleration of x := T(x), of type II, with a way back. Internal.
 *
 *   f = T(x) - x,   minimise |f - F c|,   x := T(x) - (X + F) c,   columns of F and X: the last changes of f and of x
 *
 * What T does to the last few directions it is not asked again: where its slow part is linear, a few of them are all of
 * it. Norms are weighted. [Walker and Ni, SIAM J. Numer. Anal. 49 (2011) 1715; of splittings: Zhang, O'Donoghue and
 * Boyd, SIAM J. Optim. 30 (2020) 3170] */
#ifndef HN_CONTACT_ANDERSON_H
#define HN_CONTACT_ANDERSON_H

#include <stdbool.h>
#include <stddef.h>

enum { HN_ANDERSON = 10 }; /* columns */

typedef struct hn_anderson {
  int count, next;                       /* columns that there are; where the next one goes */
  double *x, *f, *plain;                 /* [n] of the step before; T(x) */
  double *X, *F;                         /* [HN_ANDERSON n] */
  double gram[HN_ANDERSON][HN_ANDERSON]; /* F' F, weighted */
  double least;                          /* |f|, since there is something before; negative: there is not */
  bool leapt;                            /* x was made from it by more than T */
  int wait, pause;                       /* steps without a leap, still to go and after the next failure */
} hn_anderson;

/* Room for N numbers; false without memory. */
bool hn_anderson_create(hn_anderson *a, size_t n);
void hn_anderson_free(hn_anderson *a);
/* Another T: nothing is known. */
void hn_anderson_start(hn_anderson *a);
/* Nothing before. */
void hn_anderson_forget(hn_anderson *a);
/* X[n], which T took to TX[n], becomes the next one; WEIGHT[n]. */
void hn_anderson_leap(hn_anderson *a, int n, const double *weight, const double *tx, double *x);

#endif
