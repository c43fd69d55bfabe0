/* test_impact_events.c - solver impulse-contact: times of bounces, events at the ends of steps, simultaneous
 * events and thresholds, grazing contacts, too many events, and difficult initial states. Compared with
 * closed forms. */
#include "scenes.h"
#include "trials.h"
#include "base/vec.h"
#include "run.h"

#include <stdio.h>

#define SOLVER "impulse-contact"
#define SHARP SOLVER ":contact=newton,contact_tolerance=1e-13"

static const double g = 9.81;

/* ---- Bouncing ------------------------------------------------------------------------------------------ */

/* The time of the last bounce follows from the height and velocity of the ball: z = v0 s - g s^2 / 2, v = v0
 * - g s. */
static void bounces_occur_at_their_times(void **unused)
{
  (void)unused;
  const double e = 0.8, fall = sqrt(2 / g);
  bench b = set_up_as("bouncing_balls", WITH("restitution=0.8"), SHARP);
  const int ball = body_named(&b, "ball1");
  double bounce = fall, flight = 2 * e * fall, worst = 0;
  for (int n = 1; n <= 12; n++) {
    hn_state *at = hn_state_create(b.model);
    hn_run_options options = { .step = 0.05, .duration = bounce + 0.6 * flight };
    hn_solver_reset(b.solver);
    assert_int_equal(hn_run(b.solver, at, &options, &b.summary), HN_CONVERGED);
    const double z = at->pose[ball].x[2] - 0.1, v = at->twist[ball].v[2], v0 = sqrt(v * v + 2 * g * z);
    worst = fmax(worst, fabs(at->time - (v0 - v) / g - bounce));
    check_near("speed of the bounce, m/s", v0, pow(e, n) * sqrt(2 * g), 1e-11);
    bounce += flight, flight *= e;
    hn_state_free(at);
  }
  check_below("times of twelve bounces, s", worst, 1e-12);
  tear_down(&b);
}

/* Infinitely many bounces end at the threshold, and the ball stays at rest. */
static void bouncing_ends(void **unused)
{
  (void)unused;
  const double end = sqrt(2 / g) * (1 + 0.8) / (1 - 0.8);
  for (int k = 0; k < 2; k++) {
    bench b = set_up_as("bouncing_balls", WITH("restitution=0.8", "threshold=1e-6"), SOLVER);
    must_converge(&b, k ? 1.0 : 0.01, end + 1, NULL, NULL);
    check_below("height at rest, m", b.state->pose[2].x[2] - 0.1, 1e-12);
    check_below("speed at rest, m/s", b.state->twist[2].v[2], 1e-12);
    tear_down(&b);
  }
}

/* 49 balls with e = 1 over 20 s: published mean squared errors of energy start at 0.0186 J^2
 * (SimBenchmark). */
static void elastic_balls_conserve_energy(void **unused)
{
  (void)unused;
  bench b = set_up_as("bouncing_balls", WITH("side=7", "height=5", "restitution=1"), SHARP);
  must_converge(&b, 0.02, 20, NULL, NULL);
  printf("  of %.3f J\n", b.summary.energy_initial);
  check_below("change of the energy of 49 balls over 20 s, J", b.summary.energy_error_max, 1e-8);
  tear_down(&b);
}

/* ---- Difficult initial states -------------------------------------------------------------------------- */

/* Writes balls of 1 kg and 0.1 m on a floor with restitution e, each { x, gap, vx, vz }. */
static void write_balls(double e, double gravity, double threshold, int n, const double balls[][4])
{
  char text[3000];
  int used = snprintf(
    text, sizeof text,
    "local scene = require 'holonom.scene'\n"
    "local sys = scene.system { gravity = { 0, 0, %.17g } }\n"
    "sys:body { name = 'floor', fixed = true, position = { 0, 0, 0 }, restitution = %.17g,\n"
    "           shape = scene.plane { normal = { 0, 0, 1 } } }\n",
    -gravity, e);
  for (int i = 0; i < n; i++)
    used += snprintf(text + used, sizeof text - (size_t)used,
                     "sys:body { mass = 1, shape = scene.sphere { radius = 0.1 }, restitution = %.17g,\n"
                     "           position = { %.17g, 0, %.17g }, velocity = { %.17g, 0, %.17g } }\n",
                     e, balls[i][0], 0.1 + balls[i][1], balls[i][2], balls[i][3]);
  snprintf(text + used, sizeof text - (size_t)used,
           "sys:contact { margin = 0.05, threshold = %.17g }\nreturn sys", threshold);
  write_bytes(text, strlen(text));
}

/* At the start, a closing contact bounces immediately. At the end of a step, the impact may belong to this
 * step or the next; the motion after it is the same. */
static void events_at_the_ends_of_a_step(void **unused)
{
  (void)unused;
  const double e = 0.5, h = 0.01;
  write_balls(e, g, 1e-4, 3,
              (const double[][4]){ { 0, 0, 0, -1 }, { 1, h * 2, 0, g * h / 2 - 2 }, { 2, 0, 0, 0 } });
  trial r = run_spec(SHARP, h, h, NULL, NULL), two = run_spec(SHARP, h, 2 * h, NULL, NULL);
  check_near("at the start: velocity, m/s", r.state->twist[2].v[2], e - g * h, 1e-12);
  check_near("  height, m", r.state->pose[2].x[2], 0.1 + e * h - g * h * h / 2, 1e-13);
  check_below("at the end of a step: gap there, m", r.state->pose[3].x[2] - 0.1, 1e-13);
  const double v = 2 + g * h / 2;
  check_near("  velocity a step later, m/s", two.state->twist[3].v[2], e * v - g * h, 1e-11);
  check_near("  height, m", two.state->pose[3].x[2], 0.1 + e * v * h - g * h * h / 2, 1e-12);
  check_below("resting ball, m/s", two.state->twist[4].v[2], 1e-10);
  done(&r), done(&two);
}

/* A contact closing at the threshold, to rounding, does not bounce; slightly faster, it does. */
static void threshold_is_exact(void **unused)
{
  (void)unused;
  write_balls(1, 0, 0.25, 2, (const double[][4]){ { 0, 0, 0, -0.25 }, { 1, 0, 0, -0.25000001 } });
  for (int law = 0; law < 2; law++) {
    trial r = run_spec(law ? SHARP ",restitution=newton" : SHARP, 0.01, 0.01, NULL, NULL);
    check_below("at the threshold, m/s", r.state->twist[2].v[2], 1e-12);
    check_near("above it, m/s", r.state->twist[3].v[2], 0.25000001, 1e-12);
    done(&r);
  }
}

/* Two balls falling side by side hit the floor simultaneously; two balls hit a third one from both sides. */
static void simultaneous_events(void **unused)
{
  (void)unused;
  const double h = 0.05, fall = sqrt(2 * 0.01 / g), v = g * fall, t = h - fall;
  write_balls(0.5, g, 1e-4, 2, (const double[][4]){ { 0, 0.01, 0, 0 }, { 1, 0.01, 0, 0 } });
  trial r = run_spec(SHARP, h, h, NULL, NULL);
  for (int i = 2; i < 4; i++)
    check_near("velocity of each, m/s", r.state->twist[i].v[2], 0.5 * v - g * t, 1e-12);
  done(&r);
  write_balls(1, 0, 1e-4, 3, (const double[][4]){ { -0.23, 1, 1, 0 }, { 0, 1, 0, 0 }, { 0.23, 1, -1, 0 } });
  r = run_spec(SHARP, 0.05, 0.05, NULL, NULL);
  check_near("left, m/s", r.state->twist[2].v[0], -1, 1e-12);
  check_below("middle, m/s", r.state->twist[3].v[0], 1e-12);
  check_near("right, m/s", r.state->twist[4].v[0], 1, 1e-12);
  done(&r);
}

/* A ball passes another one in the middle of a step, at a smallest distance of centres of 0.2 m + d. d > 0
 * is no event, nor is d = 0 up to rounding; d < 0 is an impact at the small velocity along the line of
 * centres. */
static void grazing(void **unused)
{
  (void)unused;
  static const double each[] = { 1e-3, 1e-6, 1e-9, 0, -1e-9, -1e-6, -1e-3 };
  for (size_t k = 0; k < sizeof each / sizeof *each; k++) {
    const double d = each[k], v = 2, h = 0.02;
    write_balls(1, 0, 1e-6, 2, (const double[][4]){ { -0.022, 1, v, 0 }, { 0, 1 + 0.2 + d, 0, 0 } });
    trial r = run_spec(SHARP, h, h, NULL, NULL);
    const double sine = d < 0 ? 1 + d / 0.2 : 1, cosine = sqrt((1 - sine) * (1 + sine));
    const double along = v * cosine; /* transferred entirely between equal masses with e = 1 */
    printf(" nearest at %g m\n", d);
    check_near("velocity transferred, m/s", r.state->twist[3].v[2], d < -1e-10 ? along * sine : 0,
               d == 0 ? 1e-6 : 1e-9 + 1e-7 * along);
    check_near("energy, J", r.summary.energy_final, r.summary.energy_initial, 1e-9);
    done(&r);
  }
}

/* More events than allowed stop the run with an explanation. */
static void too_many_events_are_an_error(void **unused)
{
  (void)unused;
  write_balls(0.9, g, 1e-4, 1, (const double[][4]){ { 0, 0.1, 0, 0 } });
  trial r = run_spec(SOLVER ":events=3", 1, 1, NULL, NULL);
  printf("  %s\n", r.summary.explanation);
  assert_int_equal(r.reason, HN_STALLED);
  assert_non_null(strstr(r.summary.explanation, "events in one step"));
  done(&r);
  r = run_spec(SOLVER, 1, 3, NULL, NULL);
  assert_int_equal(r.reason, HN_CONVERGED);
  check_below("with all of them in steps of 1 s: speed, m/s", r.state->twist[2].v[2], 1e-9);
  done(&r);
}

/* Overlapping shapes are separated within a step, without energy gain. */
static void overlaps_are_corrected(void **unused)
{
  (void)unused;
  write_balls(0.5, g, 1e-4, 1, (const double[][4]){ { 0, -1e-3, 0, 0 } });
  trial r = run_spec(SOLVER, 0.01, 0.02, NULL, NULL);
  assert_int_equal(r.reason, HN_CONVERGED);
  check_below("remaining overlap, m", r.state->pose[2].x[2] - 0.1, 1e-9);
  check_below("speed, m/s", r.state->twist[2].v[2], 1e-9);
  done(&r);
}

/* Without contacts and bounds it equals impulse-sle to the bit. */
static void equals_impulse_sle_without_contacts(void **unused)
{
  (void)unused;
  bench b = set_up("double_pendulum", SOLVER), sle = set_up("double_pendulum", "impulse-sle");
  must_converge(&b, 0.01, 1, NULL, NULL), must_converge(&sle, 0.01, 1, NULL, NULL);
  assert_true(b.summary.hash == sle.summary.hash);
  tear_down(&b), tear_down(&sle);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(bounces_occur_at_their_times),
    cmocka_unit_test(bouncing_ends),
    cmocka_unit_test(elastic_balls_conserve_energy),
    cmocka_unit_test(events_at_the_ends_of_a_step),
    cmocka_unit_test(threshold_is_exact),
    cmocka_unit_test(simultaneous_events),
    cmocka_unit_test(grazing),
    cmocka_unit_test(too_many_events_are_an_error),
    cmocka_unit_test(overlaps_are_corrected),
    cmocka_unit_test(equals_impulse_sle_without_contacts),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
