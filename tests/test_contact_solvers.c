/* test_contact_solvers.c - all solvers of contact problems on problems with known answers, against each other, and on
 * what is too much or too bad for them. Their own word counts nowhere: the law is judged from impulses and rows. */
#include "problems.h"

static const double upright[9] = { 0, 1, 0, 1, 0, 0, 0, 0, 1 }; /* normal y, tangents x and z */
static const double origin[3] = { 0, 0, 0 };

/* Solvers of Coulomb's law itself, with iterations enough for irregular problems. */
static const struct { const char *spec; int iterations; } exact[] = {
  { "pgs", 200000 }, { "admm", 20000 }, { "newton", 200 },
};
enum { EXACT = sizeof exact / sizeof *exact };

/* ---- Known answers ----------------------------------------------------------------------------------------------- */

/* A block of 2 kg pulled along a floor, impulse 2 g h = 0.2 down: it sticks to 0.06 = mu N, slides beyond. */
static void a_block_on_a_floor(void **state)
{
  (void)state;
  const double pull[] = { 0.03, 0.0599, 0.0601, 0.5 };
  for (int s = 0; s < EXACT; s++)
    for (int n = 2; n <= 3; n++)
      for (size_t k = 0; k < sizeof pull / sizeof *pull; k++) {
        trial_problem *t = problem_of(2);
        double p[3] = { 0 };
        set_body(t, 1, 2, 1, 1, 1);
        t->u[7] = -0.1, t->u[6] = pull[k] / 2;
        add_contact(t, 0, 1, origin, origin, upright, n, cone(0.3));
        assert_int_equal(solved(exact[s].spec, 1e-13, 1000, t, p), HN_CONVERGED);
        check_near("normal", p[0], 0.2, 1e-12);
        check_near("friction", p[1], -fmin(pull[k], 0.06), 1e-12);
        free_problem(t);
      }
}

/* Mass 4 on legs at the corners of a square, friction 1/2, pushed aside and turned: 12 rows for 6 velocities. The motion
 * is unique where it sticks, and where it slides without turning: all friction has one direction, and moments say where
 * the normal impulses together attack. */
static trial_problem *table(double aside, double turn)
{
  trial_problem *t = problem_of(2);
  set_body(t, 1, 4, 0.7, 0.9, 0.6);
  t->u[7] = -0.1, t->u[6] = aside, t->u[10] = 2 * turn;
  for (int k = 0; k < 4; k++) {
    const double arm[3] = { k & 1 ? 1 : -1, -0.6, k & 2 ? 1 : -1 };
    add_contact(t, 0, 1, arm, arm, upright, 3, cone(0.5));
  }
  return t;
}

static void a_table_on_four_legs(void **state)
{
  (void)state;
  const double aside[] = { 0.001, 0.02, 0.3 };
  for (size_t k = 0; k < sizeof aside / sizeof *aside; k++) {
    trial_problem *t = table(aside[k], k < 2 ? aside[k] : 0);
    double first[12], u[12];
    for (int s = 0; s < EXACT; s++) {
      double p[12] = { 0 }, apart = 0, normal = 0;
      assert_int_equal(solved(exact[s].spec, 1e-11, exact[s].iterations, t, p), HN_CONVERGED);
      check_below("  law, m/s", error_of(t, false, p), 1e-11);
      motion_of(t, p, u);
      if (s == 0) memcpy(first, u, sizeof u);
      for (int i = 0; i < 12; i++) apart = larger(apart, fabs(u[i] - first[i]));
      for (int i = 0; i < 4; i++) normal += p[3 * i];
      check_below("  motion apart from the first solver's", apart, 1e-9);
      check_near("  the legs carry together", normal, 0.4, 1e-9);
    }
    free_problem(t);
  }
}

/* Rod of 1 m, 1 kg at 30 degrees, 1 m/s down on a smooth floor, e = 1/2: closed form; with friction enough to stick the
 * end's velocity is (0, 1/2), of 3 equations. */
static void a_rod_hits_the_floor(void **state)
{
  (void)state;
  const double arm[3] = { -0.25 * sqrt(3), -0.25, 0 };
  for (int s = 0; s < EXACT; s++) {
    trial_problem *t = problem_of(2);
    double p[2] = { 0 }, u[12];
    set_body(t, 1, 1, 1, 1, 1.0 / 12);
    t->u[7] = -1;
    add_contact(t, 0, 1, origin, arm, upright, 1, push);
    t->b[0] *= 1.5; /* G u less the target -e G u */
    assert_int_equal(solved(exact[s].spec, 1e-13, 1000, t, p), HN_CONVERGED);
    motion_of(t, p, u);
    check_near("impulse", p[0], 0.4615384615384615385, 1e-12);
    check_near("velocity", t->u[7] + u[7], -0.5384615384615384615, 1e-12);
    check_near("angular velocity", fabs(u[11]), 2.398224195095368560, 1e-12);
    free_problem(t);
    t = problem_of(2);
    set_body(t, 1, 1, 1, 1, 1.0 / 12);
    t->u[7] = -1, p[0] = p[1] = 0;
    add_contact(t, 0, 1, origin, arm, upright, 2, cone(2));
    t->b[0] *= 1.5;
    assert_int_equal(solved(exact[s].spec, 1e-13, 1000, t, p), HN_CONVERGED);
    const double Kn = 1 + 12 * 0.1875, Kt = 1 + 12 * 0.0625, Knt = -12 * 0.25 * sqrt(3) * 0.25;
    const double det = Kn * Kt - Knt * Knt;
    check_near("sticks: normal", p[0], 1.5 * Kt / det, 1e-12);
    check_near("  along", fabs(p[1]), fabs(1.5 * Knt / det), 1e-12);
    free_problem(t);
  }
}

/* The first sweep that left less than PART of what the first one left; -1: none. */
static int below(const hn_contact_solver *solver, double part)
{
  for (int k = 0; k < solver->kept; k++)
    if (solver->history[k] < part * solver->history[0]) return k;
  return -1;
}

/* n equal masses on each other. In the coordinates of their gaps K is tridiagonal, 2 and -1, with 1 first: Gauss and
 * Seidel's error falls by cos^2(pi / 2n) a sweep [Young's theory: the square of Jacobi's cos(pi / 2n)]. */
static void gauss_seidel_on_a_stack(void **state)
{
  (void)state;
  for (int n = 2; n <= 50; n++) {
    trial_problem *t = problem_of(n + 1);
    hn_error error;
    hn_contact_solver *solver = solver_of("pgs", 1e-10, 100000);
    double p[64] = { 0 }, worst = 0;
    for (int i = 1; i <= n; i++) t->u[6 * i + 1] = -0.1;
    for (int i = 1; i <= n; i++) add_contact(t, i - 1, i, origin, origin, upright, 1, push);
    assert_int_equal(hn_contact_solver_remember(solver, 100000, &error), 0);
    assert_int_equal(hn_contact_solve(solver, &t->p, p), HN_CONVERGED);
    for (int i = 0; i < n; i++) worst = larger(worst, fabs(p[i] - 0.1 * (n - i)));
    const double expected = pow(cos(acos(-1) / (2 * n)), 2);
    const int early = below(solver, 1e-3), late = below(solver, 1e-6); /* where only the slowest part is left */
    assert_int_equal(solver->kept, solver->iterations);
    assert_true(early > 0 && late > early);
    const double rate = pow(solver->history[late] / solver->history[early], 1.0 / (late - early));
    if (n % 8 == 2) {
      printf(" %d masses, %d sweeps\n", n, solver->iterations);
      check_below("impulses off", worst, 1e-10 * n * n);
    }
    check_near("1 - rate, of 1 - cos^2", (1 - rate) / (1 - expected), 1, 1e-3);
    hn_contact_solver_free(solver);
    free_problem(t);
  }
}

/* ---- Irregular problems ------------------------------------------------------------------------------------------ */

static void random_frame(double *frame)
{
  double a[3], size;
  for (int i = 0; i < 3; i++) frame[i] = random_in(-1, 1), a[i] = random_in(-1, 1);
  for (int r = 0; r < 2; r++) {
    double *e = frame + 3 * r;
    if (r == 1) cross(e, frame, a);
    size = sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
    for (int i = 0; i < 3; i++) e[i] /= size;
  }
  cross(frame + 6, frame, frame + 3);
}

/* Bodies of masses between 1 and RATIO with COUNT contacts anywhere on them: more rows than velocities. */
static trial_problem *random_problem(int nbody, int count, double ratio, double most_friction)
{
  trial_problem *t = problem_of(nbody);
  for (int i = 1; i < nbody; i++) {
    const double m = pow(ratio, random_in(0, 1));
    set_body(t, i, m, m * random_in(0.1, 1), m * random_in(0.1, 1), m * random_in(0.1, 1));
    for (int c = 0; c < 6; c++) t->u[6 * i + c] = random_in(-1, 1);
  }
  for (int k = 0; k < count; k++) {
    double arm_a[3], arm_b[3], frame[9];
    const int a = k % nbody, b = (a + 1 + (int)random_in(0, nbody - 1.001)) % nbody;
    for (int i = 0; i < 3; i++) arm_a[i] = random_in(-1, 1), arm_b[i] = random_in(-1, 1);
    random_frame(frame);
    add_contact(t, a, b, arm_a, arm_b, frame, 3, cone(random_in(0, most_friction)));
  }
  return t;
}

static void irregular_problems(void **state)
{
  (void)state;
  for (int k = 0; k < 12; k++) {
    trial_problem *t = random_problem(2 + k, 3 + 2 * k, k % 3 == 2 ? 1e3 : 1, 0.1 + 0.16 * k);
    for (int matrix = 0; matrix < 2; matrix++) {
      if (matrix) use_matrix(t);
      for (int s = 0; s < EXACT; s++) {
        double p[MOST_ROWS] = { 0 };
        assert_int_equal(solved(exact[s].spec, 1e-10, exact[s].iterations, t, p), HN_CONVERGED);
        check_below("  law, m/s", error_of(t, false, p), 1e-10);
      }
    }
    free_problem(t);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_block_on_a_floor),
    cmocka_unit_test(a_table_on_four_legs),
    cmocka_unit_test(a_rod_hits_the_floor),
    cmocka_unit_test(gauss_seidel_on_a_stack),
    cmocka_unit_test(irregular_problems),
  };
  return cmocka_run_group_tests_name("contact solvers", tests, NULL, NULL);
}
