/* fitted_slopes.h - scenes on slopes; the smooth motion between events by three solvers. */
#ifndef TESTS_FITTED_SLOPES_H
#define TESTS_FITTED_SLOPES_H

#include "instants.h"

static const char *const each[] = { EVENTS "lagrange:stepper=rk4", EVENTS "lagrange:stepper=rk8pd",
                                    EVENTS "taylor:order=12" };
enum { SOLVERS = sizeof each / sizeof *each };

/* Runs scene TEXT after a line that sets up gravity and a slope of SLOPE (rad) that descends towards x. */
static inline trial run_on(double slope, const char *text, const char *spec, double h, double time)
{
  char whole[4096];
  const int n = snprintf(whole, sizeof whole,
                         "local scene = require 'holonom.scene'\n"
                         "local sys = scene.system { gravity = { %.17g, %.17g, 0 } }\n%s\n"
                         "sys:contact { margin = 0.05 }\nreturn sys",
                         g * sin(slope), -g * cos(slope), text);
  assert_true(n > 0 && (size_t)n < sizeof whole);
  write_bytes(whole, strlen(whole));
  trial r = run_spec(spec, h, time, NULL, NULL);
  if (r.reason != HN_CONVERGED) fail_msg("%s: %s", spec, r.summary.explanation);
  return r;
}

#endif
