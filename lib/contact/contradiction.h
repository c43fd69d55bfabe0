/* contradiction.h - problems of contact that are met as well as they can be. Internal. */
#ifndef HN_CONTRADICTION_H
#define HN_CONTRADICTION_H

#include "contact.h"

/* Of a tolerance: what contacts that repeat each other may contradict each other by, where rounding and what
 * gaps are known to have made them. */
static const double hn_contradiction = 1e4;

/* Is the law of PROBLEM met at P, where its solver has stalled, but for MOST, in its unit? V[nrow] and
 * SCRATCH[6 nbody] are overwritten. */
bool hn_is_met_within(hn_problem *problem, const double *p, double most, double *scratch, double *v);

#endif
