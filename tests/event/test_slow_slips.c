/* test_slow_slips.c - solver events: slips that begin, creep or reverse in space, with every inner solver.
 * Compared with closed forms, a quadrature, and the planar model.
 *
 * Friction turns a slip u at the rate mu g / |u|: at its start rounding across it is amplified without bound,
 * unless its direction is planned (solvers/events/slow_slip.c). Slips across of at most 1e-12 m/s count as
 * rounding (hn_straight_slip): bounds of `drift` follow from it. */
#include "instants.h"

/* m/s: hn_straight_slip, and as much again for rounding */
static const double across = 2e-12;

/* All kinds of inner solvers, accurate where accelerations are constant. */
static const char *const inner[] = {
  "lagrange:redundancy=remove:stabilisation=projection",
  "lagrange:redundancy=remove:stepper=rk8pd",
  "impulse-sle:tolerance=1e-14",
  "impulse-composed:tolerance=1e-14",
  "generalised-alpha:tolerance=1e-13",
  "half-explicit",
  "taylor",
};
enum { INNER = sizeof inner / sizeof *inner };

/* ---- Blocks on blocks ---------------------------------------------------------------------------------- */

/* Masses of a pile of blocks from the floor up, friction below each, and the width of the upper ones, m. */
typedef struct pile {
  int count;
  double mass[3], mu[3], width;
} pile;

/* Writes the pile, whose lowest block is pulled by FORCE along the angle TURN. */
static void write_pile(const pile *p, double force, double turn)
{
  char text[2500];
  int n = snprintf(text, sizeof text,
                   "local scene = require 'holonom.scene'\n"
                   "local sys = scene.system { gravity = { 0, 0, -9.81 } }\n"
                   "sys:body { name = 'floor', fixed = true, position = { 0, 0, 0 }, material = 'm0',\n"
                   "           shape = scene.plane { normal = { 0, 0, 1 } } }\n");
  for (int i = 0; i < p->count; i++)
    n += snprintf(text + n, sizeof text - (size_t)n,
                  "sys:body { name = 'b%d', mass = %.17g, position = { 0, 0, %.17g }, material = 'm%d',\n"
                  "  shape = scene.box { %.17g, %.17g, 0.2 }, orientation = { %.17g, 0, 0, %.17g } }\n"
                  "sys:material_pair { 'm%d', 'm%d', friction = %.17g }\n",
                  i + 1, p->mass[i], 0.1 + 0.2 * i, i + 1, i ? p->width : 4, i ? p->width : 4, cos(turn / 2),
                  sin(turn / 2), i, i + 1, p->mu[i]);
  snprintf(text + n, sizeof text - (size_t)n,
           "sys:force { sys.ground, 'b1', at = { 0, 0, 0.1 }, force = { %.17g, %.17g, 0 } }\n"
           "sys:contact { margin = 0.02 }\nreturn sys",
           force * cos(turn), force * sin(turn));
  write_bytes(text, strlen(text));
}

/* Computes the accelerations a[count]. Blocks between two slips move together. The contact slips
 * first that is loaded most beyond mu times the weight above. */
static void accelerate_pile(const pile *p, double force, double *a)
{
  double above[4] = { 0 };
  bool slips[4] = { [0] = true };
  for (int i = p->count; i-- > 0;) above[i] = above[i + 1] + p->mass[i];
  slips[p->count] = true;
  for (int weakest = 0; weakest < p->count;) {
    double most = 1;
    weakest = p->count;
    for (int low = 0, high; low < p->count; low = high) {
      for (high = low + 1; !slips[high]; high++) continue;
      /* blocks low .. high - 1; friction from below drives them, but for the lowest, and brakes from above */
      const double below = p->mu[low] * above[low] * g;
      const double over = high < p->count ? p->mu[high] * above[high] * g : 0;
      const double drive = low > 0 ? below : force - below;
      for (int k = low; k < high; k++) a[k] = (drive - over) / (above[low] - above[high]);
      for (int k = low + 1; k < high; k++) {
        const double load = ((above[k] - above[high]) * a[k] + over) / (p->mu[k] * above[k] * g);
        if (load > most) most = load, weakest = k;
      }
    }
    slips[weakest] = true;
  }
}

/* Runs the pile for 0.2 s, and checks places and yaw. */
static void check_pile(const pile *p, double force, double turn, double h, double worst[2])
{
  const double time = 0.2, d[2] = { cos(turn), sin(turn) };
  double a[3];
  accelerate_pile(p, force, a);
  write_pile(p, force, turn);
  for (int s = 0; s < INNER; s++) {
    char spec[160];
    snprintf(spec, sizeof spec, EVENTS "%s", inner[s]);
    trial r = run_spec(spec, h, time, NULL, NULL);
    if (r.reason != HN_CONVERGED) fail_msg("%s: %s", spec, r.summary.explanation);
    for (int i = 0; i < p->count; i++) {
      const hn_pose *pose = &r.state->pose[2 + i];
      const double x = a[i] * time * time / 2;
      worst[0] = larger(worst[0], fabs(pose->x[0] - x * d[0]));
      worst[0] = larger(worst[0], fabs(pose->x[1] - x * d[1]));
      worst[0] = larger(worst[0], fabs(pose->x[2] - 0.1 - 0.2 * i));
      worst[1] = larger(worst[1], vec_norm(r.state->twist[2 + i].w));
    }
    assert_int_equal(r.summary.events[HN_EVENT_IMPACT], 0);
    done(&r);
  }
}

/* The upper block of 1 kg lies on one of 2 kg, pulled by 18 to 40 N; it slips from 17.66 N on, at 18 N with
 * 0.17 m/s^2 where friction alone would give 3.9. Bounds: slips across are at most `across`, in places times
 * 0.2 s, in turns divided by half the width; tolerances of joints of the inner solvers, 1e-13 m, come to
 * places. */
static void block_slips_on_a_block(void **unused)
{
  (void)unused;
  static const double forces[] = { 18, 20, 25, 30, 35, 40 }, widths[] = { 0.5, 0.2 };
  for (int w = 0; w < 2; w++) {
    double worst[2] = { 0, 0 };
    const pile p = { 2, { 2, 1 }, { 0.2, 0.4 }, widths[w] };
    for (int i = 0; i < 6; i++) check_pile(&p, forces[i], i % 2 ? 0.7 : 0, i % 3 ? 0.02 : 0.01, worst);
    printf("width %g m\n", widths[w]);
    check_below("error of a place, m", worst[0], 0.2 * across + 1e-13 * 20);
    check_below("angular velocity, rad/s", worst[1], across / (widths[w] / 2));
  }
}

static void blocks_of_other_masses_slip(void **unused)
{
  (void)unused;
  static const pile piles[] = { { 3, { 3, 2, 1 }, { 0.2, 0.3, 0.25 }, 0.4 },
                                { 3, { 1, 0.1, 5 }, { 0.1, 0.5, 0.05 }, 0.6 },
                                { 2, { 0.3, 4 }, { 0.3, 0.6 }, 0.3 } };
  static const double forces[] = { 30, 12, 40 };
  for (int i = 0; i < 3; i++) {
    double worst[2] = { 0, 0 };
    check_pile(&piles[i], forces[i], 0.4 + i, 0.02, worst);
    printf("%d blocks, %g N\n", piles[i].count, forces[i]);
    check_below("error of a place, m", worst[0], 0.2 * across + 1e-13 * 20);
    check_below("angular velocity, rad/s", worst[1], across / (piles[i].width / 2));
  }
}

/* Writes a block on a long one, pulled by FORCE along x; y is up. SIZE: of the upper block, and the height
 * of the lower one. */
static void write_flat(double force, const double size[4])
{
  char text[1500];
  snprintf(text, sizeof text,
           "local scene = require 'holonom.scene'\n"
           "local sys = scene.system { gravity = { 0, -9.81, 0 } }\n"
           "sys:body { name = 'floor', fixed = true, position = { 0, 0, 0 }, material = 'm0',\n"
           "           shape = scene.plane { normal = { 0, 1, 0 } } }\n"
           "sys:body { name = 'b1', mass = 2, position = { 0, %.17g, 0 }, material = 'm1',\n"
           "           shape = scene.box { 4, %.17g, 4 } }\n"
           "sys:body { name = 'b2', mass = 1, position = { 0, %.17g, 0 }, material = 'm2',\n"
           "           shape = scene.box { %.17g, %.17g, %.17g } }\n"
           "sys:material_pair { 'm0', 'm1', friction = 0.2 }\n"
           "sys:material_pair { 'm1', 'm2', friction = 0.4 }\n"
           "sys:force { sys.ground, 'b1', at = { 0, %.17g, 0 }, force = { %.17g, 0, 0 } }\n"
           "sys:contact {}\nreturn sys",
           size[3] / 2, size[3], size[3] + size[1] / 2, size[0], size[1], size[2], size[3] / 2, force);
  write_bytes(text, strlen(text));
}

/* The forces at two corners of the lower block are zero to rounding. Their gaps stay equations: the weights
 * with which they take part in the gaps of the upper block are rounding. Without them the block fell about
 * its diagonal, by 1e-8 m, and struck the floor. */
static void no_impacts_are_invented(void **unused)
{
  (void)unused;
  static const double size[][4] = { { 0.4, 0.07, 0.16, 0.14 }, { 0.53, 0.19, 0.21, 0.38 } };
  static const double forces[] = { 25, 40 }, steps[] = { 0.01, 0.02 };
  const pile p = { 2, { 2, 1 }, { 0.2, 0.4 }, 0 };
  for (int i = 0; i < 2; i++) {
    double a[3];
    accelerate_pile(&p, forces[i], a);
    write_flat(forces[i], size[i]);
    trial r = run_spec("events", steps[i], 0.2, NULL, NULL);
    if (r.reason != HN_CONVERGED) fail_msg("%s", r.summary.explanation);
    printf("%g N\n", forces[i]);
    for (int k = 0; k < 2; k++)
      check_below("error of a place, m", r.state->pose[2 + k].x[0] - 0.02 * a[k], 0.2 * across);
    check_below("penetration, m", r.summary.contact.penetration, 1e-15);
    ASSERT_COUNT("impacts", r.summary.events[HN_EVENT_IMPACT], 0);
    done(&r);
  }
}

/* ---- Pushed to and fro --------------------------------------------------------------------------------- */

static const double push = 8, pushes = 1.5, to_and_fro_mu = 0.5;

/* Writes a box of 1 kg that a force pushes to and fro along the angle TURN; PLANAR: along x, in the plane. */
static void write_shaken(bool planar, double turn)
{
  char text[1500];
  snprintf(text, sizeof text,
           "local scene = require 'holonom.scene'\n"
           "local sys = scene.system { gravity = { 0, %s }, planar = %s }\n"
           "sys:body { name = 'floor', fixed = true, position = { 0, 0, 0 }, friction = %g,\n"
           "           shape = scene.plane { normal = { 0, %s } } }\n"
           "local box = sys:body { name = 'box', mass = 1, friction = %g, position = { 0, %s },\n"
           "                       %s }\n"
           "sys:force { box, at = { 0, %s }, force = { %.17g, %.17g, 0 },\n"
           "            motion = { amplitude = %g, frequency = %g, phase = 1.5707963267948966 } }\n"
           "sys:contact { margin = 0.02 }\nreturn sys",
           planar ? "-9.81, 0" : "0, -9.81", planar ? "true" : "false", to_and_fro_mu,
           planar ? "1, 0" : "0, 1", to_and_fro_mu, planar ? "0.05, 0" : "0, 0.05",
           planar ? "inertia = 0.01, shape = scene.polygon { { -0.15, -0.05 }, { 0.15, -0.05 }, "
                    "{ 0.15, 0.05 }, { -0.15, 0.05 } }"
                  : "shape = scene.box { 0.3, 0.2, 0.1 }",
           planar ? "0.05, 0" : "0, 0.05", cos(turn), sin(turn), push, pushes);
  write_bytes(text, strlen(text));
}

/* Returns the smallest root above T of f(t) = cos(w t) SIDE - level: where the force exceeds friction. */
static double next_start(double t, double *side)
{
  const double level = to_and_fro_mu * g / push, first = acos(level), period = 2 * acos(-1.0);
  double best = HUGE_VAL;
  for (int k = 0; k < 20; k++)
    for (int way = -1; way <= 1; way += 2) {
      const double at = (period * k + (way > 0 ? 0 : period / 2) - first) / pushes;
      if (at > t && at < best) best = at, *side = way;
    }
  return best;
}

/* Returns x at TIME: slides with v = v0 + A / w (sin w t - sin w t0) - side mu g (t - t0), from the start of
 * a slip to the root of v, found by bisection. */
static double place_of_shaken(double time)
{
  double t = 0, x = 0, side = 1;
  while (t < time) {
    const double t0 = t, w = pushes, A = push, brake = side * to_and_fro_mu * g;
    double low = t0 + 1e-3, high = low;
#define V(q) (A / w * (sin(w * (q)) - sin(w * t0)) - brake * ((q)-t0))
    while (side * V(high) > 0) low = high, high += 1e-3;
    for (int i = 0; i < 100; i++) {
      const double middle = 0.5 * (low + high);
      if (side * V(middle) > 0) low = middle;
      else high = middle;
    }
#undef V
    const double end = fmin(low, time), d = end - t0;
    x += A / (w * w) * (cos(w * t0) - cos(w * end)) - A / w * sin(w * t0) * d - brake * d * d / 2;
    t = next_start(low, &side);
    /* the force may still exceed friction where the slip ends */
    const double force = A * cos(w * low);
    if (fabs(force) > to_and_fro_mu * g) t = low, side = force > 0 ? 1 : -1;
  }
  return x;
}

/* Bound: the planar model has no direction to lose. The box in space may differ from it by slips across for 5
 * s, and by the rounding of events in both, which the parameter gap of 1e-9 m does not enlarge: 1e-12 m for
 * each of 9 events. Accuracy: events are found as exactly as the inner solver is. */
static void box_is_pushed_to_and_fro(void **unused)
{
  (void)unused;
  const double time = 5, exact = place_of_shaken(time);
  for (int s = 0; s < INNER; s++) {
    char spec[160];
    double x[2];
    snprintf(spec, sizeof spec, EVENTS "%s", inner[s]);
    puts(inner[s]);
    for (int i = 0; i < 2; i++) {
      const double turn = i ? 0.7 : 0;
      write_shaken(i == 0, turn);
      trial r = run_spec(spec, 0.02, time, NULL, NULL);
      if (r.reason != HN_CONVERGED) fail_msg("%s: %s", spec, r.summary.explanation);
      const double *at = r.state->pose[2].x;
      x[i] = at[0] * cos(turn) + at[1] * sin(turn);
      if (i) check_below("sideways, m", at[1] * cos(turn) - at[0] * sin(turn), time * across);
      if (i) check_below("angular velocity, rad/s", vec_norm(r.state->twist[2].w), across / 0.1);
      done(&r);
    }
    const bool forgets = strstr(inner[s], "alpha"); /* plans in space end its history */
    check_below("difference between space and plane, m", x[1] - x[0],
                forgets ? fabs(x[0] - exact) : time * across + 9e-12);
    if (s == 1) check_below("error of rk8pd, m", x[1] - exact, 1e-11);
  }
}

/* Two forces of different frequencies push the box along curves: it slips three times and stops twice, and
 * turns all the time. Reference: quadrature of m u' = F - mu N u / |u| in extended precision by the classical
 * Runge-Kutta method, each step a twentieth of the time in which friction turns the slip; half the steps
 * change the 13th digit. */
static void box_is_pushed_along_curves(void **unused)
{
  (void)unused;
  static const char text[] =
    "local scene = require 'holonom.scene'\n"
    "local sys = scene.system { gravity = { 0.5, 0.3, -9.81 } }\n"
    "sys:body { name = 'floor', fixed = true, position = { 0, 0, 0 }, friction = 0.5,\n"
    "           shape = scene.plane { normal = { 0, 0, 1 } } }\n"
    "local box = sys:body { name = 'box', mass = 1, position = { 0, 0, 0.1 }, friction = 0.5,\n"
    "                       shape = scene.box { 0.4, 0.3, 0.2 } }\n"
    "sys:force { box, name = 'x', at = { 0, 0, 0.1 }, force = { 1, 0, 0 },\n"
    "            motion = { amplitude = 5.2, frequency = 3 } }\n"
    "sys:force { box, name = 'y', at = { 0, 0, 0.1 }, force = { 0, 1, 0 },\n"
    "            motion = { amplitude = 2, frequency = 3.9, phase = 1 } }\n"
    "sys:contact {}\nreturn sys";
  const double exact[2] = { 0.1747400073938, -0.0257630938592 };
  write_bytes(text, strlen(text));
  check_below("error of rk8pd, m",
              error_of(EVENTS "lagrange:redundancy=remove:stepper=rk8pd", 0.02, 3, 2, exact), 1e-10);
  check_below("error of taylor, m", error_of(EVENTS "taylor", 0.02, 3, 2, exact), 1e-11);
  check_below("error of impulse-sle, m", error_of(EVENTS "impulse-sle", 0.01, 3, 2, exact), 1e-3);
  check_below("error of generalised-alpha, m", error_of(EVENTS "generalised-alpha", 0.01, 3, 2, exact), 1e-3);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(block_slips_on_a_block),     cmocka_unit_test(blocks_of_other_masses_slip),
    cmocka_unit_test(no_impacts_are_invented),    cmocka_unit_test(box_is_pushed_to_and_fro),
    cmocka_unit_test(box_is_pushed_along_curves),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
