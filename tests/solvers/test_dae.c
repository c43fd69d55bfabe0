/* test_dae.c - the standard DAE solvers: half-explicit Runge-Kutta, generalised-alpha, and IDA. Compared with
 * published values, closed forms, and the finest steps of solver lagrange. */
#include "multiplier/lie_group.h"
#include "scenes.h"
#include "base/vec.h"

#include <stdlib.h>

/* An independent formulation. */
static const char *const finest = "lagrange:stepper=rk8pd,stabilisation=projection";

static double distance(const double *a, const double *b, int n)
{
  double sum = 0;
  for (int i = 0; i < n; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sqrt(sum);
}

/* ---- Order, against reference values (integrated at 40 to 70 digits; doc/references.md) ---------------- */

typedef struct known {
  const char *scene;
  double x[2][3]; /* of bodies 1 and 2 at t = 1 */
  int bodies, rows;
  double force[6]; /* multipliers at t = 1; none if rows is 0 */
} known;

static const known double_pendulum_1 = { "double_pendulum",
                                         { { -0.5851683919988750689, -0.8109118034690646209, 0 },
                                           { -1.4448188499434757965, -1.3217944613814645558, 0 } },
                                         2,
                                         2,
                                         { -41.636078872589814659, -19.945859696509005937 } };
static const known box_pendulum_1 = {
  "box_pendulum",
  { { -0.46679857653620394607, -0.17916210723932289063, -1.6814677847356599405e-4 },
    { -1.29916359700828098771, -0.69944174812535403196, -3.9379892206472479055e-4 } },
  2,
  6,
  { 190.8071332360053363, 91.79210143793154746, 0.07551216964786314015, 105.0748740126615708,
    52.72178093898027978, 0.02418504667487130733 }
};
static const known heavy_top_1 = {
  "heavy_top", { { 0.17334396409838604259, 0.64008859207056878286, -0.74849079113358130948 } }, 1, 0, { 0 }
};

/* Computes the errors of positions and multipliers at t = 1. */
static void errors_at_1(const known *k, const char *spec, double h, double *position, double *force)
{
  bench b = set_up(k->scene, spec);
  must_converge(&b, h, 1, NULL, NULL);
  *position = 0;
  for (int i = 0; i < k->bodies; i++)
    *position = larger(*position, distance(b.state->pose[i + 1].x, k->x[i], 3));
  *force = k->rows ? distance(b.solver->multipliers, k->force, k->rows) : NAN;
  tear_down(&b);
}

enum { SIZES = 6 };

/* Fits orders over step sizes FIRST, FIRST / RATIO, ... */
static void check_order_from(const known *k, const char *spec, double order, double first, double ratio)
{
  double h[SIZES], position[SIZES], force[SIZES];
  for (int i = 0; i < SIZES; i++) {
    h[i] = i == 0 ? first : h[i - 1] / ratio;
    errors_at_1(k, spec, h[i], &position[i], &force[i]);
  }
  printf(" %s, %s: errors %.2e to %.2e m\n", k->scene, spec, position[0], position[SIZES - 1]);
  check_near("order of positions", hn_fit_order(h, position, SIZES), order, 0.2);
  if (k->rows) check_near("order of multipliers", hn_fit_order(h, force, SIZES), order, 0.2);
}

static void check_order(const known *k, const char *spec, double order, double first)
{
  check_order_from(k, spec, order, first, 2);
}

static void half_explicit_shows_order_4(void **state)
{
  (void)state;
  static const char *const specs[] = { "half-explicit", "half-explicit:stabilisation=projection",
                                       "half-explicit:linear=dense" };
  for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
    check_order(&double_pendulum_1, specs[i], 4, 0.02);
    check_order(&box_pendulum_1, specs[i], 4, 0.02);
    check_order(&heavy_top_1, specs[i], 4, 0.002);
  }
}

/* Six halvings would reach round-off. */
static void hem5_shows_order_5(void **state)
{
  (void)state;
  static const char *const specs[] = { "hem5", "hem5:stabilisation=projection", "hem5:linear=dense" };
  for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
    check_order_from(&double_pendulum_1, specs[i], 5, 0.02, 1.5);
    check_order_from(&box_pendulum_1, specs[i], 5, 0.02, 1.5);
  }
  check_order_from(&heavy_top_1, "hem5", 5, 0.002, 1.5);
}

static void generalised_alpha_shows_order_2(void **state)
{
  (void)state;
  static const char *const specs[] = { "generalised-alpha", "generalised-alpha:rho_inf=0",
                                       "generalised-alpha:rho_inf=0.5" };
  for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
    check_order(&double_pendulum_1, specs[i], 2, 0.01);
    check_order(&box_pendulum_1, specs[i], 2, 0.01);
    check_order(&heavy_top_1, specs[i], 2, 0.001);
  }
}

static void other_schemes_show_their_orders(void **state)
{
  (void)state;
  static const struct {
    const char *spec;
    double order;
  } schemes[] = {
    { "generalised-alpha:scheme=hht", 2 },
    { "generalised-alpha:scheme=wbz", 2 },
    { "generalised-alpha:scheme=newmark", 1 },
    { "generalised-alpha:formulation=ggl", 2 },
    { "generalised-alpha:formulation=ggl,scheme=hht,rho_inf=0.6", 2 },
    { "generalised-alpha:formulation=ggl,scheme=newmark,gamma=0.5", 2 },
  };
  for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
    check_order(&double_pendulum_1, schemes[i].spec, schemes[i].order, 0.01);
    check_order(&box_pendulum_1, schemes[i].spec, schemes[i].order, 0.01);
    check_order(&heavy_top_1, schemes[i].spec, schemes[i].order, 0.001);
  }
}

/* ---- Half-explicit ------------------------------------------------------------------------------------- */

static void half_explicit_satisfies_velocity_constraints(void **state)
{
  (void)state;
  static const char *const scenes[] = { "chain8", "tree", "box_pendulum" };
  for (size_t i = 0; i < 3; i++) {
    double drift[2];
    printf(" %s\n", scenes[i]);
    for (int k = 0; k < 2; k++) {
      bench b = set_up(scenes[i], "half-explicit:velocity_tolerance=1e-11");
      must_converge(&b, 0.01 / (k + 1), 1, NULL, NULL);
      check_below("largest joint velocity error of any step, m/s", b.summary.velocity_max, 1.01e-11);
      drift[k] = b.summary.position_max;
      assert_true(drift[k] > 0);
      tear_down(&b);
    }
    check_below("drift of positions with half the step, relative", drift[1] / drift[0], 1.0 / 12);
    bench b = set_up(scenes[i], "half-explicit:stabilisation=projection");
    must_converge(&b, 0.01, 1, NULL, NULL);
    check_below("with projection, m", b.summary.position_max, 1e-12);
    tear_down(&b);
  }
}

static void work_is_counted_exactly(void **state)
{
  (void)state;
  static const struct {
    const char *spec;
    uint64_t first, each;
  } expected[] = { { "half-explicit", 0, 5 }, { "generalised-alpha", 2, 1 } };
  for (size_t i = 0; i < 2; i++) {
    bench b = set_up("box_pendulum", expected[i].spec);
    must_converge(&b, 0.01, 1, NULL, NULL);
    printf("  %-20s factorisations in 100 steps: %llu\n", expected[i].spec,
           (unsigned long long)b.summary.work.factorisations);
    assert_true(b.summary.work.factorisations == expected[i].first + 100 * expected[i].each);
    tear_down(&b);
  }
}

/* Two joints and two bodies. Initial velocities and forces take two evaluations, and one more product with
 * G. */
static void small_work_is_counted_exactly(void **state)
{
  (void)state;
  bench b = set_up("box_pendulum", "generalised-alpha");
  must_converge(&b, 0.01, 1, NULL, NULL);
  const hn_work *w = &b.summary.work;
  uint64_t iterations = (uint64_t)llround(100 * b.summary.position_iterations_mean);
  ASSERT_COUNT("generalised-alpha: moves, counted as flights", w->flights, 2 * (iterations + 100 + 2));
  ASSERT_COUNT("accelerations", w->accelerations, 2 * (iterations + 2));
  ASSERT_COUNT("velocity residuals", w->velocity_residuals, 2 * (iterations + 3));
  tear_down(&b);
  b = set_up("box_pendulum", "half-explicit");
  must_converge(&b, 0.01, 1, NULL, NULL);
  iterations = (uint64_t)llround(100 * b.summary.velocity_iterations_mean);
  ASSERT_COUNT("half-explicit: accelerations", w->accelerations, 2 * 600);
  ASSERT_COUNT("velocity residuals", w->velocity_residuals, 2 * (iterations + 600));
  tear_down(&b);
  b = set_up("box_pendulum",
             "ida"); /* lambda and mu act in every residual and solution, lambda at the start */
  must_converge(&b, 0.01, 1, NULL, NULL);
  ASSERT_COUNT("ida: impulses", w->impulses, 2 * (1 + 2 * (w->residuals / 2 - 1) + (w->solves - 1)));
  tear_down(&b);
}

/* ---- Generalised-alpha --------------------------------------------------------------------------------- */

/* Composes q with the rotation by the vector `angle`, using sine and cosine of the C library. */
static void compose_rotation(const double q[4], const double angle[3], double out[4])
{
  double size = vec_norm(angle), by[4] = { cos(0.5 * size) };
  vec_scale(by + 1, sin(0.5 * size) / size, angle);
  quat_mul(out, q, by);
}

/* Rotations up to 1 rad use power series, larger ones sine and cosine. */
static void group_moves_follow_the_exponential(void **state)
{
  (void)state;
  static const double sizes[] = { 1e-9, 1e-4, 0.01, 0.3, 1 - 1e-12, 1 + 1e-12, 2, 3.1, 6 };
  hn_error error;
  hn_model *model = box_chain(1);
  hn_system *system = hn_system_create(model, &error);
  hn_state *from = hn_state_create(model), *to = hn_state_create(model);
  double worst = 0;
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    hn_twist D[2] = { 0 }, u[2] = { 0 };
    double q[4], w[3], u_w[3] = { 0.3, -1.5, 0.7 }, axis[3] = { 2.0 / 7, -6.0 / 7, 3.0 / 7 };
    vec_set(D[1].v, 1, 2, 3), vec_set(u[1].v, 4, 5, 6), vec_copy(u[1].w, u_w);
    vec_scale(D[1].w, sizes[k], axis);
    compose_rotation(from->pose[1].q, D[1].w, q);
    quat_rotate(w, q, u_w);
    hn_group_move(system, from, D, u, to);
    worst = larger(worst, distance(to->pose[1].q, q, 4));
    worst = larger(worst, distance(to->twist[1].w, w, 3));
    for (int i = 0; i < 3; i++) {
      assert_true(to->pose[1].x[i] == from->pose[1].x[i] + D[1].v[i] && to->twist[1].v[i] == u[1].v[i]);
      assert_true(to->pose[0].x[i] == from->pose[0].x[i]);
    }
    hn_state *last = from;
    from = to, to = last; /* the next move starts there */
  }
  check_below("rotations by 1e-9 to 6 rad, against sine and cosine", worst, 3e-15);
  ASSERT_COUNT("flights", system->work.flights, sizeof sizes / sizeof *sizes);
  hn_state_free(from), hn_state_free(to);
  hn_system_free(system);
  hn_model_free(model);
}

/* Returns the largest error of the multipliers in the first 50 ms, against the independent formulation with
 * equal steps. */
static double early_error(const char *scene, const char *spec, double h)
{
  bench a = set_up(scene, spec), b = set_up(scene, finest);
  double worst = 0;
  for (int i = 0; i < lround(0.05 / h); i++) {
    assert_int_equal(hn_solver_step(a.solver, a.state, h), HN_CONVERGED);
    assert_int_equal(hn_solver_step(b.solver, b.state, h), HN_CONVERGED);
    worst = larger(worst, distance(a.solver->multipliers, b.solver->multipliers, a.model->nrow));
  }
  tear_down(&a), tear_down(&b);
  return worst;
}

/* Without consistent initial values the multipliers have an error of order 1, which only damping removes. */
static void multipliers_have_order_2_from_the_start(void **state)
{
  (void)state;
  static const char *const specs[] = { "generalised-alpha", "generalised-alpha:rho_inf=0.2" };
  for (size_t i = 0; i < 2; i++) {
    double h[SIZES], error[SIZES];
    for (int k = 0; k < SIZES; k++) {
      h[k] = 0.00125 / (1 << k);
      error[k] = early_error("heavy_top", specs[i], h[k]);
    }
    printf(" heavy_top, %s: errors %.2e to %.2e N\n", specs[i], error[0], error[SIZES - 1]);
    check_near("order of multipliers up to t = 0.05", hn_fit_order(h, error, SIZES), 2, 0.2);
  }
}

/* A change of the step size restarts the solver; a last step of different size must not reduce the order. */
static void multipliers_have_order_2_after_a_changed_step(void **state)
{
  (void)state;
  double h[SIZES], error[SIZES];
  for (int k = 0; k < SIZES; k++) {
    h[k] = 0.001 / (1 << k);
    bench a = set_up("heavy_top", "generalised-alpha"), b = set_up("heavy_top", finest);
    must_converge(&a, h[k], 0.02 + 0.5 * h[k], NULL, NULL);
    must_converge(&b, h[k], 0.02 + 0.5 * h[k], NULL, NULL);
    error[k] = distance(a.solver->multipliers, b.solver->multipliers, 3);
    tear_down(&a), tear_down(&b);
  }
  printf(" heavy_top, the last step half of the others: errors %.2e to %.2e N\n", error[0], error[SIZES - 1]);
  check_near("order of multipliers", hn_fit_order(h, error, SIZES), 2, 0.2);
}

/* The bob of a rod at rest is pushed along the rod: the force oscillates and decays like n^2 rho_inf^n,
 * because the recursion has a triple root at infinity. */
static void rho_inf_is_the_damping_factor(void **state)
{
  (void)state;
  static const double rho[] = { 0.3, 0.6, 0.9 };
  static const int from[] = { 10, 20, 100 };
  hn_model *model = new_model();
  add_rod(model, 0, add_particle(model, "bob", 0, -1, 0));
  for (int k = 0; k < 3; k++) {
    char spec[64], what[64];
    double first = 0, last = 0;
    snprintf(spec, sizeof spec, "generalised-alpha:rho_inf=%g,tolerance=1e-14", rho[k]);
    hn_solver *solver = new_solver(spec, model);
    hn_state *at = hn_state_create(model);
    at->twist[1].v[1] = 1;
    for (int n = 1; n <= 2 * from[k]; n++) {
      assert_int_equal(hn_solver_step(solver, at, 0.01), HN_CONVERGED);
      last = fabs(solver->multipliers[0] + 9.81);
      if (n == from[k]) first = last;
    }
    snprintf(what, sizeof what, "rho_inf = %g: decay per step", rho[k]);
    check_near(what, pow(last / (4 * first), 1.0 / from[k]), rho[k], 0.02 * rho[k]);
    hn_state_free(at);
    hn_solver_free(solver);
  }
  hn_model_free(model);
}

/* ---- IDA ----------------------------------------------------------------------------------------------- */

enum { TOLERANCES = 8 }; /* 1e-4 to 1e-11 */

/* BDF of order up to 5 with local errors at the tolerance: the global error falls a little more slowly. */
static void ida_follows_its_tolerance(void **state)
{
  (void)state;
  static const known *const problems[] = { &double_pendulum_1, &box_pendulum_1, &heavy_top_1 };
  bool fitted[] = { true, true, false }; /* coarse tolerances happen to be accurate for the top */
  for (size_t i = 0; i < 3; i++) {
    double tolerance[TOLERANCES], error[TOLERANCES], force;
    printf(" %s\n", problems[i]->scene);
    for (int k = 0; k < TOLERANCES; k++) {
      char spec[64], what[80];
      tolerance[k] = pow(10, -4 - k);
      snprintf(spec, sizeof spec, "ida:error_tolerance=%g", tolerance[k]);
      errors_at_1(problems[i], spec, 0.01, &error[k], &force);
      snprintf(what, sizeof what, "tolerance %.0e, multipliers %.1e N: error / tolerance, m", tolerance[k],
               force);
      check_below(what, error[k] / tolerance[k], 100);
      assert_true(!fitted[i] || k == 0 || error[k] < error[k - 1]);
    }
    if (fitted[i])
      check_near("slope of error against tolerance", hn_fit_order(tolerance, error, TOLERANCES), 0.9, 0.15);
  }
}

static void ida_satisfies_joints_within_tolerance(void **state)
{
  (void)state;
  static const char *const scenes[] = { "chain8", "tree", "heavy_top" };
  for (size_t i = 0; i < 3; i++) {
    bench b = set_up(scenes[i], "ida:error_tolerance=1e-9");
    must_converge(&b, 0.01, 1, NULL, NULL);
    printf(" %s\n", scenes[i]);
    check_below("largest joint error of any step, m", b.summary.position_max, 1e-9);
    check_below("largest joint velocity error of any step, m/s", b.summary.velocity_max, 2e-8);
    tear_down(&b);
  }
}

/* Output steps are interpolated: they neither cost nor change much. */
static void ida_keeps_its_history(void **state)
{
  (void)state;
  bench few = set_up("box_pendulum", "ida"), many = set_up("box_pendulum", "ida");
  must_converge(&few, 0.1, 1, NULL, NULL);
  must_converge(&many, 0.001, 1, NULL, NULL);
  uint64_t f = few.summary.work.factorisations, m = many.summary.work.factorisations;
  printf("  factorisations: %llu in 10 steps, %llu in 1000\n", (unsigned long long)f, (unsigned long long)m);
  assert_true(m <= f + f / 20 + 2);
  check_below("difference of positions at t = 1, m", distance(few.state->pose[2].x, many.state->pose[2].x, 3),
              1e-6);
  tear_down(&few), tear_down(&many);
}

/* A state other than the end of the last step restarts the solver. */
static void ida_restarts_after_a_changed_state(void **state)
{
  (void)state;
  bench used = set_up("box_pendulum", "ida"), fresh = set_up("box_pendulum", "ida");
  for (int i = 0; i < 7; i++) assert_int_equal(hn_solver_step(used.solver, used.state, 0.01), HN_CONVERGED);
  hn_state_copy(used.state, fresh.state);
  for (int i = 0; i < 3; i++) {
    assert_int_equal(hn_solver_step(used.solver, used.state, 0.02), HN_CONVERGED);
    assert_int_equal(hn_solver_step(fresh.solver, fresh.state, 0.02), HN_CONVERGED);
  }
  assert_true(hn_state_hash(used.state, HN_HASH_START) == hn_state_hash(fresh.state, HN_HASH_START));
  tear_down(&used), tear_down(&fresh);
}

static void ida_stops_at_its_limit(void **state)
{
  (void)state;
  bench b = set_up("box_pendulum", "ida:iterations=5");
  assert_int_equal(run(&b, 0.5, 1, NULL, NULL), HN_STALLED);
  printf("  %s\n", b.summary.explanation);
  assert_non_null(strstr(b.summary.explanation, "more steps than allowed"));
  tear_down(&b);
}

/* ---- All three solvers --------------------------------------------------------------------------------- */

static const char *const solver_specs[] = { "half-explicit", "generalised-alpha", "ida" };

static void redundant_joints_are_refused(void **state)
{
  (void)state;
  for (size_t i = 0; i < 3; i++) {
    bench b = set_up("cuboid28", solver_specs[i]);
    assert_int_equal(run(&b, 0.01, 1, NULL, NULL), HN_SINGULAR);
    printf("  %s\n", b.summary.explanation);
    assert_int_equal(b.summary.steps, 0);
    tear_down(&b);
  }
}

static void bad_parameters_are_errors(void **state)
{
  (void)state;
  static const bad_spec bad[] = {
    { "generalised-alpha:rho_inf=1", "outside" },
    { "generalised-alpha:rho_ing=0.5", "did you mean \"rho_inf\"" },
    { "half-explicit:stabilisation=baumgarte", "one of none,projection" },
    { "ida:error_tolerance=0", "outside" },
    { "generalized-alpha", "did you mean \"generalised-alpha\"" },
  };
  hn_model *model = box_chain(2);
  check_refused(model, bad, sizeof bad / sizeof *bad);
  hn_model_free(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(half_explicit_shows_order_4),
    cmocka_unit_test(hem5_shows_order_5),
    cmocka_unit_test(generalised_alpha_shows_order_2),
    cmocka_unit_test(other_schemes_show_their_orders),
    cmocka_unit_test(half_explicit_satisfies_velocity_constraints),
    cmocka_unit_test(work_is_counted_exactly),
    cmocka_unit_test(small_work_is_counted_exactly),
    cmocka_unit_test(group_moves_follow_the_exponential),
    cmocka_unit_test(multipliers_have_order_2_from_the_start),
    cmocka_unit_test(multipliers_have_order_2_after_a_changed_step),
    cmocka_unit_test(rho_inf_is_the_damping_factor),
    cmocka_unit_test(ida_follows_its_tolerance),
    cmocka_unit_test(ida_satisfies_joints_within_tolerance),
    cmocka_unit_test(ida_keeps_its_history),
    cmocka_unit_test(ida_restarts_after_a_changed_state),
    cmocka_unit_test(ida_stops_at_its_limit),
    cmocka_unit_test(redundant_joints_are_refused),
    cmocka_unit_test(bad_parameters_are_errors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
