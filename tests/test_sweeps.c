/* Sweeps of Gauss and Seidel: contacts side by side (lib/contact/four.h), and Newton's method where they do not help. */
#include "contact/four.h"
#include "problems.h"

/* Tells the inertia of the bodies: their contacts are then visited side by side. */
static void tell_inertia(trial_problem *t, double *W)
{
  for (int i = 0; i < t->p.nbody; i++)
    for (int k = 0; k < 9; k++) W[9 * i + k] = t->W[36 * i + 6 * (3 + k / 3) + 3 + k % 3];
  t->p.W = W;
}

/* The same sweeps to rounding, whichever way; 30 of them, so that rounding does not grow much where contacts begin to
 * slide. */
static void side_by_side_as_one_by_one(void **state)
{
  (void)state;
  static const int sizes[][2] = { { 4, 3 }, { 9, 8 }, { 40, 33 }, { 60, 150 }, { 12, 60 } };
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    double p[MOST_ROWS] = { 0 }, q[MOST_ROWS] = { 0 }, W[9 * MOST_BODIES], largest = 0.0, apart = 0.0;
    trial_problem *t = random_problem(sizes[s][0], sizes[s][1], 4, 0.6);
    for (int i = 0; i < t->p.nrow; i += 3) p[i] = q[i] = 0.01; /* warm */
    hn_reason reason = solved("pgs", 0.0, 30, t, p);
    tell_inertia(t, W);
    assert_int_equal(solved("pgs", 0.0, 30, t, q), reason);
    for (int i = 0; i < t->p.nrow; i++)
      largest = fmax(largest, fabs(p[i])), apart = fmax(apart, fabs(p[i] - q[i]));
    printf("  %d bodies, %d contacts: largest impulse %.3g N s\n", sizes[s][0], sizes[s][1], largest);
    assert_true(largest > 0.01);
    check_below("apart, of it", apart / largest, 1e-10);
    free_problem(t);
  }
}

/* What this processor's registers do is what all do, bit for bit: contacts that stick, slide and are open. */
static void any_processor_has_the_same_bits(void **state)
{
  (void)state;
  enum { VISITS = 50 };
  int moved = 0;
  for (int trial = 0; trial < 100; trial++) {
    double W[9 * MOST_BODIES], w[6 * MOST_BODIES] = { 0 }, u[2][6 * MOST_BODIES] = { { 0 } }, p[2][MOST_ROWS] = { { 0 } };
    const int block[HN_FOUR] = { 0, 1, 2, 3 }, count = 1 + trial % HN_FOUR;
    static const int triangle[6] = { 0, 1, 2, 4, 5, 8 };
    trial_problem *t = problem_of(9);
    for (int i = 6; i < 54; i++) t->u[i] = random_in(-1, 1);
    for (int k = 0; k < count; k++) {
      double frame[9], arm[6];
      for (int i = 0; i < 6; i++) arm[i] = random_in(-1, 1);
      random_frame(frame);
      add_contact(t, 2 * k + 1, 2 * k + 2, arm, arm + 3, frame, 3, cone(random_in(0.0, 0.6)));
    }
    tell_inertia(t, W);
    for (int i = 0; i < 9; i++)
      for (int k = 0; k < 6; k++) w[6 * i + k] = W[9 * i + triangle[k]];
    for (int way = 0; way < 2; way++) {
      hn_four four;
      hn_four_rest rest;
      hn_four_visit *visit = way ? hn_four_visitor() : hn_four_visit_anywhere;
      assert_true(hn_four_prepare(&four, &rest, &t->p, block, count, p[way], w, u[way]));
      for (int k = 0; k < VISITS; k++) visit(&four, &rest, 0.9, w, u[way]);
      hn_four_impulses(&four, &rest, &t->p, p[way]);
    }
    moved += p[0][0] > 0;
    assert_memory_equal(p[0], p[1], sizeof p[0]);
    assert_memory_equal(u[0], u[1], sizeof u[0]);
    free_problem(t);
  }
  printf("  of 100, %d with an impulse at the first contact\n", moved);
  assert_true(moved > 20 && moved < 80);
}

/* Two equations that contradict each other: no sweep and no iteration helps, and that is said soon. */
static void a_contradiction_is_stalled(void **state)
{
  (void)state;
  double rows[1][12] = { { 0 } }, p[MOST_ROWS] = { 0 };
  trial_problem *t = problem_of(2);
  rows[0][6] = 1;
  for (int k = 0; k < 2; k++) add_rows(t, 0, 1, 1, all, rows);
  t->b[0] = 1, t->b[1] = -1;
  hn_contact_solver *solver = solver_of("newton", 1e-10, 100000);
  assert_int_equal(hn_contact_solve(solver, &t->p, p), HN_STALLED);
  printf("  %d iterations, %d fallbacks, error %.3g m/s\n", solver->iterations, solver->fallbacks, solver->error);
  assert_true(solver->fallbacks < 20);
  hn_contact_solver_free(solver);
  free_problem(t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(side_by_side_as_one_by_one),
    cmocka_unit_test(any_processor_has_the_same_bits),
    cmocka_unit_test(a_contradiction_is_stalled),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
