/* test_unsymmetric.c - contact problems whose given matrix is not symmetric: read, solved as given or
 * with the symmetric part, written, refused. */
#include "contact_problems.h"

#include <stdio.h>
#include <unistd.h>

static char path[64];

/* Returns a problem of one contact in the plane, with the matrix (K_nn, K_nt; K_tn, K_tt). */
static trial_problem *planar_contact(const double K[4], double v_n, double v_t, double mu)
{
  trial_problem *t = problem_of(2);
  add_contact(t, 0, 1, upright, origin, upright, 2, cone(mu));
  use_matrix(t);
  free(t->K.column), free(t->K.value);
  t->K.column = calloc(4, sizeof *t->K.column), t->K.value = calloc(4, sizeof *t->K.value);
  for (int k = 0; k < 4; k++) t->K.column[k] = k % 2, t->K.value[k] = K[k], t->K.start[k / 2 + 1] = k + 1;
  t->b[0] = v_n, t->b[1] = v_t;
  return t;
}

/* The impulse of a sticking contact is -K^-1 b. */
static void stick(const double K[4], const double b[2], double p[2])
{
  const double det = K[0] * K[3] - K[1] * K[2];
  p[0] = (K[1] * b[1] - K[3] * b[0]) / det, p[1] = (K[2] * b[0] - K[0] * b[1]) / det;
}

/* The impulse of a contact that slides with v_t > 0: p_t = -mu p_n, K_nn p_n + K_nt p_t + b_n = 0. */
static void slide(const double K[4], const double b[2], double mu, double p[2])
{
  p[0] = -b[0] / (K[0] - mu * K[1]), p[1] = -mu * p[0];
}

/* Checks the impulses of all exact solvers against CLOSED of the given matrix, or of its symmetric part. */
static void check_contact(const char *what, trial_problem *t, const double given[2],
                          const double symmetric[2])
{
  static const char *const spec[] = { "pgs", "newton", "admm", "lemke" };
  printf(" %s: impulses differ by %.1e with the symmetric part\n", what,
         hypot(given[0] - symmetric[0], given[1] - symmetric[1]));
  for (int k = 0; k < 4; k++) {
    double p[2] = { 0 };
    hn_contact_solver *solver = solver_of(spec[k], 1e-13, 100000);
    assert_int_equal(hn_contact_solve(solver, &t->p, p), HN_CONVERGED);
    const double *closed = solver->symmetrised ? symmetric : given;
    ASSERT_COUNT(spec[k], solver->symmetrised, k > 1);
    check_below(spec[k], hypot(p[0] - closed[0], p[1] - closed[1]), 1e-12);
    hn_contact_solver_free(solver);
  }
}

/* One contact against closed forms. K_nt and K_tn differ by 0.8 % of the largest entry. */
static void one_contact(void **state)
{
  (void)state;
  const double K[4] = { 2, 0.6, 0.584, 1.5 }, S[4] = { 2, 0.592, 0.592, 1.5 };
  const double sticking[2] = { -1, 0.1 }, sliding[2] = { -1, 2 };
  double given[2], symmetric[2];
  trial_problem *t = planar_contact(K, sticking[0], sticking[1], 0.9);
  check_near("asymmetry", hn_problem_asymmetry(&t->p), 0.008, 1e-15);
  stick(K, sticking, given), stick(S, sticking, symmetric);
  assert_true(fabs(given[1]) < 0.9 * given[0]);
  check_contact("sticking", t, given, symmetric);
  free_problem(t);
  t = planar_contact(K, sliding[0], sliding[1], 0.5);
  slide(K, sliding, 0.5, given), slide(S, sliding, 0.5, symmetric);
  assert_true(K[2] * given[0] + K[3] * given[1] + sliding[1] > 0);
  check_contact("sliding", t, given, symmetric);
  free_problem(t);
}

/* Returns a problem with fewer rows than velocities, so that its solution is unique, whose matrix is
 * changed in one triangle by up to DIFFERENCE of its largest entry. */
static trial_problem *skewed_problem(double difference)
{
  trial_problem *t = random_problem(6, 8, 3, 0.5);
  double largest = 0;
  use_matrix(t);
  for (int k = 0; k < t->K.start[t->p.nrow]; k++) largest = larger(largest, fabs(t->K.value[k]));
  for (int row = 0; row < t->p.nrow; row++)
    for (int k = t->K.start[row]; k < t->K.start[row + 1]; k++)
      if (t->K.column[k] > row) t->K.value[k] += random_in(-difference, difference) * largest;
  return t;
}

static void solve_skewed(const char *spec, const trial_problem *t, double *p)
{
  hn_contact_solver *solver = solver_of(spec, 1e-12, 200000);
  memset(p, 0, sizeof *p * MAX_ROWS);
  assert_int_equal(hn_contact_solve(solver, &t->p, p), HN_CONVERGED);
  hn_contact_solver_free(solver);
}

/* Newton's method uses both triangles: near the solution it converges quadratically, in at most 5
 * iterations. With one triangle alone each iteration would reduce the error by about the asymmetry: 5
 * from 1e-2 to 1e-13, after those that find the modes. */
static void newton_uses_both_triangles(void **state)
{
  (void)state;
  double p[MAX_ROWS];
  trial_problem *t = skewed_problem(9e-3);
  solve_skewed("pgs", t, p);
  for (int i = 0; i < t->p.nrow; i++) p[i] *= 1.0 + random_in(-1e-2, 1e-2);
  hn_contact_solver *solver = solver_of("newton:sweeps=0", 1e-13, 100);
  assert_int_equal(hn_contact_solve(solver, &t->p, p), HN_CONVERGED);
  check_below("iterations of newton", solver->iterations, 5);
  hn_contact_solver_free(solver), free_problem(t);
}

/* Several contacts: pgs and newton find the same solution, the others that of the symmetric part. */
static void several_contacts(void **state)
{
  (void)state;
  double p[MAX_ROWS], q[MAX_ROWS], s[MAX_ROWS], apart = 0, changed = 0;
  trial_problem *t = skewed_problem(2e-3);
  check_near("asymmetry", hn_problem_asymmetry(&t->p), 1.5e-3, 0.5e-3);
  solve_skewed("pgs", t, p);
  solve_skewed("newton", t, q);
  solve_skewed("admm", t, s);
  for (int i = 0; i < t->p.nrow; i++)
    apart = larger(apart, fabs(p[i] - q[i])), changed = larger(changed, fabs(p[i] - s[i]));
  check_below("residual of pgs", error_of(t, false, p), 1e-12);
  check_below("residual of newton", error_of(t, false, q), 1e-12);
  check_below("pgs and newton apart", apart, 1e-11);
  assert_true(changed > 1e-6 && error_of(t, false, s) > 1e-6);
  hn_problem symmetric = t->p;
  symmetric.K = hn_problem_symmetric_part(&t->p);
  double v[MAX_ROWS];
  hn_problem_velocities(&symmetric, s, NULL, v);
  check_below("residual of admm, symmetric part", hn_problem_error(&symmetric, false, s, v, NULL), 1e-12);
  check_below("asymmetry of the symmetric part", hn_problem_asymmetry(&symmetric), 0);
  hn_problem_matrix_free(symmetric.K), free_problem(t);
}

/* A fallback that solves the problem as given begins at once. */
static void fallbacks(void **state)
{
  (void)state;
  double p[MAX_ROWS] = { 0 };
  trial_problem *t = skewed_problem(2e-3);
  hn_contact_solver *solver = solver_of("admm:then=lemke:then=pgs", 1e-12, 200000);
  assert_int_equal(hn_contact_solve(solver, &t->p, p), HN_CONVERGED);
  ASSERT_COUNT("factorisations of admm", solver->factorisations, 0);
  ASSERT_COUNT("symmetrised", solver->symmetrised, 0);
  check_below("residual", error_of(t, false, p), 1e-12);
  hn_contact_solver_free(solver), free_problem(t);
}

/* A fallback that reaches a smaller error of the symmetric part only does not replace impulses of the problem
 * as given. */
static void the_symmetric_part_is_no_progress(void **state)
{
  (void)state;
  double alone[MAX_ROWS] = { 0 }, chain[MAX_ROWS] = { 0 }, apart = 0;
  trial_problem *t = skewed_problem(2e-3);
  hn_contact_solver *solver = solver_of("pgs", 1e-12, 3),
                    *with = solver_of("pgs:iterations=3:then=admm:iterations=20", 1e-12, 3);
  assert_int_equal(hn_contact_solve(solver, &t->p, alone), HN_BUDGET);
  assert_int_equal(hn_contact_solve(with, &t->p, chain), HN_BUDGET);
  for (int i = 0; i < t->p.nrow; i++) apart = larger(apart, fabs(alone[i] - chain[i]));
  check_below("impulses of the chain and of pgs apart", apart, 0);
  ASSERT_COUNT("symmetrised", with->symmetrised, 0);
  printf("  residual of pgs %.1e m/s; iterations of the chain %d\n", error_of(t, false, alone),
         with->iterations);
  hn_contact_solver_free(solver), hn_contact_solver_free(with), free_problem(t);
}

/* The matrix of a file that is written and read again has the same entries. */
static void files_keep_the_matrix(void **state)
{
  (void)state;
#ifndef HN_WITH_HDF5
  skip();
#endif
  hn_error error;
  trial_problem *t = skewed_problem(2e-3);
  if (hn_problem_write(path, &t->p, NULL, &error)) fail_msg("%s", error.text);
  hn_problem *read = hn_problem_read(path, NULL, &error);
  if (!read) fail_msg("%s", error.text);
  double apart = 0, e[MAX_ROWS] = { 0 }, v[MAX_ROWS], w[MAX_ROWS];
  for (int j = 0; j < t->p.nrow; j++) {
    e[j] = 1, hn_problem_velocities(&t->p, e, NULL, v), hn_problem_velocities(read, e, NULL, w), e[j] = 0;
    for (int i = 0; i < t->p.nrow; i++) apart = larger(apart, fabs(v[i] - w[i]));
  }
  check_below("columns of K + b apart", apart, 0);
  hn_problem_free(read), free_problem(t);
}

static void refused(trial_problem *t, const char *word)
{
  hn_error error = { "" };
  assert_int_equal(hn_problem_check(&t->p, &error), -1);
  printf("  %s\n", error.text);
  assert_non_null(strstr(error.text, word));
  free_problem(t);
}

static void nonsense_is_refused(void **state)
{
  (void)state;
  hn_error error;
  trial_problem *t = planar_contact((double[4]){ 2, 0.3199, 0.3, 1 }, -1, 0, 0.5); /* 0.995 % */
  if (hn_problem_check(&t->p, &error)) fail_msg("%s", error.text);
  free_problem(t);
  refused(planar_contact((double[4]){ 2, 0.3201, 0.3, 1 }, -1, 0, 0.5), "not symmetric"); /* 1.005 % */
  refused(planar_contact((double[4]){ -2, 0, 0, 1 }, -1, 0, 0.5), "negative");
  refused(planar_contact((double[4]){ 2, NAN, 0.3, 1 }, -1, 0, 0.5), "nan");
  refused(planar_contact((double[4]){ 2, 2.01, 2.0, 1 }, -1, 0, 0.5), "no masses");
  t = planar_contact((double[4]){ 2, 0.3, 0.3, 1 }, -1, 0, 0.5);
  t->K.start[2] = 3, t->K.column[2] = 1, t->K.value[2] = 1; /* row 1 has its diagonal alone */
  refused(t, "none across");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(one_contact),
    cmocka_unit_test(several_contacts),
    cmocka_unit_test(newton_uses_both_triangles),
    cmocka_unit_test(fallbacks),
    cmocka_unit_test(the_symmetric_part_is_no_progress),
    cmocka_unit_test(files_keep_the_matrix),
    cmocka_unit_test(nonsense_is_refused),
  };
  snprintf(path, sizeof path, "test_unsymmetric.%d.hdf5", (int)getpid());
  int failed = cmocka_run_group_tests_name("unsymmetric problems", tests, NULL, NULL);
  unlink(path);
  return failed;
}
