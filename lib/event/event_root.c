/* event_root.c - the root of a function of time within a step.
 *
 * The values at both ends bracket the root. A guess narrows the bracket; GSL's version of Brent's method
 * refines it until the value is within the tolerance or the bracket is a few rounding units long. Steps
 * back from there, which double, end where the value is not negative: no event has happened before that
 * time. [Brent 1973, chapter 4] */
#include "event/event_root.h"
#include "base/quiet.h"

#include <float.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_roots.h>
#include <math.h>

enum { MAX_ITERATIONS = 200 };
enum { MAX_TRIALS = 4, FARTHER = 30 }; /* times around a guess, and the growth of their distance to it */
static const double first_away = 1e-6; /* first of these distances, relative to the guess */

/* A search, with the values at both ends of its bracket. */
typedef struct query {
  hn_root_function *value;
  void *user;
  double low, at_low, high, at_high;
  double s, at_s; /* the last one that was evaluated */
  bool failed;
} query;

int hn_root_finder_setup(hn_root_finder *finder, double tolerance, hn_error *error)
{
  hn_quiet_gsl();
  finder->tolerance = tolerance;
  finder->brent = gsl_root_fsolver_alloc(gsl_root_fsolver_brent);
  return finder->brent ? 0 : hn_fail(error, "out of memory");
}

void hn_root_finder_free(hn_root_finder *finder)
{
  if (finder->brent) gsl_root_fsolver_free(finder->brent);
  finder->brent = NULL;
}

static double evaluate(query *q, double s)
{
  q->s = s, q->at_s = q->value(q->user, s);
  q->failed |= isnan(q->at_s);
  return q->at_s;
}

/* The function as GSL calls it: values at the ends are not evaluated again. */
static double value_at(double s, void *user)
{
  query *q = user;
  if (s == q->low) return q->at_low;
  if (s == q->high) return q->at_high;
  return evaluate(q, s);
}

/* Narrows the bracket by evaluations on both sides of GUESS, each farther away than the one before. True
 * if the last one is a root to TOLERANCE. */
static bool narrow(query *q, double guess, double tolerance)
{
  const double low = q->low, high = q->high;
  double at = guess, away = first_away * guess;
  for (int i = 0; i < MAX_TRIALS && at > low && at < high && !q->failed; i++, away *= FARTHER) {
    const bool before = evaluate(q, at) > 0.0;
    if (before) q->low = at, q->at_low = q->at_s;
    else q->high = at, q->at_high = q->at_s;
    if (fabs(q->at_s) <= tolerance) return true;
    if (q->low > low && q->high < high) return false;
    at = before ? guess + away : guess - away;
  }
  return false;
}

/* Refines the bracket by Brent's method: q->s becomes the root, to rounding, and q->at_s the value there. */
static void refine(hn_root_finder *finder, query *q)
{
  gsl_function function = { .function = value_at, .params = q };
  gsl_root_fsolver *brent = finder->brent;
  const double unit = 4.0 * DBL_EPSILON * q->high;
  q->s = q->high, q->at_s = q->at_high;
  if (gsl_root_fsolver_set(brent, &function, q->low, q->high) != GSL_SUCCESS) return;
  for (int i = 0; i < MAX_ITERATIONS && !q->failed && fabs(q->at_s) > finder->tolerance; i++) {
    if (gsl_root_fsolver_iterate(brent) != GSL_SUCCESS) return;
    if (gsl_root_fsolver_x_upper(brent) - gsl_root_fsolver_x_lower(brent) <= unit) return;
  }
}

bool hn_root_find(hn_root_finder *finder, hn_root_function *value, void *user, double at_zero, double h,
                  double at_h, double guess, double *s)
{
  query q = { .value = value, .user = user, .low = 0.0, .at_low = at_zero, .high = h, .at_high = at_h };
  const bool found = guess > q.low && guess < q.high && narrow(&q, guess, finder->tolerance);
  if (!found && !q.failed) refine(finder, &q);
  const double low = q.low;
  for (double back = DBL_EPSILON * h; !q.failed && q.at_s < 0.0; back *= 2.0) {
    if (q.s - back <= low) q.s = low, q.at_s = fmax(q.at_low, 0.0);
    else evaluate(&q, q.s - back);
  }
  *s = q.s;
  return !q.failed;
}
