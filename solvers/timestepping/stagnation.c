/* stagnation.c - sweeps that gain nothing more.
 *
 * What a linear iteration leaves is a sum of parts that decay, each by its own factor: what a sweep gains gets smaller
 * with their number. So when the gain since half of the sweeps, kept up for as many as are allowed, does not reach the
 * tolerance, they will not reach it either. Residuals may go up and down from sweep to sweep, for blocks within the
 * tolerance are left alone; so the least ones of whole spans of sweeps are compared, where their number has doubled. */
#include "timestepping/stagnation.h"

#include <math.h>

enum { FIRST_SPAN = 32 }; /* sweeps in which the fast parts may die away */

void hn_stagnation_begin(hn_stagnation *stagnation)
{
  *stagnation = (hn_stagnation){ HUGE_VAL, HUGE_VAL };
}

bool hn_stagnates(hn_stagnation *stagnation, int count, double residual, double tolerance, int limit)
{
  stagnation->since = fmin(stagnation->since, residual);
  if (count < FIRST_SPAN || (count & (count - 1)) != 0) return false;
  const double gain = fabs(stagnation->before - stagnation->since) / (0.5 * count);
  const bool stagnates = gain * limit < stagnation->since - tolerance;
  stagnation->before = stagnation->since, stagnation->since = HUGE_VAL;
  return stagnates;
}
