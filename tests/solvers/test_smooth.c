/* test_smooth.c - smooth solvers compared with closed forms and order conditions: Baumgarte's decay, stiff
 * driven joints, coefficients of compositions, extrapolation, halved steps, linkages redundant at consistent
 * positions; and the internal states of servos and drivers. */
#include "models.h"
#include "force_models.h"
#include "loops.h"
#include "force/force.h"
#include "impulse/composition.h"

/* ---- Baumgarte ----------------------------------------------------------------------------------------- */

/* A particle at distance e0 from its plane, receding at v0, without gravity: the joint error is its
 * height. */
static void baumgarte_decay_agrees_with_its_equation(void **state)
{
  (void)state;
  const double e0 = 0.01, v0 = 0.3, t = 0.2;
  static const double cases[][2] = { { 20, 20 }, { 5, 30 }, { 30, 10 }, { 12, 0 }, { 0, 15 } };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const double alpha = cases[k][0], beta = cases[k][1], d = alpha * alpha - beta * beta, r = sqrt(fabs(d));
    const double c = d > 0 ? cosh(r * t) : cos(r * t),
                 s = r == 0 ? t : (d > 0 ? sinh(r * t) : sin(r * t)) / r;
    const double expected = exp(-alpha * t) * (e0 * (c + alpha * s) + v0 * s);
    char spec[120], what[80];
    hn_model *model = without_gravity();
    hn_error error;
    hn_joint_spec plane = { .type = "point_on_plane",
                            .a = 0,
                            .b = add_particle(model, "p", 0, 0, 0),
                            .has_points = true,
                            .axis_a = { 0, 0, 1 } };
    must(hn_model_add_joint(model, &plane, &error), &error);
    snprintf(spec, sizeof spec, "lagrange:stepper=rk8pd,stabilisation=baumgarte,alpha=%g,beta=%g", alpha,
             beta);
    hn_solver *solver = new_solver(spec, model);
    hn_state *at = hn_state_create(model);
    at->pose[1].x[2] = e0, at->twist[1].v[2] = v0;
    for (int i = 0; i < 200; i++) assert_int_equal(hn_solver_step(solver, at, t / 200), HN_CONVERGED);
    snprintf(what, sizeof what, "alpha %g, beta %g: error at %g s", alpha, beta, t);
    check_near(what, at->pose[1].x[2], expected, 1e-13);
    hn_state_free(at);
    hn_solver_free(solver);
    hn_model_free(model);
  }
}

/* ---- Stiff and driven ---------------------------------------------------------------------------------- */

/* A particle driven along a line with Baumgarte's terms of 1e5 / s: bsimp needs derivatives by time. These
 * are accurate to 1e-8, as forward differences are. */
static void implicit_steppers_use_derivatives_by_time(void **state)
{
  (void)state;
  hn_error error;
  hn_model *model = without_gravity();
  int p = add_particle(model, "p", 0, 0, 0);
  model->body[p].twist0.v[0] = 2;
  hn_joint_spec line = { .type = "point_on_line", .a = 0, .b = p, .has_points = true, .axis_a = { 1, 0, 0 } };
  hn_joint_spec drive = { .type = "drive_position",
                          .a = 0,
                          .b = p,
                          .has_points = true,
                          .axis_a = { 1, 0, 0 },
                          .motion = { .amplitude = 1, .frequency = 2 } };
  must(hn_model_add_joint(model, &line, &error), &error);
  must(hn_model_add_joint(model, &drive, &error), &error);
  hn_solver *solver = new_solver("lagrange:stepper=bsimp,stabilisation=baumgarte,alpha=1e5,beta=1e5", model);
  hn_state *at = hn_state_create(model);
  double error_found = 0.0;
  for (int i = 0; i < 20; i++) {
    assert_int_equal(hn_solver_step(solver, at, 0.05), HN_CONVERGED);
    error_found = larger(error_found, fabs(at->pose[p].x[0] - sin(2 * at->time)));
  }
  check_below("bsimp: error of the driven position, m", error_found, 1e-8);
  hn_state_free(at);
  hn_solver_free(solver);
  hn_model_free(model);
}

/* ---- Compositions -------------------------------------------------------------------------------------- */

enum { N = 3, DEGREE = 8 };
typedef struct series {
  long double c[DEGREE + 1][N][N];
} series; /* matrix coefficients of powers of h */

static series product(const series *a, const series *b)
{
  series s = { { { { 0 } } } };
  for (int i = 0; i <= DEGREE; i++)
    for (int j = 0; i + j <= DEGREE; j++)
      for (int r = 0; r < N; r++)
        for (int k = 0; k < N; k++)
          for (int c = 0; c < N; c++) s.c[i + j][r][c] += a->c[i][r][k] * b->c[j][k][c];
  return s;
}

/* Returns the series exp(s h M). */
static series exponential(long double M[N][N], long double s)
{
  series e = { { { { 0 } } } };
  for (int r = 0; r < N; r++) e.c[0][r][r] = 1;
  for (int k = 1; k <= DEGREE; k++)
    for (int r = 0; r < N; r++)
      for (int c = 0; c < N; c++)
        for (int m = 0; m < N; m++) e.c[k][r][c] += e.c[k - 1][r][m] * M[m][c] * s / k;
  return e;
}

/* Strang's splitting exp(h A / 2) exp(h B) exp(h A / 2) is symmetric and of order 2. With matrices that do
 * not commute, a composition satisfies all order conditions, including those with commutators, if its series
 * is that of exp(h (A + B)). */
static void compositions_satisfy_all_order_conditions(void **state)
{
  (void)state;
  static long double A[N][N] = { { 0.3L, -0.7L, 0.2L }, { 0.5L, 0.1L, -0.4L }, { -0.2L, 0.6L, 0.4L } },
                     B[N][N] = { { -0.1L, 0.4L, 0.6L }, { 0.3L, -0.5L, 0.2L }, { 0.7L, 0.1L, -0.3L } };
  long double whole[N][N];
  size_t count;
  const hn_composition *all = hn_compositions(&count);
  for (int r = 0; r < N; r++)
    for (int c = 0; c < N; c++) whole[r][c] = A[r][c] + B[r][c];
  const series exact = exponential(whole, 1);
  for (size_t k = 0; k < count; k++) {
    const int last = all[k].stages - 1;
    series sum = exponential(whole, 0);
    double error_found = 0.0, higher_error = 0.0;
    char what[80];
    for (int i = 0; i <= last; i++) {
      const long double gamma = all[k].gamma[i <= last - i ? i : last - i];
      const series half = exponential(A, gamma / 2), full = exponential(B, gamma);
      sum = product(&sum, &half), sum = product(&sum, &full), sum = product(&sum, &half);
    }
    for (int i = 0; i <= DEGREE; i++)
      for (int r = 0; r < N; r++)
        for (int c = 0; c < N; c++) {
          const double apart = fabs((double)(sum.c[i][r][c] - exact.c[i][r][c]));
          if (i <= all[k].order) error_found = larger(error_found, apart);
          else higher_error = larger(higher_error, apart);
        }
    snprintf(what, sizeof what, "order %d, %d stages: conditions", all[k].order, all[k].stages);
    check_below(what, error_found, 2e-15);
    if (all[k].order < DEGREE) assert_true(higher_error > 1e-6); /* the matrices distinguish orders */
  }
}

/* ---- Extrapolation ------------------------------------------------------------------------------------- */

/* Reference value (doc/references.md), as in test_steppers.c. */
static void extrapolation_is_accurate_to_rounding(void **state)
{
  (void)state;
  static const double at_1[3] = { -1.4448188499434757965, -1.3217944613814645558, 0 };
  hn_model *model = double_pendulum();
  for (int order = 6; order <= 10; order += 2)
    for (int steps = 400; steps <= 800; steps *= 2) {
      char spec[80];
      snprintf(spec, sizeof spec, "impulse-extrapolated:order=%d", order);
      hn_solver *solver = new_solver(spec, model);
      hn_state *at = hn_state_create(model);
      for (int i = 0; i < steps; i++) assert_int_equal(hn_solver_step(solver, at, 1.0 / steps), HN_CONVERGED);
      snprintf(spec, sizeof spec, "order %d, %d steps: error, m", order, steps);
      double apart[3];
      vec_sub(apart, at->pose[2].x, at_1);
      check_below(spec, vec_norm(apart), 1e-12);
      hn_state_free(at);
      hn_solver_free(solver);
    }
  hn_model_free(model);
}

/* ---- Bennett's linkage --------------------------------------------------------------------------------- */

static void bennett_is_solved_or_refused(void **state)
{
  (void)state;
  static const struct {
    const char *spec;
    double bound;
  } moving[] = {
    { "taylor:stabilisation=projection,redundancy=remove", 1e-10 },
    { "taylor:stabilisation=projection,redundancy=min-norm", 1e-10 },
    { "impulse-extrapolated:order=8,redundancy=remove", 1e-9 },
    { "impulse-sle:redundancy=remove", 1e-3 },
    { "generalised-alpha:redundancy=remove", 2e-3 },
    { "ida:redundancy=remove", 1e-5 },
    { "xpbd", 1e-2 },
  };
  hn_model *model = bennett();
  hn_state *first = NULL;
  for (size_t k = 0; k < sizeof moving / sizeof *moving; k++) {
    hn_solver *solver = new_solver(moving[k].spec, model);
    hn_state *at = hn_state_create(model);
    hn_summary summary;
    hn_run_options options = { .step = 0.01, .duration = 1 };
    if (hn_run(solver, at, &options, &summary) != HN_CONVERGED) fail_msg("%s", summary.explanation);
    double apart[3] = { 0 };
    if (first) vec_sub(apart, at->pose[3].x, first->pose[3].x);
    check_below(moving[k].spec, vec_norm(apart), moving[k].bound);
    hn_solver_free(solver);
    if (first) hn_state_free(at);
    else first = at;
  }
  static const char *const refused[] = { "remove", "min-norm", "loop-split" };
  for (int k = 0; k < 3; k++) {
    char spec[80], text[256];
    snprintf(spec, sizeof spec, "half-explicit:redundancy=%s", refused[k]);
    hn_solver *solver = new_solver(spec, model);
    hn_state *at = hn_state_create(model);
    hn_reason reason = hn_solver_step(solver, at, 0.01);
    hn_solver_explain(solver, reason, 0.01, text, sizeof text);
    printf("  %s\n", text);
    assert_int_equal(reason, HN_UNSUPPORTED);
    assert_non_null(strstr(text, "off the joints, where redundant rows contradict each other"));
    hn_state_free(at);
    hn_solver_free(solver);
  }
  hn_state_free(first);
  hn_model_free(model);
}

/* ---- Halved steps -------------------------------------------------------------------------------------- */

/* Takes steps of h until one is halved; returns its number of halvings, with the state before it in
 * `before`. */
static int first_halved(hn_solver *solver, double h, hn_state *before, hn_state *after)
{
  for (int i = 0; i < 20; i++) {
    hn_state_copy(before, after);
    if (hn_solver_step(solver, after, h) != HN_CONVERGED) return 0;
    if (solver->report.halvings > 0) return solver->report.halvings;
  }
  return 0;
}

/* A stalled step is halved: it equals two steps of half the size, if these converge. */
static void halved_steps_cover_the_whole_step(void **state)
{
  (void)state;
  hn_model *model = box_chain(2);
  int halved = 0;
  for (double h = 0.3; h > 0.1; h -= 0.01) {
    hn_solver *halving = new_solver("impulse-sle:halvings=6", model),
              *plain = new_solver("impulse-sle", model);
    hn_state *a = hn_state_create(model), *b = hn_state_create(model);
    if (first_halved(halving, h, b, a) == 1) {
      halved++;
      for (int i = 0; i < 2; i++) assert_int_equal(hn_solver_step(plain, b, 0.5 * h), HN_CONVERGED);
      check_near("time, s", a->time, b->time, 1e-15);
      for (int i = 1; i < 3; i++) {
        double apart[3];
        vec_sub(apart, a->pose[i].x, b->pose[i].x);
        check_below("difference from two half steps, m", vec_norm(apart), 1e-8);
      }
    }
    hn_state_free(a), hn_state_free(b);
    hn_solver_free(halving), hn_solver_free(plain);
  }
  printf("  %d steps halved once\n", halved);
  assert_true(halved > 2);
  hn_model_free(model);
}

/* ---- Internal states of forces ------------------------------------------------------------------------- */

/* A servo at its limit does not integrate its error; within it, h e per step. */
static void servos_do_not_wind_up(void **state)
{
  (void)state;
  const double h = 0.01;
  hn_model *model = without_gravity();
  int body = add_rotor(model, 0.0);
  add_force(model, "servo", 0, body, "stiffness=10,integral=3,damping=0,limit=2",
            (hn_force_spec){ .geometry = { .axis_a = { 0, 0, 1 }, .motion = { { 0.5 }, 0, 0, 0 } } });
  hn_state *at = hn_state_create(model);
  const double *z = at->input + model->force[0].input + 1;
  hn_forces_update(model, h, at); /* 10 times 0.5 rad exceeds the limit of 2 */
  check_near("integral at the limit, rad s", *z, 0.0, 0.0);
  at->pose[body].q[0] = cos(0.2), at->pose[body].q[3] = sin(0.2); /* rotated by 0.4 rad: 10 times 0.1 */
  hn_forces_update(model, h, at);
  check_near("integral within, rad s", *z, h * 0.1, 1e-15);
  hn_state_free(at);
  hn_model_free(model);
}

/* An extending driver holds the largest length reached, a contracting one the smallest, within its limits. */
static void drivers_hold_their_extreme_length(void **state)
{
  (void)state;
  static const struct {
    double mode, length, held;
  } cases[] = {
    { 1, 2.0, 2.0 }, { 1, 2.5, 2.5 },  { 1, 2.2, 2.5 },  { 0, 2.1, 2.5 },  { 0, 2.7, 2.5 },
    { 1, 3.5, 3.0 }, { -1, 2.4, 2.4 }, { -1, 2.8, 2.4 }, { -1, 0.5, 1.0 },
  };
  hn_model *model = without_gravity();
  int body = add_particle(model, "load", 2, 0, 0);
  add_force(model, "driver", 0, body, "speed=1,limit=100,shortest=1,longest=3",
            (hn_force_spec){ .geometry = { .at_b = { 2, 0, 0 } } });
  hn_state *at = hn_state_create(model);
  double *input = at->input + model->force[0].input;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    char what[80];
    input[0] = cases[k].mode, at->pose[body].x[0] = cases[k].length;
    hn_forces_update(model, 0.01, at);
    snprintf(what, sizeof what, "mode %+g, length %g m: held length, m", cases[k].mode, cases[k].length);
    check_near(what, input[1], cases[k].held, 1e-15);
  }
  hn_state_free(at);
  hn_model_free(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(baumgarte_decay_agrees_with_its_equation),
    cmocka_unit_test(implicit_steppers_use_derivatives_by_time),
    cmocka_unit_test(compositions_satisfy_all_order_conditions),
    cmocka_unit_test(extrapolation_is_accurate_to_rounding),
    cmocka_unit_test(bennett_is_solved_or_refused),
    cmocka_unit_test(halved_steps_cover_the_whole_step),
    cmocka_unit_test(servos_do_not_wind_up),
    cmocka_unit_test(drivers_hold_their_extreme_length),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
