/* event_function.h - event functions g_i(t): positive before an event, with a root at it. Internal. */
#ifndef HN_EVENT_FUNCTION_H
#define HN_EVENT_FUNCTION_H

#include "base.h"

#include <math.h>
#include <stdint.h>

typedef enum hn_event_function_kind {
  HN_FUNCTION_GAP, /* m, rad: an open limit or contact closes */
  /* forces leave their sets: a contact opens or begins to slide, a bound is reached. One function of all
   * contacts: forces of redundant contacts are not unique, so no single contact has a value of its own. Only
   * the accelerations are unique. The function compares those of the motion with those of the law, whose
   * contact problem is solved after the other functions are found positive. It has no value before its event,
   * therefore its search is one for an onset (event_search.h) */
  HN_FUNCTION_FORCE,
  HN_FUNCTION_SLIP,    /* m/s: sliding ends */
  HN_FUNCTION_BOUND,   /* m/s, rad/s: a joint moves no more against a force at its bound */
  HN_FUNCTION_BREAKAGE /* 1 - force / breakage load */
} hn_event_function_kind;

typedef struct hn_event_function {
  hn_event_function_kind kind;
  uint64_t key;             /* of its block: a contact's, or the number of a joint */
  double value, rate;       /* now; a rate that is not evaluated is NAN */
  double first, first_rate; /* at the start of the search; NAN: unknown */
} hn_event_function;

typedef struct hn_event_list {
  hn_event_function *function; /* [count] */
  int count;
} hn_event_list;

/* Appends an event function whose rates and values at the start are unknown, and returns it. The caller of
 * hn_event_search_setup has provided room for all. */
static inline hn_event_function *hn_event_list_add(hn_event_list *list, hn_event_function_kind kind,
                                                   uint64_t key, double value)
{
  hn_event_function *f = &list->function[list->count++];
  *f = (hn_event_function){
    .kind = kind, .key = key, .value = value, .rate = NAN, .first = NAN, .first_rate = NAN
  };
  return f;
}

#endif
