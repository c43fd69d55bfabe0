/* test_ipm.c - contact solver ipm: second-order cones and the scaled matrix by their definitions, closed
 * forms, random problems against Newton's method, and iterations on columns of any height. */
#include "contact/ipm/lorentz.h"
#include "contact/matrix/scaled_matrix.h"
#include "against_newton.h"

/* ---- Cones ------------------------------------------------------------------------------------------- */

/* Stores a point of the interior of the cone in X[n], MARGIN from its boundary. */
static void random_interior(int n, double margin, double *x)
{
  double square = 0;
  for (int i = 1; i < n; i++) x[i] = random_in(-1, 1), square += x[i] * x[i];
  x[0] = sqrt(square) + margin;
}

/* W z = W^-1 x = u, (W^-2)^-1/2 = W, x o (y / x) = y, and a step ends where the determinant is 0. */
static void scalings_of_cones(void **state)
{
  (void)state;
  double apart = 0, quotients = 0, outside = 0;
  for (int round = 0; round < 300; round++) {
    const int n = 1 + round % 3;
    double x[3], z[3], y[3], one[3], two[3], d[3];
    hn_scaling scaling;
    random_interior(n, round % 2 ? 1 : 1e-3, x), random_interior(n, 0.3, z);
    hn_scaling_set(&scaling, n, x, z);
    hn_scaling_apply(&scaling, 0, z, one), hn_scaling_apply(&scaling, 1, x, two);
    for (int i = 0; i < n; i++) apart = larger(apart, fabs(one[i] - two[i]));
    for (int i = 0; i < n; i++) apart = larger(apart, fabs(one[i] - scaling.u[i])), y[i] = random_in(-1, 1);
    hn_scaling_apply(&scaling, 0, y, one), hn_scaling_apply_root(&scaling, 0, y, two);
    for (int i = 0; i < n; i++) apart = larger(apart, fabs(one[i] - two[i]));
    random_interior(n, 0.5, x);
    hn_jordan_quotient(n, x, y, one), hn_jordan_product(n, x, one, one);
    for (int i = 0; i < n; i++) quotients = larger(quotients, fabs(one[i] - y[i])), d[i] = random_in(-3, 1);
    const double t = hn_lorentz_step(n, x, d, 1e6);
    double square = 0, first = x[0] + t * d[0];
    for (int i = 1; i < n; i++) square += (x[i] + t * d[i]) * (x[i] + t * d[i]);
    if (t < 1e6) outside = larger(outside, fabs(first - sqrt(square)));
    else assert_true(first >= sqrt(square));
  }
  check_below("scaled pairs apart", apart, 1e-11);
  check_below("quotients off", quotients, 1e-12);
  check_below("ends of steps off the boundary", outside, 1e-11);
}

/* x = (K + (Q Q')^-1)^-1 y satisfies K x + (Q Q')^-1 x = y; by rows and by bodies. Q is triangular. */
static void the_scaled_matrix(void **state)
{
  (void)state;
  for (int way = 0; way < 3; way++) {
    double W[9 * MAX_BODIES], inv_mass[MAX_BODIES], Q[6 * MAX_ROWS] = { 0 }, x[MAX_ROWS], y[MAX_ROWS],
                                                          v[MAX_ROWS], work[6 * MAX_BODIES], worst = 0;
    trial_problem *t = random_problem(6, way == 1 ? 60 : 12, 10, 0.5);
    hn_contact_matrix sparse = { .pattern = 0 };
    if (way == 1) use_inertias(t, W, inv_mass);
    if (way == 2) use_matrix(t);
    for (int k = 0; k < t->p.nblock; k++)
      for (int r = 0; r < 3; r++)
        for (int c = 0; c <= r; c++) Q[18 * k + 3 * r + c] = r == c ? random_in(1, 3) : random_in(-1, 1);
    for (int i = 0; i < t->p.nrow; i++) x[i] = y[i] = random_in(-1, 1);
    assert_int_equal(hn_scaled_matrix_factor(&sparse, &t->p, Q), HN_CONVERGED);
    assert_int_equal(sparse.by_bodies, way == 1);
    double scratch[3][MAX_ROWS];
    hn_refinement refinement = { scratch[0], scratch[1], scratch[2], work };
    hn_scaled_matrix_solve(&sparse, &t->p, Q, &refinement, x);
    hn_problem_velocities(&t->p, x, work, v);
    for (int k = 0; k < t->p.nblock; k++) {
      const double *q = Q + 18 * k;
      double s[3]; /* Q^-1 x, then Q'^-1 of it */
      for (int r = 0; r < 3; r++) {
        s[r] = x[3 * k + r];
        for (int c = 0; c < r; c++) s[r] -= q[3 * r + c] * s[c];
        s[r] /= q[4 * r];
      }
      for (int r = 2; r >= 0; r--) {
        for (int c = r + 1; c < 3; c++) s[r] -= q[3 * c + r] * s[c];
        s[r] /= q[4 * r];
      }
      for (int r = 0; r < 3; r++)
        worst = larger(worst, fabs(v[3 * k + r] - t->b[3 * k + r] + s[r] - y[3 * k + r]));
    }
    check_below("residual of the scaled system", worst, 1e-12);
    hn_contact_matrix_free(&sparse);
    free_problem(t);
  }
}

/* ---- Solutions --------------------------------------------------------------------------------------- */

/* A block of 2 kg pulled along a floor, with the impulse 0.2 downwards: it sticks up to 0.06, then slides. */
static void a_block_on_a_floor(void **state)
{
  (void)state;
  const double pull[] = { 0.03, 0.059, 0.061, 0.5 };
  for (int n = 2; n <= 3; n++)
    for (int k = 0; k < 4; k++) {
      trial_problem *t = problem_of(2);
      double p[MAX_ROWS];
      set_body(t, 1, 2, 1, 1, 1);
      t->u[7] = -0.1, t->u[6] = pull[k] / 2;
      add_contact(t, 0, 1, origin, origin, upright, n, cone(0.3));
      iterations_of("ipm", 1e-11, t, p);
      check_near("normal, N s", p[0], 0.2, 1e-10);
      check_near("friction, N s", p[1], -fmin(pull[k], 0.06), 1e-10);
      free_problem(t);
    }
}

/* Random problems with joints, bounds, smooth contacts and friction, by bodies and with K given. */
static void random_problems_against_newton(void **state)
{
  (void)state;
  for (int round = 0; round < 12; round++) {
    double row[1][12] = { { 0 } }, p[MAX_ROWS];
    double W[9 * MAX_BODIES], inv_mass[MAX_BODIES];
    trial_problem *t = random_problem(5 + round, 4 + round, 100, 0.5);
    t->block[1].set.mu = 0;
    row[0][1] = -1, row[0][7] = 1;
    add_rows(t, 1, 2, 1, all, row), row[0][3] = 0.5;
    add_rows(t, 1, 3, 1, (hn_set){ .kind = HN_WITHIN, .lower = -0.1, .upper = 0.2 }, row);
    row[0][4] = 0.7,
    add_rows(t, 3, 2, 1, (hn_set){ .kind = HN_WITHIN, .lower = -0.3, .upper = HUGE_VAL }, row);
    row[0][5] = 0.2, add_rows(t, 4, 2, 1, push, row);
    if (round % 2) use_inertias(t, W, inv_mass);
    check_against_newton("ipm", t, p);
    free_problem(t);
  }
}

/* Returns a column of N boxes on four corners each, which its ground decelerates and a wind pushes. */
static trial_problem *column(int n)
{
  trial_problem *t = problem_of(n + 1);
  for (int i = 1; i <= n; i++) {
    t->u[6 * i + 1] = -0.1, t->u[6 * i] = 0.001;
    for (int k = 0; k < 4; k++) {
      const double x = k & 1 ? 0.5 : -0.5, z = k & 2 ? 0.5 : -0.5;
      const double above[3] = { x, i == 1 ? 0 : 0.5, z }, below[3] = { x, -0.5, z };
      add_contact(t, i - 1, i, above, below, upright, 3, cone(0.3));
    }
  }
  return t;
}

/* Impulses of the lowest box grow as the height; iterations do not. */
static void iterations_do_not_follow_the_size(void **state)
{
  (void)state;
  double x[6], y[6], mean_x = 0, mean_y = 0, xx = 0, xy = 0;
  for (int k = 0; k < 6; k++) {
    const int n = (int)(2 * pow(2, k) + 0.5);
    trial_problem *t = column(n);
    double p[MAX_ROWS], carried = 0;
    const int count = iterations_of("ipm", 1e-9, t, p);
    for (int i = 0; i < 4; i++) carried += p[3 * i];
    printf(" %d boxes: %d iterations\n", n, count);
    check_near("carried by the ground, of the weight", carried / (0.1 * n), 1, 1e-6);
    x[k] = log(n), y[k] = log(count), mean_x += x[k] / 6, mean_y += y[k] / 6;
    free_problem(t);
  }
  for (int k = 0; k < 6; k++)
    xx += (x[k] - mean_x) * (x[k] - mean_x), xy += (x[k] - mean_x) * (y[k] - mean_y);
  check_below("exponent of the iterations over the size", xy / xx, 0.25);
}

/* Random heaps that no solution satisfies to rounding, or none at all, end with the best impulses found. */
static void contradictions_stall(void **state)
{
  (void)state;
  double p[MAX_ROWS] = { 0 }, left[1][12] = { { 0 } }, right[1][12] = { { 0 } };
  trial_problem *t = problem_of(2);
  left[0][6] = 1, right[0][6] = -1;
  add_rows(t, 0, 1, 1, push, left), add_rows(t, 0, 1, 1, push, right);
  t->b[0] = t->b[1] = -1;
  assert_int_equal(solved("ipm", 1e-10, 100000, t, p), HN_STALLED);
  check_near("the contradiction is left, m/s", error_of(t, false, p), 1, 1e-3);
  free_problem(t);
}

/* The multipliers of a contact that nothing moves decrease to 0 in a step of length 1: they must not end
 * there. The starting impulse of this contact is outside of its cone. */
static void contacts_that_nothing_moves(void **state)
{
  (void)state;
  trial_problem *t = problem_of(3);
  double p[MAX_ROWS] = { 1, 2, -3 };
  set_body(t, 1, HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL);
  t->u[13] = -1;
  add_contact(t, 0, 1, origin, origin, upright, 3, cone(0.5));
  add_contact(t, 1, 2, origin, origin, upright, 3, cone(0.5));
  assert_int_equal(solved("ipm", 1e-10, 100, t, p), HN_CONVERGED);
  check_near("impulse of the other contact, N s", p[3], 1, 1e-9);
  free_problem(t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(scalings_of_cones),
    cmocka_unit_test(the_scaled_matrix),
    cmocka_unit_test(a_block_on_a_floor),
    cmocka_unit_test(random_problems_against_newton),
    cmocka_unit_test(iterations_do_not_follow_the_size),
    cmocka_unit_test(contradictions_stall),
    cmocka_unit_test(contacts_that_nothing_moves),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
