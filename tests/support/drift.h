/* drift.h - drift of a quantity that oscillates, such as the energy of a symplectic method: slope of a line
 * fitted to means over blocks of the run. */
#ifndef HN_TEST_DRIFT_H
#define HN_TEST_DRIFT_H

#include "check.h"

enum { DRIFT_BLOCKS = 100 };

typedef struct drift {
  int steps; /* of the whole run */
  int count; /* values so far */
  double first, least, most;
  double mean[DRIFT_BLOCKS];
} drift;

static inline void drift_add(drift *d, double value)
{
  const int block = (int)((long long)d->count * DRIFT_BLOCKS / d->steps);
  if (d->count == 0) d->first = d->least = d->most = value;
  d->least = fmin(d->least, value), d->most = fmax(d->most, value);
  if (block < DRIFT_BLOCKS) d->mean[block] += (value - d->first) * DRIFT_BLOCKS / d->steps;
  d->count++;
}

/* Returns the range of the values. */
static inline double drift_range(const drift *d)
{
  return d->most - d->least;
}

/* Returns the change over the run along the fitted line. */
static inline double drift_of(const drift *d)
{
  double sum = 0, squares = 0;
  for (int i = 0; i < DRIFT_BLOCKS; i++) {
    const double t = (i + 0.5) / DRIFT_BLOCKS - 0.5;
    sum += t * d->mean[i], squares += t * t;
  }
  return sum / squares;
}

/* Checks that the values oscillate within RANGE, and drift by at most PART of their own range. */
static inline void check_drift(const char *what, const drift *d, double range, double part)
{
  char text[80];
  assert_true(d->count >= d->steps);
  snprintf(text, sizeof text, "%s: range", what);
  check_below(text, drift_range(d), range);
  snprintf(text, sizeof text, "%s: drift over the run", what);
  check_below(text, drift_of(d), part * drift_range(d));
}

#endif
