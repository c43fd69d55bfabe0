/* test_extragradient.c - contact solver extragradient: sliding contacts do not lift off, random problems
 * against Newton's method, and matrices that are not symmetric. */
#include "against_newton.h"

/* A mass of 1 with velocities 3 along and -2 down, friction 1/2. Coulomb: p_n = 2 and v_n = 0; relaxed: p_n =
 * (2 + 3 / 2) / (1 + 1 / 4) and v_n = |v_t| / 2. */
static void a_sliding_contact_does_not_lift_off(void **state)
{
  (void)state;
  for (int n = 2; n <= 3; n++) {
    trial_problem *t = problem_of(2);
    double p[MAX_ROWS], v[3], work[12];
    t->u[6] = 3, t->u[7] = -2;
    add_contact(t, 0, 1, origin, origin, upright, n, cone(0.5));
    iterations_of("extragradient", 1e-13, t, p);
    hn_problem_velocities(&t->p, p, work, v);
    check_near("p_n, N s", p[0], 2, 1e-12);
    check_near("p_t, N s", p[1], -1, 1e-12);
    check_near("v_n, m/s", v[0], 0, 1e-12);
    iterations_of("apgd", 1e-13, t, p);
    hn_problem_velocities(&t->p, p, work, v);
    check_near("apgd: p_n, N s", p[0], 2.8, 1e-12);
    check_near("apgd: v_n, m/s", v[0], 0.5 * fabs(v[1]), 1e-12);
    free_problem(t);
  }
}

/* Returns the largest normal velocity of contacts of T that bear impulses P and slide; COUNT is increased by
 * their number. */
static double lift_of(const trial_problem *t, const double *p, int *count)
{
  double v[MAX_ROWS], work[6 * MAX_BODIES], largest = 0;
  hn_problem_velocities(&t->p, p, work, v);
  for (int k = 0; k < t->p.nblock; k++) {
    const int row = t->block[k].row;
    if (t->block[k].set.kind != HN_CONE || p[row] < 1e-6 || hypot(v[row + 1], v[row + 2]) < 1e-6) continue;
    largest = larger(largest, v[row]), ++*count;
  }
  return largest;
}

/* Random problems with joints, bounds and contacts in space, by bodies and with K given. The residual is
 * computed from the rows; the motion is that which Newton's method finds. */
static void random_problems_against_newton(void **state)
{
  (void)state;
  int sliding = 0, lifted = 0;
  double lift = 0;
  for (int round = 0; round < 8; round++) {
    double p[MAX_ROWS];
    trial_problem *t = random_mechanism(round);
    iterations_of("apgd", 1e-11, t, p), lift = larger(lift, lift_of(t, p, &lifted));
    check_against_newton("extragradient", t, p);
    check_below("normal velocity of sliding contacts, m/s", lift_of(t, p, &sliding), 1e-9);
    free_problem(t);
  }
  printf("  %d contacts slide\n", sliding);
  assert_true(sliding > 10);
  check_below("apgd: 0.01 over the largest normal velocity", 0.01 / lift, 1);
}

/* K with a skew part of 0.5 % of its entries is solved as given: the law holds for it, not for its symmetric
 * part, and no solver of symmetric problems has the same result. */
static void matrices_that_are_not_symmetric(void **state)
{
  (void)state;
  trial_problem *t = random_problem(6, 5, 1, 0.4);
  double p[MAX_ROWS];
  use_matrix(t);
  for (int i = 0; i < t->p.nrow; i++)
    for (int k = t->K.start[i]; k < t->K.start[i + 1]; k++)
      t->K.value[k] *= t->K.column[k] > i ? 1.005 : t->K.column[k] < i ? 0.995 : 1;
  check_below("0.001 over the asymmetry", 0.001 / hn_problem_asymmetry(&t->p), 1);
  iterations_of("extragradient", 1e-10, t, p);
  check_below("law of K as given, m/s", error_of(t, false, p), 1e-10);
  free_problem(t);
}

/* K = (0.1, 1; -1, 0.1) turns p: gradients without the trial step move away from the solution K^-1 (1, 2),
 * with the steps that Khobotov's rule accepts. */
static void a_rotation_needs_the_trial_step(void **state)
{
  (void)state;
  int start[] = { 0, 2, 4 }, column[] = { 0, 1, 0, 1 };
  double value[] = { 0.1, 1, -1, 0.1 }, b[] = { -1, -2 }, p[2] = { 0 };
  hn_problem_matrix K = { start, column, value };
  hn_problem_block block[2] = { { .row = 0, .n = 1, .set = all }, { .row = 1, .n = 1, .set = all } };
  const hn_problem problem = { .h = 1, .nblock = 2, .nrow = 2, .block = block, .b = b, .K = &K };
  hn_contact_solver *solver = solver_of("extragradient", 1e-12, 2000);
  assert_int_equal(hn_contact_solve(solver, &problem, p), HN_CONVERGED);
  check_near("p_1, N s", p[0], (0.1 - 2) / 1.01, 1e-10);
  check_near("p_2, N s", p[1], (1 + 0.2) / 1.01, 1e-10);
  hn_contact_solver_free(solver);
}

/* A row that nothing moves keeps its velocity of 1 m/s, whatever its impulse: a contradiction. Steps do not
 * grow without a bound, and the best impulses found are the result. */
static void a_row_that_nothing_moves(void **state)
{
  (void)state;
  trial_problem *t = problem_of(2);
  double row[1][12] = { { 0, 1 } }, p[MAX_ROWS] = { 0 };
  add_rows(t, 0, 0, 1, push, row);
  t->b[0] = -1;
  assert_int_equal(solved("extragradient", 1e-10, 5000, t, p), HN_BUDGET);
  check_near("the contradiction is left, m/s", error_of(t, false, p), 1, 1e-12);
  free_problem(t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_sliding_contact_does_not_lift_off),
    cmocka_unit_test(random_problems_against_newton),
    cmocka_unit_test(matrices_that_are_not_symmetric),
    cmocka_unit_test(a_rotation_needs_the_trial_step),
    cmocka_unit_test(a_row_that_nothing_moves),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
