/* other_libm.c - elementary functions that are wrong by one unit in the last place. Loaded before libm
 * (LD_PRELOAD), it shows which results depend on libm. Other processors differ in about one result of a
 * thousand; here all differ except 0, 1 and -1, which every libm returns exactly. */
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

/* clang-format off */
OF_ONE(sin) OF_ONE(cos) OF_ONE(tan) OF_ONE(asin) OF_ONE(acos) OF_ONE(atan)
OF_ONE(sinh) OF_ONE(cosh) OF_ONE(tanh) OF_ONE(asinh) OF_ONE(acosh) OF_ONE(atanh)
OF_ONE(exp) OF_ONE(exp2) OF_ONE(exp10) OF_ONE(expm1)
OF_ONE(log) OF_ONE(log2) OF_ONE(log10) OF_ONE(log1p) OF_ONE(cbrt)
OF_TWO(atan2) OF_TWO(pow) OF_TWO(hypot)
  /* clang-format on */

  void sincos(double x, double *sine, double *cosine)
{
  *sine = sin(x);
  *cosine = cos(x);
}
