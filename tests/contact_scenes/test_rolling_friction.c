/* test_rolling_friction.c - rolling and torsional friction in scenes, run by moreau, against closed forms.
 *
 * A moment of rolling friction is at most mu_r N, against the angular velocity about the tangents. A ball of
 * radius R and inertia c m R^2 that rolls has m v' = -F, c m R^2 (v / R)' = F R - mu_r N:
 *
 *   on a plane    v' = -g mu_r / (R (1 + c))                           until it stops
 *   on a slope    v' = (g sin a - g cos a mu_r / R) / (1 + c)          at rest where tan a <= mu_r / R
 *   spinning      w' = -mu_t N / (c m R^2)                             until it stops */
#include "trials.h"
#include "solver.h"

static const double g = 9.81, R = 0.25, c = 0.4;

/* Writes a ball on a plane that leans by SLOPE along x, with SPEED along x, rolling, and SPIN about z. */
static void write_ball(double slope, double speed, double spin, double rolling, double torsion,
                       const char *more)
{
  char text[2000];
  const int length = snprintf(
    text, sizeof text,
    "local scene = require 'holonom.scene'\n"
    "local sys = scene.system { gravity = { %.17g, 0, %.17g } }\n"
    "local shape = scene.plane { normal = { 0, 0, 1 } }\n"
    "sys:body { name = 'floor', fixed = true, position = { 0, 0, 0 }, shape = shape, friction = 0.5,\n"
    "  rolling_friction = %.17g, torsional_friction = %.17g, material = 'ice' }\n"
    "sys:body { name = 'ball', mass = 2, shape = scene.sphere { radius = 0.25 }, friction = 0.5,\n"
    "  rolling_friction = %.17g, torsional_friction = %.17g, position = { 0, 0, 0.25 }, material = 'ball',\n"
    "  velocity = { %.17g, 0, 0 }, angular_velocity = { 0, %.17g, %.17g } }\n"
    "%s\n"
    "sys:contact { margin = 0.02 }\n"
    "return sys",
    g * sin(slope), -g * cos(slope), rolling, torsion, rolling, torsion, speed, speed / R, spin, more);
  assert_true(length > 0 && (size_t)length < sizeof text);
  write_bytes(text, (size_t)length);
}

/* Runs the scene; velocities have no truncation error, since all accelerations are constant. */
static void check_end(const char *solver, double duration, double v, double spin)
{
  trial r = run_spec(solver, 0.01, duration, NULL, NULL);
  if (r.reason != HN_CONVERGED) fail_msg("%s", r.summary.explanation);
  const hn_twist *ball = &r.state->twist[2];
  printf(" %s\n", solver);
  check_near("speed, m/s", ball->v[0], v, 1e-9);
  check_near("rolls with R w, m/s", R * ball->w[1], v, 1e-9);
  check_near("spin, rad/s", ball->w[2], spin, 1e-8);
  check_below("residual of the law, m/s", r.summary.contact.residual, 1e-9);
  check_below("balance of impulses, N s", r.summary.contact.balance, 1e-12);
  done(&r);
}

static const char *const solvers[] = { "moreau:contact_tolerance=1e-12",
                                       "moreau:contact=pgs,contact_tolerance=1e-12",
                                       "moreau:contact=admm,contact_tolerance=1e-11,theta=0.5",
#ifdef HN_WITH_KLU
                                       "moreau:contact=newton,contact_tolerance=1e-12,warm_start=false",
                                       "moreau:contact=prox,contact_tolerance=1e-12",
#endif
                                       NULL };

static void a_rolling_ball_slows_down_and_stops(void **state)
{
  (void)state;
  const double mu_r = 0.01, a = g * mu_r / (R * (1 + c));
  printf("  deceleration %g m/s^2\n", a);
  write_ball(0, 1, 0, mu_r, 0, "");
  for (const char *const *s = solvers; *s; s++) check_end(*s, 2, 1 - 2 * a, 0), check_end(*s, 4, 0, 0);
}

static void a_ball_on_a_slope_rests_or_rolls(void **state)
{
  (void)state;
  const double mu_r = 0.02, limit = atan(mu_r / R);
  for (const char *const *s = solvers; *s; s++) {
    write_ball(0.999 * limit, 0, 0, mu_r, 0, "");
    check_end(*s, 1, 0, 0);
    write_ball(1.5 * limit, 0, 0, mu_r, 0, "");
    check_end(*s, 1, (g * sin(1.5 * limit) - g * cos(1.5 * limit) * mu_r / R) / (1 + c), 0);
  }
}

static void a_spinning_ball_slows_down_and_stops(void **state)
{
  (void)state;
  const double mu_t = 0.005, a = mu_t * g / (c * R * R);
  for (const char *const *s = solvers; *s; s++) {
    write_ball(0, 0, 3, 0, mu_t, "");
    check_end(*s, 1, 0, 3 - a);
    check_end(*s, 2, 0, 0);
    write_ball(0, 1, 3, 0.01, mu_t, "");
    check_end(*s, 1, 1 - g * 0.01 / (R * (1 + c)), 3 - a);
  }
}

/* A ball at rest on a slope is detected at the same pose in each step, asleep or not: its moment of rolling
 * friction remains m g R sin a. */
static void a_ball_at_rest_keeps_its_moment(void **state)
{
  (void)state;
  const double mu_r = 0.02, a = 0.9 * atan(mu_r / R), h = 0.01;
  static const char *const resting[] = { "moreau:contact_tolerance=1e-12",
                                         "moreau:contact_tolerance=1e-12,sleep=0.1" };
  write_ball(a, 0, 0, mu_r, 0, "");
  for (int i = 0; i < 2; i++) {
    trial r = run_spec(resting[i], h, 1, NULL, NULL);
    if (r.reason != HN_CONVERGED) fail_msg("%s", r.summary.explanation);
    const double *moment = r.state->contact[0].moment;
    printf(" %s\n", resting[i]);
    check_near("moment, N m", sqrt(moment[0] * moment[0] + moment[1] * moment[1] + moment[2] * moment[2]) / h,
               2 * g * R * sin(a), 1e-8);
    check_below("residual of the law, m/s", r.summary.contact.residual, 1e-9);
    check_below("balance of impulses, N s", r.summary.contact.balance, 1e-12);
    done(&r);
  }
}

/* A pair of materials has coefficients of its own; those of bodies are combined as a geometric mean. */
static void materials_override_bodies(void **state)
{
  (void)state;
  const double a = g / (R * (1 + c));
  write_ball(0, 1, 0, 0.01, 0, "sys:material_pair { 'ice', 'ball', rolling_friction = 0.003 }");
  check_end(solvers[0], 1, 1 - 0.003 * a, 0);
  write_ball(0, 1, 0, 0, 0, "sys:material_pair { 'ice', 'ball', rolling_friction = 0.003 }");
  check_end(solvers[0], 1, 1 - 0.003 * a, 0);
  write_ball(0, 1, 0, 0.01, 0, "sys:material_pair { 'ice', 'ball', rolling_friction = 0 }");
  check_end(solvers[0], 1, 1, 0);
  write_ball(0, 1, 0, 0, 0, "");
  check_end(solvers[0], 1, 1, 0);
}

/* Static friction of the tangents, from step to step, goes with rolling friction. */
static void two_frictions_go_with_rolling(void **state)
{
  (void)state;
  write_ball(0, 1, 0, 0.01, 0,
             "sys:material_pair { 'ice', 'ball', friction = { static = 0.5, kinetic = 0.3 } }");
  check_end(solvers[0], 1, 1 - g * 0.01 / (R * (1 + c)), 0);
}

/* Two balls that meet at 2 m/s without restitution, one with the spin w about the normal: p_n = m 1 m/s, and
 * the moment mu_t p_n acts on both, in opposite directions. */
static void moments_act_on_both_bodies(void **state)
{
  (void)state;
  const double mu_t = 0.01, w = 10, change = mu_t / (c * R * R);
  char text[1000];
  const int length = snprintf(
    text, sizeof text,
    "local scene = require 'holonom.scene' local sys = scene.system { gravity = { 0, 0, 0 } }\n"
    "for _, side in ipairs { -1, 1 } do\n"
    "  sys:body { mass = 2, shape = scene.sphere { radius = 0.25 }, position = { 0.2501 * side, 0, 0 },\n"
    "    velocity = { -side, 0, 0 }, angular_velocity = { side < 0 and %g or 0, 0, 0 },\n"
    "    torsional_friction = %g }\n"
    "end\n"
    "sys:contact { margin = 0.02 } return sys",
    w, mu_t);
  assert_true(length > 0 && (size_t)length < sizeof text);
  write_bytes(text, (size_t)length);
  for (const char *const *s = solvers; *s; s++) {
    trial r = run_spec(*s, 0.01, 0.05, NULL, NULL);
    if (r.reason != HN_CONVERGED) fail_msg("%s", r.summary.explanation);
    printf(" %s\n", *s);
    check_near("spin of the first ball, rad/s", r.state->twist[1].w[0], w - change, 1e-9);
    check_near("spin of the second ball, rad/s", r.state->twist[2].w[0], change, 1e-9);
    done(&r);
  }
}

/* Adds the recorded moments of contacts on the ball. */
static bool add_moments(void *user, const hn_frame *frame)
{
  double *sum = user;
  for (int i = 0; i < frame->nimpulse; i++)
    for (int k = 0; k < 3; k++)
      sum[k] += frame->impulse[i].b == 2 ? frame->impulse[i].moment_b[k] : frame->impulse[i].moment_a[k];
  return true;
}

/* Recorded moments are the change of the angular momentum. */
static void recorded_moments_include_friction(void **state)
{
  (void)state;
  hn_error error = { "" };
  const double J = c * 2 * R * R;
  double sum[3] = { 0 };
  hn_summary summary;
  write_ball(0, 1, 3, 0.01, 0.005, "");
  hn_scene *scene = load_written(NULL, 0);
  hn_solver *solver = hn_solver_create(solvers[0], scene->model, &error);
  if (!solver || hn_solver_keep_impulses(solver, &error)) fail_msg("%s", error.text);
  hn_state *end = hn_state_create(scene->model);
  const hn_run_options options = { .step = 0.01, .duration = 0.5, .observe = add_moments, .user = sum };
  assert_int_equal(hn_run(solver, end, &options, &summary), HN_CONVERGED);
  check_near("about x, N m s", sum[0], J * end->twist[2].w[0], 1e-12);
  check_near("about y, N m s", sum[1], J * (end->twist[2].w[1] - 1 / R), 1e-12);
  check_near("about z, N m s", sum[2], J * (end->twist[2].w[2] - 3), 1e-12);
  check_below("1 / moment about z", 1 / sum[2], 1e3);
  hn_state_free(end), hn_solver_free(solver), hn_scene_free(scene);
}

/* ---- Refusals ------------------------------------------------------------------------------------------ */

static void check_solver_refused(const char *spec, const char *word)
{
  hn_error error = { "" };
  hn_scene *scene = load_written(NULL, 0);
  hn_solver *solver = hn_solver_create(spec, scene->model, &error);
  printf("  %s\n", error.text);
  assert_null(solver);
  assert_non_null(strstr(error.text, word));
  hn_scene_free(scene);
}

static void others_refuse(void **state)
{
  (void)state;
  size_t count;
  const hn_solver_type *const *types = hn_solver_types(&count);
  write_ball(0, 1, 0, 0.01, 0, "");
  for (size_t i = 0; i < count; i++)
    if (strcmp(types[i]->name, "moreau") != 0) check_solver_refused(types[i]->name, "cannot do");
  check_solver_refused("events", "rolling or torsional friction");
  check_solver_refused("moreau:contact=lemke", "has no rolling or torsional friction");
  check_solver_refused("moreau:static_friction=sweeps,contact=pgs", "has no rolling or torsional friction");
  trial r = run_spec("moreau:contact=pgs:local=box", 0.01, 1, NULL, NULL);
  printf("  %s\n", r.summary.explanation);
  assert_int_equal(r.reason, HN_UNSUPPORTED);
  assert_non_null(strstr(r.summary.explanation, "rolling"));
  done(&r);
}

static void scenes_are_refused(void **state)
{
  (void)state;
  expect_failing_body("sys:body { position = { 0, 0, 0 }, mass = 1, rolling_friction = -1,\n"
                      "  shape = scene.sphere { radius = 1 } }",
                      2, "rolling friction must be at least 0 m");
  expect_failing_body("sys:material_pair { 'a', 'b', torsional_friction = -1 }", 2,
                      "torsional friction must be at least 0 m");
  write_ball(0, 1, 0, 0.01, 0, "sys:material_pair { 'ice', 'ball', law = 'hertz', stiffness = 1e7 }");
  expect_refusal(0, "no rolling and no torsional friction");
  static const char planar[] =
    "local scene = require 'holonom.scene' local sys = scene.system { planar = true }\n"
    "sys:body { name = 'floor', fixed = true, position = { 0, 0, 0 }, rolling_friction = 0.1,\n"
    "  shape = scene.plane { normal = { 0, 1, 0 } } }\n"
    "sys:body { mass = 1, position = { 0, 1, 0 }, rolling_friction = 0.1,\n"
    "  shape = scene.circle { radius = 1 } }\n"
    "sys:contact {} return sys";
  write_bytes(planar, sizeof planar - 1);
  expect_refusal(0, "not in the plane");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_rolling_ball_slows_down_and_stops),
    cmocka_unit_test(a_ball_on_a_slope_rests_or_rolls),
    cmocka_unit_test(a_spinning_ball_slows_down_and_stops),
    cmocka_unit_test(a_ball_at_rest_keeps_its_moment),
    cmocka_unit_test(materials_override_bodies),
    cmocka_unit_test(two_frictions_go_with_rolling),
    cmocka_unit_test(moments_act_on_both_bodies),
    cmocka_unit_test(recorded_moments_include_friction),
    cmocka_unit_test(others_refuse),
    cmocka_unit_test(scenes_are_refused),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
