/* test_solvers.c - the contract of methods, run over the registry: whatever method is listed must pass. */
#include "models.h"

#include <stdlib.h>
#include <string.h>

/* Published values (own integrations in two formulations at 40 to 70 digits; see doc/references.md), t = 1. */
static const double double_pendulum_at_1[2][3] = { { -0.5851683919988750689, -0.8109118034690646209, 0 },
                                                   { -1.4448188499434757965, -1.3217944613814645558, 0 } };
static const double double_pendulum_velocity_at_1[2][3] = { { -3.1806228021604616165, 2.2951940306368917789, 0 },
                                                            { -3.8463536098580947779, 3.4154038965259580849, 0 } };
static const double box_pendulum_at_1[2][3] = {
  { -0.46679857653620394607, -0.17916210723932289063, -1.6814677847356599405e-4 },
  { -1.29916359700828098771, -0.69944174812535403196, -3.9379892206472479055e-4 }
};

static hn_model *box_pendulum(void)
{
  hn_error error;
  hn_model *model = new_model();
  for (int i = 0; i < 2; i++) {
    hn_body_spec box = { .name = i ? "second" : "first", .kind = HN_RIGID, .shape = { HN_BOX, { 1.0, 0.1, 0.1 } },
                         .density = 1000, .position = { i + 0.5, 0, 0 }, .orientation = { 1, 0, 0, 0 },
                         .angular_velocity = { i, 0, 0 } };
    assert_int_equal(hn_model_add_body(model, &box, &error), i + 1);
    add_ball(model, i, i + 1, i, 0, 0);
  }
  return model;
}

static bool has_param(const hn_solver_type *type, const char *key)
{
  for (const hn_param *p = type->params; p->key; p++)
    if (strcmp(p->key, key) == 0) return true;
  return false;
}

/* The method with tolerances far below the errors that are measured. */
static hn_solver *tight(const hn_solver_type *type, const char *more, const hn_model *model)
{
  char spec[256];
  snprintf(spec, sizeof spec, "%s:%s%s%s", type->name, has_param(type, "tolerance") ? "tolerance=1e-13" : "",
           has_param(type, "velocity_tolerance") ? ",velocity_tolerance=1e-13" : "", more);
  return new_solver(spec, model);
}

static double distance(const double a[3], const double b[3])
{
  return sqrt(pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2));
}

static double larger(double a, double b)
{
  return b > a || isnan(b) ? b : a;
}

typedef struct errors { double position, velocity; } errors;

static errors run_to_1(hn_solver *solver, double h, const double x[2][3], const double (*v)[3])
{
  const hn_model *model = solver->system->model;
  hn_state *state = hn_state_create(model);
  hn_summary summary;
  hn_run_options options = { .step = h, .duration = 1.0 };
  assert_int_equal(hn_run(solver, state, &options, &summary), HN_CONVERGED);
  errors e = { 0, 0 };
  for (int i = 0; i < 2; i++) {
    e.position = larger(e.position, distance(state->pose[i + 1].x, x[i]));
    if (v) e.velocity = larger(e.velocity, distance(state->twist[i + 1].v, v[i]));
  }
  hn_state_free(state);
  return e;
}

/* Six numbers of steps in the asymptotic range of an order, above round-off; from order 8 on that range is narrow and
 * begins later for the boxes. */
static const int *step_counts(int order, bool boxes)
{
  static const int low[6] = { 50, 100, 200, 400, 800, 1600 }, middle[6] = { 100, 140, 200, 280, 400, 560 },
                   high[6] = { 20, 24, 29, 35, 42, 50 }, high_boxes[6] = { 42, 48, 56, 65, 75, 86 };
  return order >= 8 ? boxes ? high_boxes : high : order >= 5 ? middle : low;
}

static void show_order(const hn_solver_type *type, const char *more, hn_model *model, const char *scene,
                       const double x[2][3], const double (*v)[3])
{
  hn_solver *solver = tight(type, more, model);
  int order = hn_solver_order(solver);
  double h[6], position[6], velocity[6];
  for (int i = 0; i < 6; i++) {
    h[i] = 1.0 / step_counts(order, v == NULL)[i];
    errors e = run_to_1(solver, h[i], x, v);
    position[i] = e.position, velocity[i] = e.velocity;
  }
  char what[128];
  double allowed = order >= 8 ? 0.5 : 0.2;
  printf(" %s%s on %s: errors %.2e to %.2e\n", type->name, more, scene, position[0], position[5]);
  snprintf(what, sizeof what, "order of positions");
  check_near(what, hn_fit_order(h, position, 6), order, allowed);
  if (v) check_near("order of velocities", hn_fit_order(h, velocity, 6), order, allowed);
  hn_solver_free(solver);
}

static void shows_its_order(void **state)
{
  (void)state;
  static const char *const variants[] = { "", ",stepper=rk2", ",stepper=rkf45", ",stepper=rkck", ",stepper=rk8pd",
                                          ",stepper=rk4,stabilisation=baumgarte",
                                          ",stepper=rk4,stabilisation=projection",
                                          ",flight=taylor,flight_order=10", ",flight=exact" };
  size_t count;
  const hn_solver_type *const *types = hn_solver_types(&count);
  hn_model *particles = double_pendulum(), *boxes = box_pendulum();
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < sizeof variants / sizeof *variants; k++) {
      const char *key = k == 0 ? NULL : strstr(variants[k], "stepper") ? "stepper" : "flight";
      if (key && !has_param(types[i], key)) continue;
      show_order(types[i], variants[k], particles, "double pendulum", double_pendulum_at_1,
                 double_pendulum_velocity_at_1);
      show_order(types[i], variants[k], boxes, "two boxes", box_pendulum_at_1, NULL);
    }
  hn_model_free(particles);
  hn_model_free(boxes);
}

static void free_fall_is_exact(void **state)
{
  (void)state;
  size_t count;
  const hn_solver_type *const *types = hn_solver_types(&count);
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
    check_below("particle after 1 s", distance(at->pose[1].x, p), 1e-14);
    check_below("box after 1 s", distance(at->pose[2].x, box), 1e-14);
    hn_state_free(at);
    hn_solver_free(solver);
  }
  hn_model_free(model);
}

/* Without ground and gravity a jointed system keeps both momenta. */
static void momentum_is_kept(void **state)
{
  (void)state;
  const double none[3] = { 0, 0, 0 };
  size_t count;
  const hn_solver_type *const *types = hn_solver_types(&count);
  hn_model *model = hn_model_create(none);
  for (int i = 0; i < 3; i++) {
    char name[16];
    snprintf(name, sizeof name, "b%d", i);
    add_box(model, name, i, 0, 0);
    if (i > 0) add_ball(model, i, i + 1, i - 0.5, 0, 0);
  }
  for (size_t i = 0; i < count; i++) {
    hn_solver *solver = tight(types[i], has_param(types[i], "flight") ? ",flight=exact" : "", model);
    hn_state *at = hn_state_create(model);
    hn_measure before, after;
    hn_summary summary;
    hn_run_options options = { .step = 0.01, .duration = 2.0 };
    for (int b = 1; b <= 3; b++) at->twist[b].w[2] = 2, at->twist[b].v[1] = 2 * (b - 1.0);
    at->twist[1].w[0] = 3; /* about the joint axis: allowed */
    hn_measure_state(model, at, &before);
    check_below("initial velocity error", before.velocity_error, 1e-14);
    assert_int_equal(hn_run(solver, at, &options, &summary), HN_CONVERGED);
    hn_measure_state(model, at, &after);
    printf(" %s\n", types[i]->name);
    check_below("change of momentum", distance(before.momentum, after.momentum), 1e-12);
    bool impulses = strncmp(types[i]->name, "impulse", 7) == 0; /* others keep it at their order */
    check_below("change of angular momentum", distance(before.angular_momentum, after.angular_momentum),
                impulses ? 1e-11 : 1e-5);
    hn_state_free(at);
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

static void reset_forgets(void **state)
{
  (void)state;
  size_t count;
  const hn_solver_type *const *types = hn_solver_types(&count);
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

/* A step that fails gives its state back, and the method goes on as if it had not been asked. */
static void failed_step_restores(void **state)
{
  (void)state;
  size_t count;
  const hn_solver_type *const *types = hn_solver_types(&count);
  hn_model *model = box_pendulum(), *cube = redundant_cube();
  for (size_t i = 0; i < count; i++) {
    bool refuses_redundant = !(types[i]->capabilities & HN_CAN_REDUNDANT);
    hn_model *m = refuses_redundant ? cube : model;
    const char *limit = refuses_redundant ? "" : ",iterations=30"; /* too few for a long step, enough for a short one */
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

#define ASSERT_COUNT(what, value, expected)                                                                            \
  do {                                                                                                                 \
    printf("  %-40s %6llu  expected %6llu\n", what, (unsigned long long)(value), (unsigned long long)(expected));      \
    assert_true((value) == (expected));                                                                                \
  } while (0)

static void work_is_counted_exactly(void **state)
{
  (void)state;
  hn_model *model = box_chain(5);
  hn_solver *solver = new_solver("impulse-sle:tolerance=1e-10", model);
  hn_state *at = hn_state_create(model);
  uint64_t iterations = 0, steps = 7;
  for (uint64_t k = 0; k < steps; k++) {
    assert_int_equal(hn_solver_step(solver, at, 0.01), HN_CONVERGED);
    iterations += (uint64_t)solver->report.position_iterations;
  }
  const hn_work *w = &solver->system->work;
  ASSERT_COUNT("sle: factorisations", w->factorisations, steps + 1);
  ASSERT_COUNT("sle: Jacobians", w->jacobians, 5 * (steps + 1));
  ASSERT_COUNT("sle: solves", w->solves, iterations + steps);
  ASSERT_COUNT("sle: flights", w->flights, 5 * (iterations + steps));
  ASSERT_COUNT("sle: residuals", w->residuals, 5 * (iterations + steps));
  ASSERT_COUNT("sle: impulses", w->impulses, 5 * (iterations + steps));
  hn_state_free(at);
  hn_solver_free(solver);
  solver = new_solver("lagrange:stepper=rk8pd", model);
  at = hn_state_create(model);
  for (uint64_t k = 0; k < steps; k++) assert_int_equal(hn_solver_step(solver, at, 0.01), HN_CONVERGED);
  ASSERT_COUNT("rk8pd: factorisations, 13 stages and the end", solver->system->work.factorisations, 14 * steps);
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

static void a_scene_without_joints_runs(void **state)
{
  (void)state;
  size_t count;
  const hn_solver_type *const *types = hn_solver_types(&count);
  hn_model *model = new_model();
  for (size_t i = 0; i < count; i++) {
    hn_solver *solver = new_solver(types[i]->name, model); /* not even a body */
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
  static const char *const specs[] = { "impulse-gs:tolerance=1e-8", "impulse-gs:tolerance=1e-8,relaxation=1.4" };
  for (int i = 0; i < 2; i++) {
    hn_solver *solver = new_solver(specs[i], model);
    hn_state *at = hn_state_create(model);
    hn_summary summary;
    hn_run_options options = { .step = 0.01, .duration = 0.3 };
    assert_int_equal(hn_run(solver, at, &options, &summary), HN_CONVERGED);
    sweeps[i] = summary.position_iterations_mean;
    printf("  %-45s %.1f sweeps a step\n", specs[i], sweeps[i]);
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
    cmocka_unit_test(shows_its_order),
    cmocka_unit_test(free_fall_is_exact),
    cmocka_unit_test(momentum_is_kept),
    cmocka_unit_test(reset_forgets),
    cmocka_unit_test(failed_step_restores),
    cmocka_unit_test(large_steps_stall),
    cmocka_unit_test(work_is_counted_exactly),
    cmocka_unit_test(a_scene_without_joints_runs),
    cmocka_unit_test(over_relaxation_saves_sweeps),
    cmocka_unit_test(bad_parameters_are_errors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
