/* test_expectations.c - the expectations of every installed scene (sys:expect) are met. */
#include "written.h"

/* Returns the largest distance to the reference at the end, or NAN without one. */
static double reference_error(hn_scene *scene, const hn_state *end)
{
  size_t n = (size_t)scene->model->nbody;
  bool *has = calloc(n, sizeof *has);
  double *position = calloc(3 * n, sizeof *position), largest = NAN;
  hn_error error;
  int answer = hn_scene_reference(scene, end->time, has, position, &error);
  for (size_t i = 0; answer == 1 && i < n; i++) {
    if (!has[i]) continue;
    double d[3];
    for (int c = 0; c < 3; c++) d[c] = end->pose[i].x[c] - position[3 * i + (size_t)c];
    const double distance = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    largest = fmax(largest, distance); /* fmax ignores the initial NAN */
  }
  free(has);
  free(position);
  return largest;
}

static void check_expectation(hn_scene *scene, const hn_expectation *expected)
{
  const char *spec = expected->solver ? expected->solver : scene->solver;
  if (needs_missing_library(spec)) return;
  hn_error error = { "" };
  hn_solver *solver = hn_solver_create(spec, scene->model, &error);
  if (!solver) printf("  %s\n", error.text);
  assert_non_null(solver);
  hn_state *end = hn_state_create(scene->model);
  hn_control *control = scene->has_control ? hn_control_create(scene, &error) : NULL;
  assert_true(control || !scene->has_control);
  hn_run_options options = { .step = expected->step,
                             .duration = expected->duration,
                             .control = control ? hn_control_step : NULL,
                             .controller = control };
  hn_summary summary;
  hn_reason reason = hn_run(solver, end, &options, &summary);
  hn_control_free(control);
  printf("  %s:%d %s, step %g: %s\n", scene->name, expected->line, spec, expected->step,
         hn_reason_name(reason));
  assert_string_equal(hn_reason_name(reason), expected->reason);
  if (!isnan(expected->error)) check_below("  error, m", reference_error(scene, end), expected->error);
  if (!isnan(expected->drift)) check_below("  drift, m", summary.position_max, expected->drift);
  if (!isnan(expected->velocity_drift))
    check_below("  velocity, m/s", summary.velocity_max, expected->velocity_drift);
  if (!isnan(expected->energy_error))
    check_below("  energy, J", summary.energy_error_max, expected->energy_error);
  hn_state_free(end);
  hn_solver_free(solver);
}

static void expectations_of_scenes_are_met(void **state)
{
  (void)state;
  hn_error error;
  char **names = hn_scene_names(&error);
  for (size_t i = 0; names[i]; i++) {
    hn_scene *scene = load_installed(names[i]);
    for (size_t k = 0; k < scene->nexpectation; k++) check_expectation(scene, &scene->expectation[k]);
    hn_scene_free(scene);
  }
  hn_scene_names_free(names);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(expectations_of_scenes_are_met),
  };
  return cmocka_run_group_tests_name("expectations", tests, NULL, NULL);
}
