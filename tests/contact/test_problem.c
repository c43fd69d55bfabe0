/* test_problem.c - contact problems: velocities, diagonal blocks and errors against their definitions; checks
 * of external problems; the exact solution of one contact; the registry of solvers. */
#include "contact_problems.h"
#include "contact/local_coulomb.h"

/* Returns two bodies in contact with each other and the ground at random points, and a ball joint. */
static trial_problem *two_bodies_with_contacts(void)
{
  trial_problem *t = problem_of(3);
  set_body(t, 1, 2, 0.3, 0.5, 0.7), set_body(t, 2, 0.5, 0.02, 0.05, 0.03);
  for (int i = 6; i < 18; i++) t->u[i] = random_in(-1, 1);
  for (int k = 0; k < 4; k++) {
    double arm_a[3], arm_b[3];
    for (int i = 0; i < 3; i++) arm_a[i] = random_in(-1, 1), arm_b[i] = random_in(-1, 1);
    add_contact(t, k % 2, 1 + k % 2, arm_a, arm_b, upright, 3, k == 2 ? all : cone(0.3 * k));
  }
  return t;
}

/* Velocities by bodies against those of K = G W G', assembled entry by entry from its definition. */
static void velocities_and_diagonal(void **state)
{
  (void)state;
  trial_problem *t = two_bodies_with_contacts();
  const int n = t->p.nrow;
  double p[MAX_ROWS], v[MAX_ROWS], v_matrix[MAX_ROWS], work[6 * MAX_BODIES], dense[12][12], D[36];
  double off = 0, apart = 0;
  for (int i = 0; i < n; i++) p[i] = random_in(-1, 1);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      const hn_problem_block *I = &t->block[i / 3], *J = &t->block[j / 3];
      dense[i][j] = 0;
      for (int body = 1; body < 3; body++)
        for (int x = 0; x < 6; x++)
          for (int y = 0; y < 6; y++) {
            double gi = 0, gj = 0;
            for (int side = 0; side < 2; side++) {
              if ((side ? I->b : I->a) == body) gi += t->G[12 * I->row + 18 * side + 3 * x + i % 3];
              if ((side ? J->b : J->a) == body) gj += t->G[12 * J->row + 18 * side + 3 * y + j % 3];
            }
            dense[i][j] += gi * t->W[36 * body + 6 * x + y] * gj;
          }
    }
  hn_problem_velocities(&t->p, p, work, v);
  for (int i = 0; i < n; i++) {
    double sum = t->b[i];
    for (int j = 0; j < n; j++) sum += dense[i][j] * p[j];
    off = fmax(off, fabs(sum - v[i]));
  }
  for (int k = 0; k < 4; k++) {
    hn_problem_diagonal(&t->p, k, D);
    for (int i = 0; i < 9; i++) apart = fmax(apart, fabs(D[i] - dense[3 * k + i / 3][3 * k + i % 3]));
  }
  check_below("velocities off K p + b", off, 1e-13);
  check_below("diagonal blocks off", apart, 1e-13);
  use_matrix(t);
  hn_problem_velocities(&t->p, p, NULL, v_matrix);
  off = apart = 0;
  for (int i = 0; i < n; i++) off = fmax(off, fabs(v_matrix[i] - v[i]));
  for (int k = 0; k < 4; k++) {
    hn_problem_diagonal(&t->p, k, D);
    for (int i = 0; i < 9; i++) apart = fmax(apart, fabs(D[i] - dense[3 * k + i / 3][3 * k + i % 3]));
  }
  check_below("with K given: velocities off", off, 1e-13);
  check_below("  diagonal blocks off", apart, 1e-13);
  free_problem(t);
}

/* A given K of which some entries are not stored: velocities and diagonal blocks against the full table. */
static void entries_that_are_not_stored(void **state)
{
  (void)state;
  enum { N = 9 };
  static const int missing[][2] = { { 2, 3 }, { 5, 6 }, { 3, 4 }, { 0, 8 }, { 6, 7 }, { 7, 8 } };
  double full[N][N], value[N * N], b[N], p[N], v[N], D[9], off = 0, apart = 0;
  int start[N + 1] = { 0 }, column[N * N];
  const uint32_t kept = seed; /* the random numbers of other tests remain */
  for (size_t without = 0; without <= sizeof missing / sizeof *missing; without++) {
    for (int i = 0; i < N; i++)
      for (int j = 0; j <= i; j++) full[i][j] = full[j][i] = random_in(-1, 1);
    for (size_t k = 0; k < without; k++)
      full[missing[k][0]][missing[k][1]] = full[missing[k][1]][missing[k][0]] = 0;
    for (int i = 0, count = 0; i < N; i++, start[i] = count)
      for (int j = 0; j < N; j++)
        if (full[i][j] != 0) column[count] = j, value[count++] = full[i][j];
    hn_problem_block block[3] = { { .row = 0, .n = 3 }, { .row = 3, .n = 3 }, { .row = 6, .n = 3 } };
    hn_problem_matrix K = { start, column, value };
    const hn_problem problem = { .h = 1, .nblock = 3, .nrow = N, .block = block, .b = b, .K = &K };
    for (int i = 0; i < N; i++) b[i] = random_in(-1, 1), p[i] = random_in(-1, 1);
    hn_problem_velocities(&problem, p, NULL, v);
    for (int i = 0; i < N; i++) {
      double sum = b[i];
      for (int j = 0; j < N; j++) sum += full[i][j] * p[j];
      apart = larger(apart, fabs(v[i] - sum));
    }
    for (int k = 0; k < 3; k++) {
      hn_problem_diagonal(&problem, k, D);
      for (int i = 0; i < 9; i++) off = larger(off, fabs(D[i] - full[3 * k + i / 3][3 * k + i % 3]));
    }
  }
  seed = kept;
  check_below("velocities apart, m/s", apart, 1e-14);
  check_below("diagonal blocks apart, 1/kg", off, 1e-15);
}

/* A block with equal bodies on both sides, as after merging bodies of a model, couples with itself. */
static void both_sides_on_one_body(void **state)
{
  (void)state;
  trial_problem *t = problem_of(2);
  const double a[3] = { 1, 0, 0 }, b[3] = { 0, 0, 1 };
  double p[3] = { 1, 0, 0 }, v[3], D[9], work[12];
  add_contact(t, 1, 1, a, b, upright, 3, all);
  hn_problem_diagonal(&t->p, 0, D);
  hn_problem_velocities(&t->p, p, work, v);
  for (int i = 0; i < 3; i++) check_near("column of the diagonal", D[3 * i], v[i], 1e-15);
  free_problem(t);
}

/* A block of 1 kg without rotation, mu = 1/2: errors of known impulses, which are velocities. */
static void the_error_of_an_impulse(void **state)
{
  (void)state;
  trial_problem *t = problem_of(2);
  const double none[3] = { 0, 0, 0 };
  t->u[6] = 3, t->u[7] = -2; /* slides along x, falls */
  add_contact(t, 0, 1, none, none, upright, 3, cone(0.5));
  double p[3] = { 2, -1, 0 },
         lifted_off[3] = { 2.0 + 0.5 * (3.0 - 0.5 * 2) / 1.25, 0, 0 }; /* v_n = mu |v_t| */
  lifted_off[1] = -0.5 * lifted_off[0];
  check_below("sliding: Coulomb's law", error_of(t, false, p), 1e-15);
  check_near("  the relaxed law fails by", error_of(t, true, p), 0.8944271909999159, 1e-12);
  check_below("lifted off: the relaxed law", error_of(t, true, lifted_off), 1e-15);
  check_near("  p_n", lifted_off[0], 2.8, 1e-15);
  check_near("  lifts off with", -2 + lifted_off[0], 0.5 * (3 + lifted_off[1]), 1e-15);
  assert_true(error_of(t, false, lifted_off) > 0.1);
  p[0] = 1.9, p[1] = -0.95;
  check_near("an impulse that is too small by 0.1: m/s", error_of(t, false, p), 0.1, 0.05);
  p[0] = NAN;
  assert_true(isnan(error_of(t, false, p)));
  free_problem(t);
}

/* Friction 0.6 while sticking and 0.3 while sliding, in the same block. */
static void the_error_with_two_frictions(void **state)
{
  (void)state;
  trial_problem *t = problem_of(2);
  const double none[3] = { 0, 0, 0 };
  t->u[6] = 1, t->u[7] = -2;
  add_contact(t, 0, 1, none, none, upright, 3, (hn_set){ .kind = HN_CONE, .mu = 0.3, .mu_static = 0.6 });
  check_below("it sticks", error_of(t, false, (double[3]){ 2, -1, 0 }), 1e-15);
  check_below("it slides", error_of(t, false, (double[3]){ 2, -0.6, 0 }), 1e-15);
  check_near("between both, slipping: the shifted velocity", error_of(t, false, (double[3]){ 2, -0.9, 0 }),
             hypot(0.6 * 0.1, 0.1), 1e-14);
  check_near("it sticks and falls", error_of(t, false, (double[3]){ 1.5, -1, 0 }), 0.5, 1e-14);
  free_problem(t);
}

static void external_problems_are_checked(void **state)
{
  (void)state;
  hn_error error;
  trial_problem *t = two_bodies_with_contacts();
  assert_int_equal(hn_problem_check(&t->p, &error), 0);
#define REFUSED(change, back, word)                        \
  do {                                                     \
    change;                                                \
    assert_int_equal(hn_problem_check(&t->p, &error), -1); \
    printf("  %s\n", error.text);                          \
    assert_non_null(strstr(error.text, word));             \
    back;                                                  \
    assert_int_equal(hn_problem_check(&t->p, &error), 0);  \
  } while (0)
  REFUSED(t->block[1].row = 4, t->block[1].row = 3, "begins at row 4");
  REFUSED(t->block[1].n = 7, t->block[1].n = 3, "7 rows");
  REFUSED(t->block[1].a = 3, t->block[1].a = 1, "bodies 3");
  REFUSED(t->block[1].set.mu = -1, t->block[1].set.mu = 0.3, "friction");
  REFUSED(t->block[1].set.mu = NAN, t->block[1].set.mu = 0.3, "friction");
  REFUSED(t->p.nrow = 11, t->p.nrow = 12, "12 rows");
  const double b = t->b[5], G = t->G[7];
  REFUSED(t->b[5] = NAN, t->b[5] = b, "not a number");
  REFUSED(t->G[7] = NAN, t->G[7] = G, "not a number");
  use_matrix(t);
  const double value = t->K.value[1];
  REFUSED(t->K.value[1] += 10, t->K.value[1] = value, "symmetric");
  REFUSED(t->K.value[1] = INFINITY, t->K.value[1] = value, "inf");
  REFUSED(t->K.column[1] = 0, t->K.column[1] = 1, "column 0");
  REFUSED(t->K.column[1] = 12, t->K.column[1] = 1, "column 12");
  free_problem(t);
}

/* ---- One contact --------------------------------------------------------------------------------------- */

static void random_block(int n, double *K)
{
  double A[9];
  for (int i = 0; i < n * n; i++) A[i] = random_in(-1, 1);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      K[i * n + j] = i == j ? 0.01 : 0;
      for (int k = 0; k < n; k++) K[i * n + j] += A[i * n + k] * A[j * n + k];
    }
}

/* Returns the error of Coulomb's law (natural map) at p for K and q of n rows, in units of p. */
static double law_error(double mu, int n, const double *K, const double *q, const double *p)
{
  const hn_set set = cone(mu);
  double v[3], k = 0;
  for (int i = 0; i < n; i++) {
    v[i] = q[i], k += K[i * n + i] / n;
    for (int j = 0; j < n; j++) v[i] += K[i * n + j] * p[j];
  }
  hn_set_shift(&set, n, v);
  for (int i = 0; i < n; i++) v[i] /= k;
  return hn_set_error(&set, n, 1, p, v);
}

/* hn_local_solve solves Coulomb's law for K of any condition, from any start. */
static void one_contact_is_solved_exactly(void **state)
{
  (void)state;
  int counts[3] = { 0 };
  double worst = 0, difference = 0;
  for (int trials = 0; trials < 20000; trials++) {
    const int n = 2 + trials % 2;
    const double mu = trials % 7 == 0 ? 0 : random_in(0, 2);
    double K[9], q[3], p[2][3] = { { 0 } }, turn[2];
    random_block(n, K);
    for (int i = 0; i < n; i++) q[i] = random_in(-1, 1);
    hn_local local;
    hn_local_prepare(&local, &(hn_set){ .kind = HN_CONE, .mu = mu }, n, K, turn);
    for (int start = 0; start < 2; start++) {
      double v[3], turned[3], *x = p[start];
      for (int i = 0; i < n && start; i++) x[i] = random_in(-1, 1);
      for (int i = 0; i < n; i++) {
        v[i] = q[i];
        for (int j = 0; j < n; j++) v[i] += K[i * n + j] * x[j];
      }
      memcpy(turned, x, sizeof turned);
      if (n == 3) {
        const double v1 = v[1], x1 = x[1];
        v[1] = turn[0] * v1 + turn[1] * v[2], v[2] = turn[0] * v[2] - turn[1] * v1;
        turned[1] = turn[0] * x1 + turn[1] * x[2], turned[2] = turn[0] * x[2] - turn[1] * x1;
      }
      hn_local_solve(&local, n, v, turned);
      x[0] = turned[0], x[1] = n == 3 ? turn[0] * turned[1] - turn[1] * turned[2] : turned[1];
      if (n == 3) x[2] = turn[0] * turned[2] + turn[1] * turned[1];
      double size = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
      worst = larger(worst, law_error(mu, n, K, q, x) / (1 + size));
    }
    double across = n == 3 ? hypot(p[0][1], p[0][2]) : fabs(p[0][1]);
    counts[p[0][0] == 0 ? 0 : across < mu * p[0][0] * (1 - 1e-9) ? 1 : 2]++;
    for (int i = 0; i < n; i++)
      difference = larger(difference, fabs(p[0][i] - p[1][i]) / (1 + fabs(p[0][i])));
  }
  printf("  %d open, %d stick, %d slide\n", counts[0], counts[1], counts[2]);
  assert_true(counts[0] > 1000 && counts[1] > 1000 && counts[2] > 1000);
  check_below("law fails by, of 1 + |p|", worst, 1e-12);
  check_below("from another start", difference, 1e-11);
}

/* ---- Registry ------------------------------------------------------------------------------------------ */

static void refuse(const char *spec, const char *word)
{
  hn_error error = { "" };
  const hn_problem_size most = { 1, 3, 2 };
  hn_contact_solver *solver = hn_contact_solver_create(&(hn_contact_options){ spec, 1e-9, 10 }, &most,
                                                       &error);
  printf("  %s: %s\n", spec, error.text);
  assert_null(solver);
  assert_non_null(strstr(error.text, word));
}

static void names_and_parameters(void **state)
{
  (void)state;
  refuse("pgz", "\"pgs\"");
  refuse("", "no contact solver");
  refuse("something_else", "holonom list contact");
  refuse("pgs:locl=box", "\"local\"");
  refuse("pgs:local=square", "cone,disk,box,pyramid");
  refuse("pgs:tolerance=-1", "outside");
  refuse("pgs:iteration=5", "\"iterations\"");
  refuse("pgs:local=box:local=cone", "twice");
  hn_contact_solver *solver = solver_of("pgs:local=box:iterations=7", 1e-6, 50);
  assert_string_equal(
    solver->spec,
    "pgs:local=box:relaxation=1:tolerance=1e-06:iterations=7:condense=0:rows=0:from=0:islands=false:"
    "matrix=false:cold=false");
  assert_int_equal(solver->options.iterations, 7);
  check_near("tolerance that the solver has", solver->options.tolerance, 1e-6, 0);
  hn_contact_solver *again = solver_of(solver->spec, 1, 1);
  assert_string_equal(again->spec, solver->spec);
  hn_contact_solver_free(solver), hn_contact_solver_free(again);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(velocities_and_diagonal),       cmocka_unit_test(entries_that_are_not_stored),
    cmocka_unit_test(both_sides_on_one_body),        cmocka_unit_test(the_error_of_an_impulse),
    cmocka_unit_test(the_error_with_two_frictions),  cmocka_unit_test(external_problems_are_checked),
    cmocka_unit_test(one_contact_is_solved_exactly), cmocka_unit_test(names_and_parameters),
  };
  return cmocka_run_group_tests_name("problem", tests, NULL, NULL);
}
