/* test_driver.c - stiff damping in the impulse methods against a closed form; the experiment with a hydraulic
 * driver of Gribel (2009), section 5.2. */
#include "trials.h"

/* ---- Stiff damping and the driver ---------------------------------------------------------------------- */

/* v' = -2 z v / h: one step of the symmetric velocity updates has the factor (1 - z) / (1 + z), for any z. */
static void stiff_damping_is_solved(void **unused)
{
  (void)unused;
  static const double z[] = { 0.1, 0.9, 1.1, 10, 1e3, 1e5 };
  for (size_t i = 0; i < sizeof z / sizeof *z; i++) {
    char body[400], what[80];
    snprintf(
      body, sizeof body,
      "local p = sys:particle { mass = 1, position = { 0, 0, 0 }, velocity = { 1, 0, 0 } }\n"
      "sys:point_on_line { sys.ground, p, at = { 0, 0, 0 }, axis = { 1, 0, 0 } }\n"
      "sys:axial_spring { sys.ground, p, at = { 0, 0, 0 }, axis = { 1, 0, 0 }, damping = %.17g }\nreturn sys",
      200 * z[i]);
    trial r = must_run(body, "impulse-sle", 0.01, 0.01);
    snprintf(what, sizeof what, "velocity after a step, z = %g", z[i]);
    check_near(what, r.state->twist[1].v[0], (1 - z[i]) / (1 + z[i]), z[i] < 1e4 ? 1e-11 : 1e-9);
    done(&r);
  }
}

/* Motors much stiffer than a step can resolve turn a row of links against each other, some at their limit:
 * the forces at the end of the step have a kink for each motor. Their possible effect is bounded. */
static void motors_at_their_limits_are_solved(void **unused)
{
  (void)unused;
  static const struct {
    int links;
    double gain, limit;
  } arms[] = {
    { 2, 1e3, 3 },  { 2, 1e3, 30 }, { 2, 1e5, 10 }, { 3, 1e5, 3 },
    { 3, 1e5, 10 }, { 4, 1e3, 10 }, { 4, 1e5, 3 },
  };
  for (size_t i = 0; i < sizeof arms / sizeof *arms; i++) {
    char body[700], what[96];
    snprintf(body, sizeof body,
             "local last, z = sys.ground, { 0, 0, 1 }\nfor i = 1, %d do\n"
             "  local b = sys:body { name = 'link' .. i, mass = 1, inertia = { 0.1, 0.1, 0.1 }, "
             "position = { i - 0.5, 0, 0 } }\n"
             "  sys:hinge { last, b, at = { i - 1, 0, 0 }, axis = z }\n"
             "  sys:motor { last, b, axis = z, target = (-1) ^ i * 3, gain = %g, limit = %g }\n"
             "  last = b\nend\nreturn sys",
             arms[i].links, arms[i].gain, arms[i].limit);
    trial r = must_run(body, "impulse-sle", 0.01, 1.0);
    snprintf(what, sizeof what, "%d links, %g N m s at most %g N m: corrections a step", arms[i].links,
             arms[i].gain, arms[i].limit);
    check_below(what, r.summary.velocity_iterations_mean, 60.0);
    done(&r);
  }
}

/* Observed extremes of the driver: it holds until 0.5 s, contracts until 4.5 s, then extends. */
typedef struct observed {
  double limit;
  double held, slowest, fastest, back_slowest, back_fastest, peak, stopped;
} observed;

static bool observe_driver(void *user, const hn_frame *frame)
{
  observed *r = user;
  double t = frame->state->time, v = frame->state->twist[1].v[0],
         force = 200 * (frame->state->pose[1].x[0] - 2);
  if (t < 0.505) r->held = fmax(r->held, fabs(force));
  if (t > 1.0 && t < 4.5 && force < 0.98 * r->limit && r->stopped == 0)
    r->slowest = fmin(r->slowest, v), r->fastest = fmax(r->fastest, v);
  if (t < 4.5) r->peak = fmax(r->peak, force);
  if (t > 3.5 && t < 4.505) r->stopped = fmax(r->stopped, fabs(v));
  if (t > 4.7 && t < 5.4)
    r->back_slowest = fmin(r->back_slowest, -v), r->back_fastest = fmax(r->back_fastest, -v);
  return true;
}

/* Gribel (2009), section 5.2: a spring of rest length 2 m, k = 200 N/m; v_max = 1 m/s, h = 10 ms. The driver
 * moves at v_max until the spring force is f_max. It stops there after the distance on which the load of 5 kg
 * loses its kinetic energy, v sqrt(m / k), and holds. While extending, it moves at v_max although the spring
 * pushes. */
static void the_driver_of_gribel(void **unused)
{
  (void)unused;
  static const char *const specs[] = { "impulse-sle", "impulse-gs" };
  for (int i = 0; i < 4; i++) {
    const double limit = i < 2 ? 200 : 400, v = 1, m = 5, k = 200;
    char body[900];
    observed seen = { .limit = limit, .slowest = 9, .back_slowest = 9 };
    snprintf(
      body, sizeof body,
      "local load = sys:body { name = 'load', mass = 5, inertia = { 1, 1, 1 }, position = { 2, 0, 0 } }\n"
      "sys:slider { sys.ground, load, at = { 2, 0, 0 }, axis = { 1, 0, 0 } }\n"
      "sys:spring { sys.ground, load, at_b = { 2, 0, 0 }, at_a = { 0, 0, 0 }, stiffness = 200, length = 2 }\n"
      "sys:driver { load, sys.ground, at_a = { 2, 0, 0 }, at_b = { 6, 0, 0 }, speed = 1, limit = %g, "
      "shortest = 1, longest = 5, name = 'driver' }\nsys:control(function(t, s)\n"
      "  s:set('driver', t < 0.495 and 'hold' or t < 4.495 and 'contract' or 'extend')\nend)\nreturn sys",
      limit);
    write_scene(body);
    trial r = run_spec(specs[i % 2], 0.01, 5.5, observe_driver, &seen);
    if (r.reason != HN_CONVERGED) fail_msg("%s", r.summary.explanation);
    printf("  %s, f_max = %g N\n", specs[i % 2], limit);
    check_below("hold: spring force (N)", seen.held,
                k * 50 * 1e-13 * 0.01); /* a closing velocity update leaves 1e-13 m/s */
    check_near("contract: slowest (m/s), v_max less 1 % at the full load", seen.slowest, 0.99 * v, 0.01);
    check_near("contract: fastest (m/s)", seen.fastest, v, 0.01);
    check_near("largest spring force (N)", seen.peak, limit + 0.99 * v * sqrt(m * k), 0.005 * limit);
    check_below("speed where it stops (m/s)", seen.stopped, 0.005);
    check_near("extend: slowest (m/s)", seen.back_slowest, v, 0.03);
    check_near("extend: fastest (m/s)", seen.back_fastest, v, 0.03);
    done(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(stiff_damping_is_solved),
    cmocka_unit_test(motors_at_their_limits_are_solved),
    cmocka_unit_test(the_driver_of_gribel),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
