/* event_root.c - the root of a function of time within a step.
 *
 * A bracket of two times with values of different signs is divided at the root of a parabola through the
 * last three values, inversely, where these are nearly monotone, and else in its middle; until a value is
 * within the tolerance or the bracket is a few rounding units long. Steps back from there, which double,
 * end where the value is not negative: no event has happened before that time. [Chandrupatla, Adv. Eng.
 * Software 28 (1997) 145]
 *
 * A function may have values after its event only, such as the violation of a law that held before. The
 * secant through two of these values then leads to the event. Where it leads out of the bracket, or too many
 * steps have not halved the bracket, the middle is tried. */
#include "event/event_root.h"

#include <float.h>
#include <math.h>

enum { MAX_ITERATIONS = 200 };
/* Secants that may fail to halve bracket or value of an onset before each step bisects. */
enum { MAX_MISSES = 8 };
/* A step to an onset leaves at least this fraction of the bracket on each side. */
static const double least_part = 1e-3;
static const double aim_part =
  0.1; /* value that a secant aims at, relative to the last one times its reduction */

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
    const double width = fabs(b.s - a.s);
    const double at = a.s + part * (b.s - a.s);
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

/* Bracket of an onset: the value is negative at `high` and at `later`, an earlier high, but not at `low`. */
typedef struct onset {
  double low;
  sample high, later; /* later.value 0: unknown */
  int misses;         /* steps that halved neither the bracket nor the value */
} onset;

/* Returns the next time to try. A secant misses the event of a curved function by a part of the value that
 * falls with the reduction of the last step: it aims at that value, behind the event. */
static double next_step(const onset *b, double tolerance)
{
  const double reduction = b->high.value / b->later.value;
  const double aim = fmax(0.5 * tolerance, -aim_part * reduction * b->high.value);
  const double width = b->high.s - b->low, middle = b->low + 0.5 * width;
  const double slope = (b->later.value - b->high.value) / (b->later.s - b->high.s);
  if (!(b->later.value < 0.0 && slope < 0.0) || b->misses >= MAX_MISSES) return middle;
  const double event = b->high.s - (b->high.value + aim) / slope;
  if (!(event > b->low + least_part * width)) return middle;
  return fmin(event, b->high.s - least_part * width);
}

bool hn_root_find_onset(hn_root_function *value, void *user, double tolerance, double unit, double at_s,
                        double *s)
{
  onset b = { .high = { *s, at_s } };
  while (-b.high.value > tolerance && b.high.s - b.low > unit) {
    const double at = next_step(&b, tolerance), width = b.high.s - b.low;
    if (!(at > b.low && at < b.high.s)) break;
    const sample x = { at, value(user, at) };
    if (isnan(x.value)) return false;
    if (x.value < 0.0) b.later = isinf(b.high.value) ? (sample){ 0 } : b.high, b.high = x;
    else b.low = at;
    const bool nearer = x.value < 0.0 && b.later.value < 0.0 && b.high.value > 0.5 * b.later.value;
    b.misses += b.high.s - b.low > 0.5 * width && !nearer;
  }
  *s = b.high.s;
  return true;
}
