/* test_contact_reuse.c - a contact solver that solves one problem after another, problems in several islands,
 * the step of Newton's method at contacts about to open, and the range of the relaxation of pgs. */
#include "contact/problem_islands.h"
#include "contact_problems.h"
#include "system.h"

/* ---- One problem after another ------------------------------------------------------------------------- */

/* Returns a problem of COUNT contacts between pairs of NBODY moving bodies, which follow from PATTERN and the
 * number of the contact alone: problems of other patterns have the same rows, and all sides move. */
static trial_problem *pairs_in_pattern(int nbody, int count, int pattern)
{
  trial_problem *t = problem_of(nbody + 1);
  for (int i = 1; i <= nbody; i++) {
    set_body(t, i, random_in(1, 3), random_in(0.3, 1), random_in(0.3, 1), random_in(0.3, 1));
    for (int c = 0; c < 6; c++) t->u[6 * i + c] = random_in(-1, 1);
  }
  for (int k = 0; k < count; k++) {
    double arm_a[3], arm_b[3], frame[9];
    const int a = 1 + k % nbody, b = 1 + (k % nbody + 1 + (k / nbody + pattern) % (nbody - 1)) % nbody;
    for (int i = 0; i < 3; i++) arm_a[i] = random_in(-1, 1), arm_b[i] = random_in(-1, 1);
    random_frame(frame);
    add_contact(t, a, b, arm_a, arm_b, frame, 3, cone(0.3));
  }
  return t;
}

/* The second of two problems with equal rows but other pairs of bodies has the solution of a new solver,
 * digit by digit. Few contacts: the matrix is that of the rows; many: that of the bodies. */
static void other_pairs_of_bodies_are_another_problem(void **state)
{
  (void)state;
  static const struct {
    const char *spec;
    int nbody, count, iterations;
  } trials[] = { { "admm", 6, 6, 20000 }, { "admm", 5, 40, 20000 }, { "newton", 6, 6, 200 } };
  for (size_t s = 0; s < sizeof trials / sizeof *trials; s++) {
    double W[9 * MAX_BODIES], inv_mass[MAX_BODIES], p[MAX_ROWS] = { 0 }, fresh[MAX_ROWS] = { 0 }, apart = 0;
    hn_contact_solver *solver = solver_of(trials[s].spec, 1e-10, trials[s].iterations);
    for (int round = 0; round < 3; round++) {
      trial_problem *t = pairs_in_pattern(trials[s].nbody, trials[s].count, round);
      use_inertias(t, W, inv_mass);
      memset(p, 0, sizeof p), memset(fresh, 0, sizeof fresh);
      const hn_reason reason = hn_contact_solve(solver, &t->p, p);
      assert_int_equal(reason, HN_CONVERGED);
      check_below("error of the law, m/s", error_of(t, false, p), 1e-9);
      assert_int_equal(solved(trials[s].spec, 1e-10, trials[s].iterations, t, fresh), HN_CONVERGED);
      for (int i = 0; i < t->p.nrow; i++) apart = larger(apart, fabs(p[i] - fresh[i]));
      check_below("impulses apart from those of a new solver", apart, 0);
      free_problem(t);
    }
    hn_contact_solver_free(solver);
  }
}

/* ---- Islands ------------------------------------------------------------------------------------------- */

/* Adds the bodies but the ground, and the contacts, of PART to T, behind its own. */
static void append(trial_problem *t, const trial_problem *part)
{
  const int shift = t->p.nbody - 1, row = t->p.nrow;
  memcpy(t->W + 36 * t->p.nbody, part->W + 36, sizeof *t->W * 36 * (size_t)(part->p.nbody - 1));
  memcpy(t->b + row, part->b, sizeof *t->b * (size_t)part->p.nrow);
  memcpy(t->G + 12 * row, part->G, sizeof *t->G * 12 * (size_t)part->p.nrow);
  memcpy(t->T + 12 * row, part->T, sizeof *t->T * 12 * (size_t)part->p.nrow);
  for (int k = 0; k < part->p.nblock; k++) {
    hn_problem_block *block = &t->block[t->p.nblock++];
    *block = part->block[k];
    block->row += row;
    if (block->a) block->a += shift;
    if (block->b) block->b += shift;
  }
  t->p.nbody += part->p.nbody - 1, t->p.nrow += part->p.nrow;
}

/* Solves WHOLE from zeros by the setting islands=true instead: impulses, counts and the worst block are those
 * of P, SOLVER and its worst block. The problem need not have masses. A given K has no islands. */
static void check_setting(trial_problem *whole, hn_reason reason, const hn_contact_solver *solver, int most,
                          const double *p)
{
  for (int way = 0; way < 3; way++) {
    double q[MAX_ROWS] = { 0 }, apart = 0;
    hn_contact_solver *by_setting = solver_of("pgs:islands=true", 1e-9, most);
    if (way == 1) whole->p.W = NULL, whole->p.inv_mass = NULL;
    assert_int_equal(hn_contact_solver_keep_history(by_setting, 1000, NULL), 0);
    if (way == 2) use_matrix(whole);
    const hn_reason other = hn_contact_solve(by_setting, &whole->p, q);
    for (int i = 0; i < whole->p.nrow; i++) apart = larger(apart, fabs(p[i] - q[i]));
    assert_int_equal(other, reason);
    check_below("  impulses apart by the setting", way == 2 ? 0 : apart, way == 1 ? 1e-12 : 0);
    if (way == 0) ASSERT_COUNT("iterations by the setting", by_setting->iterations, solver->iterations);
    if (way == 0 && reason != HN_CONVERGED) ASSERT_COUNT("worst block", by_setting->worst, solver->worst);
    if (way < 2) ASSERT_COUNT("residuals kept", by_setting->kept, by_setting->iterations);
    if (way == 2 && reason == HN_CONVERGED)
      assert_true(by_setting->iterations < solver->iterations); /* both islands in the same sweeps */
    hn_contact_solver_free(by_setting);
  }
}

/* Two islands, an easy one of a single contact and one that takes more sweeps than there are, in either
 * order: impulses, iterations and error are those of the parts, and one that fails fails the whole. */
static void islands_add_up(void **state)
{
  (void)state;
  static const int sweeps[] = { 6, 100000 };
  for (int trial = 0; trial < 4; trial++) {
    const int most = sweeps[trial / 2];
    double W[9 * MAX_BODIES], inv_mass[MAX_BODIES], part_W[9 * MAX_BODIES], part_inv_mass[MAX_BODIES];
    double p[MAX_ROWS] = { 0 }, alone[MAX_ROWS] = { 0 }, error = 0, apart = 0;
    trial_problem *part[2], *whole = problem_of(1);
    hn_contact_solver *solver = solver_of("pgs", 1e-9, most);
    part[trial & 1] = random_problem(5, 24, 10, 0.5);
    part[!(trial & 1)] = problem_of(2);
    part[!(trial & 1)]->u[7] = -1;
    add_contact(part[!(trial & 1)], 0, 1, origin, origin, upright, 3, cone(0.5));
    int iterations = 0, failures = 0;
    for (int i = 0; i < 2; i++) {
      use_inertias(part[i], part_W, part_inv_mass);
      const hn_reason reason = hn_contact_solve(solver, &part[i]->p, alone + whole->p.nrow);
      failures += reason == HN_BUDGET;
      assert_true(reason == HN_CONVERGED || reason == HN_BUDGET);
      iterations += solver->iterations, error = fmax(error, solver->error);
      append(whole, part[i]);
    }
    use_inertias(whole, W, inv_mass);
    const hn_problem_size size = { whole->p.nblock, whole->p.nrow, whole->p.nbody };
    hn_error text = { "" };
    hn_problem_islands *islands = hn_problem_islands_create(&size, hn_contact_solve, &text);
    assert_non_null(islands);
    const hn_reason reason = hn_problem_islands_solve(islands, solver, &whole->p, p, NULL);
    for (int i = 0; i < whole->p.nrow; i++) apart = larger(apart, fabs(p[i] - alone[i]));
    printf("at most %d sweeps, the large island %s: %s\n", most, trial & 1 ? "last" : "first",
           hn_reason_name(reason));
    assert_int_equal(failures, trial < 2 ? 1 : 0);
    assert_int_equal(reason, trial < 2 ? HN_BUDGET : HN_CONVERGED);
    ASSERT_COUNT("iterations of both islands", solver->iterations, iterations);
    check_near("error of the worse island", solver->error, error, 0);
    check_below("impulses apart from those of the parts", apart, 0);
    check_setting(whole, reason, solver, most, p);
    hn_problem_islands_free(islands);
    hn_contact_solver_free(solver);
    for (int i = 0; i < 2; i++) free_problem(part[i]);
    free_problem(whole);
  }
}

/* ---- Settings of solvers ------------------------------------------------------------------------------- */

/* Contacts without friction: the function of Newton's method is linear while no contact changes between open
 * and closed. From impulses that are off at open contacts alone, and so little that they count as open, one
 * step gives the solution, because it counts the change of their impulses at the closed ones. */
static void newton_needs_one_step_where_no_mode_changes(void **state)
{
  (void)state;
  int open = 0, closed = 0, steps = 0;
  for (int trial = 0; trial < 20; trial++) {
    double p[MAX_ROWS] = { 0 }, v[MAX_ROWS], work[6 * MAX_BODIES], before[MAX_ROWS], apart = 0;
    trial_problem *t = problem_of(4);
    for (int i = 1; i < 4; i++)
      for (int c = 0; c < 6; c++) t->u[6 * i + c] = random_in(-1, 1);
    for (int k = 0; k < 9; k++) { /* fewer contacts than velocities: one solution */
      double arm_a[3], arm_b[3], frame[9];
      for (int i = 0; i < 3; i++) arm_a[i] = random_in(-1, 1), arm_b[i] = random_in(-1, 1);
      random_frame(frame);
      add_contact(t, k % 4, (k + 1 + k / 4) % 4, arm_a, arm_b, frame, 1, push);
    }
    assert_int_equal(solved("newton", 1e-13, 200, t, p), HN_CONVERGED);
    hn_problem_velocities(&t->p, p, work, v);
    memcpy(before, p, sizeof p);
    hn_contact_solver *solver = solver_of("newton:sweeps=0", 1e-11, 200);
    for (int i = 0; i < t->p.nrow; i++) {
      double D[36];
      hn_problem_diagonal(&t->p, i, D);
      if (v[i] < 1e-3) closed++;
      else open++, p[i] = 1e-6 * v[i] / D[0];
    }
    assert_int_equal(hn_contact_solve(solver, &t->p, p), HN_CONVERGED);
    steps += solver->factorisations > 1;
    for (int i = 0; i < t->p.nrow; i++) apart = larger(apart, fabs(p[i] - before[i]));
    check_below("impulses apart from the solution", apart, 1e-11); /* the tolerance */
    hn_contact_solver_free(solver);
    free_problem(t);
  }
  printf("  open %d, closed %d\n", open, closed);
  assert_true(open > 50 && closed > 30);
  ASSERT_COUNT("problems that took more than one step", steps, 0);
}

static hn_contact_solver *create_with(double relaxation, hn_error *error)
{
  char spec[64];
  const hn_problem_size most = { 8, 24, 8 };
  snprintf(spec, sizeof spec, "pgs:relaxation=%.17g", relaxation);
  return hn_contact_solver_create(&(hn_contact_options){ spec, 1e-10, 100 }, &most, error);
}

/* Impulses of one contact after n sweeps: 1 - (1 - w)^n of those that solve it. More than the whole change
 * would leave the cone, and is refused. */
static void relaxation_of_pgs_is_a_fraction(void **state)
{
  (void)state;
  static const double refused[] = { 1 + 1e-12, 1.5, 2, 1000, 0.0099, 0, -0.5 }, allowed[] = { 0.01, 0.3, 1 };
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    hn_error error = { "" };
    hn_contact_solver *solver = create_with(refused[i], &error);
    printf("  %g: %s\n", refused[i], solver ? "(accepted)" : error.text);
    assert_null(solver);
    assert_non_null(strstr(error.text, "relaxation"));
  }
  for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++) {
    hn_error error = { "" };
    double p[1] = { 0 };
    trial_problem *t = problem_of(2);
    t->u[7] = -1;
    add_contact(t, 0, 1, origin, origin, upright, 1, push);
    hn_contact_solver *solver = create_with(allowed[i], &error);
    assert_non_null(solver);
    solver->options.iterations = 5, solver->options.tolerance = 0;
    hn_contact_solve(solver, &t->p, p);
    check_near("impulse after five sweeps, N s", p[0], 1 - pow(1 - allowed[i], solver->iterations), 1e-14);
    hn_contact_solver_free(solver);
    free_problem(t);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(other_pairs_of_bodies_are_another_problem),
    cmocka_unit_test(islands_add_up),
    cmocka_unit_test(newton_needs_one_step_where_no_mode_changes),
    cmocka_unit_test(relaxation_of_pgs_is_a_fraction),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
