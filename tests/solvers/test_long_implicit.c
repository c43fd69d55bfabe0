/* test_long_implicit.c - momentum of free bodies over 1e5 steps: implicit solvers. */
#include "free_momentum.h"

static void momentum_of_free_bodies_is_kept(void **state)
{
  (void)state;
  static const promise each[] = {
    { "energy-momentum:tolerance=1e-14", 0.008, 2, EXACT, EXACT, 1e-12, ORDER },
    { "radau:tolerance=1e-15", 0.016, 5, EXACT, 5, 1e-12, 1e-11 },
    { "blie", 0.008, 2, EXACT, 2, 1e-10, ORDER },
    { "blie:order=3", 0.008, 3, EXACT, 3, 1e-10, ORDER },
    { "generalised-alpha:formulation=ggl", 0.008, 2, EXACT, 2, 1e-10, 1e-8 },
    { "generalised-alpha:scheme=hht", 0.008, 2, EXACT, 2, 1e-10, ORDER },
    { "generalised-alpha:scheme=wbz", 0.008, 2, EXACT, 2, 1e-10, ORDER },
    { "generalised-alpha:scheme=newmark", 0.008, 1, EXACT, 1, 1e-10, ORDER },
    { "augmented", 0.008, 2, EXACT, 2, 1e-10, 1e-10 },
    { "penalty", 0.008, 2, EXACT, 2, ORDER, ORDER },
  };
  check_promises(each, sizeof each / sizeof *each);
}

int main(void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test(momentum_of_free_bodies_is_kept) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
