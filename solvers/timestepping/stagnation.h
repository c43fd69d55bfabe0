/* stagnation.h - detection of sweeps that no longer seem to reduce the residual. */
#ifndef HN_STAGNATION_H
#define HN_STAGNATION_H

#include <stdbool.h>

/* The smallest residuals before the number of sweeps last doubled, and since then. */
typedef struct hn_stagnation {
  double previous, current;
} hn_stagnation;

/* Starts before the first sweep. */
void hn_stagnation_begin(hn_stagnation *stagnation);
/* Adds the RESIDUAL of sweep number COUNT, from 1. True if LIMIT more sweeps would not reach TOLERANCE at the
 * mean reduction per sweep since sweep COUNT / 2. */
bool hn_stagnates(hn_stagnation *stagnation, int count, double residual, double tolerance, int limit);

#endif
