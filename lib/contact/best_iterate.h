/* best_iterate.h - the loop of contact solvers that evaluate their law in every iteration. Internal. */
#ifndef HN_BEST_ITERATE_H
#define HN_BEST_ITERATE_H

#include "contact.h"

/* The iterates of a contact solver. P and V point to its arrays, which it may exchange. */
typedef struct hn_iterates {
  void (*next)(void *data, const hn_problem *problem); /* replaces p and its velocities v */
  double *const *p, *const *v;                         /* [nrow] */
  double *best;                                        /* [nrow] scratch */
  const double *scale;                                 /* [nblock] of hn_rows_scales */
  bool relaxed;                                        /* the error is that of the relaxed law */
} hn_iterates;

/* Iterates until the error is within the tolerance, or the iterations are used up. P gets the iterate with
 * the smallest error; it is unchanged if the solver is interrupted, or an error is not finite. */
hn_reason hn_find_best_iterate(hn_contact_solver *solver, const hn_problem *problem, const hn_iterates *of,
                               double *p);

#endif
