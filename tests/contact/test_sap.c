/* test_sap.c - contact solver sap: the impulse of one block and its derivative, a closed form, convergence to
 * the relaxed law as the regularisation goes to 0, and random problems by the residual of its law. */
#include "contact/sap/sap_block.h"
#include "against_newton.h"

/* ---- One block --------------------------------------------------------------------------------------- */

/* g minimises 1/2 g' R g + v . g over the cone, so that w = v + R g is in the dual cone and w . g = 0. Q Q'
 * is minus the derivative of g, here by central differences. */
static void impulses_of_one_block(void **state)
{
  (void)state;
  double law = 0, derivative = 0;
  int sliding = 0, sticking = 0;
  for (int round = 0; round < 400; round++) {
    const int n = 2 + round % 2;
    const hn_set set = cone(random_in(0.05, 1.5));
    const hn_sap_rates R = { random_in(0.01, 1), random_in(0.01, 1) };
    double v[3], g[3], Q[9], unused[9], low[3], high[3], w[3], size_g = 0, size_w = 0, product = 0;
    for (int i = 0; i < n; i++) v[i] = random_in(-1, i == 0 ? 0.3 : 1);
    hn_sap_block(&set, n, 1, R, v, g, Q);
    for (int i = 0; i < n; i++) {
      w[i] = v[i] + (i == 0 ? R.normal : R.tangent) * g[i], product += w[i] * g[i];
      if (i > 0) size_g += g[i] * g[i], size_w += w[i] * w[i];
    }
    size_g = sqrt(size_g), size_w = sqrt(size_w);
    law = larger(law, fmax(size_g - set.mu * g[0], set.mu * size_w - w[0]));
    law = larger(law, fabs(product));
    sliding += g[0] > 0 && size_w > 1e-9, sticking += g[0] > 0 && size_w <= 1e-9;
    if (fabs(size_g - set.mu * g[0]) < 1e-4 && size_w < 1e-2) continue; /* near the kink */
    for (int c = 0; c < n; c++) {
      const double step = 1e-6, kept = v[c];
      v[c] = kept - step, hn_sap_block(&set, n, 1, R, v, low, unused);
      v[c] = kept + step, hn_sap_block(&set, n, 1, R, v, high, unused), v[c] = kept;
      for (int r = 0; r < n; r++) {
        double sum = (high[r] - low[r]) / (2 * step);
        for (int k = 0; k < n; k++) sum += Q[r * n + k] * Q[c * n + k];
        derivative = larger(derivative, fabs(sum) * R.normal * R.tangent);
      }
    }
  }
  printf("  %d slide, %d stick\n", sliding, sticking);
  assert_true(sliding > 100 && sticking > 20);
  check_below("law of the block, m/s and N s", law, 1e-12);
  check_below("derivative off", derivative, 1e-7);
}

/* A mass of 1 with velocities 3 along and -2 down, friction 1/2, K = 1. The impulse p_n (1, -mu) satisfies
 * p_n ((1 + R_n) + mu^2 (1 + R_t)) = 2 + 3 mu. */
static void a_slide_has_its_closed_form(void **state)
{
  (void)state;
  for (int n = 2; n <= 3; n++)
    for (int matrix = 0; matrix < 2; matrix++) {
      trial_problem *t = problem_of(2);
      double p[MAX_ROWS];
      t->u[6] = 3, t->u[7] = -2;
      add_contact(t, 0, 1, origin, origin, upright, n, cone(0.5));
      if (matrix) use_matrix(t);
      iterations_of("sap:beta=2:sigma=0.05", 1e-13, t, p);
      const double pi = acos(-1), normal = 1 / (pi * pi);
      check_near("p_n, N s", p[0], 3.5 / (1 + normal + 0.25 * 1.05), 1e-12);
      check_near("p_t, N s", p[1], -0.5 * p[0], 1e-12);
      free_problem(t);
    }
}

/* ---- Problems ---------------------------------------------------------------------------------------- */

/* Returns the largest error of v + R p in the place of v, from the rows of T. */
static double regularised_error(const trial_problem *t, double normal, double tangent, double joint,
                                const double *p)
{
  double v[MAX_ROWS], work[6 * MAX_BODIES];
  hn_problem_velocities(&t->p, p, work, v);
  for (int k = 0; k < t->p.nblock; k++) {
    const hn_problem_block *block = &t->block[k];
    const bool contact = block->set.kind == HN_CONE || block->set.kind == HN_PUSH;
    for (int r = 0; r < block->n; r++)
      v[block->row + r] += hn_problem_scale(&t->p, k) * p[block->row + r] *
                           (!contact ? joint
                            : r == 0 ? normal
                                     : tangent);
  }
  return hn_problem_error(&t->p, true, p, v, NULL);
}

/* Returns a random problem with joints, bounds, smooth contacts and friction. */
static trial_problem *mixed_problem(int round)
{
  double row[1][12] = { { 0 } };
  trial_problem *t = random_problem(5 + round, 6 + 2 * round, round % 3 ? 10 : 1000, 1);
  t->block[1].set.mu = 0;
  row[0][1] = -1, row[0][7] = 1;
  add_rows(t, 1, 2, 1, all, row), row[0][3] = 0.5;
  add_rows(t, 1, 3, 1, (hn_set){ .kind = HN_WITHIN, .lower = -0.1, .upper = 0.2 }, row);
  row[0][5] = 0.2, add_rows(t, 4, 2, 1, push, row);
  return t;
}

/* By bodies and with K given, with friction up to 1. */
static void random_problems_meet_the_law(void **state)
{
  (void)state;
  const double normal = pow(1 / (2 * acos(-1)), 2);
  for (int round = 0; round < 12; round++) {
    double W[9 * MAX_BODIES], inv_mass[MAX_BODIES], p[MAX_ROWS], q[MAX_ROWS], apart = 0;
    trial_problem *t = mixed_problem(round);
    if (round % 2) use_inertias(t, W, inv_mass);
    const int count = iterations_of("sap", 1e-11, t, p);
    printf(" %d iterations\n", count);
    assert_true(count <= 40);
    check_below("law, m/s", regularised_error(t, normal, 1e-3, 1e-6, p), 1e-11);
    use_matrix(t);
    iterations_of("sap", 1e-11, t, q);
    for (int i = 0; i < t->p.nrow; i++) apart = larger(apart, fabs(p[i] - q[i]));
    check_below("with K given: impulses apart, N s", apart, 1e-7);
    free_problem(t);
  }
}

/* With R = e k everywhere the motion differs from that of the relaxed law, which apgd finds, by an amount
 * proportional to e. */
static void the_regularisation_vanishes_with_order_1(void **state)
{
  (void)state;
  enum { STEPS = 6 };
  for (int round = 0; round < 4; round++) {
    double x[STEPS], y[STEPS], mean_x = 0, mean_y = 0, xx = 0, xy = 0, p[MAX_ROWS], q[MAX_ROWS],
                               u[6 * MAX_BODIES], w[6 * MAX_BODIES];
    trial_problem *t = random_problem(6 + round, 5 + round, 10, 0.6);
    iterations_of("apgd", 1e-12, t, q), motion_of(t, q, w);
    for (int k = 0; k < STEPS; k++) {
      const double e = 1e-3 * pow(0.5, k);
      char spec[96];
      double apart = 0;
      snprintf(spec, sizeof spec, "sap:beta=%.17g:sigma=%.17g", 2 * acos(-1) * sqrt(e), e);
      iterations_of(spec, 1e-12, t, p), motion_of(t, p, u);
      for (int i = 0; i < 6 * t->p.nbody; i++) apart = larger(apart, fabs(u[i] - w[i]));
      x[k] = log(e), y[k] = log(apart), mean_x += x[k] / STEPS, mean_y += y[k] / STEPS;
      printf("  e = %.3e: motion apart from the relaxed law's %.3e\n", e, apart);
    }
    for (int k = 0; k < STEPS; k++)
      xx += (x[k] - mean_x) * (x[k] - mean_x), xy += (x[k] - mean_x) * (y[k] - mean_y);
    check_near("order", xy / xx, 1, 0.2);
    free_problem(t);
  }
}

/* The law is stated, and the residual of a solver is that of its law. */
static void the_law_is_stated(void **state)
{
  (void)state;
  trial_problem *t = random_problem(6, 10, 10, 0.6);
  double p[MAX_ROWS] = { 0 }, v[MAX_ROWS], work[6 * MAX_BODIES];
  char text[128];
  hn_contact_solver *solver = solver_of("sap:beta=1:sigma=0.01", 1e-11, 1000);
  assert_int_equal(hn_contact_solve(solver, &t->p, p), HN_CONVERGED);
  assert_false(hn_contact_solver_law(solver, false, text, sizeof text));
  printf("  %s\n", text);
  assert_non_null(strstr(text, "relaxed, regularised by 0.025 k (normal), 0.01 k (tangents)"));
  const hn_contact_law law = hn_contact_solver_law_of(solver, false);
  hn_problem_velocities(&t->p, p, work, v);
  check_below("residual of its law, m/s", hn_contact_law_error(&law, &t->p, p, v, NULL), 1e-11);
  check_below("1e-3 over that of the relaxed law", 1e-3 / error_of(t, true, p), 1);
  hn_contact_solver_free(solver);
  free_problem(t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(impulses_of_one_block),
    cmocka_unit_test(a_slide_has_its_closed_form),
    cmocka_unit_test(random_problems_meet_the_law),
    cmocka_unit_test(the_regularisation_vanishes_with_order_1),
    cmocka_unit_test(the_law_is_stated),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
