/* test_redundant.c - parameter redundancy: what methods make of a singular K under each policy. */
#include "allocations.h"
#include "loops.h"
#include "redundant/redundant.h"

#include <stdlib.h>

static const char *const policies[] = { "remove", "min-norm", "loop-split" };
enum { POLICIES = 3 };

/* The cube of 28 rods, thrown and turning. */
static hn_model *thrown_cube(void)
{
  hn_model *model = redundant_cube();
  const double spin[3] = { 0.5, 1.0, 0.25 };
  for (int i = 1; i < model->nbody; i++) {
    const double centre[3] = { 0.5, 0.5, 0.5 };
    double arm[3];
    vec_sub(arm, model->body[i].pose0.x, centre);
    vec_cross(model->body[i].twist0.v, spin, arm);
    model->body[i].twist0.v[1] += 5.0;
  }
  return model;
}

typedef struct outcome {
  hn_reason reason;
  hn_state *state;
  hn_summary summary;
  double *multipliers; /* [nrow] */
} outcome;

static outcome run_model(const hn_model *model, const char *spec, double step, double duration)
{
  outcome o = { .state = hn_state_create(model), .multipliers = calloc((size_t)model->nrow + 1, sizeof(double)) };
  hn_solver *solver = new_solver(spec, model);
  hn_run_options options = { .step = step, .duration = duration };
  o.reason = hn_run(solver, o.state, &options, &o.summary);
  memcpy(o.multipliers, solver->multipliers, sizeof(double) * (size_t)model->nrow);
  hn_solver_free(solver);
  return o;
}

static void outcome_free(outcome *o)
{
  hn_state_free(o->state);
  free(o->multipliers);
}

static double distance_of(const hn_state *a, const hn_state *b)
{
  double largest = 0.0;
  for (int i = 0; i < a->nbody; i++) {
    double d[3];
    vec_sub(d, a->pose[i].x, b->pose[i].x);
    largest = fmax(largest, vec_norm(d));
  }
  return largest;
}

/* ---- Motion ------------------------------------------------------------------------------------------------------ */

/* A method, and how far apart its policies may be: what its tolerance leaves open. */
typedef struct method {
  const char *spec;
  double bound;
} method;

static const method methods[] = {
  { "impulse-sle:tolerance=1e-12,first_guess=zero", 1e-11 },
  { "impulse-extrapolated", 1e-11 },
  { "impulse-composed", 1e-11 },
  { "lagrange:stepper=rk4", 1e-11 },
  { "lagrange:stepper=rk8pd,stabilisation=projection", 1e-11 },
  { "lagrange:stepper=rk8pd,stabilisation=baumgarte", 1e-11 },
  { "taylor:order=10", 1e-11 },
  { "taylor:order=10,stabilisation=projection", 1e-11 },
  { "half-explicit", 1e-11 },
  { "half-explicit:stabilisation=projection", 1e-11 },
  { "generalised-alpha", 1e-11 },
  { "ida", 1e-10 },
};

static outcome run_policy(const hn_model *model, const char *spec, const char *policy, double step, double duration)
{
  char whole[128];
  snprintf(whole, sizeof whole, "%s%credundancy=%s", spec, strchr(spec, ':') ? ',' : ':', policy);
  outcome o = run_model(model, whole, step, duration);
  if (o.reason != HN_CONVERGED) printf("  %s: %s\n", policy, o.summary.explanation);
  return o;
}

static void policies_agree_on(const hn_model *model, const method *m, double step, double duration)
{
  outcome first = run_policy(model, m->spec, policies[0], step, duration);
  assert_int_equal(first.reason, HN_CONVERGED);
  ASSERT_COUNT("detections", first.summary.work.detections, 1);
  for (int k = 1; k < POLICIES; k++) {
    char what[96];
    outcome other = run_policy(model, m->spec, policies[k], step, duration);
    snprintf(what, sizeof what, "%s: %s from remove, m", m->spec, policies[k]);
    assert_int_equal(other.reason, HN_CONVERGED);
    check_below(what, distance_of(first.state, other.state), m->bound);
    check_below("  joint error, m", other.summary.position_max, fmax(4.0 * first.summary.position_max, 1e-12));
    outcome_free(&other);
  }
  outcome_free(&first);
}

static void policies_agree_on_the_motion(void **state)
{
  (void)state;
  hn_model *model = thrown_cube();
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) policies_agree_on(model, &methods[i], 0.01, 0.5);
  hn_model_free(model);
}

/* Bricard's mechanism after 1 s: P2 is the end of the second rod (REFERENCES: own values, 70 digits). */
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
  static const method ways[] = { { "taylor:order=10,stabilisation=projection", 1e-9 },
                                 { "lagrange:stepper=rk8pd,stabilisation=projection", 1e-9 },
                                 { "impulse-composed:order=8", 1e-9 } };
  hn_model *model = bricard();
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
    for (int k = 0; k < POLICIES; k++) {
      outcome o = run_policy(model, ways[i].spec, policies[k], 0.01, 1.0);
      char what[96];
      snprintf(what, sizeof what, "%s, %s: P2(1), m", ways[i].spec, policies[k]);
      if (o.reason != HN_CONVERGED) printf("  %s\n", o.summary.explanation);
      check_below(what, bricard_error(o.state), ways[i].bound);
      assert_int_equal(o.reason, HN_CONVERGED);
      outcome_free(&o);
    }
  hn_model_free(model);
}

/* Without redundant joints remove and min-norm do nothing at all. */
static void regular_scenes_keep_their_bits(void **state)
{
  (void)state;
  hn_model *model = mixed();
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    outcome plain = run_policy(model, methods[i].spec, "error", 0.01, 0.2);
    assert_int_equal(plain.reason, HN_CONVERGED);
    for (int k = 0; k < 2; k++) {
      outcome other = run_policy(model, methods[i].spec, policies[k], 0.01, 0.2);
      assert_int_equal(other.reason, HN_CONVERGED);
      printf("  %-50s %016llx %016llx\n", methods[i].spec, (unsigned long long)plain.summary.hash,
             (unsigned long long)other.summary.hash);
      assert_true(plain.summary.hash == other.summary.hash && other.summary.work.detections == 0);
      assert_int_equal(plain.summary.work.solves, other.summary.work.solves);
      outcome_free(&other);
    }
    outcome_free(&plain);
  }
  hn_model_free(model);
}

static void every_back_end_takes_policies(void **state)
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
      check_below(what, distance_of(o.state, expected.state), 1e-11);
      outcome_free(&o);
    }
  outcome_free(&expected);
  hn_model_free(model);
}

/* ---- Multipliers ------------------------------------------------------------------------------------------------- */

/* Two of three rods lie side by side: the third force is unique, of the others only the sum is. min-norm shares it. */
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
  check_below("  and the same sum", (shared.multipliers[0] + shared.multipliers[2]) / whole.multipliers[0] - 1.0,
              1e-11);
  check_below("loop-split: the same sum", (split.multipliers[0] + split.multipliers[2]) / whole.multipliers[0] - 1.0,
              1e-10);
  check_below("the unique force, min-norm", shared.multipliers[1] / whole.multipliers[1] - 1.0, 1e-11);
  check_below("the unique force, loop-split", split.multipliers[1] / whole.multipliers[1] - 1.0, 1e-10);
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

/* b = K c */
static void consistent_right_side(hn_system *s, double *b)
{
  double *c = calloc((size_t)s->model->nrow, sizeof *c), *twist = calloc(6 * (size_t)s->model->nbody, sizeof *twist);
  for (int i = 0; i < s->model->nrow; i++) c[i] = sin(3.0 * i + 1.0);
  hn_redundant_apply(s, NULL, s->model->njoint, c, twist);
  hn_redundant_rates(s, NULL, s->model->njoint, twist, b);
  free(c), free(twist);
}

/* Of all solutions that of min-norm is the shortest; it is orthogonal to their differences. */
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
  check_below("min-norm times what remove adds", product, 1e-12);
  assert_true(length[HN_MIN_NORM] < length[HN_REMOVE] && length[HN_MIN_NORM] < length[HN_LOOP_SPLIT]);
  hn_state_free(at);
  hn_model_free(model);
}

/* ---- Detection --------------------------------------------------------------------------------------------------- */

/* The dropped rows are found again when the geometry has changed so far that others, or none, are redundant. */
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
    ASSERT_COUNT("straight: dropped", s->redundant->ndropped, 1);
    ASSERT_COUNT("detections", s->work.detections, 1);
    hn_system_jacobian(s, bent);
    assert_int_equal(hn_system_factor(s), HN_CONVERGED);
    ASSERT_COUNT("bent: dropped", s->redundant->ndropped, 0);
    ASSERT_COUNT("detections", s->work.detections, 2);
    consistent_right_side(s, b);
    assert_int_equal(hn_system_factor(regular), HN_CONVERGED);
    assert_int_equal(hn_system_solve(s, b, p), HN_CONVERGED);
    assert_int_equal(hn_system_solve(regular, b, plain), HN_CONVERGED);
    for (int i = 0; i < ROWS; i++) difference = fmax(difference, fabs(p[i] - plain[i]));
    check_below("bent: p against that of redundancy=error", difference, 0.0);
    hn_system_jacobian(s, straight);
    assert_int_equal(hn_system_factor(s), HN_CONVERGED);
    ASSERT_COUNT("straight again: dropped", s->redundant->ndropped, 1);
    ASSERT_COUNT("detections", s->work.detections, 3);
    hn_system_free(s), hn_system_free(regular);
  }
  hn_state_free(straight), hn_state_free(bent);
  hn_model_free(model);
}

/* After the step in which the rows are detected, steps ask for no memory. */
static void steps_do_not_allocate(void **state)
{
  (void)state;
  static const char *const specs[] = { "impulse-sle", "lagrange", "taylor", "half-explicit", "generalised-alpha" };
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

/* A detection that gets no memory refuses the step, which leaves the state as it was. */
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
    if (reason != HN_CONVERGED) assert_memory_equal(at->pose, before->pose, sizeof(hn_pose) * (size_t)at->nbody);
    hn_state_free(at), hn_state_free(before);
    hn_solver_free(solver);
  }
  printf("  %d allocations made to fail, %d steps refused; the others went on with a second factorisation\n", calls - 1,
         refused);
  assert_true(refused > 5 && calls < 200);
  hn_model_free(model);
}

/* ---- Refusals and conflicts -------------------------------------------------------------------------------------- */

static void refusals_name_the_joints(void **state)
{
  (void)state;
  hn_model *model = box_chain(3);
  add_ball(model, 1, 2, 1, 0, 0);
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    outcome o = run_policy(model, methods[i].spec, "error", 0.01, 0.1);
    assert_int_equal(o.reason, HN_SINGULAR);
    assert_non_null(strstr(o.summary.explanation, "redundant: ball4"));
    outcome_free(&o);
  }
  hn_model_free(model);
}

/* A particle that two drives move along x, x = t and x = t + GAIN t^2; at the start they agree. */
static hn_model *driven_twice(double gain)
{
  hn_error error;
  hn_model *model = new_model();
  int cart = add_particle(model, "cart", 0, 0, 0);
  model->body[cart].twist0.v[0] = 1.0;
  for (int i = 0; i < 2; i++) {
    hn_joint_spec drive = { .type = "drive_position", .name = i ? "other drive" : "drive", .a = 0, .b = cart,
                            .has_points = true, .axis_a = { 1, 0, 0 }, .motion.polynomial = { 0, 1, i ? gain : 0.0 } };
    if (hn_model_add_joint(model, &drive, &error) < 0) fail_msg("%s", error.text);
  }
  int bob = add_particle(model, "bob", 0, -1, 0);
  model->body[bob].twist0.v[0] = 1.0;
  add_rod(model, cart, bob);
  return model;
}

static void drives_that_agree_run(void **state)
{
  (void)state;
  hn_model *model = driven_twice(0.0);
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
    for (int k = 0; k < POLICIES; k++) {
      outcome o = run_policy(model, methods[i].spec, policies[k], 0.01, 0.2);
      char what[96];
      snprintf(what, sizeof what, "%s, %s: x - t, m", methods[i].spec, policies[k]);
      assert_int_equal(o.reason, HN_CONVERGED);
      check_below(what, o.state->pose[1].x[0] - 0.2, 1e-9);
      outcome_free(&o);
    }
  hn_model_free(model);
}

static void drives_in_conflict_are_named(void **state)
{
  (void)state;
  static const double gains[] = { 0.1, 1e-3, -1.0 };
  for (size_t r = 0; r < sizeof gains / sizeof *gains; r++) {
    hn_model *model = driven_twice(gains[r]);
    printf(" x = t and x = t + %g t^2\n", gains[r]);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
      for (int k = 0; k < POLICIES; k++) {
        outcome o = run_policy(model, methods[i].spec, policies[k], 0.01, 0.2);
        bool told = strstr(o.summary.explanation, "constraints in conflict: drive, other drive") != NULL;
        bool ida = strcmp(methods[i].spec, "ida") == 0; /* makes its steps smaller instead, until it stalls */
        assert_true(o.reason == HN_SINGULAR || (ida && o.reason == HN_STALLED));
        assert_true(told || (ida && o.reason == HN_STALLED));
        assert_true(o.summary.steps <= 1);
        outcome_free(&o);
      }
    hn_model_free(model);
  }
}

/* Rods of 1 m and of 1.1 m between the same points: a step cannot meet both, and says which. */
static void lengths_in_conflict_are_named(void **state)
{
  (void)state;
  hn_model *model = double_pendulum();
  add_rod(model, 0, 1);
  *(double *)model->joint[2].data = 1.1; /* its one parameter, the length */
  model->loose = true;
  for (int k = 0; k < POLICIES; k++) {
    outcome o = run_policy(model, "impulse-sle", policies[k], 0.01, 0.1);
    assert_int_equal(o.reason, HN_SINGULAR);
    assert_non_null(strstr(o.summary.explanation, "constraints in conflict: distance1, distance3"));
    outcome_free(&o);
  }
  hn_model_free(model);
}

static void own_matrices_are_unsupported(void **state)
{
  (void)state;
  hn_model *model = thrown_cube(), *regular = mixed();
  for (int k = 0; k < POLICIES; k++) {
    outcome o = run_policy(model, "impulse-newton", policies[k], 0.01, 0.1);
    assert_int_equal(o.reason, HN_UNSUPPORTED);
    outcome_free(&o);
    o = run_policy(regular, "impulse-newton", policies[k], 0.01, 0.1);
    assert_int_equal(o.reason, HN_CONVERGED);
    outcome_free(&o);
  }
  hn_model_free(model), hn_model_free(regular);
}

static const hn_solver_type *type_named(const char *name)
{
  hn_error error;
  const hn_solver_type *type = hn_solver_type_find(name, NULL, &error);
  if (!type) fail_msg("%s", error.text);
  return type;
}

static void capability_is_told(void **state)
{
  (void)state;
  assert_int_equal(hn_solver_redundant(type_named("impulse-gs")), HN_ALWAYS);
  assert_int_equal(hn_solver_redundant(type_named("impulse-newton")), HN_NEVER);
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(methods[i].spec, ":"), methods[i].spec);
    assert_int_equal(hn_solver_redundant(type_named(name)), HN_BY_POLICY);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(policies_agree_on_the_motion),
    cmocka_unit_test(bricard_moves_under_each_policy),
    cmocka_unit_test(regular_scenes_keep_their_bits),
    cmocka_unit_test(every_back_end_takes_policies),
    cmocka_unit_test(forces_of_doubled_rods),
    cmocka_unit_test(min_norm_is_the_shortest),
    cmocka_unit_test(rows_are_detected_again),
    cmocka_unit_test(steps_do_not_allocate),
    cmocka_unit_test(detection_survives_without_memory),
    cmocka_unit_test(refusals_name_the_joints),
    cmocka_unit_test(drives_that_agree_run),
    cmocka_unit_test(drives_in_conflict_are_named),
    cmocka_unit_test(lengths_in_conflict_are_named),
    cmocka_unit_test(own_matrices_are_unsupported),
    cmocka_unit_test(capability_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
