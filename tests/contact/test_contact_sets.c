/* test_contact_sets.c - contact solvers on all kinds of admissible sets: against an enumeration of all
 * choices of free rows and bounds, and against each other on chains of joints and contacts. */
#include "contact_problems.h"
#include "base/small.h"

/* Returns blocks of one row with fewer rows than velocities: K is regular and impulses are unique. */
static trial_problem *bounded_problem(int rows)
{
  trial_problem *t = problem_of(3);
  for (int i = 6; i < 18; i++) t->u[i] = random_in(-1, 1);
  for (int k = 0; k < rows; k++) {
    double row[1][12];
    hn_set set = k % 3 == 0   ? push
                 : k % 3 == 1 ? (hn_set){ .kind = HN_WITHIN, .lower = -0.2, .upper = 0.3 }
                              : all;
    if (k == 4) set.upper = HUGE_VAL;
    if (k == 7) set.lower = -HUGE_VAL;
    for (int c = 0; c < 12; c++) row[0][c] = random_in(-1, 1);
    add_rows(t, 1, 2, 1, set, row);
  }
  return t;
}

/* Finds the solution by trying every choice of rows that are free, at the lower or at the upper bound;
 * returns the number of solutions. */
static int enumerate(const trial_problem *t, double *solution)
{
  const int n = t->p.nrow;
  double K[12][12], e[12] = { 0 }, work[18], b[12] = { 0 };
  int found = 0, choices = 1;
  hn_problem still = t->p;
  still.b = b;
  for (int i = 0; i < n; i++) e[i] = 1, hn_problem_velocities(&still, e, work, K[i]), e[i] = 0, choices *= 3;
  for (int choice = 0; choice < choices; choice++) {
    double p[12], A[144], x[12], lower[12], upper[12];
    int row[12], count = 0, rest = choice;
    bool good = true;
    for (int i = 0; i < n; i++, rest /= 3) {
      hn_set_bounds(&t->block[i].set, 1, &lower[i], &upper[i]);
      p[i] = rest % 3 == 1 ? lower[i] : rest % 3 == 2 ? upper[i] : 0;
      good = good && isfinite(p[i]);
      if (rest % 3 == 0) row[count++] = i;
    }
    if (!good) continue;
    for (int i = 0; i < count; i++) {
      x[i] = -t->b[row[i]];
      for (int j = 0; j < n; j++) x[i] -= K[row[i]][j] * p[j];
      for (int j = 0; j < count; j++) A[i * count + j] = K[row[i]][row[j]];
    }
    if (!ldl_factor(count, A)) continue;
    ldl_solve(count, A, x);
    for (int i = 0; i < count; i++) p[row[i]] = x[i];
    for (int i = 0; i < n; i++) {
      double v = t->b[i];
      for (int j = 0; j < n; j++) v += K[i][j] * p[j];
      good = good && p[i] >= lower[i] && p[i] <= upper[i];
      good = good && (v > -1e-12 || p[i] == upper[i]) && (v < 1e-12 || p[i] == lower[i]);
    }
    if (good) found++, memcpy(solution, p, sizeof p);
  }
  return found;
}

static void bounds_against_enumeration(void **state)
{
  (void)state;
  double worst[RIGID] = { 0 };
  int at_bounds = 0;
  for (int trials = 0; trials < 20; trials++) {
    trial_problem *t = bounded_problem(8);
    double expected[12];
    assert_int_equal(enumerate(t, expected), 1);
    for (int i = 0; i < 8; i++) at_bounds += expected[i] == 0 || expected[i] == -0.2 || expected[i] == 0.3;
    for (int matrix = 0; matrix < 2; matrix++) {
      if (matrix) use_matrix(t);
      for (int s = 0; s < RIGID; s++) {
        double p[12] = { 0 };
        hn_contact_solver *solver = solver_of(every[s], 1e-11, 1000000);
        assert_int_equal(hn_contact_solve(solver, &t->p, p), HN_CONVERGED);
        for (int i = 0; i < 8; i++) worst[s] = larger(worst[s], fabs(p[i] - expected[i]));
        hn_contact_solver_free(solver);
      }
    }
    free_problem(t);
  }
  printf("  %d of 160 impulses at a bound\n", at_bounds);
  assert_true(at_bounds > 20 && at_bounds < 140);
  /* 1e-11 over the least eigenvalue of K */
  for (int s = 0; s < RIGID; s++) check_below(every[s], worst[s], 1e-8);
}

/* Returns a planar problem with all kinds of sets: a bar on two supports, hinged to another one, a motor
 * between them and a stop. */
static trial_problem *planar_mechanism(double ratio)
{
  trial_problem *t = problem_of(5);
  const double left[3] = { -0.5, -0.1, 0 }, right[3] = { 0.5, -0.1, 0 }, top[3] = { 0.1, 0.1, 0 };
  const double tilted[9] = { 0.6, 0.8, 0, 0.8, -0.6, 0, 0, 0, 1 };
  double turn[1][12] = { { [5] = -1, [11] = 1 } };
  for (int i = 1; i < 5; i++) set_body(t, i, i == 4 ? ratio : 1, 1, 1, 0.1 * (i == 4 ? ratio : 1));
  for (int i = 1; i < 5; i++)
    for (int c = 0; c < 6; c++) t->u[6 * i + c] = c < 2 || c == 5 ? random_in(-1, 1) - (c == 1) : 0;
  add_contact(t, 0, 1, origin, left, upright, 2, cone(0.4));
  add_contact(t, 0, 1, origin, right, upright, 2, cone(0.8));
  add_contact(t, 1, 2, right, left, upright, 2, all);
  add_rows(t, 1, 2, 1, (hn_set){ .kind = HN_WITHIN, .lower = -0.05, .upper = 0.05 }, turn);
  add_contact(t, 0, 2, origin, right, tilted, 2, cone(0.2));
  add_contact(t, 1, 3, top, origin, upright, 2, cone(1.5));
  add_rows(t, 2, 3, 1, push, turn);
  add_contact(t, 3, 4, top, left, upright, 2, cone(0.5));
  add_contact(t, 1, 4, top, right, upright, 1, push);
  return t;
}

static void all_sets_in_the_plane(void **state)
{
  (void)state;
  for (int trials = 0; trials < 8; trials++) {
    trial_problem *t = planar_mechanism(trials < 6 ? 1 : 1000);
    for (int s = 0; s < EXACT; s++) {
      double p[MAX_ROWS] = { 0 };
      assert_int_equal(solved(exact[s].spec, 1e-10, exact[s].iterations, t, p), HN_CONVERGED);
      check_below("  law, m/s", error_of(t, false, p), 1e-10);
    }
    free_problem(t);
  }
}

/* Returns a chain of ball joints with a redundant weld that falls on the ground. */
static trial_problem *chain_on_the_ground(void)
{
  const int links = 6;
  const double left[3] = { -0.5, 0, 0 }, right[3] = { 0.5, 0, 0 }, below[3] = { 0.3, -0.1, 0.1 };
  double weld[6][12] = { { 0 } };
  trial_problem *t = problem_of(links + 1);
  for (int i = 1; i <= links; i++) {
    set_body(t, i, 1, 0.02, 0.1, 0.1);
    for (int c = 0; c < 6; c++) t->u[6 * i + c] = c == 1 ? -1 : 0.3 * c - 0.1 * i;
  }
  for (int i = 1; i < links; i++) add_contact(t, i, i + 1, right, left, upright, 3, all);
  for (int r = 0; r < 6; r++) weld[r][r] = -1, weld[r][6 + r] = 1;
  weld[1][5] = weld[1][11] = -0.5, weld[2][4] = weld[2][10] = 0.5; /* for the points between links 2 and 3 */
  add_rows(t, 2, 3, 6, all, weld);
  for (int i = 1; i <= links; i++) add_contact(t, 0, i, origin, below, upright, 3, cone(0.2 * i));
  return t;
}

static void joints_and_contacts(void **state)
{
  (void)state;
  trial_problem *t = chain_on_the_ground();
  double first[64], u[64], relative = 0;
  for (int s = 0; s < IN_SPACE; s++) {
    double p[MAX_ROWS] = { 0 }, apart = 0;
    assert_int_equal(solved(exact[s].spec, 1e-11, exact[s].iterations, t, p), HN_CONVERGED);
    check_below("  law, m/s", error_of(t, false, p), 1e-11);
    motion_of(t, p, u);
    if (s == 0) memcpy(first, u, sizeof first);
    for (int i = 0; i < 42; i++) apart = larger(apart, fabs(u[i] - first[i]));
    check_below("  motion apart from the first solver's", apart, 1e-8);
    for (int c = 3; c < 6; c++)
      relative = larger(relative, fabs(t->u[12 + c] + u[12 + c] - t->u[18 + c] - u[18 + c]));
  }
  check_below("the weld turns by, rad/s", relative, 1e-10);
  free_problem(t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(bounds_against_enumeration),
    cmocka_unit_test(all_sets_in_the_plane),
    cmocka_unit_test(joints_and_contacts),
  };
  return cmocka_run_group_tests_name("contact sets", tests, NULL, NULL);
}
