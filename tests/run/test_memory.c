/* test_memory.c - hn_system_memory against the memory counted by malloc, without that of linear solver
 * libraries. */
#include "allocations.h"
#include "models.h"

/* Returns particles in a row, on rods. */
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

/* malloc counts one unused number at the end of every array. */
static void systems_report_their_memory(void **state)
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
    double counted = (double)(live_bytes - before), reported = (double)hn_system_memory(system);
    printf("  %d joints: %.0f bytes reported, %.0f counted\n", models[m]->njoint, reported, counted);
    check_near("reported over counted", reported / counted, 1.0, 0.03);
    hn_system_free(system);
    hn_model_free(models[m]);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test(systems_report_their_memory) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
