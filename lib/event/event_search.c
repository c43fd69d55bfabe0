/* event_search.c - the first event within a step (event_search.h).
 *
 *   g_i(h) < 0 for some i             the root of min g_i in (0, h], guessed by cubics through values and
 *                                     rates at 0 and h
 *   else, a cubic dips far below      its minimum becomes h, if some g_i is negative there
 *   else                              there is no event
 *
 * Of several roots within the step one is found after which others may follow; before it no function is
 * negative at any time that was evaluated. Cost: one evaluation without events, 5 to 10 with one. */
#include "event/event_search.h"

#include <stdlib.h>

/* Part of its smaller end value that the minimum of a cubic must fall below to be evaluated: cubics have
 * errors. */
static const double deep = 0.5;
enum { CUBIC_HALVINGS = 60 };

int hn_event_search_setup(hn_event_search *search, int room, double tolerance, hn_error *error)
{
  search->list.function = calloc((size_t)room + 1, sizeof *search->list.function);
  search->list.room = room;
  if (!search->list.function) return hn_fail(error, "out of memory");
  return hn_root_finder_setup(&search->finder, tolerance, error);
}

void hn_event_search_free(hn_event_search *search)
{
  free(search->list.function);
  hn_root_finder_free(&search->finder);
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

/* Narrows *S, where LEAST is negative and was evaluated last, to the root. */
static hn_reason find_root(hn_event_search *search, const hn_event_function *least, double guessed, double *s)
{
  const double value = least->value;
  search->fired = *least, search->after = *s;
  search->at_start = least->first > 0.0 ? least->first : 1.0;
  if (!hn_root_find(&search->finder, least_at, search, search->at_start, *s, value, guessed, s))
    return search->reason;
  return *s > 0.0 ? hn_event_search_at(search, *s, false) : HN_CONVERGED;
}

hn_reason hn_event_search_first(hn_event_search *search, double *s, bool *event)
{
  double guessed = 0.0, earlier = 0.0;
  *event = false;
  hn_reason reason = hn_event_search_at(search, *s, true);
  if (reason != HN_CONVERGED) return reason;
  const hn_event_function *least = least_of(&search->list);
  if (!least) return HN_CONVERGED;
  if (isnan(least->value)) return HN_NOT_FINITE;
  *event = least->value < 0.0;
  if (*event) guessed = guess(&search->list, *s);
  for (int i = 0; i < search->list.count && !*event && earlier == 0.0; i++)
    earlier = dip(&search->list.function[i], *s);
  if (earlier > 0.0) {
    reason = hn_event_search_at(search, earlier, false);
    least = reason == HN_CONVERGED ? least_of(&search->list) : NULL;
    *event = least && least->value < 0.0;
    if (!*event) return reason == HN_CONVERGED ? hn_event_search_at(search, *s, false) : reason;
    *s = earlier;
  }
  return *event ? find_root(search, least, guessed, s) : HN_CONVERGED;
}
