/* test_breaks.c - joints that break at a breakage load, in solvers that locate event times: time of breakage,
 * motion afterwards, and breakage by impacts. Compared with closed forms. */
#include "instants.h"
#include "heard.h"

/* ---- A bob on a rod, released at `start` from the lowest point ----------------------------------------- */

static const double start = 1.2, breakage_load = 2.0; /* rad; breakage load over m g */

#define BOB                                                                                        \
  "local a = 1.2\n"                                                                                \
  "local p = sys:particle { name = 'p', mass = 2, position = { math.sin(a), -math.cos(a), 0 } }\n" \
  "sys:distance { sys.ground, p, breaks_at = 2 * 2 * 9.81, name = 'rod' }\n"

/* The tension is m g (3 cos a - 2 cos start). Returns the angle at which it is f m g; below, the time to
 * reach it. */
static double angle_of(double f)
{
  return acos((f + 2 * cos(start)) / 3);
}

static double time_of(double f)
{
  const double k = sin(0.5 * start), b = asin(sin(0.5 * angle_of(f)) / k);
  return (gsl_sf_ellint_Kcomp(k, GSL_PREC_DOUBLE) - gsl_sf_ellint_F(b, k, GSL_PREC_DOUBLE)) / sqrt(g);
}

/* Computes the position at time t after the breakage. */
static void fly(double t, double x[2])
{
  const double a = angle_of(breakage_load), v = sqrt(2 * g * (cos(a) - cos(start)));
  x[0] = sin(a) - v * cos(a) * t, x[1] = -cos(a) - v * sin(a) * t - 0.5 * g * t * t;
}

/* Free flight is exact, so that the final error is that of the swing and of the event time. */
static void breakage_keeps_the_order(void **unused)
{
  (void)unused;
  const double end = 0.8;
  double exact[2];
  fly(end - time_of(breakage_load), exact);
  write_scene(BOB "return sys");
  for (int m = 0; m < ALL_MOVERS; m++) {
    const double order = all_movers[m].order;
    check_mover(&all_movers[m], order < 6 ? 1 : order < 8 ? 2 : 2.5, end, 1, exact);
  }
}

static void breakage_time_is_located(void **unused)
{
  (void)unused;
  static const char *const each[] = { EVENTS "taylor:order=20", EVENTS "lagrange:stepper=rk8pd" };
  for (int m = 0; m < 2; m++) {
    static heard h;
    trial r = run_with_events(BOB "return sys", each[m], 0.02, 0.8, &h);
    const hn_event *broken = nth(&h, HN_EVENT_BROKEN, 0);
    ASSERT_COUNT("events", (unsigned)h.count, 1);
    check_near("time, s", broken->time, time_of(breakage_load), 1e-12);
    check_near("tension, N", broken->force, 2 * breakage_load * g, 1e-11);
    assert_string_equal(broken->joint, "rod");
    assert_true(broken->a == 0 && broken->b == 1 && isnan(broken->impulse));
    ASSERT_COUNT("remaining joints", (unsigned)r.solver->system->model->njoint, 0);
    check_below("drift of joints, m", r.summary.position_max, 1e-12);
    done(&r);
  }
}

/* Time stepping detects the breakage at the end of a step: with the event a quarter into a step, the error is
 * of order 1. impulse-contact uses the mean force of the step. */
static void steps_locate_breakage_to_first_order(void **unused)
{
  (void)unused;
  static const char *const each[] = { "impulse-contact", "moreau" };
  const double end = 0.8, t = time_of(breakage_load);
  double exact[2], h[STEPS], error[STEPS];
  fly(end - t, exact);
  for (int m = 0; m < 2; m++) {
    puts(each[m]);
    write_scene(BOB "return sys");
    for (int i = 0; i < STEPS; i++) {
      h[i] = t / ((20 << i) + 0.25);
      error[i] = error_of(each[m], h[i], end, 1, exact);
    }
    check_order("order", 1, h, error);
  }
}

/* The tension exceeds the breakage load for 22 ms, in the middle of a step of 100 ms. */
static void peak_within_a_step_is_detected(void **unused)
{
  (void)unused;
  const double top = 3 - 2 * cos(start), load = top - 1e-3 * top;
  char text[400];
  snprintf(text, sizeof text,
           "local a = 1.2\n"
           "local p = sys:particle { mass = 2, position = { math.sin(a), -math.cos(a), 0 } }\n"
           "sys:distance { sys.ground, p, breaks_at = %.17g }\nreturn sys",
           2 * load * g);
  static heard h;
  trial r = run_with_events(text, EVENTS "taylor:order=20", 0.1, 0.7, &h);
  ASSERT_COUNT("events", (unsigned)h.count, 1);
  check_near("time, s", nth(&h, HN_EVENT_BROKEN, 0)->time, time_of(load), 1e-11);
  done(&r);
}

/* ---- Limits of broken joints, and control -------------------------------------------------------------- */

/* A rod of 1 m on a hinge, released level: at sin a = 0.6 the hinge force is m g (25/4 sin^2 a + cos^2 a /
 * 16)^1/2. In the same step the rod turns beyond its former limit. */
static void limits_are_removed_with_their_joint(void **unused)
{
  (void)unused;
  char text[500];
  snprintf(text, sizeof text,
           "local rod = sys:body { mass = 3, inertia = { 0.25, 0.25, 0.25 }, position = { 0.5, 0, 0 } }\n"
           "sys:hinge { sys.ground, rod, at = { 0, 0, 0 }, axis = { 0, 0, 1 }, name = 'h', lower = -0.8,\n"
           "  breaks_at = %.17g }\nreturn sys",
           3 * g * sqrt(6.25 * 0.36 + 0.64 / 16));
  static const double step[] = { 0.125, 0.01 };
  for (int i = 0; i < 2; i++) {
    static heard h;
    trial r = run_with_events(text, EVENTS "taylor:order=20", step[i], 0.5, &h);
    const double remaining = 0.5 - nth(&h, HN_EVENT_BROKEN, 0)->time, w = sqrt(3 * g * 0.6);
    const double a = asin(0.6) + w * remaining;
    ASSERT_COUNT("events", (unsigned)h.count, 1);
    check_near("angular velocity, rad/s", r.state->twist[1].w[2], -w, 1e-9);
    check_near("angle exceeds the former limit", a > 0.8, 1, 0);
    check_near("sine of half the angle", r.state->pose[1].q[3], -sin(0.5 * a), 1e-9);
    check_near("height, m", r.state->pose[1].x[1],
               -0.3 - 0.5 * w * 0.8 * remaining - 0.5 * g * remaining * remaining, 1e-9);
    ASSERT_COUNT("remaining joints", (unsigned)r.solver->system->model->njoint, 0);
    done(&r);
  }
}

/* A bob that swings on two strings in a V, which reach their breakage load at the same time up to
 * rounding. */
static void two_joints_break_simultaneously(void **unused)
{
  (void)unused;
  static heard h;
  trial r = run_with_events("local a = 1.2\n"
                            "local p = sys:particle { name = 'p', mass = 2,\n"
                            "  position = { math.sin(a), -math.cos(a), 0.1 } }\n"
                            "for i, z in ipairs { 0.7, -0.5 } do\n"
                            "  sys:distance { sys.ground, p, at_a = { 0, 0, z },\n"
                            "    at_b = { math.sin(a), -math.cos(a), 0.1 },\n"
                            "    breaks_at = 2 * 9.81 * math.sqrt(1.36), name = 's' .. i }\n"
                            "end\nreturn sys",
                            EVENTS "taylor:order=20", 0.02, 0.8, &h);
  double exact[2];
  fly(0.8 - time_of(breakage_load), exact);
  ASSERT_COUNT("events", (unsigned)h.count, 2);
  for (int i = 0; i < 2; i++)
    check_near("time, s", nth(&h, HN_EVENT_BROKEN, i)->time, time_of(breakage_load), 1e-12);
  check_near("x at the end, m", r.state->pose[1].x[0], exact[0], 1e-11);
  check_near("y, m", r.state->pose[1].x[1], exact[1], 1e-11);
  done(&r);
}

static void control_is_called_for_breakage(void **unused)
{
  (void)unused;
  static heard h;
  trial r = run_with_events(BOB "sys:particle { name = 'lamp', mass = 1, position = { 5, 0, 0 } }\n"
                                "sys:on('broken', function(event, s) sys:remove('lamp') end)\nreturn sys",
                            "events", 0.05, 0.8, &h);
  ASSERT_COUNT("broken", (unsigned)count_of(&h, HN_EVENT_BROKEN), 1);
  ASSERT_COUNT("removed", (unsigned)count_of(&h, HN_EVENT_REMOVED), 1);
  done(&r);
}

/* ---- The breakage load exactly, and impacts ------------------------------------------------------------ */

/* A hanging weight: a joint with exactly that breakage load holds; with 1e-9 less it breaks at the start. */
static void exact_breakage_load_holds(void **unused)
{
  (void)unused;
  static const char *const factor[] = { "1", "(1 - 1e-9)" };
  static const char *const each[] = { "events", "events:inner=impulse-sle" };
  for (int i = 0; i < 4; i++) {
    char text[300];
    snprintf(text, sizeof text,
             "local p = sys:particle { name = 'p', mass = 2, position = { 0, -1, 0 } }\n"
             "sys:distance { sys.ground, p, breaks_at = 2 * 9.81 * %s }\nreturn sys",
             factor[i / 2]);
    static heard h;
    trial r = run_with_events(text, each[i % 2], 0.1, 1, &h);
    ASSERT_COUNT("broken", (unsigned)h.count, (unsigned)i / 2);
    if (h.count) check_near("time, s", h.event[0].time, 0, 0);
    check_near("height, m", r.state->pose[1].x[1], i / 2 ? -1 - 0.5 * g : -1, 1e-12);
    done(&r);
  }
}

/* Drops a ball of 1 kg by 0.5 m onto a plate of 2 kg fixed to the ground by a joint with breakage load
 * `load`. */
static trial drop_ball(const char *spec, double load, double h, heard *of)
{
  char text[700];
  snprintf(text, sizeof text,
           "local plate = sys:body { name = 'plate', mass = 2, shape = scene.box { 1, 0.2, 1 },\n"
           "  position = { 0, -0.1, 0 } }\n"
           "sys:fixed { sys.ground, plate, at = { 0, -0.1, 0 }, name = 'bolt', breaks_at = %.17g }\n"
           "sys:body { name = 'ball', mass = 1, shape = scene.sphere { radius = 0.1 },\n"
           "  position = { 0, 0.6, 0 } }\n"
           "sys:contact { margin = 0.1 }\nreturn sys",
           load);
  return run_with_events(text, spec, h, 0.5, of);
}

/* An impact has an impulse but no force. In solver events it breaks nothing, but the load after it may, at
 * that time. In solvers with steps the force is the impulse over the step. */
static void impacts_break_by_impulse_over_step(void **unused)
{
  (void)unused;
  const double t = sqrt(2 * 0.5 / g), p = sqrt(2 * g * 0.5);
  static const struct {
    const char *spec;
    double load, h;
    bool breaks;
  } each[] = {
    /* weight of the plate 19.6 N, with the ball 29.4 N */
    { "events", 40, 0.01, false },           { "events", 29, 0.01, true },
    { "impulse-contact", 400, 0.01, false }, /* 3.13 N s over 0.01 s, and the load; moreau has two steps */
    { "impulse-contact", 400, 0.001, true }, { "moreau", 400, 0.01, false },
    { "moreau", 400, 0.001, true },
  };
  printf("  the impulse is %.3f N s, at %.4f s\n", p, t);
  for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
    static heard h;
    trial r = drop_ball(each[i].spec, each[i].load, each[i].h, &h);
    ASSERT_COUNT("broken", (unsigned)count_of(&h, HN_EVENT_BROKEN), each[i].breaks);
    if (each[i].breaks) {
      const hn_event *broken = nth(&h, HN_EVENT_BROKEN, 0);
      const bool locates = strcmp(each[i].spec, "events") == 0;
      check_near("time, s", broken->time, t + (locates ? 0 : 0.5 * each[i].h),
                 locates ? 1e-9 : 1.6 * each[i].h);
      if (locates) check_near("force, N", broken->force, 3 * g, 1e-9);
      else if (i < 4) check_near("force, N", broken->force, p / each[i].h + 2 * g, 3 * g);
    }
    done(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(breakage_time_is_located),
    cmocka_unit_test(breakage_keeps_the_order),
    cmocka_unit_test(steps_locate_breakage_to_first_order),
    cmocka_unit_test(peak_within_a_step_is_detected),
    cmocka_unit_test(limits_are_removed_with_their_joint),
    cmocka_unit_test(two_joints_break_simultaneously),
    cmocka_unit_test(control_is_called_for_breakage),
    cmocka_unit_test(exact_breakage_load_holds),
    cmocka_unit_test(impacts_break_by_impulse_over_step),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
