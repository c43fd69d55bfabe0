/* test_lua_solver.c - solvers written in Lua: compared with the same solver in C; orders, allocations, joint
 * forces, memory, and invalid code. The contract suite (test_solvers.c) includes the solvers of
 * lua_solvers.lua. */
#include "allocations.h"
#include "models.h"
#include "written.h"

/* Loads tests/support/lua_solvers.lua. */
static hn_scene *load_solvers(void)
{
  char file[4096];
  hn_error error = { "" };
  const char *sources = getenv("srcdir");
  snprintf(file, sizeof file, "%s/tests/support/lua_solvers.lua", sources ? sources : ".");
  hn_scene *scene = hn_scene_load(file, NULL, 0, &error);
  if (!scene) fail_msg("%s", error.text);
  return scene;
}

/* Runs for 1 s; writes the joint forces at the end to `force` unless NULL. */
static hn_summary run(const char *spec, const hn_model *model, double h, hn_state *at, double *force)
{
  hn_solver *solver = new_solver(spec, model);
  hn_summary summary;
  hn_run_options options = { .step = h, .duration = 1.0 };
  hn_reason reason = hn_run(solver, at, &options, &summary);
  if (reason != HN_CONVERGED) fail_msg("%s", summary.explanation);
  if (force) memcpy(force, solver->multipliers, sizeof *force * (size_t)model->nrow);
  hn_solver_free(solver);
  return summary;
}

/* Both factor anew at equal poses in each step, so that the results are equal to the bit. */
static void lua_solver_equals_c_solver(void **unused)
{
  (void)unused;
  hn_scene *scene = load_solvers();
  hn_state *lua = hn_state_create(scene->model), *c = hn_state_create(scene->model);
  hn_summary of_lua = run("rattle-lua", scene->model, 0.01, lua, NULL);
  hn_summary of_c = run("impulse-sle:first_guess=zero", scene->model, 0.01, c, NULL);
  double difference = 0;
  for (int b = 1; b < scene->model->nbody; b++)
    for (int i = 0; i < 3; i++) difference = fmax(difference, fabs(lua->pose[b].x[i] - c->pose[b].x[i]));
  check_below("difference of positions with rattle-lua and impulse-sle (m)", difference, 1e-14);
  check_near("iterations per step", of_lua.position_iterations_mean, of_c.position_iterations_mean, 0);
  printf("  hashes %016llx %016llx\n", (unsigned long long)of_lua.hash, (unsigned long long)of_c.hash);
  assert_true(of_lua.hash == of_c.hash);
  hn_state_free(lua), hn_state_free(c);
  hn_scene_free(scene);
}

/* Reference position of the second box at t = 1 (doc/references.md), and joint forces of solver taylor. */
static void check_order(const char *spec, int steps, double order)
{
  static const double end[3] = { -1.29916359700828098771, -0.69944174812535403196,
                                 -3.9379892206472479055e-4 };
  enum { COUNT = 6, ROWS = 6 };
  double h[COUNT], error[COUNT], force_error[COUNT], exact[ROWS], force[ROWS];
  hn_scene *scene = load_solvers();
  hn_state *at = hn_state_create(scene->model);
  run("taylor:order=12", scene->model, 0.01, at, exact);
  hn_state_free(at);
  for (int k = 0; k < COUNT; k++) {
    at = hn_state_create(scene->model);
    h[k] = 1.0 / (steps << k);
    run(spec, scene->model, h[k], at, force);
    const double *x = at->pose[2].x;
    error[k] = sqrt(pow(x[0] - end[0], 2) + pow(x[1] - end[1], 2) + pow(x[2] - end[2], 2));
    force_error[k] = 0;
    for (int i = 0; i < ROWS; i++) force_error[k] = fmax(force_error[k], fabs(force[i] - exact[i]));
    printf("  %5d steps: error %.3e m, %.3e N\n", steps << k, error[k], force_error[k]);
    hn_state_free(at);
  }
  printf(" %s\n", spec);
  check_near("order of positions", hn_fit_order(h, error, COUNT), order, 0.2);
  check_near("order of joint forces", hn_fit_order(h, force_error, COUNT), order, 0.2);
  hn_scene_free(scene);
}

static void solvers_have_their_orders(void **unused)
{
  (void)unused;
  check_order("euler-lua:tolerance=1e-12", 400, 1);
  check_order("rattle-lua:tolerance=1e-12", 50, 2);
}

/* Returns the mean number of allocations in a step, over 100 steps after some warm-up. */
static double allocations_in_a_step(const char *spec, const hn_model *model)
{
  hn_solver *solver = new_solver(spec, model);
  hn_state *at = hn_state_create(model);
  long before = 0;
  for (int i = 0; i < 110; i++) {
    if (i == 10) before = allocations;
    assert_int_equal(hn_solver_step(solver, at, 0.01), HN_CONVERGED);
  }
  double each = (double)(allocations - before) / 100;
  hn_state_free(at);
  hn_solver_free(solver);
  return each;
}

/* Code that refills tables does not allocate; code that creates tables does. */
static void refilled_tables_do_not_allocate(void **unused)
{
  (void)unused;
  hn_scene *scene = load_solvers();
  double made = allocations_in_a_step("euler-lua", scene->model);
  check_below("allocations in a step of rattle-lua", allocations_in_a_step("rattle-lua", scene->model), 0);
  printf("  allocations in a step of euler-lua: %.1f\n", made);
  assert_true(made > 5);
  hn_scene_free(scene);
}

/* If the n-th allocation of a step and all later ones fail, the step reports it and restores the state; the
 * next step, with memory, succeeds. */
static void steps_without_memory_fail(void **unused)
{
  (void)unused;
  hn_scene *scene = load_solvers();
  hn_solver *solver = new_solver("euler-lua", scene->model);
  hn_state *at = hn_state_create(scene->model), *before = hn_state_create(scene->model);
  int failures = 0;
  for (int n = 1; n < 100; n++) {
    char text[256];
    hn_state_copy(before, at);
    fail_allocation(n, true);
    hn_reason reason = hn_solver_step(solver, at, 0.01);
    bool failed = has_failed;
    fail_allocation(0, false);
    hn_solver_explain(solver, reason, 0.01, text, sizeof text);
    if (!failed) break;
    failures++;
    assert_int_equal(reason, HN_UNSUPPORTED);
    assert_non_null(strstr(text, "out of memory"));
    assert_true(hn_state_hash(at, HN_HASH_START) == hn_state_hash(before, HN_HASH_START));
    assert_int_equal(hn_solver_step(solver, at, 0.01), HN_CONVERGED);
  }
  printf("  %d failed allocations of a step\n", failures);
  assert_true(failures > 5);
  hn_state_free(at), hn_state_free(before);
  hn_solver_free(solver);
  hn_scene_free(scene);
}

/* Solvers belong to the model of their scene, not to the process. */
static void solvers_belong_to_their_scene(void **unused)
{
  (void)unused;
  hn_error error = { "" };
  size_t before, during, after;
  hn_solver_types(&before);
  hn_scene *scene = load_solvers();
  hn_model *other = double_pendulum();
  hn_solver_types(&during);
  assert_int_equal(scene->nown_solvers, 2);
  assert_null(scene->own_solvers[2]);
  assert_ptr_equal(hn_solver_type_find("euler-lua", scene->model->own_solvers, &error),
                   scene->own_solvers[0]);
  assert_null(hn_solver_type_find("euler-lua", NULL, &error));
  assert_null(hn_solver_create("euler-lua", other, &error));
  printf("  %s\n", error.text);
  hn_solver_type_find("euler-lau", scene->model->own_solvers, &error);
  printf("  %s\n", error.text);
  assert_non_null(strstr(error.text, "did you mean \"euler-lua\""));
  hn_scene_free(scene);
  hn_solver_types(&after);
  printf("  solvers of the process before, with and after the scene: %zu %zu %zu\n", before, during, after);
  assert_int_equal(during, before);
  assert_int_equal(after, before);
  hn_model_free(other);
}

#define SOLVER(fields) "scene.solver { name = 'm', order = 1, " fields " }"
#define STEP "step = function() return 'converged' end"

static void bad_declarations_are_errors(void **unused)
{
  (void)unused;
  static const struct {
    const char *body, *message;
  } bad[] = {
    { "scene.solver()", "takes one table" },
    { "scene.solver { order = 1, " STEP " }", "key \"name\" is missing" },
    { "scene.solver { name = 'm', " STEP " }", "key \"order\" is missing" },
    { SOLVER("stop = 1"), "did you mean \"step\"" },
    { SOLVER("redundant = false"), "key \"step\" is missing" },
    { SOLVER("step = 3"), "step must be a function, not a number" },
    { SOLVER(STEP ", reset = {}"), "reset must be a function, not a table" },
    { SOLVER(STEP ", redundant = 1"), "redundant must be true or false" },
    { SOLVER(STEP ", joint_forces = {}"), "joint_forces must be true or false" },
    { "scene.solver { name = 'a:b', order = 1, " STEP " }", "none of" },
    { "scene.solver { name = 'm', order = 1.5, " STEP " }", "whole number from 1 to 30, not 1.5" },
    { "scene.solver { name = 'm', order = 0, " STEP " }", "whole number from 1 to 30, not 0" },
    { "scene.solver { name = 'impulse-sle', order = 2, " STEP " }",
      "there is a solver of that name already" },
    { SOLVER(STEP) " " SOLVER(STEP), "there is a solver of that name already" },
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) expect_failing_body(bad[i].body, 2, bad[i].message);
}

/* Checks that a step with `code` fails at line 3 of its scene with an explanation that contains `message`,
 * and restores the state. */
static void expect_failing_step(const char *code, hn_reason expected, const char *message)
{
  char body[2000], text[256];
  snprintf(body, sizeof body,
           "local kept, late = nil, sys "
           "local p = sys:particle { position = { 1, 0, 0 }, mass = 1 } sys:distance { sys.ground, p }\n"
           "scene.solver { name = 'm', order = 1, step = function(sys, state, h) %s end } return sys",
           code);
  write_scene(body);
  hn_scene *scene = load_written(NULL, 0);
  hn_solver *solver = new_solver("m", scene->model);
  hn_state *at = hn_state_create(scene->model), *before = hn_state_create(scene->model);
  hn_reason reason = HN_CONVERGED;
  for (int i = 0; i < 2 && reason == HN_CONVERGED; i++) { /* some fail in their second step */
    hn_state_copy(before, at);
    reason = hn_solver_step(solver, at, 0.1);
  }
  hn_solver_explain(solver, reason, 0.1, text, sizeof text);
  printf("  %s\n", text);
  assert_int_equal(reason, expected);
  assert_non_null(strstr(text, message));
  if (expected == HN_UNSUPPORTED) assert_non_null(strstr(text, "s.lua:3: "));
  assert_null(strchr(text, '\n'));
  assert_true(hn_state_hash(at, HN_HASH_START) == hn_state_hash(before, HN_HASH_START));
  hn_state_free(at), hn_state_free(before);
  hn_solver_free(solver);
  hn_scene_free(scene);
}

static void errors_in_steps_are_reported(void **unused)
{
  (void)unused;
  static const struct {
    const char *code;
    hn_reason reason;
    const char *message;
  } bad[] = {
    { "while true do end", HN_UNSUPPORTED, "does a loop never end?" },
    { "pcall(function() while true do end end) return 'converged'", HN_UNSUPPORTED,
      "does a loop never end?" },
    { "", HN_UNSUPPORTED, "returns nothing" },
    { "return 1", HN_UNSUPPORTED, "returns a number" },
    { "return 'convergd'", HN_UNSUPPORTED, "did you mean \"converged\"" },
    { "return 'converged', 0.5", HN_UNSUPPORTED, "number of iterations" },
    { "return 'converged', -1", HN_UNSUPPORTED, "number of iterations" },
    { "return 'stalled', 3, {}", HN_UNSUPPORTED, "says in words" },
    { "return 'stalled', 3, 'my\\nstage'", HN_STALLED, "stalled in my stage" },
    { "sys:residual(sys:flight(state, h)) return 'stalled'", HN_STALLED, "worst joint" },
    { "error('my message')", HN_UNSUPPORTED, "my message" },
    { "sys:flight(state)", HN_UNSUPPORTED, "its duration" },
    { "sys:flight(state, 0/0)", HN_UNSUPPORTED, "its duration" },
    { "sys:flight({}, h)", HN_UNSUPPORTED, "must be a state, not a table" },
    { "sys.flight(state, h)", HN_UNSUPPORTED, "with a colon" },
    { "sys:fligth(state, h)", HN_UNSUPPORTED, "did you mean \"flight\"" },
    { "local n = sys.row", HN_UNSUPPORTED, "did you mean \"rows\"" },
    { "sys.rows = 1", HN_UNSUPPORTED, "no fields to set" },
    { "sys:factor()", HN_UNSUPPORTED, "call sys:jacobian(state) before" },
    { "sys:apply(state, { 1 })", HN_UNSUPPORTED, "call sys:jacobian(state) before" },
    { "sys:solve({ 1 })", HN_UNSUPPORTED, "call sys:factor() before" },
    { "sys:joint_forces({ 1 })", HN_UNSUPPORTED, "scene.solver { joint_forces = true" },
    { "sys:residual(state, 3)", HN_UNSUPPORTED, "argument 2 is a table to fill, not a number" },
    { "sys:residual(state, { 1, 2 })", HN_UNSUPPORTED, "must be empty or have 1 entries, not 2" },
    { "sys:free_acceleration(state, { 1, 2 })", HN_UNSUPPORTED, "must be empty or have 1 entries, not 2" },
    { "state:position(1, { 0 })", HN_UNSUPPORTED, "must be empty or have 3 entries, not 1" },
    { "sys:flight(state, h, state)", HN_UNSUPPORTED, "cannot end in the state that it starts from" },
    { "sys:flight(state, h, {})", HN_UNSUPPORTED, "argument 3 must be a state, not a table" },
    { "state.copy()", HN_UNSUPPORTED, "with a colon: state:copy(...)" },
    { "sys:jacobian(state) sys:solve({ 1 })", HN_UNSUPPORTED, "call sys:factor() before" },
    { "sys:jacobian(state) sys:apply(state, { 1, 2 })", HN_UNSUPPORTED, "must have 1 numbers, not 2" },
    { "sys:jacobian(state) sys:displace(state, { 'x' })", HN_UNSUPPORTED, "must be a number, not a string" },
    { "sys:jacobian(state) sys:apply(state, { 1 }, 'x')", HN_UNSUPPORTED, "the scale" },
    { "p = scene.solver { name = 'late', order = 1, step = print }", HN_UNSUPPORTED,
      "the scene is complete" },
    { "late:particle { position = { 1, 0, 0 }, mass = 1 }", HN_UNSUPPORTED, "the scene is complete" },
    { "state:position(2)", HN_UNSUPPORTED, "number of a body, 1 to 1" },
    { "state:set_velocity(1, { 1, 2 })", HN_UNSUPPORTED, "must have 3 numbers, not 2" },
    { "state:assign(sys)", HN_UNSUPPORTED, "must be a state" },
    { "state:set_velocity(1, { 0/0, 0, 0 }) return 'converged'", HN_NOT_FINITE, "not-finite" },
    { "if kept then kept() end kept = function() sys:factor() end sys:jacobian(state) return sys:factor()",
      HN_UNSUPPORTED, "call sys:jacobian(state) before" },
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    expect_failing_step(bad[i].code, bad[i].reason, bad[i].message);
}

/* Takes a step with `code` in a solver that reports joint forces; returns its reason. The caller calls
 * free_step. */
static hn_reason step_with_forces(const char *code, hn_solver **solver, hn_scene **scene, hn_state **at)
{
  char body[2000];
  snprintf(
    body, sizeof body,
    "local n = 0 local p = sys:particle { position = { 1, 0, 0 }, mass = 1 } sys:distance { sys.ground, p }\n"
    "scene.solver { name = 'm', order = 1, joint_forces = true, step = function(sys, state, h) %s end }\n"
    "return sys",
    code);
  write_scene(body);
  *scene = load_written(NULL, 0);
  *solver = new_solver("m", (*scene)->model);
  *at = hn_state_create((*scene)->model);
  return hn_solver_step(*solver, *at, 0.1);
}

static void free_step(hn_solver *solver, hn_scene *scene, hn_state *at)
{
  hn_state_free(at);
  hn_solver_free(solver);
  hn_scene_free(scene);
}

/* Every successful step must report its forces; a failed step leaves those of the step before. */
static void joint_forces_belong_to_the_last_successful_step(void **unused)
{
  (void)unused;
  char text[256];
  hn_solver *solver;
  hn_scene *scene;
  hn_state *at;
  hn_reason reason = step_with_forces("return 'converged'", &solver, &scene, &at);
  hn_solver_explain(solver, reason, 0.1, text, sizeof text);
  printf("  %s\n", text);
  assert_int_equal(reason, HN_UNSUPPORTED);
  assert_non_null(
    strstr(text, "s.lua:3: step: the solver reports joint forces (joint_forces = true), but this step"));
  free_step(solver, scene, at);
  reason = step_with_forces(
    "n = n + 1 sys:joint_forces({ n }, -2) return n == 1 and 'converged' or 'stalled'", &solver, &scene, &at);
  assert_int_equal(reason, HN_CONVERGED);
  check_near("joint force after a successful step", solver->multipliers[0], -2, 0);
  assert_int_equal(hn_solver_step(solver, at, 0.1), HN_STALLED);
  check_near("after a failed one", solver->multipliers[0], -2, 0);
  free_step(solver, scene, at);
}

/* sys.memory belongs to one solver and persists between steps, until a step fails or the solver is reset. */
static void memory_belongs_to_one_solver(void **unused)
{
  (void)unused;
  hn_solver *first;
  hn_scene *scene;
  hn_state *at;
  hn_reason reason = step_with_forces("local m = sys.memory m.n = (m.n or 0) + 1 sys:joint_forces({ m.n })\n"
                                      "return m.n < 4 and 'converged' or 'stalled'",
                                      &first, &scene, &at);
  hn_solver *second = new_solver("m", scene->model);
  assert_int_equal(reason, HN_CONVERGED);
  hn_solver_step(first, at, 0.1), hn_solver_step(first, at, 0.1), hn_solver_step(second, at, 0.1);
  check_near("steps counted by the first solver", first->multipliers[0], 3, 0);
  check_near("by the second one", second->multipliers[0], 1, 0);
  assert_int_equal(hn_solver_step(first, at, 0.1), HN_STALLED);
  hn_solver_step(first, at, 0.1), hn_solver_step(first, at, 0.1);
  check_near("by the first one after a failed step", first->multipliers[0], 2, 0);
  hn_solver_reset(first), hn_solver_step(first, at, 0.1);
  check_near("after a reset", first->multipliers[0], 1, 0);
  hn_solver_free(second);
  free_step(first, scene, at);
}

/* Functions fill and return the given table, with the numbers of a new one. */
static void tables_are_refilled(void **unused)
{
  (void)unused;
  static const char *const checks[] = {
    "local g = {} assert(sys:residual(state, g) == g and #g == sys.rows and g[1] == sys:residual(state)[1])",
    "local v = { 7 } sys:jacobian(state) assert(sys:velocity_residual(state, v) == v and v[1] == 0)",
    "local b = {} sys:jacobian(state) assert(sys:acceleration_residual(state, b) == b)\n"
    "assert(b[1] == sys:acceleration_residual(state)[1])",
    "local b = { 3 } sys:jacobian(state) sys:factor() local p = sys:solve(b)[1] assert(sys:solve(b, b) == "
    "b)\n"
    "assert(b[1] == p and p ~= 3 or p == 3)",
    "local a = sys:free_acceleration(state) local v, w = a[1].v, a[1].w v[2] = 0\n"
    "assert(sys:free_acceleration(state, a) == a and a[1].v == v and a[1].w == w and v[2] == -9.81)",
    "local to = state:copy() assert(sys:flight(state, h, to) == to)\n"
    "assert(to:velocity(1)[2] == sys:flight(state, h):velocity(1)[2] and to:velocity(1)[2] < 0)",
    "local x = {} assert(state:position(1, x) == x and x[1] == 1) assert(state:velocity(1, x) == x and x[1] "
    "== 0)",
    "local q = {} assert(state:orientation(1, q) == q and q[1] == 1 and #q == 4 and "
    "#state:angular_velocity(1) == 3)",
  };
  for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
    char code[1000], text[256];
    hn_solver *solver;
    hn_scene *scene;
    hn_state *at;
    snprintf(code, sizeof code, "%s sys:joint_forces({ 0 }) return 'converged'", checks[i]);
    hn_reason reason = step_with_forces(code, &solver, &scene, &at);
    hn_solver_explain(solver, reason, 0.1, text, sizeof text);
    if (reason != HN_CONVERGED) fail_msg("%s: %s", checks[i], text);
    free_step(solver, scene, at);
  }
}

/* Stored handles of freed solvers, and a reset that fails, are errors. */
static void stored_handles_are_refused(void **unused)
{
  (void)unused;
  char text[256];
  write_scene("local p = sys:particle { position = { 1, 0, 0 }, mass = 1 } local first\n"
              "scene.solver { name = 'm', order = 1, step = function(sys, state, h)\n"
              "first = first or sys first:residual(state) return 'converged' end }\n"
              "scene.solver { name = 'n', order = 1, step = function() return 'converged' end,\n"
              "reset = function() error('no reset') end } return sys");
  hn_scene *scene = load_written(NULL, 0);
  hn_state *at = hn_state_create(scene->model);
  for (int i = 0; i < 2; i++) {
    hn_solver *solver = new_solver("m", scene->model);
    hn_reason reason = hn_solver_step(solver, at, 0.1);
    hn_solver_explain(solver, reason, 0.1, text, sizeof text);
    hn_solver_free(solver);
    assert_int_equal(reason, i == 0 ? HN_CONVERGED : HN_UNSUPPORTED);
  }
  printf("  %s\n", text);
  assert_non_null(strstr(text, "s.lua:4: residual: the system is of a run that is over"));
  hn_solver *solver = new_solver("n", scene->model);
  hn_solver_reset(solver);
  hn_reason reason = hn_solver_step(solver, at, 0.1);
  hn_solver_explain(solver, reason, 0.1, text, sizeof text);
  printf("  %s\n", text);
  assert_int_equal(reason, HN_UNSUPPORTED);
  assert_non_null(strstr(text, "s.lua:6: no reset"));
  hn_solver_free(solver);
  hn_state_free(at);
  hn_scene_free(scene);
}

/* A damper on a particle: v = exp(-2 t). A solver that ignores forces must be refused. */
static void forces_act_or_are_refused(void **unused)
{
  (void)unused;
  hn_error error = { "" };
  hn_scene *scene = load_solvers();
  hn_model *model = hn_model_create((const double[3]){ 0, 0, 0 });
  model->own_solvers = scene->own_solvers; /* a model may declare the solvers of any scene */
  hn_force_spec damper = { .geometry = { .type = "axial_spring",
                                         .a = 0,
                                         .b = add_particle(model, "p", 0, 0, 0),
                                         .has_points = true,
                                         .axis_a = { 1, 0, 0 } },
                           .settings = "damping=2" };
  assert_int_equal(hn_model_add_force(model, &damper, &error), 0);
  model->body[1].twist0.v[0] = 1.0;
  double h[6], deviation[6];
  for (int k = 0; k < 6; k++) {
    hn_state *at = hn_state_create(model);
    h[k] = 1.0 / (50 << k);
    run("euler-lua", model, h[k], at, NULL);
    deviation[k] = fabs(at->twist[1].v[0] - exp(-2.0));
    printf("  %5d steps: error %.3e m/s\n", 50 << k, deviation[k]);
    hn_state_free(at);
  }
  check_near("order of a damped velocity", hn_fit_order(h, deviation, 6), 1, 0.2);
  static const bad_spec refused[] = { { "rattle-lua",
                                        "takes no forces beside gravity, and the scene has 1" } };
  check_refused(model, refused, 1);
  hn_model_free(model);
  hn_scene_free(scene);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(lua_solver_equals_c_solver),
    cmocka_unit_test(solvers_have_their_orders),
    cmocka_unit_test(refilled_tables_do_not_allocate),
    cmocka_unit_test(steps_without_memory_fail),
    cmocka_unit_test(solvers_belong_to_their_scene),
    cmocka_unit_test(bad_declarations_are_errors),
    cmocka_unit_test(errors_in_steps_are_reported),
    cmocka_unit_test(joint_forces_belong_to_the_last_successful_step),
    cmocka_unit_test(memory_belongs_to_one_solver),
    cmocka_unit_test(tables_are_refilled),
    cmocka_unit_test(stored_handles_are_refused),
    cmocka_unit_test(forces_act_or_are_refused),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
