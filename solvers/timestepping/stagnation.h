/* stagnation.h - sweeps that gain nothing more. */
#ifndef HN_STAGNATION_H
#define HN_STAGNATION_H

#include <stdbool.h>

/* The least residual of the sweeps before their number last doubled, and of those since. */
typedef struct hn_stagnation {
  double before, since;
} hn_stagnation;

/* Before the first sweep. */
void hn_stagnation_begin(hn_stagnation *stagnation);
/* Takes in the RESIDUAL of sweep number COUNT, from 1. True where LIMIT more sweeps would not reach TOLERANCE, each
 * gaining what one has gained in the mean since their number was half of COUNT. */
bool hn_stagnates(hn_stagnation *stagnation, int count, double residual, double tolerance, int limit);

#endif
