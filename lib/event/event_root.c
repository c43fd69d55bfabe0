/* event_root.c - the root of a function of time within a step.
 *
 * A bracket of two times with values of different signs is divided at the root of a parabola through the
 * last three values, inversely, where these are nearly monotone, and else in its middle; until a value is
 * within the tolerance, values near the root no longer fall, or the bracket is a few rounding units long.
 * Steps back from there, which double, end where the value is not negative: no event has happened before that
 * time. If the value at 0 is unknown, and values towards 0 stay negative, the event is at 0. [Chandrupatla,
 * Adv. Eng. Software 28 (1997) 145]
 *
 * A function may have values after its event only, such as the violation of a law that held before. The
 * secant through two of these values, or the parabola through three, then leads to the event. Where it
 * leads out of the bracket, or too many steps have not halved the bracket, the middle is tried, and a time
 * little after one that was before the event. Bisection would need 50 evaluations, each a motion of the
 * inner solver; Chandrupatla's method needs values on both sides.
 *
 * The constants below shorten the search and do not change what is found, but for MAX_NOISE and `soonest`.
 * tests/event/test_impact.c bounds the number of evaluations. */
#include "event/event_root.h"

#include <float.h>
#include <math.h>

enum { MAX_ITERATIONS = 200 };
/* Successive values towards an unknown one at 0 that are not halved: then the value at `soonest`, a part of
 * the step, is evaluated, or that of an onset at the unit. Rates of change over shorter times are rounding
 * errors. */
enum { MAX_CONSTANT = 3 };
static const double soonest = 1e-8;
/* Values below this part of the smaller one at the ends are near the root. They fall faster than by halves,
 * but for rounding errors of the function: so many that do not fall end the search. */
static const double near_root = 1e-9;
enum { MAX_NOISE = 2 };
/* Secants that may fail to halve bracket or value of an onset before each step bisects. */
enum { MAX_MISSES = 8 };
/* Iterations for the time at which a parabola has a value, and the least part of the secant's slope it has
 * there: a parabola that bends more is no guide. */
enum { PARABOLA_ROUNDS = 4 };
static const double least_chord = 0.1;
/* Part of the bracket in which the event is sought after an extrapolation to a time before it. */
static const double held_part = 0.1;
/* A step to an onset leaves at least this fraction of the bracket on each side. */
static const double least_part = 1e-3;
/* Value that a secant aims at, relative to the last one times its reduction. */
static const double aim_part = 0.1;

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

/* Bracket of a root: values at a, the last sample, and b differ in sign; c is the sample before a. */
typedef struct bracket {
  sample a, b, c;
  double near, smallest; /* values below `near` are near the root; smallest size of a value */
  int misses;            /* values near the root that are not half the smallest before them */
  int constant;          /* successive values towards 0 that are not half the one before */
} bracket;

static void add_sample(bracket *r, sample x)
{
  if ((x.value > 0.0) == (r->a.value > 0.0)) r->c = r->a;
  else r->c = r->b, r->b = r->a;
  r->a = x;
  r->misses += r->smallest < r->near && fabs(x.value) > 0.5 * r->smallest;
  r->smallest = fmin(r->smallest, fabs(x.value));
  r->constant = r->b.s == 0.0 && x.value < 0.5 * r->c.value ? r->constant + 1 : 0;
}

/* Steps back from r->a to where the value is not negative: by the slope of the bracket, since values near a
 * grazing root stay at rounding over a long time; then farther and farther. False if a value was NAN. */
static bool step_back(bracket *r, hn_root_function *value, void *user, double at_zero, double h)
{
  sample a = r->a;
  if (a.value < 0.0 && r->misses >= MAX_NOISE && r->b.value >= 0.0 && r->b.value < r->near) a = r->b;
  const sample low = a.value >= 0.0 ? a : r->b.value >= 0.0 ? r->b : (sample){ 0.0, at_zero };
  const double slope = (low.value - a.value) / (a.s - low.s);
  for (double back = fmax(DBL_EPSILON * h, -a.value / slope); a.value < 0.0; back *= 2.0) {
    if (a.s - back <= low.s) a = low;
    else a.s -= back, a.value = value(user, a.s);
    if (isnan(a.value)) return false;
  }
  r->a = a;
  return true;
}

bool hn_root_find(hn_root_function *value, void *user, double tolerance, double at_zero, double h,
                  double at_h, double guess, double *s)
{
  const double unit = 4.0 * DBL_EPSILON * h, first = isnan(at_zero) ? 1.0 : at_zero;
  const double near = near_root * fmin(first, -at_h);
  bracket r = { .a = { 0.0, first }, .b = { h, at_h }, .near = near, .smallest = HUGE_VAL };
  double part = guess > 0.0 && guess < h ? guess / h : first / (first - at_h);
  for (int i = 0; i < MAX_ITERATIONS; i++) {
    const double width = fabs(r.b.s - r.a.s), at = r.a.s + part * (r.b.s - r.a.s);
    const sample x = { at, value(user, at) };
    if (isnan(x.value)) return false;
    add_sample(&r, x);
    if (fabs(x.value) <= tolerance || fabs(r.b.s - r.a.s) <= unit || !(width > unit)) break;
    if (r.misses >= MAX_NOISE) break;
    /* an event at once */
    const bool is_negative = isnan(at_zero) && r.constant == MAX_CONSTANT;
    const double at_once = is_negative ? value(user, soonest * h) : 0.0;
    if (isnan(at_once)) return false;
    if (at_once < 0.0) return *s = 0.0, true;
    const double least = 0.5 * unit / fabs(r.b.s - r.a.s);
    part = fmin(fmax(division(r.a, r.b, r.c), least), 1.0 - least);
  }
  if (!step_back(&r, value, user, first, h)) return false;
  *s = r.a.s;
  return true;
}

/* Bracket of an onset: the value is negative at `high`, but not at `low`. */
typedef struct onset {
  double low;
  sample high, later, last; /* the earliest negative value, and the two before it; value 0: unknown */
  int misses;               /* steps that halved neither the bracket nor the value */
  int constant;             /* successive negative values that are not half the one before */
  bool held;                /* the value at the last step was not negative */
} onset;

/* Returns the slope from the event to B->high by the parabola through the three negative values, at the time
 * at which it has the value -AIM; SLOPE, that of the secant, where there is no such parabola. */
static double parabola_slope(const onset *b, double aim, double slope)
{
  if (!(b->last.value < 0.0)) return slope;
  const double before = (b->last.value - b->later.value) / (b->last.s - b->later.s);
  const double bend = (before - slope) / (b->last.s - b->high.s);
  double s = b->high.s, chord = slope;
  for (int i = 0; i < PARABOLA_ROUNDS; i++) {
    s = b->high.s - (b->high.value + aim) / chord;
    chord = slope + (s - b->later.s) * bend;
    if (!(chord < least_chord * slope)) return slope;
  }
  return chord;
}

/* Returns the next time to try. An extrapolation misses the event of a curved function by a part of the value
 * that falls with the reduction by the values it passes through: it aims at that value, behind the event. A
 * time before the event is followed by one little later. */
static double next_step(const onset *b, double tolerance)
{
  const double reduction = b->high.value / b->later.value;
  const double part = b->last.value < 0.0 ? reduction * b->high.value / b->last.value : reduction;
  const double aim = fmax(0.5 * tolerance, -aim_part * part * b->high.value);
  const double width = b->high.s - b->low, middle = b->low + 0.5 * width;
  const double slope = (b->later.value - b->high.value) / (b->later.s - b->high.s);
  if (!(b->later.value < 0.0 && slope < 0.0) || b->misses >= MAX_MISSES) return middle;
  const double event = b->high.s - (b->high.value + aim) / parabola_slope(b, aim, slope);
  if (event > b->low + least_part * width) return fmin(event, b->high.s - least_part * width);
  return b->held ? b->low + held_part * width : middle;
}

bool hn_root_find_onset(hn_root_function *value, void *user, double tolerance, double unit, double at_s,
                        double *s)
{
  onset b = { .high = { *s, at_s } };
  while (-b.high.value > tolerance && b.high.s - b.low > unit) {
    const double width = b.high.s - b.low;
    const bool at_once = b.low == 0.0 && b.constant == MAX_CONSTANT;
    const double at = at_once ? unit : next_step(&b, tolerance);
    if (!(at > b.low && at < b.high.s)) break;
    const sample x = { at, value(user, at) };
    if (isnan(x.value)) return false;
    const bool is_first = isinf(b.high.value), held = !(x.value < 0.0);
    if (!held) b.last = b.later, b.later = is_first ? (sample){ 0 } : b.high, b.high = x;
    else b.low = at;
    const bool nearer = !held && b.later.value < 0.0 && b.high.value > 0.5 * b.later.value;
    b.constant = held || nearer ? 0 : b.constant + 1;
    b.misses += b.high.s - b.low > 0.5 * width && !nearer;
    b.held = held && !b.held;
  }
  *s = b.high.s;
  return true;
}
