/* event_root.c - the root of a function of time within a step.
 *
 * A bracket of two times with values of different signs is divided at the root of a parabola through the
 * last three values, inversely, where these are nearly monotone, and else in its middle; until a value is
 * within the tolerance or the bracket is a few rounding units long. Steps back from there, which double,
 * end where the value is not negative: no event has happened before that time. [Chandrupatla, Adv. Eng.
 * Software 28 (1997) 145] */
#include "event/event_root.h"

#include <float.h>
#include <math.h>

enum { MAX_ITERATIONS = 200 };

typedef struct sample {
  double s, value;
} sample;

/* Returns where to divide the bracket from A, the last sample, to B, as a part of it; C is the sample
 * before them. */
static double division(sample a, sample b, sample c)
{
  const double xi = (a.s - b.s) / (c.s - b.s), phi = (a.value - b.value) / (c.value - b.value);
  if (!(phi * phi < xi && (1.0 - phi) * (1.0 - phi) < 1.0 - xi)) return 0.5;
  return a.value / (b.value - a.value) * c.value / (b.value - c.value) +
         (c.s - a.s) / (b.s - a.s) * a.value / (c.value - a.value) * b.value / (c.value - b.value);
}

bool hn_root_find(hn_root_function *value, void *user, double tolerance, double at_zero, double h,
                  double at_h, double guess, double *s)
{
  const double unit = 4.0 * DBL_EPSILON * h;
  sample a = { 0.0, at_zero }, b = { h, at_h }, c;
  double part = guess > 0.0 && guess < h ? guess / h : a.value / (a.value - b.value);
  for (int i = 0; i < MAX_ITERATIONS; i++) {
    const double at = a.s + part * (b.s - a.s), width = fabs(b.s - a.s);
    const sample x = { at, value(user, at) };
    if (isnan(x.value)) return false;
    if ((x.value > 0.0) == (a.value > 0.0)) c = a;
    else c = b, b = a;
    a = x;
    if (fabs(a.value) <= tolerance || fabs(b.s - a.s) <= unit || !(width > unit)) break;
    const double least = 0.5 * unit / fabs(b.s - a.s);
    part = fmin(fmax(division(a, b, c), least), 1.0 - least);
  }
  const sample low = a.value >= 0.0 ? a : b.value >= 0.0 ? b : (sample){ 0.0, at_zero };
  /* back to where the value is not negative: by the slope of the bracket, since values near a grazing root
   * stay at rounding over a long time; then farther and farther */
  const double slope = (low.value - a.value) / (a.s - low.s);
  for (double back = fmax(DBL_EPSILON * h, -a.value / slope); a.value < 0.0; back *= 2.0) {
    if (a.s - back <= low.s) a = low;
    else a.s -= back, a.value = value(user, a.s);
    if (isnan(a.value)) return false;
  }
  *s = a.s;
  return true;
}
