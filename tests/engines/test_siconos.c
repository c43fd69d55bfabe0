/* test_siconos.c - Siconos' contact solvers (engines/siconos_contact.c): every method on problems with closed
 * forms and beside pgs, its translation of bodies, planar contacts and unilateral rows, what it refuses, and
 * its child processes. Errors of the law are computed from impulses and rows. Skipped without the module. */
#include "contact_problems.h"
#include "solver.h"

#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* All methods, and those for planar contacts alone. */
static const char *const spatial[] = { "nsgs",   "prox",   "nsn_ac", "nsn_act", "nsn_fb",
                                       "nsn_nm", "admm",   "aclm",   "tfp",     "pfp",
                                       "vi_eg",  "vi_fpp", "eg",     "fpp",     "dsfp" };
static const char *const planar[] = { "cpg", "lemke", "enum" };
enum { SPATIAL = sizeof spatial / sizeof *spatial, PLANAR = sizeof planar / sizeof *planar };
enum { ALL = SPATIAL + PLANAR };

/* Returns the spec of method I, with SETTINGS after it. */
static const char *spec_of(int i, const char *settings)
{
  static char spec[120];
  snprintf(spec, sizeof spec, "siconos:method=%s%s", i < SPATIAL ? spatial[i] : planar[i - SPATIAL],
           settings);
  return spec;
}

/* True if method I solves contacts without friction: Siconos' Fischer-Burmeister function does not. */
static bool can_be_smooth(int i)
{
  return i >= SPATIAL || strcmp(spatial[i], "nsn_fb") != 0;
}

/* Solves T, a contact without friction among others, by SPEC, which does not converge, and says so. */
static void fails_honestly(const char *spec, const trial_problem *t, double *p)
{
  assert_int_equal(solved(spec, 1e-11, 200, t, p), HN_BUDGET);
  assert_true(error_of(t, false, p) > 1e-11);
}

/* Solves T by SPEC to 1e-11 m/s; it must converge, and the law must hold. */
static void solve_exactly(const char *spec, const trial_problem *t, double *p)
{
  assert_int_equal(solved(spec, 1e-11, 20000, t, p), HN_CONVERGED);
  check_below("law, m/s", error_of(t, false, p), 1e-11);
}

/* ---- Closed forms -------------------------------------------------------------------------------------- */

/* A block of 2 kg pulled along a floor with the impulse 0.2 downwards sticks up to 0.06 = mu N, then slides.
 * In the plane the methods without FC2D get an idle row. */
static void a_block_on_a_floor(void **state)
{
  (void)state;
  const double pull[] = { 0.03, 0.0601, 0.5 };
  for (int n = 2; n <= 3; n++)
    for (int i = 0; i < (n == 2 ? ALL : SPATIAL); i++)
      for (size_t k = 0; k < sizeof pull / sizeof *pull; k++) {
        trial_problem *t = problem_of(2);
        double p[3] = { 0 };
        set_body(t, 1, 2, 1, 1, 1);
        t->u[7] = -0.1, t->u[6] = pull[k] / 2;
        add_contact(t, 0, 1, origin, origin, upright, n, cone(0.3));
        solve_exactly(spec_of(i, ""), t, p);
        check_near("normal", p[0], 0.2, 1e-9);
        check_near("friction", p[1], -fmin(pull[k], 0.06), 1e-9);
        free_problem(t);
      }
}

/* A rod of 1 m, 1 kg at 30 degrees falls on a smooth floor at 1 m/s, e = 1/2: a unilateral row, which becomes
 * a contact without friction and with idle rows. */
static void a_rod_hits_the_floor(void **state)
{
  (void)state;
  const double arm[3] = { -0.25 * sqrt(3), -0.25, 0 };
  for (int i = 0; i < ALL; i++) {
    trial_problem *t = problem_of(2);
    double p[1] = { 0 }, u[12];
    set_body(t, 1, 1, 1, 1, 1.0 / 12);
    t->u[7] = -1;
    add_contact(t, 0, 1, origin, arm, upright, 1, push);
    t->b[0] *= 1.5;
    if (can_be_smooth(i)) {
      solve_exactly(spec_of(i, ""), t, p);
      motion_of(t, p, u);
      check_near("impulse", p[0], 0.4615384615384615385, 1e-9);
      check_near("angular velocity", fabs(u[11]), 2.398224195095368560, 1e-9);
    } else fails_honestly(spec_of(i, ""), t, p);
    free_problem(t);
  }
}

/* A grain of 1 mg and a truck of 10 t: the unit of mass in Siconos follows them. */
static void masses_of_any_size(void **state)
{
  (void)state;
  for (int i = 0; i < SPATIAL; i++)
    for (double mass = 1e-6; mass < 1e5; mass *= 1e10) {
      trial_problem *t = problem_of(2);
      double p[3] = { 0 };
      set_body(t, 1, mass, mass, mass, mass);
      t->u[7] = -0.1, t->u[6] = 1;
      add_contact(t, 0, 1, origin, origin, upright, 3, cone(0.3));
      solve_exactly(spec_of(i, ""), t, p);
      check_near("normal over mass", p[0] / mass, 0.1, 1e-10);
      check_near("friction over mass", p[1] / mass, -0.03, 1e-10);
      free_problem(t);
    }
}

/* ---- Beside pgs ---------------------------------------------------------------------------------------- */

/* Returns bodies that fall on the ground, each with one contact, and touch each other in a chain: fewer rows
 * than velocities, and little friction, so that the solution is unique. */
static trial_problem *chain(int bodies)
{
  trial_problem *t = problem_of(bodies + 1);
  seed = 77;
  for (int i = 1; i <= bodies; i++) {
    const double m = random_in(0.5, 2);
    set_body(t, i, m, m * random_in(0.1, 1), m * random_in(0.1, 1), m * random_in(0.1, 1));
    for (int c = 0; c < 6; c++) t->u[6 * i + c] = random_in(-1, 1);
  }
  for (int i = 1; i <= bodies; i++) {
    double arm_a[3], arm_b[3], frame[9];
    for (int c = 0; c < 3; c++) arm_a[c] = random_in(-0.2, 0.2), arm_b[c] = random_in(-0.2, 0.2);
    random_frame(frame);
    add_contact(t, i - 1, i, arm_a, arm_b, frame, 3, cone(random_in(0, 0.3)));
  }
  return t;
}

/* Solves T by all spatial methods, from bodies and from the matrix; impulses must be those of pgs. */
static void unique_impulses(void **state)
{
  (void)state;
  for (int i = 0; i < SPATIAL; i++) {
    trial_problem *t = chain(12);
    double p[36] = { 0 }, p_matrix[36] = { 0 }, p_pgs[36] = { 0 }, apart = 0, parted = 0;
    assert_int_equal(solved("pgs", 1e-13, 100000, t, p_pgs), HN_CONVERGED);
    solve_exactly(spec_of(i, ""), t, p);
    use_matrix(t);
    solve_exactly(spec_of(i, ""), t, p_matrix);
    for (int r = 0; r < 36; r++) {
      apart = larger(apart, fabs(p[r] - p_pgs[r]));
      parted = larger(parted, fabs(p_matrix[r] - p[r]));
    }
    check_below("impulses apart from those of pgs, N s", apart, 1e-8);
    check_below("from the matrix, apart from those by bodies, N s", parted, 1e-8);
    free_problem(t);
  }
}

/* Contacts of 1, 2 and 3 rows in one problem. */
static void mixed_rows(void **state)
{
  (void)state;
  for (int i = 0; i < SPATIAL; i++) {
    trial_problem *t = problem_of(4);
    double p[6] = { 0 }, p_pgs[6] = { 0 }, apart = 0;
    for (int body = 1; body < 4; body++) t->u[6 * body + 1] = -0.1 * body, t->u[6 * body] = 0.2;
    add_contact(t, 0, 1, origin, origin, upright, 1, push);
    add_contact(t, 1, 2, origin, origin, upright, 2, cone(0.2));
    add_contact(t, 2, 3, origin, origin, upright, 3, cone(0.3));
    assert_int_equal(solved("pgs", 1e-13, 100000, t, p_pgs), HN_CONVERGED);
    if (can_be_smooth(i)) {
      solve_exactly(spec_of(i, ""), t, p);
      for (int r = 0; r < 6; r++) apart = larger(apart, fabs(p[r] - p_pgs[r]));
      check_below("impulses apart from those of pgs, N s", apart, 1e-9);
    } else fails_honestly(spec_of(i, ""), t, p);
    free_problem(t);
  }
}

/* Returns a chain of 6 bodies with ball joints, each of them twice if REDUNDANT, and its contacts or none. */
static trial_problem *jointed(bool contacts, bool redundant)
{
  trial_problem *t = contacts ? chain(6) : problem_of(7);
  seed = 99;
  for (int i = 1; i <= 6 && !contacts; i++)
    for (int c = 0; c < 6; c++) t->u[6 * i + c] = random_in(-1, 1);
  for (int i = 2; i <= 6; i += 2) {
    double arm_a[3], arm_b[3];
    for (int c = 0; c < 3; c++) arm_a[c] = random_in(-0.5, 0.5), arm_b[c] = random_in(-0.5, 0.5);
    for (int k = 0; k < 1 + redundant; k++) add_contact(t, i - 1, i, arm_a, arm_b, upright, 3, all);
  }
  return t;
}

/* Joints are eliminated, also redundant ones; the motion is that of admm. */
static void joints_are_eliminated(void **state)
{
  (void)state;
  for (int kind = 0; kind < 4; kind++)
    for (int matrix = 0; matrix < 2; matrix++) {
      trial_problem *t = jointed(kind % 2, kind / 2), *by_matrix = jointed(kind % 2, kind / 2);
      double p[36] = { 0 }, p_admm[36] = { 0 }, u[42], u_admm[42], apart = 0;
      use_matrix(by_matrix);
      assert_int_equal(solved("admm", 1e-12, 20000, t, p_admm), HN_CONVERGED);
      solve_exactly("siconos:method=nsgs", matrix ? by_matrix : t, p);
      motion_of(t, p, u), motion_of(t, p_admm, u_admm);
      for (int i = 0; i < 42; i++) apart = larger(apart, fabs(u[i] - u_admm[i]));
      check_below("velocities apart from those of admm", apart, 1e-8);
      free_problem(t), free_problem(by_matrix);
    }
}

static trial_problem *rolling_ball(int n, hn_set set)
{
  static const double frame[9] = { 0, 1, 0, 0, 0, 1, 1, 0, 0 }, down[3] = { 0, -0.25, 0 };
  trial_problem *t = problem_of(2);
  set_body(t, 1, 2, 0.05, 0.05, 0.05);
  t->u[7] = -0.1, t->u[6] = 0.3, t->u[9] = 1, t->u[11] = -2;
  add_moment_contact(t, 0, 1, origin, down, frame, n, set);
  return t;
}

/* A ball that slides and rolls. */
static void rolling_friction(void **state)
{
  (void)state;
  const double coefficient[] = { 0.02, 0.2, 2 };
  for (int i = 0; i < 3; i++) {
    const hn_set set = { .kind = HN_CONE, .mu = 0.3, .mu_rolling = coefficient[i] };
    trial_problem *t = rolling_ball(5, set);
    double p[5] = { 0 }, p_pgs[5] = { 0 }, apart = 0;
    assert_int_equal(solved("pgs", 1e-13, 10000, t, p_pgs), HN_CONVERGED);
    solve_exactly("siconos:method=nsgs", t, p);
    for (int r = 0; r < 5; r++) apart = larger(apart, fabs(p[r] - p_pgs[r]));
    check_below("impulses apart from those of pgs, N s", apart, 1e-9);
    free_problem(t);
  }
}

/* ---- Ends ---------------------------------------------------------------------------------------------- */

/* Redundant contacts with masses up to 10 apart: some methods do not converge. A method reports convergence
 * exactly where the law is met. */
static void reports_are_true(void **state)
{
  (void)state;
  int met = 0;
  for (int i = 0; i < SPATIAL; i++) {
    seed = 4711;
    trial_problem *t = random_problem(6, 20, 10, 0.5);
    double p[60] = { 0 };
    const hn_reason reason = solved(spec_of(i, ""), 1e-9, 3000, t, p);
    const double error = error_of(t, false, p);
    assert_true((reason == HN_CONVERGED) == (error <= 1e-9));
    assert_true(reason == HN_CONVERGED || reason == HN_BUDGET || reason == HN_STALLED);
    met += reason == HN_CONVERGED;
    free_problem(t);
  }
  printf("  %d of %d methods converge, expected at least %d\n", met, SPATIAL, SPATIAL / 2);
  assert_true(met >= SPATIAL / 2);
}

/* A body that is pushed from both sides: no impulses solve that. */
static void contradictions_end(void **state)
{
  (void)state;
  static const double down[9] = { 0, -1, 0, 1, 0, 0, 0, 0, 1 };
  for (int i = 0; i < SPATIAL; i++) {
    trial_problem *t = problem_of(2);
    double p[6] = { 0 };
    add_contact(t, 0, 1, origin, origin, upright, 3, cone(0.3));
    add_contact(t, 0, 1, origin, origin, down, 3, cone(0.3));
    t->b[0] = t->b[3] = -1;
    const hn_reason reason = solved(spec_of(i, ""), 1e-9, 100, t, p);
    assert_true(reason == HN_BUDGET || reason == HN_STALLED);
    for (int r = 0; r < 6; r++) assert_true(isfinite(p[r]));
    free_problem(t);
  }
}

/* The budget is that of the options, and the impulses are then in their sets. */
static void a_budget_is_kept(void **state)
{
  (void)state;
  trial_problem *t = chain(12);
  double p[36] = { 0 }, inside[36];
  hn_contact_solver *solver = solver_of("siconos:method=nsgs", 1e-14, 3);
  assert_int_equal(hn_contact_solve(solver, &t->p, p), HN_BUDGET);
  ASSERT_COUNT("iterations", solver->iterations, 3);
  memcpy(inside, p, sizeof p);
  for (int k = 0; k < t->p.nblock; k++) hn_set_project(&t->block[k].set, 3, 1, inside + 3 * k);
  for (int r = 0; r < 36; r++) assert_true(fabs(p[r] - inside[r]) < 1e-15);
  hn_contact_solver_free(solver);
  free_problem(t);
}

/* A child process, a history and repetition change no bit. */
static void the_same_bits(void **state)
{
  (void)state;
  for (int i = 0; i < SPATIAL; i++) {
    trial_problem *t = chain(12);
    double p[4][36] = { { 0 } };
    hn_error error;
    for (int run = 0; run < 4; run++) {
      hn_contact_solver *solver = solver_of(spec_of(i, run == 1 ? ":child=false" : ""), 1e-10, 100000);
      if (run == 2) assert_int_equal(hn_contact_solver_keep_history(solver, 100000, &error), 0);
      assert_int_equal(hn_contact_solve(solver, &t->p, p[run]), HN_CONVERGED);
      if (run == 2) {
        printf("  %-10s %6d iterations, %6d in the history\n", spatial[i], solver->iterations, solver->kept);
        assert_true(solver->kept > 0);
        check_below("the last error of the history, m/s", solver->history[solver->kept - 1], 1e-10);
      }
      assert_memory_equal(p[run], p[0], sizeof p[0]);
      hn_contact_solver_free(solver);
    }
    free_problem(t);
  }
}

static volatile sig_atomic_t stop_requested;

static void request_stop(int number)
{
  (void)number;
  stop_requested = 1;
}

/* Ten million iterations without a tolerance would take minutes. */
static void a_stop_is_heard(void **state)
{
  (void)state;
  assert_true(signal(SIGALRM, request_stop) != SIG_ERR);
  static const char *const specs[] = { "siconos:method=vi_eg", "siconos:method=dsfp",
                                       "siconos:method=dsfp:child=false" };
  trial_problem *t = chain(100);
  for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
    const struct itimerval soon = { .it_value = { .tv_usec = 100000 } };
    hn_stop stop = { .flag = &stop_requested };
    double p[300] = { 0 };
    hn_contact_solver *solver = solver_of(specs[i], 0, 10000000);
    solver->stop = &stop;
    stop_requested = 0;
    assert_int_equal(setitimer(ITIMER_REAL, &soon, NULL), 0);
    const time_t start = time(NULL);
    const hn_reason reason = hn_contact_solve(solver, &t->p, p);
    printf("  %s: %s\n", specs[i], hn_reason_name(reason));
    assert_int_equal(reason, HN_INTERRUPTED);
    check_below("time until it is heard, s", (double)(time(NULL) - start), 5);
    hn_contact_solver_free(solver);
  }
  free_problem(t);
}

/* ---- Refusals ------------------------------------------------------------------------------------------ */

/* SPEC does not support T, for the reason that contains WORDS, and leaves the impulses as they are. */
static void check_refusal(const char *spec, const trial_problem *t, const char *words)
{
  double p[8] = { 1, 0, 0, 0, 0, 0, 0, 0 };
  hn_contact_solver *solver = solver_of(spec, 1e-9, 100);
  assert_int_equal(hn_contact_solve(solver, &t->p, p), HN_UNSUPPORTED);
  printf("  %s: %s\n", spec, solver->message ? solver->message : "(no message)");
  assert_true(solver->message && strstr(solver->message, words));
  assert_true(p[0] == 1);
  hn_contact_solver_free(solver);
}

static void refusals(void **state)
{
  (void)state;
  const hn_set motor = { .kind = HN_WITHIN, .lower = -1, .upper = 1 };
  const hn_set turning = { .kind = HN_CONE, .mu = 0.3, .mu_rolling = 0.02 };
  const hn_set drilling = { .kind = HN_CONE, .mu = 0.3, .mu_torsion = 0.02 };
  trial_problem *t = problem_of(2);
  add_contact(t, 0, 1, origin, origin, upright, 3, cone(0.3));
  check_refusal("siconos:method=cpg", t, "planar");
  free_problem(t);
  t = problem_of(2);
  add_contact(t, 0, 1, origin, origin, upright, 1, motor);
  check_refusal("siconos", t, "bounded");
  free_problem(t);
  t = rolling_ball(5, turning);
  check_refusal("siconos:method=prox", t, "rolling");
  free_problem(t);
  for (int n = 4; n <= 6; n += 2) {
    t = rolling_ball(n, drilling);
    check_refusal("siconos", t, "torsional");
    free_problem(t);
  }
}

int main(void)
{
  char path[1000];
  hn_error error;
  snprintf(path, sizeof path, "%s/siconos.so", hn_engine_dir());
  if (access(path, R_OK)) {
    printf("SKIPPED: %s is missing: Holonom was built without Siconos\n", path);
    return 77;
  }
  if (hn_plugin_load(path, &error)) {
    printf("%s\n", error.text);
    return 1;
  }
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_block_on_a_floor), cmocka_unit_test(a_rod_hits_the_floor),
    cmocka_unit_test(masses_of_any_size), cmocka_unit_test(unique_impulses),
    cmocka_unit_test(mixed_rows),         cmocka_unit_test(joints_are_eliminated),
    cmocka_unit_test(rolling_friction),   cmocka_unit_test(reports_are_true),
    cmocka_unit_test(contradictions_end), cmocka_unit_test(a_budget_is_kept),
    cmocka_unit_test(the_same_bits),      cmocka_unit_test(a_stop_is_heard),
    cmocka_unit_test(refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
