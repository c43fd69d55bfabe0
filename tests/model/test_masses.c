/* test_masses.c - redundancy depends on geometry alone, in runs too: very unequal masses make K singular to
 * rounding, and no policy mistakes that for redundant joints. */
#include "models.h"

#include <string.h>

static const char *const solver_specs[] = {
  "impulse-sle",
  "impulse-extrapolated",
  "impulse-composed",
  "lagrange:stepper=rk4",
  "half-explicit",
  "generalised-alpha",
  "ida",
  "taylor",
};
static const char *const policies[] = { "error", "remove", "min-norm", "loop-split" };
enum { SOLVERS = sizeof solver_specs / sizeof *solver_specs, POLICIES = 4 };

/* Runs ten steps of 1 ms of six boxes of masses 1 and RATIO in turn, one joint doubled if REPEATED; *state
 * receives the end. */
static hn_reason run_chain(int solver_spec, int policy, double ratio, bool repeated, hn_state **state,
                           hn_summary *summary)
{
  char spec[96];
  hn_model *model = uneven_chain(6, ratio, repeated);
  snprintf(spec, sizeof spec, "%s%credundancy=%s", solver_specs[solver_spec],
           strchr(solver_specs[solver_spec], ':') ? ',' : ':', policies[policy]);
  hn_solver *solver = new_solver(spec, model);
  hn_run_options options = { .step = 0.001, .duration = 0.01 };
  *state = hn_state_create(model);
  const hn_reason reason = hn_run(solver, *state, &options, summary);
  printf("  1 : %g, %s: %s %s\n", ratio, spec, hn_reason_name(reason),
         reason == HN_CONVERGED ? "" : summary->explanation);
  hn_solver_free(solver);
  hn_model_free(model);
  return reason;
}

static void regular_chains_are_regular(void **unused)
{
  (void)unused;
  for (double ratio = 1e6; ratio < 1e13; ratio *= 1e3)
    for (int m = 0; m < SOLVERS; m++)
      for (int k = 0; k < POLICIES; k++) {
        hn_state *at;
        hn_summary summary;
        const hn_reason reason = run_chain(m, k, ratio, false, &at, &summary);
        if (ratio < 1e7) assert_int_equal(reason, HN_CONVERGED);
        if (reason == HN_SINGULAR)
          assert_non_null(strstr(summary.explanation, "no joint repeats others, but masses"));
        if (ratio > 1e11) assert_int_not_equal(reason, HN_CONVERGED);
        hn_state_free(at);
      }
}

/* The motion is that of the chain without the doubled joint; a run that ends because of masses does not blame
 * the joint. */
static void repeated_joints_are_found_beside_masses(void **unused)
{
  (void)unused;
  for (double ratio = 1; ratio < 1e13; ratio *= ratio < 1e6 ? 1e6 : 1e3)
    for (int m = 0; m < SOLVERS; m++)
      for (int k = 0; k < POLICIES; k++) {
        hn_state *at, *plain;
        hn_summary summary;
        const hn_reason reason = run_chain(m, k, ratio, true, &at, &summary);
        if (k == 0) {
          assert_int_equal(reason, HN_SINGULAR);
          assert_non_null(strstr(summary.explanation, "redundancy=error; redundant: ball4"));
        } else if (ratio < 1e7) {
          assert_int_equal(reason, HN_CONVERGED);
          assert_int_equal(run_chain(m, 0, ratio, false, &plain, &summary), HN_CONVERGED);
          double apart = 0.0;
          for (int i = 1; i < at->nbody; i++)
            for (int c = 0; c < 3; c++) apart = larger(apart, fabs(at->pose[i].x[c] - plain->pose[i].x[c]));
          check_below("from the chain with the joint once, m", apart, 1e-9);
          hn_state_free(plain);
        } else if (reason == HN_SINGULAR) {
          assert_non_null(strstr(summary.explanation, "takes care of redundant joints, but masses"));
        }
        hn_state_free(at);
      }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(regular_chains_are_regular),
    cmocka_unit_test(repeated_joints_are_found_beside_masses),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
