/* test_failures.c - reports of failed steps: the reported residual is the one that the tolerance misses, and
 * a residual that is not finite is a reason of its own. */
#include "scenes.h"

#include <stdlib.h>

/* Steps the double pendulum once with SPEC, and stores the report. */
static hn_reason take_step(const char *spec, double h, hn_report *report, char *text, size_t size)
{
  bench b = set_up("double_pendulum", spec);
  const hn_reason reason = hn_solver_step(b.solver, b.state, h);
  *report = b.solver->report;
  hn_solver_explain(b.solver, reason, h, text, size);
  tear_down(&b);
  return reason;
}

/* A step that stalls after its iterations passes the stage in which it stalled with a tolerance just above
 * the reported residual, and stalls there with one just below. The explanation shows that residual. */
static void reported_residual_is_compared_with_the_tolerance(void **unused)
{
  (void)unused;
  static const struct {
    const char *solver;
    int iterations;
  } each[] = { { "impulse-sle", 1 }, { "impulse-sle", 2 }, { "impulse-gs", 5 }, { "impulse-gs", 9 } };
  for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
    char spec[100], text[300];
    hn_report report;
    snprintf(spec, sizeof spec, "%s:tolerance=1e-16,iterations=%d", each[i].solver, each[i].iterations);
    assert_int_equal(take_step(spec, 0.05, &report, text, sizeof text), HN_STALLED);
    printf("  %s\n", text);
    const char *shown = strstr(text, "residual ");
    assert_non_null(shown);
    const double residual = report.residual;
    const char *stage = report.stage;
    check_near("residual in the explanation, over the reported one", strtod(shown + 9, NULL) / residual, 1,
               5e-3);
    for (int above = 0; above < 2; above++) {
      snprintf(spec, sizeof spec, "%s:tolerance=%.17g,iterations=%d", each[i].solver,
               residual * (above ? 1 + 1e-6 : 1 - 1e-6), each[i].iterations);
      const hn_reason reason = take_step(spec, 0.05, &report, text, sizeof text);
      printf("  %s: %s\n", spec, text);
      const bool passed = reason == HN_CONVERGED || strcmp(report.stage, stage) != 0;
      assert_int_equal(passed, above);
    }
  }
}

/* The notes of a failure return what the solver returns: its reason, or that the residual is not finite. */
static void residuals_that_are_not_finite_are_a_reason(void **unused)
{
  (void)unused;
  static const double residual[] = { 0.25, 1e300, NAN, INFINITY, -INFINITY };
  static const hn_reason given[] = { HN_STALLED, HN_BUDGET, HN_SINGULAR };
  bench b = set_up("double_pendulum", "impulse-sle");
  for (int i = 0; i < 5; i++) {
    const bool finite = i < 2;
    for (int k = 0; k < 3; k++)
      assert_int_equal(hn_step_failed(b.solver, given[k], "trial", 1, residual[i]),
                       finite ? given[k] : HN_NOT_FINITE);
    assert_int_equal(hn_step_stalled(b.solver, "trial", 1, residual[i], 7),
                     finite ? HN_STALLED : HN_NOT_FINITE);
    assert_memory_equal(&b.solver->report.residual, &residual[i], sizeof residual[i]);
    assert_true(b.solver->report.joint == 1 && b.solver->report.iterations == 7);
    assert_string_equal(b.solver->report.stage, "trial");
  }
  tear_down(&b);
}

/* Joints that are pulled apart by more than the largest number have no finite residual, which is said. */
static void overflow_is_not_a_stall(void **unused)
{
  (void)unused;
  static const char *const each[] = { "impulse-sle", "impulse-gs", "lagrange", "half-explicit", "moreau" };
  for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
    char text[300];
    hn_report report;
    const hn_reason reason = take_step(each[i], 1e300, &report, text, sizeof text);
    printf("  %s\n", text);
    assert_int_equal(reason, HN_NOT_FINITE);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(reported_residual_is_compared_with_the_tolerance),
    cmocka_unit_test(residuals_that_are_not_finite_are_a_reason),
    cmocka_unit_test(overflow_is_not_a_stall),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
