/* event_root.h - the root of a function of time within a step. Internal. */
#ifndef HN_EVENT_ROOT_H
#define HN_EVENT_ROOT_H

#include "base.h"

/* A function that is positive before the event, S seconds after the start; NAN ends the search. */
typedef double hn_root_function(void *user, double s);

typedef struct hn_root_finder {
  void *brent;      /* of GSL */
  double tolerance; /* values up to this are roots */
} hn_root_finder;

/* -1 without memory. TOLERANCE is at least 0. */
int hn_root_finder_setup(hn_root_finder *finder, double tolerance, hn_error *error);
void hn_root_finder_free(hn_root_finder *finder);
/* Finds a root of VALUE, which is AT_ZERO > 0 at 0 and AT_H < 0 at H > 0, to rounding: S in [0, H] where
 * VALUE >= 0. GUESS: where it may be, if in (0, H). Of several roots one is found. False if VALUE was NAN. */
bool hn_root_find(hn_root_finder *finder, hn_root_function *value, void *user, double at_zero, double h,
                  double at_h, double guess, double *s);

#endif
