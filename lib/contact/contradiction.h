/* contradiction.h - contact problems whose redundant contacts contradict each other. Internal. */
#ifndef HN_CONTRADICTION_H
#define HN_CONTRADICTION_H

#include "contact.h"

/* Residual, in tolerances, that is accepted where redundant contacts contradict each other by rounding and
 * by the tolerance of their gaps. */
static const double hn_contradiction = 1e4;

/* True if the residual of PROBLEM at P, where its solver has stalled, is at most MOST, m/s. V[nrow] and
 * SCRATCH[6 nbody] are overwritten. */
bool hn_is_met_within(hn_problem *problem, const double *p, double most, double *scratch, double *v);

#endif
