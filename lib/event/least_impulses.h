/* least_impulses.h - the least of the impulses that solve a compression. Internal. */
#ifndef HN_LEAST_IMPULSES_H
#define HN_LEAST_IMPULSES_H

#include "event/impact_newton.h"

/* Replaces the impulses d->p, the last solution by d->islands of d->problem, by the least ones that solve it,
 * to a residual of TOLERANCE, m/s. An island of bodies is unchanged if no redundant contacts are in it, or if
 * no such impulses are found. */
void hn_least_impulses_find(hn_impact_newton *newton, hn_impact *d, double tolerance);

#endif
