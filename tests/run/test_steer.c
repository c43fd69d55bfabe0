/* test_steer.c - runs influenced between their steps: functions called for events, applied impulses, joints
 * that break. Compared with closed forms. Edits of the model: test_changes.c. */
#include "heard.h"

#include <gsl/gsl_sf_ellint.h>

/* ---- Functions for events ------------------------------------------------------------------------------ */

#define WALLS                                                                                           \
  "local facing = scene.plane { normal = { -1, 0, 0 } }\n"                                              \
  "sys:body { name = 'wall', fixed = true, position = { 1, 0, 0 }, shape = facing }\n"                  \
  "local ball = sys:body { name = 'ball', mass = 2, shape = scene.sphere { radius = 0.1 },\n"           \
  "  position = { -0.015, 0, 0 }, velocity = { 3, 0, 0 }, gravity = { 0, 0, 0 }, restitution = 0.5 }\n" \
  "sys:contact { margin = 0.05 }\n"

/* A ball hits a wall at 3 m/s and rebounds at 1.5 m/s: an event at 0.305 s with impulse 2 (3 + 1.5) N s,
 * reported after the step that ends at 0.31 s. Two functions for a kind are called in the order of the scene,
 * before control. */
static void functions_are_called_for_events(void **unused)
{
  (void)unused;
  static heard h;
  static const char *const specs[] = { "events", "impulse-contact" };
  for (int m = 0; m < 2; m++) {
    trial r = run_with_events(
      WALLS "local order, abs = '', math.abs\n"
            "sys:on('impact', function(event, s)\n"
            "  assert(event.kind == 'impact' and event.a == 'wall' and event.b == 'ball')\n"
            "  assert(abs(event.time - 0.305) < 1e-9 and abs(event.impulse - 9) < 1e-7)\n"
            "  assert(event.joint == nil and event['until'] == nil and s:velocity('ball')[1] < 0)\n"
            "  order = order .. 'a'\n  s:impulse { ball, impulse = { 0, 8, 0 } } end)\n"
            "sys:on('impact', function(event, s) order = order .. 'b' end)\n"
            "sys:on('slip', function() error('never') end)\n"
            "sys:control(function(t, s) if order == 'ab' then order = order .. 'c'\n"
            "  assert(abs(t - 0.31) < 1e-12) end\n"
            "  if t > 0.5 then assert(order == 'abc') end end)\nreturn sys",
      specs[m], 0.01, 0.6, &h);
    check_near("speed along the wall, 8 N s on 2 kg (m/s)", r.state->twist[2].v[1], 4, 1e-12);
    check_near("speed away from it (m/s)", r.state->twist[2].v[0], -1.5, 1e-9);
    ASSERT_COUNT("impulse events", r.summary.events[HN_EVENT_IMPULSE], 1);
    assert_false(r.summary.energy_conserved);
    done(&r);
  }
}

static void errors_in_event_functions_are_reported(void **unused)
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
  expect_end(WALLS "sys:control(function(t, s) s:impulse { 'ball', impulse = { 1, 0, 0 / 0 } } end)\n"
                   "return sys",
             "impulse");
  expect_end(WALLS "sys:control(function(t, s) s:impulse { 'ball' } end)\nreturn sys", "give impulse");
  expect_end(WALLS "sys:control(function(t, s) s:impulse { 'bell', impulse = { 1, 0, 0 } } end)\nreturn sys",
             "ball");
  expect_failing_body(WALLS "sys:on('impakt', function() end)\nreturn sys", 7, "did you mean \"impact\"");
  expect_failing_body(WALLS "sys:on(function() end)\nreturn sys", 7,
                      "on takes a kind of events and a function");
}

/* ---- Impulses ------------------------------------------------------------------------------------------ */

static const char *const solvers_with_impulses[] = { "impulse-sle", "impulse-gs",    "impulse-contact",
                                                     "lagrange",    "half-explicit", "taylor",
                                                     "ida",         "moreau",        "events",
                                                     "xpbd" };
enum { IMPULSE_SOLVERS = sizeof solvers_with_impulses / sizeof *solvers_with_impulses };

/* Runs `body` with solver m of the list. */
static trial run_with_solver(const char *body, int m, double h, double duration)
{
  puts(solvers_with_impulses[m]);
  return must_run(body, solvers_with_impulses[m], h, duration);
}

/* An eccentric impulse on a free box: v = J / m, w = I^-1 r x J. */
static void eccentric_impulses_rotate_bodies(void **unused)
{
  (void)unused;
  for (int m = 0; m < IMPULSE_SOLVERS; m++) {
    trial r = run_with_solver(
      "local a = sys:body { name = 'a', mass = 2, inertia = { 0.5, 0.4, 0.8 },\n"
      "  position = { 1, 2, 3 }, orientation = { math.sqrt(0.5), 0, 0, math.sqrt(0.5) },\n"
      "  gravity = { 0, 0, 0 } }\n"
      "sys:control(function(t, s) if t == 0 then\n"
      "  s:impulse { a, at = { 1, 2.5, 3 }, impulse = { 3, 0, 0 } }\n"
      "  s:impulse { 'a', angular = { 0, 0.6, 0 } } end end)\nreturn sys",
      m, 1e-6, 1e-6);
    check_near("v_x (m/s)", r.state->twist[1].v[0], 1.5, 1e-9);
    check_near("w_z = -0.5 3 / 0.8 (rad/s)", r.state->twist[1].w[2], -1.875, 1e-5);
    check_near("w_y = 0.6 / 0.5, of the body axis along y (rad/s)", r.state->twist[1].w[1], 1.2, 1e-5);
    done(&r);
  }
}

/* Impulse events contain |m dv| and |J dw| about the centre: for an eccentric impulse, an angular impulse
 * alone, and a particle. */
static void impulse_events_have_linear_and_angular_parts(void **unused)
{
  (void)unused;
  trial r = must_run("local a = sys:body { name = 'a', mass = 2, inertia = { 0.5, 0.4, 0.8 },\n"
                     "  position = { 1, 2, 3 }, orientation = { math.sqrt(0.5), 0, 0, math.sqrt(0.5) } }\n"
                     "sys:particle { name = 'p', mass = 3, position = { 9, 0, 0 } }\n"
                     "local heard = ''\n"
                     "sys:on('impulse', function(e)\n"
                     "  heard = heard .. string.format('%s %.9f %.9f;', e.b, e.impulse, e.angular) end)\n"
                     "sys:control(function(t, s)\n"
                     "  if t == 0 then s:impulse { a, at = { 1, 2.5, 3 }, impulse = { 3, 0, 0 } }\n"
                     "  elseif t < 0.015 then s:impulse { 'a', angular = { 0, 0.6, 0.8 } }\n"
                     "  elseif t < 0.025 then s:impulse { 'p', impulse = { 0, 6, 0 } }\n"
                     "  elseif t < 0.035 then assert(heard == 'a 3.000000000 1.500000000;"
                     "a 0.000000000 1.000000000;p 6.000000000 0.000000000;', heard) end end)\nreturn sys",
                     "impulse-sle", 0.01, 0.04);
  done(&r);
}

/* During a run, an impulse discards histories of earlier steps. */
static void impulses_discard_histories(void **unused)
{
  (void)unused;
  for (int m = 0; m < IMPULSE_SOLVERS; m++) {
    trial r = run_with_solver(
      "sys:body { name = 'a', mass = 2, inertia = { 1, 1, 1 }, position = { 0, 0, 0 } }\n"
      "sys:control(function(t, s) if t > 0.045 and t < 0.055 then\n"
      "  s:impulse { 'a', impulse = { 3, 0, 0 }, angular = { 0, 0, 2 } } end end)\n"
      "return sys",
      m, 0.01, 0.1);
    check_near("x (m)", r.state->pose[1].x[0], 1.5 * 0.05, 1e-9);
    check_near("w_z (rad/s)", r.state->twist[1].w[2], 2, 1e-9);
    done(&r);
  }
}

/* An impulse at the end of a rod on a hinge: the joint reacts, w = J l / (m l^2 / 3). */
static void joints_react_to_impulses(void **unused)
{
  (void)unused;
  for (int m = 0; m < IMPULSE_SOLVERS; m++) {
    trial r = run_with_solver(
      ROD(", gravity = { 0, 0, 0 }") "sys:control(function(t, s) if t == 0 then\n"
                                     "  s:impulse { rod, at = { 1, 0, 0 }, impulse = { 5, 2, 1 } } end end)\n"
                                     "return sys",
      m, 1e-6, 1e-6);
    const double *v = r.state->twist[1].v, *w = r.state->twist[1].w;
    check_near("w_z = 2 / 1 (rad/s)", w[2], 2, 1e-5);
    check_near("v_y (m/s)", v[1], 1, 1e-5);
    check_below("v_z, w_x and w_y, constrained by the hinge", fabs(v[2]) + fabs(w[0]) + fabs(w[1]), 1e-5);
    done(&r);
  }
}

/* A resting block is pushed down: the floor balances the impulse, with an impact of equal size. */
static void contacts_react_to_impulses(void **unused)
{
  (void)unused;
  static heard h;
  static const char *const specs[] = { "events", "impulse-contact" };
  for (int m = 0; m < 2; m++) {
    trial r = run_with_events(
      FLOOR("") "local b = sys:body { name = 'b', mass = 2, position = { 0, 0.1, 0 },\n"
                "  shape = scene.box { 0.4, 0.2, 0.4 } }\nsys:contact { margin = 0.02 }\n"
                "sys:control(function(t, s) if t > 0.095 and t < 0.105 then\n"
                "  s:impulse { b, impulse = { 0, -3, 0 } } end end)\nreturn sys",
      specs[m], 0.01, 0.3, &h);
    check_near("height at the end (m)", r.state->pose[2].x[1], 0.1, 1e-9);
    ASSERT_COUNT("impacts", r.summary.events[HN_EVENT_IMPACT], 1);
    ASSERT_COUNT("opened", r.summary.events[HN_EVENT_OPENED], 0);
    check_near("impulse (N s)", nth(&h, HN_EVENT_IMPACT, 0)->impulse, 3, 1e-7);
    done(&r);
  }
}

/* A stalled step also undoes the impulse. */
static void failed_steps_undo_impulses(void **unused)
{
  (void)unused;
  trial r = run_body(ROD("") "sys:control(function(t, s)\n"
                             "  s:impulse { rod, impulse = { 0, 1, 0 } } end)\nreturn sys",
                     "impulse-sle:iterations=1,tolerance=1e-16", 0.2, 1);
  printf("  %s\n", r.summary.explanation);
  assert_int_equal(r.reason, HN_STALLED);
  check_near("v_y (m/s)", r.state->twist[1].v[1], 0, 0);
  done(&r);
}

/* ---- Joints that break --------------------------------------------------------------------------------- */

/* The first breakage: event, state and time. */
typedef struct breakage {
  hn_event event;
  double x[3], v[3], time;
  int count;
} breakage;

static bool watch_break(void *user, const hn_frame *frame)
{
  breakage *b = user;
  for (int i = 0; i < frame->nevent; i++) {
    if (frame->event[i].kind != HN_EVENT_BROKEN) continue;
    b->event = frame->event[i], b->count++, b->time = frame->state->time;
    memcpy(b->x, frame->state->pose[1].x, sizeof b->x), memcpy(b->v, frame->state->twist[1].v, sizeof b->v);
  }
  return true;
}

static const char *const solvers_with_forces[] = { "lagrange", "half-explicit", "taylor", "generalised-alpha",
                                                   "ida",      "moreau",        "xpbd",   "tgs-soft" };
enum { FORCE_SOLVERS = sizeof solvers_with_forces / sizeof *solvers_with_forces };

/* A bob on a rod is released level with its pivot. At an angle a below that the tension is 3 m g sin a. The
 * rod breaks at 2 m g, (K - F(b)) sqrt(l / g) after the start, with sin b = sin(phi / 2) / k, phi = pi / 2 -
 * a, k = sin(pi / 4). Solvers with fixed steps detect it at the end of a step. Then the bob falls freely. */
static void rod_breaks_at_its_breakage_load(void **unused)
{
  (void)unused;
  const double h = 0.001, end = 0.6, k = sqrt(0.5), phi = acos(2.0 / 3.0);
  const double quarter = gsl_sf_ellint_Kcomp(k, GSL_PREC_DOUBLE), b0 = asin(sin(0.5 * phi) / k);
  const double t = (quarter - gsl_sf_ellint_F(b0, k, GSL_PREC_DOUBLE)) / sqrt(g);
  char text[300];
  snprintf(text, sizeof text,
           "local p = sys:particle { name = 'p', mass = 2, position = { 1, 0, 0 } }\n"
           "sys:distance { sys.ground, p, breaks_at = %.17g, name = 'rod' }\nreturn sys",
           2 * 2 * g);
  for (int m = 0; m < FORCE_SOLVERS; m++) {
    breakage b = { .count = 0 };
    write_scene(text);
    trial r = run_spec(solvers_with_forces[m], h, end, watch_break, &b);
    if (r.reason != HN_CONVERGED) fail_msg("%s", r.summary.explanation);
    const double remaining = end - b.time;
    printf("%s\n", solvers_with_forces[m]);
    ASSERT_COUNT("joints that broke", (unsigned)b.count, 1);
    check_near("time (s)", b.event.time, t + 0.5 * h, 0.5 * h + (m < 5 ? 1e-9 : 2 * h));
    check_near("tension (N)", b.event.force, 4 * g, 3 * 2 * g * 3 * h * (m < 5 ? 1 : 3));
    assert_string_equal(b.event.joint, "rod");
    check_near("x at the end (m)", r.state->pose[1].x[0], b.x[0] + b.v[0] * remaining, 1e-9);
    check_near("y (m)", r.state->pose[1].x[1], b.x[1] + b.v[1] * remaining - 0.5 * g * remaining * remaining,
               strcmp(solvers_with_forces[m], "ida") == 0 ? 1e-7
               : m < 5                                    ? 1e-9
                                                          : 0.5 * g * remaining * h * 1.01);
    ASSERT_COUNT("remaining joints", (unsigned)r.solver->system->model->njoint, 0);
    ASSERT_COUNT("changes", r.summary.changes, 1);
    done(&r);
  }
}

/* If one of two pendulums breaks, its limit is removed and the other continues as before. Solvers without
 * joint forces refuse such scenes. */
static void unbroken_parts_continue(void **unused)
{
  (void)unused;
  static const char pair[] = "for i, name in ipairs { 'a', 'b' } do\n"
                             "  local rod = sys:body { name = name, mass = 1, inertia = { 0.1, 0.1, 0.1 },\n"
                             "    position = { 0.5, 0, i } }\n"
                             "  sys:hinge { sys.ground, rod, at = { 0, 0, i }, axis = { 0, 0, 1 },\n"
                             "    name = 'hinge' .. name, lower = -3.1%s }\n"
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
  const double difference = fabs(pose[0].x[0] - pose[1].x[0]) + fabs(pose[0].x[1] - pose[1].x[1]);
  check_below("change of the other pendulum (m)", difference, 1e-9);
  hn_error error;
  hn_scene *scene = load_written(NULL, 0);
  hn_solver *solver = hn_solver_create("impulse-gs", scene->model, &error);
  assert_null(solver);
  printf("  %s\n", error.text);
  assert_non_null(strstr(error.text, "joint forces (of joints that break)"));
  hn_scene_free(scene);
  expect_failing_body("local p = sys:particle { mass = 2, position = { 1, 0, 0 } }\n"
                      "sys:distance { sys.ground, p, breaks_at = -1 }\nreturn sys",
                      3, "cannot be negative");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(functions_are_called_for_events),
    cmocka_unit_test(errors_in_event_functions_are_reported),
    cmocka_unit_test(eccentric_impulses_rotate_bodies),
    cmocka_unit_test(impulse_events_have_linear_and_angular_parts),
    cmocka_unit_test(impulses_discard_histories),
    cmocka_unit_test(joints_react_to_impulses),
    cmocka_unit_test(contacts_react_to_impulses),
    cmocka_unit_test(failed_steps_undo_impulses),
    cmocka_unit_test(rod_breaks_at_its_breakage_load),
    cmocka_unit_test(unbroken_parts_continue),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
