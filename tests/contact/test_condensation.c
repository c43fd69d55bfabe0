/* test_condensation.c - contact problems without their joints: against the Schur complement of the full K by
 * a singular value decomposition, closed forms of feet that contradict each other, the settings condense=,
 * rows= and then=, and small systems. */
#include "contact/matrix/condensation.h"
#include "contact/newton/dense_lu.h"
#include "contact_problems.h"

#include <gsl/gsl_linalg.h>

static const double axes[9] = { 0, 0, 1, 1, 0, 0, 0, 1, 0 }; /* normal up, then two tangents */

/* ---- Mechanisms ---------------------------------------------------------------------------------------- */

static void add_ball(trial_problem *t, int a, int b)
{
  double arm_a[3], arm_b[3];
  for (int i = 0; i < 3; i++) arm_a[i] = random_in(-1, 1), arm_b[i] = random_in(-1, 1);
  add_contact(t, a, b, arm_a, arm_b, axes, 3, all);
}

/* Two directions in which two bodies turn together: with a ball joint a hinge. */
static void add_turns(trial_problem *t, int a, int b)
{
  double rows[2][12] = { { 0 } }, frame[9];
  random_frame(frame);
  for (int r = 0; r < 2; r++)
    for (int i = 0; i < 3; i++) rows[r][3 + i] = -frame[3 * r + i], rows[r][9 + i] = frame[3 * r + i];
  add_rows(t, a, b, 2, all, rows);
}

/* A chain of BODIES, every second joint a hinge, masses up to RATIO times apart, with COUNT contacts with the
 * ground between its joints. REDUNDANT: every joint twice. */
static trial_problem *chain_on_ground(int bodies, int count, double ratio, bool redundant)
{
  trial_problem *t = problem_of(bodies + 1);
  for (int i = 1; i <= bodies; i++) {
    const double mass = pow(ratio, random_in(0, 1));
    set_body(t, i, mass, mass * random_in(0.1, 1), mass * random_in(0.1, 1), mass * random_in(0.1, 1));
    for (int c = 0; c < 6; c++) t->u[6 * i + c] = random_in(-1, 1);
  }
  for (int i = 1; i < bodies || i <= count; i++) {
    if (i <= count) {
      double arm[3] = { random_in(-1, 1), random_in(-1, 1), -1 };
      add_contact(t, 0, 1 + (i - 1) % bodies, origin, arm, axes, 3, cone(random_in(0, 0.8)));
    }
    for (int k = 0; k <= redundant && i < bodies; k++) {
      const uint32_t kept = seed;
      add_ball(t, i, i + 1);
      if (i % 2) add_turns(t, i, i + 1);
      if (k < redundant) seed = kept; /* the same joint */
    }
  }
  return t;
}

/* ---- The reference: pseudoinverse of K_jj ---------------------------------------------------------------
 * */

/* Computes the full K and b. */
static void full_matrix(const trial_problem *t, gsl_matrix *K, double *b)
{
  double e[MAX_ROWS] = { 0 }, v[MAX_ROWS], work[6 * MAX_BODIES];
  const size_t n = (size_t)t->p.nrow;
  hn_problem_velocities(&t->p, e, work, b);
  for (size_t j = 0; j < n; j++) {
    e[j] = 1, hn_problem_velocities(&t->p, e, work, v), e[j] = 0;
    for (size_t i = 0; i < n; i++) gsl_matrix_set(K, i, j, v[i] - b[i]);
  }
}

/* Lists the rows of joints, or of all others. */
static int rows_of(const trial_problem *t, bool joints, int *rows)
{
  int count = 0;
  for (int k = 0; k < t->p.nblock; k++)
    for (int r = 0; r < t->block[k].n && (t->block[k].set.kind == HN_ANY) == joints; r++)
      rows[count++] = t->block[k].row + r;
  return count;
}

/* Computes K_c and b_c by the singular value decomposition of K_jj. */
static void schur_complement(const trial_problem *t, double *K_c, double *b_c)
{
  const size_t n = (size_t)t->p.nrow;
  gsl_matrix *K = gsl_matrix_alloc(n, n);
  double b[MAX_ROWS];
  int j[MAX_ROWS], c[MAX_ROWS];
  const int joints = rows_of(t, true, j), others = rows_of(t, false, c);
  full_matrix(t, K, b);
  gsl_matrix *U = gsl_matrix_alloc((size_t)joints, (size_t)joints), *V = gsl_matrix_alloc(U->size1, U->size1);
  gsl_vector *s = gsl_vector_alloc(U->size1), *work = gsl_vector_alloc(U->size1),
             *y = gsl_vector_alloc(U->size1), *x = gsl_vector_alloc(U->size1);
  for (size_t i = 0; i < U->size1; i++)
    for (size_t k = 0; k < U->size1; k++)
      gsl_matrix_set(U, i, k, gsl_matrix_get(K, (size_t)j[i], (size_t)j[k]));
  gsl_linalg_SV_decomp(U, V, s, work);
  for (size_t i = 0; i < s->size; i++) /* singular values of redundant rows */
    if (gsl_vector_get(s, i) < 1e-10 * gsl_vector_get(s, 0)) gsl_vector_set(s, i, 0);
  for (int q = 0; q <= others; q++) { /* the last one is for b */
    for (size_t i = 0; i < y->size; i++)
      gsl_vector_set(y, i, q < others ? gsl_matrix_get(K, (size_t)j[i], (size_t)c[q]) : b[j[i]]);
    gsl_linalg_SV_solve(U, V, s, y, x);
    for (int p = 0; p < others; p++) {
      double sum = q < others ? gsl_matrix_get(K, (size_t)c[p], (size_t)c[q]) : b[c[p]];
      for (size_t i = 0; i < x->size; i++)
        sum -= gsl_matrix_get(K, (size_t)c[p], (size_t)j[i]) * gsl_vector_get(x, i);
      if (q < others) K_c[p * others + q] = sum;
      else b_c[p] = sum;
    }
  }
  gsl_matrix_free(K), gsl_matrix_free(U), gsl_matrix_free(V);
  gsl_vector_free(s), gsl_vector_free(work), gsl_vector_free(y), gsl_vector_free(x);
}

/* K and b of the posed problem, relative to their largest entries. Joints once or twice, masses up to 1e4
 * apart. */
static void posed_problem_is_the_schur_complement(void **state)
{
  (void)state;
  seed = 12345;
  double worst_K = 0, worst_b = 0, asymmetry = 0;
  for (int trial = 0; trial < 40; trial++) {
    trial_problem *t = chain_on_ground(2 + trial % 9, 1 + trial % 7, trial % 3 ? 1e4 : 1, trial % 2);
    double K_c[60 * 60], b_c[60], zero[MAX_ROWS] = { 0 }, *start, K_size = 0, b_size = 0;
    hn_condensation *d = hn_condensation_create(60);
    hn_work work = { 0 };
    schur_complement(t, K_c, b_c);
    assert_true(hn_condensation_applies(d, &t->p));
    const hn_problem *posed = hn_condensation_pose(d, &work, &t->p, zero, &start);
    assert_non_null(posed);
    const int n = posed->nrow;
    for (int i = 0; i < n * n; i++) K_size = fmax(K_size, fabs(K_c[i]));
    for (int i = 0; i < n; i++) b_size = fmax(b_size, fabs(b_c[i]));
    for (int i = 0; i < n * n; i++) worst_K = larger(worst_K, fabs(posed->K->value[i] - K_c[i]) / K_size);
    for (int i = 0; i < n; i++) worst_b = larger(worst_b, fabs(posed->b[i] - b_c[i]) / b_size);
    asymmetry = larger(asymmetry, hn_problem_asymmetry(posed));
    assert_int_equal(work.factorisations, 1);
    hn_condensation_free(d), free_problem(t);
  }
  check_below("K without joints, relative", worst_K, 1e-10);
  check_below("b without joints, relative", worst_b, 1e-10);
  check_below("asymmetry of K", asymmetry, 0);
}

/* ---- Solutions ------------------------------------------------------------------------------------------
 * */

/* Contact solvers with condense= solve the whole problem, joints included: residual of the law of the whole
 * problem by its definition. */
static void solutions_meet_the_law_of_the_whole_problem(void **state)
{
  (void)state;
  seed = 12345;
  static const char *const specs[] = { "pgs:condense=60",  "admm:condense=60",          "newton:condense=60",
                                       "prox:condense=60", "prox:condense=60:sweeps=0", "auto" };
  for (size_t s = 0; s < sizeof specs / sizeof *specs; s++) {
    double worst = 0;
    for (int trial = 0; trial < 30; trial++) {
      trial_problem *t = chain_on_ground(2 + trial % 9, 1 + trial % 7, trial % 3 ? 100 : 1, trial % 2);
      double p[MAX_ROWS] = { 0 };
      hn_contact_solver *solver = solver_of(specs[s], 1e-10, 200000);
      assert_int_equal(hn_contact_solve(solver, &t->p, p), HN_CONVERGED);
      worst = larger(worst, error_of(t, false, p));
      hn_contact_solver_free(solver), free_problem(t);
    }
    check_below(specs[s], worst, 1e-10);
  }
}

/* Sweeps and iterations with and without joints: a chain of light bodies between heavy ones. Gauss and
 * Seidel's sweeps over its joints take longer than those over its contacts alone. */
static void few_iterations_where_joints_are_many(void **state)
{
  (void)state;
  seed = 12345;
  trial_problem *t = chain_on_ground(20, 2, 1e4, false);
  int iterations[2];
  for (int condensed = 0; condensed < 2; condensed++) {
    double p[MAX_ROWS] = { 0 };
    hn_contact_solver *solver = solver_of(condensed ? "pgs:condense=60" : "pgs", 1e-8, 1000);
    hn_reason reason = hn_contact_solve(solver, &t->p, p);
    iterations[condensed] = solver->iterations;
    assert_int_equal(reason, condensed ? HN_CONVERGED : HN_BUDGET);
    hn_contact_solver_free(solver);
  }
  ASSERT_COUNT("sweeps over joints and contacts", iterations[0], 1000);
  check_below("sweeps over contacts alone", iterations[1], 200);
  free_problem(t);
}

/* ---- Feet that contradict each other ---------------------------------------------------------------------
 * */

/* Returns a table of weight 1 N s on FEET feet around its axis, whose floors move by up to SPEED along x
 * and y. */
static trial_problem *table(int feet, double speed)
{
  trial_problem *t = problem_of(2);
  t->u[6 + 2] = -1;
  for (int i = 0; i < feet; i++) {
    const double turn = 6.283 / feet * i + random_in(-0.5, 0.5), arm[3] = { cos(turn), sin(turn), -0.3 };
    hn_problem_block *block = add_contact(t, 0, 1, arm, arm, axes, 3, cone(random_in(0.3, 1)));
    for (int r = 1; r < 3; r++) t->b[block->row + r] += random_in(-speed, speed);
  }
  return t;
}

/* A table of weight 1 N s on two feet at x = -1 and 2, whose floor moves apart by 2 GAP m/s. By moments the
 * feet carry 2/3 and 1/3; the weaker one slides, and its friction holds the other one in place. The heavier
 * foot then moves with its floor, and the table with it. */
static void the_weaker_foot_slides(void **state)
{
  (void)state;
  static const char *const specs[] = { "newton:help=0:then=prox:sweeps=0", "prox:sweeps=0", "prox", "admm" };
  static const double gaps[] = { 1e-3, 1e-6, 1e-8, 1e-9 };
  const double mu = 0.8, arms[2][3] = { { -1, 0, 0 }, { 2, 0, 0 } };
  for (size_t s = 0; s < sizeof specs / sizeof *specs; s++) {
    double impulse = 0, residual = 0;
    for (size_t g = 0; g < sizeof gaps / sizeof *gaps; g++) {
      trial_problem *t = problem_of(2);
      double p[MAX_ROWS] = { 0 };
      t->u[6 + 2] = -1;
      for (int i = 0; i < 2; i++) {
        hn_problem_block *block = add_contact(t, 0, 1, arms[i], arms[i], axes, 3, cone(mu));
        t->b[block->row + 1] -= i ? gaps[g] : -gaps[g]; /* the velocity of the floor along x */
      }
      hn_contact_solver *solver = solver_of(specs[s], 1e-12, 100000);
      assert_int_equal(hn_contact_solve(solver, &t->p, p), HN_CONVERGED);
      const double answer[6] = { 2.0 / 3, -mu / 3 - gaps[g], 0, 1.0 / 3, mu / 3, 0 };
      for (int i = 0; i < 6; i++) impulse = larger(impulse, fabs(p[i] - answer[i]));
      residual = larger(residual, error_of(t, false, p));
      hn_contact_solver_free(solver), free_problem(t);
    }
    printf("%s\n", specs[s]);
    check_below("impulses, N s", impulse, 1e-11);
    check_below("residual of the law, m/s", residual, 1e-12);
  }
}

/* Tables on 3 to 8 feet whose floors move by up to 1e-10 to 1e-6 m/s each: which feet slide is decided by
 * inner forces of the table alone. At most one in a hundred is not solved to the last digits by prox
 * alone. */
static void tables_on_moving_floors(void **state)
{
  (void)state;
  seed = 12345;
  static const char *const specs[] = { "prox", "newton:help=0:then=prox:sweeps=0" };
  enum { TRIALS = 20 };
  for (int s = 0; s < 2; s++) {
    int iterations = 0, unsolved = 0, count = 0;
    double worst = 0;
    for (int feet = 3; feet <= 8; feet++)
      for (double speed = 1e-10; speed < 2e-6; speed *= 100)
        for (int trial = 0; trial < TRIALS; trial++, count++) {
          trial_problem *t = table(feet, speed);
          double p[MAX_ROWS] = { 0 };
          hn_contact_solver *solver = solver_of(specs[s], 1e-13, 2000);
          const hn_reason reason = hn_contact_solve(solver, &t->p, p);
          unsolved += reason != HN_CONVERGED;
          iterations += solver->iterations;
          if (reason == HN_CONVERGED) worst = larger(worst, error_of(t, false, p));
          hn_contact_solver_free(solver), free_problem(t);
        }
    printf("%s: %d tables, %d iterations\n", specs[s], count, iterations);
    check_below("tables without a solution", unsolved, 0.01 * count);
    check_below("iterations, mean", (double)iterations / count, 200);
    check_below("residual of the law, m/s", worst, 1e-13);
  }
}

/* ---- Settings --------------------------------------------------------------------------------------------
 * */

/* rows= leaves larger problems to the fallback, with or without a tolerance; condense= with too few rows does
 * nothing. */
static void larger_problems_go_to_the_fallback(void **state)
{
  (void)state;
  seed = 3;
  trial_problem *small = chain_on_ground(1, 3, 1, false), *large = chain_on_ground(1, 4, 1, false);
  for (int i = 0; i < 2; i++) {
    trial_problem *t = i ? large : small;
    double p[MAX_ROWS] = { 0 }, q[MAX_ROWS] = { 0 };
    hn_contact_solver *solver = solver_of("newton:sweeps=0:rows=9:then=pgs", 1e-9, 100000);
    assert_int_equal(hn_contact_solve(solver, &t->p, p), HN_CONVERGED);
    check_below("residual, m/s", error_of(t, false, p), 1e-9);
    ASSERT_COUNT("newton factors", solver->factorisations > 0, i == 0);
    if (i) ASSERT_COUNT("fallbacks", solver->fallbacks, 0);
    hn_contact_solver_free(solver);
    solver = solver_of("newton:sweeps=0:rows=9:then=pgs", 0, 7);
    assert_int_equal(hn_contact_solve(solver, &t->p, q), HN_BUDGET);
    ASSERT_COUNT("iterations without a tolerance", solver->iterations, 7);
    ASSERT_COUNT("newton factors", solver->factorisations > 0, i == 0);
    hn_contact_solver_free(solver);
  }
  for (int i = 0; i < 2; i++) { /* the chain without a tolerance: as many iterations as are asked for */
    double p[MAX_ROWS] = { 0 };
    hn_contact_solver *solver = solver_of("auto", 0, 7 + 300 * i);
    assert_int_equal(hn_contact_solve(solver, i ? &large->p : &small->p, p), HN_BUDGET);
    ASSERT_COUNT("iterations of the chain without a tolerance", solver->iterations, 7 + 300 * i);
    hn_contact_solver_free(solver);
  }
  hn_error error;
  const hn_problem_size most = { 10, 30, 10 };
  assert_null(hn_contact_solver_create(&(hn_contact_options){ "newton:rows=9", 1e-9, 10 }, &most, &error));
  assert_string_equal(error.text, "newton: rows=9 leaves larger problems to no solver: add then=SOLVER");
  assert_null(hn_contact_solver_create(&(hn_contact_options){ "newton:from=9", 1e-9, 10 }, &most, &error));
  assert_string_equal(error.text, "newton: from=9 leaves smaller problems to no solver: add then=SOLVER");
  assert_null(
    hn_contact_solver_create(&(hn_contact_options){ "newton:matrix=true", 1e-9, 10 }, &most, &error));
  assert_string_equal(error.text,
                      "newton: matrix=true leaves problems by bodies to no solver: add then=SOLVER");
  for (int i = 0; i < 2; i++) { /* small problems have 9 rows, large ones 12 */
    double p[MAX_ROWS] = { 0 };
    hn_contact_solver *solver = solver_of("newton:sweeps=0:from=10:then=pgs", 1e-9, 100000);
    assert_int_equal(hn_contact_solve(solver, i ? &large->p : &small->p, p), HN_CONVERGED);
    ASSERT_COUNT("newton factors, from=10", solver->factorisations > 0, i == 1);
    hn_contact_solver_free(solver);
  }
  for (int i = 0; i < 2; i++) { /* by bodies, then with its matrix */
    double p[MAX_ROWS] = { 0 };
    hn_contact_solver *solver = solver_of("newton:sweeps=0:matrix=true:then=pgs", 1e-9, 100000);
    if (i) use_matrix(small);
    assert_int_equal(hn_contact_solve(solver, &small->p, p), HN_CONVERGED);
    ASSERT_COUNT("newton factors, matrix=true", solver->factorisations > 0, i == 1);
    hn_contact_solver_free(solver);
  }
  hn_condensation *d = hn_condensation_create(5);
  trial_problem *joined = chain_on_ground(3, 2, 1, false), *free_body = chain_on_ground(1, 1, 1, false);
  assert_false(hn_condensation_applies(d, &joined->p));
  assert_false(hn_condensation_applies(d, &free_body->p));
  hn_condensation_free(d);
  free_problem(small), free_problem(large), free_problem(joined), free_problem(free_body);
}

/* A fallback after a used-up budget, or one that is foretold to be too small, begins where the first solver
 * began: its impulses are those of the fallback alone, to the bit. One with cold=true begins at zero. */
static void a_budget_leaves_the_start(void **state)
{
  (void)state;
  static const char *const fallback[][2] = { { "pgs", "admm:iterations=3:then=pgs" },
                                             { "pgs", "admm:forecast=0.01:then=pgs" },
                                             { "pgs:cold=true", "admm:iterations=3:then=pgs:cold=true" } };
  seed = 12345;
  trial_problem *t = chain_on_ground(4, 4, 10, false);
  double start[MAX_ROWS], from_start[MAX_ROWS], zero[MAX_ROWS] = { 0 }, cold = 0;
  for (int i = 0; i < t->p.nrow; i++) start[i] = random_in(-1, 1);
  assert_int_equal(solved("pgs", 1e-6, 100000, t, zero), HN_CONVERGED);
  for (int k = 0; k < 3; k++) {
    double alone[MAX_ROWS], after[MAX_ROWS], apart = 0;
    memcpy(alone, start, sizeof alone), memcpy(after, start, sizeof after);
    assert_int_equal(solved(fallback[k][0], 1e-6, 100000, t, alone), HN_CONVERGED);
    assert_int_equal(solved(fallback[k][1], 1e-6, 100000, t, after), HN_CONVERGED);
    for (int i = 0; i < t->p.nrow; i++) apart = larger(apart, fabs(alone[i] - after[i]));
    check_below("impulses apart", apart, 0);
    if (k == 0) memcpy(from_start, alone, sizeof alone);
    for (int i = 0; i < t->p.nrow && k == 2; i++) cold = larger(cold, fabs(alone[i] - zero[i]));
  }
  check_below("impulses from a cold start and from zero apart", cold, 0);
  assert_memory_not_equal(from_start, zero, sizeof *zero * (size_t)t->p.nrow);
  free_problem(t);
}

/* ---- Small systems ------------------------------------------------------------------------------------ */

/* Systems of 2 to 64 unknowns against A x of a known x; the diagonal is 0, so that rows must be exchanged. */
static void small_systems_are_solved(void **state)
{
  (void)state;
  seed = 12345;
  static double value[HN_MAX_DENSE * HN_MAX_DENSE], room[HN_MAX_DENSE * HN_MAX_DENSE];
  static int row[HN_MAX_DENSE * HN_MAX_DENSE];
  double worst = 0;
  for (int n = 2; n <= HN_MAX_DENSE; n++) {
    int start[HN_MAX_DENSE + 1] = { 0 };
    double x[HN_MAX_DENSE], b[HN_MAX_DENSE] = { 0 };
    hn_lu_matrix A = { .n = n, .start = start, .row = row, .value = value };
    for (int j = 0, k = 0; j < n; j++, start[j] = k) {
      x[j] = random_in(-1, 1);
      for (int i = 0; i < n; i++)
        if (i != j) row[k] = i, value[k] = random_in(-1, 1), b[i] += value[k++] * x[j];
    }
    assert_int_equal(hn_dense_lu_solve(&A, room, b), HN_CONVERGED);
    for (int i = 0; i < n; i++) worst = larger(worst, fabs(b[i] - x[i]));
  }
  check_below("solution", worst, 1e-11);
  double none[1] = { 0 }, one[1] = { 1 }, cell[1];
  const hn_lu_matrix zero = { .n = 1, .start = (int[]){ 0, 1 }, .row = (int[]){ 0 }, .value = none };
  assert_int_equal(hn_dense_lu_solve(&zero, cell, one), HN_SINGULAR);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(posed_problem_is_the_schur_complement),
    cmocka_unit_test(solutions_meet_the_law_of_the_whole_problem),
    cmocka_unit_test(few_iterations_where_joints_are_many),
    cmocka_unit_test(the_weaker_foot_slides),
    cmocka_unit_test(tables_on_moving_floors),
    cmocka_unit_test(larger_problems_go_to_the_fallback),
    cmocka_unit_test(a_budget_leaves_the_start),
    cmocka_unit_test(small_systems_are_solved),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
