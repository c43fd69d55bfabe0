/* test_redundant.c - parameter redundancy: motion, multipliers and detection of redundant rows under each
 * policy. */
#include "allocations.h"
#include "policies.h"
#include "redundant/redundant.h"

#include <stdlib.h>

/* ---- Motion -------------------------------------------------------------------------------------------- */

static void policies_agree_on(const hn_model *model, const solver_spec *m, double step, double duration)
{
  outcome first = run_policy(model, m->spec, policies[0], step, duration);
  assert_int_equal(first.reason, HN_CONVERGED);
  ASSERT_COUNT("detections", first.summary.work.detections, 1);
  for (int k = 1; k < POLICIES; k++) {
    char what[96];
    outcome other = run_policy(model, m->spec, policies[k], step, duration);
    snprintf(what, sizeof what, "%s: %s from remove, m", m->spec, policies[k]);
    assert_int_equal(other.reason, HN_CONVERGED);
    check_below(what, farthest(first.state, other.state), m->bound);
    check_below("  joint error, m", other.summary.position_max,
                fmax(4.0 * first.summary.position_max, 1e-12));
    outcome_free(&other);
  }
  outcome_free(&first);
}

static void policies_agree_on_the_motion(void **state)
{
  (void)state;
  hn_model *model = thrown_cube();
  for (size_t i = 0; i < sizeof solver_specs / sizeof *solver_specs; i++)
    policies_agree_on(model, &solver_specs[i], 0.01, 0.5);
  hn_model_free(model);
}

/* Returns the error of Bricard's mechanism after 1 s at P2, the end of the second rod (REFERENCES: own
 * values, 70 digits). */
static double bricard_error(const hn_state *state)
{
  const double half[3] = { 0.0, -0.5, 0.0 };
  const double expected[3] = { 0.274481319264623, -0.886707938734672, -0.462330002687376 };
  double end[3];
  quat_rotate(end, state->pose[2].q, half);
  vec_add(end, end, state->pose[2].x);
  vec_sub(end, end, expected);
  return vec_norm(end);
}

static void bricard_moves_under_each_policy(void **state)
{
  (void)state;
  static const solver_spec cases[] = { { "taylor:order=10,stabilisation=projection", 1e-9 },
                                       { "lagrange:stepper=rk8pd,stabilisation=projection", 1e-9 },
                                       { "impulse-composed:order=8", 1e-9 } };
  hn_model *model = bricard();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (int k = 0; k < POLICIES; k++) {
      outcome o = run_policy(model, cases[i].spec, policies[k], 0.01, 1.0);
      char what[96];
      snprintf(what, sizeof what, "%s, %s: P2(1), m", cases[i].spec, policies[k]);
      if (o.reason != HN_CONVERGED) printf("  %s\n", o.summary.explanation);
      check_below(what, bricard_error(o.state), cases[i].bound);
      assert_int_equal(o.reason, HN_CONVERGED);
      outcome_free(&o);
    }
  hn_model_free(model);
}

/* Without redundant joints remove and min-norm have no effect. */
static void regular_scenes_are_unchanged(void **state)
{
  (void)state;
  hn_model *model = mixed();
  for (size_t i = 0; i < sizeof solver_specs / sizeof *solver_specs; i++) {
    outcome plain = run_policy(model, solver_specs[i].spec, "error", 0.01, 0.2);
    assert_int_equal(plain.reason, HN_CONVERGED);
    for (int k = 0; k < 2; k++) {
      outcome other = run_policy(model, solver_specs[i].spec, policies[k], 0.01, 0.2);
      assert_int_equal(other.reason, HN_CONVERGED);
      printf("  %-50s %016llx %016llx\n", solver_specs[i].spec, (unsigned long long)plain.summary.hash,
             (unsigned long long)other.summary.hash);
      assert_true(plain.summary.hash == other.summary.hash && other.summary.work.detections == 0);
      assert_int_equal(plain.summary.work.solves, other.summary.work.solves);
      outcome_free(&other);
    }
    outcome_free(&plain);
  }
  hn_model_free(model);
}

static void every_back_end_supports_policies(void **state)
{
  (void)state;
  size_t count;
  const hn_linear_info *info = hn_linear_backends(&count);
  hn_model *model = thrown_cube();
  outcome expected = run_policy(model, "impulse-sle:tolerance=1e-12", "remove", 0.01, 0.1);
  for (size_t i = 0; i < count; i++)
    for (int k = 0; k < POLICIES; k++) {
      char spec[96], what[96];
      snprintf(spec, sizeof spec, "impulse-sle:tolerance=1e-12,linear=%s", info[i].name);
      outcome o = run_policy(model, spec, policies[k], 0.01, 0.1);
      snprintf(what, sizeof what, "%s, %s: from petsc and remove, m", info[i].name, policies[k]);
      assert_int_equal(o.reason, HN_CONVERGED);
      check_below(what, farthest(o.state, expected.state), 1e-11);
      outcome_free(&o);
    }
  outcome_free(&expected);
  hn_model_free(model);
}

/* ---- Multipliers --------------------------------------------------------------------------------------- */

/* Two of three rods are side by side: the third force is unique, of the others only the sum. min-norm shares
 * it equally. */
static void forces_of_doubled_rods(void **state)
{
  (void)state;
  hn_model *model = double_pendulum();
  add_rod(model, 0, 1);
  outcome whole = run_policy(model, "lagrange", "remove", 0.01, 0.3);
  outcome shared = run_policy(model, "lagrange", "min-norm", 0.01, 0.3);
  outcome split = run_policy(model, "lagrange", "loop-split", 0.01, 0.3);
  double scale = fabs(whole.multipliers[0]);
  printf("  rod 1, its double, rod 2: %.6f %.6f %.6f N\n", whole.multipliers[0], whole.multipliers[2],
         whole.multipliers[1]);
  assert_true(scale > 1.0 && whole.multipliers[2] == 0.0);
  check_below("min-norm: half on each", (shared.multipliers[0] - shared.multipliers[2]) / scale, 1e-12);
  check_below("  and the same sum",
              (shared.multipliers[0] + shared.multipliers[2]) / whole.multipliers[0] - 1.0, 1e-12);
  check_below("loop-split: the same sum",
              (split.multipliers[0] + split.multipliers[2]) / whole.multipliers[0] - 1.0, 1e-12);
  check_below("the unique force, min-norm", shared.multipliers[1] / whole.multipliers[1] - 1.0, 1e-12);
  check_below("the unique force, loop-split", split.multipliers[1] / whole.multipliers[1] - 1.0, 1e-12);
  outcome_free(&whole), outcome_free(&shared), outcome_free(&split);
  hn_model_free(model);
}

static hn_system *system_with(const hn_model *model, int policy, const hn_state *at)
{
  hn_error error;
  const hn_linear_options options = { .backend = "dense", .petsc = "", .redundancy = policy };
  hn_system *s = hn_system_create(model, &error);
  if (hn_system_use_linear(s, &options, &error)) fail_msg("%s", error.text);
  hn_system_jacobian(s, at);
  return s;
}

/* Computes b = K c for given c. */
static void consistent_right_side(hn_system *s, double *b)
{
  double *c = calloc((size_t)s->model->nrow, sizeof *c),
         *twist = calloc(6 * (size_t)s->model->nbody, sizeof *twist);
  for (int i = 0; i < s->model->nrow; i++) c[i] = sin(3.0 * i + 1.0);
  hn_redundant_apply(s, NULL, s->model->njoint, c, twist);
  hn_redundant_rates(s, NULL, s->model->njoint, twist, b);
  free(c), free(twist);
}

/* The solution of min-norm is the shortest of all, and orthogonal to the differences of solutions. */
static void min_norm_is_the_shortest(void **state)
{
  (void)state;
  hn_model *model = redundant_cube();
  hn_state *at = hn_state_create(model);
  enum { ROWS = 28 };
  double b[ROWS], p[4][ROWS], length[4] = { 0 }, product = 0.0;
  for (int policy = HN_REMOVE; policy <= HN_LOOP_SPLIT; policy++) {
    hn_system *s = system_with(model, policy, at);
    double twist[6 * 9] = { 0 }, back[ROWS], worst = 0.0;
    consistent_right_side(s, b);
    assert_int_equal(hn_system_factor(s), HN_CONVERGED);
    assert_int_equal(hn_system_solve(s, b, p[policy]), HN_CONVERGED);
    hn_redundant_apply(s, NULL, model->njoint, p[policy], twist);
    hn_redundant_rates(s, NULL, model->njoint, twist, back);
    for (int i = 0; i < ROWS; i++) worst = fmax(worst, fabs(back[i] - b[i]));
    for (int i = 0; i < ROWS; i++) length[policy] = hypot(length[policy], p[policy][i]);
    printf(" %s: |p| = %.6f\n", policies[policy - 1], length[policy]);
    check_below("K p - b", worst, policy == HN_LOOP_SPLIT ? 1e-11 : 1e-13);
    hn_system_free(s);
  }
  for (int i = 0; i < ROWS; i++) product += p[HN_MIN_NORM][i] * (p[HN_REMOVE][i] - p[HN_MIN_NORM][i]);
  check_below("min-norm times the difference to remove", product, 1e-12);
  assert_true(length[HN_MIN_NORM] < length[HN_REMOVE] && length[HN_MIN_NORM] < length[HN_LOOP_SPLIT]);
  hn_state_free(at);
  hn_model_free(model);
}

/* ---- Detection ----------------------------------------------------------------------------------------- */

/* Redundant rows are detected again when the geometry has changed so that others, or none, are redundant. */
static void rows_are_detected_again(void **state)
{
  (void)state;
  enum { ROWS = 9 };
  hn_model *model = box_chain(2);
  add_ball(model, 2, 0, 2, 0, 0);
  hn_state *straight = hn_state_create(model), *bent = hn_state_create(model);
  for (int i = 1; i <= 2; i++) {
    const double q[4] = { 1.0, 0.1, i == 1 ? 0.2 : -0.3, i == 1 ? -0.3 : 0.1 };
    memcpy(bent->pose[i].q, q, sizeof q);
    quat_normalise(bent->pose[i].q);
  }
  for (int policy = HN_REMOVE; policy <= HN_MIN_NORM; policy++) {
    double b[ROWS], p[ROWS], plain[ROWS], difference = 0.0;
    hn_system *s = system_with(model, policy, straight), *regular = system_with(model, HN_REFUSE, bent);
    printf(" %s\n", policies[policy - 1]);
    assert_int_equal(hn_system_factor(s), HN_CONVERGED);
    assert_int_equal(hn_system_factor(s), HN_CONVERGED);
    ASSERT_COUNT("straight: dropped", s->parts->redundant->ndropped, 1);
    ASSERT_COUNT("detections", s->work.detections, 1);
    hn_system_jacobian(s, bent);
    assert_int_equal(hn_system_factor(s), HN_CONVERGED);
    ASSERT_COUNT("bent: dropped", s->parts->redundant->ndropped, 0);
    ASSERT_COUNT("detections", s->work.detections, 2);
    consistent_right_side(s, b);
    assert_int_equal(hn_system_factor(regular), HN_CONVERGED);
    assert_int_equal(hn_system_solve(s, b, p), HN_CONVERGED);
    assert_int_equal(hn_system_solve(regular, b, plain), HN_CONVERGED);
    for (int i = 0; i < ROWS; i++) difference = fmax(difference, fabs(p[i] - plain[i]));
    check_below("bent: p against that of redundancy=error", difference, 0.0);
    hn_system_jacobian(s, straight);
    assert_int_equal(hn_system_factor(s), HN_CONVERGED);
    ASSERT_COUNT("straight again: dropped", s->parts->redundant->ndropped, 1);
    ASSERT_COUNT("detections", s->work.detections, 3);
    hn_system_free(s), hn_system_free(regular);
  }
  hn_state_free(straight), hn_state_free(bent);
  hn_model_free(model);
}

/* After the step with the detection, steps allocate no memory. */
static void steps_do_not_allocate(void **state)
{
  (void)state;
  static const char *const specs[] = { "impulse-sle", "lagrange", "taylor", "half-explicit",
                                       "generalised-alpha" };
  hn_model *model = thrown_cube();
  for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
    for (int k = 0; k < POLICIES; k++) {
      char spec[64];
      snprintf(spec, sizeof spec, "%s:redundancy=%s", specs[i], policies[k]);
      hn_solver *solver = new_solver(spec, model);
      hn_state *at = hn_state_create(model);
      for (int step = 0; step < 2; step++) assert_int_equal(hn_solver_step(solver, at, 0.01), HN_CONVERGED);
      long before = allocations;
      for (int step = 0; step < 20; step++) hn_solver_step(solver, at, 0.01);
      long after = allocations;
      printf("  %-40s", spec);
      ASSERT_COUNT("allocations in 20 steps", after - before, 0);
      hn_state_free(at);
      hn_solver_free(solver);
    }
  hn_model_free(model);
}

/* A detection without memory fails the step, which leaves the state unchanged. */
static void detection_survives_without_memory(void **state)
{
  (void)state;
  hn_model *model = thrown_cube();
  int refused = 0, calls = 0;
  for (bool failed = true; failed && calls < 200; calls++) {
    hn_solver *solver = new_solver("impulse-sle:redundancy=min-norm", model);
    hn_state *at = hn_state_create(model), *before = hn_state_create(model);
    fail_allocation(calls + 1, false);
    hn_reason reason = hn_solver_step(solver, at, 0.01);
    failed = has_failed;
    fail_allocation(0, false);
    refused += failed && reason != HN_CONVERGED;
    if (reason != HN_CONVERGED)
      assert_memory_equal(at->pose, before->pose, sizeof(hn_pose) * (size_t)at->nbody);
    hn_state_free(at), hn_state_free(before);
    hn_solver_free(solver);
  }
  printf("  %d allocations made to fail, %d steps refused; the others went on with a second factorisation\n",
         calls - 1, refused);
  assert_true(refused > 5 && calls < 200);
  hn_model_free(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(policies_agree_on_the_motion),
    cmocka_unit_test(bricard_moves_under_each_policy),
    cmocka_unit_test(regular_scenes_are_unchanged),
    cmocka_unit_test(every_back_end_supports_policies),
    cmocka_unit_test(forces_of_doubled_rods),
    cmocka_unit_test(min_norm_is_the_shortest),
    cmocka_unit_test(rows_are_detected_again),
    cmocka_unit_test(steps_do_not_allocate),
    cmocka_unit_test(detection_survives_without_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
