/* event_root.h - the root of a function of time within a step. Internal. */
#ifndef HN_EVENT_ROOT_H
#define HN_EVENT_ROOT_H

#include "base.h"

/* A function that is positive before the event, S seconds after the start; NAN ends the search. */
typedef double hn_root_function(void *user, double s);

/* Finds a root of VALUE, which is AT_ZERO > 0 at 0 and AT_H < 0 at H > 0: S in [0, H] where VALUE >= 0. It is
 * found to rounding of S or of VALUE, or to a value of TOLERANCE. AT_ZERO may be NAN, unknown: S becomes 0 if
 * VALUE is negative at once. GUESS: where the root may be, if in (0, H). Of several roots one is found. False
 * if VALUE was NAN. */
bool hn_root_find(hn_root_function *value, void *user, double tolerance, double at_zero, double h,
                  double at_h, double guess, double *s);

/* Finds the first time in (0, *S] at which VALUE is negative, where it is a function without values before:
 * it is HUGE_VAL then, and AT_S < 0 at *S. Values down to -TOLERANCE after the event end the search, and so
 * does a bracket of UNIT seconds. S becomes the first time at which VALUE has been negative. -HUGE_VAL:
 * negative by an unknown amount. False if VALUE was NAN. */
bool hn_root_find_onset(hn_root_function *value, void *user, double tolerance, double unit, double at_s,
                        double *s);

#endif
