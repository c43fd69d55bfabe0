/* test_contact_limit.c - moreau's contact_limit: how long a run goes on whose contact problems contradict
 * themselves more and more, in closed form. */
#include "trials.h"

/* Two drives of one body, whose speeds differ by a t. */
static const double a = 1e-4, h = 1e-3;
static const char body[] = "local m = sys:particle { mass = 2, position = { 0, 0, 0 } }\n"
                           "sys:drive_position { sys.ground, m, at = { 0, 0, 0 }, axis = { 1, 0, 0 },\n"
                           "                     motion = { polynomial = { 0 } } }\n"
                           "sys:drive_position { sys.ground, m, at = { 0, 0, 0 }, axis = { 1, 0, 0 },\n"
                           "                     motion = { polynomial = { 0, 0, 0.5e-4 } } }\n"
                           "return sys";

/* Step n meets the speeds of the drives at its start: its residual is at least a (n - 1) h / 2. All steps but
 * the first miss the tolerance, and the one that ends the run is above the limit. */
static void runs_go_on_up_to_the_limit(void **state)
{
  (void)state;
  static const char *const specs[] = { "contact_limit=0", "contact_limit=1e-6", "", "contact_limit=1e-5" };
  static const double limit[] = { 0, 1e-6, 1e-5, 1e-5 };
  int steps[4];
  for (int i = 0; i < 4; i++) {
    char spec[80];
    snprintf(spec, sizeof spec, "moreau:stabilisation=none%s%s", *specs[i] ? "," : "", specs[i]);
    trial r = run_body(body, spec, h, 1);
    steps[i] = (int)r.summary.steps;
    printf(" %s: %d steps, %d of them above the tolerance; %s\n", spec, steps[i],
           (int)r.summary.contradictions, r.summary.explanation);
    assert_int_equal(r.reason, HN_STALLED);
    assert_non_null(strstr(r.summary.explanation, "contact_limit="));
    ASSERT_COUNT("steps above the tolerance", (int)r.summary.contradictions, steps[i] - 1);
    if (i > 0)
      check_below("contradiction of the last step over twice the limit",
                  a * (steps[i] - 1) * h / (2 * limit[i]), 1);
    assert_true(r.solver->report.residual > limit[i]);
    done(&r);
  }
  assert_int_equal(steps[0], 1);
  assert_true(steps[1] > 3 && steps[3] > 3 * steps[1]);
  assert_int_equal(steps[3], steps[2]); /* the default */
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(runs_go_on_up_to_the_limit),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
