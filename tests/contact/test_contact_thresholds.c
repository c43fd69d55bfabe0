/* test_contact_thresholds.c - thresholds of the contact solvers admm, newton and apgd and of Anderson's acceleration: each
 * test computes by other means the iteration at which a threshold takes effect, or the error that it leaves. */
#include "contact_problems.h"
#include "contact/admm/admm_policy.h"
#include "contact/admm/steady_direction.h"
#include "contact/anderson.h"

/* Solves T from p with SPEC and a history of its errors; the caller frees the solver. */
static hn_contact_solver *solve(const char *spec, double tolerance, int iterations, const trial_problem *t,
                                double *p, hn_reason *reason)
{
  hn_error error;
  hn_contact_solver *solver = solver_of(spec, tolerance, iterations);
  assert_int_equal(hn_contact_solver_remember(solver, iterations + 1, &error), 0);
  *reason = hn_contact_solve(solver, &t->p, p);
  printf("  %-28s %-10s %6d iterations, %d factorisations, %d sweeps, error %9.2e\n", spec,
         hn_reason_name(*reason), solver->iterations, solver->factorisations, solver->sweeps, solver->error);
  return solver;
}

/* ---- Phases of admm ------------------------------------------------------------------------------------ */

static void phases_follow_the_iterations(void **state)
{
  (void)state;
  static const struct {
    int iteration, stagnation;
    hn_admm_phase phase;
  } expected[] = {
    { 1, 1, HN_ADMM_PLAIN },           { 90, 89, HN_ADMM_PLAIN },         { 91, 90, HN_ADMM_OBSERVED },
    { 100, 99, HN_ADMM_OBSERVED },     { 101, 0, HN_ADMM_ACCELERATED },   { 900, 199, HN_ADMM_ACCELERATED },
    { 900, 200, HN_ADMM_UNACCELERATED }, { 900, 399, HN_ADMM_UNACCELERATED }, { 900, 400, HN_ADMM_ACCELERATED },
    { 900, 600, HN_ADMM_UNACCELERATED },
  };
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
    assert_int_equal(hn_admm_phase_at(expected[i].iteration, expected[i].stagnation), expected[i].phase);
  assert_true(!hn_admm_stagnates(199) && hn_admm_stagnates(200));
  assert_true(!hn_admm_is_hopeless(2999) && hn_admm_is_hopeless(3000));
}

/* Reviews of rho, at which the residuals are out of balance: the iterations at which they are due, and the factors. */
static void rho_is_reviewed_more_and_more_rarely(void **state)
{
  (void)state;
  static const int due[] = { 10, 30, 70, 110, 150 };
  const hn_admm_residuals primal = { .primal = 1e6, .impulse = 1, .dual = 1, .velocity = 1 };
  hn_admm_penalty penalty = hn_admm_penalty_start(0.1);
  int count = 0;
  for (int iteration = 1; iteration <= 150; iteration++) {
    if (!hn_admm_penalty_review(&penalty, iteration, primal)) continue;
    ASSERT_COUNT("a change of rho, after iterations", (unsigned)iteration, (unsigned)due[count]);
    check_near("rho", penalty.rho, 0.1 * pow(10, ++count), 1e-12 * penalty.rho);
  }
  ASSERT_COUNT("changes", (unsigned)count, 5);
}

/* Returns the factor of rho for the quotient SQUARE of the relative residuals. */
static double change_of_rho(double square)
{
  hn_admm_penalty penalty = hn_admm_penalty_start(1);
  hn_admm_penalty_review(&penalty, 10, (hn_admm_residuals){ square, 1, 1, 1 });
  return penalty.rho;
}

static void rho_has_bounds(void **state)
{
  (void)state;
  check_near("quotient 1.99: balanced", change_of_rho(1.99), 1, 0);
  check_near("quotient 2.01", change_of_rho(2.01), sqrt(2.01), 1e-15);
  check_near("quotient 1/1.99: balanced", change_of_rho(1 / 1.99), 1, 0);
  check_near("quotient 1/2.01", change_of_rho(1 / 2.01), sqrt(1 / 2.01), 1e-15);
  check_near("quotient 99", change_of_rho(99), sqrt(99), 1e-14);
  check_near("quotient 101: the largest change", change_of_rho(101), 10, 1e-14);
  /* up and down in turn: by less each time; the same way twice: by more again */
  const hn_admm_residuals up = { 1e6, 1, 1, 1 }, down = { 1e-6, 1, 1, 1 };
  hn_admm_penalty penalty = hn_admm_penalty_start(1);
  assert_true(hn_admm_penalty_review(&penalty, 10, up) && hn_admm_penalty_review(&penalty, 30, down));
  check_near("reversed: rho", penalty.rho, 10 / sqrt(10), 1e-14);
  assert_true(hn_admm_penalty_review(&penalty, 70, up) && hn_admm_penalty_review(&penalty, 110, up));
  check_near("reversed, and not again: rho", penalty.rho, sqrt(10) * sqrt(sqrt(10)) * sqrt(10), 1e-13);
  for (int i = 150; i < 1000; i += 40) hn_admm_penalty_review(&penalty, i, up);
  check_near("the largest rho", penalty.rho, 1e6, 0);
  for (int i = 1000; i < 3000; i += 40) hn_admm_penalty_review(&penalty, i, down);
  check_near("the smallest rho", penalty.rho, 1e-8, 0);
}

/* ---- A press: two contacts push a mass from both sides with bounded impulses ---------------------------- */

/* Both are to move the mass by CLOSING m/s, which contradict each other, with impulses up to BOUND. The impulses grow
 * in each iteration by f = closing / rho to the bound, with a constant error. */
static trial_problem *press(double closing, double bound)
{
  static const double down[9] = { 0, -1, 0, 1, 0, 0, 0, 0, 1 };
  trial_problem *t = problem_of(2);
  const hn_set set = { .kind = HN_WITHIN, .lower = 0, .upper = bound };
  add_contact(t, 0, 1, origin, origin, upright, 1, set), add_contact(t, 0, 1, origin, origin, down, 1, set);
  t->b[0] = t->b[1] = -closing;
  return t;
}

/* The impulses after ITERATIONS, as long as they are below the bound. There is no primal residual, so that rho falls
 * from 0.1 by 10 at each review, of which there are none in the unaccelerated phase from 201 on. Acceleration cannot
 * change a constant direction. */
static double pressed(double closing, int iterations)
{
  double p = 0, rho = 0.1;
  for (int k = 1; k <= iterations; k++) {
    p += closing / rho;
    if (k == 10 || k == 30 || k == 70 || k == 110 || k == 150 || k == 190) rho /= 10;
  }
  return p;
}

/* Solves a press with impulses up to BOUND and returns the number of iterations. */
static int iterations_of_press(double bound, double tolerance, hn_reason *reason)
{
  double p[MOST_ROWS] = { 0 };
  trial_problem *t = press(1, bound);
  hn_contact_solver *solver = solve("admm", tolerance, 20000, t, p, reason);
  const int iterations = solver->iterations;
  hn_contact_solver_free(solver), free_problem(t);
  return iterations;
}

/* The direction is observed from iteration 91 on, against nothing in the first one; five more are enough. A bound is
 * then reached step by step until the error has stagnated for 200 iterations, since the first one, and at once if it
 * is 50 iterations away. */
static void a_steady_direction_is_followed(void **state)
{
  (void)state;
  hn_reason reason;
  const double near = pressed(1, 250) * (1 - 1e-9), far = pressed(1, 252) * (1 - 1e-9);
  ASSERT_COUNT("no bound: iterations", (unsigned)iterations_of_press(INFINITY, 1e-6, &reason), 96);
  assert_int_equal(reason, HN_STALLED);
  ASSERT_COUNT("50 away: iterations", (unsigned)iterations_of_press(near, 1e-6, &reason), 250);
  check_below("52 away: iterations", iterations_of_press(far, 1e-6, &reason), 205);
  assert_int_equal(reason, HN_CONVERGED);
  check_below("5000 away: iterations", iterations_of_press(pressed(1, 5200), 1e-6, &reason), 205);
  assert_int_equal(reason, HN_CONVERGED);
}

/* An error of 1 m/s that does not change: half the tolerance is met at once, the tolerance in 20 iterations more. */
static void a_constant_error_within_the_tolerance(void **state)
{
  (void)state;
  hn_reason reason;
  const double half = 2 / 0.95, tolerance = 2 / 1.05; /* m/s: tolerances are up to 1, so that closing is scaled */
  for (int k = 0; k < 2; k++) {
    trial_problem *t = press(0.01, INFINITY);
    double p[MOST_ROWS] = { 0 };
    hn_contact_solver *solver = solve("admm", 0.01 * (k ? tolerance : half), 1000, t, p, &reason);
    assert_int_equal(reason, HN_CONVERGED);
    ASSERT_COUNT("iterations", (unsigned)solver->iterations, k ? 21 : 1);
    hn_contact_solver_free(solver), free_problem(t);
  }
}

/* A tolerance below rounding: the solution is given up 3000 iterations after the error has halved last. */
static void what_does_not_improve_is_given_up(void **state)
{
  (void)state;
  int given_up = 0;
  for (int i = 0; i < 8; i++) {
    trial_problem *t = random_problem(3 + i, 3 * (3 + i), 100, 0.5);
    double p[MOST_ROWS] = { 0 }, best = HUGE_VAL;
    int halved = 0;
    hn_reason reason;
    hn_contact_solver *solver = solve("admm", 1e-20, 20000, t, p, &reason);
    for (int k = 0; k < solver->kept; k++)
      if (solver->history[k] <= 0.5 * best) best = solver->history[k], halved = k;
    if (reason == HN_STALLED && solver->kept - 1 - halved >= 2000) {
      ASSERT_COUNT("iterations without a better error", (unsigned)(solver->kept - 1 - halved), 3000);
      check_below("  error, of the best", solver->error, 2 * best);
      given_up++;
    }
    hn_contact_solver_free(solver), free_problem(t);
  }
  assert_true(given_up > 0);
}

/* A joint alone, K = 1: the first solution leaves rho / (1 + rho) of the velocity. */
static void rho_of_equations(void **state)
{
  (void)state;
  trial_problem *t = problem_of(2);
  double p[3] = { 0 };
  hn_reason reason;
  t->u[6] = 1;
  add_contact(t, 0, 1, origin, origin, upright, 3, all);
  hn_contact_solver *solver = solve("admm", 0, 1, t, p, &reason);
  check_near("error after one iteration, m/s", solver->history[0], 1e-7, 1e-12);
  hn_contact_solver_free(solver), free_problem(t);
}

/* ---- Newton's method ----------------------------------------------------------------------------------- */

/* A contact that sticks, K = 1: an iteration leaves e / (1 + e) of the velocity. */
static void the_strong_regularisation(void **state)
{
  (void)state;
  trial_problem *t = problem_of(2);
  double p[3] = { 0 };
  hn_reason reason;
  t->u[7] = -1;
  add_contact(t, 0, 1, origin, origin, upright, 3, cone(0.5));
  hn_contact_solver *solver = solve("newton:sweeps=0", 0, 2, t, p, &reason);
  check_near("error after one iteration, m/s", solver->history[1], 1e-9, 1e-14);
  hn_contact_solver_free(solver), free_problem(t);
}

/* Without a solution, sweeps come after the weak state: n = 20, 40, ..., 10240, and then once more from zero. */
static void sweeps_end_and_begin_anew(void **state)
{
  (void)state;
  static const double start[2] = { 0, 0.1 };
  for (int k = 0; k < 2; k++) {
    trial_problem *t = press(1, INFINITY);
    double p[MOST_ROWS] = { start[k] };
    hn_reason reason;
    hn_contact_solver *solver = solve("newton", 1e-10, 100000, t, p, &reason);
    assert_int_equal(reason, HN_STALLED);
    ASSERT_COUNT("sweeps", (unsigned)solver->sweeps, (k + 1u) * (5 + 20 * (1024 - 1)));
    ASSERT_COUNT("fallbacks", (unsigned)solver->fallbacks, (k + 1u) * 10);
    hn_contact_solver_free(solver), free_problem(t);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(phases_follow_the_iterations),
    cmocka_unit_test(rho_is_reviewed_more_and_more_rarely),
    cmocka_unit_test(rho_has_bounds),
    cmocka_unit_test(a_steady_direction_is_followed),
    cmocka_unit_test(a_constant_error_within_the_tolerance),
    cmocka_unit_test(what_does_not_improve_is_given_up),
    cmocka_unit_test(rho_of_equations),
    cmocka_unit_test(the_strong_regularisation),
    cmocka_unit_test(sweeps_end_and_begin_anew),
  };
  return cmocka_run_group_tests_name("thresholds of contact solvers", tests, NULL, NULL);
}
