/* test_compliant_friction.c - smooth friction of compliant contacts: sliding and rolling against closed
 * forms and quadrature. */
#include "compliant_impacts.h"
#include "compliant/smooth_friction.h"

static const double k = 1e6, m = 0.8, radius = 0.1, mu = 0.3, gravity = 9.81, transition = 0.2, v = 1.0;

static const char *const specs[] = { "lagrange:stepper=rk4", "half-explicit", "generalised-alpha",
                                     "ida:error_tolerance=1e-12" };
enum { SPECS = sizeof specs / sizeof *specs };

/* Compression under the weight; the normal force then is constant. */
static double sunk(void)
{
  return pow(m * gravity / k, 2.0 / 3.0);
}

/* A ball that has sunk in by its weight and moves at V along (0.6, 0, 0.8). FRICTION and MORE are values of
 * friction and of further keys of the law; HELD: it does not turn. */
static trial slide(const char *friction, const char *more, bool held, const char *spec, double h, double time)
{
  char body[1000];
  snprintf(body, sizeof body,
           "local floor = sys:body { name = 'floor', fixed = true, position = { 0, 0, 0 }, friction = %s,\n"
           "  shape = scene.plane { normal = { 0, 1, 0 } } }\n"
           "local ball = sys:body { name = 'ball', shape = scene.sphere { radius = 0.1 }, mass = %.17g,\n"
           "  friction = %s, position = { 0, 0.1 - %.17g, 0 }, velocity = { 0.6 * %.17g, 0, 0.8 * %.17g } }\n"
           "%s\n"
           "sys:contact { law = 'hertz', stiffness = 1e6, transition = 0.2%s }",
           friction, m, friction, sunk(), v, v, held ? "sys:lock_rotation { sys.ground, ball }" : "", more);
  return run_under(gravity, body, spec, h, time);
}

/* Returns the speed along (0.6, 0, 0.8) and checks the one across. */
static double speed_along(const trial *r)
{
  const double *u = r->state->twist[2].v;
  check_below("velocity across, m/s", 0.8 * u[0] - 0.6 * u[2], 1e-12);
  return 0.6 * u[0] + 0.8 * u[2];
}

/* v' = -mu g tanh(4 v / V):  sinh(4 v / V) = sinh(4 v_0 / V) exp(-4 mu g t / V). */
static double brown_mcphee(double speed, double a, double t)
{
  return 0.25 * transition * asinh(sinh(4.0 * speed / transition) * exp(-4.0 * a * t / transition));
}

/* v' = -mu g (1 - exp(-3 v / V)):  exp(3 v / V) - 1 decays like exp(-3 mu g t / V). */
static double threlfall(double speed, double a, double t)
{
  return transition / 3.0 * log1p(expm1(3.0 * speed / transition) * exp(-3.0 * a * t / transition));
}

static void a_ball_that_does_not_turn_slides_as_the_closed_forms(void **unused)
{
  (void)unused;
  static const double times[] = { 0.2, 0.4 }; /* s: at full friction, and creeping */
  for (int s = 0; s < SPECS; s++)
    for (int i = 0; i < 4 && !needs_missing_library(specs[s]); i++) {
      const double t = times[i / 2], a = mu * gravity, h = s == 2 ? 5e-6 : 5e-5;
      trial r = slide("0.3", i % 2 ? ", smoothing = 'threlfall'" : "", true, specs[s], h, t);
      printf(" %s, %s, %g s\n", specs[s], i % 2 ? "threlfall" : "brown-mcphee", t);
      check_near("speed, m/s", speed_along(&r), i % 2 ? threlfall(v, a, t) : brown_mcphee(v, a, t), 1e-9);
      check_below("compression: error, m", compression(&r) - sunk(), 1e-13);
      assert_false(r.summary.energy_conserved);
      done(&r);
    }
}

/* The slip of a ball that may turn is slowed by 1 / m + l^2 / J, with the arm l of the middle of the
 * overlap. */
static void a_ball_slides_until_it_rolls(void **unused)
{
  (void)unused;
  const double arm = radius - 0.5 * sunk(), J = 0.4 * m * radius * radius, t = 0.06;
  const double slip = brown_mcphee(v, mu * gravity * (1.0 + m * arm * arm / J), t);
  for (int s = 0; s < SPECS; s++) {
    if (needs_missing_library(specs[s])) continue;
    trial r = slide("0.3", "", false, specs[s], s == 2 ? 5e-6 : 5e-5, t);
    const double *w = r.state->twist[2].w, spin = 0.6 * w[2] - 0.8 * w[0], speed = speed_along(&r);
    printf(" %s\n", specs[s]);
    check_near("slip, m/s", speed + arm * spin, slip, 1e-9);
    check_near("speed, m/s", speed, v - (v - slip) / (1.0 + m * arm * arm / J), 1e-9);
    done(&r);
  }
}

/* Brown and McPhee's coefficient, written out. With two coefficients the motion has no closed form. */
static double coefficient(double speed)
{
  const double r = speed / transition;
  return 0.3 * tanh(4.0 * r) + (0.5 - 0.3) * r / pow(r * r / 4.0 + 0.75, 2.0);
}

static double time_per_speed(double x, double rest, const void *range)
{
  const double *of = range;
  (void)rest;
  return (of[1] - of[0]) / (gravity * coefficient(of[0] + (of[1] - of[0]) * x));
}

static void static_friction_is_that_of_quadrature(void **unused)
{
  (void)unused;
  const double range[] = { 0.1, 1.0 }; /* m/s: below the transition, and the start */
  const double t = integrate(time_per_speed, range);
  for (int s = 0; s < SPECS; s++) {
    if (needs_missing_library(specs[s])) continue;
    trial r = slide("{ static = 0.5, kinetic = 0.3 }", "", true, specs[s], t / (s == 2 ? 60000 : 6000), t);
    printf(" %s\n", specs[s]);
    check_near("speed, m/s", speed_along(&r), 0.1, 1e-9);
    done(&r);
  }
}

/* Coefficient of friction at a slip of R transition speeds. */
static double at(int kind, double r)
{
  const hn_smooth_friction friction = { kind, transition };
  return hn_smooth_friction_factor(&friction, 0.3, kind == 0 ? 0.5 : 0.3, r * transition) * r * transition;
}

static void the_functions_are_accurate_at_any_slip(void **unused)
{
  (void)unused;
  double worst = 0.0;
  for (double r = 1e-20; r < 1e4; r *= 7.3) {
    const double brown = 0.3 * tanh(4.0 * r) + 0.2 * r / pow(r * r / 4.0 + 0.75, 2.0);
    worst = larger(worst, fabs(at(0, r) / brown - 1.0));
    worst = larger(worst, fabs(at(1, r) / (-0.3 * expm1(-3.0 * r)) - 1.0));
  }
  check_below("relative error over 24 decades", worst, 1e-14);
  check_near("brown-mcphee at the transition", at(0, 1.0), 0.2 + 0.3 * tanh(4.0), 1e-15);
  check_near("threlfall at the transition", at(1, 1.0), 0.3 * (1.0 - exp(-3.0)), 1e-15);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_ball_that_does_not_turn_slides_as_the_closed_forms),
    cmocka_unit_test(a_ball_slides_until_it_rolls),
    cmocka_unit_test(static_friction_is_that_of_quadrature),
    cmocka_unit_test(the_functions_are_accurate_at_any_slip),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
