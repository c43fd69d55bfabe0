/* other_libm.c - a C library whose elementary functions are off by one unit in the last place: loaded before the true
 * one (LD_PRELOAD), it shows what depends on them. A processor with other instructions changes one result in a
 * thousand; this changes all but 0, 1 and -1, which no libm misses. */
#include <dlfcn.h>
#include <math.h>

static double off(double value)
{
  return value == 0.0 || fabs(value) == 1.0 ? value : nextafter(value, HUGE_VAL);
}

#define OF_ONE(name)                                            \
  double name(double x)                                         \
  {                                                             \
    static double (*of_libm)(double);                           \
    if (!of_libm) *(void **)&of_libm = dlsym(RTLD_NEXT, #name); \
    return off(of_libm(x));                                     \
  }
#define OF_TWO(name)                                            \
  double name(double x, double y)                               \
  {                                                             \
    static double (*of_libm)(double, double);                   \
    if (!of_libm) *(void **)&of_libm = dlsym(RTLD_NEXT, #name); \
    return off(of_libm(x, y));                                  \
  }

OF_ONE(sin)
OF_ONE(cos)
OF_ONE(tan) OF_ONE(asin) OF_ONE(acos) OF_ONE(atan) OF_ONE(sinh) OF_ONE(cosh) OF_ONE(tanh) OF_ONE(asinh)
  OF_ONE(acosh) OF_ONE(atanh) OF_ONE(exp) OF_ONE(exp2) OF_ONE(exp10) OF_ONE(expm1) OF_ONE(log) OF_ONE(log2)
    OF_ONE(log10) OF_ONE(log1p) OF_ONE(cbrt) OF_TWO(atan2) OF_TWO(pow) OF_TWO(hypot)

      void sincos(double x, double *sine, double *cosine)
{
  *sine = sin(x);
  *cosine = cos(x);
}
