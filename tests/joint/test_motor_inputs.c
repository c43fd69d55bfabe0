/* test_motor_inputs.c - motors of all solvers turn and move at the rate of their motion plus their input. */
#include "able.h"

/* The motors have no bounds, and the body moves as they demand from the start on: dx/dt = 2 + input. */
static void motors_add_their_input(void **state)
{
  (void)state;
  static const double duration = 0.5, inputs[2] = { 1.25, -3 };
  able list[16];
  /* clang-format off */
  write_scene("local b = sys:body { name = 'b', mass = 1, inertia = { 1, 1, 1 }, position = { 0, 0, 0 },\n"
              "  velocity = { 3.25, 0, 0 }, angular_velocity = { 0, 0, -1 } }\n"
              "sys:motor_position { sys.ground, b, at = { 0, 0, 0 }, axis = { 1, 0, 0 }, motion = 2 }\n"
              "sys:motor_angle { sys.ground, b, axis = { 0, 0, 1 }, motion = 2 }\nreturn sys");
  /* clang-format on */
  for (int k = 0, n = capable_solvers(list); k < n; k++) {
    hn_error error;
    hn_scene *scene = load_written(NULL, 0);
    hn_solver *solver = hn_solver_create(list[k].name, scene->model, &error);
    if (!solver) fail_msg("%s", error.text);
    hn_state *at = hn_state_create(scene->model);
    hn_summary summary;
    for (int i = 0; i < 2; i++) at->input[scene->model->joint[i].input] = inputs[i];
    if (hn_run(solver, at, &(hn_run_options){ .step = 0.01, .duration = duration }, &summary))
      fail_msg("%s", summary.explanation);
    printf(" %s\n", list[k].name);
    check_near("velocity, m/s", at->twist[1].v[0], 2 + inputs[0], 1e-12);
    check_near("way, m", at->pose[1].x[0], (2 + inputs[0]) * duration, 1e-12);
    check_near("angular velocity, rad/s", at->twist[1].w[2], 2 + inputs[1], 1e-12);
    hn_state_free(at);
    hn_solver_free(solver);
    hn_scene_free(scene);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(motors_add_their_input),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
