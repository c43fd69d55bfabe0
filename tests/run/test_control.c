/* test_control.c - sys:control, and quantities of joints: coordinates, reactions, records. Compared with
 * built-in targets, closed forms, statics and difference quotients. */
#include "trials.h"

static uint64_t hash_of(const char *body, const char *spec)
{
  trial r = must_run(body, spec, 0.01, 1.0);
  uint64_t hash = r.summary.hash;
  done(&r);
  return hash;
}

/* ---- Control ------------------------------------------------------------------------------------------- */

#define ARM                                                                                                \
  "local arm = sys:body { name = 'arm', mass = 2, inertia = { 0.1, 0.2, 0.3 }, position = { 0.5, 0, 0 } }" \
  "  sys:hinge { sys.ground, arm, at = { 0, 0, 0 }, axis = { 0, 0, 1 }, name = 'elbow' }\n"
#define SERVO                                                                                    \
  "sys:servo { sys.ground, arm, axis = { 0, 0, 1 }, stiffness = 60, damping = 8, limit = 1000, " \
  "name = 'servo', "

/* A constant target set by control, once or in every step, equals the built-in target to the bit. */
static void constant_input_equals_the_target(void **unused)
{
  (void)unused;
  static const char *const specs[] = { "impulse-sle", "impulse-gs", "lagrange", "taylor",
                                       "generalised-alpha" };
  for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
    uint64_t built_in = hash_of(ARM SERVO "target = 0.7 }\nreturn sys", specs[i]);
    uint64_t set = hash_of(
      ARM SERVO "target = 0 }\nsys:control(function(t, s) s:set('servo', 0.7) end)\nreturn sys", specs[i]);
    uint64_t once = hash_of(ARM SERVO
                            "target = 0 }\nsys:control(function(t, s) if t == 0 then s:set('servo', 0.7) end "
                            "end)\nreturn sys",
                            specs[i]);
    uint64_t other = hash_of(ARM SERVO "target = 0 }\nreturn sys", specs[i]);
    printf("  %-18s built in %016llx, by control %016llx, set once %016llx\n", specs[i],
           (unsigned long long)built_in, (unsigned long long)set, (unsigned long long)once);
    assert_true(built_in == set && built_in == once && built_in != other);
  }
}

/* PD control by a sampled angle: Q = 60 (0.7 - angle(t_n)) - 8 rate through a motor, against the servo with
 * equal steps. The sampled angle lags by half a step on average: the difference is of order 1. */
static void pd_control_converges_to_the_servo(void **unused)
{
  (void)unused;
  enum { COUNT = 6 };
  double h[COUNT], difference[COUNT];
  for (int i = 0; i < COUNT; i++) {
    h[i] = ldexp(0.008, -i);
    trial servo = must_run(ARM SERVO "target = 0.7 }\nreturn sys", "impulse-sle:tolerance=1e-12", h[i], 0.4);
    trial control = must_run(
      ARM "sys:motor { sys.ground, arm, axis = { 0, 0, 1 }, gain = 8, limit = 1000, target = 0, "
          "name = 'motor' }\nsys:control(function(t, s) s:set('motor', 60 / 8 * (0.7 - "
          "s:value('elbow'))) end)\nreturn sys",
      "impulse-sle:tolerance=1e-12", h[i], 0.4);
    difference[i] = hypot(servo.state->pose[1].x[0] - control.state->pose[1].x[0],
                          servo.state->pose[1].x[1] - control.state->pose[1].x[1]);
    done(&servo), done(&control);
  }
  check_near("order of PD by control against the servo", hn_fit_order(h, difference, COUNT), 1.0, 0.2);
  check_below("difference at h = 0.25 ms (m)", difference[COUNT - 1], 2e-3);
}

/* Control reads a known initial state, in Lua. */
static void view_shows_the_state(void **unused)
{
  (void)unused;
  trial r = must_run(
    "local a = sys:body { name = 'a', mass = 1, inertia = { 1, 1, 1 }, position = { 1, 2, 3 }, velocity = { "
    "0, 0, 5 },"
    " angular_velocity = { 0, 0, 4 } }\n"
    "sys:cylindrical { sys.ground, a, at = { 1, 2, 3 }, axis = { 0, 0, 1 }, name = 'rod' }\n"
    "sys:axial_motor { sys.ground, a, at = { 1, 2, 3 }, axis = { 0, 0, 1 }, gain = 1, limit = 1, target = 0, "
    "name = 'm' }\n"
    "local calls = 0\n"
    "sys:control(function(t, s)\n"
    "  local full = {}\n"
    "  assert(s:position(a)[3] == s:position('a')[3] and s:position(a, full) == full)\n"
    "  if calls == 0 then\n"
    "    assert(t == 0 and full[1] == 1 and full[2] == 2 and full[3] == 3 and s:orientation(a)[1] == 1)\n"
    "    assert(s:velocity(a)[3] == 5 and s:angular_velocity(a)[3] == 4 and s:position(sys.ground)[1] == 0)\n"
    "    assert(s:value('rod', 'position') == 0 and s:rate('rod', 'position') == 5)\n"
    "    assert(s:value('rod', 'angle') == 0 and s:rate('rod', 'angle') == 4 and s:get('m') == 0)\n"
    "  else assert(s:get('m') == calls and s:value('rod', 'angle') > 0) end\n"
    "  calls = calls + 1\n"
    "  s:set('m', calls)\n"
    "end)\nreturn sys",
    "impulse-sle", 0.01, 0.1);
  ASSERT_COUNT("steps with control", r.summary.steps, 10);
  check_near("last input", r.state->input[0], 10, 0);
  done(&r);
}

/* Variables and random numbers of a scene are initialised in every run, whatever ran before. */
static void every_run_initialises_its_control(void **unused)
{
  (void)unused;
  static const char body[] = ARM
    "sys:motor { sys.ground, arm, axis = { 0, 0, 1 }, gain = 8, limit = 1000, target = 0, name = 'motor' }\n"
    "local sum = scene.param('start', 0.5, 'of the sum')\n"
    "sys:control(function(t, s) sum = sum + math.random() s:set('motor', sum) end)\nreturn sys";
  write_scene(body);
  hn_setting setting = { "start", "0.25" };
  hn_error error;
  uint64_t hash[3];
  hn_scene *scene = load_written(NULL, 0), *changed = load_written(&setting, 1);
  for (int i = 0; i < 3; i++) {
    const hn_scene *of = i < 2 ? scene : changed;
    hn_control *control = hn_control_create(of, &error);
    hn_solver *solver = hn_solver_create("impulse-sle", of->model, &error);
    hn_state *at = hn_state_create(of->model);
    hn_summary summary;
    hn_run_options options = {
      .step = 0.01, .duration = 0.5, .control = hn_control_step, .controller = control
    };
    assert_non_null(control);
    assert_int_equal(hn_run(solver, at, &options, &summary), HN_CONVERGED);
    hash[i] = summary.hash;
    hn_state_free(at), hn_solver_free(solver), hn_control_free(control);
  }
  printf("  hashes of two runs %016llx %016llx, with another parameter %016llx\n",
         (unsigned long long)hash[0], (unsigned long long)hash[1], (unsigned long long)hash[2]);
  assert_true(hash[0] == hash[1] && hash[0] != hash[2]);
  hn_scene_free(scene), hn_scene_free(changed);
}

/* A solver in Lua, explicit Euler, sees the inputs set by control in the state and its copies: v = h gain
 * input / m. */
static void solvers_in_lua_have_the_inputs(void **unused)
{
  (void)unused;
  trial r = must_run(
    "scene.solver { name = 'euler-control', order = 1, forces = true, step = function(sys, state, h)\n"
    "  local a = sys:free_acceleration(state:copy())\n"
    "  local start = state:copy()\n"
    "  start:add_velocity(1, { h * a[1].v[1], h * a[1].v[2], h * a[1].v[3] })\n"
    "  local finish = sys:flight(start, h)\n"
    "  assert(sys:free_acceleration(finish)[1].v[1] < a[1].v[1])\n"
    "  state:assign(finish)\n  return 'converged' end }\n"
    "local p = sys:particle { mass = 2, position = { 0, 0, 0 }, gravity = { 0, 0, 0 } }\n"
    "sys:axial_motor { sys.ground, p, at = { 0, 0, 0 }, axis = { 1, 0, 0 }, gain = 4, limit = 100, "
    "target = 0, name = 'm' }\nsys:control(function(t, s) s:set('m', 3) end)\nreturn sys",
    "euler-control", 0.01, 0.01);
  check_near("velocity after a step (m/s)", r.state->twist[1].v[0], 0.01 * 4 * 3 / 2.0, 1e-15);
  check_near("the input", r.state->input[0], 3, 0);
  done(&r);
}

/* ---- Failures ------------------------------------------------------------------------------------------ */

/* Control raises an error at t = 0.05, after it has set its input. */
static void control_error_ends_the_run_before_the_step(void **unused)
{
  (void)unused;
  trial r = run_body(
    ARM "sys:motor { sys.ground, arm, axis = { 0, 0, 1 }, gain = 8, limit = 1000, target = 0, name = "
        "'motor' }\nsys:control(function(t, s)\n  s:set('motor', 1 + t)\n"
        "  if t > 0.045 then error('enough') end\nend)\nreturn sys",
    "impulse-sle", 0.01, 1.0);
  printf("  %s\n", r.summary.explanation);
  assert_true(r.reason == HN_INTERRUPTED && r.summary.control_failed);
  assert_non_null(strstr(r.summary.explanation, "s.lua:6: enough"));
  ASSERT_COUNT("steps taken", r.summary.steps, 5);
  check_near("time reached (s)", r.state->time, 0.05, 0);
  check_near("the input is that of the last step", r.state->input[0], 1.04, 1e-15);
  done(&r);
}

/* The scene is loaded again for its control, with the options of the first load, whether set in the scene or
 * by the caller. */
static void control_has_the_projected_start(void **unused)
{
  (void)unused;
  static const char *const body =
    "local arm = sys:body { name = 'arm', mass = 2, inertia = { 0.1, 0.2, 0.3 }, position = { 0.5, 0, 0 } }\n"
    "sys:hinge { sys.ground, arm, at_a = { 0, 0, 0 }, at_b = { 0.1, 0, 0 }, axis = { 0, 0, 1 }, name = "
    "'elbow' }\n"
    "sys:control(function(t, s)\n if s:position('arm')[1] ~= 0.4 then error(s:position('arm')[1]) end\n"
    " end)\n"
    "return sys";
  char text[800];
  hn_error error = { "" };
  for (int by_scene = 0; by_scene < 2; by_scene++) {
    snprintf(text, sizeof text, "local sys = require('holonom.scene').system { consistent = %s }\n%s",
             by_scene ? "true" : "false", body);
    write_bytes(text, strlen(text));
    hn_scene *scene = hn_scene_load_with(path, &(hn_scene_options){ .consistent = !by_scene }, &error);
    if (!scene) fail_msg("%s", error.text);
    hn_control *control = hn_control_create(scene, &error);
    if (!control) fail_msg("%s", error.text);
    hn_state *state = hn_state_create(scene->model);
    assert_non_null(state);
    check_near("x of the arm", state->pose[1].x[0], 0.4, 0);
    if (hn_control_step(control, &(hn_control_context){ .state = state, .model = scene->model }, &error))
      fail_msg("%s", error.text);
    hn_state_free(state);
    hn_control_free(control);
    hn_scene_free(scene);
  }
}

/* A stalled step restores poses, velocities and inputs from before the step and its control. */
static void failed_steps_restore_the_inputs(void **unused)
{
  (void)unused;
  trial r = run_body(ARM SERVO
                     "integral = 10, target = 0 }\nsys:control(function(t, s) s:set('servo', 2) end)\n"
                     "return sys",
                     "impulse-sle:iterations=1,tolerance=1e-16", 0.2, 1.0);
  hn_state *start = hn_state_create(r.scene->model);
  printf("  %s\n", r.summary.explanation);
  assert_true(r.reason == HN_STALLED && !r.summary.control_failed);
  ASSERT_COUNT("steps taken", r.summary.steps, 0);
  ASSERT_COUNT("inputs", r.state->ninput, 2);
  check_near("input of the servo", r.state->input[0], 0, 0);
  check_near("integral of the servo", r.state->input[1], 0, 0);
  assert_memory_equal(start->pose, r.state->pose, sizeof *start->pose * (size_t)start->nbody);
  assert_memory_equal(start->twist, r.state->twist, sizeof *start->twist * (size_t)start->nbody);
  hn_state_free(start);
  done(&r);
}

static int set_nan(void *controller, hn_control_context *moment, hn_error *error)
{
  (void)controller, (void)error;
  moment->state->input[0] = NAN;
  return 0;
}

static void nonfinite_inputs_are_refused(void **unused)
{
  (void)unused;
  hn_error error;
  hn_summary summary;
  write_scene(ARM SERVO "target = 0 }\nreturn sys");
  hn_scene *scene = load_written(NULL, 0);
  hn_solver *solver = hn_solver_create("impulse-sle", scene->model, &error);
  hn_state *at = hn_state_create(scene->model);
  hn_run_options options = { .step = 0.01, .duration = 1, .control = set_nan };
  assert_int_equal(hn_run(solver, at, &options, &summary), HN_INTERRUPTED);
  printf("  %s\n", summary.explanation);
  assert_true(summary.control_failed && strstr(summary.explanation, "force \"servo\"") && at->input[0] == 0);
  hn_state_free(at), hn_solver_free(solver), hn_scene_free(scene);
}

/* Checks that control with body `line`, on line 3, fails in the first step with a message that contains
 * `fragment`. */
static void expect_control_error(const char *line, const char *fragment)
{
  char body[1500], start[80];
  snprintf(
    body, sizeof body,
    ARM
    "sys:cylindrical { sys.ground, arm, at = { 0, 0, 0 }, axis = { 0, 0, 1 }, name = 'rod' } " SERVO
    "target = 0 } sys:spring { sys.ground, arm, at_a = { 0, 1, 0 }, at_b = { 0, 0, 0 }, stiffness = 1, "
    "name = 'coil' } sys:driver { sys.ground, arm, at_a = { 3, 0, 0 }, at_b = { 1, 0, 0 }, speed = 1, limit "
    "= 1,"
    " shortest = 1, longest = 3, name = 'press' } sys:control(function(t, s) %s end)\nreturn sys",
    line);
  trial r = run_body(body, "impulse-gs", 0.01, 0.1);
  snprintf(start, sizeof start, "%s:3: ", path);
  bool good = r.summary.control_failed && r.summary.steps == 0 && strstr(r.summary.explanation, fragment) &&
              strncmp(r.summary.explanation, start, strlen(start)) == 0 && r.state->input[0] == 0;
  printf("  %s%s\n", r.summary.control_failed ? r.summary.explanation : "(accepted)", good ? "" : "  FAILED");
  assert_true(good);
  done(&r);
}

static void errors_in_control_are_reported(void **unused)
{
  (void)unused;
  static const struct {
    const char *line, *fragment;
  } wrong[] = {
    { "s:set('serva', 1)", "no force or motor \"serva\"; did you mean \"servo\"?" },
    { "s:set('elbow', 1)", "joint \"elbow\" is a hinge, which has no input to set" },
    { "s:set('coil', 1)", "is a spring, which has no input to set" },
    { "s:get('coil')", "is a spring, which has no input to get" },
    { "s:set('servo', 0 / 0)", "the value must be finite" },
    { "s:set('servo', 1 / 0)", "the value must be finite" },
    { "s:set('servo', 'much')", "the value must be a number" },
    { "s:set('servo')", "the value must be a number" },
    { "s:set(servo, 1)", "the first argument must be the name of a force or motor, not a nil" },
    { "s:set('press', 'extent')", "unknown mode \"extent\"; did you mean \"extend\"?" },
    { "s:set('press', 0.5)", "takes \"contract\", \"hold\" or \"extend\", or -1, 0 or 1" },
    { "s:value('elbov')", "no joint \"elbov\"; did you mean \"elbow\"?" },
    { "s:value('servo')", "\"servo\" is a force, not a joint" },
    { "s:rate('rod')", "which of its coordinates? A cylindrical has position, angle" },
    { "s:rate('elbow', 'position')", "no coordinate \"position\"; a hinge has angle" },
    { "s:position('arn')", "no body \"arn\"; did you mean \"arm\"?" },
    { "s:position(1)", "must be a body or its name" },
    { "s.position('arm')", "call it on the state, with a colon" },
    { "s:positon('arm')", "unknown name \"positon\"; did you mean \"position\"?" },
    { "s.x = 1", "no fields to set" },
    { "return 1", "control returns a number" },
    { "while true do end", "stopped after 500000000 instructions" },
    { "sys:control(print)", "the scene is complete" },
    { "local z = nil + 1", "arithmetic on a nil value" },
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    expect_control_error(wrong[i].line, wrong[i].fragment);
}

static void invalid_declarations_of_control_are_reported(void **unused)
{
  (void)unused;
  expect_failing_body("sys:control(function() end)\nsys:control(function() end)", 3,
                      "the system has one already");
  expect_failing_body("sys:control { }", 2, "sys:control(function(t, s) ... end)");
  expect_failing_body("scene.control = 1", 2, "cannot set control");
  trial r = run_body(ARM "local kept\nsys:control(function(t, s)\n if kept then kept:value('elbow') end\n "
                         "kept = kept or s\n if t > 0.015 then error('still there') end end)\nreturn sys",
                     "impulse-sle", 0.01, 1);
  /* The view of an earlier step shows the present step: one view per run. */
  printf("  %s\n", r.summary.explanation);
  assert_non_null(strstr(r.summary.explanation, "still there"));
  done(&r);
}

/* ---- Joints -------------------------------------------------------------------------------------------- */

/* The rate of every joint coordinate is the derivative of its value. */
static void rates_are_derivatives_of_values(void **unused)
{
  (void)unused;
  static const char *const joints[] = {
    "hinge { %s axis = { 0, 1, 1 } }",
    "slider { %s axis = { 1, 1, 0 } }",
    "cylindrical { %s axis = { 0, 0, 1 } }",
    "universal { %s axis_a = { 1, 0, 0 }, axis_b = { 0, 1, 0 } }",
    "planar { %s axis = { 0, 0, 1 } }",
    "plane_universal { %s axis_a = { 1, 0, 0 }, axis_b = { 0, 1, 0 } }",
    "screw { %s axis = { 0, 0, 1 }, pitch = 0.2 }",
    "line_universal { %s axis_a = { 1, 0, 0 }, axis_b = { 0, 1, 0 } }",
  };
  const double h = 1e-4;
  for (size_t i = 0; i < sizeof joints / sizeof *joints; i++) {
    char joint[200], body[900];
    double before, after, middle, unused_rate, worst = 0;
    snprintf(joint, sizeof joint, joints[i], "a, b, at = { 0.5, 0.2, 0 },");
    snprintf(
      body, sizeof body,
      "local a = sys:body { mass = 1, inertia = { 1, 2, 2.5 }, position = { 0, 0, 0 }, angular_velocity = "
      "{ 0.3, 0.9, -0.4 } }\nlocal b = sys:body { mass = 2, inertia = { 2, 1, 1.5 }, position = { 1, 0.5, "
      "0.3 },"
      " velocity = { 0.5, 1, 1.5 }, angular_velocity = { 1, -0.7, 0.5 } }\nsys:%s return sys",
      joint);
    char loose[1000];
    snprintf(loose, sizeof loose,
             "local scene = require 'holonom.scene' local sys = scene.system { consistent = true "
             "}\n%s",
             body);
    write_bytes(loose, strlen(loose));
    trial first = run_spec("impulse-sle", h, 0.2, NULL, NULL);
    trial between = run_spec("impulse-sle", h, 0.2 + h, NULL, NULL);
    trial next = run_spec("impulse-sle", h, 0.2 + 2 * h, NULL, NULL);
    const hn_joint *of = &first.scene->model->joint[0];
    assert_true(hn_joint_coordinates(of) > 0);
    for (int k = 0; k < hn_joint_coordinates(of); k++) {
      hn_joint_coordinate(of, k, first.state, &before, &unused_rate);
      hn_joint_coordinate(of, k, next.state, &after, &unused_rate);
      hn_joint_coordinate(of, k, between.state, &unused_rate, &middle);
      worst = fmax(worst, fabs((after - before) / (2 * h) - middle));
    }
    char what[80];
    snprintf(what, sizeof what, "%.*s: rates against differences", (int)strcspn(joint, " "), joint);
    check_below(what, worst, 2e-6);
    done(&first), done(&next), done(&between);
  }
}

/* A beam fixed at one end: the wall carries its weight, and its moment about the joint. A box suspended on a
 * hinge: no moment. A pendulum on a rod at rest: the force along the rod. */
static void reactions_balance_bodies_at_rest(void **unused)
{
  (void)unused;
  static const char *const specs[] = { "lagrange", "taylor", "half-explicit", "generalised-alpha" };
  const double g = 9.81;
  for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
    double force[3], torque[3];
    trial r = must_run("local beam = sys:body { mass = 3, inertia = { 1, 1, 1 }, position = { 0.5, 0, 0 } }\n"
                       "local box = sys:body { mass = 2, inertia = { 1, 1, 1 }, position = { 5, -1, 0 } }\n"
                       "local bob = sys:particle { mass = 4, position = { 8, -1, 0 } }\n"
                       "sys:fixed { sys.ground, beam, at = { 0, 0, 0 } }\n"
                       "sys:hinge { sys.ground, box, at = { 5, 0, 0 }, axis = { 0, 0, 1 } }\n"
                       "sys:distance { sys.ground, bob, at_a = { 8, 0, 0 } }\nreturn sys",
                       specs[i], 0.01, 0.1);
    const double weight[3] = { 3 * g, 2 * g, 4 * g }, moment[3] = { 0.5 * 3 * g, 0, 0 };
    double worst = 0;
    for (int j = 0; j < 3; j++) {
      const hn_joint *joint = &r.scene->model->joint[j];
      hn_joint_reaction(joint, r.state, r.solver->multipliers + joint->row, force, torque);
      worst = fmax(worst, fmax(hypot(force[0], force[2]), fabs(force[1] - weight[j])));
      worst = fmax(worst, fmax(hypot(torque[0], torque[1]), fabs(torque[2] - moment[j])));
    }
    check_below(specs[i], worst, 1e-12);
    done(&r);
  }
}

/* Returns the n-th field of `line` from the end. */
static double field_from_end(const char *line, int n)
{
  const char *at = line + strlen(line);
  for (; n > 0 && at > line; n--) do
      at--;
    while (at > line && *at != ',');
  return strtod(at + 1, NULL);
}

static void joints_are_recorded(void **unused)
{
  (void)unused;
  static char header[2000], line[2000], last[2000];
  char file[80];
  double value, rate, force[3], torque[3];
  hn_error error;
  snprintf(file, sizeof file, "%s/r.csv", directory);
  write_scene(ARM "return sys");
  hn_scene *scene = load_written(NULL, 0); /* names and columns as in the scene of the run */
  const hn_record_options wanted = { .joints = true, .reactions = true };
  hn_record *record = hn_record_create(file, scene->model, &wanted, &error);
  assert_non_null(record);
  trial r = run_spec("lagrange", 0.01, 0.1, hn_record_frame, record);
  assert_int_equal(hn_record_close(record, &error), 0);
  const hn_joint *elbow = &r.scene->model->joint[0];
  hn_joint_coordinate(elbow, 0, r.state, &value, &rate);
  hn_joint_reaction(elbow, r.state, r.solver->multipliers, force, torque);
  FILE *in = fopen(file, "r");
  assert_non_null(in);
  assert_non_null(fgets(header, sizeof header, in));
  assert_non_null(strstr(header,
                         ",\"elbow.angle\",\"elbow.angle_rate\",\"elbow.force_x\",\"elbow.force_y\","
                         "\"elbow.force_z\",\"elbow.torque_x\",\"elbow.torque_y\",\"elbow.torque_z\"\n"));
  assert_non_null(fgets(line, sizeof line, in));
  assert_non_null(strstr(line, ",,,,,,\n")); /* no forces at the start */
  while (fgets(line, sizeof line, in)) memcpy(last, line, sizeof last);
  fclose(in), unlink(file);
  check_near("angle", field_from_end(last, 8), value, 0);
  check_near("rate", field_from_end(last, 7), rate, 0);
  check_near("force_y", field_from_end(last, 5), force[1], 0);
  check_near("torque_z", field_from_end(last, 1), torque[2], 0);
  assert_true(value < 0 && rate < 0 && force[1] > 0);
  done(&r);
  hn_scene_free(scene);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(constant_input_equals_the_target),
    cmocka_unit_test(pd_control_converges_to_the_servo),
    cmocka_unit_test(view_shows_the_state),
    cmocka_unit_test(every_run_initialises_its_control),
    cmocka_unit_test(solvers_in_lua_have_the_inputs),
    cmocka_unit_test(control_error_ends_the_run_before_the_step),
    cmocka_unit_test(control_has_the_projected_start),
    cmocka_unit_test(failed_steps_restore_the_inputs),
    cmocka_unit_test(nonfinite_inputs_are_refused),
    cmocka_unit_test(errors_in_control_are_reported),
    cmocka_unit_test(invalid_declarations_of_control_are_reported),
    cmocka_unit_test(rates_are_derivatives_of_values),
    cmocka_unit_test(reactions_balance_bodies_at_rest),
    cmocka_unit_test(joints_are_recorded),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
