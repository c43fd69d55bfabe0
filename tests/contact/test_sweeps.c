/* test_sweeps.c - equivalent algorithms give equal results: sweeps over four contacts at a time
 * (lib/contact/pgs/four_contacts.h), processors, planes, two sweeps at a time, K + R by bodies
 * (lib/contact/matrix/body_matrix.h). Also Newton's method where sweeps do not help. */
#include "contact/matrix/body_matrix.h"
#include "contact/matrix/contact_matrix.h"
#include "contact/pgs/four_contacts.h"
#include "contact/pgs/single_block.h"
#include "contact_problems.h"

/* Sets inverse masses and inertias of the problem: its contacts are then visited four at a time. */
static void set_inertias(trial_problem *t)
{
  static double W[9 * MAX_BODIES], inv_mass[MAX_BODIES];
  for (int i = 0; i < t->p.nbody; i++) {
    inv_mass[i] = t->W[36 * i];
    for (int k = 0; k < 9; k++) W[9 * i + k] = t->W[36 * i + 6 * (3 + k / 3) + 3 + k % 3];
  }
  t->p.W = W, t->p.inv_mass = inv_mass;
}

/* ---- Four contacts at a time --------------------------------------------------------------------------- */

/* Compares sweeps with and without grouping from a warm start; 30 sweeps, so that rounding does not grow much
 * where contacts begin to slide. */
static void compare_grouping(const char *spec, int bodies, int contacts)
{
  double p[MAX_ROWS] = { 0 }, q[MAX_ROWS] = { 0 }, largest = 0.0, apart = 0.0;
  trial_problem *t = random_problem(bodies, contacts, 4, 0.6);
  for (int i = 0; i < t->p.nrow; i += 3) p[i] = q[i] = 0.01;
  hn_reason reason = solved(spec, 0.0, 30, t, p);
  set_inertias(t);
  assert_int_equal(solved(spec, 0.0, 30, t, q), reason);
  for (int i = 0; i < t->p.nrow; i++)
    largest = fmax(largest, fabs(p[i])), apart = fmax(apart, fabs(p[i] - q[i]));
  printf("  %s, %d bodies, %d contacts: largest impulse %.3g N s\n", spec, bodies, contacts, largest);
  assert_true(largest > 0.01);
  check_below("relative difference", apart / largest, 1e-12);
  free_problem(t);
}

/* Sweeps agree to rounding with and without grouping. */
static void four_at_a_time_equal_one_at_a_time(void **state)
{
  (void)state;
  static const int sizes[][2] = { { 4, 3 }, { 9, 8 }, { 40, 33 }, { 60, 150 }, { 12, 60 } };
  static const char *const specs[] = { "pgs", "pgs:local=disk", "pgs:local=box", "pgs:local=pyramid" };
  for (size_t k = 0; k < sizeof specs / sizeof *specs; k++)
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
      compare_grouping(specs[k], sizes[s][0], sizes[s][1]);
}

/* Pairs of bodies with several contacts each: the last contact has the same accuracy as the first. */
static void runs_of_four_equal_single_contacts(void **state)
{
  (void)state;
  enum { PAIRS = 4 };
  double p[MAX_ROWS] = { 0 }, q[MAX_ROWS] = { 0 }, last[PAIRS], apart = 0.0;
  trial_problem *t = problem_of(2 * PAIRS + 1);
  for (int i = 0; i < PAIRS; i++) {
    t->u[6 * (2 * i + 2) + 1] = -0.1, t->u[6 * (2 * i + 2) + 5] = -4.0;
    for (int k = 0; k <= i; k++) {
      const double below[3] = { 0.1 * k, 0.5, 0.0 }, above[3] = { 0.1 * k, -0.5, 0.0 };
      add_contact(t, 2 * i + 1, 2 * i + 2, below, above, upright, 3, cone(0.5));
    }
  }
  const hn_reason reason = solved("pgs", 0.0, 30, t, p);
  set_inertias(t);
  assert_int_equal(solved("pgs", 0.0, 30, t, q), reason);
  for (int i = 0; i < t->p.nrow; i++) apart = fmax(apart, fabs(p[i] - q[i]));
  for (int i = 0, k = 0; i < PAIRS; k += ++i) last[i] = p[t->p.block[k + i].row];
  printf("  impulses of the last contacts: %.3g %.3g %.3g %.3g N s\n", last[0], last[1], last[2], last[3]);
  for (int i = 0; i < PAIRS; i++) assert_true(last[i] > 0.01);
  check_below("apart, N s", apart, 1e-12);
  free_problem(t);
}

/* Nine contacts in a layer: those that slide at the start are visited first. The ninth is left over from
 * groups of four and remains the last, although it slides. */
static void contacts_that_slide_are_visited_together(void **state)
{
  (void)state;
  enum { PAIRS = 9 };
  static const int expected[PAIRS] = { 1, 2, 5, 0, 3, 4, 6, 7, 8 };
  const hn_problem_size most = { .blocks = MAX_BLOCKS, .rows = MAX_ROWS, .bodies = MAX_BODIES };
  double p[MAX_ROWS] = { 0 };
  hn_runs runs = { 0 };
  hn_arrays arrays = { 0 };
  trial_problem *t = problem_of(2 * PAIRS + 1);
  for (int i = 0; i < PAIRS; i++) {
    const bool slides = i == 1 || i == 2 || i == 5 || i == 8;
    add_contact(t, 2 * i + 1, 2 * i + 2, origin, origin, upright, 3, cone(0.5));
    p[3 * i] = 2.0, p[3 * i + 1] = slides ? 0.8 : 0.1, p[3 * i + 2] = slides ? -0.6 : 0.9;
  }
  set_inertias(t);
  hn_runs_setup(&runs, &most, &arrays);
  hn_runs_find(&runs, &t->p, p);
  ASSERT_COUNT("layers", (unsigned)runs.nlayer, 1);
  ASSERT_COUNT("runs", (unsigned)runs.count, PAIRS);
  for (int i = 0; i < PAIRS; i++) check_near("contact", runs.run[i].first, expected[i], 0);
  hn_arrays_free(&arrays);
  free_problem(t);
}

/* The vectorised code of this processor gives the bits of the portable code for the rule LOCAL: contacts that
 * stick, slide and are open, of pairs of bodies with one to three each. */
static void compare_processors(int local)
{
  enum { VISITS = 50, MOST = 3 };
  int moved = 0;
  for (int trial = 0; trial < 100; trial++) {
    double w[6 * MAX_BODIES] = { 0 }, u[2][6 * MAX_BODIES] = { { 0 } }, p[2][MAX_ROWS] = { { 0 } };
    const int count = 1 + trial % HN_FOUR;
    hn_run run[HN_FOUR];
    static const int triangle[6] = { 0, 1, 2, 4, 5, 8 };
    trial_problem *t = problem_of(9);
    for (int i = 6; i < 54; i++) t->u[i] = random_in(-1, 1);
    for (int k = 0; k < count; k++) {
      run[k] = (hn_run){ .first = t->p.nblock, .count = 1 + (trial + k) % MOST, .contacts = true };
      for (int n = 0; n < run[k].count; n++) {
        double frame[9], arm[6];
        for (int i = 0; i < 6; i++) arm[i] = random_in(-1, 1);
        random_frame(frame);
        add_contact(t, 2 * k + 1, 2 * k + 2, arm, arm + 3, frame, 3, cone(random_in(0.0, 0.6)));
      }
    }
    set_inertias(t);
    for (int i = 0; i < 9; i++)
      for (int k = 0; k < 6; k++) w[6 * i + k] = t->p.W[9 * i + triangle[k]];
    for (int way = 0; way < 2; way++) {
      hn_four_point point[MOST];
      hn_four_sliding rest[MOST];
      hn_four four = { .point = point, .rest = rest };
      hn_four_visit *visit = way ? hn_four_fastest_visit() : hn_four_visit_portable;
      assert_true(hn_four_prepare(&four, &t->p, local, run, count, p[way], w, u[way]));
      for (int k = 0; k < VISITS; k++) visit(&four, local, 0.9, w, u[way]);
      hn_four_impulses(&four, &t->p, p[way]);
    }
    moved += p[0][0] > 0;
    assert_memory_equal(p[0], p[1], sizeof p[0]);
    assert_memory_equal(u[0], u[1], sizeof u[0]);
    free_problem(t);
  }
  printf("  of 100, %d with an impulse at the first contact\n", moved);
  assert_true(moved > 20 && moved < 80);
}

static void processors_have_no_influence(void **state)
{
  (void)state;
  for (int local = HN_LOCAL_CONE; local <= HN_LOCAL_PYRAMID; local++) compare_processors(local);
}

/* ---- Planar problems ----------------------------------------------------------------------------------- */

/* Returns discs in the plane perpendicular to AXIS, with random contacts. */
static trial_problem *discs_across(int axis)
{
  enum { DISCS = 12, CONTACTS = 30 };
  const int x = (axis + 1) % 3, y = (axis + 2) % 3;
  trial_problem *t = problem_of(DISCS);
  for (int i = 1; i < DISCS; i++) {
    const double m = random_in(0.5, 2), J = random_in(0.2, 1);
    set_body(t, i, m, J, J, J);
    t->u[6 * i + x] = random_in(-1, 1), t->u[6 * i + y] = random_in(-1, 1),
                 t->u[6 * i + 3 + axis] = random_in(-1, 1);
  }
  for (int k = 0; k < CONTACTS; k++) {
    const int a = k % DISCS, b = (a + 1 + k % 5) % DISCS;
    const double angle = random_in(-3, 3);
    double frame[9] = { 0 }, arm[6] = { 0 };
    frame[x] = cos(angle), frame[y] = sin(angle), frame[3 + x] = -sin(angle), frame[3 + y] = cos(angle);
    for (int side = 0; side < 2; side++)
      arm[3 * side + x] = random_in(-1, 1), arm[3 * side + y] = random_in(-1, 1);
    add_contact(t, a, b, arm, arm + 3, frame, 2, cone(random_in(0, 0.8)));
  }
  return t;
}

/* The orientation of the plane has no influence: in the plane across z rows are packed into six numbers,
 * across x into twelve. */
static void planes_have_no_influence(void **state)
{
  (void)state;
  double p[2][MAX_ROWS] = { { 0 } }, largest = 0.0, apart = 0.0;
  const uint32_t first_seed = seed;
  int rows = 0;
  for (int way = 0; way < 2; way++) {
    seed = first_seed;
    trial_problem *t = discs_across(way ? 0 : 2);
    for (int i = 0; i < t->p.nrow; i += 2) p[way][i] = 0.1; /* warm start */
    assert_int_equal(solved("pgs", 0.0, 10, t, p[way]), HN_BUDGET);
    rows = t->p.nrow;
    free_problem(t);
  }
  for (int i = 0; i < rows; i++)
    largest = fmax(largest, fabs(p[0][i])), apart = fmax(apart, fabs(p[0][i] - p[1][i]));
  printf("  largest impulse %.3g N s\n", largest);
  assert_true(largest > 0.1);
  check_below("relative difference", apart / largest, 1e-12);
}

/* Compares sweeps over single planar blocks of the portable and the vectorised code. */
static void compare_planar_sweeps(double relaxation)
{
  enum { SWEEPS = 20 };
  const hn_problem_size most = { .blocks = MAX_BLOCKS, .rows = MAX_ROWS, .bodies = MAX_BODIES };
  trial_problem *t = discs_across(2);
  double p[2][MAX_ROWS] = { { 0 } };
  int open = 0, order[MAX_BLOCKS];
  for (int k = 0; k < t->p.nblock; k++) order[k] = k;
  for (int way = 0; way < 2; way++) {
    hn_changes c[2] = { { 0 } };
    hn_singles s = { .relaxation = relaxation };
    hn_arrays arrays = { 0 };
    hn_single_sweep *sweep = way ? hn_single_fastest_sweep() : hn_single_sweep_portable;
    hn_singles_setup(&s, &most, &arrays);
    hn_singles_begin(&s, &t->p, p[way]);
    for (int k = 0; k < t->p.nblock; k++) assert_true(hn_single_add(&s, &t->p, k) && s.block[k].flat);
    for (int i = 0; i < SWEEPS; i++) sweep(&s, order, t->p.nblock, t->p.nblock, c);
    assert_true((s.flat[0].u_a != NULL) == (relaxation == 1.0));
    for (int k = 0; k < t->p.nblock; k++) hn_single_impulse(&s, k, p[way]);
    hn_arrays_free(&arrays);
  }
  for (int k = 0; k < t->p.nblock; k++) open += p[0][t->p.block[k].row] == 0.0;
  printf("  of %d contacts %d open\n", t->p.nblock, open);
  assert_true(open > 5 && open < t->p.nblock - 5);
  assert_memory_equal(p[0], p[1], sizeof p[0]);
  free_problem(t);
}

static void processors_have_no_influence_in_the_plane(void **state)
{
  (void)state;
  compare_planar_sweeps(0.9), compare_planar_sweeps(1.0);
}

/* ---- Two sweeps at a time ------------------------------------------------------------------------------ */

/* Returns COUNT boxes, one on the other, pushed sideways, planar; if HINGED, every third one has a hinge. */
static trial_problem *slender_stack(int count, bool hinged)
{
  trial_problem *t = problem_of(count + 1);
  for (int i = 1; i <= count; i++) {
    t->u[6 * i] = 0.01 * i, t->u[6 * i + 1] = -0.1;
    for (int k = 0; k < 2; k++) {
      const double below[3] = { k ? 0.2 : -0.2, i > 1 ? 0.25 : 0.0, 0.0 };
      const double above[3] = { below[0], -0.25, 0.0 };
      const bool hinge = hinged && i % 3 == 0;
      if (!hinge || k == 0) add_contact(t, i - 1, i, below, above, upright, 2, hinge ? all : cone(0.3));
    }
  }
  return t;
}

/* With a recorded history sweeps run one by one, otherwise two at a time, the second a few blocks behind. Any
 * number of sweeps, odd or even, gives the same bits. */
static void two_sweeps_at_a_time_equal_single_ones(void **state)
{
  (void)state;
  for (int kind = 0; kind < 4; kind++) {
    trial_problem *t = kind == 3   ? random_problem(9, 8, 4, 0.6)
                       : kind == 2 ? discs_across(2)
                                   : slender_stack(20, kind == 1);
    int moved = 0;
    for (int sweeps = 1; sweeps < 30; sweeps++) {
      double p[2][MAX_ROWS] = { { 0 } };
      hn_error error;
      for (int way = 0; way < 2; way++) {
        hn_contact_solver *solver = solver_of("pgs", 0.0, sweeps);
        if (way) assert_int_equal(hn_contact_solver_keep_history(solver, sweeps, &error), 0);
        assert_int_equal(hn_contact_solve(solver, &t->p, p[way]), HN_BUDGET);
        assert_int_equal(solver->iterations, sweeps);
        hn_contact_solver_free(solver);
      }
      for (int i = 0; i < t->p.nrow; i++) moved += p[0][i] != 0.0;
      assert_memory_equal(p[0], p[1], sizeof p[0]);
    }
    printf("  %d blocks, 1 to 29 sweeps: %d impulses, the same bits\n", t->p.nblock, moved);
    assert_true(moved > 29);
    free_problem(t);
  }
}

/* ---- K + R by bodies ----------------------------------------------------------------------------------- */

/* Returns a tray on the ground with COUNT boxes on it at random places, 3 contacts each; if HINGED, the tray
 * hangs on a ball joint, and so does its first box. */
static trial_problem *laden_tray(int count, bool hinged)
{
  static const double level[9] = { 0, 0, 1, 1, 0, 0, 0, 1, 0 },
                      corner[6] = { -0.1, 0.1, 0.1, 0.1, 0.1, -0.1 };
  trial_problem *t = problem_of(count + 2);
  set_body(t, 1, 10, 4, 5, 8);
  for (int c = 0; c < 6; c++) t->u[6 + c] = random_in(-0.5, 0);
  for (int k = 0; k < 4; k++) {
    const double foot[3] = { k % 2 ? 1 : -1, k / 2 ? 1 : -1, -0.05 };
    add_contact(t, 0, 1, foot, foot, level, 3, cone(0.4));
  }
  for (int i = 2; i < count + 2; i++) {
    const double x = random_in(-1, 1), y = random_in(-1, 1), m = random_in(0.5, 2);
    set_body(t, i, m, 0.01 * m, 0.01 * m, 0.01 * m);
    t->u[6 * i] = random_in(-1, 1), t->u[6 * i + 2] = -0.1;
    for (int k = 0; k < 3; k++) {
      const double below[3] = { corner[2 * k], corner[2 * k + 1], -0.1 };
      const double on[3] = { x + below[0], y + below[1], 0.05 };
      add_contact(t, 1, i, on, below, level, 3, cone(0.3));
    }
  }
  if (hinged) add_contact(t, 0, 1, origin, (double[3]){ 0, 0, 0.4 }, level, 3, all);
  if (hinged) add_contact(t, 1, 2, (double[3]){ 0.3, 0, 0.3 }, (double[3]){ 0.1, 0, 0 }, level, 3, all);
  return t;
}

/* Returns the relative residual of (K + R) x = y, by a product with K; R as in admm. */
static double relative_residual(const trial_problem *t, const double *R, const double *x, const double *y)
{
  double v[MAX_ROWS], work[6 * MAX_BODIES], largest = 0.0, size = 0.0;
  hn_problem_velocities(&t->p, x, work, v);
  for (int k = 0; k < t->p.nblock; k++)
    for (int i = t->block[k].row; i < t->block[k].row + t->block[k].n; i++) {
      largest = fmax(largest, fabs(v[i] - t->b[i] + R[k] * x[i] - y[i]));
      size = fmax(size, fabs(y[i]));
    }
  return largest / size;
}

static void bodies_equal_rows(void **state)
{
  (void)state;
  for (int hinged = 0; hinged < 2; hinged++) {
    trial_problem *t = laden_tray(100, hinged);
    double R[MAX_BLOCKS], y[MAX_ROWS], x[MAX_ROWS];
    hn_contact_matrix way[2];
    memset(way, 0, sizeof way);
    for (int i = 0; i < t->p.nrow; i++) y[i] = random_in(-1, 1);
    for (int k = 0; k < t->p.nblock; k++)
      R[k] = hn_problem_scale(&t->p, k) * (t->block[k].set.kind == HN_ANY ? 1e-7 : 0.1);
    set_inertias(t);
    for (int k = 0; k < 2; k++) {
      assert_int_equal(hn_contact_matrix_load(&way[k], &t->p, k ? hn_bodies_are_smaller : NULL),
                       HN_CONVERGED);
      assert_true(way[k].by_bodies == (k == 1));
      assert_int_equal(hn_contact_matrix_factor(&way[k], R), HN_CONVERGED);
      memcpy(x, y, sizeof x);
      hn_contact_matrix_solve(&way[k], x);
      printf("  %s, %d numbers of K or A\n", k ? "by bodies" : "by rows",
             way[k].K.at[way[k].K.start[way[k].K.n]]);
      check_below("relative residual", relative_residual(t, R, x, y), hinged ? 1e-11 : 1e-12);
    }
    assert_true(10 * way[1].K.at[way[1].K.start[way[1].K.n]] < way[0].K.at[way[0].K.start[way[0].K.n]]);
    hn_contact_matrix_free(&way[0]), hn_contact_matrix_free(&way[1]);
    free_problem(t);
  }
}

/* A tray and its load have the same motion by rows and by bodies. */
static void a_laden_tray(void **state)
{
  (void)state;
  for (int hinged = 0; hinged < 2; hinged++) {
    trial_problem *t = laden_tray(100, hinged);
    double p[MAX_ROWS] = { 0 }, q[MAX_ROWS] = { 0 }, u[6 * MAX_BODIES], w[6 * MAX_BODIES], apart = 0.0;
    assert_int_equal(solved("admm", 1e-10, 20000, t, p), HN_CONVERGED);
    set_inertias(t);
    assert_int_equal(solved("admm", 1e-10, 20000, t, q), HN_CONVERGED);
    motion_of(t, p, u), motion_of(t, q, w);
    for (int i = 6; i < 6 * t->p.nbody; i++) apart = fmax(apart, fabs(u[i] - w[i]));
    check_below("law by bodies, m/s", error_of(t, false, q), 1e-10);
    check_below("velocities apart, m/s or rad/s", apart, 1e-11);
    free_problem(t);
  }
}

/* ---- Newton's method ----------------------------------------------------------------------------------- */

/* Two contradicting equations: neither sweeps nor iterations help, which is detected early. */
static void a_contradiction_is_stalled(void **state)
{
  (void)state;
  double rows[1][12] = { { 0 } }, p[MAX_ROWS] = { 0 };
  trial_problem *t = problem_of(2);
  rows[0][6] = 1;
  for (int k = 0; k < 2; k++) add_rows(t, 0, 1, 1, all, rows);
  t->b[0] = 1, t->b[1] = -1;
  hn_contact_solver *solver = solver_of("newton", 1e-10, 100000);
  assert_int_equal(hn_contact_solve(solver, &t->p, p), HN_STALLED);
  printf("  %d iterations, %d fallbacks, error %.3g m/s\n", solver->iterations, solver->fallbacks,
         solver->error);
  assert_true(solver->fallbacks < 20);
  hn_contact_solver_free(solver);
  free_problem(t);
}

/* Returns the iterations of Newton's method without initial sweeps, for a hundred problems with friction
 * MU. */
static int iterations_with(double mu)
{
  int total = 0, sweeps = 0;
  for (int k = 0; k < 100; k++) {
    double p[MAX_ROWS] = { 0 };
    trial_problem *t = random_problem(6, 18, 1, mu);
    hn_contact_solver *solver = solver_of("newton:sweeps=0", 1e-9, 200);
    assert_int_equal(hn_contact_solve(solver, &t->p, p), HN_CONVERGED);
    total += solver->iterations, sweeps += solver->fallbacks;
    hn_contact_solver_free(solver);
    free_problem(t);
  }
  printf("  friction %g: %d iterations of a hundred problems, %d times with the help of sweeps\n", mu, total,
         sweeps);
  return total;
}

/* Steps that increase the error are rejected: friction 1 needs at most twice the iterations of friction 0.3,
 * where nearly every step succeeds. */
static void newton_rejects_bad_steps(void **state)
{
  (void)state;
  const double easy = iterations_with(0.3);
  check_below("iterations with friction 1 over those with 0.3", iterations_with(1.0) / easy, 2.0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(four_at_a_time_equal_one_at_a_time),
    cmocka_unit_test(runs_of_four_equal_single_contacts),
    cmocka_unit_test(contacts_that_slide_are_visited_together),
    cmocka_unit_test(processors_have_no_influence),
    cmocka_unit_test(planes_have_no_influence),
    cmocka_unit_test(processors_have_no_influence_in_the_plane),
    cmocka_unit_test(two_sweeps_at_a_time_equal_single_ones),
    cmocka_unit_test(bodies_equal_rows),
    cmocka_unit_test(a_laden_tray),
    cmocka_unit_test(a_contradiction_is_stalled),
    cmocka_unit_test(newton_rejects_bad_steps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
