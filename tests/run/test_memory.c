/* test_memory.c - what a system says that it takes is what it takes, less what its back end has in libraries. */
#include "allocations.h"
#include "models.h"

/* Particles in a row, on rods. */
static hn_model *rods(int n)
{
  hn_model *model = new_model();
  for (int i = 1; i <= n; i++) {
    char name[16];
    snprintf(name, sizeof name, "p%d", i);
    add_rod(model, i - 1, add_particle(model, name, i, 0, 0));
  }
  return model;
}

/* Against what malloc gave, by which every array ends in a number that is not used. */
static void systems_tell_their_memory(void **state)
{
  (void)state;
  fail_allocation(0, false);
  hn_model *models[] = { box_chain(300), rods(500) };
  for (int m = 0; m < 2; m++) {
    hn_error error;
    const hn_linear_options ldl = { .backend = "ldl", .petsc = "" };
    long before = live_bytes;
    hn_system *system = hn_system_create(models[m], &error);
    assert_int_equal(hn_system_use_linear(system, &ldl, &error), 0);
    double taken = (double)(live_bytes - before), told = (double)hn_system_memory(system);
    printf("  %d joints: %.0f bytes told, %.0f taken\n", models[m]->njoint, told, taken);
    check_near("told over taken", told / taken, 1.0, 0.03);
    hn_system_free(system);
    hn_model_free(models[m]);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test(systems_tell_their_memory) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
