/* test_impact_contact.c - solver impulse-contact: order through impacts, stops and sliding, simultaneous
 * impacts, resting bodies. Compared with closed forms, or with finer steps. */
#include "instants.h"
#include "base/vec.h"

#define SOLVER "impulse-contact"

/* ---- Orders through events ----------------------------------------------------------------------------- */

static void pendulum_hits_a_wall(void **unused)
{
  (void)unused;
  static const char *const each[] = { "restitution=1", "restitution=0.5" };
  for (int k = 0; k < 2; k++)
    for (int bob = 0; bob < 2; bob++) {
      double h[STEPS], error[STEPS];
      const double time = 2.1, omega = sqrt(g / 1.01), exact = swing(omega, sin(0.5), k ? 0.5 : 1.0, time);
      for (int i = 0; i < STEPS; i++) {
        bench b = set_up_as("wall", WITH(each[k]), SOLVER);
        h[i] = 0.042 / (1 << i);
        must_converge(&b, h[i], time, NULL, NULL);
        const double *x = b.state->pose[body_named(&b, bob ? "at_stop" : "at_wall")].x;
        error[i] = fabs(atan2(x[0] - 3 * bob, -x[1]) - exact);
        tear_down(&b);
      }
      printf(" %s, %s\n", each[k], bob ? "a stop in its hinge" : "a wall");
      check_order("order of the angle after impacts", 2, h, error);
    }
}

static void double_pendulum_hits_a_wall(void **unused)
{
  (void)unused;
  double h[STEPS], error[STEPS];
  const double time = 1.2;
  write_two_links();
  trial fine = run_spec(SOLVER, time / 30 / 512, time, NULL, NULL);
  assert_int_equal(fine.reason, HN_CONVERGED);
  for (int i = 0; i < STEPS; i++) {
    h[i] = time / 30 / (1 << i);
    trial r = run_spec(SOLVER, h[i], time, NULL, NULL);
    assert_int_equal(r.reason, HN_CONVERGED);
    error[i] = 0;
    for (int k = 2; k < 4; k++) {
      double difference[3];
      vec_sub(difference, r.state->pose[k].x, fine.state->pose[k].x);
      error[i] = fmax(error[i], vec_norm(difference));
    }
    done(&r);
  }
  trial other = run_spec("moreau", 1e-5, time, NULL, NULL);
  check_below("difference from moreau with steps of 10 us, m",
              other.state->pose[3].x[0] - fine.state->pose[3].x[0], 1e-3);
  done(&other), done(&fine);
  check_order("order after impacts of a double pendulum", 2, h, error);
}

/* ---- Sliding ------------------------------------------------------------------------------------------- */

static void ten_cubes_stop_at_their_positions(void **unused)
{
  (void)unused;
  check_ten_cubes(SOLVER, 0.01, 1e-10, 1e-12);
}

static void curved_slide_has_order_2(void **unused)
{
  (void)unused;
  double exact[4] = { 0, 0, 0, 3 };
  const double slope = 0.4, mu = 0.5, time = 0.6;
  slide(slope, mu, time, exact);
  write_slope(slope, mu, 0, 3, "");
  check_mover(&(mover){ SOLVER, 2, 0.05, 2 }, 1, time, 2, exact);
}

/* Computes the angle and its rate at `time` of a ball that slides down a smooth ball of 1 m from `angle` at
 * rest; Runge-Kutta method. */
static void slide_down(double angle, double time, double out[2])
{
  enum { FINE = 20000 };
  const double h = time / FINE, a = g / 1.1;
  double x = angle, v = 0;
  for (int n = 0; n < FINE; n++) {
    const double k1 = a * sin(x), k2 = a * sin(x + 0.5 * h * v),
                 k3 = a * sin(x + 0.5 * h * (v + 0.5 * h * k1));
    const double k4 = a * sin(x + h * (v + 0.5 * h * k2));
    x += h * (v + h / 6 * (k1 + k2 + k3)), v += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  out[0] = x, out[1] = v;
}

/* Gaps within a step are those of the shapes: the ball follows the round surface, and detaches at 2/3 of its
 * initial height. */
static void ball_slides_off_another(void **unused)
{
  (void)unused;
  static const char text[] =
    "local scene = require 'holonom.scene'\n"
    "local sys = scene.system { gravity = { 0, -9.81, 0 } }\n"
    "sys:body { name = 'large', fixed = true, position = { 0, 0, 0 }, shape = scene.sphere { radius = 1 } }\n"
    "sys:body { name = 'ball', mass = 1, shape = scene.sphere { radius = 0.1 },\n"
    "           position = { 1.1 * math.sin(0.3), 1.1 * math.cos(0.3), 0 } }\n"
    "sys:contact { margin = 0.05 }\nreturn sys";
  double h[STEPS], error[STEPS], exact[2], last[2];
  const double time = 0.48;
  slide_down(0.3, time, exact);
  assert_true(cos(exact[0]) > 2.0 / 3 * cos(0.3));
  write_bytes(text, strlen(text));
  for (int i = 0; i < STEPS; i++) {
    h[i] = 0.04 / (1 << i);
    trial r = run_spec(SOLVER, h[i], time, NULL, NULL);
    assert_int_equal(r.reason, HN_CONVERGED);
    const double *x = r.state->pose[2].x;
    check_below("distance from the ball, m", hypot(x[0], x[1]) - 1.1, 1e-9);
    error[i] = fabs(atan2(x[0], x[1]) - exact[0]);
    done(&r);
  }
  check_order("order of the angle", 2, h, error);
  double detachment = 0;
  for (double angle = 0.3; detachment < 2 && angle < acos(2.0 / 3 * cos(0.3));
       detachment += 1e-4, angle = last[0])
    slide_down(0.3, detachment + 1e-4, last);
  trial before = run_spec(SOLVER, 0.0005, detachment - 0.01, NULL, NULL);
  trial after = run_spec(SOLVER, 0.0005, detachment + 0.03, NULL, NULL);
  const double *b = before.state->pose[2].x, *a = after.state->pose[2].x;
  check_below("10 ms before detachment: distance, m", hypot(b[0], b[1]) - 1.1, 1e-9);
  check_near("30 ms after it: distance above 1e-5 m", 1e5 * (hypot(a[0], a[1]) - 1.1) > 1, 1, 0);
  done(&before), done(&after);
}

/* The cube slides straight and stops, also across the axes. */
static void stopped_cube_stays(void **unused)
{
  (void)unused;
  const double mu = 0.5, v = 3;
  write_slope(0, mu, v * 0.6, v * 0.8, "");
  trial r = run_spec(SOLVER, 0.013, 2, NULL, NULL);
  assert_int_equal(r.reason, HN_CONVERGED);
  const double *x = r.state->pose[2].x;
  check_near("stopping distance across the axes, m", hypot(x[0], x[1]), v * v / (2 * mu * g), 1e-9);
  check_below("lateral displacement, m", x[0] * 0.8 - x[1] * 0.6, 1e-11);
  check_below("speed, m/s", vec_norm(r.state->twist[2].v), 1e-11);
  done(&r);
}

/* ---- Simultaneous impacts ------------------------------------------------------------------------------ */

static void cradle_has_order_2(void **unused)
{
  (void)unused;
  static const char *const laws[] = { SOLVER ":tolerance=1e-12",
                                      SOLVER ":tolerance=1e-12,restitution=newton" };
  for (int law = 0; law < 2; law++) {
    double h[STEPS], error[STEPS];
    for (int i = 0; i < STEPS; i++) {
      bench b = set_up("newton_cradle", laws[law]);
      h[i] = 0.04 / (1 << i);
      must_converge(&b, h[i], 0.8, NULL, NULL);
      double distance = 0, reference = 0;
      const hn_body *ball = &b.model->body[1];
      const double omega = sqrt(ball->mass * g / (ball->mass + ball->J[2]));
      const double k = sin(0.25), impact_time = gsl_sf_ellint_Kcomp(k, GSL_PREC_DOUBLE) / omega;
      for (int n = 1; n <= 5; n++) {
        double sn, cn, dn, after = k * (n == 1 ? -0.6 : 0.4);
        gsl_sf_elljac_e(omega * (0.8 - impact_time), after * after, &sn, &cn, &dn);
        reference = 2 * asin(after * sn);
        const double *x = b.state->pose[n].x;
        distance = fmax(distance, fabs(atan2(x[0] - 0.1 * (n - 1), -x[1]) - reference));
      }
      error[i] = distance;
      tear_down(&b);
    }
    puts(law ? " newton" : " poisson");
    check_order("order of five simultaneous balls", 2, h, error);
  }
}

static void impacts_are_sequential(void **unused)
{
  (void)unused;
  bench b = set_up_as("newton_cradle", WITH("gap=0.001"), SOLVER);
  must_converge(&b, 0.01, 0.52, NULL, NULL);
  const double before = 2 * sqrt(g / (1 + b.model->body[1].J[2])) * sin(0.25);
  for (int n = 1; n <= 5; n++)
    check_near("speed of a ball over that of the first", b.state->twist[n].v[0] / before, n == 5, 2e-3);
  tear_down(&b);
}

static void eccentric_impact(void **unused)
{
  (void)unused;
  bench b = set_up("rod_impact", SOLVER);
  must_converge(&b, 0.01, 0.01, NULL, NULL);
  const double p = 1.5 / (1 + 12 * pow(0.5 * cos(M_PI / 6), 2));
  check_near("velocity of the rod, m/s", b.state->twist[2].v[2], p - 1, 1e-9);
  tear_down(&b);
}

/* The tip of Kane's pendulum by both laws: changes of its energy as in doc/contact.md, to 5 digits; their
 * closed form is in test_contact_impacts.c. */
static void laws_of_restitution_differ_by_friction(void **unused)
{
  (void)unused;
  static const struct {
    const char *e, *mu;
    double newton, poisson;
  } each[] = {
    { "restitution=0", "friction=0.5", -0.01128, -0.01128 },
    { "restitution=0.5", "friction=0", -0.00669, -0.00669 },
    { "restitution=0.5", "friction=0.3", 0.00128, -0.00961 },
    { "restitution=0.5", "friction=0.5", 0.01362, -0.01055 },
    { "restitution=0.7", "friction=0.7", 0.04895, -0.01070 },
  };
  for (size_t k = 0; k < sizeof each / sizeof *each; k++)
    for (int law = 0; law < 2; law++) {
      bench b = set_up_as("kane_pendulum", WITH(each[k].e, each[k].mu),
                          law ? SOLVER : SOLVER ":restitution=newton");
      must_converge(&b, 1e-4, 1e-4, NULL, NULL);
      printf(" %s, %s, %s\n", each[k].e, each[k].mu, law ? "poisson" : "newton");
      check_near("energy after less before, J", b.summary.energy_final - b.summary.energy_initial,
                 law ? each[k].poisson : each[k].newton, 5.1e-6);
      tear_down(&b);
    }
}

/* Reported contact impulses are those of a whole step, impacts included: they equal the change of
 * momentum. */
static void impulses_balance_the_motion(void **unused)
{
  (void)unused;
  static const char *const scenes[] = { "bouncing_balls", "sliding_cubes", "rod_impact" };
  for (int k = 0; k < 3; k++) {
    bench b = set_up(scenes[k], SOLVER);
    must_converge(&b, 0.005, k == 2 ? 0.1 : 0.8, NULL, NULL); /* until the rod has turned */
    check_below(scenes[k], b.summary.contact.balance, 1e-12);
    tear_down(&b);
  }
}

static double fastest(const hn_state *state)
{
  double largest = 0;
  for (int i = 1; i < state->nbody; i++)
    largest = fmax(largest, fmax(vec_norm(state->twist[i].v), vec_norm(state->twist[i].w)));
  return largest;
}

static void resting_bodies_do_not_jitter(void **unused)
{
  (void)unused;
  static const struct {
    const char *scene;
    double tolerance;
  } each[] = {
    { "stack", 1e-9 },
    { "pyramid", 1e-9 },
    { "table", 1e-9 },
    { "arch", 1e-9 },
  };
  for (size_t k = 0; k < sizeof each / sizeof *each; k++) {
    bench b = set_up(each[k].scene, SOLVER);
    must_converge(&b, 0.01, 1, NULL, NULL);
    check_below(each[k].scene, fastest(b.state), each[k].tolerance);
    tear_down(&b);
  }
}

/* A fallback of the contact solver has the target of the first solver. With its own tolerance, or the
 * solver's, it would accept a residual that the step does not. */
static void fallbacks_have_the_same_target(void **unused)
{
  (void)unused;
  static const char *const chains[] = {
    "pgs:iterations=1:tolerance=1e-12:then=newton",
    "pgs:iterations=1:tolerance=1e-12:then=pgs:iterations=1:then=newton",
    "pgs:iterations=1:tolerance=1e-12:then=newton:tolerance=1e-3",
  };
  for (size_t k = 0; k < sizeof chains / sizeof *chains; k++) {
    char spec[200];
    snprintf(spec, sizeof spec, SOLVER ":contact_tolerance=1e-6,contact=%s", chains[k]);
    bench b = set_up("stack", spec);
    must_converge(&b, 0.01, 0.1, NULL, NULL);
    check_below(chains[k], b.summary.contact.residual, 1e-11);
    tear_down(&b);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(pendulum_hits_a_wall),
    cmocka_unit_test(double_pendulum_hits_a_wall),
    cmocka_unit_test(ten_cubes_stop_at_their_positions),
    cmocka_unit_test(curved_slide_has_order_2),
    cmocka_unit_test(ball_slides_off_another),
    cmocka_unit_test(stopped_cube_stays),
    cmocka_unit_test(cradle_has_order_2),
    cmocka_unit_test(impacts_are_sequential),
    cmocka_unit_test(eccentric_impact),
    cmocka_unit_test(laws_of_restitution_differ_by_friction),
    cmocka_unit_test(impulses_balance_the_motion),
    cmocka_unit_test(resting_bodies_do_not_jitter),
    cmocka_unit_test(fallbacks_have_the_same_target),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
