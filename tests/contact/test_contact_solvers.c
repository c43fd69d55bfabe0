/* test_contact_solvers.c - all contact solvers: known answers, comparison with each other, behaviour on
 * invalid problems. Errors of the law are computed from impulses and rows, not taken from the solvers. */
#include "contact_problems.h"
#include "base/small.h"

/* ---- Known answers ------------------------------------------------------------------------------------- */

/* A block of 2 kg pulled along a floor, with the impulse 2 g h = 0.2 downwards: it sticks up to 0.06 = mu N,
 * then slides. */
static void a_block_on_a_floor(void **state)
{
  (void)state;
  const double pull[] = { 0.03, 0.0599, 0.0601, 0.5 };
  for (int s = 0; s < EXACT; s++)
    for (int n = 2; n <= (s < IN_SPACE ? 3 : 2); n++)
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

/* A ball of 60 g in eccentric contact slides at 1 m/s and nearly leaves the floor; initial impulses are too
 * large. If rho is scaled by the impulses, admm takes thousands of iterations. */
static void a_contact_about_to_open(void **state)
{
  (void)state;
  for (int s = 0; s < IN_SPACE; s++)
    for (double speed = 1e-3; speed > 1e-10; speed *= 1e-3) {
      trial_problem *t = problem_of(2);
      const double arm[3] = { 0.004, -0.023, 0.005 };
      double p[3] = { 1e-5, 2e-6, 1e-6 };
      set_body(t, 1, 0.06, 2e-5, 1e-5, 2e-5);
      t->u[6] = 0.95, t->u[7] = -speed, t->u[8] = 0.66;
      add_contact(t, 0, 1, arm, arm, upright, 3, cone(0.3));
      assert_int_equal(solved(exact[s].spec, 1e-12, 200, t, p), HN_CONVERGED);
      free_problem(t);
    }
}

/* Returns mass 4 on legs at the corners of a square, friction 1/2, pushed and turned: 12 rows for 6
 * velocities. The motion is unique if it sticks, and if it slides without turning: then friction has one
 * direction, and moments determine the centre of the normal impulses. */
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
    for (int s = 0; s < IN_SPACE; s++) {
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

/* Rod of 1 m, 1 kg at 30 degrees, 1 m/s downwards onto a smooth floor, e = 1/2: closed form. With enough
 * friction to stick, the velocity of the end is (0, 1/2), from 3 equations. */
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
    t->b[0] *= 1.5; /* G u minus the target -e G u */
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

/* Returns the first sweep with an error below PART of the first one; -1: none. */
static int first_sweep_below(const hn_contact_solver *solver, double part)
{
  for (int k = 0; k < solver->kept; k++)
    if (solver->history[k] < part * solver->history[0]) return k;
  return -1;
}

/* A stack of n equal masses. For their gaps K is tridiagonal (2 and -1, first entry 1): the error of
 * Gauss-Seidel decreases by cos^2(pi / 2n) a sweep [Young's theory: the square of Jacobi's cos(pi / 2n)]. */
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
    assert_int_equal(hn_contact_solver_keep_history(solver, 100000, &error), 0);
    assert_int_equal(hn_contact_solve(solver, &t->p, p), HN_CONVERGED);
    for (int i = 0; i < n; i++) worst = larger(worst, fabs(p[i] - 0.1 * (n - i)));
    const double expected = pow(cos(acos(-1) / (2 * n)), 2);
    const int early = first_sweep_below(solver, 1e-3),
              late = first_sweep_below(solver, 1e-6); /* here only the slowest component is left */
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

/* ---- Random problems ----------------------------------------------------------------------------------- */

static void random_problems(void **state)
{
  (void)state;
  for (int k = 0; k < 12; k++) {
    trial_problem *t = random_problem(2 + k, 3 + 2 * k, k % 3 == 2 ? 1e3 : 1, 0.1 + 0.16 * k);
    for (int matrix = 0; matrix < 2; matrix++) {
      if (matrix) use_matrix(t);
      for (int s = 0; s < IN_SPACE; s++) {
        double p[MAX_ROWS] = { 0 };
        assert_int_equal(solved(exact[s].spec, 1e-10, exact[s].iterations, t, p), HN_CONVERGED);
        check_below("  law, m/s", error_of(t, false, p), 1e-10);
      }
    }
    free_problem(t);
  }
}

/* Friction up to 2 and half as many velocities as rows: Coulomb's law is far from convex, and no iteration is
 * sure to converge. A reported solution must be one; Newton's method with its fallbacks must solve nearly
 * all, and some solver each. */
static void difficult_problems(void **state)
{
  (void)state;
  static const struct {
    const char *spec;
    int iterations;
    bool relaxed;
  } list[] = { { "pgs", 20000, false },
               { "admm", 3000, false },
               { "newton", 200, false },
               { "lemke", 50, false },
               { "apgd", 20000, true } };
  int solved_by[5] = { 0 }, false_solutions = 0, found = 0;
  for (int k = 0; k < 100; k++) {
    trial_problem *t = random_problem(6, 18, 1, 2);
    bool by_any = false;
    for (int s = 0; s < 5; s++) {
      double p[MAX_ROWS] = { 0 };
      hn_contact_solver *solver = solver_of(list[s].spec, 1e-9, list[s].iterations);
      bool is_solved = hn_contact_solve(solver, &t->p, p) == HN_CONVERGED;
      solved_by[s] += is_solved;
      by_any = by_any || (is_solved && s < 3);
      false_solutions += is_solved && s != 3 &&
                         !(error_of(t, list[s].relaxed, p) <= 1e-9); /* lemke uses another cone */
      hn_contact_solver_free(solver);
    }
    found += by_any;
    free_problem(t);
  }
  for (int s = 0; s < 5; s++) printf("  %-10s %3d of 100\n", list[s].spec, solved_by[s]);
  ASSERT_COUNT("false solutions", false_solutions, 0);
  ASSERT_COUNT("solved by some solver of the law", found, 100);
  assert_true(solved_by[2] >= 95);
}

/* ---- Unequal masses ------------------------------------------------------------------------------------ */

/* Returns five boxes on each other, contacts at their corners, the uppermost RATIO times as heavy, pushed
 * sideways. */
static trial_problem *heavy_on_top(double ratio)
{
  trial_problem *t = problem_of(6);
  for (int i = 1; i < 6; i++) {
    const double m = i == 5 ? ratio : 1;
    set_body(t, i, m, m / 6, m / 6, m / 6);
    t->u[6 * i + 1] = -0.1, t->u[6 * i] = 0.001 * i; /* it neither slides nor tips */
  }
  for (int i = 1; i < 6; i++)
    for (int k = 0; k < 4; k++) {
      const double x = k & 1 ? 0.5 : -0.5, z = k & 2 ? 0.5 : -0.5;
      const double above[3] = { x, 0.5, z }, below[3] = { x, -0.5, z };
      add_contact(t, i - 1, i, above, below, upright, 3, cone(0.3));
    }
  return t;
}

static void unequal_masses(void **state)
{
  (void)state;
  const double ratio[] = { 1, 1e3, 1e6 };
  for (int k = 0; k < 3; k++) {
    trial_problem *t = heavy_on_top(ratio[k]);
    printf(" %g times as heavy\n", ratio[k]);
    for (int s = 0; s < IN_SPACE; s++) {
      double p[MAX_ROWS] = { 0 }, carried = 0;
      hn_reason reason = solved(exact[s].spec, 1e-10, s > 0 ? 5000 : k == 0 ? 20000 : 2000, t, p);
      if (s == 0 && k > 0) { /* beyond Gauss-Seidel */
        assert_int_equal(reason, HN_BUDGET);
        continue;
      }
      assert_int_equal(reason, HN_CONVERGED);
      check_below("  law, m/s", error_of(t, false, p), 1e-10);
      for (int i = 0; i < 4; i++) carried += p[3 * i];
      check_near("  carried by the ground, of the weight", carried / (0.1 * (4 + ratio[k])), 1, 1e-8);
    }
    free_problem(t);
  }
}

/* ---- Other laws ---------------------------------------------------------------------------------------- */

/* The relaxed problem: sliding contacts lift off with v_n = mu |v_t|, here against a closed form and then
 * wherever contacts slide. */
static void projected_gradients_lift_off(void **state)
{
  (void)state;
  trial_problem *t = problem_of(2);
  double p[MAX_ROWS] = { 0 }, v[MAX_ROWS], work[6 * MAX_BODIES], worst = 0;
  int sliding = 0;
  t->u[6] = 3, t->u[7] = -2;
  add_contact(t, 0, 1, origin, origin, upright, 3, cone(0.5));
  assert_int_equal(solved("apgd", 1e-13, 1000, t, p), HN_CONVERGED);
  check_near("p_n", p[0], 2.8, 1e-12); /* (2 + 3 / 2) / (1 + 1 / 4) */
  hn_problem_velocities(&t->p, p, work, v);
  check_near("v_n, mu |v_t|", v[0], 0.5 * fabs(v[1]), 1e-12);
  free_problem(t);
  for (int k = 0; k < 8; k++) {
    t = random_problem(3 + k, 4 + 2 * k, k % 2 ? 100 : 1, 1);
    memset(p, 0, sizeof p);
    assert_int_equal(solved("apgd", 1e-11, 200000, t, p), HN_CONVERGED);
    hn_problem_velocities(&t->p, p, work, v);
    check_below("  relaxed law, m/s", error_of(t, true, p), 1e-11);
    for (int i = 0; i < t->p.nblock; i++) {
      const double mu = t->block[i].set.mu, *w = v + 3 * i, across = hypot(w[1], w[2]);
      if (p[3 * i] < 1e-6 || across < 1e-6) continue;
      worst = larger(worst, fabs(w[0] - mu * across)), sliding++;
    }
    free_problem(t);
  }
  printf("  %d contacts slide\n", sliding);
  assert_true(sliding > 10);
  check_below("v_n off mu |v_t|, m/s", worst, 1e-9);
}

/* Solves a block of 1 kg that slides at ANGLE to the first tangent, weight 0.2 N s, mu = 1/2. */
static void slide_at(const char *spec, double angle, double p[3])
{
  trial_problem *t = problem_of(2);
  t->u[6] = cos(angle), t->u[8] = sin(angle), t->u[7] = -0.2;
  add_contact(t, 0, 1, origin, origin, upright, 3, cone(0.5));
  p[0] = p[1] = p[2] = 0;
  assert_int_equal(solved(spec, 1e-12, 1000, t, p), HN_CONVERGED);
  check_near("normal", p[0], 0.2, 1e-12);
  free_problem(t);
}

static void boxes_and_pyramids_depend_on_direction(void **state)
{
  (void)state;
  const double pi = acos(-1);
  double p[3];
  for (int k = 0; k < 2; k++) {
    const char *spec = k ? "pgs:local=pyramid" : "pgs:local=box";
    slide_at(spec, 0, p);
    check_near("along a tangent", hypot(p[1], p[2]), 0.1, 1e-12);
    slide_at(spec, pi / 4, p);
    check_near("along the diagonal", hypot(p[1], p[2]), 0.1 * sqrt(2), 1e-12);
  }
  slide_at("pgs:local=disk", pi / 5, p);
  check_near("disk: friction", hypot(p[1], p[2]), 0.1, 1e-12);
  check_near("  against the motion", atan2(-p[2], -p[1]), pi / 5, 1e-12);
  slide_at("lemke:directions=8", pi / 4, p);
  check_near("lemke: along one of 8 directions", hypot(p[1], p[2]), 0.1, 1e-12);
  slide_at("lemke:directions=4", 0.3, p);
  check_near("lemke: near one of 4 directions it is that", -p[1], 0.1, 1e-12);
  check_near("  exactly", p[2], 0, 1e-12);
}

/* ---- Warm starts, budgets, invalid problems ------------------------------------------------------------ */

/* A solver started at its own solution ends almost at once and stays there. */
static void warm_starts(void **state)
{
  (void)state;
  /* only impulses are passed on: splitting must find its w again */
  const int max_iterations[] = { 1, 25, 1 };
  trial_problem *t = random_problem(8, 20, 10, 0.8);
  for (int s = 0; s < IN_SPACE; s++) {
    double p[MAX_ROWS] = { 0 }, again[MAX_ROWS], apart = 0;
    assert_int_equal(solved(exact[s].spec, 1e-12, exact[s].iterations, t, p), HN_CONVERGED);
    memcpy(again, p, sizeof p);
    hn_contact_solver *solver = solver_of(exact[s].spec, 1e-10, exact[s].iterations);
    assert_int_equal(hn_contact_solve(solver, &t->p, again), HN_CONVERGED);
    for (int i = 0; i < t->p.nrow; i++) apart = larger(apart, fabs(again[i] - p[i]));
    printf("  %s: %d iterations\n", exact[s].spec, solver->iterations);
    assert_true(solver->iterations <= max_iterations[s]);
    check_below("moved by", apart, 1e-10);
    hn_contact_solver_free(solver);
  }
  free_problem(t);
}

/* Solvers keep no state that affects results, and a recorded history changes no bit. */
static void results_are_reproducible(void **state)
{
  (void)state;
  trial_problem *t = random_problem(6, 14, 10, 0.8), *other = table(0.3, 0.1),
                *matrix = random_problem(4, 7, 1, 0.5);
  use_matrix(matrix);
  for (int s = 0; s < EVERY; s++) {
    hn_error error;
    double p[MAX_ROWS] = { 0 }, again[MAX_ROWS] = { 0 }, q[MAX_ROWS] = { 0 };
    hn_contact_solver *solver = solver_of(every[s], 1e-9, 300);
    hn_contact_solve(solver, &t->p, p);
    hn_contact_solve(solver, &other->p, q), memset(q, 0, sizeof q), hn_contact_solve(solver, &matrix->p, q);
    assert_int_equal(hn_contact_solver_keep_history(solver, 300, &error), 0);
    hn_contact_solve(solver, &t->p, again);
    assert_memory_equal(p, again, sizeof p);
    assert_true(solver->kept > 0 && solver->kept == solver->iterations);
    hn_contact_solver_free(solver);
  }
  free_problem(t), free_problem(other), free_problem(matrix);
}

static hn_reason reason_of(const char *spec, const trial_problem *t, double start)
{
  double p[MAX_ROWS] = { start };
  hn_contact_solver *solver = solver_of(spec, 1e-10, 50);
  hn_reason reason = hn_contact_solve(solver, &t->p, p);
  hn_contact_solver_free(solver);
  return reason;
}

static void invalid_problems_have_a_reason(void **state)
{
  (void)state;
  for (int s = 0; s < EVERY; s++) {
    trial_problem *t = table(0.02, 0);
    hn_error error;
    printf("  %s\n", every[s]);
    assert_int_equal(reason_of(every[s], t, NAN), HN_NOT_FINITE);
    t->b[4] = NAN;
    assert_int_equal(reason_of(every[s], t, 0), HN_NOT_FINITE);
    t->b[4] = 0;
    const double G = t->G[40], T = t->T[13];
    t->G[40] = NAN;
    assert_int_equal(reason_of(every[s], t, 0), HN_NOT_FINITE);
    t->G[40] = G, t->T[13] = INFINITY;
    assert_int_equal(reason_of(every[s], t, 0), HN_NOT_FINITE);
    t->T[13] = T, t->block[2].set.mu = NAN;
    assert_int_equal(reason_of(every[s], t, 0), HN_NOT_FINITE);
    t->block[2].set.mu = 0.5;
    t->p.h = NAN;
    assert_int_equal(reason_of(every[s], t, 0), HN_NOT_FINITE);
    t->p.h = 1;
    double p[12] = { 0 };
    hn_contact_solver *small = hn_contact_solver_create(&(hn_contact_options){ every[s], 1e-9, 50 },
                                                        &(hn_problem_size){ 3, 9, 2 }, &error);
    assert_non_null(small);
    assert_int_equal(hn_contact_solve(small, &t->p, p), HN_FULL);
    hn_contact_solver_free(small);
    t->p.nblock = t->p.nrow = 0;
    assert_int_equal(reason_of(every[s], t, 0), HN_CONVERGED); /* empty problem */
    free_problem(t);
    t = problem_of(2);
    add_contact(t, 0, 1, origin, origin, upright, 1, cone(0.5)); /* a cone without tangents */
    assert_int_equal(reason_of(every[s], t, 0), HN_UNSUPPORTED);
    free_problem(t);
  }
}

static void exhausted_budgets_return_the_best_iterate(void **state)
{
  (void)state;
  trial_problem *t = heavy_on_top(1e3);
  double first = error_of(t, false, (double[MAX_ROWS]){ 0 });
  const char *const spec[] = { "pgs:iterations=10", "admm:iterations=10", "newton:sweeps=0:iterations=1" };
  for (int s = 0; s < 3; s++) {
    double p[MAX_ROWS] = { 0 };
    assert_int_equal(solved(spec[s], 1e-10, 50, t, p), HN_BUDGET);
    for (int i = 0; i < t->p.nblock; i++)
      assert_true(p[3 * i] >= 0 && hypot(p[3 * i + 1], p[3 * i + 2]) <= 0.3 * p[3 * i] * (1 + 1e-14));
    check_below("error over that of zero impulses", error_of(t, false, p) / first, 1);
  }
  double p[MAX_ROWS] = { 0 };
  assert_int_equal(solved("lemke:size=50", 1e-10, 50, t, p), HN_BUDGET); /* 20 contacts have 200 unknowns */
  assert_int_equal(solved("lemke", 1e-8, 50, t, p), HN_CONVERGED);
  free_problem(t);
}

/* Two fixed bodies: impulses have no effect. */
static void fixed_bodies_need_no_impulses(void **state)
{
  (void)state;
  for (int s = 0; s < EVERY; s++) {
    trial_problem *t = problem_of(3);
    double p[MAX_ROWS] = { 0 };
    memset(t->W, 0, sizeof t->W);
    add_contact(t, 1, 2, origin, origin, upright, 3, cone(0.5));
    add_contact(t, 0, 2, origin, origin, upright, 3, all);
    assert_int_equal(solved(every[s], 1e-10, 50, t, p), HN_CONVERGED);
    for (int i = 0; i < 6; i++) assert_true(p[i] == 0);
    free_problem(t);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_block_on_a_floor),
    cmocka_unit_test(a_contact_about_to_open),
    cmocka_unit_test(a_table_on_four_legs),
    cmocka_unit_test(a_rod_hits_the_floor),
    cmocka_unit_test(gauss_seidel_on_a_stack),
    cmocka_unit_test(random_problems),
    cmocka_unit_test(difficult_problems),
    cmocka_unit_test(unequal_masses),
    cmocka_unit_test(projected_gradients_lift_off),
    cmocka_unit_test(boxes_and_pyramids_depend_on_direction),
    cmocka_unit_test(warm_starts),
    cmocka_unit_test(results_are_reproducible),
    cmocka_unit_test(invalid_problems_have_a_reason),
    cmocka_unit_test(exhausted_budgets_return_the_best_iterate),
    cmocka_unit_test(fixed_bodies_need_no_impulses),
  };
  return cmocka_run_group_tests_name("contact solvers", tests, NULL, NULL);
}
