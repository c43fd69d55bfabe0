/* stagnation.c - detection of sweeps that no longer reduce the residual.
 *
 * The error of a linear iteration is a sum of parts that decay, each by its own factor, so the reduction per
 * sweep decreases. If the mean reduction since half of the sweeps, continued for as many as are allowed, does
 * not reach the tolerance, further sweeps hardly reach it. Residuals may fluctuate, as blocks within the
 * tolerance are skipped. The smallest ones of spans of sweeps are therefore compared, each span as long as
 * all before it. This is a hint, not a proof: the parts can cancel, and residuals of sweeps that converge
 * rest for a while or rise. */
#include "timestepping/stagnation.h"

#include <math.h>

enum { FIRST_SPAN = 32 }; /* sweeps in which fast parts may decay */

void hn_stagnation_begin(hn_stagnation *stagnation)
{
  *stagnation = (hn_stagnation){ HUGE_VAL, HUGE_VAL };
}

bool hn_stagnates(hn_stagnation *stagnation, int count, double residual, double tolerance, int limit)
{
  stagnation->current = fmin(stagnation->current, residual);
  if (count < FIRST_SPAN || (count & (count - 1)) != 0) return false;
  const double gain = fabs(stagnation->previous - stagnation->current) / (0.5 * count);
  const bool stagnates = gain * limit < stagnation->current - tolerance;
  stagnation->previous = stagnation->current, stagnation->current = HUGE_VAL;
  return stagnates;
}
