/* test_contact_sweeps.c - single iterations of contact solvers, whose errors later iterations would hide:
 * four contacts at a time against one at a time, termination of sweeps, iteration counts of simple
 * problems. */
#include "contact_problems.h"

#include <string.h>

/* Gives BODY the inertia A A' + 1, about axes that are not principal. */
static void set_tilted_inertia(trial_problem *t, int body)
{
  double A[9];
  for (int i = 0; i < 9; i++) A[i] = random_in(-1, 1);
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++) {
      double *entry = &t->W[36 * body + 6 * (3 + r) + 3 + c];
      *entry = r == c;
      for (int k = 0; k < 3; k++) *entry += A[3 * r + k] * A[3 * c + k];
    }
}

static trial_problem *random_crowd(void)
{
  trial_problem *t = problem_of(24);
  for (int i = 1; i < 24; i++) {
    set_tilted_inertia(t, i);
    for (int c = 0; c < 6; c++) t->u[6 * i + c] = random_in(-1, 1);
  }
  for (int k = 0; k < 60; k++) {
    double arm_a[3], arm_b[3], frame[9];
    const int a = k % 24, b = (a + 1 + (int)random_in(0, 22.999)) % 24;
    for (int i = 0; i < 3; i++) arm_a[i] = random_in(-1, 1), arm_b[i] = random_in(-1, 1);
    random_frame(frame);
    add_contact(t, a, b, arm_a, arm_b, frame, 3, cone(random_in(0, 1)));
  }
  return t;
}

/* Four contacts at a time have the effect of single ones: after one sweep and after several, from any
 * impulses. */
static void four_contacts_equal_single_ones(void **state)
{
  (void)state;
  static const char *const specs[] = { "pgs", "pgs:local=disk", "pgs:local=box", "pgs:local=pyramid" };
  for (int k = 0; k < 16; k++) {
    const int sweeps = 1 << k / 4;
    trial_problem *t = random_crowd();
    double W[9 * 24], inv_mass[24], start[MAX_ROWS], one[MAX_ROWS], four[MAX_ROWS], apart = 0;
    for (int i = 0; i < t->p.nrow; i++) start[i] = i % 3 == 0 ? random_in(0, 1) : random_in(-0.1, 0.1);
    memcpy(one, start, sizeof one), memcpy(four, start, sizeof four);
    solved(specs[k % 4], 1e-10, sweeps, t, one);
    use_inertias(t, W, inv_mass);
    solved(specs[k % 4], 1e-10, sweeps, t, four);
    for (int i = 0; i < t->p.nrow; i++) apart = fmax(apart, fabs(one[i] - four[i]));
    check_below("impulses apart, N s", apart, 1e-12);
    free_problem(t);
  }
}

/* Three masses on each other and, separately, five at rest, of which the topmost is last in a sweep: sweeps
 * continue until nothing changes. */
static void sweeps_end_when_nothing_changes(void **state)
{
  (void)state;
  trial_problem *t = problem_of(9);
  double p[8] = { 0 };
  for (int i = 1; i <= 3; i++) t->u[6 * i + 1] = -1;
  for (int i = 1; i <= 8; i++) add_contact(t, i == 4 ? 0 : i - 1, i, origin, origin, upright, 1, push);
  assert_int_equal(solved("pgs:local=box", 1e-12, 1000, t, p), HN_CONVERGED);
  for (int i = 0; i < 3; i++) check_near("impulse, N s", p[i], 3 - i, 1e-10);
  free_problem(t);
}

/* A mass of 1 with velocities 3 along and 2 down, friction 1/2: the normal velocity is stopped, the
 * tangential one reduced by 1. */
static void a_slide_has_its_closed_form(void **state)
{
  (void)state;
  static const char *const specs[] = { "pgs", "newton", "newton:sweeps=0", "admm" };
  for (int k = 0; k < 4; k++) {
    trial_problem *t = problem_of(2);
    double p[3] = { 0 };
    t->u[6] = 3, t->u[7] = -2;
    add_contact(t, 0, 1, origin, origin, upright, 3, cone(0.5));
    assert_int_equal(solved(specs[k], 1e-10, 1000, t, p), HN_CONVERGED);
    check_near("normal impulse, N s", p[0], 2, 1e-9);
    check_near("friction, N s", p[1], -1, 1e-9);
    free_problem(t);
  }
}

/* Rows above their upper bound, below their lower bound or inside are solved without sweeps or fallbacks. */
static void newton_finds_bounds_without_fallbacks(void **state)
{
  (void)state;
  trial_problem *t = problem_of(4);
  static const double wanted[3] = { 5, -5, 0.5 }, expected[3] = { 2, -1, 0.5 };
  double p[3] = { 0 };
  for (int i = 0; i < 3; i++) t->u[6 * (i + 1) + 1] = -wanted[i];
  for (int i = 0; i < 3; i++)
    add_contact(t, 0, i + 1, origin, origin, upright, 1,
                (hn_set){ .kind = HN_WITHIN, .lower = -1, .upper = 2 });
  hn_contact_solver *solver = solver_of("newton:sweeps=0", 1e-12, 10);
  assert_int_equal(hn_contact_solve(solver, &t->p, p), HN_CONVERGED);
  for (int i = 0; i < 3; i++) check_near("impulse, N s", p[i], expected[i], 1e-12);
  ASSERT_COUNT("fallbacks", (unsigned)solver->fallbacks, 0);
  hn_contact_solver_free(solver);
  free_problem(t);
}

/* A column that falls with 0.1 m/s: 20 sweeps reach a tolerance of 0.01 m/s, and leave more than 1e-6. A
 * start without sweeps gets an iteration for the last digits, of which its regularisation leaves 1e-9, unless
 * it has them. */
static void newton_finds_the_last_digits(void **state)
{
  (void)state;
  static const struct {
    const char *spec;
    double start; /* m/s, residual of the start; 0: no impulses */
    int factorisations;
  } of[] = { { "newton:sweeps=20", 0, 0 }, { "newton:sweeps=0", 1e-4, 1 }, { "newton:sweeps=0", 1e-15, 0 } };
  const double below[3] = { 0, -0.5, 0 }, above[3] = { 0, 0.5, 0 };
  for (int k = 0; k < 3; k++) {
    trial_problem *t = problem_of(5);
    double p[MAX_ROWS] = { 0 };
    for (int i = 1; i <= 4; i++) {
      t->u[6 * i + 1] = -0.1;
      add_contact(t, i - 1, i, i == 1 ? origin : above, below, upright, 3, cone(0.3));
    }
    if (of[k].start > 0) assert_int_equal(solved("pgs", of[k].start, 1000, t, p), HN_CONVERGED);
    hn_contact_solver *solver = solver_of(of[k].spec, 0.01, 10);
    assert_int_equal(hn_contact_solve(solver, &t->p, p), HN_CONVERGED);
    printf("%s\n", of[k].spec);
    ASSERT_COUNT("factorisations", solver->factorisations, of[k].factorisations);
    if (k == 0) assert_true(error_of(t, false, p) > 1e-6);
    else check_below("residual, m/s", error_of(t, false, p), 1e-9 * 0.1);
    hn_contact_solver_free(solver), free_problem(t);
  }
}

/* Joints alone need no splitting: the remainder due to `proximal` = 1e-7 is squared by the second iteration,
 * and the third detects convergence. */
static void joints_are_solved_in_three_iterations(void **state)
{
  (void)state;
  trial_problem *t = problem_of(6);
  double p[15] = { 0 };
  for (int i = 1; i < 6; i++) {
    const double a[3] = { i > 1, 0, 0 }, b[3] = { -1, 0.3 * i, 0 };
    for (int c = 0; c < 6; c++) t->u[6 * i + c] = random_in(-1, 1);
    add_contact(t, i - 1, i, a, b, upright, 3, all);
  }
  hn_contact_solver *solver = solver_of("admm", 1e-8, 1000);
  assert_int_equal(hn_contact_solve(solver, &t->p, p), HN_CONVERGED);
  check_below("velocities of joints, m/s", error_of(t, false, p), 1e-9);
  printf("  %d iterations\n", solver->iterations);
  assert_true(solver->iterations <= 3);
  hn_contact_solver_free(solver);
  free_problem(t);
}

/* More iterations never increase the error, because the best iterate is retained. */
static void projected_gradients_keep_the_best(void **state)
{
  (void)state;
  trial_problem *t = random_problem(8, 20, 100, 0.8);
  double before = HUGE_VAL;
  int rises = 0;
  for (int most = 1; most <= 200; most++) {
    double p[MAX_ROWS] = { 0 };
    hn_contact_solver *solver = solver_of("apgd", 1e-14, most);
    hn_contact_solve(solver, &t->p, p);
    const double error = error_of(t, true, p);
    rises += error > before * (1 + 1e-9) + 1e-13;
    before = error;
    hn_contact_solver_free(solver);
  }
  ASSERT_COUNT("iterations that made it worse", (unsigned)rises, 0);
  free_problem(t);
}

/* Thirty masses on each other: K has the condition k = cot^2(pi / 4n). Gradients need k ln(1 / tolerance) =
 * 34000 iterations, accelerated ones a few times sqrt(k) ln(1 / tolerance), 880. */
static void projected_gradients_are_accelerated(void **state)
{
  (void)state;
  enum { N = 30 };
  trial_problem *t = problem_of(N + 1);
  double p[N] = { 0 };
  const double root = 1 / tan(acos(-1) / (4 * N)), most = 4 * root * log(1e10);
  for (int i = 1; i <= N; i++) t->u[6 * i + 1] = -1;
  for (int i = 1; i <= N; i++) add_contact(t, i - 1, i, origin, origin, upright, 1, push);
  hn_contact_solver *solver = solver_of("apgd", 1e-10, 100000);
  assert_int_equal(hn_contact_solve(solver, &t->p, p), HN_CONVERGED);
  check_below("iterations", solver->iterations, most);
  check_near("impulse of the lowest, N s", p[0], N, 1e-6);
  hn_contact_solver_free(solver);
  free_problem(t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(four_contacts_equal_single_ones),
    cmocka_unit_test(sweeps_end_when_nothing_changes),
    cmocka_unit_test(a_slide_has_its_closed_form),
    cmocka_unit_test(newton_finds_bounds_without_fallbacks),
    cmocka_unit_test(newton_finds_the_last_digits),
    cmocka_unit_test(joints_are_solved_in_three_iterations),
    cmocka_unit_test(projected_gradients_keep_the_best),
    cmocka_unit_test(projected_gradients_are_accelerated),
  };
  return cmocka_run_group_tests_name("sweeps of contact", tests, NULL, NULL);
}
