/* least_impulses.h - the impulses of least norm among those of a compression with the same velocities.
 * Internal. */
#ifndef HN_LEAST_IMPULSES_H
#define HN_LEAST_IMPULSES_H

#include "event/impact_newton.h"

/* Replaces the impulses d->p, a solution of d->problem, by those of least norm with the same velocities, to a
 * residual of TOLERANCE, m/s. Unchanged if contacts are not redundant or no such impulses are found. */
void hn_least_impulses_find(hn_impact_newton *newton, hn_impact *d, double tolerance);

#endif
