/* test_limits.c - one-sided joints against closed forms: stopping points, energy lost at a stop, detachment;
 * refusals. */
#include "scenes.h"
#include "base/vec.h"
#include "written.h"

static const char *const specs[] = {
  "impulse-sle",          "impulse-gs",      "impulse-sle:redundancy=loop-split",
  "impulse-contact",      "events",          "xpbd:substeps=50",
  "tgs-soft:substeps=50", "moreau:theta=0.5"
};
enum { SPECS = 8, EXACT = 5, CAPABLE_SOLVERS = 8 }; /* the first five are exact to their tolerance */

typedef struct outcome {
  hn_summary summary;
  hn_pose pose; /* of the last body */
  hn_twist twist;
} outcome;

static outcome run_written(const char *spec, double step, double duration)
{
  outcome out;
  hn_error error = { .text = "" };
  hn_scene *scene = load_written(NULL, 0);
  hn_solver *solver = hn_solver_create(spec, scene->model, &error);
  hn_state *state = hn_state_create(scene->model);
  hn_run_options options = { .step = step, .duration = duration };
  if (!solver) printf("  %s\n", error.text);
  assert_non_null(solver);
  hn_run(solver, state, &options, &out.summary);
  if (out.summary.reason != HN_CONVERGED) printf("  %s\n", out.summary.explanation);
  assert_int_equal(out.summary.reason, HN_CONVERGED);
  out.pose = state->pose[state->nbody - 1], out.twist = state->twist[state->nbody - 1];
  hn_state_free(state);
  hn_solver_free(solver);
  hn_scene_free(scene);
  return out;
}

/* A mass falls along a slider onto its lower bound: free fall before the impact, at rest after it. */
static void a_fall_ends_at_the_bound(void **state)
{
  (void)state;
  write_scene(
    "local box = sys:body { shape = scene.box { 0.1, 0.1, 0.1 }, density = 1000, position = { 0, 2, 0 } }\n"
    "sys:slider { sys.ground, box, at = { 0, 2, 0 }, axis = { 0, 1, 0 }, lower = -1 }\nreturn sys");
  const double impact = sqrt(2.0 / 9.81);
  for (int k = 0; k < SPECS; k++) {
    printf(" %s\n", specs[k]);
    outcome before = run_written(specs[k], 0.01, 0.45), after = run_written(specs[k], 0.01, 1.0);
    double drop = 0.5 * 9.81 * 0.45 * 0.45, exact = k < EXACT ? 1e-8 : 2e-2;
    assert_true(0.45 < impact);
    check_near("height before the impact, m", before.pose.x[1], 2 - drop, k < EXACT ? 1e-12 : 0.01);
    check_near("height after it", after.pose.x[1], 1.0, exact);
    check_below("speed after it, m/s", after.twist.v[1], 1e-8);
    check_near("energy taken, J", after.summary.energy_initial - after.summary.energy_final, 9.81,
               9.81 * exact);
  }
}

/* theta'' = (3 g / 2 l) cos theta below the horizontal: omega^2 = 3 g sin(theta) / l at the stop. */
static void a_rod_rests_on_its_stop(void **state)
{
  (void)state;
  write_scene(
    "local rod = sys:body { shape = scene.box { 1, 0.01, 0.01 }, density = 1000, position = { 0.5, 0, 0 } }\n"
    "sys:hinge { sys.ground, rod, at = { 0, 0, 0 }, axis = { 0, 0, 1 }, lower = -0.6, upper = 1 }\n"
    "return sys");
  for (int k = 0; k < SPECS; k++) {
    printf(" %s\n", specs[k]);
    outcome end = run_written(specs[k], 0.005, 2.0);
    double angle = 2.0 * atan2(end.pose.q[3], end.pose.q[0]);
    check_near("angle at rest on the stop, rad", angle, -0.6, k < EXACT ? 1e-8 : 5e-3);
    check_below("angular velocity there, rad/s", end.twist.w[2], 1e-8);
  }
}

/* A force turns away from the bound after a second: from then on the motion is that without a stop. */
static void a_stop_releases(void **state)
{
  (void)state;
  write_scene("local m = sys:particle { mass = 2, position = { 1, 0, 0 } }\n"
              "sys:point_on_line { sys.ground, m, at = { 1, 0, 0 }, axis = { 1, 0, 0 } }\n"
              "sys:limit_position { sys.ground, m, at = { 1, 0, 0 }, axis = { 1, 0, 0 }, lower = 0 }\n"
              "sys:force { m, at = { 1, 0, 0 }, force = { 1, 0, 0 }, motion = { polynomial = { -3, 3 } } }\n"
              "return sys");
  for (int k = 0; k < EXACT; k++) { /* f = -3 + 3 t: pressed until t = 1, then x = 1 + (t - 1)^3 / 4 */
    printf(" %s\n", specs[k]);
    outcome pressed = run_written(specs[k], 0.01, 0.99), free = run_written(specs[k], 0.01, 2.0);
    check_near("pressed on the stop, m", pressed.pose.x[0], 1.0, 1e-9);
    check_near("a second after it let go, m", free.pose.x[0], 1.25, 2e-4);
    check_near("its speed, m/s", free.twist.v[0], 0.75, 2e-4);
  }
}

/* The force f = 1 (t - 0.1) changes its sign at a step. The force at the end of the next step lifts the body
 * off, and the velocity correction must release it. The closing half of the trapezoidal rule is exact here,
 * so the speed is (t - 0.1)^2 / 2 to round-off; held for one more correction, it lacks h^2 / 2. */
static void the_velocity_correction_releases(void **state)
{
  (void)state;
  write_scene(
    "local m = sys:particle { mass = 1, position = { 0, 0, 0 } }\n"
    "sys:point_on_line { sys.ground, m, at = { 0, 0, 0 }, axis = { 1, 0, 0 } }\n"
    "sys:limit_position { sys.ground, m, at = { 0, 0, 0 }, axis = { 1, 0, 0 }, lower = 0 }\n"
    "sys:force { m, at = { 0, 0, 0 }, force = { 1, 0, 0 }, motion = { polynomial = { -0.1, 1 } } }\n"
    "return sys");
  for (int k = 0; k < EXACT; k++) {
    outcome end = run_written(specs[k], 0.01, 0.5);
    printf(" %s\n", specs[k]);
    check_near("speed 0.4 s after it was let go, m/s", end.twist.v[0], 0.08, 1e-9);
  }
}

/* A gap that closes at the end of a substep is closed in it, not a substep later at full speed. */
static void relaxation_closes_the_remaining_gap(void **state)
{
  (void)state;
  write_scene("local m = sys:particle { mass = 1, position = { 0.01, 0, 0 }, velocity = { -1, 0, 0 } }\n"
              "sys:point_on_line { sys.ground, m, at = { 0.01, 0, 0 }, axis = { 1, 0, 0 } }\n"
              "sys:limit_position { sys.ground, m, at = { 0.01, 0, 0 }, axis = { 1, 0, 0 }, lower = -0.01 }\n"
              "return sys");
  outcome end = run_written("tgs-soft:substeps=4", 0.01, 0.01);
  check_below("distance from the stop, m", end.pose.x[0], 1e-12);
  check_below("speed on it, m/s", end.twist.v[0], 1e-9);
}

/* Two solvers with unrelated formulations: a double pendulum that reaches four bounds. */
static void two_formulations_agree(void **state)
{
  (void)state;
  write_scene(
    "local a = sys:body { shape = scene.box { 1, 0.1, 0.1 }, density = 1000, position = { 0.5, 0, 0 } }\n"
    "local b = sys:body { shape = scene.box { 1, 0.1, 0.1 }, density = 1000, position = { 1.5, 0, 0 } }\n"
    "sys:hinge { sys.ground, a, at = { 0, 0, 0 }, axis = { 0, 0, 1 }, lower = -2.2 }\n"
    "sys:hinge { a, b, at = { 1, 0, 0 }, axis = { 0, 0, 1 }, lower = -0.5, upper = 0.5 }\nreturn sys");
  outcome sle = run_written("impulse-sle:tolerance=1e-11", 0.01, 3.0);
  outcome gs = run_written("impulse-gs:tolerance=1e-11,velocity_tolerance=1e-11", 0.01, 3.0);
  double apart[3];
  vec_sub(apart, sle.pose.x, gs.pose.x);
  check_below("impulse-sle against impulse-gs, m", vec_norm(apart), 1e-8);
  check_below("joint error, m", sle.summary.position_max, 1e-11);
}

/* An impact takes effect at the end of a step, up to h late: the error is at most h times the bob's speed (4
 * m/s), wherever the impact falls in the step. */
static void an_impact_costs_order_one(void **state)
{
  (void)state;
  write_scene(
    "local rod = sys:body { shape = scene.box { 1, 0.01, 0.01 }, density = 1000, position = { 0.5, 0, 0 } }\n"
    "local bob = sys:particle { mass = 1, position = { 2, 0, 0 } }\n"
    "sys:hinge { sys.ground, rod, at = { 0, 0, 0 }, axis = { 0, 0, 1 }, lower = -0.6 }\n"
    "sys:distance { rod, bob, at_a = { 1, 0, 0 } }\nreturn sys");
  double largest = 0.0, fine[3];
  outcome reference = run_written("impulse-sle", 1.0 / 32768, 1.0);
  vec_copy(fine, reference.pose.x);
  for (int k = 0; k < 6; k++) {
    double apart[3];
    double step = 1.0 / (64 << k);
    outcome coarse = run_written("impulse-sle", step, 1.0);
    vec_sub(apart, coarse.pose.x, fine);
    printf("  step %.6f s: error %.3e m\n", step, vec_norm(apart));
    largest = fmax(largest, vec_norm(apart) / step);
  }
  check_below("largest error over step, m/s", largest, 4.0);
}

static void bad_limits_are_refused(void **state)
{
  (void)state;
  static const char body[] =
    "local b = sys:body { mass = 1, inertia = { 1, 1, 1 }, position = { 0, 0, 0 } }\n";
  static const struct {
    const char *joint, *says;
  } bad[] = {
    { "sys:hinge { sys.ground, b, at = { 0, 0, 0 }, axis = { 0, 0, 1 }, lower = 1, upper = -1 }",
      "its limits cross" },
    { "sys:slider { sys.ground, b, at = { 0, 0, 0 }, axis = { 0, 0, 1 }, lower = 0.2 }",
      "is violated by 0.2" },
    { "sys:limit_angle { sys.ground, b, axis = { 0, 0, 1 } }", "needs its lower or its upper bound" },
    { "sys:hinge { sys.ground, b, at = { 0, 0, 0 }, axis = { 0, 0, 1 }, lower = -1, upper = 4 }",
      "its upper limit of 4 rad would never act" },
    { "sys:limit_angle { sys.ground, b, axis = { 0, 0, 1 }, lower = -math.pi }",
      "its lower limit of -3.14159 rad would" },
    { "sys:ball { sys.ground, b, at = { 0, 0, 0 }, lower = 0 }", "unknown key \"lower\"" },
  };
  for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
    char text[512];
    snprintf(text, sizeof text, "%s%s\nreturn sys", body, bad[k].joint);
    expect_failing_body(text, 3, bad[k].says);
  }
}

static void refusals_name_the_capability(void **state)
{
  (void)state;
  size_t count, refused = 0;
  const hn_solver_type *const *types = hn_solver_types(&count);
  write_scene(
    "local m = sys:particle { mass = 2, position = { 1, 0, 0 } }\n"
    "sys:limit_position { sys.ground, m, at = { 1, 0, 0 }, axis = { 1, 0, 0 }, lower = 0 }\nreturn sys");
  hn_scene *scene = load_written(NULL, 0);
  for (size_t i = 0; i < count; i++) {
    hn_error error = { .text = "" };
    hn_solver *solver = hn_solver_create(types[i]->name, scene->model, &error);
    assert_true(!solver == !(types[i]->capabilities & HN_CAN_PUSH));
    if (!solver) printf("  %s\n", error.text);
    if (!solver) assert_non_null(strstr(error.text, "cannot do one-sided joints"));
    refused += !solver;
    hn_solver_free(solver);
  }
  ASSERT_COUNT("solvers that can", count - refused, CAPABLE_SOLVERS);
  hn_scene_free(scene);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_fall_ends_at_the_bound),
    cmocka_unit_test(a_rod_rests_on_its_stop),
    cmocka_unit_test(a_stop_releases),
    cmocka_unit_test(the_velocity_correction_releases),
    cmocka_unit_test(relaxation_closes_the_remaining_gap),
    cmocka_unit_test(two_formulations_agree),
    cmocka_unit_test(an_impact_costs_order_one),
    cmocka_unit_test(bad_limits_are_refused),
    cmocka_unit_test(refusals_name_the_capability),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
