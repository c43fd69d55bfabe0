/* check.h - cmocka, and checks that print the measured value beside its bound. */
#ifndef HN_CHECK_H
#define HN_CHECK_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdbool.h>
#include <string.h>
#include <cmocka.h>

/* Returns the larger of two numbers; NaN if either is NaN. */
static inline double larger(double a, double b)
{
  return b > a || isnan(b) ? b : a;
}

/* Prints VALUE and BOUND and asserts |VALUE| <= BOUND; NaN fails. */
static inline void check_below(const char *what, double value, double bound)
{
  int good = fabs(value) <= bound;
  printf("  %-58s %12.3e  bound %9.1e%s\n", what, value, bound, good ? "" : "  FAILED");
  assert_true(good);
}

/* Prints VALUE and asserts |VALUE - EXPECTED| <= TOLERANCE; NaN fails. */
static inline void check_near(const char *what, double value, double expected, double tolerance)
{
  int good = fabs(value - expected) <= tolerance;
  printf("  %-58s %.12g  expected %.12g +- %.1e%s\n", what, value, expected, tolerance,
         good ? "" : "  FAILED");
  assert_true(good);
}

/* Prints a count and asserts that it is exact. */
#define ASSERT_COUNT(what, value, expected)                                      \
  do {                                                                           \
    printf("  %-40s %6llu  expected %6llu\n", what, (unsigned long long)(value), \
           (unsigned long long)(expected));                                      \
    assert_true((value) == (expected));                                          \
  } while (0)

/* True if SPEC needs PETSc or SUNDIALS, and Holonom was built without it. */
static inline bool needs_missing_library(const char *spec)
{
  (void)spec;
#ifndef HN_WITH_PETSC
  static const char *const backends[] = { "linear=petsc", "linear=ksp", "linear=mumps", "linear=cholmod" };
  for (size_t i = 0; i < sizeof backends / sizeof *backends; i++)
    if (strstr(spec, backends[i])) return true;
  if (strstr(spec, "impulse-newton")) return true;
#endif
#ifndef HN_WITH_SUNDIALS
  if (strncmp(spec, "ida", 3) == 0) return true;
#endif
  return false;
}

#endif
