/* test_nncg.c - contact solver nncg: sweeps on high stacks against those of pgs, sweeps from replaced
 * impulses, and Coulomb's law on random problems against Newton's method. */
#include "contact/forecast.h"
#include "contact/pgs/block_sweep.h"
#include "against_newton.h"

/* Returns the slope of the line through Y over X, by least squares. */
static double slope_of(int count, const double *x, const double *y)
{
  double mean_x = 0, mean_y = 0, xx = 0, xy = 0;
  for (int i = 0; i < count; i++) mean_x += x[i] / count, mean_y += y[i] / count;
  for (int i = 0; i < count; i++)
    xx += (x[i] - mean_x) * (x[i] - mean_x), xy += (x[i] - mean_x) * (y[i] - mean_y);
  return xy / xx;
}

/* A column of n equal bodies whose impulses are 0.1 (n - i). The condition of K is proportional to n^2, and
 * so are sweeps. Conjugate gradients of a linear problem would need n; without a line search, more. */
static void sweeps_on_a_column(void **state)
{
  (void)state;
  enum { COUNT = 6 };
  const double below[3] = { 0, -0.5, 0 }, above[3] = { 0, 0.5, 0 };
  double size[COUNT], of_pgs[COUNT], of_nncg[COUNT];
  for (int k = 0; k < COUNT; k++) {
    const int n = (int)(8 * pow(1.5, k) + 0.5);
    trial_problem *t = problem_of(n + 1);
    double p[MAX_ROWS], worst = 0;
    for (int i = 1; i <= n; i++) t->u[6 * i + 1] = -0.1;
    for (int i = 1; i <= n; i++)
      add_contact(t, i - 1, i, i == 1 ? origin : above, below, upright, 3, cone(0.3));
    const int sweeps = iterations_of("pgs", 1e-9, t, p), fewer = iterations_of("nncg", 1e-9, t, p);
    for (int i = 0; i < n; i++) worst = larger(worst, fabs(p[3 * i] - 0.1 * (n - i)));
    printf(" %d bodies: pgs %d sweeps, nncg %d\n", n, sweeps, fewer);
    check_below("nncg: impulses off, N s", worst, 1e-9 * n * n);
    check_below("nncg: a fourth of the sweeps of pgs", 4.0 * fewer / sweeps, 1);
    size[k] = log(n), of_pgs[k] = log(sweeps), of_nncg[k] = log(fewer);
    free_problem(t);
  }
  check_near("exponent of pgs", slope_of(COUNT, size, of_pgs), 2, 0.2);
  check_near("exponent of nncg", slope_of(COUNT, size, of_nncg), 1.4, 0.3);
}

/* Returns random bodies of known inertia with contacts for groups of four, single ones, planar ones, a joint
 * and a bound. */
static trial_problem *mixed_problem(double *W, double *inv_mass)
{
  trial_problem *t = random_problem(12, 40, 10, 0.8);
  double row[1][12] = { { 0 } };
  const double arm[3] = { 0.3, -0.4, 0 };
  row[0][1] = -1, row[0][7] = 1;
  add_rows(t, 1, 2, 1, all, row), row[0][3] = 0.5;
  add_rows(t, 1, 3, 1, (hn_set){ .kind = HN_WITHIN, .lower = -0.1, .upper = 0.2 }, row);
  set_body(t, 11, 2, 1, 1, 1);
  add_contact(t, 0, 11, arm, arm, upright, 2, cone(0.5));
  use_inertias(t, W, inv_mass);
  return t;
}

/* A sweep after the impulses were replaced has the result of a sweep of the problem loaded with them. */
static void sweeps_from_replaced_impulses(void **state)
{
  (void)state;
  for (int round = 0; round < 4; round++) {
    double W[9 * MAX_BODIES], inv_mass[MAX_BODIES], first[MAX_ROWS], second[MAX_ROWS], p[MAX_ROWS],
      q[MAX_ROWS], apart = 0, moved = 0;
    trial_problem *t = mixed_problem(W, inv_mass);
    if (round == 3) use_matrix(t);
    hn_block_sweep sweep = { .nitem = 0 };
    hn_arrays arrays = { .failed = false };
    hn_block_sweep_setup(&sweep, &(hn_problem_size){ MAX_BLOCKS, MAX_ROWS, MAX_BODIES }, &arrays);
    for (int i = 0; i < t->p.nrow; i++) first[i] = random_in(-1, 1), second[i] = random_in(-1, 1);
    assert_true(hn_block_sweep_load(&sweep, &t->p, HN_LOCAL_CONE, 1, first));
    hn_block_sweep_next(&sweep, false);
    hn_block_sweep_set(&sweep, &t->p, second);
    hn_block_sweep_next(&sweep, false), hn_block_sweep_impulses(&sweep, &t->p, p);
    assert_true(hn_block_sweep_load(&sweep, &t->p, HN_LOCAL_CONE, 1, second));
    hn_block_sweep_next(&sweep, false), hn_block_sweep_impulses(&sweep, &t->p, q);
    for (int i = 0; i < t->p.nrow; i++)
      apart = larger(apart, fabs(p[i] - q[i])), moved = larger(moved, fabs(p[i] - second[i]));
    check_below("impulses apart, N s", apart, 1e-12);
    assert_true(moved > 0.1);
    hn_arrays_free(&arrays);
    free_problem(t);
  }
}

static void random_problems_against_newton(void **state)
{
  (void)state;
  for (int round = 0; round < 8; round++) {
    double p[MAX_ROWS];
    trial_problem *t = random_mechanism(round);
    check_against_newton("nncg", t, p);
    free_problem(t);
  }
}

/* Impulses are within their sets after any number of iterations, although extrapolated ones are not. */
static void budgets_end_within_the_sets(void **state)
{
  (void)state;
  trial_problem *t = random_problem(8, 20, 100, 0.8);
  double outside = 0;
  for (int most = 1; most <= 40; most++) {
    double p[MAX_ROWS] = { 0 };
    hn_contact_solver *solver = solver_of("nncg", 0, most);
    assert_int_equal(hn_contact_solve(solver, &t->p, p), HN_BUDGET);
    for (int k = 0; k < t->p.nblock; k++)
      outside = larger(outside,
                       fmax(-p[3 * k], hypot(p[3 * k + 1], p[3 * k + 2]) - t->block[k].set.mu * p[3 * k]));
    hn_contact_solver_free(solver);
  }
  check_below("outside of the cones, N s", fmax(outside, 0), 1e-13);
  free_problem(t);
}

/* A column of COUNT bodies that falls onto the ground with 0.1 m/s. */
static trial_problem *falling_column(int count)
{
  const double below[3] = { 0, -0.5, 0 }, above[3] = { 0, 0.5, 0 };
  trial_problem *t = problem_of(count + 1);
  for (int i = 1; i <= count; i++) t->u[6 * i + 1] = -0.1;
  for (int i = 1; i <= count; i++)
    add_contact(t, i - 1, i, i == 1 ? origin : above, below, upright, 3, cone(0.3));
  return t;
}

/* A column of 40 bodies needs 6 iterations a row. A forecast of more changes nothing; one of fewer ends the
 * solution, with the error of its impulses, and the fallback goes on from there. */
static void forecasts_end_slow_solutions(void **state)
{
  (void)state;
  enum { COUNT = 40 };
  double p[MAX_ROWS], q[MAX_ROWS];
  trial_problem *t = falling_column(COUNT);
  const int all_of = iterations_of("nncg", 1e-9, t, p);
  assert_int_equal(iterations_of("nncg:forecast=40", 1e-9, t, q), all_of);
  assert_memory_equal(p, q, sizeof *p * (size_t)t->p.nrow);
  assert_true(iterations_of("nncg:forecast=1:then=newton", 1e-9, t, q) < all_of / 2);
  check_below("impulses after the fallback, N s", fabs(q[0] - 0.1 * COUNT), 1e-9);

  hn_contact_solver *solver = solver_of("nncg:forecast=1", 1e-9, 1000000);
  memset(q, 0, sizeof q);
  assert_int_equal(hn_contact_solve(solver, &t->p, q), HN_STALLED);
  printf("  %d iterations\n", solver->iterations);
  assert_int_equal(solver->iterations % 10, 1); /* forecasts are made after 10, 20, ... iterations */
  check_near("error of the law over that reported", error_of(t, false, q) / solver->error, 1, 1e-9);
  hn_contact_solver_free(solver);
  static const char *const hasty[] = { "nncg:forecast=0.01", "admm:forecast=0.01" };
  for (int i = 0; i < 2; i++) { /* without a tolerance none is made */
    solver = solver_of(hasty[i], 0, 100);
    assert_int_equal(hn_contact_solve(solver, &t->p, q), HN_BUDGET);
    assert_int_equal(solver->iterations, 100);
    hn_contact_solver_free(solver);
  }
  /* iterations that run out: with a forecast the fallback goes on from there */
  static const char *const ended[] = { "nncg:iterations=50", "nncg:iterations=50:forecast=1000" };
  for (int i = 0; i < 2; i++) {
    solver = solver_of(ended[i], 1e-9, 1000000);
    memset(q, 0, sizeof q);
    assert_int_equal(hn_contact_solve(solver, &t->p, q), i ? HN_STALLED : HN_BUDGET);
    assert_int_equal(solver->iterations, 50);
    hn_contact_solver_free(solver);
  }
  free_problem(t);
}

/* admm needs 60 iterations for a column of 40 bodies, half a row. A forecast of 20 a row changes nothing; one
 * of 0.1 ends the solution at the first forecast. */
static void forecasts_end_slow_splittings(void **state)
{
  (void)state;
  enum { COUNT = 40 };
  double p[MAX_ROWS], q[MAX_ROWS] = { 0 };
  trial_problem *t = falling_column(COUNT);
  const int all_of = iterations_of("admm", 1e-9, t, p);
  assert_int_equal(iterations_of("admm:forecast=20", 1e-9, t, q), all_of);
  assert_memory_equal(p, q, sizeof *p * (size_t)t->p.nrow);
  hn_contact_solver *solver = solver_of("admm:forecast=0.1", 1e-9, 1000000);
  memset(q, 0, sizeof q);
  assert_int_equal(hn_contact_solve(solver, &t->p, q), HN_BUDGET);
  printf("  %d iterations of %d\n", solver->iterations, all_of);
  assert_int_equal(solver->iterations, 11);
  hn_contact_solver_free(solver);
  free_problem(t);
}

/* Errors that fall to 1e-5 of the first one in 5 iterations foretell 20 to 1e-10 after 10, whatever they are
 * in between. */
static void forecasts_are_of_the_smallest_error(void **state)
{
  (void)state;
  for (int most = 19; most <= 21; most += 2) {
    hn_forecast forecast = { 0 };
    bool exceeds = false;
    for (int k = 0; k <= 10; k++)
      exceeds |= hn_forecast_exceeds(&forecast, k, k == 5 ? 1e-5 : 1.0, most, 1e-10);
    ASSERT_COUNT("more than foretold", exceeds, most < 20);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(sweeps_on_a_column),
    cmocka_unit_test(sweeps_from_replaced_impulses),
    cmocka_unit_test(random_problems_against_newton),
    cmocka_unit_test(budgets_end_within_the_sets),
    cmocka_unit_test(forecasts_end_slow_solutions),
    cmocka_unit_test(forecasts_end_slow_splittings),
    cmocka_unit_test(forecasts_are_of_the_smallest_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
