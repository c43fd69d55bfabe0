/* test_slides.c - solver events: sliding friction to the order of the inner solver, with taylor up to 20;
 * curved slides that start and stop; bounded forces and limits. Compared with closed forms, separate
 * integrations, or another solver. */
#include "instants.h"
#include "base/vec.h"

#define RK8 EVENTS "lagrange:stepper=rk8pd"

static const mover movers[] = {
  { EVENTS "impulse-gs:tolerance=1e-13:velocity_tolerance=1e-13", 2, 0.02, 2 },
  { EVENTS "taylor:order=2", 2, 0.01, 2 },
  { EVENTS "taylor:order=4", 4, 0.02, 1.5 },
  { EVENTS "taylor:order=6", 6, 0.03, 1.3 },
  { EVENTS "taylor:order=10", 10, 0.035, 1.2 },
  { EVENTS "taylor:order=20", 20, 0.08, 1.15 },
};
enum { MOVERS = sizeof movers / sizeof *movers, TO_10 = MOVERS - 1 };

/* ---- A cart with a pendulum slides and stops ----------------------------------------------------------- */

static const double cart_mass = 2, bob_mass = 0.5, arm = 0.2, bob_inertia = 0.01, cart_mu = 0.5;

static void write_cart(void)
{
  static const char text[] =
    "local scene = require 'holonom.scene'\n"
    "local sys = scene.system { gravity = { 0, -9.81, 0 }, planar = true }\n"
    "sys:body { name = 'floor', fixed = true, position = { 0, 0, 0 }, friction = 0.5,\n"
    "           shape = scene.plane { normal = { 0, 1, 0 } } }\n"
    "local cart = sys:body { name = 'cart', mass = 2, inertia = 0.2, friction = 0.5,\n"
    "  shape = scene.polygon { { -0.5, -0.05 }, { 0.5, -0.05 }, { 0.5, 0.05 }, { -0.5, 0.05 } },\n"
    "  position = { 0, 0.05, 0 }, velocity = { 4, 0, 0 } }\n"
    "local bob = sys:body { name = 'bob', mass = 0.5, inertia = 0.01, position = { 0, -0.15, 0 },\n"
    "                       velocity = { 5.6, 0, 0 }, angular_velocity = { 0, 0, 8 } }\n"
    "sys:hinge { cart, bob, at = { 0, 0.05, 0 }, axis = { 0, 0, 1 } }\n"
    "sys:contact { margin = 0.02 }\nreturn sys";
  write_bytes(text, strlen(text));
}

/* Computes x'' and angle'' of the cart at x, v with its pendulum at angle, w: friction is mu times the normal
 * force, which depends on both. */
static void accelerate(bool slides, const double y[4], double rate[4])
{
  const double s = sin(y[2]), c = cos(y[2]), w = y[3], total_mass = cart_mass + bob_mass,
               side = bob_mass * arm;
  const double J = side * arm + bob_inertia, mu = slides ? cart_mu : 0;
  /* all x'' + side (c + mu s) a = side w^2 (s - mu c) - mu all g;  side c x'' + J a = -side g s */
  const double p = side * (c + mu * s), q = side * w * w * (s - mu * c) - mu * total_mass * g;
  rate[0] = y[1], rate[2] = w;
  rate[1] = slides ? (q * J + p * side * g * s) / (total_mass * J - p * side * c) : 0;
  rate[3] = (-side * g * s - side * c * rate[1]) / J;
}

static void advance(bool slides, double h, double y[4])
{
  double k[4][4], at[4];
  for (int s = 0; s < 4; s++) {
    for (int c = 0; c < 4; c++) at[c] = y[c] + (s == 0 ? 0 : s == 3 ? h : 0.5 * h) * (s ? k[s - 1][c] : 0);
    accelerate(slides, at, k[s]);
  }
  for (int c = 0; c < 4; c++) y[c] += h / 6 * (k[0][c] + 2 * k[1][c] + 2 * k[2][c] + k[3][c]);
}

/* Computes the position of the bob at `time` by the Runge-Kutta method; the stop of the cart is located by
 * Newton's method. */
static void integrate_cart(double time, double bob[2])
{
  enum { FINE = 50000 };
  const double h = time / FINE;
  double y[4] = { 0, 4, 0, 8 }, t = 0;
  for (;;) {
    double next[4] = { y[0], y[1], y[2], y[3] };
    advance(true, h, next);
    if (next[1] < 0) break;
    memcpy(y, next, sizeof y), t += h;
  }
  for (int i = 0; i < 5; i++) {
    double rate[4];
    accelerate(true, y, rate);
    const double part = -y[1] / rate[1];
    advance(true, part, y), t += part;
  }
  const double rest = (time - t) / FINE;
  y[1] = 0;
  for (int n = 0; n < FINE; n++) advance(false, rest, y);
  bob[0] = y[0] + arm * sin(y[2]), bob[1] = 0.05 - arm * cos(y[2]);
}

static void cart_with_a_pendulum_stops(void **unused)
{
  (void)unused;
  const double time = 1.2;
  double exact[2];
  integrate_cart(time, exact);
  write_cart();
  check_below("error of rk8pd with fine steps, m", error_of(RK8, 0.002, time, 3, exact), 1e-12);
  for (int m = 0; m < MOVERS; m++) check_mover(&movers[m], 1, time, 3, exact);
  check_below("error of taylor of order 20 with fine steps, m",
              error_of(EVENTS "taylor:order=20", 0.01, time, 3, exact), 1e-12);
}

/* ---- A shaken ball starts to roll ---------------------------------------------------------------------- */

static const double shake = 1, shakes = 40; /* N, rad/s */

static void write_ball(void)
{
  char text[1000];
  snprintf(text, sizeof text,
           "local scene = require 'holonom.scene'\n"
           "local sys = scene.system { gravity = { 0, 0, -9.81 } }\n"
           "sys:body { name = 'floor', fixed = true, position = { 0, 0, 0 }, friction = 0.2,\n"
           "           shape = scene.plane { normal = { 0, 0, 1 } } }\n"
           "local ball = sys:body { name = 'ball', mass = 1, friction = 0.2,\n"
           "                        shape = scene.sphere { radius = 0.1 },\n"
           "                        position = { 0, 0, 0.1 }, velocity = { 2, 0, 0 } }\n"
           "sys:force { ball, at = { 0, 0, 0.1 }, force = { 1, 0, 0 },\n"
           "            motion = { amplitude = %.17g, frequency = %.17g } }\n"
           "sys:contact { margin = 0.05 }\nreturn sys",
           shake, shakes);
  write_bytes(text, strlen(text));
}

/* Returns x at `time`. The slip 2 - 3.5 mu g t + (A / w)(1 - cos w t) ends at a root; from then on 7/5 of the
 * mass moves. */
static double integrate_ball(double time)
{
  const double brake = 0.2 * g, A = shake / shakes;
  double t = 2 / (3.5 * brake);
  for (int i = 0; i < 50; i++)
    t -= (2 - 3.5 * brake * t + A * (1 - cos(shakes * t))) / (-3.5 * brake + shake * sin(shakes * t));
  const double v = 2 - brake * t + A * (1 - cos(shakes * t)), remaining = time - t;
  const double x = 2 * t - 0.5 * brake * t * t + A * (t - sin(shakes * t) / shakes);
  return x + v * remaining +
         A / 1.4 * (remaining * cos(shakes * t) - (sin(shakes * time) - sin(shakes * t)) / shakes);
}

static void ball_starts_to_roll(void **unused)
{
  (void)unused;
  const double time = 0.5, exact[2] = { integrate_ball(time), 0 };
  write_ball();
  for (int m = 0; m < TO_10; m++) check_mover(&movers[m], 1, time, 2, exact);
  check_below("error of taylor of order 20, m", error_of(EVENTS "taylor:order=20", 0.05, time, 2, exact),
              1e-12);
}

/* ---- A ladder slides on floor and wall with friction, and detaches from the wall ----------------------- */

static void slide_ladder(const char *spec, double h, double x[2])
{
  bench b = set_up_as("ladder", WITH("floor=0.2", "wall=0.1"), spec);
  must_converge(&b, h, 0.5, NULL, NULL);
  memcpy(x, b.state->pose[body_named(&b, "ladder")].x, 2 * sizeof *x);
  tear_down(&b);
}

static void ladder_slides_and_detaches_from_the_wall(void **unused)
{
  (void)unused;
  double exact[2], x[2];
  slide_ladder(RK8, 0.001, exact);
  slide_ladder(EVENTS "taylor:order=20", 0.02, x);
  check_below("difference of two solvers with fine steps, m", hypot(x[0] - exact[0], x[1] - exact[1]), 1e-12);
  for (int m = 0; m < TO_10; m++) {
    double h[STEPS], error[STEPS];
    shorter_steps(h, 2 * movers[m].h, movers[m].ratio, 0);
    for (int i = 0; i < STEPS; i++) {
      slide_ladder(movers[m].spec, h[i], x);
      error[i] = hypot(x[0] - exact[0], x[1] - exact[1]);
    }
    puts(movers[m].spec);
    check_order("order", movers[m].order, h, error);
  }
}

/* ---- Curved slides ------------------------------------------------------------------------------------- */

static void curved_slide_keeps_the_order(void **unused)
{
  (void)unused;
  double exact[4] = { 0, 0, 0, 8 };
  const double slope = 0.4, mu = 0.5, time = 0.6;
  slide(slope, mu, time, exact);
  write_slope(slope, mu, 0, 8, "");
  for (int m = 0; m < TO_10; m++) check_mover(&movers[m], 8, time, 2, exact);
  check_below("error of taylor of order 20, m", error_of(EVENTS "taylor:order=20", 0.1, time, 2, exact),
              1e-12);
  check_below("error of ida, m", error_of(EVENTS "ida:error_tolerance=1e-11", 0.02, time, 2, exact), 1e-7);
}

/* A slide across a slope, decelerated by m = mu / tan(slope) > 1, ends straight downhill, at
 *    v^2 / (4 g sin(slope)) (1 / (2 m - 2) - 1 / (2 m + 2),  2 / (2 m - 1) + 2 / (2 m + 1))
 * This follows from the hodograph: with the angle a to downhill, v = v0 tan(a / 2)^m / sin(a). At the end the
 * direction has no power series, and explicit methods have no stable step size. */
static void curved_slide_stops(void **unused)
{
  (void)unused;
  static const double frictions[] = { 0.5, 0.6, 1.2 };
  const double slope = 0.4, v = 3;
  for (int i = 0; i < 3; i++) {
    const double m = frictions[i] / tan(slope), scale = v * v / (4 * g * sin(slope));
    const double exact[2] = { scale * (1 / (2 * m - 2) - 1 / (2 * m + 2)),
                              scale * (2 / (2 * m - 1) + 2 / (2 * m + 1)) };
    write_slope(slope, frictions[i], 0, v, "");
    printf("friction %g\n", frictions[i]);
    check_below("error of the final position, h = 0.2, m",
                error_of(EVENTS "taylor:order=20", 0.2, 6, 2, exact), 1e-12);
    check_below("error of the final position, h = 0.03, m",
                error_of(EVENTS "taylor:order=20", 0.03, 6, 2, exact), 1e-12);
  }
}

/* Returns Jellett's integral of a spinning top, L . r with r from its centre of mass to the contact of its
 * large ball. Friction of any kind does not change it. */
static double jellett(const hn_state *state, int top)
{
  static const double J[3] = { 8e-7, 8e-7, 7e-7 }, axis[3] = { 0, 0, 0.003 };
  double w[3], L[3], r[3];
  quat_unrotate(w, state->pose[top].q, state->twist[top].w);
  for (int i = 0; i < 3; i++) w[i] *= J[i];
  quat_rotate(L, state->pose[top].q, w);
  quat_rotate(r, state->pose[top].q, axis);
  r[2] -= 0.015;
  return vec_dot(L, r);
}

typedef struct top_watch {
  int top;
  double first, worst, until;
  bool inverted;
} top_watch;

static bool watch_jellett(void *user, const hn_frame *frame)
{
  static const double stem[3] = { 0, 0, 0.016 };
  top_watch *s = user;
  double at[3];
  quat_rotate(at, frame->state->pose[s->top].q, stem);
  s->inverted |= frame->state->pose[s->top].x[2] + at[2] - 0.005 < 1e-9;
  if (s->inverted) return true;
  const double now = jellett(frame->state, s->top);
  if (s->until == 0) s->first = now;
  s->worst = fmax(s->worst, fabs(now / s->first - 1));
  s->until = frame->state->time;
  return true;
}

static void jellett_integral_is_constant(void **unused)
{
  (void)unused;
  static const char *const each[] = { RK8, EVENTS "taylor:order=20" };
  for (int m = 0; m < 4; m++) {
    bench b = set_up_as("tippe_top", m % 2 ? WITH("friction=0.03") : NULL, each[m / 2]);
    top_watch s = { .top = body_named(&b, "top") };
    must_converge(&b, 0.002, 10, watch_jellett, &s);
    printf("%s, friction %g: one ball in contact until %g s\n", each[m / 2], m % 2 ? 0.03 : 0.1, s.until);
    assert_true(s.until > (m % 2 ? 9.99 : 3));
    check_below("Jellett's integral, relative", s.worst, 1e-9);
    tear_down(&b);
  }
}

/* ---- Bounded joint forces, and limits ------------------------------------------------------------------ */

/* Writes a pendulum with dry friction in its hinge and a stop below, without restitution, on which it comes
 * to rest; a second link lifts it again. */
static void write_stop(bool upper)
{
  char text[1000];
  snprintf(text, sizeof text,
           "local scene = require 'holonom.scene'\n"
           "local sys = scene.system { gravity = { 0, -9.81, 0 }, planar = true }\n"
           "local one = sys:body { name = 'one', mass = 1, inertia = 0.2, position = { 0.5, 0, 0 } }\n"
           "local two = sys:body { name = 'two', mass = 2, inertia = 0.5, position = { 1, 0.5, 0 } }\n"
           "sys:hinge { sys.ground, one, at = { 0, 0, 0 }, axis = { 0, 0, %s, restitution = 0 }\n"
           "sys:hinge { one, two, at = { 1, 0, 0 }, axis = { 0, 0, 1 }, friction = 0.3 }\n"
           "return sys",
           upper ? "-1 }, upper = 1, lower = -3" : "1 }, lower = -1");
  write_bytes(text, strlen(text));
}

typedef struct stop_watch {
  double time, before;
} stop_watch;

/* Sums the time, in whole steps, for which the first link rests on its stop. */
static bool watch_stop(void *user, const hn_frame *frame)
{
  stop_watch *h = user;
  const double *x = frame->state->pose[1].x;
  if (fabs(atan2(x[1], x[0]) + 1) < 1e-9) h->time += frame->state->time - h->before;
  h->before = frame->state->time;
  return true;
}

static void limits_and_dry_friction_keep_the_order(void **unused)
{
  (void)unused;
  const double time = 2;
  stop_watch h = { 0, 0 };
  write_stop(false);
  trial fine = run_spec(RK8, 0.001, time, watch_stop, &h);
  if (fine.reason != HN_CONVERGED) fail_msg("%s", fine.summary.explanation);
  printf("  on its stop for %g s\n", h.time);
  assert_true(h.time > 0.1);
  const double *exact = fine.state->pose[2].x;
  check_below("error of taylor of order 20, m", error_of(EVENTS "taylor:order=20", 0.01, time, 2, exact),
              1e-12);
  for (int m = 1; m < 4; m++) check_mover(&movers[m], 0.5, time, 2, exact);
  write_stop(true);
  check_below("error on an upper bound, m", error_of(EVENTS "taylor:order=20", 0.01, time, 2, exact), 1e-12);
  done(&fine);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(cart_with_a_pendulum_stops),
    cmocka_unit_test(ball_starts_to_roll),
    cmocka_unit_test(ladder_slides_and_detaches_from_the_wall),
    cmocka_unit_test(curved_slide_keeps_the_order),
    cmocka_unit_test(curved_slide_stops),
    cmocka_unit_test(jellett_integral_is_constant),
    cmocka_unit_test(limits_and_dry_friction_keep_the_order),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
