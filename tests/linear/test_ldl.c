/* test_ldl.c - the block factor of ldl.c on matrices without a model: fill-in, and singular matrices at the
 * limits that ldl.c documents, a growth of the inverse above 1e12 and a pivot below 1e-12 of the diagonal. */
#include "models.h"
#include "base/random.h"
#include "linear/factor_pattern.h"
#include "redundant/redundant.h"

#include <stdlib.h>

enum { MOST = 40 };

/* Factors the symmetric matrix of N rows with entries K[i][j], j >= i, and solves K x = b if X is not NULL.
 * X holds b, then the solution. */
static hn_reason factor(int n, double K[MOST][MOST], double *x)
{
  int row[MOST + 1], start[MOST + 1] = { 0 }, column[MOST * MOST], at[MOST * MOST + 1], diagonal[MOST];
  double value[MOST * MOST];
  int count = 0;
  for (int i = 0; i < n; i++) {
    diagonal[i] = count, row[i] = i;
    for (int j = i; j < n; j++)
      if (i == j || K[i][j] != 0) at[count] = count, column[count] = j, value[count++] = K[i][j];
    start[i + 1] = count;
  }
  row[n] = n, at[count] = count;
  hn_block_matrix matrix = { n, 1, row, start, column, at, diagonal, value, false, NULL };
  hn_error error;
  void *ldl = hn_linear_ldl.create(&hn_linear_ldl, "", &error);
  assert_non_null(ldl);
  assert_int_equal(hn_linear_ldl.analyse(ldl, &matrix, &error), 0);
  hn_reason reason = hn_linear_ldl.factor(ldl);
  if (x && reason == HN_CONVERGED) reason = hn_linear_ldl.solve(ldl, x);
  hn_linear_ldl.free(ldl);
  return reason;
}

/* Solves K x = b for the known x_i = sin(i + 1). */
static void check_solution(const char *what, int n, double K[MOST][MOST])
{
  double x[MOST] = { 0 }, worst = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) x[i] += (j < i ? K[j][i] : K[i][j]) * sin(j + 1);
  assert_int_equal(factor(n, K, x), HN_CONVERGED);
  for (int i = 0; i < n; i++) worst = larger(worst, fabs(x[i] - sin(i + 1)));
  check_below(what, worst, 1e-14);
}

/* Rows are eliminated as they stand: a cycle has fill-in in every row, through rows of two entries each. */
static void fill_reaches_all_later_rows(void **state)
{
  (void)state;
  for (int n = 4; n <= MOST; n *= 3) {
    double cycle[MOST][MOST] = { { 0 } }, scattered[MOST][MOST] = { { 0 } };
    for (int i = 0; i < n; i++) {
      cycle[i][i] = 3, scattered[i][i] = n;
      if (i + 1 < n) cycle[i][i + 1] = -1;
      for (int j = i + 1; j < n; j++) scattered[i][j] = (7 * i + 5 * j) % 6 == 0 ? 1 : 0;
    }
    cycle[0][n - 1] = -1;
    printf("  %d rows\n", n);
    check_solution("  a cycle: error of x", n, cycle);
    check_solution("  scattered entries: error of x", n, scattered);
  }
}

/* K = L L' with ones on the diagonal of L and -2 below it. All pivots are 1, at least 1/5 of the diagonal.
 * The entries of the first column of the inverse of L are 2^k: the inverse of K grows by 4 with every row.
 * 4^10 is 1e6 and 4^40 is 1e24; the diagonal and the probe change that by less than 100. */
static void growth_without_small_pivots_is_singular(void **state)
{
  (void)state;
  for (int n = 10; n <= MOST; n += MOST - 10) {
    double K[MOST][MOST] = { { 0 } };
    for (int i = 0; i < n; i++) {
      K[i][i] = i ? 5 : 1;
      if (i + 1 < n) K[i][i + 1] = -2;
    }
    const hn_reason reason = factor(n, K, NULL), expected = n == 10 ? HN_CONVERGED : HN_SINGULAR;
    printf("  %d rows, growth 4^%d: %s, expected %s\n", n, n, hn_reason_name(reason),
           hn_reason_name(expected));
    assert_int_equal(reason, expected);
  }
}

/* Row 3 is cos a times row 1 plus sin a times row 2, and its diagonal is longer by `pivot`, which is the last
 * pivot. The angle is such that the probe of ldl.c vanishes there: only the pivot reveals the dependence. */
static void a_small_pivot_is_singular_where_the_probe_is_blind(void **state)
{
  (void)state;
  uint32_t seed = RANDOM_SEED;
  double s[3];
  for (int i = 0; i < 3; i++) s[i] = irregular(&seed);
  const double size = hypot(s[0], s[1]), angle = atan2(s[1], s[0]) + acos(s[2] / size);
  assert_true(fabs(s[2]) < size);
  for (int small = 0; small < 2; small++) {
    const double c = cos(angle), d = sin(angle), pivot = small ? 0x1p-43 : 0x1p-37; /* 1.1e-13, 7.3e-12 */
    double K[MOST][MOST] = { { 1, 0, c }, { 0, 1, d }, { 0, 0, 1 + pivot } };
    check_below("probe of the last row", s[2] - c * s[0] - d * s[1], 1e-15);
    const hn_reason reason = factor(3, K, NULL), expected = small ? HN_SINGULAR : HN_CONVERGED;
    printf("  pivot %.1e: %s, expected %s\n", pivot, hn_reason_name(reason), hn_reason_name(expected));
    assert_int_equal(reason, expected);
  }
}

/* ---- Large factors: supernodes ------------------------------------------------------------------------- */

/* Returns a net of N x N particles with rods of one size, or with balls and hinges between boxes. */
static hn_model *net(int n, bool boxes)
{
  uint32_t seed = RANDOM_SEED;
  hn_model *model = new_model();
  for (int i = 0; i < n * n; i++) {
    char name[16];
    snprintf(name, sizeof name, "p%d", i);
    const double height = random_signed(&seed);
    const int body = boxes ? add_box(model, name, i / n, height, i % n)
                           : add_particle(model, name, i / n, height, i % n);
    if (i >= n) add_rod(model, body - n, body);
    if (i % n > 0 && (!boxes || i % 3 > 0)) add_rod(model, body - 1, body);
    if (i % n > 0 && boxes && i % 3 == 0) add_ball(model, body - 1, body, i / n, height, i % n - 0.5);
  }
  return model;
}

static hn_system *large_system(const hn_model *model, const char *backend)
{
  hn_error error;
  const hn_linear_options options = { .backend = backend, .petsc = "" };
  hn_system *s = hn_system_create(model, &error);
  if (hn_system_use_linear(s, &options, &error)) fail_msg("%s", error.text);
  hn_state *at = hn_state_create(model);
  hn_system_jacobian(s, at);
  hn_state_free(at);
  return s;
}

/* Solves K x = K c; returns the largest error of x, and 0 if K is singular. */
static double error_on(hn_model *model, const char *backend, hn_reason expected)
{
  hn_system *s = large_system(model, backend);
  const size_t rows = (size_t)s->nrow;
  double *x = calloc(2 * rows + 6 * (size_t)model->nbody, sizeof *x), *c = x + rows, *twist = c + rows,
         worst = 0.0;
  printf("  %zu rows, %.2g multiplications\n", rows, hn_factor_work(&s->parts->linear->assembly.K));
  for (size_t i = 0; i < rows; i++) c[i] = sin(3.0 * (double)i);
  hn_redundant_apply(s, NULL, s->nblock, c, twist);
  hn_redundant_rates(s, NULL, s->nblock, twist, x);
  assert_int_equal(hn_system_factor(s), expected);
  if (expected == HN_CONVERGED) {
    assert_int_equal(hn_system_solve(s, x, x), HN_CONVERGED);
    for (size_t i = 0; i < rows; i++) worst = larger(worst, fabs(x[i] - c[i]));
  }
  free(x);
  hn_system_free(s);
  hn_model_free(model);
  return worst;
}

static void large_factors(void **state)
{
  (void)state;
  for (int boxes = 0; boxes < 2; boxes++) {
    const double other = needs_missing_library("impulse-sle:linear=cholmod")
                           ? 1e-12
                           : error_on(net(boxes ? 48 : 64, boxes), "cholmod", HN_CONVERGED);
    check_below("error of ldl, over ten times that of cholmod",
                error_on(net(boxes ? 48 : 64, boxes), "ldl", HN_CONVERGED) / (10.0 * larger(other, 1e-14)),
                1.0);
  }
}

static void large_singular_matrices(void **state)
{
  (void)state;
  hn_model *model = net(64, false);
  add_rod(model, 1000, 1001);
  error_on(model, "ldl", HN_SINGULAR);
  for (int place = 1; place < 2000; place += 499) {
    model = net(48, true);
    add_rod(model, place, place + 48);
    error_on(model, "ldl", HN_SINGULAR);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(fill_reaches_all_later_rows),
    cmocka_unit_test(growth_without_small_pivots_is_singular),
    cmocka_unit_test(a_small_pivot_is_singular_where_the_probe_is_blind),
    cmocka_unit_test(large_factors),
    cmocka_unit_test(large_singular_matrices),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
