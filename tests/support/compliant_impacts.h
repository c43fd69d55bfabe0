/* compliant_impacts.h - impacts on compliant contacts, and quadrature for their answers. */
#ifndef TESTS_COMPLIANT_IMPACTS_H
#define TESTS_COMPLIANT_IMPACTS_H

#include "trials.h"

/* An integrand on (0, 1): x and 1 - x are both exact to rounding, near either end. */
typedef double integrand(double x, double rest, const void *user);

/* Returns the integral over (0, 1) by the double exponential rule, which integrable singularities at the
 * ends do not disturb: x = 1 / (1 + exp(-pi sinh s)). */
static inline double integrate(integrand *f, const void *user)
{
  const double h = 1.0 / 64.0;
  double sum = 0.0;
  for (int i = -400; i <= 400; i++) {
    const double s = h * i, e = exp(-M_PI * sinh(s)), x = 1.0 / (1.0 + e), rest = e / (1.0 + e);
    const double weight = M_PI * cosh(s) * x * rest;
    if (x > 1e-290 && rest > 1e-290 && weight > 0.0) sum += weight * f(x, rest, user);
  }
  return h * sum;
}

/* 1 / sqrt(1 - y^(5/2)) at y = low + (1 - low) x: the time of a Hertz impact per compression, in units of the
 * deepest compression and the approach speed. */
static inline double hertz_time(double x, double rest, const void *low)
{
  const double from = *(const double *)low, below = (1.0 - from) * rest; /* 1 - y */
  (void)x;
  return (1.0 - from) / sqrt(-expm1(2.5 * log1p(-below)));
}

/* Returns the time from the compression LOW to the deepest one, in the units above. */
static inline double hertz_time_from(double low)
{
  return integrate(hertz_time, &low);
}

/* Runs a scene that starts with a system of gravity GRAVITY along -y and goes on with BODY. */
static inline trial run_under(double gravity, const char *body, const char *spec, double h, double duration)
{
  char whole[4096];
  const int n = snprintf(whole, sizeof whole,
                         "local scene = require 'holonom.scene'\n"
                         "local sys = scene.system { gravity = { 0, %.17g, 0 } }\n%s\nreturn sys",
                         -gravity, body);
  assert_true(n > 0 && (size_t)n < sizeof whole);
  write_bytes(whole, strlen(whole));
  trial r = run_spec(spec, h, duration, NULL, NULL);
  if (r.reason != HN_CONVERGED) fail_msg("%s: %s", spec, r.summary.explanation);
  return r;
}

/* A ball of radius 0.1 m that approaches the plane y = 0 at 1 m/s from a gap, m; negative: a compression.
 * LAW are the arguments of sys:contact. */
static inline trial impact_under(double gravity, const char *law, double mass, double gap, double speed,
                                 const char *spec, double h, double duration)
{
  char body[800];
  snprintf(
    body, sizeof body,
    "sys:body { name = 'floor', fixed = true, position = { 0, 0, 0 }, shape = scene.plane { normal = { "
    "0, 1, 0 } } }\n"
    "sys:body { name = 'ball', shape = scene.sphere { radius = 0.1 }, mass = %.17g,\n"
    "  position = { 0, 0.1 + %.17g, 0 }, velocity = { 0, %.17g, 0 } }\n"
    "sys:contact { %s }",
    mass, gap, -speed, law);
  return run_under(gravity, body, spec, h, duration);
}

/* The same without gravity. */
static inline trial impact(const char *law, double mass, double gap, double speed, const char *spec, double h,
                           double duration)
{
  return impact_under(0.0, law, mass, gap, speed, spec, h, duration);
}

/* Returns the compression and the velocity of the ball at the end of a run. */
static inline double compression(const trial *r)
{
  return 0.1 - r->state->pose[2].x[1];
}

static inline double velocity(const trial *r)
{
  return r->state->twist[2].v[1];
}

#endif
