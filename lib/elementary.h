/* elementary.h - elementary functions with the same bits on every x86-64, whatever its C library and processor.
 *
 * The C library's sin, cos, exp, pow, ... round differently on processors with and without FMA: about one result in a
 * thousand, hence every trajectory after a few steps. What a state or a printed result can depend on is computed with
 * these, in the library, in solvers and in the mathematics of Lua scenes; solvers and programs of others are invited
 * to. fabs, sqrt, fma, floor, rint, fmod, remainder, ldexp and frexp are exact or rounded correctly everywhere, and
 * need no other form.
 *
 * Arguments, special values and the meaning of results are as in <math.h>; errno is left alone. Results are within 1
 * unit in the last place, and within 2 below 1e-307. The last 2e-6 before overflow may be infinite already; so may sinh
 * and cosh beyond 709, and log1p beyond 1e307. */
#ifndef HOLONOM_ELEMENTARY_H
#define HOLONOM_ELEMENTARY_H

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default) /* exported */

double hn_sin(double x);
double hn_cos(double x);
void hn_sincos(double x, double *sine,
               double *cosine); /* the bits of hn_sin and hn_cos, at the price of one */
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
