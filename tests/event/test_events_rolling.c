/* test_events_rolling.c - solver events: bodies that roll, slide and rotate on rims, where the contact point
 * moves over both bodies. Compared with closed forms, or with fine runs by power series. */
#include "fitted_slopes.h"
#include "base/vec.h"

/* ---- Rolling down -------------------------------------------------------------------------------------- */

static void ball_cylinder_and_hoop_roll_down(void **unused)
{
  (void)unused;
  static const struct {
    const char *name;
    double share;
  } rolls[] = { { "sphere", 0.4 }, { "cylinder", 0.5 }, { "hoop", 1 } };
  for (int m = 0; m < SOLVERS; m++) {
    bench b = set_up("rolling", each[m]);
    puts(each[m]);
    must_converge(&b, 0.05, 1, NULL, NULL);
    for (int i = 0; i < 3; i++) {
      const double a = g * sin(M_PI / 6) / (1 + rolls[i].share);
      check_below(rolls[i].name, b.state->pose[body_named(&b, rolls[i].name)].x[0] - 0.5 * a, 1e-12);
    }
    check_below("change of energy, J", b.summary.energy_error_max, 1e-11);
    tear_down(&b);
  }
}

/* A cart on four cylinders of 2 kg as wheels on hinges: a = (M + 4 m) g sin / (M + 4 m + 4 m / 2). */
static void cart_rolls_down(void **unused)
{
  (void)unused;
  static const char cart[] =
    "sys:body { name = 'road', fixed = true, position = { 0, 0, 0 }, friction = 0.9,\n"
    "           shape = scene.plane { normal = { 0, 1, 0 } } }\n"
    "local chassis = sys:body { name = 'chassis', mass = 10, inertia = { 1, 2, 2 },\n"
    "                           position = { 0, 0.5, 0 } }\n"
    "local r, m = 0.25, 2\n"
    "for _, x in ipairs { -1, 1 } do for _, z in ipairs { -0.6, 0.6 } do\n"
    "  local J = m * r^2\n"
    "  local wheel = sys:body { name = 'wheel' .. x .. z, mass = m, inertia = { J / 3, J / 2, J / 3 },\n"
    "                           shape = scene.cylinder { radius = r, height = 0.2 }, friction = 0.9,\n"
    "                           position = { x, r, z }, axis_angle = { 1, 0, 0, math.pi / 2 } }\n"
    "  sys:hinge { chassis, wheel, at = { x, r, z }, axis = { 0, 0, 1 } }\n"
    "end end";
  const double slope = 0.2, a = 18 * g * sin(slope) / 22;
  for (int m = 0; m < SOLVERS; m++) {
    trial r = run_on(slope, cart, each[m], 0.05, 1);
    puts(each[m]);
    check_below("displacement, m", r.state->pose[2].x[0] - 0.5 * a, 1e-12);
    check_below("height, m", r.state->pose[2].x[1] - 0.5, 1e-12);
    check_below("change of energy, J", r.summary.energy_error_max, 1e-11);
    done(&r);
  }
}

/* The cylinder slides for v / (3 mu g), then rolls at 2/3 of its speed. */
static void cylinder_starts_to_roll(void **unused)
{
  (void)unused;
  static const char text[] =
    "sys:body { name = 'floor', fixed = true, position = { 0, 0, 0 }, friction = 0.3,\n"
    "           shape = scene.plane { normal = { 0, 1, 0 } } }\n"
    "sys:body { name = 'cylinder', mass = 1.5, friction = 0.3,\n"
    "           shape = scene.cylinder { radius = 0.3, height = 0.5 },\n"
    "           position = { 0, 0.3, 0 }, axis_angle = { 1, 0, 0, math.pi / 2 }, velocity = { 3, 0, 0 } }";
  const double mu = 0.3, v = 3, begins = v / (3 * mu * g);
  const double way = v * begins - 0.5 * mu * g * begins * begins + 2.0 / 3.0 * v * (1 - begins);
  for (int m = 0; m < SOLVERS; m++) {
    trial r = run_on(0, text, each[m], 0.05, 1);
    puts(each[m]);
    check_below("displacement, m", r.state->pose[2].x[0] - way, 1e-12);
    check_below("speed, m/s", r.state->twist[2].v[0] - 2, 1e-12);
    check_below("spin, rad/s", r.state->twist[2].w[2] + 2 / 0.3, 1e-12);
    done(&r);
  }
}

/* ---- A coin -------------------------------------------------------------------------------------------- */

/* A coin of radius R and thickness 2 b that rolls in a circle; see rolling_disc.lua for b = 0. With theta
 * from the vertical to its axis, the contact is at s = -R u - b e from the centre, u up the coin. Without
 * slip the radius of the circle is rho = b sin - R w / Omega, and Omega n x L = s x F:
 *    Omega (C w - A Omega cos) sin = (R sin + b cos) m Omega^2 rho - (R cos - b sin) m g */
typedef struct coin {
  double theta, Omega, R, b, m, sigma, rho;
} coin;

static void write_coin(coin *c)
{
  const double st = sin(c->theta), ct = cos(c->theta), O = c->Omega;
  const double A = c->m * (c->R * c->R / 4 + c->b * c->b / 3), C = c->m * c->R * c->R / 2;
  const double up = c->R * st + c->b * ct, down = c->R * ct - c->b * st;
  const double w = (A * O * O * st * ct + up * c->m * O * O * c->b * st - down * c->m * g) /
                   (O * C * st + c->m * O * c->R * up);
  char text[2048];
  c->sigma = w - O * ct, c->rho = c->b * st - w * c->R / O;
  snprintf(text, sizeof text,
           "local scene = require 'holonom.scene'\n"
           "local sys = scene.system { gravity = { 0, %.17g, 0 } }\n"
           "sys:body { name = 'floor', fixed = true, position = { 0, 0, 0 }, friction = 1,\n"
           "           shape = scene.plane { normal = { 0, 1, 0 } } }\n"
           "sys:body { name = 'coin', mass = %.17g, inertia = { %.17g, %.17g, %.17g }, friction = 1,\n"
           "           shape = scene.cylinder { radius = %.17g, height = %.17g },\n"
           "           position = { %.17g, %.17g, 0 }, axis_angle = { 0, 0, 1, %.17g },\n"
           "           velocity = { 0, 0, %.17g }, angular_velocity = { %.17g, %.17g, 0 } }\n"
           "sys:contact { margin = 0.05 }\nreturn sys",
           -g, c->m, A, C, A, c->R, 2 * c->b, c->rho, up, -c->theta, -c->rho * O, c->sigma * st,
           O + c->sigma * ct);
  write_bytes(text, strlen(text));
}

static double coin_error(const coin *c, const hn_state *state, double t)
{
  const double *x = state->pose[2].x;
  return hypot(x[0] - c->rho * cos(c->Omega * t), x[2] + c->rho * sin(c->Omega * t));
}

/* Orders of solvers for an inclined coin. */
static void coin_rolls_in_a_circle(void **unused)
{
  (void)unused;
  static const mover movers[] = {
    { EVENTS "impulse-sle:tolerance=1e-14", 2, 0.02, 1.5 },
    { EVENTS "lagrange:stepper=rk4", 4, 0.01, 1.5 },
    { EVENTS "half-explicit", 4, 0.02, 1.5 },
    { EVENTS "impulse-composed:order=4", 4, 0.04, 1.5 },
    { EVENTS "taylor:order=6", 6, 0.06, 1.25 },
    { EVENTS "lagrange:stepper=rk8pd", 8, 0.075, 1.2 },
  };
  const double time = 1.8;
  for (size_t m = 0; m < sizeof movers / sizeof *movers; m++) {
    double h[STEPS], error[STEPS];
    coin c = { .theta = 0.9, .Omega = 3, .R = 0.3, .b = 0.02, .m = 2 };
    write_coin(&c);
    shorter_steps(h, movers[m].h, movers[m].ratio, time);
    for (int i = 0; i < STEPS; i++) {
      trial r = run_spec(movers[m].spec, h[i], time, NULL, NULL);
      if (r.reason != HN_CONVERGED) fail_msg("%s", r.summary.explanation);
      error[i] = coin_error(&c, r.state, time);
      done(&r);
    }
    puts(movers[m].spec);
    check_order("order of a rolling coin", movers[m].order, h, error);
  }
}

static void coin_stays_on_its_circle(void **unused)
{
  (void)unused;
  static const double theta[] = { 0.3, 0.9, 1.4 }, Omega[] = { 19, 3, 1.5 }, h[] = { 0.002, 0.01, 0.01 };
  for (int i = 0; i < 3; i++)
    for (int m = 1; m < SOLVERS; m++) {
      coin c = { .theta = theta[i], .Omega = Omega[i], .R = 0.3, .b = 0.02, .m = 2 };
      write_coin(&c);
      trial r = run_spec(each[m], h[i], 2, NULL, NULL);
      if (r.reason != HN_CONVERGED) fail_msg("%s", r.summary.explanation);
      printf("%s, axis at %g rad\n", each[m], theta[i]);
      check_below("error of the position after 2 s, m", coin_error(&c, r.state, 2), 1e-11);
      check_below("change of energy, J", r.summary.energy_error_max, 1e-11);
      done(&r);
    }
}

/* A standing can tips over the rim point at x = r: from a face contact to a rim point that is distinguished
 * from the fixed ones after a rotation of 1e-8. */
static void can_tips_over_its_rim(void **unused)
{
  (void)unused;
  enum { FINE = 40000 };
  const double r = 0.1, half = 0.2, w = 3, d = hypot(r, half), time = 0.3, h = time / FINE;
  const double J = (3 * r * r + 4 * half * half) / 12 + d * d; /* of a unit mass, about that point */
  double angle = -atan2(r, half), rate = w;
  char text[1024];
  snprintf(text, sizeof text,
           "sys:body { name = 'floor', fixed = true, position = { 0, 0, 0 }, friction = 5,\n"
           "           shape = scene.plane { normal = { 0, 1, 0 } } }\n"
           "sys:body { name = 'can', density = 1000, friction = 5,\n"
           "           shape = scene.cylinder { radius = %g, height = %g }, position = { 0, %g, 0 },\n"
           "           velocity = { %g, %g, 0 }, angular_velocity = { 0, 0, %g } }",
           r, 2 * half, half, w * half, w * r, -w);
  for (int n = 0; n < FINE; n++) { /* Runge-Kutta method for angle'' = g d sin / J */
    double k[4][2], at[2] = { angle, rate };
    for (int s = 0; s < 4; s++) {
      k[s][0] = at[1], k[s][1] = g * d * sin(at[0]) / J;
      at[0] = angle + (s < 2 ? 0.5 * h : h) * k[s][0], at[1] = rate + (s < 2 ? 0.5 * h : h) * k[s][1];
    }
    angle += h / 6 * (k[0][0] + 2 * k[1][0] + 2 * k[2][0] + k[3][0]);
    rate += h / 6 * (k[0][1] + 2 * k[1][1] + 2 * k[2][1] + k[3][1]);
  }
  for (int m = 0; m < SOLVERS; m++) {
    trial run = run_on(0, text, each[m], 0.005, time);
    const double *x = run.state->pose[2].x;
    puts(each[m]);
    check_below("error of the position, m", hypot(x[0] - r - d * sin(angle), x[1] - d * cos(angle)),
                m == 0 ? 1e-8 : 1e-12);
    check_below("change of energy, J", run.summary.energy_error_max, m == 0 ? 1e-6 : 1e-12);
    done(&run);
  }
}

/* ---- Orders where there is no closed form -------------------------------------------------------------- */

/* Checks orders of the displacement of the last body of scene `text`, against a fine run by power series; and
 * conservation of energy if `conserved`. */
static void check_orders(const char *what, const char *text, double time, const double first[3],
                         bool conserved)
{
  const mover movers[] = {
    { EVENTS "lagrange:stepper=rk4", 4, first[0], 1.5 },
    { EVENTS "taylor:order=6", 6, first[1], 1.3 },
    { EVENTS "lagrange:stepper=rk8pd", 8, first[2], 1.25 },
  };
  trial fine = run_on(0, text, EVENTS "taylor:order=14", time / 60, time);
  printf("%s\n", what);
  if (conserved) check_below("change of energy, of some 30 J", fine.summary.energy_error_max, 1e-11);
  for (size_t m = 0; m < sizeof movers / sizeof *movers; m++) {
    double h[STEPS], error[STEPS];
    shorter_steps(h, movers[m].h, movers[m].ratio, time);
    for (int i = 0; i < STEPS; i++) {
      double difference[3];
      trial r = run_on(0, text, movers[m].spec, h[i], time);
      vec_sub(difference, r.state->pose[2].x, fine.state->pose[2].x);
      error[i] = vec_norm(difference);
      done(&r);
    }
    check_order(movers[m].spec, movers[m].order, h, error);
  }
  done(&fine);
}

/* Runs a coin released at `tilt` from flat, rotating about the vertical at 3 rad/s. */
static trial run_coin(double tilt, double mu, double h, double time)
{
  char text[1024];
  snprintf(text, sizeof text,
           "local R, b, tilt, mu = 0.3, 0.02, %.17g, %g\n"
           "sys:body { name = 'floor', fixed = true, position = { 0, 0, 0 }, friction = mu,\n"
           "           shape = scene.plane { normal = { 0, 1, 0 } } }\n"
           "sys:body { name = 'coin', density = 2000, friction = mu,\n"
           "           shape = scene.cylinder { radius = R, height = 2 * b },\n"
           "           position = { 0, R * math.sin(tilt) + b * math.cos(tilt), 0 },\n"
           "           axis_angle = { 0, 0, 1, -tilt }, angular_velocity = { 0, 3, 0 } }",
           tilt, mu);
  return run_on(0, text, EVENTS "lagrange:stepper=rk8pd", h, time);
}

/* A slip that ends while its direction turns: substeps with little rotation keep the order through its
 * end. */
static void turning_slip_ends(void **unused)
{
  (void)unused;
  trial coarse = run_coin(1.4, 0.6, 0.02, 0.4), fine = run_coin(1.4, 0.6, 0.002, 0.4);
  check_below("energy difference of steps of 20 ms and 2 ms, of 69 J",
              coarse.summary.energy_final - fine.summary.energy_final, 1e-10);
  done(&coarse), done(&fine);
}

/* The coin nearly lies flat, at 0.012 rad with friction, 0.002 without, where its lowest point moves half
 * around in milliseconds, and rises again, several times per second. No step adds more than a thousandth of
 * the energy; without friction it is conserved to that. */
static void nearly_flat_coin_gains_no_energy(void **unused)
{
  (void)unused;
  static const double h[] = { 0.02, 0.01, 0.005, 0.002 };
  for (int i = 0; i < 4; i++) {
    trial r = run_coin(0.3, 0.6, h[i], 1), smooth = run_coin(0.3, 0, h[i], 1);
    printf("steps of %g s: %.4f J of %.4f J remain\n", h[i], r.summary.energy_final,
           r.summary.energy_initial);
    check_below("largest gain of energy in a step, J", r.summary.energy_gain,
                1e-3 * r.summary.energy_initial);
    check_below("change of energy without friction, J", smooth.summary.energy_error_max,
                1e-3 * smooth.summary.energy_initial);
    done(&r), done(&smooth);
  }
}

/* A capsule lies across an edge and rolls on it while it rotates. */
static void capsule_rolls_across_an_edge(void **unused)
{
  (void)unused;
  static const char text[] =
    "sys:body { name = 'roof', fixed = true, position = { 0, -0.5 * math.sqrt(2), 0 }, friction = 5,\n"
    "           axis_angle = { 1, 0, 0, math.pi / 4 }, shape = scene.box { 8, 1, 1 } }\n"
    "sys:body { name = 'capsule', density = 500, friction = 5,\n"
    "           shape = scene.capsule { radius = 0.2, height = 2 },\n"
    "           position = { 0, 0.2, 0 }, axis_angle = { 1, 0, 0, math.pi / 2 },\n"
    "           angular_velocity = { 0.3, 0.5, -2 }, velocity = { 0.4, 0, 0.06 } }";
  check_orders("a capsule rolls across an edge", text, 0.6, (const double[3]){ 0.025, 0.06, 0.12 }, true);
}

/* An inclined coin that spins and slides on its rim: friction along a slip of varying direction, at a moving
 * contact point. */
static void coin_slides(void **unused)
{
  (void)unused;
  static const char text[] =
    "local R, b, tilt = 0.3, 0.02, 0.8\n"
    "sys:body { name = 'floor', fixed = true, position = { 0, 0, 0 }, friction = 0.2,\n"
    "           shape = scene.plane { normal = { 0, 1, 0 } } }\n"
    "local s, c = math.sin(tilt), math.cos(tilt)\n"
    "sys:body { name = 'coin', density = 2000, friction = 0.2,\n"
    "           shape = scene.cylinder { radius = R, height = 2 * b },\n"
    "           position = { 0, R * s + b * c, 0 }, axis_angle = { 0, 0, 1, -tilt },\n"
    "           velocity = { 0, 0, 2 }, angular_velocity = { 2 * s, 2 * c + 1, 0 } }";
  check_orders("a coin slides", text, 0.12, (const double[3]){ 0.015, 0.02, 0.03 }, false);
}

/* ---- Refused contacts ---------------------------------------------------------------------------------- */

/* Expects a run of the scene TEXT to end as unsupported, with WORDS in the reason. */
static void expect_unsupported(const char *text, const char *words)
{
  write_bytes(text, strlen(text));
  trial r = run_spec(EVENTS "lagrange,time_stepping=false", 0.01, 1, NULL, NULL);
  printf("  %s\n", r.summary.explanation);
  assert_int_equal(r.reason, HN_UNSUPPORTED);
  assert_non_null(strstr(r.summary.explanation, words));
  done(&r);
  /* by default such contacts are time-stepped */
  r = run_spec(EVENTS "lagrange", 0.01, 0.2, NULL, NULL);
  printf("  %d parts, %g s, are time-stepped\n", (int)r.summary.time_stepped, r.summary.time_stepped_s);
  assert_int_equal(r.reason, HN_CONVERGED);
  assert_true(r.summary.time_stepped > 0 && r.summary.time_stepped_s <= 0.2 + 1e-12);
  done(&r);
}

/* A box rotates on an equal one: edges parallel up to 5e-4 have no well-defined crossing. */
static void parallel_edges_are_refused(void **unused)
{
  (void)unused;
  static const char text[] =
    "local scene = require 'holonom.scene'\n"
    "local sys = scene.system { gravity = { 0, -9.81, 0 } }\n"
    "sys:body { name = 'below', fixed = true, position = { 0, -0.5, 0 }, shape = scene.box { 1, 1, 1 } }\n"
    "sys:body { name = 'box', mass = 1, shape = scene.box { 1, 1, 1 }, position = { 0, 0.5, 0 },\n"
    "           axis_angle = { 0, 1, 0, 5e-4 }, angular_velocity = { 0, 0.1, 0 } }\n"
    "sys:contact { margin = 0.05 }\nreturn sys";
  expect_unsupported(text, "edges that are parallel");
}

/* An ellipsoid turns on a ball: its point and normal there have no series. */
static void ellipsoids_on_balls_are_refused(void **unused)
{
  (void)unused;
  static const char text[] =
    "local scene = require 'holonom.scene'\n"
    "local sys = scene.system { gravity = { 0, -9.81, 0 } }\n"
    "sys:body { name = 'ball', fixed = true, position = { 0, -0.5, 0 },\n"
    "           shape = scene.sphere { radius = 0.5 } }\n"
    "sys:body { name = 'egg', mass = 1, shape = scene.ellipsoid { 0.2, 0.1, 0.15 },\n"
    "           position = { 0, 0.1, 0 }, angular_velocity = { 0.1, 1, 0 } }\n"
    "sys:contact { margin = 0.02 }\nreturn sys";
  expect_unsupported(text, "an ellipsoid with anything but a face");
}

/* An egg without symmetry rolls and wobbles on a plane. */
static void ellipsoid_rolls(void **unused)
{
  (void)unused;
  static const char text[] =
    "sys:body { name = 'floor', fixed = true, position = { 0, 0, 0 }, friction = 5,\n"
    "           shape = scene.plane { normal = { 0, 1, 0 } } }\n"
    "sys:body { name = 'egg', density = 500, friction = 5, shape = scene.ellipsoid { 0.3, 0.2, 0.25 },\n"
    "           position = { 0, 0.2, 0 }, angular_velocity = { 0.5, 0.4, -1 },\n"
    "           velocity = { 0.2, 0, 0.1 } }";
  check_orders("an ellipsoid rolls", text, 0.6, (const double[3]){ 0.025, 0.06, 0.12 }, true);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(ball_cylinder_and_hoop_roll_down),
    cmocka_unit_test(cart_rolls_down),
    cmocka_unit_test(cylinder_starts_to_roll),
    cmocka_unit_test(coin_rolls_in_a_circle),
    cmocka_unit_test(coin_stays_on_its_circle),
    cmocka_unit_test(can_tips_over_its_rim),
    cmocka_unit_test(capsule_rolls_across_an_edge),
    cmocka_unit_test(coin_slides),
    cmocka_unit_test(turning_slip_ends),
    cmocka_unit_test(nearly_flat_coin_gains_no_energy),
    cmocka_unit_test(parallel_edges_are_refused),
    cmocka_unit_test(ellipsoids_on_balls_are_refused),
    cmocka_unit_test(ellipsoid_rolls),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
