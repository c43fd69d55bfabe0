/* test_stiff_forces.c - parameter `newton` of the implicit solvers on the group: forces that are stiff
 * against the step. Compared with a published motion, with the recurrence of the method for one mass on a
 * spring, and with the matrix that omits the forces where that one converges. */
#include "generalised_alpha/alpha_scheme.h"
#include "force_models.h"
#include "scenes.h"

enum { SIZES = 4 };

static const char *const steep[] = { "generalised-alpha",
                                     "generalised-alpha:newton=full",
                                     "generalised-alpha:scheme=hht",
                                     "generalised-alpha:scheme=wbz,newton=full",
                                     "generalised-alpha:formulation=ggl",
                                     "generalised-alpha:formulation=ggl,newton=full" };
enum { STEEP = sizeof steep / sizeof *steep };

/* Largest distance of a body from its position in the reference of the scene, m. */
static double error_of(const bench *b)
{
  hn_error error;
  bool has[8];
  double at[24], largest = 0.0, d[3];
  assert_true(b->model->nbody <= 8);
  assert_int_equal(hn_scene_reference(b->scene, b->state->time, has, at, &error), 1);
  for (int i = 1; i < b->model->nbody; i++) {
    if (!has[i]) continue;
    vec_sub(d, b->state->pose[i].x, at + 3 * i);
    largest = larger(largest, vec_norm(d));
  }
  return largest;
}

/* The couplers of the fly-ball governor have a time constant of 0.1 ms. Steps of 0.25 ms to 1.25 ms have the
 * order 2 against the published motion at 0.1 s. */
static void order_with_steps_of_many_time_constants(void **state)
{
  (void)state;
  static const double h[SIZES] = { 0.00125, 0.001, 0.0005, 0.00025 };
  for (int k = 0; k < STEEP; k++) {
    double error[SIZES];
    char text[120];
    for (int i = 0; i < SIZES; i++) {
      bench b = set_up("flyball", steep[k]);
      must_converge(&b, h[i], 0.1, NULL, NULL);
      error[i] = error_of(&b);
      tear_down(&b);
    }
    snprintf(text, sizeof text, "%s: %.1e to %.1e m, order", steep[k], error[0], error[SIZES - 1]);
    check_near(text, hn_fit_order(h, error, SIZES), 2.0, 0.1);
  }
}

static void without_the_forces_it_stalls(void **state)
{
  (void)state;
  bench b = set_up("flyball", "generalised-alpha:newton=simplified");
  const hn_reason reason = run(&b, 0.005, 0.1, NULL, NULL);
  printf("  %s\n", b.summary.explanation);
  assert_int_equal(reason, HN_STALLED);
  tear_down(&b);
}

/* ---- One mass on a spring along a slider --------------------------------------------------------------- */

static const double DAMPING = 0.1; /* of the critical */

enum { STEPS = 12 };

/* Computes the coordinate x and its rate v of a sledge after each of STEPS steps of size 1 s, from x = 1 m at
 * rest, with x'' + 2 DAMPING omega x' + omega^2 x = 0. */
static void slide(const char *spec, double omega, double *x, double *v)
{
  hn_model *model = without_gravity();
  const int body = add_body(model, "sledge", MASS, none, none, 0.0);
  add_joint(model, "slider", 0, body, (const double[3]){ 0.6, 0, 0.8 });
  add_force(model, "axial_spring", 0, body,
            settings_of("stiffness=%.17g,damping=%.17g,rest=%.17g", MASS * omega * omega,
                        2.0 * MASS * DAMPING * omega, -1.0),
            (hn_force_spec){ .geometry = { .axis_a = { 0.6, 0, 0.8 } } });
  hn_solver *solver = new_solver(spec, model);
  hn_state *state = hn_state_create(model);
  for (int n = 0; n < STEPS; n++) {
    assert_int_equal(hn_solver_step(solver, state, 1.0), HN_CONVERGED);
    x[n] = 0.6 * state->pose[1].x[0] + 0.8 * state->pose[1].x[2] + 1.0;
    v[n] = 0.6 * state->twist[1].v[0] + 0.8 * state->twist[1].v[2];
  }
  hn_state_free(state);
  hn_solver_free(solver);
  hn_model_free(model);
}

/* Applies one step of generalised-alpha to (x, v, a) with h = 1: its equations for one coordinate. */
static void alpha_step(const hn_alpha_scheme *c, double omega, const double from[3], double to[3])
{
  const double k = omega * omega, d = 2.0 * DAMPING * omega, x0 = from[0], v0 = from[1], a0 = from[2];
  const double x = x0 + v0 + (0.5 - c->beta) * a0, v = v0 + (1.0 - c->gamma) * a0;
  const double rate0 = -k * x0 - d * v0, f = 1.0 - c->alpha_f, m = 1.0 - c->alpha_m;
  const double a = (f * (-k * x - d * v) + c->alpha_f * rate0 - c->alpha_m * a0) /
                   (m + f * (k * c->beta + d * c->gamma));
  to[0] = x + c->beta * a, to[1] = v + c->gamma * a, to[2] = a;
}

/* By Cayley and Hamilton, four successive x satisfy x3 = t x2 - s x1 + d x0 with the invariants of the step's
 * matrix: the recurrence needs neither a nor the start of the method. */
static void check_alpha_recurrence(const char *settings, int kind, double rho, double omega)
{
  hn_alpha_scheme c = { .kind = kind, .rho_inf = rho };
  hn_error error;
  char spec[100], text[160];
  double A[3][3], x[STEPS], v[STEPS], defect = 0.0, scale = 0.0;
  assert_int_equal(hn_alpha_scheme_setup(&c, false, &error), 0);
  for (int j = 0; j < 3; j++) {
    double column[3];
    alpha_step(&c, omega, (const double[3]){ j == 0, j == 1, j == 2 }, column);
    for (int i = 0; i < 3; i++) A[i][j] = column[i];
  }
  const double t = A[0][0] + A[1][1] + A[2][2];
  double s = 0.0, d = 0.0;
  for (int i = 0, j = 1, k = 2; i < 3; i++, j = (j + 1) % 3, k = (k + 1) % 3) {
    s += A[i][i] * A[j][j] - A[i][j] * A[j][i];
    d += A[0][i] * (A[1][j] * A[2][k] - A[1][k] * A[2][j]);
  }
  snprintf(spec, sizeof spec, "generalised-alpha:rho_inf=%g,%s", rho, settings);
  slide(spec, omega, x, v);
  for (int n = 0; n + 3 < STEPS; n++) {
    defect = larger(defect, fabs(x[n + 3] - t * x[n + 2] + s * x[n + 1] - d * x[n]));
    scale = larger(scale, fabs(x[n]));
  }
  snprintf(text, sizeof text, "%s, omega h = %g: defect, of %.2g m", spec, omega, scale);
  check_below(text, defect / scale, 1e-9);
}

static void a_stiff_spring_follows_the_recurrence(void **state)
{
  (void)state;
  static const double omega[] = { 3.0, 100.0 };
  for (int i = 0; i < 2; i++) {
    check_alpha_recurrence("newton=auto", HN_CHUNG_HULBERT, 0.5, omega[i]);
    check_alpha_recurrence("newton=full", HN_CHUNG_HULBERT, 0.9, omega[i]);
    check_alpha_recurrence("scheme=hht", HN_HHT, 0.6, omega[i]);
    check_alpha_recurrence("scheme=wbz,newton=full", HN_WBZ, 0.2, omega[i]);
  }
}

/* Both formulas of blie, of 2 steps: those of the BDF for one coordinate. */
static void a_stiff_spring_follows_the_bdf(void **state)
{
  (void)state;
  static const char *const specs[] = { "blie", "blie:newton=full", "blie:correction=false" };
  const double omega = 4.0;
  for (int k = 0; k < 3; k++) {
    double x[STEPS], v[STEPS], first = 0.0, second = 0.0, scale = 0.0;
    slide(specs[k], omega, x, v);
    for (int n = 0; n < STEPS; n++) scale = larger(scale, fabs(x[n]));
    for (int n = 4; n < STEPS; n++) {
      const double rate = -omega * omega * x[n] - 2.0 * DAMPING * omega * v[n];
      first = larger(first, fabs(1.5 * x[n] - 2.0 * x[n - 1] + 0.5 * x[n - 2] - v[n]));
      second = larger(second, fabs(1.5 * v[n] - 2.0 * v[n - 1] + 0.5 * v[n - 2] - rate));
    }
    printf(" %s, x up to %.2g m\n", specs[k], scale);
    check_below("defect of the formula for x", first / scale, 1e-9);
    check_below("defect of the formula for v", second / scale, 1e-9);
  }
}

/* ---- Joint forces -------------------------------------------------------------------------------------- */

/* With redundant joints the full matrix determines the sum of their effects alone; the policy chooses. */
static void joint_forces_are_those_of_the_policy(void **state)
{
  (void)state;
  static const char *const policies[] = { "min-norm", "remove", "loop-split" };
  for (int k = 0; k < 3; k++) {
    double largest = 0.0, difference = 0.0;
    bench b[2];
    for (int i = 0; i < 2; i++) {
      char spec[100];
      snprintf(spec, sizeof spec, "generalised-alpha:redundancy=%s,newton=%s", policies[k],
               i == 0 ? "simplified" : "full");
      b[i] = set_up("slider_crank", spec);
      must_converge(&b[i], 0.001, 0.1, NULL, NULL);
    }
    for (int r = 0; r < b[0].model->nrow; r++) {
      largest = larger(largest, fabs(b[0].solver->multipliers[r]));
      difference = larger(difference, fabs(b[1].solver->multipliers[r] - b[0].solver->multipliers[r]));
    }
    printf(" %s, forces up to %.3g N\n", policies[k], largest);
    check_below("difference of the joint forces", difference / largest, 1e-8);
    for (int i = 0; i < 2; i++) tear_down(&b[i]);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(order_with_steps_of_many_time_constants),
    cmocka_unit_test(without_the_forces_it_stalls),
    cmocka_unit_test(a_stiff_spring_follows_the_recurrence),
    cmocka_unit_test(a_stiff_spring_follows_the_bdf),
    cmocka_unit_test(joint_forces_are_those_of_the_policy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
