/* test_slip_starts.c - solver events: slips that begin along curves keep the order of the inner solver, and
 * generalised-alpha through impacts. Compared with a quadrature and with other solvers. */
#include "instants.h"

/* ---- Starts that turn ---------------------------------------------------------------------------------- */

/* Writes a box on a slope that starts to move under a force across the slope, which grows by `rate` per
 * second and turns the slide. */
static void write_start(double slope, double mu, double force, double rate)
{
  char pull[200];
  snprintf(pull, sizeof pull,
           "sys:force { cube, at = { 0, 0, 0.1 }, force = { 0, 1, 0 },\n"
           "  motion = { polynomial = { %.17g, %.17g } } }\n",
           force, rate);
  write_slope(slope, mu, 0, 0, pull);
}

/* Computes the position at `time`, starting from rest at t = 0: with s = log t and v = t w, dw/ds = F - mu g
 * cos(slope) w / |w| - w is smooth. */
static void integrate_start(double slope, double mu, double force, double rate, double time, double x[2])
{
  enum { FINE = 20000 };
  const double first = 1e-8, pull = g * sin(slope), brake = mu * g * cos(slope),
               total_force = hypot(pull, force);
  const double h = log(time / first) / FINE;
  double y[4] = { pull * (1 - brake / total_force), force * (1 - brake / total_force), 0, 0 };
  for (int n = 0; n < FINE; n++) {
    double k[4][4], at[4];
    for (int s = 0; s < 4; s++) {
      const double part = s == 0 ? 0 : s == 3 ? h : 0.5 * h, t = first * exp(n * h + part);
      for (int c = 0; c < 4; c++) at[c] = y[c] + part * (s ? k[s - 1][c] : 0);
      const double size = hypot(at[0], at[1]);
      k[s][0] = pull - brake * at[0] / size - at[0];
      k[s][1] = force + rate * t - brake * at[1] / size - at[1];
      k[s][2] = at[0] * t * t, k[s][3] = at[1] * t * t;
    }
    for (int c = 0; c < 4; c++) y[c] += h / 6 * (k[0][c] + 2 * k[1][c] + 2 * k[2][c] + k[3][c]);
  }
  x[0] = y[2], x[1] = y[3];
}

/* The force exceeds friction by much, or by a hundredth: then friction damps lateral velocity a hundred times
 * faster than the speed grows. */
static void starting_slide_turns(void **unused)
{
  (void)unused;
  static const double each[][2] = { { 4, 3 }, { 2.5, 1 } };
  const double slope = 0.4, mu = 0.5, time = 0.5;
  for (int i = 0; i < 2; i++) {
    double exact[2];
    integrate_start(slope, mu, each[i][0], each[i][1], time, exact);
    write_start(slope, mu, each[i][0], each[i][1]);
    printf("%g N, %g N/s\n", each[i][0], each[i][1]);
    const double coarse = error_of(EVENTS "taylor:order=20", 0.2, time, 2, exact);
    const double fine = error_of(EVENTS "taylor:order=10", 0.02, time, 2, exact);
    check_below("error of taylor of order 20, h = 0.2, m", coarse, 1e-12);
    check_below("error of taylor of order 10, h = 0.02, m", fine, 1e-12);
  }
}

/* A start that turns keeps the order of the inner solver: at half the step the error is smaller by 2^order,
 * to a factor of two. That of rk8pd has reached 1e-12 m before: it is below this bound. */
static void starting_slide_keeps_the_order(void **unused)
{
  (void)unused;
  static const mover each[] = { { EVENTS "impulse-sle:tolerance=1e-14", 2, 0.04, 0 },
                                { EVENTS "generalised-alpha", 2, 0.04, 0 },
                                { EVENTS "lagrange:stepper=rk4", 4, 0.04, 0 },
                                { EVENTS "half-explicit", 4, 0.04, 0 } };
  const double slope = 0.4, mu = 0.5, time = 0.4;
  double exact[2];
  integrate_start(slope, mu, 4, 3, time, exact);
  write_start(slope, mu, 4, 3);
  for (int m = 0; m < 4; m++) {
    const double coarse = error_of(each[m].spec, each[m].h, time, 2, exact);
    const double fine = error_of(each[m].spec, each[m].h / 2, time, 2, exact);
    printf("%s: %.3e m, %.3e m\n", each[m].spec, coarse, fine);
    check_near("order", log2(coarse / fine), each[m].order, 1);
  }
  check_below("error of rk8pd, m",
              error_of(EVENTS "lagrange:redundancy=remove:stepper=rk8pd", 0.02, time, 2, exact), 1e-12);
}

/* ---- A box on a platform that turns faster and faster -------------------------------------------------- */

static void write_platform(void)
{
  static const char text[] =
    "local scene = require 'holonom.scene'\n"
    "local sys = scene.system { gravity = { 0, 0, -9.81 } }\n"
    "local platform = sys:body { name = 'platform', mass = 50, inertia = { 10, 10, 20 },\n"
    "  position = { 0, 0, -0.05 }, shape = scene.box { 4, 4, 0.1 }, friction = 0.3 }\n"
    "sys:hinge { sys.ground, platform, at = { 0, 0, -0.05 }, axis = { 0, 0, 1 } }\n"
    "sys:torque { platform, torque = { 0, 0, 40 } }\n"
    "sys:body { name = 'coin', mass = 0.1, position = { 0.3, 0, 0.01 }, friction = 0.3,\n"
    "           shape = scene.box { 0.04, 0.04, 0.02 } }\n"
    "sys:contact { margin = 0.01 }\nreturn sys";
  write_bytes(text, strlen(text));
}

/* The box begins to slip after 1.5 s, along a curve. Two solvers with different series agree: Runge-Kutta of
 * order 8, and power series. */
static void box_slips_on_a_turning_platform(void **unused)
{
  (void)unused;
  const double time = 1.8;
  write_platform();
  trial r = run_spec(EVENTS "taylor", 0.02, time, NULL, NULL);
  if (r.reason != HN_CONVERGED) fail_msg("%s", r.summary.explanation);
  const double *exact = r.state->pose[2].x;
  check_below("distance to the axis, m", hypot(exact[0], exact[1]) - 0.3, 0.1);
  assert_int_equal(r.summary.events[HN_EVENT_SLIP], 1);
  check_below("difference of rk8pd, m",
              error_of(EVENTS "lagrange:redundancy=remove:stepper=rk8pd", 0.02, time, 2, exact), 1e-9);
  check_below("difference of rk4, m",
              error_of(EVENTS "lagrange:redundancy=remove:stepper=rk4", 0.01, time, 2, exact), 1e-5);
  done(&r);
}

/* ---- generalised-alpha --------------------------------------------------------------------------------- */

/* A ball with side spin slides down a slope along a curve. Newton's method of generalised-alpha and the
 * fixed-point iteration of impulse-sle lost the turning friction and stalled at some steps. */
static void ball_slides_in_a_curve(void **unused)
{
  (void)unused;
  static const char text[] =
    "local scene = require 'holonom.scene'\n"
    "local sys = scene.system { gravity = { 9.81 * math.sin(0.3), 0, -9.81 * math.cos(0.3) } }\n"
    "sys:body { name = 'floor', fixed = true, position = { 0, 0, 0 }, friction = 0.2,\n"
    "           shape = scene.plane { normal = { 0, 0, 1 } } }\n"
    "sys:body { name = 'ball', mass = 1, shape = scene.sphere { radius = 0.1 }, friction = 0.2,\n"
    "  position = { 0, 0, 0.1 }, velocity = { 2 * math.cos(0.3), 2 * math.sin(0.3), 0 },\n"
    "  angular_velocity = { 15, -10, 5 } }\n"
    "sys:contact { margin = 0.02 }\nreturn sys";
  write_bytes(text, strlen(text));
  trial fine = run_spec(EVENTS "lagrange:redundancy=remove:stepper=rk8pd", 0.01, 1, NULL, NULL);
  if (fine.reason != HN_CONVERGED) fail_msg("%s", fine.summary.explanation);
  static const char *const each[] = { EVENTS "generalised-alpha", EVENTS "impulse-sle" };
  for (int m = 0; m < 2; m++) {
    double error[3];
    for (int i = 0; i < 3; i++) error[i] = error_of(each[m], 0.04 / (1 << i), 1, 2, fine.state->pose[2].x);
    printf("%s: %.3e m, %.3e m, %.3e m\n", each[m], error[0], error[1], error[2]);
    check_near("order", log2(error[0] / error[2]) / 2, 2, 0.4);
  }
  done(&fine);
}

/* A rimless wheel walks through impacts at any part of a step. */
static void generalised_alpha_keeps_its_order_through_impacts(void **unused)
{
  (void)unused;
  double h[STEPS], error[STEPS];
  bench fine = set_up("rimless_wheel", EVENTS "lagrange:redundancy=remove:stepper=rk8pd");
  must_converge(&fine, 0.01, 2, NULL, NULL);
  const int wheel = body_named(&fine, "wheel");
  shorter_steps(h, 0.02, 2, 0);
  for (int i = 0; i < STEPS; i++) {
    bench b = set_up("rimless_wheel", EVENTS "generalised-alpha");
    double off[3];
    must_converge(&b, h[i], 2, NULL, NULL);
    vec_sub(off, b.state->pose[wheel].x, fine.state->pose[wheel].x);
    error[i] = vec_norm(off);
    tear_down(&b);
  }
  check_order("order", 2, h, error);
  tear_down(&fine);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(starting_slide_turns),
    cmocka_unit_test(starting_slide_keeps_the_order),
    cmocka_unit_test(box_slips_on_a_turning_platform),
    cmocka_unit_test(ball_slides_in_a_curve),
    cmocka_unit_test(generalised_alpha_keeps_its_order_through_impacts),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
