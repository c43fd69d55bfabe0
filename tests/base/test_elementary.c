/* test_elementary.c - elementary functions against the C library's in long double, their special values, and
 * their use by Lua scenes. */
#include "elementary.h"
#include "written.h"

#include <float.h>

enum { POINTS = 200000 };

typedef long double exact_function(long double x);

/* Returns the next pseudo-random number in [0, 1]. */
static double pattern(uint64_t *at)
{
  *at ^= *at << 13, *at ^= *at >> 7, *at ^= *at << 17;
  return (double)(*at >> 11) * 0x1p-53;
}

/* Returns a pseudo-random double of any exponent and sign, including NaN and infinity. */
static double any_double(uint64_t *at)
{
  double x;
  (void)pattern(at);
  memcpy(&x, at, sizeof x);
  return x;
}

/* Returns |VALUE - EXACT| in units in the last place of EXACT as a double; 0 if both are NaN or the same
 * infinity. */
static double error_in_units(double value, long double exact)
{
  if (isnan(value) || isnan(exact)) return isnan(value) && isnan(exact) ? 0.0 : (double)INFINITY;
  double size = fabs((double)exact), unit = nextafter(size, (double)INFINITY) - size;
  if (isinf(value) || isinf(size)) return value == (double)exact ? 0.0 : (double)INFINITY;
  return (double)(fabsl((long double)value - exact) / unit);
}

typedef struct unary_function {
  const char *name;
  double (*function)(double);
  exact_function *exact;
  double largest_argument;
} unary_function;

/* Each function with the largest |x| at which it is far from overflow. */
static const unary_function functions[] = {
  { "sin", hn_sin, sinl, DBL_MAX },     { "cos", hn_cos, cosl, DBL_MAX },
  { "tan", hn_tan, tanl, DBL_MAX },     { "asin", hn_asin, asinl, 1 },
  { "acos", hn_acos, acosl, 1 },        { "sinh", hn_sinh, sinhl, 709 },
  { "cosh", hn_cosh, coshl, 709 },      { "tanh", hn_tanh, tanhl, DBL_MAX },
  { "exp", hn_exp, expl, 709.78 },      { "log", hn_log, logl, DBL_MAX },
  { "log2", hn_log2, log2l, DBL_MAX },  { "log10", hn_log10, log10l, DBL_MAX },
  { "log1p", hn_log1p, log1pl, 1e300 }, { "cbrt", hn_cbrt, cbrtl, DBL_MAX },
};

/* Results below this size are rounded more than once: SLEEF promises an absolute error of DBL_MIN. */
static const double tiny = 4.0 * DBL_MIN;

static void note(double value, long double exact, double *usual, double *underflowing)
{
  double *largest = fabsl(exact) < tiny ? underflowing : usual;
  *largest = larger(*largest, error_in_units(value, exact));
}

static void check_units(const char *name, double usual, double underflowing)
{
  char what[80];
  snprintf(what, sizeof what, "%s, units in the last place", name);
  check_below(what, usual, 1.0);
  snprintf(what, sizeof what, "%s where it is tiny", name);
  check_below(what, underflowing, 2.0);
}

static void results_are_within_a_unit(void **state)
{
  (void)state;
  static const double ranges[] = { 1e-8, 1.0, 10.0, 1e3, 1e15, 1e22, 1e300 };
  for (size_t f = 0; f < sizeof functions / sizeof *functions; f++) {
    const unary_function *o = &functions[f];
    double usual = 0.0, underflowing = 0.0;
    uint64_t at = 88172645463325252u;
    for (size_t r = 0; r <= sizeof ranges / sizeof *ranges; r++)
      for (int i = 0; i < POINTS / 8; i++) {
        bool any = r == sizeof ranges / sizeof *ranges;
        double x = any ? any_double(&at) : (2.0 * pattern(&at) - 1.0) * ranges[r];
        if (!(fabs(x) <= o->largest_argument) && !isnan(x)) continue;
        note(o->function(x), o->exact(x), &usual, &underflowing);
      }
    check_units(o->name, usual, underflowing);
  }
}

typedef struct binary_function {
  const char *name;
  double (*function)(double, double);
  long double (*exact)(long double, long double);
} binary_function;

static const binary_function functions_of_two[] = {
  { "atan2", hn_atan2, atan2l },
  { "pow", hn_pow, powl },
  { "hypot", hn_hypot, hypotl },
};

static void binary_results_are_within_a_unit(void **state)
{
  (void)state;
  for (size_t f = 0; f < sizeof functions_of_two / sizeof *functions_of_two; f++) {
    const binary_function *o = &functions_of_two[f];
    double usual = 0.0, underflowing = 0.0;
    uint64_t at = 88172645463325252u;
    for (int i = 0; i < 4 * POINTS; i++) {
      double x = i % 2 ? any_double(&at) : 20.0 * pattern(&at),
             y = i % 4 > 1 ? any_double(&at) : 6.0 * pattern(&at) - 3.0;
      long double exact = o->exact(x, y);
      if (fabsl(exact) > (1 - 2e-6) * (long double)DBL_MAX) continue;
      note(o->function(x, y), exact, &usual, &underflowing);
    }
    check_units(o->name, usual, underflowing);
  }
}

/* True if both are NaN, or equal up to rounding and of the same sign. */
static bool alike(double value, double expected)
{
  if (isnan(expected)) return isnan(value);
  double room = isfinite(expected) ? 2.0 * DBL_EPSILON * fabs(expected) + 2.0 * DBL_TRUE_MIN : 0.0;
  return (value == expected || fabs(value - expected) <= room) && !signbit(value) == !signbit(expected);
}

static void special_values_are_those_of_c(void **state)
{
  (void)state;
  static const double values[] = { 0.0,  -0.0,  INFINITY, -INFINITY, NAN,    DBL_MIN,     -DBL_MIN, 1e-300,
                                   1.0,  -1.0,  0.5,      -0.5,      2.0,    -2.0,        3.0,      -3.0,
                                   1e15, -1e15, 1e300,    -1e300,    0x1p52, 0x1p53 + 2.0 };
  enum { COUNT = sizeof values / sizeof *values };
  int same = 0, tried = 0;
  for (int i = 0; i < COUNT; i++) {
    for (size_t f = 0; f < sizeof functions / sizeof *functions; f++, tried++) {
      bool good = alike(functions[f].function(values[i]), (double)functions[f].exact(values[i]));
      if (!good) printf("  %s(%g) = %g\n", functions[f].name, values[i], functions[f].function(values[i]));
      same += good;
    }
    for (int j = 0; j < COUNT; j++)
      for (size_t f = 0; f < 3; f++, tried++) {
        double value = functions_of_two[f].function(values[i], values[j]);
        bool good = alike(value, (double)functions_of_two[f].exact(values[i], values[j]));
        if (!good) printf("  %s(%g, %g) = %g\n", functions_of_two[f].name, values[i], values[j], value);
        same += good;
      }
  }
  ASSERT_COUNT("special values", same, tried);
}

/* Integer powers that a double represents are computed exactly: scenes count with 2 ^ n. */
static void whole_powers_are_exact(void **state)
{
  (void)state;
  int exact = 0, tried = 0;
  for (int x = -50; x <= 50; x++)
    for (int n = -1074; n <= 1023; n++) {
      long double power = powl(x, n);
      if ((long double)(double)power != power || (x == 0 && n < 0)) continue;
      tried++, exact += hn_pow(x, n) == (double)power;
    }
  assert_true(tried > 4000);
  ASSERT_COUNT("exact powers", exact, tried);
}

static void sincos_matches_sin_and_cos(void **state)
{
  (void)state;
  int same = 0;
  uint64_t at = 1;
  for (int i = 0; i < POINTS; i++) {
    double x = i % 2 ? any_double(&at) : 100.0 * pattern(&at), s, c, s1 = hn_sin(x), c1 = hn_cos(x);
    hn_sincos(x, &s, &c);
    same += memcmp(&s, &s1, sizeof s) == 0 && memcmp(&c, &c1, sizeof c) == 0;
  }
  ASSERT_COUNT("pairs with the bits of sin and cos", same, POINTS);
}

/* ---- In scenes ----------------------------------------------------------------------------------------- */

/* Each math function of Lua, stored in a particle's position, gives the library's bits, with constants folded
 * or not. */
static void scenes_compute_with_them(void **state)
{
  (void)state;
  write_scene(
    "local x, y, k = 0.73, 2.19, 0\n"
    "local function put(value) k = k + 1 sys:particle { mass = 1, position = { value, k, 0 } } end\n"
    "put(math.sin(x)) put(math.cos(x)) put(math.tan(x)) put(math.asin(x)) put(math.acos(x))\n"
    "put(math.atan(x, y)) put(math.atan(y)) put(math.exp(y)) put(math.log(y)) put(math.log(y, 2))\n"
    "put(math.log(y, 10)) put(math.log(y, 3)) put(x ^ y) put(0.73 ^ 2.19) put(y ^ 3) put('0.73' ^ y)\n"
    "put(y ^ 2) put(y ^ 0.5) put(math.sqrt(y))\n"
    "return sys");
  hn_scene *scene = load_written(NULL, 0);
  hn_state *start = hn_state_create(scene->model);
  const double x = 0.73, y = 2.19;
  const double expected[] = {
    hn_sin(x),        hn_cos(x),    hn_tan(x),      hn_asin(x),   hn_acos(x),  hn_atan2(x, y),
    hn_atan2(y, 1.0), hn_exp(y),    hn_log(y),      hn_log2(y),   hn_log10(y), hn_log(y) / hn_log(3.0),
    hn_pow(x, y),     hn_pow(x, y), hn_pow(y, 3.0), hn_pow(x, y), y * y,       hn_pow(y, 0.5),
    sqrt(y),
  };
  enum { COUNT = sizeof expected / sizeof *expected };
  assert_int_equal(start->nbody, COUNT + 1);
  int same = 0;
  for (int i = 0; i < COUNT; i++) {
    same += memcmp(&start->pose[i + 1].x[0], &expected[i], sizeof *expected) == 0;
    if (start->pose[i + 1].x[0] != expected[i])
      printf("  %d: %.17g %.17g\n", i, start->pose[i + 1].x[0], expected[i]);
  }
  ASSERT_COUNT("functions of scenes with these bits", same, COUNT);
  hn_state_free(start);
  hn_scene_free(scene);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(results_are_within_a_unit),     cmocka_unit_test(binary_results_are_within_a_unit),
    cmocka_unit_test(special_values_are_those_of_c), cmocka_unit_test(whole_powers_are_exact),
    cmocka_unit_test(sincos_matches_sin_and_cos),    cmocka_unit_test(scenes_compute_with_them),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
