/* test_repeated_entries.c - contact problems in files whose matrices have an entry more than once: repeated
 * entries add up, as in other programs with FCLIB's layout, in any order. */
#include "check.h"
#include "base/module.h"
#include "base/random.h"
#include "contact/fclib.h"

#include <stdlib.h>
#include <unistd.h>

enum { ROWS = 6, EQUATIONS = 2, ALL = ROWS + EQUATIONS, MOST = 2 * ALL * ALL };

static uint32_t seed = RANDOM_SEED;

static double random_in(double low, double high)
{
  return random_between(&seed, low, high);
}

static char path[] = "./repeated-XXXXXX";

static int make_file(void **unused)
{
  (void)unused;
  int file = mkstemp(path);
  return file < 0 ? -1 : close(file);
}

static int remove_file(void **unused)
{
  (void)unused;
  return unlink(path);
}

/* The entries of a matrix, with room for two of each. */
typedef struct entries {
  int row[MOST], column[MOST];
  double value[MOST];
  hn_fclib_matrix matrix;
} entries;

/* Stores the block of K from (ROW, COLUMN) on in OF; each entry is the sum of two unless ONCE. Columns
 * ascend. */
static void list(entries *of, double K[ALL][ALL], int row, int column, int m, int n, bool once)
{
  int count = 0;
  for (int j = 0; j < n; j++)
    for (int part = 0; part < (once ? 1 : 2); part++)
      for (int i = 0; i < m; i++, count++) {
        const double whole = K[row + i][column + j];
        of->row[count] = i, of->column[count] = j;
        of->value[count] = once ? whole : part ? 0.75 * whole : 0.25 * whole;
      }
  of->matrix = (hn_fclib_matrix){
    .m = m, .n = n, .count = count, .row = of->row, .column = of->column, .value = of->value
  };
}

/* Draws a symmetric matrix with dominant diagonal, of multiples of 1/16: sums of parts are exact. */
static void draw(double K[ALL][ALL])
{
  for (int i = 0; i < ALL; i++)
    for (int j = i; j < ALL; j++) K[i][j] = K[j][i] = floor(16 * random_in(-1, 1)) / 16 + (i == j ? 16 : 0);
}

static void check_file(const hn_fclib_functions *module, bool once)
{
  hn_error error = { "" };
  static entries W, V, R;
  double K[ALL][ALL], q[ROWS], s[EQUATIONS], mu[ROWS / 3] = { 0.5, 0.25 }, p[ALL], v[ALL], worst = 0.0;
  draw(K);
  for (int i = 0; i < ROWS; i++) q[i] = random_in(-1, 1);
  for (int i = 0; i < EQUATIONS; i++) s[i] = random_in(-1, 1);
  list(&W, K, 0, 0, ROWS, ROWS, once);
  list(&V, K, 0, ROWS, ROWS, EQUATIONS, once);
  list(&R, K, ROWS, ROWS, EQUATIONS, EQUATIONS, once);
  const hn_fclib f = { .dimension = 3,
                       .rows = ROWS,
                       .equations = EQUATIONS,
                       .q = q,
                       .mu = mu,
                       .s = s,
                       .W = W.matrix,
                       .V = V.matrix,
                       .R = R.matrix };
  if (module->write(path, &f, &error)) fail_msg("%s", error.text);
  hn_problem *read = hn_problem_read(path, NULL, &error);
  if (!read) fail_msg("%s", error.text);
  ASSERT_COUNT("rows", read->nrow, ALL);
  for (int i = 0; i < ALL; i++) p[i] = random_in(-1, 1);
  hn_problem_velocities(read, p, NULL, v);
  for (int i = 0; i < ALL; i++) {
    double sum = i < ROWS ? q[i] : s[i - ROWS];
    for (int j = 0; j < ALL; j++) sum += K[i][j] * p[j];
    worst = larger(worst, fabs(v[i] - sum));
  }
  /* sums of 9 terms of up to 17 */
  check_below(once ? "K p + b, each entry once" : "K p + b, each entry as two", worst, 9 * 17 * 2.3e-16);
  hn_problem_free(read);
}

static void repeated_entries_add_up(void **unused)
{
  (void)unused;
  hn_error error;
  const hn_fclib_functions *module = hn_module_symbol(HN_FCLIB_MODULE, HN_FCLIB_FUNCTIONS, &error);
  if (!module) skip();
  check_file(module, true);
  check_file(module, false);
}

int main(void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test(repeated_entries_add_up) };
  return cmocka_run_group_tests(tests, make_file, remove_file);
}
