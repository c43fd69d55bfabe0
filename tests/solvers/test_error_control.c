/* test_error_control.c - step control for the error at the end of a run: the error against closed forms and
 * other solvers, rejected parts that leave no trace, checkpoints, and the words of runs that miss it. */
#include "force_models.h"
#include "scenes.h"
#include "written.h"
#include "registry/step_doubling.h"

#include <stdlib.h>

/* The error at the end is at least a tenth of the tolerance, and at most ten times. */
static void check_error(const char *what, double error, double tolerance)
{
  const bool good = error >= 0.1 * tolerance && error <= 10.0 * tolerance;
  printf("  %-58s %9.2e  within 0.1 and 10 of %.0e%s\n", what, error, tolerance, good ? "" : "  FAILED");
  assert_true(good);
}

static double distance_of_bodies(const hn_state *a, const hn_state *b)
{
  double largest = 0.0;
  for (int i = 0; i < a->nbody; i++) {
    double away[3];
    vec_sub(away, a->pose[i].x, b->pose[i].x);
    largest = larger(largest, vec_norm(away));
  }
  return largest;
}

/* ---- The error at the end ------------------------------------------------------------------------------ */

/* Steps for which no part is as long as the step: the tolerance alone decides. */
static const struct {
  const char *scene, *solver, *reference;
  double step, duration, tolerance, exact_step;
} ends[] = {
  /* a ball that bounces */
  { "bouncing_balls", "moreau", "events", 0.05, 0.8, 1e-2, 0.01 },
  { "bouncing_balls", "moreau", "events", 0.05, 0.8, 1e-3, 0.01 },
  { "bouncing_balls", "xpbd", "events", 0.05, 0.8, 1e-2, 0.01 },
  /* balls and cubes that slide, then roll, or rest */
  { "sliding_to_rolling", "moreau", "events", 0.02, 0.5, 1e-3, 0.001 },
  /* without contact: one body, and a chain */
  { "pendulum", "moreau", "taylor:order=16", 0.01, 1.0, 1e-2, 0.01 },
  { "double_pendulum", "moreau", "taylor:order=16", 0.01, 1.0, 1e-2, 0.01 },
  { "double_pendulum", "impulse-sle", "taylor:order=16", 0.05, 1.0, 1e-3, 0.01 },
  { "double_pendulum", "impulse-gs", "taylor:order=16", 0.05, 1.0, 1e-3, 0.01 },
  { "double_pendulum", "impulse-contact", "taylor:order=16", 0.05, 1.0, 1e-4, 0.01 },
  { "box_pendulum", "impulse-extrapolated:order=4", "taylor:order=16", 0.1, 1.0, 1e-5, 0.01 },
};

static void the_error_at_the_end_is_as_wanted(void **unused)
{
  (void)unused;
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    char what[96], spec[96];
    bench exact = set_up(ends[i].scene, ends[i].reference);
    must_converge(&exact, ends[i].exact_step, ends[i].duration, NULL, NULL);
    snprintf(spec, sizeof spec, "%s%cerror_tolerance=%g", ends[i].solver,
             strchr(ends[i].solver, ':') ? ',' : ':', ends[i].tolerance);
    bench b = set_up(ends[i].scene, spec);
    must_converge(&b, ends[i].step, ends[i].duration, NULL, NULL);
    snprintf(what, sizeof what, "%s, %s: error, m", ends[i].scene, ends[i].solver);
    const double error = distance_of_bodies(b.state, exact.state);
    check_error(what, error, ends[i].tolerance);
    check_error("  its estimate", b.summary.control.estimate, error);
    tear_down(&b), tear_down(&exact);
  }
}

/* Returns the written scene after DURATION by SPEC. */
static bench run_written(const char *spec, double step, double duration)
{
  bench b = { .scene = load_written(NULL, 0) };
  b.model = b.scene->model;
  b.solver = new_solver(spec, b.model), b.state = hn_state_create(b.model);
  must_converge(&b, step, duration, NULL, NULL);
  return b;
}

/* A block on a plane at v = 2 m/s, friction mu = 0.5: it rests after v / (mu g), at v^2 / (2 mu g). */
static void a_sliding_block_rests_where_it_should(void **unused)
{
  (void)unused;
  write_scene(
    "sys:body { name = 'floor', fixed = true, position = { 0, 0, 0 }, friction = 0.5,\n"
    "  shape = scene.plane { normal = { 0, 1, 0 } } }\n"
    "sys:body { name = 'block', density = 1000, position = { 0, 0.05, 0 }, velocity = { 2, 0, 0 },\n"
    "  friction = 0.5, shape = scene.box { 0.2, 0.1, 0.2 } }\n"
    "sys:contact { margin = 0.01 }\nreturn sys");
  bench b = run_written("moreau:error_tolerance=1e-3", 0.1, 0.6);
  check_error("a sliding block: error, m", fabs(b.state->pose[2].x[0] - 4.0 / (2 * 0.5 * 9.81)), 1e-3);
  check_below("its velocity at the end, m/s", vec_norm(b.state->twist[2].v), 1e-9);
  check_near("end, s", b.state->time, 0.6, 0.0);
  check_below("penetration, m", b.summary.contact.penetration, 1e-9);
  assert_true(isnan(b.summary.contact.residual) && isnan(b.summary.contact.balance)); /* steps are divided */
  tear_down(&b);
}

/* A rod on a hinge with an elastic stop, against the solver `events`. */
static void a_pendulum_hits_its_limit(void **unused)
{
  (void)unused;
  write_scene(
    "local rod = sys:body { shape = scene.box { 1, 0.01, 0.01 }, density = 1000, position = { 0.5, 0, 0 } }\n"
    "sys:hinge { sys.ground, rod, at = { 0, 0, 0 }, axis = { 0, 0, 1 }, lower = -0.6, restitution = 0.5 }\n"
    "return sys");
  bench exact = run_written("events", 0.01, 0.7);
  static const char *const specs[] = { "moreau", "impulse-sle", "impulse-contact" };
  for (int i = 0; i < 3; i++) {
    char spec[64];
    const double tolerance = i < 2 ? 1e-3 : 1e-5;
    snprintf(spec, sizeof spec, "%s:error_tolerance=%g", specs[i], tolerance);
    bench b = run_written(spec, 0.1, 0.7);
    check_error(spec, distance_of_bodies(b.state, exact.state), tolerance);
    tear_down(&b);
  }
  tear_down(&exact);
}

/* The joint of a pendulum with its bodies exchanged: the same motion, in as many parts. */
static void exchanged_bodies_change_nothing(void **unused)
{
  (void)unused;
  static const char *const order[] = { "sys.ground, box", "box, sys.ground" };
  bench b[2];
  for (int i = 0; i < 2; i++) {
    char text[400];
    snprintf(
      text, sizeof text,
      "local box = sys:body { shape = scene.box { 1, 0.2, 0.1 }, density = 600, position = { 0.5, 0, 0 } }\n"
      "sys:ball { %s, at = { 0, 0, 0 } }\nreturn sys",
      order[i]);
    write_scene(text);
    b[i] = run_written("moreau:error_tolerance=1e-2", 0.05, 0.5);
  }
  ASSERT_COUNT("accepted parts", b[1].summary.control.accepted, b[0].summary.control.accepted);
  ASSERT_COUNT("rejected parts", b[1].summary.control.rejected, b[0].summary.control.rejected);
  check_below("difference of the motions, m", distance_of_bodies(b[0].state, b[1].state), 1e-9);
  tear_down(&b[0]), tear_down(&b[1]);
}

/* ---- Rejected parts ------------------------------------------------------------------------------------ */

static void must_step(hn_solver *solver, hn_state *at, double h)
{
  if (hn_solver_step(solver, at, h) != HN_CONVERGED) fail_msg("%s: step of %g s failed", solver->spec, h);
}

/* Takes STEPS steps of H by a solver of SPEC, then one of H by a solver whose tolerance rejects it once. Its
 * result must have the bits of four steps of H / 4, and its work must be that of nine steps. */
static void reject_once(const char *scene, const char *name, int steps, double h)
{
  char spec[96];
  snprintf(spec, sizeof spec, "%s%cerror_tolerance=1", name, strchr(name, ':') ? ',' : ':');
  bench plain = set_up(scene, name), all = set_up(scene, spec);
  for (int i = 0; i < steps; i++) must_step(plain.solver, plain.state, h);
  hn_state_copy(all.state, plain.state);
  must_step(all.solver, all.state, h);
  const double error = all.solver->doubling->memory->sum; /* of the whole step, which was accepted */
  snprintf(spec, sizeof spec, "%s%cerror_tolerance=%.17g", name, strchr(name, ':') ? ',' : ':', error / 1.2);
  bench one = set_up(scene, spec);
  hn_state_copy(one.state, plain.state);
  hn_solver_reset(plain.solver);
  must_step(one.solver, one.state, h);
  for (int i = 0; i < 4; i++) must_step(plain.solver, plain.state, 0.25 * h);
  const hn_doubling_memory *m = one.solver->doubling->memory;
  printf(" %s, %s: error of the whole step %.2e m\n", scene, name, error);
  ASSERT_COUNT("rejected parts", m->rejected, 1);
  ASSERT_COUNT("accepted parts", m->accepted, 2);
  ASSERT_COUNT("halvings of the report", one.solver->report.halvings, 1);
  ASSERT_COUNT("steps, by accelerations or flights",
               4 * (one.solver->system->work.accelerations + one.solver->system->work.flights),
               9 * (plain.solver->system->work.accelerations + plain.solver->system->work.flights));
  if (hn_state_hash(one.state, 1) != hn_state_hash(plain.state, 1))
    fail_msg("the rejected part left a trace");
  tear_down(&plain), tear_down(&all), tear_down(&one);
}

static void a_rejected_part_leaves_no_trace(void **unused)
{
  (void)unused;
  reject_once("table", "moreau", 20, 0.002);
  reject_once("double_pendulum", "moreau", 3, 0.01);
}

/* ---- Checkpoints --------------------------------------------------------------------------------------- */

static void a_resumed_run_has_the_same_bits(void **unused)
{
  (void)unused;
  hn_error error;
  const char *spec = "moreau:error_tolerance=1e-3";
  const hn_run_options options = { .step = 0.05, .duration = 0.8 };
  bench whole = set_up("bouncing_balls", spec), cut = set_up("bouncing_balls", spec),
        rest = set_up("bouncing_balls", spec);
  assert_int_equal(hn_run(whole.solver, whole.state, &options, &whole.summary), HN_CONVERGED);
  hn_runner *runner = hn_runner_create(cut.solver, cut.state, &options, &error);
  for (int i = 0; i < 7; i++) assert_int_equal(hn_runner_step(runner), HN_CONVERGED);
  FILE *file = tmpfile();
  assert_true(file && hn_runner_save(runner, file, &error) == 0);
  hn_runner_finish(runner, NULL);
  rewind(file);
  runner = hn_runner_resume(rest.solver, rest.state, &options, file, &error);
  if (!runner) fail_msg("%s", error.text);
  while (!hn_runner_ended(runner)) hn_runner_step(runner);
  hn_runner_finish(runner, &rest.summary);
  fclose(file);
  assert_true(rest.summary.hash == whole.summary.hash);
  ASSERT_COUNT("accepted parts", rest.summary.control.accepted, whole.summary.control.accepted);
  ASSERT_COUNT("residuals", rest.summary.work.residuals, whole.summary.work.residuals);
  check_near("estimate, m", rest.summary.control.estimate, whole.summary.control.estimate, 0.0);
  tear_down(&whole), tear_down(&cut), tear_down(&rest);
}

/* ---- Words --------------------------------------------------------------------------------------------- */

static void check_why(const bench *b, const char *words)
{
  printf("  %s\n", b->summary.control.why);
  assert_non_null(strstr(b->summary.control.why, words));
}

static int count_calls(void *calls, hn_control_context *moment, hn_error *error)
{
  (void)moment, (void)error;
  ++*(int *)calls;
  return 0;
}

static void a_run_says_why_it_misses_the_tolerance(void **unused)
{
  (void)unused;
  int calls = 0;
  bench fine = set_up("pendulum", "moreau:error_tolerance=1");
  must_converge(&fine, 1e-3, 0.1, NULL, NULL);
  check_why(&fine, "no step of the run was divided, since their errors are small enough");
  bench driven = set_up("pendulum", "moreau:error_tolerance=1e-2");
  const hn_run_options options = {
    .step = 0.05, .duration = 0.5, .control = count_calls, .controller = &calls
  };
  assert_int_equal(hn_run(driven.solver, driven.state, &options, &driven.summary), HN_CONVERGED);
  check_why(&driven, "is not known: a run with control cannot be repeated by pilot runs");
  ASSERT_COUNT("calls of control", calls, 10);
  tear_down(&fine), tear_down(&driven);
}

static void settings_that_do_not_fit_are_refused(void **unused)
{
  (void)unused;
  hn_model *model = double_pendulum();
  static const bad_spec bad[] = {
    { "impulse-sle:flight=taylor,step_control=1e-6,error_tolerance=1e-3",
      "step_control and error_tolerance both divide steps" },
    { "impulse-gs:flight=taylor,step_control=1e-6,error_tolerance=1e-3",
      "step_control and error_tolerance both divide steps" },
    { "moreau:error_tolerance=2", "error_tolerance = 2 is outside 0 to 1" },
  };
  check_refused(model, bad, sizeof bad / sizeof *bad);
  hn_model_free(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_error_at_the_end_is_as_wanted),
    cmocka_unit_test(a_sliding_block_rests_where_it_should),
    cmocka_unit_test(a_pendulum_hits_its_limit),
    cmocka_unit_test(exchanged_bodies_change_nothing),
    cmocka_unit_test(a_rejected_part_leaves_no_trace),
    cmocka_unit_test(a_resumed_run_has_the_same_bits),
    cmocka_unit_test(a_run_says_why_it_misses_the_tolerance),
    cmocka_unit_test(settings_that_do_not_fit_are_refused),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
