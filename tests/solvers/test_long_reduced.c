/* test_long_reduced.c - momentum of free bodies over 1e5 steps: solvers with independent coordinates. */
#include "free_momentum.h"

static void momentum_of_free_bodies_is_kept(void **state)
{
  (void)state;
  static const promise each[] = {
    { "articulated", 0.008, 4, 4, 4, 1e-12, 1e-11 },
    { "articulated:stepper=semi-implicit", 0.008, 1, 1, 1, 1e-12, 1e-11 },
    { "partition", 0.008, 4, 4, 4, 1e-11, 1e-10 },
    { "null-space", 0.008, 4, EXACT, 4, 1e-11, 1e-10 },
    { "null-space:growth=1", 0.008, 4, EXACT, 4, 1e-11, 1e-10 },
  };
  check_promises(each, sizeof each / sizeof *each);
}

int main(void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test(momentum_of_free_bodies_is_kept) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
