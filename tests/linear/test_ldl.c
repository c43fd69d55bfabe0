/* test_ldl.c - the block factor of ldl.c on matrices without a model: fill-in, and singular matrices at the
 * limits that ldl.c documents, a growth of the inverse above 1e12 and a pivot below 1e-12 of the diagonal. */
#include "check.h"
#include "base/random.h"
#include "linear/backend.h"

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

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(fill_reaches_all_later_rows),
    cmocka_unit_test(growth_without_small_pivots_is_singular),
    cmocka_unit_test(a_small_pivot_is_singular_where_the_probe_is_blind),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
