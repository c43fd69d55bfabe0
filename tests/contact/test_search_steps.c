/* test_search_steps.c - lengths of steps in contact solvers: the line search of Newton's method and its
 * steps to changes of mode; the penalty of ADMM where impulses are small. */
#include "contact/admm/admm_policy.h"
#include "contact_problems.h"

/* The line search accepts no merit above the largest of the last three, so the error cannot grow far above
 * that of the start: by no more than the ratio of the two measures of error. Whole steps let it grow a
 * thousandfold. */
static void errors_stay_near_that_of_the_start(void **state)
{
  (void)state;
  double worst = 0;
  int most = 0;
  for (int i = 0; i < 40; i++) {
    seed = 1000u + 77u * (uint32_t)i;
    trial_problem *t = random_problem(6, 8 + i % 5 * 4, 100, 1.5);
    double p[MAX_ROWS] = { 0 };
    hn_contact_solver *solver = solver_of("newton:sweeps=0", 1e-10, 300);
    hn_error error;
    assert_int_equal(hn_contact_solver_keep_history(solver, 1000, &error), 0);
    assert_int_equal(hn_contact_solve(solver, &t->p, p), HN_CONVERGED);
    assert_true(error_of(t, false, p) <= 1e-10);
    for (int k = 0; k < solver->kept; k++) worst = larger(worst, solver->history[k] / solver->history[0]);
    most = solver->iterations > most ? solver->iterations : most;
    hn_contact_solver_free(solver);
    free_problem(t);
  }
  printf("  40 random problems: at most %d iterations\n", most);
  check_below("largest error over that of the start", worst, 10);
}

/* Returns two boxes on four points each, which fall at 0.1 m/s; the upper one slides at KICK. Points, and
 * velocities along the normals, are off by up to OFF: the redundant contacts contradict each other. */
static trial_problem *two_boxes(double off, double kick)
{
  trial_problem *t = problem_of(3);
  for (int i = 1; i <= 2; i++) set_body(t, i, 1, 1.0 / 6, 1.0 / 6, 1.0 / 6), t->u[6 * i + 1] = -0.1;
  t->u[12] = kick;
  for (int k = 0; k < 8; k++) {
    const double x = k % 2 ? 0.5 : -0.5, z = k / 2 % 2 ? 0.5 : -0.5;
    double a[3] = { x, k < 4 ? 0 : 0.5, z }, b[3] = { x, -0.5, z };
    for (int c = 0; c < 3; c++) a[c] += off * random_in(-1, 1), b[c] += off * random_in(-1, 1);
    add_contact(t, k / 4, k / 4 + 1, a, b, upright, 3, cone(0.5));
    t->b[3 * k] += off * random_in(-1, 1);
  }
  return t;
}

/* Contacts contradict each other by ten times the tolerance. In a solution one of them slides by as little,
 * with all its friction; only steps to the change of mode get there. About three in five of the problems are
 * solved, and one in five without these steps. */
static void contradictions_are_solved_by_changes_of_mode(void **state)
{
  (void)state;
  enum { PROBLEMS = 200, EXPECTED = PROBLEMS * 2 / 5 };
  int found = 0;
  seed = 12345;
  for (int i = 0; i < PROBLEMS; i++) {
    trial_problem *t = two_boxes(1e-11, 0.02 * (i % 5));
    double p[MAX_ROWS] = { 0 };
    hn_contact_solver *solver = solver_of("newton:sweeps=0", 1e-12, 300);
    const hn_reason reason = hn_contact_solve(solver, &t->p, p);
    assert_true(reason != HN_CONVERGED || error_of(t, false, p) <= 1e-12);
    found += reason == HN_CONVERGED;
    hn_contact_solver_free(solver);
    free_problem(t);
  }
  printf("  %d of %d problems solved to a tenth of the contradictions, expected at least %d\n", found,
         PROBLEMS, EXPECTED);
  assert_true(found >= EXPECTED);
}

/* Residuals are judged by the larger of k |p| and |b|. Where impulses are next to nothing, as between bodies
 * that hardly touch, balanced residuals remain balanced. */
static void small_impulses_leave_the_penalty(void **state)
{
  (void)state;
  for (double impulse = 1; impulse > 1e-13; impulse *= 1e-3) {
    hn_admm_penalty penalty = hn_admm_penalty_start(0.1);
    const bool changed = hn_admm_penalty_review(&penalty, 1000, (hn_admm_residuals){ 0.1, impulse, 0.1, 1 });
    printf("  k |p| = %g m/s, |b| = 1 m/s:", impulse);
    check_near("penalty", penalty.rho, 0.1, 0);
    assert_false(changed);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(errors_stay_near_that_of_the_start),
    cmocka_unit_test(contradictions_are_solved_by_changes_of_mode),
    cmocka_unit_test(small_impulses_leave_the_penalty),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
