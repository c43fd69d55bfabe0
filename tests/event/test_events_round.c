/* test_events_round.c - solver events: bodies that roll and slide on round bodies and edges, and detach from
 * them. Compared with separate integrations of one angle. */
#include "fitted_slopes.h"
#include "base/vec.h"

/* ---- On a round body ----------------------------------------------------------------------------------- */

/* A round body on another one, at rest or at rate w: theta from the vertical to the line of centres, L
 * between them, r its radius, k = J / (m r^2). It rolls, theta'' = g sin / (L (1 + k)), while the friction k
 * / (1 + k) m g sin is below mu N, N = m (g cos - L theta'^2); then it slides; then it detaches. */
typedef struct ride {
  double L, r, k, mu;
  double theta, rate, spin, time; /* spin: rad/s */
  double detached;                /* cosine at detachment; 0: in contact */
} ride;

static double normal_force(const ride *x)
{
  return g * cos(x->theta) - x->L * x->rate * x->rate;
}

static void rates(const ride *x, bool slides, double out[3])
{
  const double pull = g * sin(x->theta),
               friction = slides ? x->mu * normal_force(x) : x->k / (1 + x->k) * pull;
  out[0] = x->rate, out[1] = (pull - friction) / x->L, out[2] = friction / (x->k * x->r);
}

/* Returns the state after a Runge-Kutta step of h. */
static ride stepped(const ride *x, bool slides, double h)
{
  ride to = *x, at = *x;
  for (int s = 0; s < 4; s++) {
    double k[3];
    const double weight = (s == 1 || s == 2 ? 2.0 : 1.0) * h / 6, next = s < 2 ? 0.5 * h : h;
    rates(&at, slides, k);
    to.theta += weight * k[0], to.rate += weight * k[1], to.spin += weight * k[2];
    at.theta = x->theta + next * k[0], at.rate = x->rate + next * k[1], at.spin = x->spin + next * k[2];
  }
  to.time += h;
  return to;
}

static bool ends(const ride *x, bool slides)
{
  return slides ? normal_force(x) < 0 : x->k / (1 + x->k) * g * sin(x->theta) > x->mu * normal_force(x);
}

/* Integrates until `time` with steps of 2e-5 s, locating the starts of sliding and detachment by bisection;
 * returns the position in (*px, *py). */
static void integrate_ride(ride *x, double time, double *px, double *py)
{
  bool slides = x->mu == 0;
  for (double h = 2e-5; x->time < time && x->detached == 0;) {
    const double step = fmin(h, time - x->time);
    ride to = stepped(x, slides, step);
    if (ends(&to, slides)) {
      double low = 0, high = step;
      for (int i = 0; i < 60; i++) {
        to = stepped(x, slides, 0.5 * (low + high));
        *(ends(&to, slides) ? &high : &low) = 0.5 * (low + high);
      }
      to = stepped(x, slides, high);
      if (slides) to.detached = cos(to.theta);
      slides = true;
    }
    *x = to;
  }
  const double t = time - x->time, c = cos(x->theta), s = sin(x->theta);
  *px = x->L * (s + x->rate * t * c), *py = x->L * (c - x->rate * t * s) - 0.5 * g * t * t;
}

/* Compares a body on another one, whose centre or axis is the origin, with `integrate_ride`. Sliding is
 * detected when accelerations differ by 1e-6. It begins where the cosine is less than (2 / 17) sin / mu above
 * that of pure rolling. */
static void check_ride(const char *what, const char *fixed, const char *shape, ride x, double time,
                       bool planar, double expected_cosine)
{
  char text[4096];
  double px, py;
  const ride start = x;
  snprintf(text, sizeof text,
           "local scene = require 'holonom.scene'\n"
           "local sys = scene.system { gravity = { 0, %.17g, 0 }, planar = %s }\n"
           "sys:body { name = 'base', fixed = true, friction = %.17g, %s }\n"
           "sys:body { name = 'rider', mass = 2, inertia = %s, friction = %.17g, %s,\n"
           "           position = { %.17g, %.17g, 0 }, velocity = { %.17g, %.17g, 0 },\n"
           "           angular_velocity = { 0, 0, %.17g } }\n"
           "sys:contact { margin = 0.05 }\nreturn sys",
           -g, planar ? "true" : "false", x.mu, fixed, planar ? "J(2)" : "J(1)", x.mu, shape,
           x.L * sin(x.theta), x.L * cos(x.theta), x.L * x.rate * cos(x.theta), -x.L * x.rate * sin(x.theta),
           -x.spin);
  char whole[4608];
  const double J = 2 * x.k * x.r * x.r;
  snprintf(whole, sizeof whole,
           "local function J(n) return n == 2 and %.17g or { %.17g, %.17g, %.17g } end\n%s", J, J, J, J,
           text);
  write_bytes(whole, strlen(whole));
  integrate_ride(&x, time, &px, &py);
  printf("%s: from %g rad, detached at a cosine of %.6f\n", what, start.theta, x.detached);
  if (expected_cosine > 0)
    check_near("  cosine at detachment", x.detached, expected_cosine, x.mu > 0 ? 0.12 / x.mu : 1e-9);
  for (int m = 0; m < SOLVERS; m++) {
    trial r = run_spec(each[m], 0.005, time, NULL, NULL);
    if (r.reason != HN_CONVERGED) fail_msg("%s: %s", each[m], r.summary.explanation);
    check_below(each[m], hypot(r.state->pose[2].x[0] - px, r.state->pose[2].x[1] - py),
                x.mu > 0 && x.detached > 0 ? 2e-6
                : m == 0                   ? 1e-8
                                           : 1e-10);
    done(&r);
  }
}

#define BALL(radius) "position = { 0, 0, 0 }, shape = scene.sphere { radius = " #radius " }"

static void sliding_body_detaches_at_two_thirds(void **unused)
{
  (void)unused;
  const ride x = { .L = 1, .r = 0.3, .k = 0.4, .theta = 0.3 };
  const double expected_cosine = 2.0 / 3.0 * cos(0.3);
  check_ride("a ball", BALL(0.7), "shape = scene.sphere { radius = 0.3 }", x, 0.9, false, expected_cosine);
  check_ride("a disc", "position = { 0, 0, 0 }, shape = scene.circle { radius = 0.7 }",
             "shape = scene.circle { radius = 0.3 }", x, 0.9, true, expected_cosine);
}

static void rolling_body_detaches_at_ten_seventeenths(void **unused)
{
  (void)unused;
  const ride x = { .L = 1, .r = 0.3, .k = 0.4, .theta = 0.3, .mu = 20 };
  ride slips = x, down = x;
  check_ride("a ball that rolls", BALL(0.7), "shape = scene.sphere { radius = 0.3 }", x, 1.1, false,
             10.0 / 17.0 * cos(0.3));
  slips.mu = 0.5;
  check_ride("a ball that rolls, slips, leaves", BALL(0.7), "shape = scene.sphere { radius = 0.3 }", slips,
             1.1, false, 0);
  down.mu = 0.8;
  check_ride("a ball that rolls", BALL(0.7), "shape = scene.sphere { radius = 0.3 }", down, 0.6, false, 0);
  check_ride("a disc that rolls", "position = { 0, 0, 0 }, shape = scene.circle { radius = 0.7 }",
             "shape = scene.circle { radius = 0.3 }", down, 0.6, true, 0);
}

/* Parallel cylinders, and a capsule, whose round side is a line with a radius. */
static void parallel_bodies_roll_down_a_side(void **unused)
{
  (void)unused;
#define LEVEL "axis_angle = { 1, 0, 0, math.pi / 2 }, shape = "
  static const char side[] = "position = { 0, 0, 0 }, " LEVEL "scene.cylinder { radius = 0.7, height = 2 }";
  const ride x = { .L = 1, .r = 0.3, .k = 0.5, .theta = 0.3, .mu = 0.8 };
  check_ride("a cylinder on a cylinder", side, LEVEL "scene.cylinder { radius = 0.3, height = 1 }", x, 0.6,
             false, 0);
  check_ride("a ball on a cylinder", side, "shape = scene.sphere { radius = 0.3 }", x, 0.6, false, 0);
  check_ride("a capsule on a cylinder", side, LEVEL "scene.capsule { radius = 0.3, height = 1 }", x, 0.6,
             false, 0);
}

/* Over the edge of a table at the origin, with initial rate: like a ball of radius zero. */
static void ball_rolls_over_an_edge(void **unused)
{
  (void)unused;
  static const char table[] = "position = { -1, -0.5, 0 }, shape = scene.box { 2, 1, 2 }";
  const ride x = { .L = 0.3, .r = 0.3, .k = 0.4, .theta = 1e-3, .rate = 1.2, .spin = 1.2, .mu = 20 };
  ride smooth = x;
  check_ride("a ball over an edge", table, "shape = scene.sphere { radius = 0.3 }", x, 0.5, false,
             10.0 / 17.0 * (cos(1e-3) + 0.7 * 0.3 * 1.44 / g));
  smooth.mu = 0;
  check_ride("a ball over an edge, smooth", table, "shape = scene.sphere { radius = 0.3 }", smooth, 0.5,
             false, 2.0 / 3.0 * (cos(1e-3) + 0.5 * 0.3 * 1.44 / g));
}

/* From the face to the edge: the contact changes where face and edge meet, without a jump of the motion. */
static void ball_rolls_to_an_edge_and_over(void **unused)
{
  (void)unused;
  static const char text[] =
    "sys:body { name = 'table', fixed = true, position = { -1, -0.5, 0 }, friction = 1,\n"
    "           shape = scene.box { 2, 1, 2 } }\n"
    "sys:body { name = 'ball', mass = 2, friction = 1, shape = scene.sphere { radius = 0.3 },\n"
    "           position = { -0.2, 0.3, 0 }, velocity = { 0.5, 0, 0 },\n"
    "           angular_velocity = { 0, 0, -0.5 / 0.3 } }";
  const double time = 0.65;
  ride x = { .L = 0.3, .r = 0.3, .k = 0.4, .rate = 0.5 / 0.3, .spin = 0.5 / 0.3, .mu = 1, .time = 0.4 };
  double px, py;
  integrate_ride(&x, time, &px, &py);
  assert_true(x.detached == 0);
  for (int m = 0; m < SOLVERS; m++) {
    trial r = run_on(0, text, each[m], 0.01, time);
    puts(each[m]);
    const double *at = r.state->pose[2].x, bound = m == 0 ? 1e-7 : 1e-10;
    check_below("error of the position, m", hypot(at[0] - px, at[1] - py), bound);
    check_below("change of energy, J", r.summary.energy_error_max, bound);
    done(&r);
  }
}

/* ---- Edges --------------------------------------------------------------------------------------------- */

/* A bar lies with an edge, which contains its centre of mass, across the edges of two inclined rails. It
 * slides, and rotates at a constant rate, so that the crossings move along all edges. */
static void edges_slide_across_each_other(void **unused)
{
  (void)unused;
  static const char bar[] =
    "for i, z in ipairs { -0.5, 0.5 } do\n"
    "  sys:body { name = 'rail' .. i, fixed = true, position = { 0, -0.1 * math.sqrt(2), z },\n"
    "             axis_angle = { 1, 0, 0, math.pi / 4 }, shape = scene.box { 8, 0.2, 0.2 } }\n"
    "end\n"
    "sys:body { name = 'bar', mass = 2, inertia = { 0.5, 0.6, 0.1 }, position = { 0, 0, 0 },\n"
    "           velocity = { 0.2, 0, 0.1 }, angular_velocity = { 0, 0.4, 0 },\n"
    "           shapes = { { shape = scene.box { 0.3, 0.3, 3 }, position = { 0, 0.15 * math.sqrt(2), 0 },\n"
    "                        axis_angle = { 0, 0, 1, math.pi / 4 } } } }";
  const double slope = 0.3;
  for (int m = 0; m < SOLVERS; m++) {
    trial r = run_on(slope, bar, each[m], 0.05, 1);
    const hn_pose *pose = &r.state->pose[3];
    puts(each[m]);
    check_below("error of the displacement, m", pose->x[0] - 0.2 - 0.5 * g * sin(slope), 1e-12);
    check_below("height, m", pose->x[1], 1e-12);
    check_below("error of the angle, rad", 2 * atan2(pose->q[2], pose->q[0]) - 0.4, m == 0 ? 1e-8 : 1e-12);
    done(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(sliding_body_detaches_at_two_thirds),
    cmocka_unit_test(rolling_body_detaches_at_ten_seventeenths),
    cmocka_unit_test(parallel_bodies_roll_down_a_side),
    cmocka_unit_test(ball_rolls_over_an_edge),
    cmocka_unit_test(ball_rolls_to_an_edge_and_over),
    cmocka_unit_test(edges_slide_across_each_other),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
