/* test_steer.c - runs that are steered between their steps: functions for events, impulses, joints that break, bodies,
 * joints and forces that come and go. */
#include "trials.h"

#include <gsl/gsl_sf_ellint.h>

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
  "local ball = sys:body { name = 'ball', mass = 2, shape = scene.sphere { radius = 0.1 }, gravity = { 0, 0, 0 },\n"   \
  "  position = { -0.015, 0, 0 }, velocity = { 3, 0, 0 }, restitution = 0.5 }\nsys:contact { margin = 0.05 }\n"

/* A ball at 3 m/s strikes a wall and comes back with 1.5: told with 2 (3 + 1.5) N s at 0.305 s, after the step that
 * ends at 0.31; two functions for one kind act in the order of the scene, and before control. */
static void functions_are_called_for_events(void **unused)
{
  (void)unused;
  static heard h;
  static const char *const specs[] = { "events", "impulse-contact" };
  for (int m = 0; m < 2; m++) {
    trial r = run_heard(WALLS "local order = ''\n"
                              "sys:on('impact', function(event, s)\n"
                              "  assert(event.kind == 'impact' and event.a == 'wall' and event.b == 'ball')\n"
                              "  assert(math.abs(event.time - 0.305) < 1e-9 and math.abs(event.impulse - 9) < 1e-7)\n"
                              "  assert(event.joint == nil and event['until'] == nil and s:velocity('ball')[1] < 0)\n"
                              "  order = order .. 'a'\n  s:impulse { ball, impulse = { 0, 8, 0 } } end)\n"
                              "sys:on('impact', function(event, s) order = order .. 'b' end)\n"
                              "sys:on('slip', function() error('never') end)\n"
                              "sys:control(function(t, s) if order == 'ab' then order = order .. 'c'\n"
                              "  assert(math.abs(t - 0.31) < 1e-12) end\n"
                              "  if t > 0.5 then assert(order == 'abc') end end)\nreturn sys",
                        specs[m], 0.01, 0.6, &h);
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
                   "sys:control(function(t, s) s:impulse { 'ball', impulse = { 1, 0, 0 } } end)\nreturn sys",
             "heard of ball");
  expect_end(WALLS "sys:on('impulse', function(e, s) return 1 end)\n"
                   "sys:control(function(t, s) s:impulse { 'ball', impulse = { 1, 0, 0 } } end)\nreturn sys",
             "returns a number");
  expect_end(WALLS "sys:control(function(t, s) s:impulse { 'wall', impulse = { 1, 0, 0 } } end)\nreturn sys",
             "is fixed");
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

static const char *const movers[] = { "impulse-sle", "impulse-gs", "lagrange",        "taylor",        "moreau",
                                      "events",      "ida",        "impulse-contact", "half-explicit", "xpbd" };
enum { MOVERS = sizeof movers / sizeof *movers };

/* On a free box, beside its centre: v = J / m, w = I^-1 r x J. */
static void an_impulse_turns_what_it_strikes_aside(void **unused)
{
  (void)unused;
  for (int m = 0; m < MOVERS; m++) {
    trial r =
        must_run("local a = sys:body { name = 'a', mass = 2, inertia = { 0.5, 0.4, 0.8 }, position = { 1, 2, 3 },\n"
                 "  gravity = { 0, 0, 0 }, orientation = { math.sqrt(0.5), 0, 0, math.sqrt(0.5) } }\n"
                 "sys:control(function(t, s) if t == 0 then\n"
                 "  s:impulse { a, at = { 1, 2.5, 3 }, impulse = { 3, 0, 0 } }\n"
                 "  s:impulse { 'a', angular = { 0, 0.6, 0 } } end end)\nreturn sys",
                 movers[m], 1e-6, 1e-6);
    puts(movers[m]);
    check_near("v_x (m/s)", r.state->twist[1].v[0], 1.5, 1e-9);
    check_near("w_z = -0.5 3 / 0.8 (rad/s)", r.state->twist[1].w[2], -1.875, 1e-5);
    check_near("w_y = 0.6 / 0.5, of the axis that lies there (rad/s)", r.state->twist[1].w[1], 1.2, 1e-5);
    done(&r);
  }
}

/* |m dv|, and |J dw| about the middle: of a blow beside it, of a turn alone, of a particle. */
static void an_impulse_is_told_with_what_turns(void **unused)
{
  (void)unused;
  trial r = must_run("local a = sys:body { name = 'a', mass = 2, inertia = { 0.5, 0.4, 0.8 }, position = { 1, 2, 3 },\n"
                     "  orientation = { math.sqrt(0.5), 0, 0, math.sqrt(0.5) } }\n"
                     "sys:particle { name = 'p', mass = 3, position = { 9, 0, 0 } }\n"
                     "local heard = ''\n"
                     "sys:on('impulse', function(e) heard = heard .. string.format('%s %.9f %.9f;', e.b, e.impulse,\n"
                     "  e.angular) end)\n"
                     "sys:control(function(t, s)\n"
                     "  if t == 0 then s:impulse { a, at = { 1, 2.5, 3 }, impulse = { 3, 0, 0 } }\n"
                     "  elseif t < 0.015 then s:impulse { 'a', angular = { 0, 0.6, 0.8 } }\n"
                     "  elseif t < 0.025 then s:impulse { 'p', impulse = { 0, 6, 0 } }\n"
                     "  elseif t < 0.035 then assert(heard == 'a 3.000000000 1.500000000;a 0.000000000 1.000000000;"
                     "p 6.000000000 0.000000000;', heard) end end)\nreturn sys",
                     "impulse-sle", 0.01, 0.04);
  done(&r);
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
    trial r =
        must_run("local rod = sys:body { name = 'rod', mass = 3, inertia = { 0.25, 0.25, 0.25 }, position = { 0.5, "
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
    trial r =
        run_heard("sys:body { name = 'floor', fixed = true, position = { 0, 0, 0 }, shape = scene.plane { normal = "
                  "{ 0, 1, 0 } } }\n"
                  "local b = sys:body { name = 'b', mass = 2, shape = scene.box { 0.4, 0.2, 0.4 }, position = { 0, "
                  "0.1, 0 } }\nsys:contact { margin = 0.02 }\n"
                  "sys:control(function(t, s) if t > 0.095 and t < 0.105 then\n"
                  "  s:impulse { b, impulse = { 0, -3, 0 } } end end)\nreturn sys",
                  specs[m], 0.01, 0.3, &h);
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

/* ---- Joints that break ------------------------------------------------------------------------------------------- */

/* The state when something breaks, and at the end. */
typedef struct broken {
  hn_event event;
  double x[3], v[3], time;
  int count;
} broken;

static bool watch_break(void *user, const hn_frame *frame)
{
  broken *b = user;
  for (int i = 0; i < frame->nevent; i++) {
    if (frame->event[i].kind != HN_EVENT_BROKEN) continue;
    b->event = frame->event[i], b->count++, b->time = frame->state->time;
    memcpy(b->x, frame->state->pose[1].x, sizeof b->x), memcpy(b->v, frame->state->twist[1].v, sizeof b->v);
  }
  return true;
}

static const char *const tellers[] = { "lagrange", "half-explicit", "taylor", "generalised-alpha",
                                       "ida",      "moreau",        "xpbd",   "tgs-soft" };
enum { TELLERS = sizeof tellers / sizeof *tellers };

/* A bob on a rod, let go level with its pivot: at an angle a below that the pull is 3 m g sin a, which breaks the rod
 * when it is 2 m g, (K - F(b)) sqrt(l / g) after the start, sin b = sin(phi / 2) / k, phi = pi / 2 - a, k = sin(pi /
 * 4). A method of steps notices at the end of one. Then it falls. */
static void a_rod_breaks_when_the_pull_is_more_than_it_bears(void **unused)
{
  (void)unused;
  const double h = 0.001, end = 0.6, k = sqrt(0.5), phi = acos(2.0 / 3.0);
  const double t =
      (gsl_sf_ellint_Kcomp(k, GSL_PREC_DOUBLE) - gsl_sf_ellint_F(asin(sin(0.5 * phi) / k), k, GSL_PREC_DOUBLE)) /
      sqrt(g);
  char text[300];
  snprintf(text, sizeof text,
           "local p = sys:particle { name = 'p', mass = 2, position = { 1, 0, 0 } }\n"
           "sys:distance { sys.ground, p, breaks_at = %.17g, name = 'rod' }\nreturn sys",
           2 * 2 * g);
  for (int m = 0; m < TELLERS; m++) {
    broken b = { .count = 0 };
    write_scene(text);
    trial r = run_spec(tellers[m], h, end, watch_break, &b);
    if (r.reason != HN_CONVERGED) fail_msg("%s", r.summary.explanation);
    const double left = end - b.time;
    printf("%s\n", tellers[m]);
    ASSERT_COUNT("joints that broke", (unsigned)b.count, 1);
    check_near("when (s)", b.event.time, t + 0.5 * h, 0.5 * h + (m < 5 ? 1e-9 : 2 * h));
    check_near("the pull then (N)", b.event.force, 4 * g, 3 * 2 * g * 3 * h * (m < 5 ? 1 : 3));
    assert_string_equal(b.event.joint, "rod");
    check_near("x at the end (m)", r.state->pose[1].x[0], b.x[0] + b.v[0] * left, 1e-9);
    check_near("y (m)", r.state->pose[1].x[1], b.x[1] + b.v[1] * left - 0.5 * g * left * left,
               strcmp(tellers[m], "ida") == 0 ? 1e-7
               : m < 5                        ? 1e-9
                                              : 0.5 * g * left * h * 1.01);
    ASSERT_COUNT("joints that are left", (unsigned)r.solver->system->model->njoint, 0);
    ASSERT_COUNT("changes", r.summary.changes, 1);
    done(&r);
  }
}

/* What stays together stays as it was: of two pendulums one breaks, and the other swings on to the bit; with a hinge
 * its limit goes. Without a method that tells forces there is no such scene. */
static void the_rest_goes_on(void **unused)
{
  (void)unused;
  static const char pair[] =
      "for i, name in ipairs { 'a', 'b' } do\n"
      "  local rod = sys:body { name = name, mass = 1, inertia = { 0.1, 0.1, 0.1 }, position = { 0.5, 0, i } }\n"
      "  sys:hinge { sys.ground, rod, at = { 0, 0, i }, axis = { 0, 0, 1 }, name = 'hinge' .. name, lower = -3.1%s }\n"
      "end\nreturn sys";
  char text[700];
  hn_pose pose[2];
  for (int i = 0; i < 2; i++) {
    snprintf(text, sizeof text, pair, i ? ", breaks_at = name == 'a' and 15 or 1000" : "");
    trial r = must_run(text, "moreau", 0.005, 1);
    pose[i] = r.state->pose[2];
    ASSERT_COUNT("joints", (unsigned)r.solver->system->model->njoint, i ? 2 : 4);
    if (i) assert_string_equal(r.solver->system->model->joint[0].name, "hingeb");
    if (i) ASSERT_COUNT("broken", r.summary.events[HN_EVENT_BROKEN], 1);
    done(&r);
  }
  check_below("the other pendulum is off by (m)", fabs(pose[0].x[0] - pose[1].x[0]) + fabs(pose[0].x[1] - pose[1].x[1]),
              1e-9);
  hn_error error;
  hn_scene *scene = load_written(NULL, 0);
  hn_solver *solver = hn_solver_create("impulse-gs", scene->model, &error);
  assert_null(solver);
  printf("  %s\n", error.text);
  assert_non_null(strstr(error.text, "joint forces (of joints that break)"));
  hn_scene_free(scene);
  write_scene("local p = sys:particle { mass = 2, position = { 1, 0, 0 } }\n"
              "sys:distance { sys.ground, p, breaks_at = -1 }\nreturn sys");
  expect_refusal(3, "cannot be negative");
}

/* ---- What comes and goes ----------------------------------------------------------------------------------------- */

static const char *const all_methods[] = {
  "impulse-sle",   "impulse-gs",        "impulse-newton",       "lagrange",         "taylor",          "moreau", "ida",
  "half-explicit", "generalised-alpha", "impulse-extrapolated", "impulse-composed", "impulse-contact", "events", "xpbd",
  "tgs-soft"
};
enum { METHODS = sizeof all_methods / sizeof *all_methods };

/* At half of the time a pendulum is let go, another body is put beside it with a velocity, and a third is taken out:
 * all fly by the laws of falling from then on. Every method is made anew with its settings. */
static void bodies_and_joints_come_and_go(void **unused)
{
  (void)unused;
  static heard h;
  for (int m = 0; m < METHODS; m++) {
    trial r = run_heard("local a = sys:body { name = 'a', mass = 2, inertia = { 1, 1, 1 }, position = { 1, 0, 0 } }\n"
                        "sys:ball { sys.ground, a, at = { 0, 0, 0 }, name = 'pivot' }\n"
                        "local b = sys:body { name = 'b', mass = 1, inertia = { 1, 1, 1 }, position = { 0, 0, 5 } }\n"
                        "local n = 0\n"
                        "sys:control(function(t, s)\n  n = n + 1\n  if n == 51 then\n"
                        "    assert(math.abs(t - 0.5) < 1e-12)\n"
                        "    sys:remove('pivot') sys:remove(b)\n"
                        "    sys:body { name = 'c', mass = 3, inertia = { 1, 2, 3 }, position = { 0, 0, -5 },\n"
                        "      velocity = { 2, 0, 0 } }\n"
                        "  end\n  if n == 52 then\n"
                        "    assert(s:velocity('c')[1] == 2 and not pcall(s.position, s, 'b') and\n"
                        "           not pcall(s.value, s, 'pivot'))\n  end end)\nreturn sys",
                        all_methods[m], 0.01, 1, &h);
    puts(all_methods[m]);
    ASSERT_COUNT("bodies, with what is gone and the ground", (unsigned)r.state->nbody, 4);
    ASSERT_COUNT("joints", (unsigned)r.solver->system->model->njoint, 0);
    ASSERT_COUNT("changes", r.summary.changes, 1);
    ASSERT_COUNT("removed", r.summary.events[HN_EVENT_REMOVED], 2);
    ASSERT_COUNT("added", r.summary.events[HN_EVENT_ADDED], 1);
    check_near("added at (s)", h.event[h.count - 1].time, 0.5, 1e-12);
    check_near("x of c (m)", r.state->pose[3].x[0], 1, 1e-6);
    check_near("y of c (m)", r.state->pose[3].x[1], -0.125 * g, 0.5 * g * 0.5 * 0.0101);
    check_near("b stays where it was (m)", r.state->pose[2].x[1], -0.125 * g, 0.5 * g * 0.5 * 0.0101);
    check_near("b has no velocity (m/s)", r.state->twist[2].v[1], 0, 0);
    check_below("a has gone its way down: 1.5 m over it", -1.5 / r.state->pose[1].x[1], 1);
    assert_false(r.summary.energy_conserved);
    done(&r);
  }
}

/* A ball that flies by is caught by a joint: what it does not let is gone at once. Of 3 m/s across a rod of 2 m nothing
 * is lost, along it all; moreau then loses h w^2 t / 2 of the speed, 2.03e-3 m/s, and that of the angle. And a spring
 * is hung in, at rest at its length of then: nothing moves by it. */
static void joints_and_springs_are_added(void **unused)
{
  (void)unused;
  static const char *const specs[] = { "impulse-sle", "lagrange", "moreau", "events" };
  for (int m = 0; m < 4; m++) {
    trial r = must_run(
        "local p = sys:particle { name = 'p', mass = 2, gravity = { 0, 0, 0 }, position = { 2, 0, 0 },\n"
        "  velocity = { 1, 3, 0 } }\n"
        "local q = sys:particle { name = 'q', mass = 1, gravity = { 0, 0, 0 }, position = { 0, 0, 9 } }\n"
        "local done\n"
        "sys:control(function(t, s)\n  if not done then done = true\n"
        "    sys:distance { sys.ground, p, name = 'rod' }\n"
        "    sys:spring { sys.ground, q, at_a = { 0, 0, 8 }, at_b = { 0, 0, 9 }, stiffness = 50, name = 'spring' }\n"
        "  elseif t > 0.5 then assert(math.abs(s:position('p')[1] ^ 2 + s:position('p')[2] ^ 2 - 4) < 1e-2)\n"
        "  end end)\nreturn sys",
        specs[m], 0.001, 0.6);
    puts(specs[m]);
    check_near("speed on the circle (m/s)", hypot(r.state->twist[1].v[0], r.state->twist[1].v[1]), 3,
               strcmp(specs[m], "moreau") == 0 ? 2.1e-3 : 1e-6);
    check_near("angle on it, 3 / 2 a second (rad)", atan2(r.state->pose[1].x[1], r.state->pose[1].x[0]), 0.9, 1e-3);
    check_below("the spring moves nothing (m)", fabs(r.state->pose[2].x[2] - 9), 1e-12);
    ASSERT_COUNT("added", r.summary.events[HN_EVENT_ADDED], 2);
    done(&r);
  }
}

/* Shapes that are added collide, with each other and with those that were there, and what rests goes on resting: boxes
 * let fall one by one make a stack, in two runs the same one. */
static void what_is_added_collides(void **unused)
{
  (void)unused;
  static heard h;
  uint64_t hash[2];
  static const char *const specs[] = { "moreau", "impulse-contact" };
  for (int m = 0; m < 2; m++) {
    for (int turn = 0; turn < 2; turn++) {
      trial r =
          run_heard("sys:body { name = 'floor', fixed = true, position = { 0, 0, 0 }, friction = 0.5,\n"
                    "  shape = scene.plane { normal = { 0, 1, 0 } } }\n"
                    "local function drop(i) sys:body { name = 'box' .. i, mass = 1, shape = scene.box { 1, 0.2, 1 },\n"
                    "  friction = 0.5, position = { 0, 0.2 * i - 0.1 + 0.01, 0 } } end\n"
                    "drop(1)\nsys:contact { margin = 0.02 }\nlocal n = 1\n"
                    "sys:control(function(t, s) if n < 4 and t > 0.2 * n then n = n + 1 drop(n) end end)\nreturn sys",
                    specs[m], 0.005, 1.2, &h);
      ASSERT_COUNT("changes", r.summary.changes, 3);
      for (int i = 1; i <= 4 && turn == 0; i++)
        check_near("height of a box (m)", r.state->pose[1 + i].x[1], 0.2 * i - 0.1, 1e-6);
      ASSERT_COUNT("closed: four boxes, each once", r.summary.events[HN_EVENT_CLOSED], 4);
      ASSERT_COUNT("opened", r.summary.events[HN_EVENT_OPENED], 0);
      hash[turn] = r.summary.hash;
      done(&r);
    }
    printf("  %s: hashes %016llx %016llx\n", specs[m], (unsigned long long)hash[0], (unsigned long long)hash[1]);
    assert_true(hash[0] == hash[1]);
  }
}

#define TWO                                                                                                            \
  "local a = sys:body { name = 'a', mass = 2, inertia = { 1, 1, 1 }, position = { 1, 0, 0 }, velocity = { 0, 1, 0 } "  \
  "}\n"                                                                                                                \
  "local b = sys:body { name = 'b', mass = 2, inertia = { 1, 1, 1 }, position = { 2, 0, 0 } }\n"                       \
  "sys:spring { a, b, at_a = { 1, 0, 0 }, at_b = { 2, 0, 0 }, stiffness = 1, name = 's' }\n"

static void mistakes_in_changes_are_told(void **unused)
{
  (void)unused;
  static const struct {
    const char *body, *words;
  } wrong[] = {
    { "sys:control(function() sys:remove('c') end)", "no body, joint or force \"c\"" },
    { "sys:control(function() sys:remove(a) sys:remove('a') end)", "gone already" },
    { "sys:control(function(t) if t > 0.005 then sys:remove(a) end sys:remove(b) end)", "\"b\" is gone" },
    { "sys:control(function() sys:remove(sys.ground) end)", "the ground stays" },
    { "sys:control(function() sys:body { name = 'a', mass = 1, inertia = { 1, 1, 1 }, position = { 0, 0, 0 } } end)",
      "already: names must differ" },
    { "sys:control(function() sys:body { name = 'c', mass = 1, inertia = { 1, 1, 1 }, position = { 0 / 0, 0, 0 } } "
      "end)",
      "position[1] must be finite" },
    { "sys:control(function() sys:ball { a, b, at_a = { 1, 0, 0 }, at_b = { 2, 0, 0 } } end)", "is violated by 1 m" },
    { "sys:control(function(t) if t == 0 then sys:remove(a) else sys:ball { a, b, at = { 0, 0, 0 } } end end)",
      "body \"a\" is gone" },
    { "sys:control(function(t, s) sys:remove('s') if t > 0.005 then s:get('s') end end)", "\"s\"" },
    { "sys:control(function() sys:defaults { step = 1 } end)", "the scene is complete" },
    { "sys:control(function() sys:motor { sys.ground, a, axis = { 0, 0, 1 }, gain = 1, target = 0 } end)", "limit" },
    { "sys:control(function() sys:hinge { sys.ground, a, at = { 0, 0, 0 }, axis = { 0, 0, 1 }, breaks_at = 1 } end)",
      "joint forces (of joints that break)" },
  };
  char text[1500];
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    snprintf(text, sizeof text, TWO "%s\nreturn sys", wrong[i].body);
    expect_end(text, wrong[i].words);
  }
  write_scene(TWO "sys:remove('a')\nreturn sys");
  expect_refusal(5, "it is for control");
}

/* A checkpoint of before a change is refused, and one of after it is good. */
static void checkpoints_are_of_one_model(void **unused)
{
  (void)unused;
  hn_error error;
  write_scene("local a = sys:body { name = 'a', mass = 2, inertia = { 1, 1, 1 }, position = { 1, 0, 0 } }\n"
              "sys:ball { sys.ground, a, at = { 0, 0, 0 }, name = 'ball' }\nreturn sys");
  trial r = { .scene = load_written(NULL, 0) };
  r.solver = hn_solver_create("impulse-sle", r.scene->model, &error);
  r.state = hn_state_create(r.scene->model);
  const size_t before = hn_solver_memory(r.solver);
  void *memory = malloc(before);
  hn_solver_save(r.solver, memory);
  const bool gone[] = { true };
  hn_model *model = hn_model_change(r.scene->model, r.state, &(hn_model_edit){ .joint = gone }, &error);
  assert_non_null(model);
  if (hn_solver_change(r.solver, model, &error)) fail_msg("%s", error.text);
  assert_int_equal(hn_solver_restore(r.solver, memory, before, &error), -1);
  printf("  %s\n", error.text);
  const size_t after = hn_solver_memory(r.solver);
  memory = realloc(memory, after);
  hn_solver_save(r.solver, memory);
  assert_int_equal(hn_solver_restore(r.solver, memory, after, &error), 0);
  free(memory);
  done(&r);
}

/* Cells of what is gone are empty, and those of others go on; what is added is not in the record, and is in the events.
 */
static void records_follow_a_change(void **unused)
{
  (void)unused;
  hn_error error;
  char csv[80], line[2000];
  write_scene(TWO "sys:particle { name = 'c', mass = 1, position = { 0, 0, 3 }, gravity = { 0, 0, 0 } }\n"
                  "sys:control(function(t, s) if t > 0.045 and t < 0.055 then sys:remove(b)\n"
                  "  sys:particle { name = 'd', mass = 1, position = { 0, 0, 9 } } end end)\nreturn sys");
  hn_scene *scene = load_written(NULL, 0);
  snprintf(csv, sizeof csv, "%s/r.csv", directory);
  hn_record *record = hn_record_create(csv, scene->model, &(hn_record_options){ .forces = true }, &error);
  assert_non_null(record);
  trial r = run_spec("impulse-sle", 0.01, 0.1, hn_record_frame, record);
  if (r.reason != HN_CONVERGED) fail_msg("%s", r.summary.explanation);
  assert_int_equal(hn_record_close(record, &error), 0);
  FILE *file = fopen(csv, "r");
  assert_non_null(file);
  int lines = 0, empty = 0, fields = -1;
  while (fgets(line, sizeof line, file)) {
    int commas = 0;
    bool gone = false;
    for (char *c = line; *c; c++) commas += *c == ',', gone |= c[0] == ',' && c[1] == ',' && commas > 14;
    if (fields < 0) fields = commas;
    assert_int_equal(commas, fields);
    lines++, empty += gone;
  }
  fclose(file), unlink(csv);
  ASSERT_COUNT("lines", (unsigned)lines, 12);
  ASSERT_COUNT("of them with cells that are empty, after 0.05 s", (unsigned)empty, 5);
  assert_string_equal(r.solver->system->model->body[4].name, "d");
  done(&r);
  hn_scene_free(scene);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(functions_are_called_for_events),
    cmocka_unit_test(mistakes_in_them_are_told),
    cmocka_unit_test(an_impulse_turns_what_it_strikes_aside),
    cmocka_unit_test(an_impulse_is_told_with_what_turns),
    cmocka_unit_test(an_impulse_ends_what_methods_remember),
    cmocka_unit_test(joints_answer_an_impulse),
    cmocka_unit_test(what_it_rests_on_answers_too),
    cmocka_unit_test(a_failed_step_takes_an_impulse_back),
    cmocka_unit_test(a_rod_breaks_when_the_pull_is_more_than_it_bears),
    cmocka_unit_test(the_rest_goes_on),
    cmocka_unit_test(bodies_and_joints_come_and_go),
    cmocka_unit_test(joints_and_springs_are_added),
    cmocka_unit_test(what_is_added_collides),
    cmocka_unit_test(mistakes_in_changes_are_told),
    cmocka_unit_test(checkpoints_are_of_one_model),
    cmocka_unit_test(records_follow_a_change),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
