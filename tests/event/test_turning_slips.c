/* test_turning_slips.c - solver events: slips whose directions turn within a step. Compared with fine steps.
 * */
#include "sliding_coin.h"

/* In one step of 0.12 s the slip turns by more than a radian, as the coin falls over. The step is divided
 * into motions of 0.25 rad, for each of which rk4 errs by about 0.25^5 / 120 of the 0.2 m that the coin
 * moves. */
static void long_steps_are_divided_by_the_turn_of_the_slip(void **unused)
{
  (void)unused;
  write_coin(2, 0.2, 1);
  trial coarse = run_spec(EVENTS "lagrange:stepper=rk4", 0.12, 0.12, NULL, NULL);
  trial fine = run_spec(EVENTS "lagrange:stepper=rk4", 0.001, 0.12, NULL, NULL);
  assert_true(coarse.reason == HN_CONVERGED && fine.reason == HN_CONVERGED);
  check_below("difference of steps of 120 ms and 1 ms, m", farthest(coarse.state, fine.state), 2e-5);
  done(&coarse), done(&fine);
}

int main(void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test(long_steps_are_divided_by_the_turn_of_the_slip) };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
