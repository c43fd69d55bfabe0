/* test_contact_thresholds.c - thresholds of the contact solvers admm, newton and apgd and of Anderson
 * acceleration. Each test computes independently the iteration at which a threshold takes effect, or the
 * error that it leaves. */
#include "contact_problems.h"
#include "contact/admm/admm_policy.h"
#include "contact/admm/steady_direction.h"
#include "contact/anderson.h"
#include "contact/newton/newton_policy.h"

/* Solves T from p with SPEC and a history of its errors; the caller frees the solver. */
static hn_contact_solver *solve(const char *spec, double tolerance, int iterations, const trial_problem *t,
                                double *p, hn_reason *reason)
{
  hn_error error;
  hn_contact_solver *solver = solver_of(spec, tolerance, iterations);
  assert_int_equal(hn_contact_solver_keep_history(solver, iterations + 1, &error), 0);
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
    { 1, 1, HN_ADMM_PLAIN },
    { 90, 89, HN_ADMM_PLAIN },
    { 91, 90, HN_ADMM_OBSERVED },
    { 100, 99, HN_ADMM_OBSERVED },
    { 101, 0, HN_ADMM_ACCELERATED },
    { 900, 199, HN_ADMM_ACCELERATED },
    { 900, 200, HN_ADMM_UNACCELERATED },
    { 900, 399, HN_ADMM_UNACCELERATED },
    { 900, 400, HN_ADMM_ACCELERATED },
    { 900, 600, HN_ADMM_UNACCELERATED },
  };
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
    assert_int_equal(hn_admm_phase_at(expected[i].iteration, expected[i].stagnation), expected[i].phase);
  assert_true(!hn_admm_stagnates(199) && hn_admm_stagnates(200));
  assert_true(!hn_admm_is_hopeless(2999) && hn_admm_is_hopeless(3000));
}

/* Reviews of rho with unbalanced residuals: the iterations at which they are due, and the factors. */
static void intervals_of_reviews_grow(void **state)
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
  /* alternating directions reduce the largest change; repeated ones increase it again */
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

/* ---- A press: two contacts push a mass from both sides with bounded impulses --------------------------- */

/* Returns two contradicting contacts that are to move the mass by CLOSING m/s each, with impulses up to
 * BOUND. Each iteration increases the impulses by closing / rho up to the bound, at a constant error. */
static trial_problem *press(double closing, double bound)
{
  static const double down[9] = { 0, -1, 0, 1, 0, 0, 0, 0, 1 };
  trial_problem *t = problem_of(2);
  const hn_set set = { .kind = HN_WITHIN, .lower = 0, .upper = bound };
  add_contact(t, 0, 1, origin, origin, upright, 1, set), add_contact(t, 0, 1, origin, origin, down, 1, set);
  t->b[0] = t->b[1] = -closing;
  return t;
}

/* Returns the impulses after ITERATIONS, below the bound. Without a primal residual rho decreases from 0.1 by
 * a factor of 10 at each review; the unaccelerated phase, from 201 on, has none. Acceleration cannot change a
 * constant direction. */
static double press_impulse(double closing, int iterations)
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
  double p[MAX_ROWS] = { 0 };
  trial_problem *t = press(1, bound);
  hn_contact_solver *solver = solve("admm", tolerance, 20000, t, p, reason);
  const int iterations = solver->iterations;
  hn_contact_solver_free(solver), free_problem(t);
  return iterations;
}

/* The direction is observed from iteration 91 on, without a previous one at first; five more suffice. A bound
 * at most 50 iterations away is reached step by step, until the error has stagnated for 200 iterations. A
 * more distant bound is reached by a jump. */
static void a_steady_direction_is_extrapolated(void **state)
{
  (void)state;
  hn_reason reason;
  const double near = press_impulse(1, 250) * (1 - 1e-9), far = press_impulse(1, 252) * (1 - 1e-9);
  ASSERT_COUNT("no bound: iterations", (unsigned)iterations_of_press(INFINITY, 1e-6, &reason), 96);
  assert_int_equal(reason, HN_STALLED);
  ASSERT_COUNT("50 away: iterations", (unsigned)iterations_of_press(near, 1e-6, &reason), 250);
  check_below("52 away: iterations", iterations_of_press(far, 1e-6, &reason), 205);
  assert_int_equal(reason, HN_CONVERGED);
}

/* A constant error of 0.01 m/s: below half the tolerance it is accepted at once, above that after 20 more
 * iterations. */
static void a_constant_error_within_the_tolerance(void **state)
{
  (void)state;
  hn_reason reason;
  const double tolerance[2] = { 0.02 / 0.95, 0.02 / 1.05 }; /* m/s */
  for (int k = 0; k < 2; k++) {
    trial_problem *t = press(0.01, INFINITY);
    double p[MAX_ROWS] = { 0 };
    hn_contact_solver *solver = solve("admm", tolerance[k], 1000, t, p, &reason);
    assert_int_equal(reason, HN_CONVERGED);
    ASSERT_COUNT("iterations", (unsigned)solver->iterations, k ? 21 : 1);
    hn_contact_solver_free(solver), free_problem(t);
  }
}

/* A tolerance below the rounding error of the impulses, which such unequal masses make large: the solver
 * stalls 3000 iterations after the error was last halved. */
static void stagnation_ends_the_solution(void **state)
{
  (void)state;
  int given_up = 0;
  for (int i = 0; i < 8; i++) {
    trial_problem *t = random_problem(3 + i, 3 * (3 + i), 1e8, 0.5);
    double p[MAX_ROWS] = { 0 }, best = HUGE_VAL;
    int halved = 0;
    hn_reason reason;
    hn_contact_solver *solver = solve("admm", 1e-20, 20000, t, p, &reason);
    for (int k = 0; k < solver->kept; k++)
      if (solver->history[k] <= 0.5 * best) best = solver->history[k], halved = k;
    const bool stalled = reason == HN_STALLED || solver->at_rounding; /* which is a success */
    if (stalled && solver->kept - 1 - halved >= 2000) {
      ASSERT_COUNT("iterations without a better error", (unsigned)(solver->kept - 1 - halved), 3000);
      check_below("  error of the best, m/s", solver->error, 10 * best + 1e-14);
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

/* A sticking contact, K = 1: an iteration leaves e / (1 + e) of the velocity. */
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

/* Without a solution, sweeps follow the weak state: n = 20, 40, ..., 10240, and then once more from zero. */
static void sweeps_end_and_restart(void **state)
{
  (void)state;
  static const double start[2] = { 0, 0.1 };
  for (int k = 0; k < 2; k++) {
    trial_problem *t = press(1, INFINITY);
    double p[MAX_ROWS] = { start[k] };
    hn_reason reason;
    hn_contact_solver *solver = solve("newton", 1e-10, 100000, t, p, &reason);
    assert_int_equal(reason, HN_STALLED);
    ASSERT_COUNT("sweeps", (unsigned)solver->sweeps, (unsigned)(k + 1) * (5 + 20 * 1023));
    ASSERT_COUNT("fallbacks", (unsigned)solver->fallbacks, (unsigned)(k + 1) * 10);
    hn_contact_solver_free(solver), free_problem(t);
  }
}

static void line_searches_end(void **state)
{
  (void)state;
  int count = 0;
  double last = 0;
  for (double t = 1; t > 0; t = hn_newton_shorter_step(t)) count++, last = t;
  ASSERT_COUNT("steps of a line search", (unsigned)count, 13);
  check_near("the shortest", last, pow(0.5, 12), 0);
  check_near("decrease after a whole step, of the merit", 1 - hn_newton_merit_limit(1, 1), 2e-4, 1e-15);
  check_near("decrease after a short one", 1 - hn_newton_merit_limit(1e-2, 1), 2e-6, 1e-15);
  check_near("weak regularisation", hn_newton_regularisation(HN_NEWTON_WEAK), 1e-12, 0);
}

/* The merit is 8, then 1, 2, 3, ...: the limit is the maximum of three. Then it decreases slowly: 20
 * iterations without halving are stagnation. */
static void merits_must_fall(void **state)
{
  (void)state;
  static const double merit[] = { 8, 1, 2, 3, 4 }, largest[] = { 8, 8, 8, 3, 4 };
  hn_newton_progress progress = hn_newton_progress_start(20, true);
  for (int k = 0; k < 5; k++)
    check_near("limit", hn_newton_remember_merit(&progress, merit[k]), largest[k], 0);
  for (double factor = 0.49; factor < 0.52; factor += 0.02) {
    progress = hn_newton_progress_start(20, true);
    int count = 0;
    for (; count < 100 && !hn_newton_stagnates(&progress); count++)
      hn_newton_remember_merit(&progress, count == 15 ? factor : 1);
    ASSERT_COUNT("iterations until it stagnates", (unsigned)count, factor < 0.5 ? 36 : 21);
  }
}

/* Sequence of states after failures: strong, weak, sweeps of doubled numbers, which are repeated while they
 * halve the error. */
static void fallbacks_follow_each_other(void **state)
{
  (void)state;
  hn_newton_progress progress = hn_newton_progress_start(20, false);
  double error = 1;
  int sweeps = 0;
  for (int k = 0; k < 13; k++) {
    assert_int_equal(progress.state, HN_NEWTON_STRONG);
    hn_newton_fail(&progress, error);
    assert_int_equal(progress.state, HN_NEWTON_WEAK);
    hn_newton_fail(&progress, error);
    if (progress.state != HN_NEWTON_SWEEP) break;
    sweeps = hn_newton_next_sweeps(&progress, error);
    assert_int_equal(sweeps, k < 9 ? 20 << k : 10240);
    progress.state = HN_NEWTON_STRONG;
    if (k >= 9) error *= k < 11 ? 0.49 : 0.51;
  }
  assert_int_equal(sweeps, 10240);
  assert_int_equal(progress.state, HN_NEWTON_RESTART);
  progress = hn_newton_progress_start(10000, true);
  hn_newton_next_sweeps(&progress, 1);
  progress.state = HN_NEWTON_WEAK;
  hn_newton_fail(&progress, 1);
  assert_int_equal(progress.state, HN_NEWTON_STALLED);
}

/* ---- Anderson acceleration ----------------------------------------------------------------------------- */

/* Applies the map x -> x + f. True if the acceleration changed the step. */
static bool is_accelerated(hn_anderson *a, int n, double *x, const double *f)
{
  static const double weight[2] = { 1, 1 };
  double tx[2] = { 0 };
  for (int i = 0; i < n; i++) tx[i] = x[i] + f[i];
  hn_anderson_step(a, n, weight, tx, x);
  return x[0] != tx[0] || (n > 1 && x[1] != tx[1]);
}

/* f = 1, then 1/2, which results in an accelerated step of 1; after it f may be twice 1/2. If f is larger,
 * the step is undone and the given number of plain steps follows, plus the first one of a new history. */
static void accelerated_steps_that_fail(void **state)
{
  (void)state;
  for (int good = 1; good >= 0; good--) {
    hn_anderson a = { 0 };
    double x = 0;
    assert_true(hn_anderson_create(&a, 1));
    for (int round = 0; round < 3; round++) {
      int plain = 0;
      for (; plain < 100 && !is_accelerated(&a, 1, &x, &(double){ 1 + 0.5 * (plain % 2) }); plain++) {
      }
      if (!good || round == 0)
        ASSERT_COUNT("plain steps", (unsigned)plain, (unsigned)(round == 0 ? 1 : 1 + (10 << (round - 1))));
      const double before = x;
      is_accelerated(&a, 1, &x, &(double){ good ? 1.99 : 2.01 });
      if (!good) assert_true(x != before + 2.01); /* undone */
      else assert_true(a.count > 1);
    }
    hn_anderson_free(&a);
  }
}

/* The columns (1, 0) and (1, d): the second one is used if d^2 exceeds the smallest pivot. */
static void dependent_columns_are_dropped(void **state)
{
  (void)state;
  for (int used = 0; used < 2; used++) {
    const double d = sqrt(used ? 2e-13 : 0.5e-13);
    hn_anderson a = { 0 };
    double x[2] = { 0 };
    assert_true(hn_anderson_create(&a, 2));
    is_accelerated(&a, 2, x, (double[2]){ -2, 0 });
    is_accelerated(&a, 2, x, (double[2]){ -1, 0 });
    assert_int_equal(is_accelerated(&a, 2, x, (double[2]){ 0, d }), used);
    hn_anderson_free(&a);
  }
}

/* Changes in independent directions fill the history to its capacity. */
static void the_last_ten_changes(void **state)
{
  (void)state;
  enum { N = 15 };
  double x[N] = { 0 }, tx[N], weight[N];
  hn_anderson a = { 0 };
  assert_true(hn_anderson_create(&a, N));
  for (int i = 0; i < N; i++) weight[i] = 1;
  for (int k = 0; k < N; k++) {
    for (int i = 0; i < N; i++) tx[i] = x[i] + (i == k);
    hn_anderson_step(&a, N, weight, tx, x);
  }
  ASSERT_COUNT("columns", (unsigned)a.count, 10);
  hn_anderson_free(&a);
}

/* ---- Directions and gradients -------------------------------------------------------------------------- */

/* Returns the predicted steps for two contacts: one 100 steps from opening, at 1 a step, the other at
 * DISTANCE, at SMALL a step. */
static double steps_to_opening(double distance, double small)
{
  trial_problem *t = problem_of(3);
  const double weight[2] = { 1, 1 }, x[2] = { 100, distance }, before[2] = { 101, distance + small };
  double f[2] = { 0 };
  hn_direction direction = { .f = f };
  for (int i = 1; i < 3; i++) add_contact(t, 0, i, origin, origin, upright, 1, push);
  t->block[0].set = t->block[1].set = cone(0);
  hn_direction_restart(&direction);
  hn_direction_observe(&direction, 2, weight, x, before);
  const double steps = hn_direction_steps_to_mode_change(&direction, &t->p, weight, x);
  free_problem(t);
  return steps;
}

static void noise_has_no_direction(void **state)
{
  (void)state;
  check_near("1/900 of the direction", steps_to_opening(2.0 / 900, 1.0 / 900), 2, 1e-9);
  check_near("1/1100 of it is noise", steps_to_opening(2.0 / 1100, 1.0 / 1100), 100, 1e-9);
  check_near("1.1 steps away", steps_to_opening(1.1, 1), 1.1, 1e-12);
  check_near("0.9 steps away: the next iteration arrives", steps_to_opening(0.9, 1), 100, 1e-12);
}

/* A mass of 1 kg falls at 1 m/s, K = 1: L is 0.9 and doubles, because it is below K; the velocity is reduced
 * by 1 / L of it. */
static void projected_gradients_try_longer_steps(void **state)
{
  (void)state;
  trial_problem *t = problem_of(2);
  double p[1] = { 0 };
  hn_reason reason;
  t->u[7] = -1;
  add_contact(t, 0, 1, origin, origin, upright, 1, push);
  hn_contact_solver *solver = solve("apgd", 1e-12, 100, t, p, &reason);
  check_near("error after one iteration, m/s", solver->history[0], 1 - 1 / 1.8, 1e-15);
  hn_contact_solver_free(solver), free_problem(t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(phases_follow_the_iterations),
    cmocka_unit_test(intervals_of_reviews_grow),
    cmocka_unit_test(rho_has_bounds),
    cmocka_unit_test(a_steady_direction_is_extrapolated),
    cmocka_unit_test(a_constant_error_within_the_tolerance),
    cmocka_unit_test(stagnation_ends_the_solution),
    cmocka_unit_test(rho_of_equations),
    cmocka_unit_test(the_strong_regularisation),
    cmocka_unit_test(sweeps_end_and_restart),
    cmocka_unit_test(line_searches_end),
    cmocka_unit_test(merits_must_fall),
    cmocka_unit_test(fallbacks_follow_each_other),
    cmocka_unit_test(accelerated_steps_that_fail),
    cmocka_unit_test(dependent_columns_are_dropped),
    cmocka_unit_test(the_last_ten_changes),
    cmocka_unit_test(noise_has_no_direction),
    cmocka_unit_test(projected_gradients_try_longer_steps),
  };
  return cmocka_run_group_tests_name("thresholds of contact solvers", tests, NULL, NULL);
}
