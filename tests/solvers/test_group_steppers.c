/* test_group_steppers.c - group = rkmk, crouch-grossman, commutator-free and formulation = ggl of lagrange.
 *
 * Orders against the references of the scenes, closed forms of rotation about a fixed axis, exact counts of
 * work, conditions of order of the tableaus, and the decay of joint errors. */
#include "lagrange/group_methods.h"
#include "scenes.h"
#include "trials.h"

enum { SIZES = 6 };

static const struct {
  const char *spec;
  int group;
  const char *stepper;
  int order, stages;
} methods[] = {
  { "lagrange:group=rkmk,stepper=euler", HN_RKMK, "euler", 1, 1 },
  { "lagrange:group=rkmk,stepper=rk2", HN_RKMK, "rk2", 3, 3 },
  { "lagrange:group=rkmk,stepper=rk4", HN_RKMK, "rk4", 4, 4 },
  { "lagrange:group=rkmk,stepper=rkf45", HN_RKMK, "rkf45", 5, 6 },
  { "lagrange:group=rkmk,stepper=rkck", HN_RKMK, "rkck", 5, 6 },
  { "lagrange:group=crouch-grossman,stepper=euler", HN_CROUCH_GROSSMAN, "euler", 1, 1 },
  { "lagrange:group=crouch-grossman,stepper=rk2", HN_CROUCH_GROSSMAN, "rk2", 3, 3 },
  { "lagrange:group=crouch-grossman,stepper=rk4", HN_CROUCH_GROSSMAN, "rk4", 4, 5 },
  { "lagrange:group=commutator-free,stepper=euler", HN_COMMUTATOR_FREE, "euler", 1, 1 },
  { "lagrange:group=commutator-free,stepper=rk2", HN_COMMUTATOR_FREE, "rk2", 3, 3 },
  { "lagrange:group=commutator-free,stepper=rk4", HN_COMMUTATOR_FREE, "rk4", 4, 4 },
};
enum { METHODS = sizeof methods / sizeof *methods };

/* ---- Coefficients -------------------------------------------------------------------------------------- */

/* Returns the largest violation of the conditions of order up to ORDER, at most 4, for vectors. */
static double violation(const hn_group_method *m, int order)
{
  enum { S = HN_MAX_GROUP_STAGES };
  const double *b = m->A[m->stages];
  double c[S] = { 0 }, Ac[S] = { 0 }, Acc[S] = { 0 }, AAc[S] = { 0 }, sum[8] = { 0 };
  static const double exact[8] = { 1, 1.0 / 2, 1.0 / 3, 1.0 / 6, 1.0 / 4, 1.0 / 8, 1.0 / 12, 1.0 / 24 };
  static const int orders[8] = { 1, 2, 3, 3, 4, 4, 4, 4 };
  for (int i = 0; i < m->stages; i++)
    for (int j = 0; j < i; j++) {
      c[i] += m->A[i][j];
      Ac[i] += m->A[i][j] * c[j], Acc[i] += m->A[i][j] * c[j] * c[j], AAc[i] += m->A[i][j] * Ac[j];
    }
  for (int i = 0; i < m->stages; i++) {
    const double term[8] = { 1, c[i], c[i] * c[i], Ac[i], c[i] * c[i] * c[i], c[i] * Ac[i], Acc[i], AAc[i] };
    for (int k = 0; k < 8; k++) sum[k] += b[i] * term[k];
  }
  double worst = 0;
  for (int k = 0; k < 8; k++)
    if (orders[k] <= order) worst = larger(worst, fabs(sum[k] - exact[k]));
  return worst;
}

/* The exponentials of a row add up to the row of the tableau. */
static void coefficients_meet_the_conditions(void **state)
{
  (void)state;
  for (int i = 0; i < METHODS; i++) {
    const hn_group_method *m = hn_group_method_find(methods[i].group, methods[i].stepper);
    assert_non_null(m);
    assert_int_equal(m->order, methods[i].order);
    assert_int_equal(m->stages, methods[i].stages);
    printf(" %s\n", methods[i].spec);
    check_below("conditions of order for vectors", violation(m, m->order), 2e-15);
    double worst = 0;
    for (int row = 1; row <= m->stages; row++)
      for (int j = 0; j < row; j++) {
        double sum = 0;
        for (int f = 0; f < hn_group_factors(m, methods[i].group, row); f++)
          sum += hn_group_coefficient(m, methods[i].group, row, f, j);
        worst = larger(worst, fabs(sum - m->A[row][j]));
      }
    check_below("sum of the exponentials of a row", worst, 1e-16);
  }
}

/* ---- Motion -------------------------------------------------------------------------------------------- */

/* Returns the distance of the end of a run from the state FINE: orientation and position. */
static double error_of(const char *scene, const char *spec, double h, double duration, const hn_state *fine)
{
  bench b = set_up(scene, spec);
  must_converge(&b, h, duration, NULL, NULL);
  double sum = 0;
  for (int k = 0; k < 4; k++) sum += pow(b.state->pose[1].q[k] - fine->pose[1].q[k], 2);
  for (int k = 0; k < 3; k++) sum += pow(b.state->pose[1].x[k] - fine->pose[1].x[k], 2);
  tear_down(&b);
  return sqrt(sum);
}

static void tops_show_the_orders(void **state)
{
  (void)state;
  static const struct {
    const char *scene;
    double first[6]; /* step size by order */
    double duration;
  } trials[] = { { "heavy_top", { 0, 2e-5, 0, 1e-3, 2e-3, 2e-3 }, 0.2 },
                 { "free_top", { 0, 0.01, 0, 0.05, 0.05, 0.1 }, 2 } };
  for (int k = 0; k < 2; k++) {
    bench fine = set_up(trials[k].scene, "lagrange:stepper=rk8pd,stabilisation=projection");
    must_converge(&fine, trials[k].duration / 1000, trials[k].duration, NULL, NULL);
    for (int i = 0; i < METHODS; i++) {
      double h[SIZES], error[SIZES];
      for (int n = 0; n < SIZES; n++) {
        h[n] = trials[k].first[methods[i].order] / pow(1.5, n);
        h[n] = trials[k].duration / ceil(trials[k].duration / h[n]);
        error[n] = error_of(trials[k].scene, methods[i].spec, h[n], trials[k].duration, fine.state);
      }
      printf(" %s, %s: errors %.2e to %.2e\n", trials[k].scene, methods[i].spec, error[0], error[SIZES - 1]);
      check_near("order", hn_fit_order(h, error, SIZES), methods[i].order, 0.2);
    }
    tear_down(&fine);
  }
}

/* A box spinning about a principal axis at 3 rad/s turns by 3 rad in one step. */
static void rotation_about_a_fixed_axis_is_exact(void **state)
{
  (void)state;
  for (int i = 0; i < METHODS; i++) {
    trial r = must_run(
      "sys:body { mass = 2, inertia = { 1, 2, 3 }, position = { 0, 0, 0 }, angular_velocity = { 0, 0, 3 } }\n"
      "return sys",
      methods[i].spec, 1.0, 1.0);
    const double *q = r.state->pose[1].q;
    printf(" %s\n", methods[i].spec);
    check_below("orientation after one step of 3 rad, w", fabs(q[0]) - fabs(cos(1.5)), 4e-15);
    check_below("z", fabs(q[3]) - sin(1.5), 4e-15);
    done(&r);
  }
}

static void every_stage_is_evaluated_once(void **state)
{
  (void)state;
  for (int i = 0; i < METHODS; i++) {
    bench b = set_up("box_pendulum", methods[i].spec);
    must_converge(&b, 0.001, 0.1, NULL, NULL);
    printf(" %s\n", methods[i].spec);
    ASSERT_COUNT("factorisations", b.summary.work.factorisations, 1 + 100 * (uint64_t)methods[i].stages);
    tear_down(&b);
  }
}

/* Projection, Baumgarte's method, ggl, prescribed motions and forces combine with every group. */
static void settings_combine(void **state)
{
  (void)state;
  static const char *const more[] = { "stabilisation=projection", "stabilisation=baumgarte,alpha=5,beta=5",
                                      "formulation=ggl", "formulation=ggl,stabilisation=projection" };
  static const char *const scenes[] = { "box_pendulum", "slider_crank", "rolling_disc", "chain8" };
  for (size_t s = 0; s < 4; s++)
    for (int group = 1; group < 4; group++)
      for (size_t k = 0; k < 4; k++) {
        static const char *const names[] = { "none", "rkmk", "crouch-grossman", "commutator-free" };
        char spec[200];
        snprintf(spec, sizeof spec, "lagrange:redundancy=min-norm,group=%s,%s", names[group], more[k]);
        bench b = set_up(scenes[s], spec),
              fine = set_up(scenes[s], "lagrange:redundancy=min-norm,stepper=rk8pd");
        must_converge(&b, 1e-3, 0.1, NULL, NULL);
        must_converge(&fine, 1e-3, 0.1, NULL, NULL);
        double worst = 0;
        for (int i = 0; i < b.state->nbody; i++)
          for (int n = 0; n < 3; n++)
            worst = larger(worst, fabs(b.state->pose[i].x[n] - fine.state->pose[i].x[n]));
        printf(" %s, %s\n", scenes[s], spec);
        check_below("position against rk8pd, m", worst, 1e-7);
        tear_down(&fine), tear_down(&b);
      }
}

static void settings_that_do_not_combine_are_errors(void **state)
{
  (void)state;
  static const struct {
    const char *spec, *words;
  } refused[] = {
    { "lagrange:group=crouch-grossman,stepper=rk8pd", "no method for stepper=rk8pd; it has euler, rk2, rk4" },
    { "lagrange:group=commutator-free,stepper=rkf45", "no method for stepper=rkf45; it has euler, rk2, rk4" },
    { "lagrange:group=rkmk,stepper=msadams,adaptive=true", "no method for stepper=msadams; it has euler" },
    { "lagrange:group=rkmk,adaptive=true", "takes fixed steps" },
  };
  hn_error error;
  hn_scene *scene = hn_scene_load("heavy_top", NULL, 0, &error);
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    hn_solver *solver = hn_solver_create(refused[i].spec, scene->model, &error);
    printf("  %s: %s\n", refused[i].spec, solver ? "accepted" : error.text);
    assert_null(solver);
    assert_non_null(strstr(error.text, refused[i].words));
  }
  hn_scene_free(scene);
}

/* ---- Stabilised form of index 2 ------------------------------------------------------------------------ */

/* The bob of a pendulum starts 1e-3 m off its circle; its velocity satisfies the joint. */
static void joint_errors_stay_or_decay(void **state)
{
  (void)state;
  static const struct {
    const char *spec;
    double rate; /* of decay of the position error, 1/s */
  } trials[] = { { "lagrange:stepper=rk8pd,formulation=ggl", 0 },
                 { "lagrange:stepper=rk8pd,formulation=ggl,stabilisation=baumgarte,alpha=2,beta=3", 3 },
                 { "lagrange:group=rkmk,stepper=rkck,formulation=ggl,stabilisation=baumgarte,alpha=2,beta=3",
                   3 } };
  for (size_t i = 0; i < 3; i++) {
    bench b = set_up("pendulum", trials[i].spec);
    hn_measure start, end;
    for (int k = 0; k < 3; k++) b.state->pose[1].x[k] *= 1.001;
    hn_measure_state(b.model, b.state, &start);
    for (int n = 0; n < 1000; n++) assert_int_equal(hn_solver_step(b.solver, b.state, 0.001), HN_CONVERGED);
    hn_measure_state(b.model, b.state, &end);
    printf(" %s, %.3g m off the joint at the start\n", trials[i].spec, start.position_error);
    check_near("error of the joint after 1 s, m", end.position_error,
               start.position_error * exp(-trials[i].rate), 1e-11);
    tear_down(&b);
  }
}

/* Drift of the positions over 20 and 40 s. Velocity errors move the positions of the form of index 1 too. */
static void positions_of_ggl_drift_linearly(void **state)
{
  (void)state;
  static const char *const specs[] = { "lagrange:stepper=rk2", "lagrange:stepper=rk2,formulation=ggl" };
  double drift[2][2];
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 2; k++) {
      bench b = set_up("pendulum", specs[i]);
      must_converge(&b, 0.01, 20 << k, NULL, NULL);
      drift[i][k] = b.summary.position_max;
      tear_down(&b);
    }
  check_near("growth of the drift of ggl, power of time", log2(drift[1][1] / drift[1][0]), 1, 0.1);
  check_below("drift of ggl over that of index 1", drift[1][1] / drift[0][1], 0.5);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(coefficients_meet_the_conditions),
    cmocka_unit_test(tops_show_the_orders),
    cmocka_unit_test(rotation_about_a_fixed_axis_is_exact),
    cmocka_unit_test(every_stage_is_evaluated_once),
    cmocka_unit_test(settings_combine),
    cmocka_unit_test(settings_that_do_not_combine_are_errors),
    cmocka_unit_test(joint_errors_stay_or_decay),
    cmocka_unit_test(positions_of_ggl_drift_linearly),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
