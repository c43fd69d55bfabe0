/* test_long_momentum.c - momentum of free bodies over 1e5 steps: symplectic and explicit solvers. */
#include "free_momentum.h"

static void momentum_of_free_bodies_is_kept(void **state)
{
  (void)state;
  static const promise each[] = {
    { "variational:tolerance=1e-13", 0.008, 2, EXACT, EXACT, 1e-12, 1e-11 },
    { "variational:derivative=exponential,tolerance=1e-13", 0.008, 2, EXACT, EXACT, 1e-12, 1e-11 },
    { "lagrange:formulation=ggl", 0.008, 4, EXACT, 4, ORDER, ORDER },
    { "lagrange:group=rkmk,stabilisation=projection", 0.008, 4, EXACT, 4, 1e-11, 1e-10 },
    { "lagrange:group=crouch-grossman,stabilisation=projection", 0.008, 4, EXACT, 4, 1e-11, 1e-10 },
    { "lagrange:group=commutator-free,stabilisation=projection", 0.008, 4, EXACT, 4, 1e-11, 1e-10 },
    { "hem5", 0.016, 5, EXACT, 5, ORDER, 1e-10 },
  };
  check_promises(each, sizeof each / sizeof *each);
}

int main(void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test(momentum_of_free_bodies_is_kept) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
