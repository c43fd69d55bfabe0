/* test_large_steps.c - half-explicit with large rotations per step: the multipliers converge, and too large a
 * step shows in the energy. Compared with small steps. */
#include "every_solver.h"
#include "models.h"
#include "base/random.h"
#include "base/vec.h"

/* Returns `count` bars on hinges: released from the horizontal (start 0), or from irregular angles. */
static hn_model *hanging_bars(int count, int start)
{
  hn_error error;
  hn_model *model = new_model();
  uint32_t pattern = (uint32_t)start;
  double at[3] = { 0 };
  for (int i = 0; i < count; i++) {
    char name[16];
    snprintf(name, sizeof name, "bar%d", i + 1);
    const double angle = start == 0 ? 0.0 : 2 * irregular(&pattern), along[3] = { cos(angle), sin(angle), 0 };
    hn_body_spec bar = { .name = name,
                         .kind = HN_RIGID,
                         .shape = { .kind = HN_BOX, .size = { 1.0, 0.1, 0.1 } },
                         .density = 1000,
                         .orientation = { cos(0.5 * angle), 0, 0, sin(0.5 * angle) } };
    vec_copy(bar.position, at), vec_add_scaled(bar.position, 0.5, along);
    must(hn_model_add_body(model, &bar, &error), &error);
    hn_joint_spec hinge = { .type = "hinge", .a = i, .b = i + 1, .has_points = true, .axis_a = { 0, 0, 1 } };
    vec_copy(hinge.at_a, at), vec_copy(hinge.at_b, at);
    must(hn_model_add_joint(model, &hinge, &error), &error);
    vec_add(at, at, along);
  }
  return model;
}

static hn_reason run_bars(const hn_model *model, double h, double duration, hn_summary *summary)
{
  hn_solver *solver = new_solver("half-explicit", model);
  hn_state *at = hn_state_create(model);
  hn_run_options options = { .step = h, .duration = duration };
  const hn_reason reason = hn_run(solver, at, &options, summary);
  hn_state_free(at);
  hn_solver_free(solver);
  return reason;
}

/* At t = 9.9 s the last of three bars rotates so fast that fixed-point iteration for the multipliers of a
 * stage does not converge. */
static void half_explicit_converges_with_large_steps(void **state)
{
  (void)state;
  hn_summary summary;
  hn_model *model = hanging_bars(3, 0);
  if (run_bars(model, 1.0 / 32, 40, &summary) != HN_CONVERGED) fail_msg("%s", summary.explanation);
  check_below("iterations per stage, steps of 1/32 s", summary.velocity_iterations_mean / 5, 50);
  hn_model_free(model);
}

/* No step stalls: even if five bars rotate by more than about a radian per step relative to each other. The
 * run then ends by its energy. */
static void half_explicit_finds_its_multipliers(void **state)
{
  (void)state;
  static const int bars[] = { 2, 3, 5 };
  for (int i = 0; i < 3; i++)
    for (int inverse = 128; inverse >= 32; inverse /= 2) {
      int ended[HN_REASONS] = { 0 };
      for (int start = 0; start < 8; start++) {
        hn_summary summary;
        hn_model *model = hanging_bars(bars[i], start);
        const hn_reason reason = run_bars(model, 1.0 / inverse, 20, &summary);
        ended[reason]++;
        if (reason == HN_STALLED) fail_msg("start %d: %s", start, summary.explanation);
        hn_model_free(model);
      }
      printf("  %d bars, h = 1/%-3d s: %d of 8 complete 20 s, %d diverge\n", bars[i], inverse,
             ended[HN_CONVERGED], ended[HN_DIVERGED]);
      assert_int_equal(ended[HN_CONVERGED] + ended[HN_DIVERGED], 8);
      if (bars[i] < 5 || inverse > 32) assert_int_equal(ended[HN_CONVERGED], 8);
      else assert_true(ended[HN_DIVERGED] > 0);
    }
}

static double energy_of(const hn_model *model, const hn_state *at)
{
  hn_measure measure;
  hn_measure_state(model, at, &measure);
  return measure.kinetic + measure.potential;
}

/* Advances `at` from `from` by 1/32 s in `parts` steps. */
static void advance(const hn_model *model, const hn_state *from, int parts, hn_state *at)
{
  hn_solver *solver = new_solver("half-explicit", model);
  hn_state_copy(at, from);
  for (int i = 0; i < parts; i++)
    assert_int_equal(hn_solver_step(solver, at, 1.0 / (32 * parts)), HN_CONVERGED);
  hn_solver_free(solver);
}

/* Computes the state of five bars before the step at which they diverge. */
static void find_divergence(const hn_model *model, hn_state *before)
{
  hn_solver *solver = new_solver("half-explicit", model);
  hn_state *at = hn_state_create(model);
  const double start = energy_of(model, at);
  for (int steps = 0; fabs(energy_of(model, at) - start) < 1e4 && steps < 640; steps++) {
    hn_state_copy(before, at);
    assert_int_equal(hn_solver_step(solver, at, 1.0 / 32), HN_CONVERGED);
  }
  double relative = 0.0;
  for (int i = 2; i < before->nbody; i++)
    relative = fmax(relative, fabs(before->twist[i].w[2] - before->twist[i - 1].w[2]) / 32);
  printf("  t = %g s: relative rotation of bars %.2f rad per step\n", before->time, relative);
  hn_state_free(at);
  hn_solver_free(solver);
}

/* The step is merely too large for the solver: divided, it has its order. */
static void diverging_step_is_too_large(void **state)
{
  (void)state;
  enum { SIZES = 6, FIRST = 16 };
  hn_model *model = hanging_bars(5, 0);
  hn_state *before = hn_state_create(model), *exact = hn_state_create(model), *at = hn_state_create(model);
  find_divergence(model, before);
  const double energy = energy_of(model, before);
  double change[2], h[SIZES], error[SIZES];
  for (int parts = 1; parts <= 2; parts++) {
    advance(model, before, parts, at);
    change[parts - 1] = fabs(energy_of(model, at) - energy);
    printf("  in %d steps: energy changes by %.3e J\n", parts, change[parts - 1]);
  }
  check_below("energy change in two halves, relative", change[1] / change[0], 0.1);
  advance(model, before, FIRST << (SIZES + 3), exact);
  for (int k = 0; k < SIZES; k++) {
    double difference[3];
    h[k] = 1.0 / (32 * (FIRST << k));
    advance(model, before, FIRST << k, at);
    vec_sub(difference, at->pose[5].x, exact->pose[5].x);
    error[k] = vec_norm(difference);
    printf("  in %3d steps: error %.3e m\n", FIRST << k, error[k]);
  }
  check_near("order", hn_fit_order(h, error, SIZES), 4, 0.2);
  hn_state_free(at), hn_state_free(exact), hn_state_free(before);
  hn_model_free(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(half_explicit_converges_with_large_steps),
    cmocka_unit_test(half_explicit_finds_its_multipliers),
    cmocka_unit_test(diverging_step_is_too_large),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
