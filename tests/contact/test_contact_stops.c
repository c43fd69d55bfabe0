/* test_contact_stops.c - ends of contact solvers: a stop requested during the iterations, and a tolerance
 * that is set later and holds for the fallback as well. */
#include "contact_problems.h"

#include <signal.h>
#include <sys/time.h>
#include <time.h>

static volatile sig_atomic_t stop_requested;

static void request_stop(int number)
{
  (void)number;
  stop_requested = 1;
}

/* Two rows that demand different velocities of one body: sweeps never end before their number. */
static trial_problem *contradiction(void)
{
  trial_problem *t = problem_of(2);
  for (int k = 0; k < 2; k++) {
    add_contact(t, 0, 1, origin, origin, upright, 1, all);
    t->b[k] = k ? 1 : -1;
  }
  return t;
}

/* A timer requests the stop after 20 ms; the iterations allowed would take about a second. A fallback hears
 * it as well. */
static void sweeps_hear_a_stop(void **state)
{
  (void)state;
  static const char *const solvers[] = { "pgs", "pgs:relaxation=0.5", "pgs:iterations=1:then=pgs" };
  trial_problem *t = contradiction();
  assert_true(signal(SIGALRM, request_stop) != SIG_ERR);
  for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) {
    const struct itimerval soon = { .it_value = { .tv_usec = 20000 } };
    hn_stop stop = { .flag = &stop_requested };
    double p[MAX_ROWS] = { 0 };
    hn_contact_solver *solver = solver_of(solvers[i], 1e-9, 10000000);
    for (hn_contact_solver *s = solver; s; s = s->next) s->stop = &stop;
    stop_requested = 0;
    assert_int_equal(setitimer(ITIMER_REAL, &soon, NULL), 0);
    const hn_reason reason = hn_contact_solve(solver, &t->p, p);
    printf("  %s: %s, expected %s\n", solvers[i], hn_reason_name(reason), hn_reason_name(HN_INTERRUPTED));
    assert_true(reason == HN_INTERRUPTED && stop.heard);
    hn_contact_solver_free(solver);
  }
  free_problem(t);
}

/* A column of COUNT bodies on the ground, each on three contacts,
 * large enough that no solver ends before the timer does. */
static trial_problem *tower(int count)
{
  static const double at[3][2] = { { 0.5, 0 }, { -0.3, 0.4 }, { -0.3, -0.4 } };
  trial_problem *t = problem_of(count + 1);
  for (int i = 1; i <= count; i++) {
    set_body(t, i, 1 + 0.1 * (i % 7), 0.2, 0.2, 0.2);
    t->u[6 * i] = 0.3 * (i % 3), t->u[6 * i + 1] = -0.1 * (1 + i % 4), t->u[6 * i + 2] = 0.05 * (i % 5);
    for (int k = 0; k < 3; k++) {
      const double above[3] = { at[k][0], i == 1 ? 0 : 0.5, at[k][1] },
                   below[3] = { at[k][0], -0.5, at[k][1] };
      add_contact(t, i - 1, i, above, below, upright, 3, cone(0.3));
    }
  }
  return t;
}

static double now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Every contact solver hears a stop between its iterations, pivots, or columns of a table. A pivot or a
 * factorisation of these problems takes some milliseconds. lemke fills its table of 3300 unknowns when the
 * timer ends, and is among its pivots with 1800 unknowns: without a stop, these take more than a second. */
static void every_solver_hears_a_stop(void **state)
{
  (void)state;
  static const struct {
    const char *spec;
    int bodies, after; /* us */
  } trials[] = {
    { "pgs", 110, 20000 },
    { "apgd", 110, 20000 },
    { "admm", 110, 20000 },
    { "newton", 110, 20000 },
    { "prox", 110, 20000 },
    { "jacobi", 110, 20000 },
    { "nncg", 110, 20000 },
    { "extragradient", 110, 20000 },
    { "ipm", 110, 20000 },
    { "sap", 110, 20000 },
    { "lemke:size=4000", 110, 20000 },
    { "lemke:size=4000:iterations=1", 60, 200000 },
  };
  assert_true(signal(SIGALRM, request_stop) != SIG_ERR);
  for (size_t i = 0; i < sizeof trials / sizeof *trials; i++) {
    const struct itimerval soon = { .it_value = { .tv_usec = trials[i].after } };
    hn_stop stop = { .flag = &stop_requested };
    double p[MAX_ROWS] = { 0 };
    trial_problem *t = tower(trials[i].bodies);
    hn_contact_solver *solver = solver_of(trials[i].spec, 0, 10000000);
    solver->stop = &stop, stop_requested = 0;
    assert_int_equal(setitimer(ITIMER_REAL, &soon, NULL), 0);
    const double begun = now();
    const hn_reason reason = hn_contact_solve(solver, &t->p, p);
    printf("  %s: %s, expected %s\n", trials[i].spec, hn_reason_name(reason), hn_reason_name(HN_INTERRUPTED));
    assert_true(reason == HN_INTERRUPTED && stop.heard);
    check_below("  heard after, s", now() - begun - 1e-6 * trials[i].after, 1);
    hn_contact_solver_free(solver);
    free_problem(t);
  }
}

/* A column of five bodies that falls on the ground. */
static trial_problem *column(void)
{
  const double below[3] = { 0, -0.5, 0 }, above[3] = { 0, 0.5, 0 };
  trial_problem *t = problem_of(6);
  for (int i = 1; i < 6; i++) {
    t->u[6 * i + 1] = -0.1;
    add_contact(t, i - 1, i, i == 1 ? origin : above, below, upright, 3, cone(0.5));
  }
  return t;
}

static void a_later_tolerance_holds_for_fallbacks(void **state)
{
  (void)state;
  trial_problem *t = column();
  hn_contact_solver *solver = solver_of("pgs:iterations=3:then=pgs:iterations=10000", 1e-3, 3);
  for (int change = 0; change < 2; change++) {
    double p[MAX_ROWS] = { 0 };
    if (change) hn_contact_solver_set_tolerance(solver, 1e-10);
    assert_int_equal(hn_contact_solve(solver, &t->p, p), HN_CONVERGED);
    assert_int_equal(solver->fallbacks, 1);
    check_below("law, m/s", error_of(t, false, p), change ? 1e-10 : 1e-3);
    if (!change) assert_true(error_of(t, false, p) > 1e-10);
  }
  hn_contact_solver_free(solver);
  free_problem(t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(sweeps_hear_a_stop),
    cmocka_unit_test(every_solver_hears_a_stop),
    cmocka_unit_test(a_later_tolerance_holds_for_fallbacks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
