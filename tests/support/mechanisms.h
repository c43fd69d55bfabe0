/* mechanisms.h - solvers that tests of whole mechanisms compare; distances. */
#ifndef HN_TEST_MECHANISMS_H
#define HN_TEST_MECHANISMS_H

#include "scenes.h"
#include "base/vec.h"

#define RK8 "lagrange:stepper=rk8pd,stabilisation=projection"
#define TAYLOR "taylor:order=12,stabilisation=projection"
#define COMPOSED "impulse-composed:order=8"
#define EXTRAPOLATED "impulse-extrapolated:order=8"
#define SLE "impulse-sle:tolerance=1e-12"
#define ALPHA "generalised-alpha:tolerance=1e-12"
#define GS "impulse-gs:tolerance=1e-9,velocity_tolerance=1e-9"

static inline double distance(const double a[3], const double b[3])
{
  double d[3];
  vec_sub(d, a, b);
  return vec_norm(d);
}

#endif
