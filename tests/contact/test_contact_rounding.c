/* test_contact_rounding.c - contact problems that no solver solves to its tolerance. Contradictions at the
 * level of rounding are solved, with a note; real ones stall, and the message names contact and remedies. */
#include "contact_problems.h"
#include "scenes.h"

#include <float.h>
#include <stdio.h>

static const char *const solvers[] = { "pgs",    "apgd", "admm",          "newton", "lemke",
                                       "jacobi", "nncg", "extragradient", "ipm" };
enum { SOLVERS = sizeof solvers / sizeof *solvers };
/* kg: a heavy body that falls at 1 m/s on a light one of 1 kg, which lies on the ground */
static const double heavy = 1e5;

/* Two fixed joints of the heavy body with the light one have targets that differ by DELTA, m/s. */
static trial_problem *tower(double delta)
{
  trial_problem *t = problem_of(3);
  set_body(t, 2, heavy, 1, 1, 1);
  t->u[6 * 2 + 1] = -1;
  add_contact(t, 0, 1, origin, origin, upright, 1, push);
  for (int k = 0; k < 2; k++) {
    const hn_problem_block *block = add_contact(t, 1, 2, origin, origin, upright, 1, all);
    t->b[block->row] += k ? 0.5 * delta : -0.5 * delta;
  }
  return t;
}

/* The impulses are 1e5 N s on 1 kg, from below and from above: each row of the light body is the sum of twice
 * 1e5 m/s, and 1 m/s without impulses. */
static double level_of_tower(void)
{
  return DBL_EPSILON * (1 + 2 * heavy + 1);
}

static void the_level_knows_velocities_that_impulses_cause(void **state)
{
  (void)state;
  trial_problem *t = tower(0);
  double work[6 * MAX_BODIES];
  const double p[3] = { heavy, 0.75 * heavy, 0.25 * heavy }, none[3] = { 0 }, huge[3] = { 1e30, 1e30, 1e30 };
  for (int matrix = 0; matrix < 2; matrix++) {
    if (matrix) use_matrix(t);
    check_near("level of the tower, m/s", hn_problem_rounding(&t->p, p, work), level_of_tower(),
               1e-5 * level_of_tower());
    check_near("without impulses, m/s", hn_problem_rounding(&t->p, none, work), DBL_EPSILON, 0);
    check_near("of a solver that diverges, m/s", hn_problem_rounding(&t->p, huge, work),
               DBL_EPSILON * (1 + 1e6), 1e-6 * DBL_EPSILON);
  }
  free_problem(t);
}

/* Solves the tower whose contradiction is LEVELS rounding levels. */
static hn_reason solve_tower(const char *spec, double levels, bool *at_rounding, double *residual)
{
  trial_problem *t = tower(levels * level_of_tower());
  double p[MAX_ROWS] = { heavy, 0.5 * heavy, 0.5 * heavy }; /* the solution without the contradiction */
  hn_contact_solver *solver = solver_of(spec, 1e-14, 20000);
  const hn_reason reason = hn_contact_solve(solver, &t->p, p);
  *at_rounding = solver->at_rounding, *residual = error_of(t, false, p);
  hn_contact_solver_free(solver);
  free_problem(t);
  return reason;
}

/* A velocity misses one of two targets that differ by d by at least d / 2, and by d if it has the other one:
 * 10 levels are solved, and 1000 leave 500. */
static void contradictions_of_rounding_are_solved(void **state)
{
  (void)state;
  for (int i = 0; i < SOLVERS; i++) {
    bool at_rounding;
    double residual;
    printf("%s:\n", solvers[i]);
    assert_int_equal(solve_tower(solvers[i], 10, &at_rounding, &residual), HN_CONVERGED);
    check_below("  contradiction of 10 levels: residual, levels", residual / level_of_tower(), 100);
    assert_true(at_rounding);
    assert_int_not_equal(solve_tower(solvers[i], 1000, &at_rounding, &residual), HN_CONVERGED);
    check_below("  of 1000 levels: 500 levels over the residual", 500 * level_of_tower() / residual, 1.01);
    assert_false(at_rounding);
  }
}

/* ---- Messages ------------------------------------------------------------------------------------------ */

/* Returns the number after WORD in TEXT. */
static double number_after(const char *text, const char *word)
{
  const char *at = strstr(text, word);
  if (!at) fail_msg("no %s in: %s", word, text);
  return strtod(at + strlen(word), NULL);
}

/* Runs a stack for one step with SETTINGS; the explanation goes to TEXT. */
static hn_reason step_stack(const char *spec, const char *settings, char *text, size_t size)
{
  char full[256];
  snprintf(full, sizeof full, "%s:contact=pgs,%s", spec, settings);
  bench b = set_up_as("stack", WITH("boxes=2"), full);
  const hn_reason reason = run(&b, 0.01, 0.01, NULL, NULL);
  snprintf(text, size, "%s", b.summary.explanation);
  tear_down(&b);
  return reason;
}

/* The message names both bodies and the limit; its remedies let the run go on. */
static void a_stall_names_the_contact_and_remedies(void **state)
{
  (void)state;
  static const char *const specs[] = { "moreau", "impulse-contact" };
  for (int i = 0; i < 2; i++) {
    char text[sizeof(hn_error)], again[512], setting[64];
    assert_int_equal(step_stack(specs[i], "sweeps=12", text, sizeof text), HN_STALLED);
    printf("%s\n", text);
    assert_non_null(strstr(text, "worst contact \"box"));
    assert_non_null(strstr(text, "all of sweeps=12"));
    assert_non_null(strstr(text, "(every step makes 12 sweeps, whatever they leave)"));
    const double residual = number_after(text, "with residual "),
                 tolerance = number_after(text, "To go on: contact_tolerance=");
    check_below("residual over the suggested tolerance", residual / tolerance, 1);
    check_below("and the reverse", tolerance / residual, 2.51); /* 1, 2, 5: steps of 2.5 at most */
    snprintf(setting, sizeof setting, "sweeps=12,contact_tolerance=%g", tolerance);
    /* a step of impulse-contact has several problems */
    if (i == 0) assert_int_equal(step_stack(specs[i], setting, again, sizeof again), HN_CONVERGED);
    assert_int_equal(step_stack(specs[i], "sweeps=12,contact_tolerance=0", again, sizeof again),
                     HN_CONVERGED);
    assert_int_equal(step_stack(specs[i], "sweeps=10000", again, sizeof again), HN_CONVERGED);
  }
}

static void ten_times_the_tolerance_is_judged(void **state)
{
  (void)state;
  char text[sizeof(hn_error)], setting[64];
  step_stack("moreau", "sweeps=12", text, sizeof text);
  const double residual = number_after(text, "with residual ");
  snprintf(setting, sizeof setting, "sweeps=12,contact_tolerance=%g", residual / 9);
  assert_int_equal(step_stack("moreau", setting, text, sizeof text), HN_STALLED);
  assert_non_null(strstr(text, "(10 times the tolerance is enough)"));
  snprintf(setting, sizeof setting, "sweeps=12,contact_tolerance=%g", residual / 11);
  assert_int_equal(step_stack("moreau", setting, text, sizeof text), HN_STALLED);
  assert_non_null(strstr(text, "(10 times the tolerance is not enough)"));
}

/* Problems that are solved island by island: the joint is named by its place in the scene. */
static void joints_of_an_island_have_their_names(void **state)
{
  (void)state;
  bench b = set_up("walking_ground", "events:contact=pgs,time_stepping=false");
  assert_int_equal(run(&b, 0.004, 0.02, NULL, NULL), HN_STALLED);
  printf("%s\n", b.summary.explanation);
  assert_non_null(strstr(b.summary.explanation, "worst joint \"pin_"));
  assert_non_null(strstr(b.summary.explanation, "another contact= than pgs"));
  tear_down(&b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_level_knows_velocities_that_impulses_cause),
    cmocka_unit_test(contradictions_of_rounding_are_solved),
    cmocka_unit_test(a_stall_names_the_contact_and_remedies),
    cmocka_unit_test(ten_times_the_tolerance_is_judged),
    cmocka_unit_test(joints_of_an_island_have_their_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
