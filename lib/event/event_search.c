/* event_search.c - the first event within a step (event_search.h).
 *
 *   s = h;  g_i(s) < 0 for some i      s becomes the root of min g_i in (0, s], guessed by cubics through
 *                                      values and rates at 0 and s
 *   a cubic has a deep minimum before  if some g_i is negative there, s becomes that time, and again
 *
 * Of several roots before a negative value one is found: no function is negative at any time before it that
 * was evaluated. Cost: one evaluation without events; 3 to 10 with one. */
#include "event/event_search.h"

#include <stdlib.h>

/* A minimum is evaluated if it is below this part of the smaller value at the ends: cubics have errors. */
static const double deep = 0.5;
enum { CUBIC_HALVINGS = 60 };

int hn_event_search_setup(hn_event_search *search, int room, double tolerance, hn_error *error)
{
  search->list.function = calloc((size_t)room + 1, sizeof *search->list.function);
  search->tolerance = tolerance;
  return search->list.function ? 0 : hn_fail(error, "out of memory");
}

void hn_event_search_free(hn_event_search *search)
{
  free(search->list.function);
}

/* g(x h) = ((a x + b) x + c) x + d, through two values and rates. */
typedef struct cubic {
  double a, b, c, d;
} cubic;

static cubic cubic_of(const hn_event_function *f, double h)
{
  const double rise = f->value - f->first;
  return (cubic){ .a = h * (f->first_rate + f->rate) - 2.0 * rise,
                  .b = 3.0 * rise - h * (2.0 * f->first_rate + f->rate),
                  .c = h * f->first_rate,
                  .d = f->first };
}

static double cubic_at(const cubic *g, double x)
{
  return ((g->a * x + g->b) * x + g->c) * x + g->d;
}

/* The time in (0, H) of the minimum of the cubic of F, which falls at first and rises at H, if it is deep;
 * else 0. */
static double dip(const hn_event_function *f, double h)
{
  if (!(f->first_rate < 0.0 && f->rate > 0.0)) return 0.0;
  const cubic g = cubic_of(f, h);
  const double root = sqrt(fmax(g.b * g.b - 3.0 * g.a * g.c, 0.0)), x = -g.c / (g.b + root);
  if (!(x > 0.0 && x < 1.0)) return 0.0;
  return cubic_at(&g, x) < deep * fmin(f->first, f->value) ? x * h : 0.0;
}

/* A root in (0, H) of the cubic of F, which is positive at 0 and negative at H. */
static double cubic_root(const hn_event_function *f, double h)
{
  const cubic g = cubic_of(f, h);
  double low = 0.0, high = 1.0;
  for (int i = 0; i < CUBIC_HALVINGS; i++) {
    const double middle = 0.5 * (low + high);
    if (cubic_at(&g, middle) > 0.0) low = middle;
    else high = middle;
  }
  return low * h;
}

/* The earliest root by cubics; 0 where no function that is negative at H has rates. */
static double guess(const hn_event_list *list, double h)
{
  double first = 0.0;
  for (const hn_event_function *f = list->function; f < list->function + list->count; f++) {
    if (!(f->value < 0.0) || !(f->first > 0.0) || isnan(f->rate) || isnan(f->first_rate)) continue;
    const double root = cubic_root(f, h);
    if (first == 0.0 || root < first) first = root;
  }
  return first;
}

static const hn_event_function *least_of(const hn_event_list *list)
{
  const hn_event_function *least = list->count > 0 ? list->function : NULL;
  for (const hn_event_function *f = least; f && f < list->function + list->count; f++)
    if (f->value < least->value || isnan(f->value)) least = f;
  return least;
}

hn_reason hn_event_search_at(hn_event_search *search, double s, bool rates)
{
  if (s == search->at && !rates) return HN_CONVERGED;
  search->list.count = 0;
  search->reason = search->evaluate(search->user, s, rates, &search->list);
  search->at = search->reason == HN_CONVERGED ? s : -1.0;
  return search->reason;
}

/* The least event function at S; NAN after a failed evaluation. */
static double least_at(void *user, double s)
{
  hn_event_search *search = user;
  if (hn_event_search_at(search, s, false) != HN_CONVERGED) return NAN;
  const hn_event_function *least = least_of(&search->list);
  if (!least || isinf(least->value)) return search->at_start; /* what comes near later is not listed yet */
  if (isnan(least->value)) search->reason = HN_NOT_FINITE;
  if (least->value < 0.0 && s < search->after) search->after = s, search->fired = *least;
  return least->value;
}

/* Narrows *S, where the functions are listed and LEAST is negative, to the root. */
static hn_reason find_root(hn_event_search *search, const hn_event_function *least, double *s)
{
  const double guessed = guess(&search->list, *s), at_end = least->value;
  search->fired = *least, search->after = *s;
  search->at_start = least->first > 0.0 ? least->first : 1.0;
  const double first = least->first > 0.0 ? least->first : (double)NAN;
  if (!hn_root_find(least_at, search, search->tolerance, first, *s, at_end, guessed, s))
    return search->reason;
  return *s > 0.0 ? hn_event_search_at(search, *s, true) : HN_CONVERGED;
}

/* Returns the earliest deep minimum of a cubic in (0, H), or 0. */
static double earliest_dip(const hn_event_list *list, double h)
{
  double earliest = 0.0;
  for (const hn_event_function *f = list->function; f < list->function + list->count; f++) {
    const double s = dip(f, h);
    if (s > 0.0 && (earliest == 0.0 || s < earliest)) earliest = s;
  }
  return earliest;
}

hn_reason hn_event_search_first(hn_event_search *search, double *s, bool *event)
{
  double middle = *s; /* where functions are listed: the end, or a dip before it */
  *event = false, search->at = -1.0;
  hn_reason reason = hn_event_search_at(search, *s, true);
  while (reason == HN_CONVERGED && *s > 0.0) {
    const hn_event_function *least = least_of(&search->list);
    if (least && isnan(least->value)) return HN_NOT_FINITE;
    if (least && least->value < 0.0) {
      *event = true, *s = middle;
      reason = find_root(search, least, s);
    } else if (middle < *s) {
      return hn_event_search_at(search, *s, false);
    }
    if (reason != HN_CONVERGED || *s == 0.0) return reason;
    middle = earliest_dip(&search->list, *s);
    if (middle == 0.0) return HN_CONVERGED;
    reason = hn_event_search_at(search, middle, false);
  }
  return reason;
}

/* The only event function at S; NAN after a failed evaluation. */
static double value_at(void *user, double s)
{
  hn_event_search *search = user;
  return hn_event_search_at(search, s, false) == HN_CONVERGED ? search->list.function[0].value : (double)NAN;
}

hn_reason hn_event_search_onset(hn_event_search *search, double unit, double *s)
{
  search->reason = HN_CONVERGED;
  if (!hn_root_find_onset(value_at, search, search->tolerance, unit, search->list.function[0].value, s))
    return search->reason;
  hn_reason reason = hn_event_search_at(search, *s, false);
  search->fired = search->list.function[0];
  return reason;
}
