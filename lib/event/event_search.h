/* event_search.h - the first event within a step, and the event function that fired. Internal. */
#ifndef HN_EVENT_SEARCH_H
#define HN_EVENT_SEARCH_H

#include "event/event_function.h"
#include "event/event_root.h"

/* Moves to S seconds after the start of the search and appends the event functions there to LIST, which is
 * empty. RATES: with their rates, where these are known at the start as well. */
typedef hn_reason hn_event_evaluate(void *user, double s, bool rates, hn_event_list *list);

typedef struct hn_event_search {
  hn_event_evaluate *evaluate; /* and the argument of its calls: set before use */
  void *user;
  hn_event_list list;      /* the event functions at the last evaluation */
  hn_event_function fired; /* the one that ended the last search that found an event */
  double after;            /* s: the earliest time after the event at which functions were evaluated */
  double at;               /* s: of the last evaluation; negative: there is none that can be used again */
  double at_start;         /* value of the least function at 0, for the root finder */
  double tolerance;        /* values up to this are roots */
  hn_reason reason;        /* of the last evaluation */
} hn_event_search;

/* Allocates room for ROOM event functions. Values up to TOLERANCE are roots. -1 on error. */
int hn_event_search_setup(hn_event_search *search, int room, double tolerance, hn_error *error);
void hn_event_search_free(hn_event_search *search);
/* Finds the first event in (0, *S], all event functions being positive just after 0. EVENT: there is one;
 * then *S becomes the last time at which no function is negative, to rounding. The last evaluation is at
 * *S, unless an event at once made it 0. Returns HN_CONVERGED, or the reason of an evaluation that failed. */
hn_reason hn_event_search_first(hn_event_search *search, double *s, bool *event);
/* Finds the first time in (0, *S] at which the only event function is negative, which is HUGE_VAL before, to
 * a value of -TOLERANCE or to UNIT seconds. It is listed at *S and negative there. The last evaluation is at
 * the time found, where the function is negative. */
hn_reason hn_event_search_onset(hn_event_search *search, double unit, double *s);
/* Evaluates the event functions at S into search->list. */
hn_reason hn_event_search_at(hn_event_search *search, double s, bool rates);

#endif
