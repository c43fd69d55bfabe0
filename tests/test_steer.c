/* test_steer.c - runs that are steered between their steps: functions for events, impulses, joints that break, bodies,
 * joints and forces that come and go. */
#include "trials.h"

static const double g = 9.81;
enum { MOST = 200 };

typedef struct heard {
  hn_event event[MOST];
  int count;
} heard;

static bool hear(void *user, const hn_frame *frame)
{
  heard *h = user;
  for (int i = 0; i < frame->nevent && h->count < MOST; i++) h->event[h->count++] = frame->event[i];
  return true;
}

static trial run_heard(const char *body, const char *spec, double h, double duration, heard *into)
{
  into->count = 0;
  write_scene(body);
  trial r = run_spec(spec, h, duration, hear, into);
  if (r.reason != HN_CONVERGED) fail_msg("%s", r.summary.explanation);
  return r;
}

/* A run that control ends, with these words. */
static void expect_end(const char *body, const char *words)
{
  trial r = run_body(body, "impulse-sle", 0.01, 0.1);
  printf("  %s\n", r.summary.explanation);
  assert_true(r.summary.control_failed);
  if (!strstr(r.summary.explanation, words)) fail_msg("no word of \"%s\"", words);
  done(&r);
}

/* ---- Functions for events ---------------------------------------------------------------------------------------- */

#define WALLS                                                                                                          \
  "sys:body { name = 'wall', fixed = true, position = { 1, 0, 0 }, shape = scene.plane { normal = { -1, 0, 0 } } }\n"  \
  "local ball = sys:body { name = 'ball', mass = 2, shape = scene.sphere { radius = 0.1 }, gravity = { 0, 0, 0 },\n"    \
  "  position = { -0.015, 0, 0 }, velocity = { 3, 0, 0 }, restitution = 0.5 }\nsys:contact { margin = 0.05 }\n"

/* A ball at 3 m/s strikes a wall and comes back with 1.5: told with 2 (3 + 1.5) N s at 0.305 s, after the step that ends at
 * 0.31; two functions for one kind act in the order of the scene, and before control. */
static void functions_are_called_for_events(void **unused)
{
  (void)unused;
  static heard h;
  static const char *const specs[] = { "events", "impulse-contact" };
  for (int m = 0; m < 2; m++) {
    trial r = run_heard(WALLS
                        "local order = ''\n"
                        "sys:on('impact', function(event, s)\n"
                        "  assert(event.kind == 'impact' and event.a == 'wall' and event.b == 'ball')\n"
                        "  assert(math.abs(event.time - 0.305) < 1e-9 and math.abs(event.impulse - 9) < 1e-7)\n"
                        "  assert(event.joint == nil and event['until'] == nil and s:velocity('ball')[1] < 0)\n"
                        "  order = order .. 'a'\n  s:impulse { ball, impulse = { 0, 8, 0 } } end)\n"
                        "sys:on('impact', function(event, s) order = order .. 'b' end)\n"
                        "sys:on('slip', function() error('never') end)\n"
                        "sys:control(function(t, s) if order == 'ab' then order = order .. 'c'\n"
                        "  assert(math.abs(t - 0.31) < 1e-12) end\n"
                        "  if t > 0.5 then assert(order == 'abc') end end)\nreturn sys", specs[m], 0.01, 0.6, &h);
    check_near("speed along the wall, of 8 N s on 2 kg (m/s)", r.state->twist[2].v[1], 4, 1e-12);
    check_near("speed from it (m/s)", r.state->twist[2].v[0], -1.5, 1e-9);
    ASSERT_COUNT("impulses told", r.summary.events[HN_EVENT_IMPULSE], 1);
    assert_false(r.summary.energy_conserved);
    done(&r);
  }
}

static void mistakes_in_them_are_told(void **unused)
{
  (void)unused;
  expect_end(WALLS "sys:on('impulse', function(e, s) error('heard of ' .. e.b) end)\n"
             "sys:control(function(t, s) s:impulse { 'ball', impulse = { 1, 0, 0 } } end)\nreturn sys", "heard of ball");
  expect_end(WALLS "sys:on('impulse', function(e, s) return 1 end)\n"
             "sys:control(function(t, s) s:impulse { 'ball', impulse = { 1, 0, 0 } } end)\nreturn sys", "returns a number");
  expect_end(WALLS "sys:control(function(t, s) s:impulse { 'wall', impulse = { 1, 0, 0 } } end)\nreturn sys", "is fixed");
  expect_end(WALLS "sys:control(function(t, s) s:impulse { 'ball', impulse = { 1, 0, 0 / 0 } } end)\nreturn sys",
             "impulse");
  expect_end(WALLS "sys:control(function(t, s) s:impulse { 'ball' } end)\nreturn sys", "give impulse");
  expect_end(WALLS "sys:control(function(t, s) s:impulse { 'bell', impulse = { 1, 0, 0 } } end)\nreturn sys", "ball");
  write_scene(WALLS "sys:on('impakt', function() end)\nreturn sys");
  expect_refusal(6, "did you mean \"impact\"");
  write_scene(WALLS "sys:on(function() end)\nreturn sys");
  expect_refusal(6, "on takes a kind of events and a function");
}

/* ---- Impulses ---------------------------------------------------------------------------------------------------- */

static const char *const movers[] = { "impulse-sle", "impulse-gs", "lagrange", "taylor", "moreau", "events", "ida",
                                      "impulse-contact", "half-explicit", "xpbd" };
enum { MOVERS = sizeof movers / sizeof *movers };

/* On a free box, beside its centre: v = J / m, w = I^-1 r x J. */
static void an_impulse_turns_what_it_strikes_aside(void **unused)
{
  (void)unused;
  for (int m = 0; m < MOVERS; m++) {
    trial r = must_run("local a = sys:body { name = 'a', mass = 2, inertia = { 0.5, 0.4, 0.8 }, position = { 1, 2, 3 },\n"
                       "  gravity = { 0, 0, 0 }, orientation = { math.sqrt(0.5), 0, 0, math.sqrt(0.5) } }\n"
                       "sys:control(function(t, s) if t == 0 then\n"
                       "  s:impulse { a, at = { 1, 2.5, 3 }, impulse = { 3, 0, 0 } }\n"
                       "  s:impulse { 'a', angular = { 0, 0.6, 0 } } end end)\nreturn sys", movers[m], 1e-6, 1e-6);
    puts(movers[m]);
    check_near("v_x (m/s)", r.state->twist[1].v[0], 1.5, 1e-9);
    check_near("w_z = -0.5 3 / 0.8 (rad/s)", r.state->twist[1].w[2], -1.875, 1e-5);
    check_near("w_y = 0.6 / 0.5, of the axis that lies there (rad/s)", r.state->twist[1].w[1], 1.2, 1e-5);
    done(&r);
  }
}

/* In the middle of a run: methods that remember steps before it forget them. */
static void an_impulse_ends_what_methods_remember(void **unused)
{
  (void)unused;
  for (int m = 0; m < MOVERS; m++) {
    trial r = must_run("sys:body { name = 'a', mass = 2, inertia = { 1, 1, 1 }, position = { 0, 0, 0 } }\n"
                       "sys:control(function(t, s) if t > 0.045 and t < 0.055 then\n"
                       "  s:impulse { 'a', impulse = { 3, 0, 0 }, angular = { 0, 0, 2 } } end end)\nreturn sys",
                       movers[m], 0.01, 0.1);
    puts(movers[m]);
    check_near("x (m)", r.state->pose[1].x[0], 1.5 * 0.05, 1e-9);
    check_near("w_z (rad/s)", r.state->twist[1].w[2], 2, 1e-9);
    done(&r);
  }
}

/* On the end of a rod on a hinge: the pivot takes its part, w = J l / (m l^2 / 3). */
static void joints_answer_an_impulse(void **unused)
{
  (void)unused;
  for (int m = 0; m < MOVERS; m++) {
    trial r = must_run("local rod = sys:body { name = 'rod', mass = 3, inertia = { 0.25, 0.25, 0.25 }, position = { 0.5, "
                       "0, 0 }, gravity = { 0, 0, 0 } }\n"
                       "sys:hinge { sys.ground, rod, at = { 0, 0, 0 }, axis = { 0, 0, 1 } }\n"
                       "sys:control(function(t, s) if t == 0 then\n"
                       "  s:impulse { rod, at = { 1, 0, 0 }, impulse = { 5, 2, 1 } } end end)\nreturn sys",
                       movers[m], 1e-6, 1e-6);
    puts(movers[m]);
    check_near("w_z = 2 / 1 (rad/s)", r.state->twist[1].w[2], 2, 1e-5);
    check_near("v_y (m/s)", r.state->twist[1].v[1], 1, 1e-5);
    check_below("v_z, w_x and w_y, which the hinge does not let",
                fabs(r.state->twist[1].v[2]) + fabs(r.state->twist[1].w[0]) + fabs(r.state->twist[1].w[1]), 1e-5);
    done(&r);
  }
}

/* A block that rests is struck down: the floor gives it all back at once, and there is an impact of as much. */
static void what_it_rests_on_answers_too(void **unused)
{
  (void)unused;
  static heard h;
  static const char *const specs[] = { "events", "impulse-contact" };
  for (int m = 0; m < 2; m++) {
    trial r = run_heard("sys:body { name = 'floor', fixed = true, position = { 0, 0, 0 }, shape = scene.plane { normal = "
                        "{ 0, 1, 0 } } }\n"
                        "local b = sys:body { name = 'b', mass = 2, shape = scene.box { 0.4, 0.2, 0.4 }, position = { 0, "
                        "0.1, 0 } }\nsys:contact { margin = 0.02 }\n"
                        "sys:control(function(t, s) if t > 0.095 and t < 0.105 then\n"
                        "  s:impulse { b, impulse = { 0, -3, 0 } } end end)\nreturn sys", specs[m], 0.01, 0.3, &h);
    puts(specs[m]);
    check_near("height at the end (m)", r.state->pose[2].x[1], 0.1, 1e-9);
    ASSERT_COUNT("impacts", r.summary.events[HN_EVENT_IMPACT], 1);
    ASSERT_COUNT("opened", r.summary.events[HN_EVENT_OPENED], 0);
    for (int i = 0; i < h.count; i++)
      if (h.event[i].kind == HN_EVENT_IMPACT) check_near("impulse (N s)", h.event[i].impulse, 3, 1e-7);
    done(&r);
  }
}

/* A step that stalls takes back the impulse as well. */
static void a_failed_step_takes_an_impulse_back(void **unused)
{
  (void)unused;
  trial r = run_body("local rod = sys:body { name = 'rod', mass = 3, inertia = { 0.25, 0.25, 0.25 }, position = { 0.5, "
                     "0, 0 } }\nsys:hinge { sys.ground, rod, at = { 0, 0, 0 }, axis = { 0, 0, 1 } }\n"
                     "sys:control(function(t, s) s:impulse { rod, impulse = { 0, 1, 0 } } end)\nreturn sys",
                     "impulse-sle:iterations=1,tolerance=1e-16", 0.2, 1);
  printf("  %s\n", r.summary.explanation);
  assert_int_equal(r.reason, HN_STALLED);
  check_near("v_y (m/s)", r.state->twist[1].v[1], 0, 0);
  done(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(functions_are_called_for_events),
    cmocka_unit_test(mistakes_in_them_are_told),
    cmocka_unit_test(an_impulse_turns_what_it_strikes_aside),
    cmocka_unit_test(an_impulse_ends_what_methods_remember),
    cmocka_unit_test(joints_answer_an_impulse),
    cmocka_unit_test(what_it_rests_on_answers_too),
    cmocka_unit_test(a_failed_step_takes_an_impulse_back),
  };
  (void)g;
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
