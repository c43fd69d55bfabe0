/* test_compliance.c - K + diag(sigma): all linear back ends, redundant rows, and K alone again.
 *
 * Products with K are computed from Jacobians and impulses, G (W G' x), not from an assembled matrix. */
#include "scenes.h"

#include <stdlib.h>
#include <string.h>

/* Computes y = (K + diag(sigma)) x at the state of the last Jacobian; sigma NULL: none. */
static void multiply(hn_system *s, const double *sigma, const double *x, double *y)
{
  hn_state motion = { .nbody = s->model->nbody };
  motion.twist = calloc((size_t)motion.nbody, sizeof *motion.twist);
  hn_system_apply(s, x, 1.0, &motion);
  hn_system_velocity_residual(s, &motion, y, NULL);
  for (int i = 0; i < s->nrow; i++) y[i] += (sigma ? sigma[i] * x[i] : 0.0) - s->bias[i];
  free(motion.twist);
}

/* Returns the largest |(K + sigma) p - b| for the solution p of the right-hand side of the product with x_i =
 * sin(i + 1); b is at most about 10. */
static double residual_of_solution(hn_system *s, const double *sigma)
{
  const size_t rows = (size_t)s->nrow;
  double *x = calloc(3 * rows, sizeof *x), *b = x + rows, *p = b + rows, worst = 0.0;
  for (int i = 0; i < s->nrow; i++) x[i] = sin(i + 1.0);
  multiply(s, sigma, x, b);
  assert_int_equal(hn_system_solve(s, b, p), HN_CONVERGED);
  multiply(s, sigma, p, x);
  for (int i = 0; i < s->nrow; i++) worst = larger(worst, fabs(x[i] - b[i]));
  free(x);
  return worst;
}

static hn_system *system_with(const bench *b, const char *backend, int redundancy)
{
  hn_error error;
  hn_linear_options options = { .backend = backend, .petsc = "", .redundancy = redundancy };
  hn_system *s = hn_system_create(b->solver->system->model, &error);
  if (!s || hn_system_use_linear(s, &options, &error)) fail_msg("%s", error.text);
  hn_system_jacobian(s, b->state);
  return s;
}

/* Redundant rows: K is singular, and K + sigma is solved by every back end with every policy. */
static void test_back_ends(void **unused)
{
  (void)unused;
  static const char *const scenes[] = { "four_bars", "bricard", "slider_crank" };
  size_t count;
  const hn_linear_info *info = hn_linear_backends(&count);
  for (size_t scene = 0; scene < sizeof scenes / sizeof *scenes; scene++)
    for (size_t k = 0; k < 4 * count; k++) {
      bench b = set_up(scenes[scene], "impulse-gs");
      hn_system *s = system_with(&b, info[k / 4].name, (int)(k % 4));
      double *sigma = calloc((size_t)s->nrow, sizeof *sigma);
      for (int i = 0; i < s->nrow; i++) sigma[i] = 1e-3 * (2.0 + sin(3.0 * i));
      hn_system_set_compliance(s, sigma);
      assert_false(hn_system_is_factored(s));
      assert_int_equal(hn_system_factor(s), HN_CONVERGED);
      assert_true(hn_system_is_factored(s));
      char what[80];
      snprintf(what, sizeof what, "%s, %s, policy %d: residual", scenes[scene], info[k / 4].name,
               (int)(k % 4));
      /* ksp iterates to a relative residual of 1e-12 */
      check_below(what, residual_of_solution(s, sigma), 1e-10);
      free(sigma);
      hn_system_free(s);
      tear_down(&b);
    }
}

/* A large compliance leaves p = b / sigma: rows without a joint. */
static void test_large(void **unused)
{
  (void)unused;
  bench b = set_up("four_bars", "impulse-gs");
  hn_system *s = system_with(&b, "ldl", HN_REFUSE);
  const size_t rows = (size_t)s->nrow;
  double *sigma = calloc(2 * rows, sizeof *sigma), *p = sigma + rows, worst = 0.0;
  for (int i = 0; i < s->nrow; i++) sigma[i] = 1e15, p[i] = i + 1.0;
  hn_system_set_compliance(s, sigma);
  assert_int_equal(hn_system_factor(s), HN_CONVERGED);
  assert_int_equal(hn_system_solve(s, p, p), HN_CONVERGED);
  for (int i = 0; i < s->nrow; i++) worst = larger(worst, fabs(1e15 * p[i] / (i + 1.0) - 1.0));
  check_below("sigma = 1e15: p sigma / b - 1", worst, 1e-9); /* a row of K sums to less than 1e5 */
  free(sigma);
  hn_system_free(s);
  tear_down(&b);
}

/* Rows without compliance count as before; and without any, all results have the same bits as ever. */
static void test_none(void **unused)
{
  (void)unused;
  bench b = set_up("four_bars", "impulse-gs");
  hn_system *s = system_with(&b, "ldl", HN_REFUSE), *never = system_with(&b, "ldl", HN_REMOVE),
            *again = system_with(&b, "ldl", HN_REMOVE);
  const size_t rows = (size_t)s->nrow;
  double *sigma = calloc(3 * rows, sizeof *sigma), *p = sigma + rows, *q = p + rows;
  hn_system_set_compliance(s, sigma);
  assert_int_equal(hn_system_factor(s), HN_SINGULAR);
  hn_system_set_compliance(s, NULL);
  assert_int_equal(hn_system_factor(s), HN_SINGULAR);
  for (size_t i = 0; i < rows; i++) sigma[i] = 1.0;
  hn_system_set_compliance(again, sigma);
  assert_int_equal(hn_system_factor(again), HN_CONVERGED);
  hn_system_set_compliance(again, NULL);
  assert_false(hn_system_is_factored(again));
  for (size_t i = 0; i < rows; i++) sigma[i] = sin(1.0 + (double)i);
  multiply(again, NULL, sigma, p); /* a right-hand side that agrees with the redundant rows */
  memcpy(q, p, sizeof *p * rows);
  assert_int_equal(hn_system_factor(again), HN_CONVERGED);
  assert_int_equal(hn_system_factor(never), HN_CONVERGED);
  assert_int_equal(hn_system_solve(again, p, p), HN_CONVERGED);
  assert_int_equal(hn_system_solve(never, q, q), HN_CONVERGED);
  ASSERT_COUNT("rows with the bits of a system without compliance",
               memcmp(p, q, sizeof *p * rows) == 0 ? rows : 0, rows);
  free(sigma);
  hn_system_free(s), hn_system_free(never), hn_system_free(again);
  tear_down(&b);
}

/* In line the four-bars lose another rank: the compliance decides nothing, and p stays bounded. */
static void test_singular_position(void **unused)
{
  (void)unused;
  bench b = set_up("four_bars", "impulse-gs");
  for (int i = 1; i < b.state->nbody; i++) { /* turn every crank, and lower every coupler, by a quarter */
    const bool crank = strncmp(b.scene->model->body[i].name, "crank", 5) == 0;
    if (crank) memcpy(b.state->pose[i].q, (double[4]){ 1, 0, 0, 0 }, sizeof(double[4]));
    b.state->pose[i].x[0] += crank ? 0.5 : 1.0, b.state->pose[i].x[1] -= crank ? 0.5 : 1.0;
  }
  hn_system *s = system_with(&b, "ldl", HN_REFUSE);
  double *sigma = calloc((size_t)s->nrow, sizeof *sigma);
  for (int i = 0; i < s->nrow; i++) sigma[i] = 1e-6;
  check_below("in line: joint error, m", hn_system_residual(s, b.state, NULL), 1e-15);
  hn_system_set_compliance(s, sigma);
  assert_int_equal(hn_system_factor(s), HN_CONVERGED);
  check_below("in line: residual", residual_of_solution(s, sigma), 1e-10);
  free(sigma);
  hn_system_free(s);
  tear_down(&b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_back_ends),
    cmocka_unit_test(test_large),
    cmocka_unit_test(test_none),
    cmocka_unit_test(test_singular_position),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
