/* test_augmented.c - augmented Lagrangian: singular positions, independence of the penalty, joint forces. */
#include "mechanisms.h"

#include <string.h>

enum { RUNS = 6 };

/* Returns the largest distance of a body from the reference of SCENE, in closed form, after a run by SPEC;
 * ENERGY is the largest energy error of the run, J. */
static double error_of(const char *scene, const char *spec, double step, double duration, double *energy)
{
  enum { MOST = 16 };
  hn_error error;
  bool has[MOST];
  double exact[3 * MOST], worst = 0.0;
  bench b = set_up(scene, spec);
  assert_true(b.model->nbody <= MOST);
  must_converge(&b, step, duration, NULL, NULL);
  if (hn_scene_reference(b.scene, duration, has, exact, &error) != 1) fail_msg("no reference");
  for (int i = 1; i < b.model->nbody; i++)
    if (has[i]) worst = larger(worst, distance(b.state->pose[i].x, exact + 3 * i));
  *energy = b.summary.energy_error_max;
  tear_down(&b);
  return worst;
}

/* IFToMM A02: 10 s, 16 passages through the singular position. */
static void test_four_bars(void **unused)
{
  (void)unused;
  double energy, step[RUNS], error[RUNS];
  check_below("four_bars, 10 s, 1 ms: error, m", error_of("four_bars", "augmented", 0.001, 10, &energy),
              1e-4);
  check_below("  energy error, J", energy, 1e-3);
  for (int i = 0; i < RUNS; i++) { /* two passages */
    step[i] = 0.004 / pow(2.0, i);
    error[i] = error_of("four_bars", "augmented", step[i], 1.6, &energy);
  }
  check_near("  order", hn_fit_order(step, error, RUNS), 2.0, 0.1);
}

/* Returns kinetic and potential energy, J. */
static double energy_of(const bench *b)
{
  hn_measure measure;
  hn_measure_state(b->model, b->state, &measure);
  return measure.kinetic + measure.potential;
}

/* A run that a singular position has spoilt ends there, with the reason: no wrong motion converges. */
static void test_spoilt_runs(void **unused)
{
  (void)unused;
  static const char *const specs[] = { RK8 ",redundancy=remove",          RK8 ",redundancy=min-norm",
                                       TAYLOR ",redundancy=remove",       COMPOSED ",redundancy=remove",
                                       "half-explicit:redundancy=remove", "augmented" };
  const double steps[] = { 0.01, 0.001 };
  for (int k = 0; k < 12; k++) {
    bench b = set_up("four_bars", specs[k / 2]);
    const hn_reason reason = run(&b, steps[k % 2], 5.0, NULL, NULL);
    const bool passed = reason == HN_CONVERGED;
    printf("  %s, %g s: %s, energy error %.2e J%s%s\n", specs[k / 2], steps[k % 2], hn_reason_name(reason),
           b.summary.energy_error_max, passed ? "" : "; ", passed ? "" : b.summary.explanation);
    if (passed) assert_true(b.summary.energy_error_max < (k == 10 ? 0.1 : 1e-3)); /* augmented, order 2 */
    else assert_non_null(strstr(b.summary.explanation, "joints nearly dependent"));
    tear_down(&b);
  }
}

/* Moves the four-bars of B into the line, with the velocities of the parallelogram. */
static void put_in_line(bench *b)
{
  for (int i = 1; i < b->state->nbody; i++) {
    const bool crank = strncmp(b->model->body[i].name, "crank", 5) == 0;
    const double reach = crank ? 0.5 : 1.0;
    if (crank) memcpy(b->state->pose[i].q, (double[4]){ 1, 0, 0, 0 }, sizeof(double[4]));
    b->state->pose[i].x[0] += reach, b->state->pose[i].x[1] -= reach;
    b->state->twist[i] = (hn_twist){ { 0, -4 * reach, 0 }, { 0, 0, crank ? -4 : 0 } };
  }
}

/* A start in the singular position itself: the parallelogram goes on, with the couplers level. */
static void test_start_in_line(void **unused)
{
  (void)unused;
  double step[4], error[4];
  for (int i = 0; i < 4; i++) {
    step[i] = 0.004 / pow(2.0, i);
    bench b = set_up("four_bars", "augmented");
    put_in_line(&b);
    const double energy = energy_of(&b);
    must_converge(&b, step[i], 0.4, NULL, NULL);
    error[i] = fabs(energy_of(&b) - energy);
    const hn_pose *coupler = &b.state->pose[body_named(&b, "coupler1")];
    check_below("level coupler: sine of half its angle", coupler->q[3], 1e-9);
    tear_down(&b);
  }
  check_near("order of the energy error", hn_fit_order(step, error, 4), 2.0, 0.2);
}

/* The motion and the unique joint forces do not depend on the penalty. */
static void test_penalty(void **unused)
{
  (void)unused;
  static const char *const scenes[] = { "slider_crank", "bricard", "heavy_top", "rolling_disc" };
  for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++) {
    bench low = set_up(scenes[k], "augmented:penalty=1e4"), high = set_up(scenes[k], "augmented:penalty=1e8");
    must_converge(&low, 0.001, 0.2, NULL, NULL);
    must_converge(&high, 0.001, 0.2, NULL, NULL);
    char what[80];
    snprintf(what, sizeof what, "%s: penalties of 1e4 and 1e8, m", scenes[k]);
    check_below(what, farthest(low.state, high.state), 1e-8); /* 200 steps with 1e-11 m of tolerance */
    tear_down(&low), tear_down(&high);
  }
}

/* Joint forces are of order 2 from the first step on, and those of redundant joints the shortest. */
static void test_forces(void **unused)
{
  (void)unused;
  double step[RUNS], first[RUNS], last[RUNS];
  bench exact = set_up("box_pendulum", RK8);
  must_converge(&exact, 0.001, 0.5, NULL, NULL);
  for (int i = 0; i < RUNS; i++) {
    step[i] = 0.01 / pow(2.0, i);
    bench b = set_up("box_pendulum", "augmented"), one = set_up("box_pendulum", "augmented"),
          fine = set_up("box_pendulum", RK8);
    must_converge(&b, step[i], 0.5, NULL, NULL);
    must_converge(&one, step[i], step[i], NULL, NULL);
    must_converge(&fine, 0.1 * step[i], step[i], NULL, NULL);
    first[i] = last[i] = 0.0;
    for (int r = 0; r < b.model->nrow; r++) {
      last[i] = larger(last[i], fabs(b.solver->multipliers[r] - exact.solver->multipliers[r]));
      first[i] = larger(first[i], fabs(one.solver->multipliers[r] - fine.solver->multipliers[r]));
    }
    tear_down(&b), tear_down(&one), tear_down(&fine);
  }
  check_near("order of the joint forces", hn_fit_order(step, last, RUNS), 2.0, 0.1);
  printf("  after the first step: %.3e N with 0.01 s, %.3e N with the smallest\n", first[0], first[RUNS - 1]);
  assert_true(hn_fit_order(step, first, RUNS) > 1.9); /* the local error: 2 or more */
  tear_down(&exact);
  bench shortest = set_up("four_bars", "generalised-alpha:redundancy=min-norm"),
        ours = set_up("four_bars", "augmented");
  must_converge(&shortest, 0.0005, 0.3, NULL, NULL);
  must_converge(&ours, 0.0005, 0.3, NULL, NULL);
  double worst = 0.0, size = 0.0;
  for (int r = 0; r < ours.model->nrow; r++) {
    worst = larger(worst, fabs(ours.solver->multipliers[r] - shortest.solver->multipliers[r]));
    size = larger(size, fabs(shortest.solver->multipliers[r]));
  }
  check_below("redundant joints: distance from the shortest forces / largest", worst / size, 1e-3);
  tear_down(&shortest), tear_down(&ours);
}

/* The memory is a cache: a reset changes results by tolerances only. */
static void test_reset(void **unused)
{
  (void)unused;
  bench kept = set_up("slider_crank", "augmented"), forgotten = set_up("slider_crank", "augmented");
  for (int i = 0; i < 100; i++) {
    assert_int_equal(hn_solver_step(kept.solver, kept.state, 0.001), HN_CONVERGED);
    assert_int_equal(hn_solver_step(forgotten.solver, forgotten.state, 0.001), HN_CONVERGED);
    kept.state->time = forgotten.state->time = 0.001 * (i + 1);
    hn_solver_reset(forgotten.solver);
  }
  check_below("a reset in every step, m", farthest(kept.state, forgotten.state), 1e-9);
  tear_down(&kept), tear_down(&forgotten);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_four_bars), cmocka_unit_test(test_start_in_line), cmocka_unit_test(test_penalty),
    cmocka_unit_test(test_forces),    cmocka_unit_test(test_spoilt_runs),   cmocka_unit_test(test_reset),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
