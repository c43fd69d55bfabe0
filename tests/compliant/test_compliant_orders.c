/* test_compliant_orders.c - orders of convergence of fixed steps within a compliant contact, and through its
 * touch.
 *
 * Within the contact d^(3/2) is smooth, and a solver has its own order p. A step in which the force begins
 * like t^r ends with an error of h^(r + 1) in velocity, which is the order of what follows, unless p is
 * lower. Here the touch is always at a quarter of a step, so that the constant of this error is the same for
 * all steps.
 *
 *   hertz                   r = 3/2    order min(p, 5/2)
 *   kelvin-voigt, damped    r = 0      order 1 */
#include "compliant_impacts.h"

enum { STEPS = 6 };
static const double k = 1e6, m = 0.8, v = 1.5;
#define HERTZ "law = 'hertz', stiffness = 1e6"

static double deepest(void)
{
  return pow(5.0 * m * v * v / (4.0 * k), 0.4);
}

/* Fits the order of errors and checks it; prints the errors. */
static void check_order(const char *what, const double *h, const double *error, double expected)
{
  for (int i = 0; i < STEPS; i++) printf("%s%9.2e", i == 0 ? "    errors" : "", error[i]);
  printf("\n");
  check_near(what, hn_fit_order(h, error, STEPS), expected, 0.2);
}

static const struct {
  const char *spec;
  double within, through; /* orders */
  int coarsest;           /* steps within the contact */
} solvers[] = {
  { "lagrange:stepper=euler", 1.0, 1.0, 200 },
  { "lagrange:stepper=rk4", 4.0, 2.5, 16 },
  { "lagrange:stepper=rkf45", 5.0, 2.5, 10 },
  { "lagrange:stepper=rk8pd", 8.0, 2.5, 3 },
  { "half-explicit", 4.0, 2.5, 16 },
  { "generalised-alpha", 2.0, 2.0, 40 },
  { "impulse-sle", 2.0, 2.0, 40 },
};
enum { SOLVERS = sizeof solvers / sizeof *solvers };

/* From the deepest compression, at rest, to half of it. */
static void within_a_contact_solvers_have_their_own_order(void **unused)
{
  (void)unused;
  const double d = deepest(), T = hertz_time_from(0.5) * d / v, speed = v * sqrt(1.0 - pow(0.5, 2.5));
  for (int s = 0; s < SOLVERS; s++) {
    double h[STEPS], error[STEPS];
    for (int i = 0; i < STEPS; i++) {
      const int n = (int)lround(solvers[s].coarsest * pow(solvers[s].within > 5 ? 1.25 : 1.4, i));
      h[i] = T / n;
      trial r = impact(HERTZ, m, -d, 0.0, solvers[s].spec, h[i], T);
      error[i] = hypot((compression(&r) - 0.5 * d) / d, (velocity(&r) - speed) / v);
      done(&r);
    }
    printf(" %s\n", solvers[s].spec);
    check_order("order", h, error, solvers[s].within);
  }
}

/* From 1 mm at 1 m/s, with a damper: the closed form of the damped oscillation. */
static void damping_leaves_the_order_within_a_contact(void **unused)
{
  (void)unused;
  const double stiffness = 1e5, c = 150.0, d0 = 1e-3, v0 = 1.0, b = c / (2.0 * m);
  const double w = sqrt(stiffness / m - b * b), B = (v0 + b * d0) / w, T = 1.0 / w;
  const double d = exp(-b * T) * (d0 * cos(1.0) + B * sin(1.0));
  for (int s = 0; s < SOLVERS; s++) {
    double h[STEPS], error[STEPS];
    if (solvers[s].within > 5.0) continue; /* at rounding after four steps */
    for (int i = 0; i < STEPS; i++) {
      h[i] = T / (int)lround(solvers[s].coarsest * pow(1.4, i));
      trial r = impact("law = 'kelvin-voigt', stiffness = 1e5, damping = 150", m, -d0, v0, solvers[s].spec,
                       h[i], T);
      error[i] = fabs(compression(&r) - d) / d;
      done(&r);
    }
    printf(" %s\n", solvers[s].spec);
    check_order("order", h, error, solvers[s].within);
  }
}

/* From a gap through the touch, after a quarter of the time, and the deepest compression to half of it. With
 * 4 i + 1 steps the touch is at a quarter of one. */
static void the_touch_limits_the_order(void **unused)
{
  (void)unused;
  const double d = deepest(), contact = (hertz_time_from(0.0) + hertz_time_from(0.5)) * d / v,
               T = contact * 4.0 / 3.0, speed = v * sqrt(1.0 - pow(0.5, 2.5));
  for (int s = 0; s < SOLVERS; s++) {
    double h[STEPS], error[STEPS];
    for (int i = 0; i < STEPS; i++) {
      const int n = 4 * (int)lround(solvers[s].through < 2.5 ? 100 * pow(1.4, i) : 160 * pow(1.4, i)) + 1;
      h[i] = T / n;
      trial r = impact(HERTZ, m, 0.25 * T * v, v, solvers[s].spec, h[i], T);
      error[i] = hypot((compression(&r) - 0.5 * d) / d, (velocity(&r) - speed) / v);
      done(&r);
    }
    printf(" %s\n", solvers[s].spec);
    check_order("order", h, error, solvers[s].through);
  }
}

/* A damped contact of Kelvin and Voigt begins with a jump of the force. */
static void a_jump_of_the_force_leaves_order_1(void **unused)
{
  (void)unused;
  static const char *const specs[] = { "lagrange:stepper=rk4", "half-explicit", "generalised-alpha" };
  const double stiffness = 1e5, c = 150.0, b = c / (2.0 * m), w = sqrt(stiffness / m - b * b), t = 1.0 / w,
               T = 4.0 / 3.0 * t, d = v / w * exp(-b * t) * sin(1.0);
  for (int s = 0; s < 3; s++) {
    double h[STEPS], place[STEPS];
    for (int i = 0; i < STEPS; i++) {
      h[i] = T / (4 * (int)lround(25 * pow(1.4, i)) + 1);
      trial r = impact("law = 'kelvin-voigt', stiffness = 1e5, damping = 150", m, 0.25 * T * v, v, specs[s],
                       h[i], T);
      place[i] = fabs(compression(&r) - d) / d;
      done(&r);
    }
    printf(" %s\n", specs[s]);
    check_order("order of positions", h, place, 1.0);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(within_a_contact_solvers_have_their_own_order),
    cmocka_unit_test(damping_leaves_the_order_within_a_contact),
    cmocka_unit_test(the_touch_limits_the_order),
    cmocka_unit_test(a_jump_of_the_force_leaves_order_1),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
