/* supernodes.h - L D L' of a large K by dense parts. Internal. */
#ifndef HN_SUPERNODES_H
#define HN_SUPERNODES_H

#include "linear/pivots.h"

typedef struct hn_supernodes hn_supernodes;

/* Creates the factor of K from its pattern by blocks, START[n + 1] and COLUMN (factor_pattern.h); NULL if
 * out of memory. PIVOTS must outlive it. */
hn_supernodes *hn_supernodes_create(hn_pivots *pivots, const int *start, const int *column);
void hn_supernodes_free(hn_supernodes *f);
hn_reason hn_supernodes_factor(hn_supernodes *f);
/* Solves in place. */
void hn_supernodes_solve(const hn_supernodes *f, double *x);
size_t hn_supernodes_memory(const hn_supernodes *f);

#endif
