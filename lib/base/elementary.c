/* elementary.c - elementary functions by SLEEF's deterministic versions, in scalar arithmetic without FMA.
 * Results do not depend on the processor. [Shibata and Petrogalli, IEEE Trans. Parallel Distrib. Syst. 31
 * (2020) 1316] */
#include "elementary.h"

#include <sleef.h>

void hn_sincos(double x, double *sine, double *cosine)
{
  Sleef_double_2 both = Sleef_cinz_sincosd1_u10purec(x);
  *sine = both.x;
  *cosine = both.y;
}

/* SLEEF's separate sin and cos sometimes differ from its sincos in the last bit, and are no faster. */
double hn_sin(double x)
{
  return Sleef_cinz_sincosd1_u10purec(x).x;
}

double hn_cos(double x)
{
  return Sleef_cinz_sincosd1_u10purec(x).y;
}

#define BY_SLEEF(name)                        \
  double hn_##name(double x)                  \
  {                                           \
    return Sleef_cinz_##name##d1_u10purec(x); \
  }

BY_SLEEF(tan)
BY_SLEEF(asin)
BY_SLEEF(acos)
BY_SLEEF(sinh)
BY_SLEEF(cosh)
BY_SLEEF(tanh)
BY_SLEEF(exp)
BY_SLEEF(log)
BY_SLEEF(log2)
BY_SLEEF(log10)
BY_SLEEF(log1p)
BY_SLEEF(cbrt)

double hn_atan2(double y, double x)
{
  return Sleef_cinz_atan2d1_u10purec(y, x);
}

double hn_pow(double x, double y)
{
  return Sleef_cinz_powd1_u10purec(x, y);
}

double hn_hypot(double x, double y)
{
  return Sleef_cinz_hypotd1_u05purec(x, y);
}
