/* test_slip_work.c - solver events: the work of a turning slip does not depend on its speed. Compared with
 * scaled scenes; and motions of creeping wheels are long. */
#include "sliding_coin.h"

#include <signal.h>
#include <unistd.h>

static volatile sig_atomic_t stop;

static void request_stop(int signal)
{
  (void)signal;
  stop = 1;
}

/* Returns the operations of one step of 20 ms at SCALE, which takes milliseconds; it is stopped after 10 s.
 * */
static double work_of_a_step(double scale)
{
  write_coin(2, 0.2, scale);
  hn_scene *scene = load_written(NULL, 0);
  hn_solver *solver = new_solver(EVENTS "lagrange:stepper=rk4", scene->model);
  hn_state *at = hn_state_create(scene->model);
  hn_summary summary;
  alarm(10);
  const hn_run_options options = { .step = 0.02, .duration = 0.02, .stop = &stop };
  const hn_reason reason = hn_run(solver, at, &options, &summary);
  alarm(0);
  if (reason != HN_CONVERGED) fail_msg("%s", summary.explanation);
  const double work = (double)hn_work_operations(&summary.work);
  hn_state_free(at), hn_solver_free(solver), hn_scene_free(scene);
  return work;
}

/* The directions turn alike at slips of 0.02 m/s to 200 m/s, and so does the work. */
static void work_does_not_depend_on_the_speed(void **unused)
{
  (void)unused;
  static const double scales[] = { 0.5, 0.01, 100 };
  signal(SIGALRM, request_stop);
  double first = 0.0;
  for (int i = 0; i < 3; i++) {
    const double work = work_of_a_step(scales[i]);
    if (i == 0) first = work;
    printf("  scale %g: %g operations\n", scales[i], work);
    check_near("over those at scale 0.5", work / first, 1, 0.5);
  }
}

/* A car that rolls, by steps of moreau up to the time at which it steers; then its four wheels creep.
 * Friction rotates such slips at 1e4 1/s and faster: only equations across the slips make steps of 2 ms
 * possible. */
static void steps_over_creeping_wheels_are_long(void **unused)
{
  (void)unused;
  static const char creeping[] = "events:creep=led,inner=lagrange:redundancy=remove:stepper=rk8pd";
  hn_error error = { "" };
  bench before = set_up("car_road", "moreau:contact_tolerance=1e-8"), b = set_up("car_road", creeping);
  must_converge(&before, 0.005, 4.0, NULL, NULL);
  hn_state_copy(b.state, before.state);
  memcpy(b.state->input, before.state->input, sizeof *b.state->input * (size_t)b.state->ninput);
  hn_control *control = hn_control_create(b.scene, &error);
  assert_non_null(control);
  const hn_run_options options = {
    .step = 0.002, .duration = 0.02, .stop = &stop, .control = hn_control_step, .controller = control
  };
  signal(SIGALRM, request_stop);
  stop = 0;
  alarm(10);
  const hn_reason reason = hn_run(b.solver, b.state, &options, &b.summary);
  alarm(0);
  if (reason != HN_CONVERGED) fail_msg("%s", b.summary.explanation);
  printf("  %.4f s, %g operations in 10 steps\n", b.state->time, (double)hn_work_operations(&b.summary.work));
  assert_true(b.state->time > 4.015);
  hn_control_free(control);
  tear_down(&before), tear_down(&b);
}

int main(void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test(work_does_not_depend_on_the_speed),
                                      cmocka_unit_test(steps_over_creeping_wheels_are_long) };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
