/* test_solvers.c - contract of solvers: every solver of the registry must pass. Compared with closed forms,
 * conservation laws and exact work counts. Orders are tested in test_orders.c. */
#include "joint_contract.h"

static void free_fall_is_exact(void **state)
{
  (void)state;
  size_t count;
  const hn_solver_type *const *types = contract_types(&count);
  hn_model *model = new_model();
  add_particle(model, "p", 1, 2, 3);
  add_box(model, "box", 4, 5, 6);
  for (size_t i = 0; i < count; i++) {
    hn_solver *solver = tight(types[i], "", model);
    hn_state *at = hn_state_create(model);
    hn_summary summary;
    hn_run_options options = { .step = 0.125, .duration = 1.0 };
    at->twist[1].v[0] = 3, at->twist[2].v[1] = 7;
    assert_int_equal(hn_run(solver, at, &options, &summary), HN_CONVERGED);
    const double p[3] = { 4, 2 - 0.5 * 9.81, 3 }, box[3] = { 4, 12 - 0.5 * 9.81, 6 };
    printf(" %s\n", types[i]->name);
    /* order 1: of first order within the step, too; order 0: the error tolerance */
    int order = hn_solver_order(solver);
    double bound = order == 1 ? 9.81 * options.step : order == 0 ? 1e-6 : 2e-14;
    check_below("particle after 1 s", distance(at->pose[1].x, p), bound);
    check_below("box after 1 s", distance(at->pose[2].x, box), bound);
    hn_state_free(at);
    hn_solver_free(solver);
  }
  hn_model_free(model);
}

/* Changes of momentum and angular momentum, relative to their sizes. */
typedef struct changes {
  double linear, angular;
} changes;

/* Runs a jointed system without ground and gravity for 2 s. */
static changes changes_of_momentum(hn_solver *solver, double h)
{
  const double zero[3] = { 0, 0, 0 };
  const hn_model *model = solver->system->model;
  hn_state *at = hn_state_create(model);
  hn_measure before, after;
  hn_summary summary;
  hn_run_options options = { .step = h, .duration = 2.0 };
  for (int b = 1; b <= 3; b++) at->twist[b].w[2] = 2, at->twist[b].v[1] = 2 * (b - 1.0);
  at->twist[1].w[0] = 3; /* about the joint axis: permitted */
  hn_measure_state(model, at, &before);
  check_below("initial velocity error", before.velocity_error, 1e-14);
  assert_int_equal(hn_run(solver, at, &options, &summary), HN_CONVERGED);
  hn_measure_state(model, at, &after);
  hn_state_free(at);
  hn_solver_reset(solver);
  return (changes){ distance(before.momentum, after.momentum) / distance(before.momentum, zero),
                    distance(before.angular_momentum, after.angular_momentum) /
                      distance(before.angular_momentum, zero) };
}

/* Checks that a relative change, WHOLE with steps of 0.01 s and HALF with half of them, is of the order of
 * the solver; of order 0 within the error tolerance. */
static void check_change(const char *what, double whole, double half, double order)
{
  const double tolerance = order > 0 ? 1e-9 : 1e-6;
  check_below(what, whole, order > 0 ? 20 * pow(0.01, order) + tolerance : tolerance);
  check_below("with half the step", half, whole * pow(0.5, order - 0.3) + tolerance);
}

/* True if momentum is a nonlinear function of the coordinates that are integrated. */
static bool curves_momentum(const hn_solver_type *type)
{
  return strcmp(type->name, "articulated") == 0 || has_param(type, "growth");
}

/* Solvers conserve momentum to rounding, or to their order where it is a nonlinear function of what they
 * integrate; angular momentum to rounding if they declare it, otherwise to their order. */
static void momentum_is_conserved(void **state)
{
  (void)state;
  const double none[3] = { 0, 0, 0 };
  size_t count;
  const hn_solver_type *const *types = contract_types(&count);
  hn_model *model = hn_model_create(none);
  for (int i = 0; i < 3; i++) {
    char name[16];
    snprintf(name, sizeof name, "b%d", i);
    add_box(model, name, i, 0, 0);
    if (i > 0) add_ball(model, i, i + 1, i - 0.5, 0, 0);
  }
  for (size_t i = 0; i < count; i++) {
    hn_solver *solver = tight(types[i], has_param(types[i], "flight") ? ",flight=exact" : "", model);
    printf(" %s\n", types[i]->name);
    const changes whole = changes_of_momentum(solver, 0.01), half = changes_of_momentum(solver, 0.005);
    const double order = hn_solver_order(solver);
    const bool iterates = strcmp(types[i]->name, "avbd") == 0; /* momentum to the error of its sweeps */
    if (curves_momentum(types[i]))
      check_change("relative change of momentum", whole.linear, half.linear, order);
    else
      check_below("relative change of momentum", larger(whole.linear, half.linear), iterates ? 1e-12 : 2e-14);
    if (types[i]->capabilities & HN_KEEPS_MOMENTUM)
      check_below("of angular momentum", larger(whole.angular, half.angular), 1e-12);
    else check_change("of angular momentum", whole.angular, half.angular, order);
    hn_solver_free(solver);
  }
  hn_model_free(model);
}

static uint64_t hash_of_run(hn_solver *solver, const hn_model *model, double h)
{
  hn_state *at = hn_state_create(model);
  hn_summary summary;
  hn_run_options options = { .step = h, .duration = 0.5 };
  assert_int_equal(hn_run(solver, at, &options, &summary), HN_CONVERGED);
  hn_state_free(at);
  return summary.hash;
}

static void reset_restores_the_initial_solver(void **state)
{
  (void)state;
  size_t count;
  const hn_solver_type *const *types = contract_types(&count);
  hn_model *model = box_pendulum();
  for (size_t i = 0; i < count; i++) {
    hn_solver *used = tight(types[i], "", model), *fresh = tight(types[i], "", model);
    hash_of_run(used, model, 0.005);
    uint64_t again = hash_of_run(used, model, 0.01), first = hash_of_run(fresh, model, 0.01);
    printf("  %-12s %016llx %016llx\n", types[i]->name, (unsigned long long)again, (unsigned long long)first);
    assert_true(again == first);
    hn_solver_free(used);
    hn_solver_free(fresh);
  }
  hn_model_free(model);
}

/* A failed step restores the state, and later steps are those of a new solver. */
static void failed_step_restores(void **state)
{
  (void)state;
  size_t count;
  const hn_solver_type *const *types = contract_types(&count);
  hn_model *model = box_pendulum(), *cube = redundant_cube();
  for (size_t i = 0; i < count; i++) {
    bool refuses_redundant = !(types[i]->capabilities & HN_CAN_REDUNDANT);
    if (!refuses_redundant && !has_param(types[i], "tolerance")) continue; /* never stalls */
    /* Ball joints are linear in dependent positions: one iteration solves them (test_independent.c). */
    if (has_param(types[i], "growth")) continue;
    hn_model *m = refuses_redundant ? cube : model;
    const bool newton = has_param(types[i], "contact_tolerance"); /* its iterations converge quadratically */
    const bool augments = strcmp(types[i]->name, "augmented") == 0; /* it converges in long steps, too */
    const char *few = newton ? ",iterations=3"
                             : ",iterations=30"; /* too few for a long step, enough for a short one */
    if (augments) few = ",iterations=10";
    const char *limit = refuses_redundant ? "" : few;
    hn_solver *solver = tight(types[i], limit, m), *fresh = tight(types[i], limit, m);
    hn_state *at = hn_state_create(m), *before = hn_state_create(m);
    hn_reason reason = hn_solver_step(solver, at, 0.25);
    char text[256];
    hn_solver_explain(solver, reason, 0.25, text, sizeof text);
    printf("  %s\n", text);
    assert_int_equal(reason, refuses_redundant ? HN_SINGULAR : HN_STALLED);
    assert_memory_equal(at->pose, before->pose, sizeof(hn_pose) * (size_t)at->nbody);
    assert_memory_equal(at->twist, before->twist, sizeof(hn_twist) * (size_t)at->nbody);
    assert_true(at->time == before->time);
    if (!refuses_redundant) {
      assert_int_equal(hn_solver_step(solver, at, 0.001), HN_CONVERGED);
      assert_int_equal(hn_solver_step(fresh, before, 0.001), HN_CONVERGED);
      assert_memory_equal(at->twist, before->twist, sizeof(hn_twist) * (size_t)at->nbody);
    }
    hn_state_free(at), hn_state_free(before);
    hn_solver_free(solver), hn_solver_free(fresh);
  }
  hn_model_free(model);
  hn_model_free(cube);
}

static void large_steps_stall(void **state)
{
  (void)state;
  hn_model *model = box_pendulum();
  hn_solver *solver = new_solver("impulse-sle", model);
  hn_state *at = hn_state_create(model);
  hn_summary summary;
  hn_run_options options = { .step = 0.5, .duration = 2 };
  hn_reason reason = hn_run(solver, at, &options, &summary);
  printf("  %s\n", summary.explanation);
  assert_int_equal(reason, HN_STALLED);
  assert_non_null(strstr(summary.explanation, "worst joint"));
  hn_state_free(at);
  hn_solver_free(solver);
  hn_model_free(model);
}

static void work_is_counted_exactly(void **state)
{
  (void)state;
  hn_model *model = box_chain(5);
  hn_solver *solver = new_solver("impulse-sle:tolerance=1e-10", model);
  hn_state *at = hn_state_create(model);
  const uint64_t steps = 7, iterations = count_iterations(solver, at, 0.01, steps);
  const hn_work *w = &solver->system->work;
  ASSERT_COUNT("sle: factorisations", w->factorisations, steps + 1);
  ASSERT_COUNT("sle: Jacobians", w->jacobians, 5 * (steps + 1));
  ASSERT_COUNT("sle: solves", w->solves, iterations + steps);
  ASSERT_COUNT("sle: flights", w->flights, 5 * (iterations + steps));
  ASSERT_COUNT("sle: residuals", w->residuals, 5 * (iterations + steps));
  ASSERT_COUNT("sle: impulses, an initial guess in all steps but one", w->impulses,
               5 * (iterations + steps + steps - 1));
  hn_state_free(at);
  hn_solver_free(solver);
  solver = new_solver("lagrange:stepper=rk8pd", model);
  at = hn_state_create(model);
  for (uint64_t k = 0; k < steps; k++) assert_int_equal(hn_solver_step(solver, at, 0.01), HN_CONVERGED);
  ASSERT_COUNT("rk8pd: factorisations, 13 stages, and the end once", solver->system->work.factorisations,
               13 * steps + 1);
  hn_state_free(at);
  hn_solver_free(solver);
  solver = new_solver("impulse-gs:sweeps=3", model);
  at = hn_state_create(model);
  for (uint64_t k = 0; k < steps; k++) assert_int_equal(hn_solver_step(solver, at, 0.01), HN_CONVERGED);
  ASSERT_COUNT("gs: sweeps=3, both corrections", solver->system->work.sweeps, 6 * steps);
  assert_true(solver->report.residual > 0);
  hn_state_free(at);
  hn_solver_free(solver);
  hn_model_free(model);
}

static void empty_scenes_run(void **state)
{
  (void)state;
  size_t count;
  const hn_solver_type *const *types = contract_types(&count);
  hn_model *model = new_model();
  add_own_solvers(model);
  for (size_t i = 0; i < count; i++)
    for (const char *const *setting = hn_solver_variants(types[i]); *setting; setting++) {
      char spec[160];
      snprintf(spec, sizeof spec, "%s%s%s", types[i]->name, **setting ? ":" : "", *setting);
      hn_solver *solver = new_solver(spec, model); /* no bodies at all */
      hn_state *at = hn_state_create(model);
      assert_int_equal(hn_solver_step(solver, at, 0.1), HN_CONVERGED);
      hn_state_free(at);
      hn_solver_free(solver);
    }
  hn_model_free(model);
}

static void over_relaxation_saves_sweeps(void **state)
{
  (void)state;
  hn_model *model = box_chain(20);
  double sweeps[2];
  static const char *const specs[] = { "impulse-gs:tolerance=1e-8",
                                       "impulse-gs:tolerance=1e-8,relaxation=1.4" };
  for (int i = 0; i < 2; i++) {
    hn_solver *solver = new_solver(specs[i], model);
    hn_state *at = hn_state_create(model);
    hn_summary summary;
    hn_run_options options = { .step = 0.01, .duration = 0.3 };
    assert_int_equal(hn_run(solver, at, &options, &summary), HN_CONVERGED);
    sweeps[i] = summary.position_iterations_mean;
    printf("  %-45s %.1f sweeps per step\n", specs[i], sweeps[i]);
    hn_state_free(at);
    hn_solver_free(solver);
  }
  assert_true(sweeps[1] < sweeps[0]);
  hn_model_free(model);
}

static void bad_parameters_are_errors(void **state)
{
  (void)state;
  static const bad_spec bad[] = {
    { "impulse-sel", "did you mean \"impulse-sle\"" },
    { "impulse-sle:tolerence=1e-6", "did you mean \"tolerance\"" },
    { "impulse-sle:tolerance=1e-3,tolerance=1e-9", "tolerance is given twice" },
    { "impulse-sle:tolerance=0", "outside" },
    { "impulse-sle:tolerance=nan", "must be a number" },
    { "impulse-sle:tolerance=1e-6x", "must be a number" },
    { "impulse-sle:iterations=2.5", "whole number" },
    { "impulse-sle:flight=rk5", "one of rk4,taylor,exact" },
    { "impulse-sle:tolerance", "key=value" },
    { "impulse-gs:flight_adaptive=maybe", "true or false" },
    { "lagrange:stepper=msadams", "adaptive=true" },
    { "lagrange:alpha=-1", "outside" },
  };
  hn_model *model = box_chain(2);
  check_refused(model, bad, sizeof bad / sizeof *bad);
  hn_model_free(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(free_fall_is_exact),
    cmocka_unit_test(momentum_is_conserved),
    cmocka_unit_test(reset_restores_the_initial_solver),
    cmocka_unit_test(failed_step_restores),
    cmocka_unit_test(large_steps_stall),
    cmocka_unit_test(work_is_counted_exactly),
    cmocka_unit_test(empty_scenes_run),
    cmocka_unit_test(over_relaxation_saves_sweeps),
    cmocka_unit_test(bad_parameters_are_errors),
  };
  return cmocka_run_group_tests(tests, load_contract_solvers, unload_contract_solvers);
}
