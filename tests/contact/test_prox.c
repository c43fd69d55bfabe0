/* test_prox.c - contact solver prox, and Newton's system by bodies: residuals from the definition, closed
 * forms, the same motion by bodies and by rows. */
#include "contact/matrix/body_lu.h"
#include "contact/matrix/body_matrix.h"
#include "contact/matrix/contact_matrix.h"
#include "contact_problems.h"

static const double axes[9] = { 0, 0, 1, 1, 0, 0, 0, 1, 0 }; /* normal up, then two tangents */

/* Returns NBODY - 1 bodies with random masses and velocities, and COUNT contacts between random ones. */
static trial_problem *heap(int nbody, int count, double mu)
{
  trial_problem *t = problem_of(nbody);
  for (int i = 1; i < nbody; i++) {
    const double mass = random_in(0.5, 2);
    set_body(t, i, mass, 0.4 * mass, 0.4 * mass, 0.4 * mass);
    for (int c = 0; c < 6; c++) t->u[6 * i + c] = random_in(-1, 1);
  }
  for (int k = 0; k < count; k++) {
    const int a = k % (nbody - 1) + 1, b = (a + 1 + (int)random_in(0, nbody - 1.001)) % nbody;
    double n[3], frame[9], arm_a[3], arm_b[3];
    for (int c = 0; c < 3; c++) n[c] = random_in(-1, 1);
    const double size = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]), flat = hypot(n[0], n[1]);
    for (int c = 0; c < 3; c++) frame[c] = n[c] / size, arm_a[c] = frame[c], arm_b[c] = -frame[c];
    frame[3] = -n[1] / flat, frame[4] = n[0] / flat, frame[5] = 0;
    cross(frame + 6, frame, frame + 3);
    add_contact(t, a, a == b ? 0 : b, arm_a, arm_b, frame, 3, cone(mu));
  }
  return t;
}

static hn_contact_solver *solver_for(const char *spec, double tolerance, const trial_problem *t)
{
  hn_error error;
  const hn_problem_size most = { t->p.nblock, t->p.nrow, t->p.nbody };
  const hn_contact_options options = { .solver = spec, .tolerance = tolerance, .iterations = 100000 };
  hn_contact_solver *solver = hn_contact_solver_create(&options, &most, &error);
  if (!solver) fail_msg("%s", error.text);
  return solver;
}

/* ---- Newton's system by bodies ------------------------------------------------------------------------- */

/* x - D H (1 + H' D H)^-1 H' x is (1 + D K)^-1 x, since K = H H'. D is that of sliding contacts: not
 * symmetric. */
static void system_of_the_bodies(void **state)
{
  (void)state;
  double W[9 * MAX_BODIES], inv_mass[MAX_BODIES], D[6 * MAX_ROWS] = { 0 }, x[MAX_ROWS], y[MAX_ROWS],
                                                        v[MAX_ROWS];
  double work[6 * MAX_BODIES], largest = 0;
  trial_problem *t = heap(41, 120, 0.3);
  hn_contact_matrix K = { 0 };
  hn_body_lu lu = { 0 };
  use_inertias(t, W, inv_mass);
  for (int k = 0; k < t->p.nblock; k++)
    for (int r = 0; r < 3; r++)
      for (int c = 0; c < 3; c++)
        D[18 * k + 3 * r + c] = (r == c) + (c == 0 && r > 0 ? random_in(-0.5, 0.5) : 0);
  for (int i = 0; i < t->p.nrow; i++) x[i] = y[i] = random_in(-1, 1);
  assert_int_equal(hn_contact_matrix_load(&K, &t->p, hn_bodies_are_fewer), HN_CONVERGED);
  assert_true(K.by_bodies);
  assert_int_equal(hn_body_lu_factor(&lu, &K, D), HN_CONVERGED);
  hn_body_lu portable = { 0 };
  assert_int_equal(hn_body_lu_factor_portable(&portable, &K, D), HN_CONVERGED);
  const size_t size = 36 * sizeof *lu.upper * (size_t)lu.start[lu.n];
  assert_memory_equal(lu.upper, portable.upper, size);
  assert_memory_equal(lu.lower, portable.lower, size);
  hn_body_lu_free(&portable);
  hn_body_lu_solve(&lu, &K, D, x);
  memset(t->b, 0, sizeof t->b);
  hn_problem_velocities(&t->p, x, work, v);
  for (int k = 0; k < t->p.nblock; k++)
    for (int r = 0; r < 3; r++) {
      double sum = x[3 * k + r] - y[3 * k + r];
      for (int c = 0; c < 3; c++) sum += D[18 * k + 3 * r + c] * v[3 * k + c];
      largest = fmax(largest, fabs(sum));
    }
  check_below("residual of (1 + D K) x = y", largest, 1e-12);
  hn_body_lu_free(&lu), hn_contact_matrix_free(&K);
  free_problem(t);
}

/* Solves T with SPEC, and returns the velocities of the bodies, and in ERROR that of the law. */
static void solve(trial_problem *t, const char *spec, double *u, double *error)
{
  double p[MAX_ROWS] = { 0 };
  hn_contact_solver *solver = solver_for(spec, 1e-11, t);
  const hn_reason reason = hn_contact_solve(solver, &t->p, p);
  if (reason != HN_CONVERGED) fail_msg("%s: %s", spec, hn_reason_name(reason));
  *error = error_of(t, false, p);
  if (!t->p.K) motion_of(t, p, u);
  hn_contact_solver_free(solver);
}

/* By bodies, by rows without inertias, and by pgs: one motion. Friction is small, so that it is unique. */
static void bodies_rows_and_sweeps_agree(void **state)
{
  (void)state;
  for (int i = 0; i < 3; i++) {
    double W[9 * MAX_BODIES], inv_mass[MAX_BODIES], by_sweeps[6 * MAX_BODIES], other[6 * MAX_BODIES], error;
    trial_problem *t = heap(41, 110, 0.1);
    solve(t, "pgs", by_sweeps, &error);
    for (int way = 0; way < 4; way++) {
      double most = 0;
      if (way % 2) use_inertias(t, W, inv_mass);
      else t->p.W = t->p.inv_mass = NULL;
      solve(t, way < 2 ? "prox" : "newton", other, &error);
      for (int c = 0; c < 6 * t->p.nbody; c++) most = fmax(most, fabs(other[c] - by_sweeps[c]));
      printf("%s by %s\n", way < 2 ? "prox" : "newton", way % 2 ? "bodies" : "rows");
      check_below("residual of the law, m/s", error, 1e-11);
      check_below("change of velocity, difference from pgs, m/s", most, 1e-9);
    }
    free_problem(t);
  }
}

/* ---- Redundant and contradictory contacts -------------------------------------------------------------- */

/* A box slides on 7 x 7 contacts level with its centre, all with the same law: it loses mu times the velocity
 * that presses it down. */
static void a_box_on_many_contacts(void **state)
{
  (void)state;
  const double mu = 0.3, down = 0.1, speed = 2;
  double u[6 * MAX_BODIES], error;
  trial_problem *t = problem_of(2);
  set_body(t, 1, 3, 0.2, 0.3, 0.4);
  t->u[6] = speed, t->u[8] = -down;
  for (int i = 0; i < 49; i++) {
    const double arm[3] = { i % 7 - 3, i / 7 - 3, 0 };
    add_contact(t, 0, 1, arm, arm, axes, 3, cone(mu));
  }
  solve(t, "prox", u, &error);
  check_near("loss of speed, m/s", u[6], -mu * down, 1e-10);
  check_near("stop of the fall, m/s", u[8], down, 1e-10);
  free_problem(t);
}

/* A body that two walls push with 2 C against each other stalls, and the residual is the contradiction: the
 * walls' residuals are C at rest, and larger for one of them otherwise. */
static void contradictions_stall(void **state)
{
  (void)state;
  for (double c = 1e-6; c < 2; c *= 1e3) {
    double p[2] = { 0 };
    double left[1][12] = { { 0 } }, right[1][12] = { { 0 } };
    trial_problem *t = problem_of(2);
    left[0][0] = -1, left[0][6] = 1, right[0][0] = 1, right[0][6] = -1;
    add_rows(t, 0, 1, 1, push, left), add_rows(t, 0, 1, 1, push, right);
    t->b[0] = t->b[1] = -c;
    hn_contact_solver *solver = solver_for("prox", 1e-12, t);
    assert_int_equal(hn_contact_solve(solver, &t->p, p), HN_STALLED);
    printf("contradiction %g m/s: %d iterations\n", c, solver->iterations);
    check_near("residual relative to it", error_of(t, false, p) / c, 1, 1e-3);
    assert_true(solver->iterations <= 100);
    hn_contact_solver_free(solver);
    free_problem(t);
  }
}

/* The fallback of a solver that ends at a contradiction: not used if the contradiction is accepted, and the
 * fallback is the last one or has the same method. */
static void accepted_contradictions_need_no_fallback(void **state)
{
  (void)state;
  static const struct {
    const char *spec;
    double accepted;
    int goes_on;
  } of[] = { { "prox:then=pgs:iterations=7777", 0, 1 },
             { "prox:then=pgs:iterations=7777", 0.9e-6, 1 },
             { "prox:then=pgs:iterations=7777", 1.1e-6, 0 },
             { "prox:then=prox:then=pgs:iterations=7777", 0.9e-6, 1 },
             { "prox:then=prox:then=pgs:iterations=7777", 1.1e-6, 0 },
             { "prox:then=jacobi:iterations=9:then=pgs:iterations=7777", 1.1e-6, 1 } };
  int of_one = 0; /* iterations of one prox */
  for (int i = 0; i < 6; i++) {
    double p[MAX_ROWS] = { 0 }, left[1][12] = { { 0 } }, right[1][12] = { { 0 } };
    trial_problem *t = problem_of(2);
    left[0][6] = 1, right[0][6] = -1;
    add_rows(t, 0, 1, 1, push, left), add_rows(t, 0, 1, 1, push, right);
    t->b[0] = t->b[1] = -1e-6;
    hn_contact_solver *solver = solver_for(of[i].spec, 1e-12, t);
    hn_contact_solver_accept(solver, of[i].accepted);
    const hn_reason reason = hn_contact_solve(solver, &t->p, p);
    printf("%s, accepted %g m/s: %s\n", of[i].spec, of[i].accepted, hn_reason_name(reason));
    ASSERT_COUNT("iterations of pgs", solver->iterations / 7777, of[i].goes_on);
    if (!of[i].goes_on && of_one > 0) ASSERT_COUNT("iterations of prox", solver->iterations, of_one);
    if (!of[i].goes_on) of_one = solver->iterations;
    assert_int_not_equal(reason, HN_CONVERGED);
    hn_contact_solver_free(solver);
    free_problem(t);
  }
}

/* All of 20 heaps with three times as many rows as velocities, and much friction, are solved. */
static void heaps_are_solved(void **state)
{
  (void)state;
  int iterations = 0, failures = 0;
  double largest = 0;
  for (int i = 0; i < 20; i++) {
    double W[9 * MAX_BODIES], inv_mass[MAX_BODIES], p[MAX_ROWS] = { 0 };
    trial_problem *t = heap(21, 120, 0.8);
    use_inertias(t, W, inv_mass);
    hn_contact_solver *solver = solver_for("prox", 1e-10, t);
    failures += hn_contact_solve(solver, &t->p, p) != HN_CONVERGED;
    largest = fmax(largest, error_of(t, false, p)), iterations += solver->iterations;
    hn_contact_solver_free(solver);
    free_problem(t);
  }
  printf("%d iterations\n", iterations);
  check_below("heaps without a solution", failures, 0.5);
  check_below("largest residual of the law, m/s", largest, 1e-10);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(system_of_the_bodies),   cmocka_unit_test(bodies_rows_and_sweeps_agree),
    cmocka_unit_test(a_box_on_many_contacts), cmocka_unit_test(contradictions_stall),
    cmocka_unit_test(heaps_are_solved),       cmocka_unit_test(accepted_contradictions_need_no_fallback),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
