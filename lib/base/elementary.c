/* elementary.c - elementary functions by SLEEF's deterministic ones, in scalar arithmetic without FMA: their results
 * do not depend on the processor. [Shibata and Petrogalli, IEEE Trans. Parallel Distrib. Syst. 31 (2020) 1316] */
#include "elementary.h"

#include <sleef.h>

void hn_sincos(double x, double *sine, double *cosine)
{
  Sleef_double_2 both = Sleef_cinz_sincosd1_u10purec(x);
  *sine = both.x;
  *cosine = both.y;
}

/* SLEEF's sin and cos alone differ from its sincos in the last bit here and there, and are no faster. */
double hn_sin(double x)
{
  return Sleef_cinz_sincosd1_u10purec(x).x;
}

double hn_cos(double x)
{
  return Sleef_cinz_sincosd1_u10purec(x).y;
}

double hn_tan(double x)
{
  return Sleef_cinz_tand1_u10purec(x);
}

double hn_asin(double x)
{
  return Sleef_cinz_asind1_u10purec(x);
}

double hn_acos(double x)
{
  return Sleef_cinz_acosd1_u10purec(x);
}

double hn_atan2(double y, double x)
{
  return Sleef_cinz_atan2d1_u10purec(y, x);
}

double hn_sinh(double x)
{
  return Sleef_cinz_sinhd1_u10purec(x);
}

double hn_cosh(double x)
{
  return Sleef_cinz_coshd1_u10purec(x);
}

double hn_tanh(double x)
{
  return Sleef_cinz_tanhd1_u10purec(x);
}

double hn_exp(double x)
{
  return Sleef_cinz_expd1_u10purec(x);
}

double hn_log(double x)
{
  return Sleef_cinz_logd1_u10purec(x);
}

double hn_log2(double x)
{
  return Sleef_cinz_log2d1_u10purec(x);
}

double hn_log10(double x)
{
  return Sleef_cinz_log10d1_u10purec(x);
}

double hn_log1p(double x)
{
  return Sleef_cinz_log1pd1_u10purec(x);
}

double hn_pow(double x, double y)
{
  return Sleef_cinz_powd1_u10purec(x, y);
}

double hn_cbrt(double x)
{
  return Sleef_cinz_cbrtd1_u10purec(x);
}

double hn_hypot(double x, double y)
{
  return Sleef_cinz_hypotd1_u05purec(x, y);
}
