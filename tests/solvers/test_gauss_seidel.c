/* test_gauss_seidel.c - convergence of impulse-gs compared with the theory of successive over-relaxation.
 *
 *     K = D - L - L',   S(w) = (D / w - L)^-1 ((1 / w - 1) D + L'),   error after a sweep = S(w) error before
 *
 * K is symmetric and positive definite if the constraints are independent; then the spectral radius of S(w)
 * is below 1 for 0 < w < 2 [ostrowski1954]. Let the joints be numbered such that K is block tridiagonal, and
 * rho the spectral radius of I - D^-1 K. Then S(1) has the radius rho^2, and the best w is 2 / (1 + sqrt(1 -
 * rho^2)), with radius w - 1 [young1954]. */
#include "loops.h"
#include "scenes.h"

#include <gsl/gsl_complex_math.h>
#include <gsl/gsl_eigen.h>
#include <stdlib.h>

/* ---- Matrices ------------------------------------------------------------------------------------------ */

typedef struct sor {
  int n;
  double *K, *S; /* [n * n] row by row */
} sor;

/* Assembles K of a model whose joints have one row each, at the start. */
static sor sor_of(const hn_model *model)
{
  hn_error error;
  hn_system *system = hn_system_create(model, &error);
  hn_state *state = hn_state_create(model);
  assert_true(system && state && model->nrow == model->njoint);
  sor s = { .n = model->nrow };
  s.K = calloc((size_t)(s.n * s.n), sizeof *s.K), s.S = calloc((size_t)(s.n * s.n), sizeof *s.S);
  assert_true(s.K && s.S);
  hn_system_jacobian(system, state);
  for (int i = 0; i < s.n; i++)
    for (int j = 0; j < s.n; j++)
      for (int side = 0; side < 4; side++) {
        int a = side & 1, b = side >> 1;
        const hn_joint *p = &model->joint[i], *q = &model->joint[j];
        if ((a ? p->b : p->a) != (b ? q->b : q->a)) continue;
        for (int c = 0; c < 6; c++)
          s.K[i * s.n + j] += system->G[12 * i + 6 * a + c] * system->T[12 * j + 6 * b + c];
      }
  hn_state_free(state);
  hn_system_free(system);
  return s;
}

static void sor_free(sor *s)
{
  free(s->K), free(s->S);
}

static double spectral_radius(double *A, int n)
{
  gsl_matrix_view view = gsl_matrix_view_array(A, (size_t)n, (size_t)n);
  gsl_vector_complex *value = gsl_vector_complex_alloc((size_t)n);
  gsl_eigen_nonsymm_workspace *work = gsl_eigen_nonsymm_alloc((size_t)n);
  double largest = 0.0;
  assert_int_equal(gsl_eigen_nonsymm(&view.matrix, value, work), 0);
  for (size_t i = 0; i < (size_t)n; i++)
    largest = larger(largest, gsl_complex_abs(gsl_vector_complex_get(value, i)));
  gsl_eigen_nonsymm_free(work);
  gsl_vector_complex_free(value);
  return largest;
}

/* Returns the spectral radius of a sweep in which row i is relaxed by w[i]; S is computed column by
 * column. */
static double radius_of_sweep(sor *s, const double *w)
{
  const int n = s->n;
  for (int k = 0; k < n; k++) {
    for (int i = 0; i < n; i++) s->S[i * n + k] = i == k;
    for (int i = 0; i < n; i++) {
      double sum = 0.0;
      for (int j = 0; j < n; j++) sum += s->K[i * n + j] * s->S[j * n + k];
      s->S[i * n + k] -= w[i] * sum / s->K[i * n + i];
    }
  }
  return spectral_radius(s->S, n);
}

static double radius(sor *s, double relaxation)
{
  double w[128];
  assert_true(s->n <= 128);
  for (int i = 0; i < s->n; i++) w[i] = relaxation;
  return radius_of_sweep(s, w);
}

/* Returns the spectral radius of Jacobi's iteration. */
static double jacobi_radius(sor *s)
{
  const int n = s->n;
  for (int i = 0; i < n * n; i++) s->S[i] = (i / n == i % n) - s->K[i] / s->K[i / n * (n + 1)];
  return spectral_radius(s->S, n);
}

static double best_relaxation(double rho)
{
  return 2.0 / (1.0 + sqrt(1.0 - rho * rho));
}

/* ---- Theory -------------------------------------------------------------------------------------------- */

/* Returns a chain of masses of 1 kg on rods of 0.1 m in a line from the origin; the last mass is `end` kg. */
static hn_model *light_chain(int n, double end)
{
  hn_model *model = new_model();
  for (int i = 1; i <= n; i++) {
    char name[16];
    snprintf(name, sizeof name, "p%d", i);
    add_rod(model, i - 1, add_particle(model, name, 0.1 * i, 0, 0));
  }
  model->body[n].mass = end, model->body[n].inv_mass = 1.0 / end;
  return model;
}

/* Returns particles at irregular positions, each on rods to the ground or to those before it, at most
 * three. */
static hn_model *irregular_truss(int n, double seed)
{
  hn_error error;
  hn_model *model = new_model();
  for (int i = 1; i <= n; i++) {
    char name[16];
    snprintf(name, sizeof name, "p%d", i);
    add_particle(model, name, sin(12.9 * i + seed), cos(7.3 * i * seed), sin(3.1 * i * i - seed));
    model->body[i].mass = pow(10.0, sin(5.7 * i * seed)), model->body[i].inv_mass = 1.0 / model->body[i].mass;
    for (int k = i; k-- > 0 && k >= i - 3;) {
      hn_joint_spec rod = { .type = "distance", .a = k, .b = i };
      if (hn_model_add_joint(model, &rod, &error) < 0) fail_msg("%s", error.text);
    }
  }
  return model;
}

/* Returns the square root of the smallest eigenvalue of D^-1/2 K D^-1/2, D = diag K. */
static double smallest_of(const sor *s)
{
  size_t n = (size_t)s->n;
  gsl_matrix *scaled = gsl_matrix_alloc(n, n);
  gsl_vector *values = gsl_vector_alloc(n);
  gsl_eigen_symm_workspace *work = gsl_eigen_symm_alloc(n);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++)
      gsl_matrix_set(scaled, i, j, s->K[i * n + j] / sqrt(s->K[i * n + i] * s->K[j * n + j]));
  gsl_eigen_symm(scaled, values, work);
  double smallest = gsl_vector_min(values);
  gsl_eigen_symm_free(work);
  gsl_vector_free(values);
  gsl_matrix_free(scaled);
  return smallest > 0.0 ? sqrt(smallest) : 0.0;
}

/* With D = 1 a sweep reduces x' K x of the error x of K p = b by (2/w - 1) |N^-1 K x|^2, N = 1/w - L. Hence 1
 * - radius^2 >= (2/w - 1) s^2 / |N|^2, with s as above. |L| is at most its Frobenius norm: n (n - 1) / 2
 * entries below 1. */
static void test_every_regular_system_converges(void **state)
{
  (void)state;
  static const double relaxation[] = { 0.1, 0.5, 1, 1.5, 1.9, 1.99 };
  double min_ratio = HUGE_VAL;
  int max_rows = 0;
  for (int trial = 0; trial < 60; trial++) {
    hn_model *model = irregular_truss(4 + trial % 8, 0.37 + 0.71 * trial);
    sor s = sor_of(model);
    double smallest = smallest_of(&s);
    assert_true(smallest > 0);
    for (size_t k = 0; k < sizeof relaxation / sizeof relaxation[0]; k++) {
      double w = relaxation[k], rho = radius(&s, w), norm = 1 / w + sqrt(0.5 * s.n * (s.n - 1));
      min_ratio = fmin(min_ratio,
                       (1 - rho * rho + 1e-12) / ((2 / w - 1) * smallest * smallest / (norm * norm)));
      assert_true(smallest < 1e-4 || rho < 1);
    }
    max_rows = s.n > max_rows ? s.n : max_rows;
    sor_free(&s);
    hn_model_free(model);
  }
  printf("  60 trusses of up to %d rods, masses 0.1 to 10 kg, relaxation 0.1 to 1.99:\n", max_rows);
  printf("  smallest 1 - radius^2 over its bound                       %.2f\n", min_ratio);
  assert_true(min_ratio >= 1.0);
}

/* Equation (2.7) of the source lacks a division by the length of the rod: it relaxes by |A|. */
static void test_velocity_correction_as_printed_diverges_on_long_rods(void **state)
{
  (void)state;
  hn_model *model = light_chain(4, 1);
  sor s = sor_of(model);
  double w[4], product = 1.0;
  printf("  %8s %12s %12s\n", "length", "radius", "|det|^(1/4)");
  for (double length = 0.5; length <= 3.0; length += 0.5) {
    for (int i = 0; i < 4; i++) w[i] = length;
    double measured = radius_of_sweep(&s, w);
    product = fabs(1 - length);
    printf("  %8.1f %12.6f %12.6f\n", length, measured, product);
    assert_true(measured >= product * (1 - 1e-3)); /* the determinant of S is the product of 1 - w[i] */
    assert_true(length < 2 ? measured < 1 : measured >= 1 - 1e-3);
  }
  sor_free(&s);
  hn_model_free(model);
}

/* Returns the best relaxation in steps of a thousandth around the formula. */
static double best_found(sor *s, double formula)
{
  double best = 0.0, smallest = 2.0;
  for (int k = -20; k <= 20; k++) {
    double w = fmin(formula + 0.001 * k, 1.9999), measured = radius(s, w);
    if (measured < smallest) smallest = measured, best = w;
  }
  return best;
}

static void check_young(const char *what, const hn_model *model)
{
  sor s = sor_of(model);
  double rho = jacobi_radius(&s), gs = radius(&s, 1), w = best_relaxation(rho);
  printf("  %s: Jacobi 1 - %.3e, Gauss-Seidel 1 - %.3e, best relaxation %.5f\n", what, 1 - rho, 1 - gs, w);
  check_near("Gauss-Seidel: square of Jacobi's", gs, rho * rho, 1e-10);
  check_near("best relaxation: formula against search", best_found(&s, w), w, 1e-3 + 1e-12);
  check_near("radius at the best relaxation", radius(&s, w), w - 1, 1e-5);
  check_near("radius halfway to 2", radius(&s, 0.5 * (w + 2)), 0.5 * (w + 2) - 1, 1e-6);
  printf("  sweeps for a factor of 10: %.0f, with over-relaxation %.0f\n", log(10) / -log(gs),
         log(10) / -log(w - 1));
  sor_free(&s);
}

static hn_model *narrow_vee(double angle)
{
  hn_error error;
  hn_model *model = new_model();
  int bob = add_particle(model, "bob", 0, -cos(angle / 2) * cos(1), cos(angle / 2) * sin(1));
  for (int side = -1; side <= 1; side += 2) {
    hn_joint_spec rod = {
      .type = "distance", .a = 0, .b = bob, .has_points = true, .at_a = { side * sin(angle / 2), 0, 0 }
    };
    vec_copy(rod.at_b, model->body[bob].pose0.x);
    if (hn_model_add_joint(model, &rod, &error) < 0) fail_msg("%s", error.text);
  }
  return model;
}

static void test_youngs_formula(void **state)
{
  (void)state;
  hn_model *model = narrow_vee(0.02);
  sor s = sor_of(model);
  check_near("vee: Jacobi's radius is the cosine of the angle", jacobi_radius(&s), cos(0.02), 1e-12);
  sor_free(&s);
  check_young("vee, 0.02 rad", model);
  hn_model_free(model);
  model = light_chain(20, 1);
  check_young("chain of 20", model);
  hn_model_free(model);
  model = light_chain(20, 1000);
  check_young("chain of 20, 1000 kg at its end", model);
  hn_model_free(model);
}

/* Three rods at one mass are mutually coupled, so that K is not block tridiagonal and the formula does not
 * apply: Jacobi's iteration diverges, and strong relaxation slows convergence. */
static void test_formula_does_not_hold_in_general(void **state)
{
  (void)state;
  static const double relaxation[] = { 0.5, 1, 1.25, 1.5, 1.6, 1.8, 1.9, 1.99 };
  enum { COUNT = sizeof relaxation / sizeof relaxation[0] };
  hn_setting points = { "points", "true" };
  bench b = set_up_with("point_masses", &points, "impulse-sle");
  sor s = sor_of(b.model);
  double rho = jacobi_radius(&s), measured[COUNT];
  printf("  radius of Jacobi's method %.4f; sweeps for a factor of 10 by relaxation:\n ", rho);
  for (int k = 0; k < COUNT; k++) {
    measured[k] = radius(&s, relaxation[k]);
    printf(" %g: %.0f ", relaxation[k], log(10) / -log(measured[k]));
    assert_true(measured[k] < 1);
  }
  printf("\n");
  assert_true(rho > 1);
  assert_true(measured[3] < measured[1] && measured[6] > measured[3] && measured[7] > measured[1]);
  sor_free(&s);
  tear_down(&b);
}

/* ---- The solver ---------------------------------------------------------------------------------------- */

typedef struct sweeps {
  double position, velocity; /* iterations of the two corrections */
} sweeps;

/* Returns the mean of ten steps of 0.01 s. */
static sweeps sweeps_of(const hn_model *model, double relaxation, double velocity_tolerance)
{
  char spec[128];
  snprintf(spec, sizeof spec, "impulse-gs:relaxation=%.17g,velocity_tolerance=%g", relaxation,
           velocity_tolerance);
  hn_solver *solver = new_solver(spec, model);
  hn_state *state = hn_state_create(model);
  hn_run_options options = { .step = 0.01, .duration = 0.1 };
  hn_summary summary;
  if (hn_run(solver, state, &options, &summary) != HN_CONVERGED) fail_msg("%s", summary.explanation);
  hn_state_free(state);
  hn_solver_free(solver);
  return (sweeps){ summary.position_iterations_mean, summary.velocity_iterations_mean };
}

/* The velocity correction is linear: the sweeps between two tolerances follow from the radius. Above the
 * best relaxation the eigenvalues are complex and residuals oscillate, so that the count varies by tens of
 * sweeps. */
static void test_sweeps_follow_from_the_radius(void **state)
{
  (void)state;
  static const double relaxation[] = { 0.5, 1, 1.5, 1.8, 1.9, 1.95, 1.96, 1.98, 1.99 };
  hn_model *model = narrow_vee(0.02);
  sor s = sor_of(model);
  const double best = best_relaxation(jacobi_radius(&s));
  printf("  %10s %10s %9s %9s %18s %10s\n", "relaxation", "radius", "position", "velocity",
         "from 1e-7 to 1e-10", "predicted");
  for (size_t k = 0; k < sizeof relaxation / sizeof relaxation[0]; k++) {
    double w = relaxation[k], rho = radius(&s, w), predicted = log(1e3) / -log(rho);
    sweeps usual = sweeps_of(model, w, 1e-9);
    double measured_sweeps = sweeps_of(model, w, 1e-10).velocity - sweeps_of(model, w, 1e-7).velocity;
    printf("  %10.4g %10.7f %9.0f %9.0f %18.1f %10.1f\n", w, rho, usual.position, usual.velocity,
           measured_sweeps, predicted);
    assert_true(fabs(measured_sweeps - predicted) <= (w > best ? 0.15 : 0.001) * predicted + 1);
    if (w <= 1) assert_true(usual.position > 10000 && usual.velocity > 10000);
    if (w >= 1.95) assert_true(usual.velocity < 2000);
  }
  sor_free(&s);
  hn_model_free(model);
}

/* The fewest sweeps occur near Young's formula, with fewer than a twentieth of those without relaxation. */
static void test_best_relaxation_is_best_for_the_solver(void **state)
{
  (void)state;
  for (int k = 0; k < 2; k++) {
    hn_model *model = k ? light_chain(20, 30) : narrow_vee(0.02);
    sor s = sor_of(model);
    double w = best_relaxation(jacobi_radius(&s)), best = 0.0;
    double fewest = 0, plain = sweeps_of(model, 1, 1e-9).velocity;
    for (double e = 0.25; e <= 4.0; e *= sqrt(sqrt(2.0))) {
      double trial = 2.0 - e * (2.0 - w);
      double count = trial < 1.99 ? sweeps_of(model, trial, 1e-9).velocity : 0;
      if (count > 0 && (fewest == 0 || count < fewest)) fewest = count, best = trial;
    }
    printf("  %s: formula %.4f; fewest sweeps %.0f at %.4f, without relaxation %.0f\n", k ? "chain" : "vee",
           w, fewest, best, plain);
    check_near("(2 - best found) / (2 - formula)", (2 - best) / (2 - w), 1.0, 0.45);
    assert_true(fewest < plain / 20);
    sor_free(&s);
    hn_model_free(model);
  }
}

static void test_one_system_needs_two_iterations(void **state)
{
  (void)state;
  hn_model *model = narrow_vee(0.02);
  hn_solver *solver = new_solver("impulse-sle:first_guess=zero", model);
  hn_state *s = hn_state_create(model);
  int max_iterations = 0;
  for (int i = 0; i < 100; i++) {
    assert_int_equal(hn_solver_step(solver, s, 0.01), HN_CONVERGED);
    max_iterations = solver->report.position_iterations > max_iterations ? solver->report.position_iterations
                                                                         : max_iterations;
  }
  ASSERT_COUNT("largest number of iterations of a step", max_iterations, 2);
  hn_state_free(s);
  hn_solver_free(solver);
  hn_model_free(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_every_regular_system_converges),
    cmocka_unit_test(test_velocity_correction_as_printed_diverges_on_long_rods),
    cmocka_unit_test(test_youngs_formula),
    cmocka_unit_test(test_formula_does_not_hold_in_general),
    cmocka_unit_test(test_sweeps_follow_from_the_radius),
    cmocka_unit_test(test_best_relaxation_is_best_for_the_solver),
    cmocka_unit_test(test_one_system_needs_two_iterations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
