/* test_slip_work.c - solver events: the work of a turning slip does not depend on its speed. Compared with scaled
 * scenes. */
#include "sliding_coin.h"

#include <signal.h>
#include <unistd.h>

static volatile sig_atomic_t stop;

static void request_stop(int signal)
{
  (void)signal;
  stop = 1;
}

/* Returns the operations of one step of 20 ms at SCALE, which takes milliseconds; it is stopped after 20 s. */
static double work_of_a_step(double scale)
{
  write_coin(2, 0.2, scale);
  hn_scene *scene = load_written(NULL, 0);
  hn_solver *solver = new_solver(EVENTS "lagrange:stepper=rk4", scene->model);
  hn_state *at = hn_state_create(scene->model);
  hn_summary summary;
  alarm(20);
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

int main(void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test(work_does_not_depend_on_the_speed) };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
