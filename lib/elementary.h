/* elementary.h - elementary functions with the same bits on every x86-64, whatever C library and processor
 *
 * The C library's sin, cos, exp, pow, ... round differently on processors with and without FMA, in about one
 * result of a thousand. Trajectories then differ after a few steps. The library, its solvers and the
 * mathematics of Lua scenes compute every result that a state or an output depends on with the functions
 * below. Plugins and host programs may use them too. fabs, sqrt, fma, floor, rint, fmod, remainder, ldexp and
 * frexp are exact or correctly rounded everywhere and need no replacement.
 *
 * Arguments, special values and results are those of <math.h>; errno is not set. Results are within 1 unit in
 * the last place, and within 2 below 1e-307. Results in the last relative 2e-6 before overflow may be
 * infinite, as may sinh and cosh beyond 709 and log1p beyond 1e307. */
#ifndef HOLONOM_ELEMENTARY_H
#define HOLONOM_ELEMENTARY_H

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default) /* exported */

double hn_sin(double x);
double hn_cos(double x);
void hn_sincos(double x, double *sine, double *cosine); /* same bits as hn_sin and hn_cos, cost of one call */
double hn_tan(double x);
double hn_asin(double x);
double hn_acos(double x);
double hn_atan2(double y, double x);
double hn_sinh(double x);
double hn_cosh(double x);
double hn_tanh(double x);
double hn_exp(double x);
double hn_log(double x);
double hn_log2(double x);
double hn_log10(double x);
double hn_log1p(double x);
double hn_pow(double x, double y);
double hn_cbrt(double x);
double hn_hypot(double x, double y);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
