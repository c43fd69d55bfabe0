/* event_root.h - the instant within a step at which something happens: the root of a function of time. */
#ifndef HN_EVENT_ROOT_H
#define HN_EVENT_ROOT_H

#include "holonom.h"

/* What is positive before it happens, at S seconds from the beginning; not a number ends the search. */
typedef double hn_instant_value(void *user, double s);

/* The root finder, made once. */
typedef struct hn_instant {
  void *finder;  /* of GSL */
  double enough; /* values up to this are a root */
} hn_instant;

/* VALUES no larger than ENOUGH, at least 0, are as good as the root itself. -1 without memory. */
int hn_instant_setup(hn_instant *instant, double enough, hn_error *error);
void hn_instant_free(hn_instant *instant);
/* VALUE is AT_H < 0 at H > 0, and AT_ZERO at 0, where it may also be about to rise from zero: then it is
 * positive soon after, however soon. GUESS: where it may be, if in (0, H). Into S a root in (0, H] to
 * rounding, from the side on which VALUE >= 0: where VALUE has several, one of them. False: VALUE was not a
 * number, or is nowhere positive. */
bool hn_instant_find(hn_instant *instant, hn_instant_value *value, void *user, double at_zero, double h,
                     double at_h, double guess, double *s);

#endif
