/* test_events.c - solver events: inner solvers of any order between impacts, sticking, sliding and
 * detachment; and error messages. Compared with closed forms, or with separate integrations. */
#include "instants.h"
#include "base/vec.h"
#include <inttypes.h>

/* ---- Bouncing ------------------------------------------------------------------------------------------ */

/* Twelve bounces with e = 0.8: the position after each of them. */
static void bounces_occur_at_their_times(void **unused)
{
  (void)unused;
  const double e = 0.8, fall = sqrt(2 / g);
  for (int m = 0; m < 3; m++) {
    static const char *const each[] = { EVENTS "lagrange", EVENTS "taylor", EVENTS "impulse-sle" };
    bench b = set_up_as("bouncing_balls", WITH("restitution=0.8"), each[m]);
    const int ball = body_named(&b, "ball1");
    double bounce = fall, flight = 2 * e * fall, worst = 0;
    for (int n = 1; n <= 12; n++) {
      const double v0 = pow(e, n) * sqrt(2 * g), t = 0.6 * flight;
      hn_state *at = hn_state_create(b.model);
      hn_run_options options = { .step = 0.05, .duration = bounce + t };
      hn_solver_reset(b.solver);
      assert_int_equal(hn_run(b.solver, at, &options, &b.summary), HN_CONVERGED);
      worst = fmax(worst, fabs(at->pose[ball].x[2] - 0.1 - v0 * t + 0.5 * g * t * t));
      bounce += flight, flight *= e;
      hn_state_free(at);
    }
    puts(each[m]);
    check_below("position after each of twelve bounces, m", worst, 1e-12);
    tear_down(&b);
  }
}

static void check_energy(bench *b, double h, double time, double bound)
{
  must_converge(b, h, time, NULL, NULL);
  printf("  of %.3f J\n", b->summary.energy_initial);
  check_below("change of the energy, J", b->summary.energy_error_max, bound);
  tear_down(b);
}

/* With default settings joints and limits do not drift: a pendulum that rebounds from its stop for 30 s. */
static void nothing_drifts_by_default(void **unused)
{
  (void)unused;
  bench b = set_up_as("wall", WITH("restitution=1"), "events");
  must_converge(&b, 0.01, 30, NULL, NULL);
  check_below("drift of joints, m", b.summary.position_max, 2e-12);
  check_below("drift of joint velocities, m/s", b.summary.velocity_max, 1e-13);
  tear_down(&b);
}

/* 49 balls with e = 1 over 20 s: published mean squared errors of energy start at 0.0186 J^2
 * (SimBenchmark). */
static void elastic_balls_conserve_energy(void **unused)
{
  (void)unused;
  bench b = set_up_as("bouncing_balls", WITH("side=7", "height=5", "restitution=1"), EVENTS "lagrange");
  check_energy(&b, 0.1, 20, 1e-8);
}

/* 64 balls fall onto a floor, collide 700 times within a second, and separate. Impacts are plastic below the
 * threshold of the scene: its default of 0.01 m/s dissipates 2e-4 J of 216 balls. */
static void colliding_elastic_balls_conserve_energy(void **unused)
{
  (void)unused;
  bench b = set_up_as("balls216", WITH("side=4", "restitution=1", "threshold=1e-9"), EVENTS "lagrange");
  check_energy(&b, 0.01, 1, 1e-10);
}

/* The gap of a ball under a time-dependent force is 1 - 0.1 t - 2 t^2 + 1.1 t^3. At its initial rate it would
 * close after 10 s; at the end of the only step, 2 s, it would be open by 1.6 m. It is zero at 1 s, with the
 * rate -0.8 m/s, and negative for half a second. */
static void gap_closing_and_opening_within_a_step_is_detected(void **unused)
{
  (void)unused;
  trial r = must_run("local ball = sys:body { name = 'ball', mass = 1,\n"
                     "  shape = scene.sphere { radius = 0.1 }, restitution = 1,\n"
                     "  position = { 0, 1.1, 0 }, velocity = { 0, -0.1, 0 } }\n"
                     "sys:body { name = 'floor', fixed = true, position = { 0, 0, 0 }, restitution = 1,\n"
                     "  shape = scene.plane { normal = { 0, 1, 0 } } }\n"
                     "sys:force { ball, at = { 0, 1.1, 0 }, force = { 0, 1, 0 },\n"
                     "  motion = { polynomial = { 5.81, 6.6 } } }\n"
                     "sys:contact { margin = 3 }\nreturn sys",
                     EVENTS "lagrange", 2, 2);
  check_near("height at the end, m", r.state->pose[1].x[1], 0.1 + 1.6 + 2 * 0.8 * (2 - 1), 1e-12);
  done(&r);
}

/* ---- Orders through events ----------------------------------------------------------------------------- */

/* Swings halved by a wall are so symmetric that errors of some solvers cancel: this test bounds the errors,
 * orders are tested below. */
static void pendulum_hits_a_wall(void **unused)
{
  (void)unused;
  const double time = 2.1, exact = swing(sqrt(g / 1.01), sin(0.5), 0.5, time);
  for (int m = 0; m < ALL_MOVERS; m++) {
    bench b = set_up_as("wall", WITH("restitution=0.5"), all_movers[m].spec);
    puts(all_movers[m].spec);
    must_converge(&b, 0.00131, time, NULL, NULL);
    for (int bob = 0; bob < 2; bob++) {
      const double *x = b.state->pose[body_named(&b, bob ? "at_stop" : "at_wall")].x;
      check_below(bob ? "angle after a stop in its hinge" : "angle after a wall",
                  atan2(x[0] - 3 * bob, -x[1]) - exact, all_movers[m].order > 2 ? 1e-10 : 1e-6);
    }
    tear_down(&b);
  }
}

/* Against another solver of order 8 with steps a hundredth as long. */
static void double_pendulum_hits_a_wall(void **unused)
{
  (void)unused;
  const double time = 1.2;
  write_two_links();
  trial fine = run_spec(EVENTS "lagrange:stepper=rk8pd", time / 600, time, NULL, NULL);
  assert_int_equal(fine.reason, HN_CONVERGED);
  const double *exact = fine.state->pose[3].x;
  check_below("difference of two solvers of high order, m",
              error_of(EVENTS "taylor:order=12", time / 100, time, 3, exact), 1e-11);
  for (int m = 0; m < ALL_MOVERS; m++) check_mover(&all_movers[m], 1, time, 3, exact);
  done(&fine);
}

/* ---- Sliding ------------------------------------------------------------------------------------------- */

static void ten_cubes_stop_at_their_positions(void **unused)
{
  (void)unused;
  check_ten_cubes(EVENTS "lagrange", 0.1, 1e-12, 1e-12);
  check_ten_cubes(EVENTS "taylor:order=20", 0.1, 1e-12, 1e-12);
}

static void curved_slide_keeps_the_order(void **unused)
{
  (void)unused;
  double exact[4] = { 0, 0, 0, 3 };
  const double slope = 0.4, mu = 0.5, time = 0.6;
  slide(slope, mu, time, exact);
  write_slope(slope, mu, 0, 3, "");
  for (int m = 0; m < ALL_MOVERS; m++) {
    mover longer = all_movers[m];
    longer.h = longer.order > 2 ? 0.2 : 0.05;
    if (longer.order <= 4) check_mover(&longer, 1, time, 2, exact);
  }
}

static void stack_of_twenty_stands(void **unused)
{
  (void)unused;
  bench b = set_up("stack", EVENTS "lagrange");
  must_converge(&b, 0.01, 1, NULL, NULL);
  double fastest = 0;
  for (int i = 1; i < b.state->nbody; i++) fastest = fmax(fastest, vec_norm(b.state->twist[i].v));
  check_below("speed in a stack of 20 after 1 s, m/s", fastest, 1e-10);
  tear_down(&b);
}

/* ---- Growing forces ------------------------------------------------------------------------------------ */

/* Writes a box of 1 kg on a floor with friction 0.5, and a force along (x, z) that grows by `rate` per
 * second. */
static void write_pull(double rate, double x, double z)
{
  char text[1000];
  snprintf(
    text, sizeof text,
    "local scene = require 'holonom.scene'\n"
    "local sys = scene.system { gravity = { 0, 0, -9.81 } }\n"
    "sys:body { name = 'floor', fixed = true, position = { 0, 0, 0 }, friction = 0.5,\n"
    "           shape = scene.plane { normal = { 0, 0, 1 } } }\n"
    "local box = sys:body { name = 'box', mass = 1, shape = scene.box { 0.5, 0.5, 0.2 }, friction = 0.5,\n"
    "                       position = { 0, 0, 0.1 } }\n"
    "sys:force { box, at = { 0, 0, 0.1 }, force = { %.17g, 0, %.17g }, motion = { polynomial = { 0, %.17g } "
    "} }\n"
    "sys:contact { margin = 0.05 }\nreturn sys",
    x, z, rate);
  write_bytes(text, strlen(text));
}

/* The box slides from force mu m g on, m x'' = k (t - t0), or lifts off from m g on. Contact modes change
 * when accelerations differ by 1e-6 of the largest: t0 is late by about 1e-6 m g / k. */
static void growing_force_moves_a_box(void **unused)
{
  (void)unused;
  static const char *const each[] = { EVENTS "lagrange", EVENTS "impulse-sle", EVENTS "generalised-alpha" };
  const double k = 4, time = 4;
  for (int lifted = 0; lifted < 2; lifted++)
    for (int m = 0; m < 3; m++) {
      const double begins = (lifted ? g : 0.5 * g) / k, t = time - begins;
      const double exact = k * t * t * t / 6, late = 2e-6 * g / k;
      write_pull(k, !lifted, lifted);
      trial r = run_spec(each[m], m ? 0.001 : 0.1, time, NULL, NULL);
      if (r.reason != HN_CONVERGED) fail_msg("%s", r.summary.explanation);
      printf("%s, %s\n", each[m], lifted ? "lifted" : "pulled");
      check_below("displacement, m", r.state->pose[2].x[lifted ? 2 : 0] - 0.1 * lifted - exact,
                  0.5 * k * t * t * late + (m ? 0.001 * 0.001 * k * t : 0));
      done(&r);
    }
}

/* The ladder that slides down a wall detaches from it at 0.32503070159 s; from then on only the floor
 * supports it. */
static double time_at_wall;

static bool watch_wall(void *user, const hn_frame *frame)
{
  (void)user;
  bool wall = false;
  for (int i = 0; i < frame->state->ncontact; i++) {
    const hn_contact *c = &frame->state->contact[i];
    wall |= c->impulse[0] > 0 && fabs(c->frame[0]) > 0.5;
  }
  if (wall) time_at_wall = frame->state->time;
  return true;
}

static void ladder_detaches_from_the_wall(void **unused)
{
  (void)unused;
  const double h = 0.001;
  bench b = set_up_as("ladder", WITH("floor=0", "wall=0"), EVENTS "lagrange");
  time_at_wall = 0;
  must_converge(&b, h, 0.4, watch_wall, NULL);
  check_near("end of the last step at the wall, s", time_at_wall, 0.32503070159 - 0.5 * h, 0.5 * h);
  tear_down(&b);
}

/* ---- Refused scenes and settings ----------------------------------------------------------------------- */

static void check_failure(const char *scene, const char *spec, hn_reason reason, const char *words)
{
  bench b = set_up(scene, spec);
  hn_run_options options = { .step = 0.01, .duration = 2 };
  assert_int_equal(hn_run(b.solver, b.state, &options, &b.summary), reason);
  printf("  %s\n", b.summary.explanation);
  if (!strstr(b.summary.explanation, words)) fail_msg("message lacks \"%s\"", words);
  tear_down(&b);
}

static void failures_are_explained(void **unused)
{
  (void)unused;
  check_failure("painleve", EVENTS "lagrange,time_stepping=false", HN_STALLED, "no motion follows");
  check_failure("sliding_cubes", EVENTS "xpbd", HN_UNSUPPORTED, "its solver cannot do");
  check_failure("bouncing_balls", EVENTS "lagrange,events=3,time_stepping=false", HN_STALLED,
                "too many in a step");
}

static bool note_push(void *user, const hn_frame *frame)
{
  if (frame->index == 1 && frame->nimpulse > 0) *(double *)user = frame->impulse[0].push;
  return true;
}

/* Without a smooth motion a part of the step is time-stepped. Painleve's rod jams at once, in the first
 * part, a thousandth of the step, and then tips over as by its closed form. That is for a foot that is a
 * point; the bound is the radius of the foot. The impulse is K^-1 (0, -v), 0.97427 N s, and less than 30 N
 * push afterwards. */
static void paradox_is_time_stepped(void **unused)
{
  (void)unused;
  static const char *const specs[] = { "events", "events", "events", EVENTS "taylor", "events:creep=led" };
  for (int k = 0; k < 5; k++) {
    const double step = 0.001 * (k < 3 ? 1 << k : 1);
    bool has[8];
    double expected[3 * 8], off[3];
    double push = 0.0;
    hn_error error;
    bench b = set_up("painleve", specs[k]);
    puts(specs[k]);
    assert_int_equal(hn_solver_keep_impulses(b.solver, &error), 0);
    must_converge(&b, step, 0.2, note_push, &push);
    check_near("impulse of the first step, N s", push, 0.97427, 30.0 * step);
    assert_int_equal(hn_scene_reference(b.scene, b.state->time, has, expected, &error), 1);
    vec_sub(off, b.state->pose[2].x, expected + 3 * 2);
    ASSERT_COUNT("parts that are time-stepped", (int)b.summary.time_stepped, 1);
    check_near("their length, s", b.summary.time_stepped_s, 1e-3 * step, 1e-18);
    check_below("error of the rod, m", vec_norm(off), 1e-6);
    tear_down(&b);
  }
}

/* A pendulum on a sledge: 18 stops and onsets of two runners. Each inner solver reaches the end with the same
 * events, and with a bounded number of linear solutions a step. The bounds 21 and 47 are 3 times what
 * impulse-contact needs, 7 and 15.7. Those that are larger guard against regressions: half-explicit takes 28
 * solutions for one motion without events, and ida hundreds to start anew after each of the 16 events. */
static void sledge_moves(double h, double tolerance, const double *bounds)
{
  static const char *const each[] = { "events", EVENTS "taylor", EVENTS "generalised-alpha",
                                      EVENTS "half-explicit", EVENTS "ida" };
  for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
    bench b = set_up("sledge", each[i]);
    must_converge(&b, h, 5, NULL, NULL);
    puts(each[i]);
    check_near("energy at the end, J", b.summary.energy_final, 11.68876, tolerance);
    check_below("linear solutions a step", (double)b.summary.work.solves / (double)b.summary.steps,
                bounds[i]);
    assert_int_equal(b.summary.events[HN_EVENT_SLIP] + b.summary.events[HN_EVENT_STICK], 16);
    tear_down(&b);
  }
}

static void sledge_moves_with_any_inner_solver(void **unused)
{
  (void)unused;
  sledge_moves(0.01, 1e-4, (const double[]){ 21, 21, 21, 34, 80 });
  sledge_moves(0.08, 0.1, (const double[]){ 47, 47, 70, 80, 280 });
}

/* ---- Halved motions ------------------------------------------------------------------------------------ */

/* Newton's method of generalised-alpha does not converge within the iterations that it is given for a whole
 * step, so it fails alone. Event location halves its motions, and the error becomes that of shorter steps. */
static void motions_that_fail_are_halved(void **unused)
{
  (void)unused;
  static const char *const each[] = { "lagrange:stepper=rk8pd", EVENTS "generalised-alpha",
                                      EVENTS "generalised-alpha:iterations=4",
                                      "generalised-alpha:iterations=4" };
  double x[4][3], difference[3], error[3];
  for (int i = 0; i < 4; i++) {
    bench b = set_up("double_pendulum", each[i]);
    const hn_run_options options = { .step = i == 0 ? 0.001 : 0.1, .duration = 1 };
    const hn_reason reason = hn_run(b.solver, b.state, &options, &b.summary);
    assert_int_equal(reason, i < 3 ? HN_CONVERGED : HN_STALLED);
    memcpy(x[i], b.state->pose[b.model->nbody - 1].x, sizeof x[i]);
    const uint64_t halvings = b.summary.halvings;
    printf("  %s: %" PRIu64 " halvings\n", each[i], halvings);
    assert_true((i == 2) == (halvings > 0));
    tear_down(&b);
  }
  for (int i = 1; i < 3; i++) {
    vec_sub(difference, x[i], x[0]);
    error[i] = vec_norm(difference);
    printf("  error with%s halved motions: %.3g m\n", i == 2 ? "" : "out", error[i]);
  }
  check_below("error with halved motions, m", error[2], 2e-3);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(colliding_elastic_balls_conserve_energy),
    cmocka_unit_test(gap_closing_and_opening_within_a_step_is_detected),
    cmocka_unit_test(bounces_occur_at_their_times),
    cmocka_unit_test(elastic_balls_conserve_energy),
    cmocka_unit_test(nothing_drifts_by_default),
    cmocka_unit_test(pendulum_hits_a_wall),
    cmocka_unit_test(double_pendulum_hits_a_wall),
    cmocka_unit_test(ten_cubes_stop_at_their_positions),
    cmocka_unit_test(curved_slide_keeps_the_order),
    cmocka_unit_test(stack_of_twenty_stands),
    cmocka_unit_test(failures_are_explained),
    cmocka_unit_test(paradox_is_time_stepped),
    cmocka_unit_test(growing_force_moves_a_box),
    cmocka_unit_test(ladder_detaches_from_the_wall),
    cmocka_unit_test(sledge_moves_with_any_inner_solver),
    cmocka_unit_test(motions_that_fail_are_halved),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
