/* test_articulated.c - what is special to reduced coordinates: no drift in trees, agreement with maximal
 * coordinates at small steps, joint forces, momentum to the order, loops and their policies. */
#include "scenes.h"

static const char *const reference = "lagrange:stepper=rk8pd,stabilisation=projection,redundancy=remove";

/* Runs SCENE for DURATION with steps of H; the bench has state and joint forces at the end. */
static bench run_for(const char *scene, const char *spec, double h, double duration)
{
  bench b = set_up_with(scene, NULL, spec);
  const hn_run_options options = { .step = h, .duration = duration };
  if (hn_run(b.solver, b.state, &options, &b.summary) != HN_CONVERGED)
    fail_msg("%s, %s: %s", scene, spec, b.summary.explanation);
  return b;
}

static void tear_down_bench(bench *b)
{
  hn_state_free(b->state), hn_solver_free(b->solver), hn_scene_free(b->scene);
}

/* Returns the largest distance of joint forces, relative to the largest force. */
static double force_distance(const bench *a, const bench *b)
{
  double most = 0.0, scale = 1e-3;
  for (int i = 0; i < a->model->nrow; i++) {
    most = larger(most, fabs(a->solver->multipliers[i] - b->solver->multipliers[i]));
    scale = larger(scale, fabs(b->solver->multipliers[i]));
  }
  return most / scale;
}

typedef struct case_of {
  const char *scene, *settings;
  double h, duration, positions, forces; /* bounds, m and 1; forces 0: not unique */
} case_of;

static void small_steps_agree_with_maximal_coordinates(void **state)
{
  (void)state;
  static const case_of cases[] = {
    { "box_pendulum", "", 0.0025, 1, 1e-7, 1e-6 },
    { "chain", "", 0.0025, 0.5, 1e-7, 1e-6 },
    { "gyroscope", "", 0.0005, 0.5, 1e-9, 1e-6 },
    { "cart_pole", "", 0.005, 1, 1e-7, 1e-6 },
    { "slider_crank", ",redundancy=remove", 0.0005, 0.5, 1e-7, 1e-6 },
    { "slider_crank", ",redundancy=min-norm", 0.0005, 0.5, 1e-7, 0 },
    { "bricard", ",redundancy=loop-split", 0.002, 0.5, 1e-7, 0 },
    { "chain8", "", 0.002, 0.5, 1e-7, 1e-6 },
    { "car_axis", "", 0.0005, 0.5, 1e-7, 1e-4 },
    { "knife_edge", "", 0.0025, 0.5, 1e-8, 1e-6 },
    { "rolling_disc", "", 0.0025, 0.5, 1e-8, 1e-6 },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const case_of *c = &cases[i];
    char spec[128], what[96];
    snprintf(spec, sizeof spec, "articulated:stabilisation=projection%s", c->settings);
    bench ours = run_for(c->scene, spec, c->h, c->duration),
          theirs = run_for(c->scene, reference, c->h, c->duration);
    snprintf(what, sizeof what, "%s%s: positions, m", c->scene, c->settings);
    check_below(what, farthest(ours.state, theirs.state), c->positions);
    snprintf(what, sizeof what, "%s%s: joint forces, relative", c->scene, c->settings);
    if (c->forces > 0) check_below(what, force_distance(&ours, &theirs), c->forces);
    tear_down_bench(&ours), tear_down_bench(&theirs);
  }
}

/* Positions and velocities satisfy the joints of trees to rounding, with any stepper and step. */
static void trees_do_not_drift(void **state)
{
  (void)state;
  static const char *const scenes[] = { "box_pendulum", "chain", "tree", "gyroscope" };
  static const char *const steppers[] = { "semi-implicit", "euler", "rk4", "rk8pd" };
  double position = 0.0, velocity = 0.0;
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
    for (size_t k = 0; k < sizeof steppers / sizeof *steppers; k++) {
      char spec[64];
      snprintf(spec, sizeof spec, "articulated:stepper=%s", steppers[k]);
      bench b = run_for(scenes[i], spec, 0.002, 0.4);
      hn_measure measure;
      hn_measure_state(b.model, b.state, &measure);
      position = larger(position, measure.position_error),
      velocity = larger(velocity, measure.velocity_error);
      tear_down_bench(&b);
    }
  check_below("position error of joints, m", position, 1e-13);
  check_below("velocity error of joints, m/s", velocity, 1e-12);
}

/* With a constant mass matrix semi-implicit Euler is symplectic: the energy has no trend. */
static void semi_implicit_euler_is_symplectic_for_a_constant_mass_matrix(void **state)
{
  (void)state;
  double worst[2] = { 0.0, 0.0 }, kinetic = 0.0;
  bench b = set_up_with("compound_pendulum", NULL, "articulated:stepper=semi-implicit");
  hn_measure measure;
  hn_measure_state(b.model, b.state, &measure);
  const double start = measure.kinetic + measure.potential;
  for (int half = 0; half < 2; half++)
    for (int k = 0; k < 20000; k++) {
      assert_int_equal(hn_solver_step(b.solver, b.state, 0.001), HN_CONVERGED);
      hn_measure_state(b.model, b.state, &measure);
      worst[half] = larger(worst[half], fabs(measure.kinetic + measure.potential - start));
      kinetic = larger(kinetic, measure.kinetic);
    }
  check_below("largest change in 20 s, of the kinetic energy", worst[0] / kinetic, 0.01);
  check_below("in the next 20 s, as a multiple", worst[1] / worst[0], 1.2);
  tear_down_bench(&b);
}

/* Coordinates are the memory: a run that goes on from its states equals one that restarts from poses to
 * rounding. */
static void restarts_from_poses_agree(void **state)
{
  (void)state;
  bench through = set_up_with("gyroscope", NULL, "articulated"),
        again = set_up_with("gyroscope", NULL, "articulated");
  for (int k = 0; k < 200; k++) {
    assert_int_equal(hn_solver_step(through.solver, through.state, 0.001), HN_CONVERGED);
    hn_solver_reset(again.solver);
    assert_int_equal(hn_solver_step(again.solver, again.state, 0.001), HN_CONVERGED);
  }
  check_below("distance of positions, m", farthest(through.state, again.state), 1e-11);
  tear_down_bench(&through), tear_down_bench(&again);
}

static void redundant_loops_need_a_policy(void **state)
{
  (void)state;
  bench b = set_up_with("bricard", NULL, "articulated");
  assert_int_equal(hn_solver_step(b.solver, b.state, 0.001), HN_SINGULAR);
  char text[512];
  hn_solver_explain(b.solver, HN_SINGULAR, 0.001, text, sizeof text);
  printf("  %s\n", text);
  assert_non_null(strstr(text, "redundant"));
  tear_down_bench(&b);
}

static void bad_settings_are_refused(void **state)
{
  (void)state;
  static const bad_spec bad[] = {
    { "articulated:stepper=semi-implicit,adaptive=true", "no error control" },
    { "articulated:stepper=msadams", "needs adaptive=true" },
    { "articulated:stepper=bogus", "stepper" },
  };
  hn_model *model = double_pendulum();
  check_refused(model, bad, sizeof bad / sizeof *bad);
  hn_model_free(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(small_steps_agree_with_maximal_coordinates),
    cmocka_unit_test(trees_do_not_drift),
    cmocka_unit_test(semi_implicit_euler_is_symplectic_for_a_constant_mass_matrix),
    cmocka_unit_test(restarts_from_poses_agree),
    cmocka_unit_test(redundant_loops_need_a_policy),
    cmocka_unit_test(bad_settings_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
