/* expansion.h - friction in the expansion of an impact (impact.c). Internal. */
#ifndef HN_EXPANSION_H
#define HN_EXPANSION_H

#include "parts.h"

typedef struct hn_expansion hn_expansion;

/* Creates the expansion of impacts of SYSTEM. NULL on error. */
hn_expansion *hn_expansion_create(const hn_system *system, hn_error *error);
void hn_expansion_free(hn_expansion *expansion);
/* Replaces p1 in d->p by the impulses of least norm with the same velocities (least_impulses.h). */
void hn_expansion_share(hn_impact *d, int rows);
/* Expands: from p1 in d->first, and e p1_n in d->more and in d->base, to p2, which is the sum of d->base and
 * d->p. */
hn_reason hn_expansion_solve(hn_solver *solver, hn_impact *d);

#endif
