/* event_root.c - the instant within a step at which something happens.
 *
 * Bracketed by the values at both ends, refined by GSL's version of Brent's method until the value is as good as zero
 * or the bracket is of a few rounding units; from there back to where the value is not negative, by steps that double:
 * the state at that instant is one before which nothing has happened. [Brent 1973, chapter 4] */
#include "event/event_root.h"
#include "base/quiet.h"

#include <float.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_roots.h>
#include <math.h>

enum { MOST_HALVINGS = 40, MOST_ITERATIONS = 200 };
enum { MOST_LOOKS = 4, FARTHER = 30 }; /* on both sides of a guess, each so much farther away */
static const double first_away = 1e-6; /* of the guess */

/* What the root finder asks, with the values that are known. */
typedef struct query {
  hn_instant_value *value;
  void *user;
  double low, at_low, high, at_high;
  double s, at_s; /* the last one that was evaluated */
  bool failed;
} query;

int hn_instant_setup(hn_instant *instant, double enough, hn_error *error)
{
  hn_quiet_gsl();
  instant->enough = enough;
  instant->finder = gsl_root_fsolver_alloc(gsl_root_fsolver_brent);
  return instant->finder ? 0 : hn_fail(error, "out of memory");
}

void hn_instant_free(hn_instant *instant)
{
  if (instant->finder) gsl_root_fsolver_free(instant->finder);
  instant->finder = NULL;
}

static double evaluate(query *q, double s)
{
  q->s = s, q->at_s = q->value(q->user, s);
  q->failed |= isnan(q->at_s);
  return q->at_s;
}

static double ask(double s, void *user)
{
  query *q = user;
  if (s == q->low) return q->at_low;
  if (s == q->high) return q->at_high;
  return evaluate(q, s);
}

/* What begins at zero and rises is positive at some part of the step: the largest of the halves that is. */
static bool bracket_rise(query *q)
{
  for (int i = 0; i < MOST_HALVINGS; i++) {
    const double half = 0.5 * q->high, at_half = evaluate(q, half);
    if (q->failed) return false;
    if (at_half > 0.0) {
      q->low = half, q->at_low = at_half;
      return true;
    }
    q->high = half, q->at_high = at_half;
  }
  return false;
}

/* Looks for the root on both sides of where it may be, a little away and then
 * farther: the bracket narrows. */
static void look_near(query *q, double guess)
{
  const double low = q->low, high = q->high;
  double at = guess, away = first_away * guess;
  for (int i = 0; i < MOST_LOOKS && at > low && at < high && !q->failed; i++, away *= FARTHER) {
    const bool before = evaluate(q, at) > 0.0;
    if (before) q->low = at, q->at_low = q->at_s;
    else q->high = at, q->at_high = q->at_s;
    if (q->low > low && q->high < high) return;
    at = before ? guess + away : guess - away;
  }
}

/* Narrows the bracket: in the end q->s is the root, or nearly, and q->at_s the value there. */
static void refine(hn_instant *instant, query *q)
{
  gsl_function function = { .function = ask, .params = q };
  gsl_root_fsolver *finder = instant->finder;
  const double unit = 4.0 * DBL_EPSILON * q->high;
  q->s = q->high, q->at_s = q->at_high;
  if (gsl_root_fsolver_set(finder, &function, q->low, q->high) != GSL_SUCCESS) return;
  for (int i = 0; i < MOST_ITERATIONS && !q->failed && fabs(q->at_s) > instant->enough; i++) {
    if (gsl_root_fsolver_iterate(finder) != GSL_SUCCESS) return;
    if (gsl_root_fsolver_x_upper(finder) - gsl_root_fsolver_x_lower(finder) <= unit) return;
  }
}

bool hn_instant_find(hn_instant *instant, hn_instant_value *value, void *user, double at_zero, double h,
                     double at_h, double guess, double *s)
{
  query q = { .value = value, .user = user, .low = 0.0, .at_low = at_zero, .high = h, .at_high = at_h };
  if (!(at_zero > 0.0) && !bracket_rise(&q)) return false;
  if (guess > q.low && guess < q.high) look_near(&q, guess);
  if (!q.failed) refine(instant, &q);
  const double low = q.low;
  for (double back = DBL_EPSILON * h; !q.failed && q.at_s < 0.0; back *= 2.0) {
    if (q.s - back <= low) q.s = low, q.at_s = fmax(q.at_low, 0.0);
    else evaluate(&q, q.s - back);
  }
  *s = q.s;
  return !q.failed;
}
