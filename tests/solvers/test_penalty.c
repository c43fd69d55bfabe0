/* test_penalty.c - joints as springs: error against stiffness, both limits, the same springs as forces, and
 * redundant joints.
 *
 * References are closed forms, and lagrange with rk8pd on the same scene, or on a scene whose joints are the
 * springs and dampers of the catalogue. */
#include "mechanisms.h"
#include "trials.h"

#include <string.h>

enum { RUNS = 6 };

/* Returns the largest distance of the bodies of SCENE after DURATION by SPEC and by REFERENCE. */
static double apart(const char *scene, const char *spec, double step, const char *reference, double fine,
                    double duration)
{
  bench a = set_up(scene, spec), b = set_up(scene, reference);
  must_converge(&a, step, duration, NULL, NULL);
  must_converge(&b, fine, duration, NULL, NULL);
  const double error = farthest(a.state, b.state);
  tear_down(&a), tear_down(&b);
  return error;
}

/* The error against rigid joints is proportional to 1 / stiffness. The step is so small that its own error,
 * 1e-6 m, is a twentieth of the smallest. */
static void test_stiffness(void **unused)
{
  (void)unused;
  double compliance[RUNS], error[RUNS], force_error[RUNS];
  bench rigid = set_up("double_pendulum", RK8);
  must_converge(&rigid, 0.001, 1.0, NULL, NULL);
  for (int i = 0; i < RUNS; i++) {
    const double k = 3e4 * pow(2.0, i);
    char spec[80];
    snprintf(spec, sizeof spec, "penalty:stiffness=%.17g", k);
    bench b = set_up("double_pendulum", spec);
    must_converge(&b, 2e-4, 1.0, NULL, NULL);
    compliance[i] = 1.0 / k;
    error[i] = farthest(b.state, rigid.state);
    force_error[i] = fabs(b.solver->multipliers[0] - rigid.solver->multipliers[0]);
    printf("  stiffness %8.0f N/m: error %.3e m, of the joint force %.3e N\n", k, error[i], force_error[i]);
    tear_down(&b);
  }
  check_near("slope of the error over 1 / stiffness", hn_fit_order(compliance, error, RUNS), 1.0, 0.05);
  check_near("slope of the error of the force", hn_fit_order(compliance, force_error, RUNS), 1.0, 0.1);
  tear_down(&rigid);
}

/* Checks the law of spring and damper, g = -tau g' - lambda / k, in every row: k = 1e14 N/m, and tau = 2 /
 * sqrt(k K_ii) with K_ii = 1 / kg for the rod at the ground, and 2 / kg for the other. */
static void check_joint_error(bench *b)
{
  hn_system *s = b->solver->system;
  const double k = 1e14, Kii[2] = { 1.0, 2.0 };
  double rate[2], worst = 0.0;
  hn_system_residual(s, b->state, NULL);
  hn_system_jacobian(s, b->state);
  hn_system_velocity_residual(s, b->state, rate, NULL);
  assert_int_equal(s->nrow, 2);
  for (int i = 0; i < 2; i++)
    worst = larger(worst, fabs(s->g[i] + 2.0 / sqrt(k * Kii[i]) * rate[i] + b->solver->multipliers[i] / k));
  check_below("  g + tau g' + lambda / k, m", worst, 1e-13);
}

/* Infinite stiffness: the scheme for rigid joints, with its order, and joints whose error is that of
 * the damper. */
static void test_rigid(void **unused)
{
  (void)unused;
  static const char *const specs[] = { "penalty:stiffness=1e14,angular_stiffness=1e14",
                                       "penalty:scheme=euler,stiffness=1e14,angular_stiffness=1e14" };
  for (int k = 0; k < 2; k++) {
    double step[RUNS], error[RUNS];
    bench rigid = set_up("double_pendulum", RK8);
    must_converge(&rigid, 0.001, 1.0, NULL, NULL);
    for (int i = 0; i < RUNS; i++) {
      step[i] = (k == 0 ? 0.01 : 0.00125) / pow(2.0, i);
      bench b = set_up("double_pendulum", specs[k]);
      must_converge(&b, step[i], 1.0, NULL, NULL);
      error[i] = farthest(b.state, rigid.state);
      check_joint_error(&b);
      tear_down(&b);
    }
    check_near(specs[k], hn_fit_order(step, error, RUNS), k == 0 ? 2.0 : 1.0, 0.1);
    tear_down(&rigid);
  }
}

/* No stiffness: free bodies. With gravity alone the scheme is exact. */
static void test_no_stiffness(void **unused)
{
  (void)unused;
  bench b = set_up("double_pendulum", "penalty:stiffness=1e-20,angular_stiffness=1e-20");
  for (int i = 1; i <= 100; i++) { /* a run would stop at such joint errors */
    assert_int_equal(hn_solver_step(b.solver, b.state, 0.01), HN_CONVERGED);
    b.state->time = 0.01 * i;
  }
  check_near("fall of the upper bob, m", b.state->pose[1].x[1], -0.5 * 9.81, 1e-7);
  check_near("its horizontal place, m", b.state->pose[1].x[0], 1.0, 1e-7);
  check_near("fall of the lower bob, m", b.state->pose[2].x[1], -0.5 * 9.81, 1e-7);
  tear_down(&b);
}

#define BOB                                                  \
  "local scene = require 'holonom.scene'\n"                  \
  "local sys = scene.system { gravity = { 0, -9.81, 0 } }\n" \
  "local bob = sys:particle { name = 'bob', position = { 1, 0, 0 }, mass = 2 }\n"

/* Runs the scene TEXT, which must converge. */
static trial run_text(const char *text, const char *spec, double step)
{
  write_bytes(text, strlen(text));
  trial t = run_spec(spec, step, 1.0, NULL, NULL);
  if (t.reason != HN_CONVERGED) fail_msg("%s: %s", spec, t.summary.explanation);
  return t;
}

/* The springs and dampers are those of the catalogue: k = 500 N/m, c = 2 damping sqrt(k m), m = 2 kg. Orders
 * are those of the schemes for this system, in positions, velocities and forces. */
static void test_same_springs(void **unused)
{
  (void)unused;
  static const char *const specs[] = { "penalty:stiffness=500,damping=0.05",
                                       "penalty:scheme=euler,stiffness=500,damping=0.05",
                                       "penalty:stiffness=500,damping=0" };
  for (int k = 0; k < 3; k++) {
    double step[RUNS], position[RUNS], velocity[RUNS], force[RUNS];
    const double c = k == 2 ? 0.0 : 2.0 * 0.05 * sqrt(500.0 * 2.0);
    char spring[512];
    snprintf(spring, sizeof spring,
             BOB "sys:spring { sys.ground, bob, at_a = { 0, 0, 0 }, stiffness = 500, damping = %.17g }\n"
                 "return sys",
             c);
    trial exact = run_text(spring, "lagrange:stepper=rk8pd", 0.001);
    const double *x = exact.state->pose[1].x, *v = exact.state->twist[1].v, length = vec_norm(x);
    const double tension = 500.0 * (length - 1.0) + c * vec_dot(x, v) / length;
    for (int i = 0; i < RUNS; i++) {
      step[i] = (k == 1 ? 0.0005 : 0.005) / pow(2.0, i);
      trial t = run_text(BOB "sys:distance { sys.ground, bob, at_a = { 0, 0, 0 } }\nreturn sys", specs[k],
                         step[i]);
      position[i] = distance(t.state->pose[1].x, x);
      velocity[i] = distance(t.state->twist[1].v, v);
      force[i] = fabs(t.solver->multipliers[0] + tension);
      done(&t);
    }
    const double order = k == 1 ? 1.0 : 2.0;
    check_near(specs[k], hn_fit_order(step, position, RUNS), order, 0.1);
    check_near("  order of the velocity", hn_fit_order(step, velocity, RUNS), order, 0.1);
    check_near("  order of the joint force", hn_fit_order(step, force, RUNS), order, 0.1);
    done(&exact);
  }
}

/* Redundant joints: a joint that is there twice is a joint of twice the stiffness, and each half has half of
 * the force. */
static void test_redundant(void **unused)
{
  (void)unused;
  trial twice = run_text(BOB "for i = 1, 2 do sys:distance { sys.ground, bob, at_a = { 0, 0, 0 } } end\n"
                             "return sys",
                         "penalty:stiffness=1e4,damping=0", 0.002);
  trial once = run_text(BOB "sys:distance { sys.ground, bob, at_a = { 0, 0, 0 } }\nreturn sys",
                        "penalty:stiffness=2e4,damping=0", 0.002);
  check_below("a joint twice: position, m", distance(twice.state->pose[1].x, once.state->pose[1].x), 1e-10);
  check_near("  half of the force, N", twice.solver->multipliers[0], 0.5 * once.solver->multipliers[0], 1e-5);
  check_near("  and the other half, N", twice.solver->multipliers[1], 0.5 * once.solver->multipliers[0],
             1e-5);
  done(&twice), done(&once);
  check_below("bricard: error, m",
              apart("bricard", "penalty", 0.001, "impulse-composed:redundancy=remove", 0.005, 1.0), 5e-4);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_stiffness),    cmocka_unit_test(test_rigid),
    cmocka_unit_test(test_no_stiffness), cmocka_unit_test(test_same_springs),
    cmocka_unit_test(test_redundant),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
