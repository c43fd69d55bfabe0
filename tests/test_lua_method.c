/* test_lua_method.c - methods written in Lua: against the same in C, their order, and code that goes wrong.
 * The contract suite (test_solvers.c) runs over the methods of methods.lua as well. */
#include "models.h"
#include "written.h"

/* methods.lua beside this file. */
static hn_scene *load_methods(void)
{
  char file[4096];
  hn_error error = { "" };
  const char *sources = getenv("srcdir");
  snprintf(file, sizeof file, "%s/tests/methods.lua", sources ? sources : ".");
  hn_scene *scene = hn_scene_load(file, NULL, 0, &error);
  if (!scene) fail_msg("%s", error.text);
  return scene;
}

static hn_summary run(const char *spec, const hn_model *model, double h, hn_state *at)
{
  hn_solver *solver = new_solver(spec, model);
  hn_summary summary;
  hn_run_options options = { .step = h, .duration = 1.0 };
  hn_reason reason = hn_run(solver, at, &options, &summary);
  if (reason != HN_CONVERGED) fail_msg("%s", summary.explanation);
  hn_solver_free(solver);
  return summary;
}

/* The factor of each step is made anew from the same poses, so even the bits agree. */
static void lua_does_what_c_does(void **unused)
{
  (void)unused;
  hn_scene *scene = load_methods();
  hn_state *lua = hn_state_create(scene->model), *c = hn_state_create(scene->model);
  hn_summary of_lua = run("rattle-lua", scene->model, 0.01, lua), of_c = run("impulse-sle", scene->model, 0.01, c);
  double apart = 0;
  for (int b = 1; b < scene->model->nbody; b++)
    for (int i = 0; i < 3; i++) apart = fmax(apart, fabs(lua->pose[b].x[i] - c->pose[b].x[i]));
  check_below("positions of rattle-lua and impulse-sle, apart (m)", apart, 1e-14);
  check_near("iterations a step", of_lua.position_iterations_mean, of_c.position_iterations_mean, 0);
  printf("  hashes %016llx %016llx\n", (unsigned long long)of_lua.hash, (unsigned long long)of_c.hash);
  assert_true(of_lua.hash == of_c.hash);
  hn_state_free(lua), hn_state_free(c);
  hn_scene_free(scene);
}

/* Published position of the second box at t = 1; see doc/references.md. */
static void explicit_euler_has_order_1(void **unused)
{
  (void)unused;
  static const double end[3] = { -1.29916359700828098771, -0.69944174812535403196, -3.9379892206472479055e-4 };
  enum { COUNT = 6 };
  double h[COUNT], error[COUNT];
  hn_scene *scene = load_methods();
  for (int k = 0; k < COUNT; k++) {
    hn_state *at = hn_state_create(scene->model);
    h[k] = 1.0 / (400 << k);
    run("euler-lua:tolerance=1e-12", scene->model, h[k], at);
    const double *x = at->pose[2].x;
    error[k] = sqrt(pow(x[0] - end[0], 2) + pow(x[1] - end[1], 2) + pow(x[2] - end[2], 2));
    printf("  %5d steps: error %.3e m\n", 400 << k, error[k]);
    hn_state_free(at);
  }
  check_near("order of euler-lua", hn_fit_order(h, error, COUNT), 1, 0.2);
  hn_scene_free(scene);
}

/* The registry has the methods of a scene while it is loaded, and the others all the time. */
static void methods_go_with_their_scene(void **unused)
{
  (void)unused;
  hn_error error = { "" };
  size_t before, during, after;
  hn_solver_types(&before);
  hn_scene *scene = load_methods();
  hn_solver_types(&during);
  assert_non_null(hn_solver_type_find("euler-lua", &error));
  hn_scene_free(scene);
  const hn_solver_type *const *types = hn_solver_types(&after);
  printf("  methods before, with and after the scene: %zu %zu %zu\n", before, during, after);
  assert_int_equal(during, before + 2);
  assert_int_equal(after, before);
  assert_null(types[after]);
  assert_null(hn_solver_type_find("euler-lua", &error));
}

#define METHOD(fields) "scene.method { name = 'm', order = 1, " fields " }"
#define STEP "step = function() return 'converged' end"

static void bad_declarations_are_errors(void **unused)
{
  (void)unused;
  size_t before, after;
  static const struct { const char *body, *says; } bad[] = {
    { "scene.method()", "takes one table" },
    { "scene.method { order = 1, " STEP " }", "key \"name\" is missing" },
    { "scene.method { name = 'm', " STEP " }", "key \"order\" is missing" },
    { METHOD("stop = 1"), "did you mean \"step\"" },
    { METHOD("redundant = false"), "key \"step\" is missing" },
    { METHOD("step = 3"), "step must be a function, not a number" },
    { METHOD(STEP ", reset = {}"), "reset must be a function, not a table" },
    { METHOD(STEP ", redundant = 1"), "redundant must be true or false" },
    { "scene.method { name = 'a:b', order = 1, " STEP " }", "none of" },
    { "scene.method { name = 'm', order = 1.5, " STEP " }", "whole number from 1 to 30, not 1.5" },
    { "scene.method { name = 'm', order = 0, " STEP " }", "whole number from 1 to 30, not 0" },
    { "scene.method { name = 'impulse-sle', order = 2, " STEP " }", "there is a method of that name already" },
    { METHOD(STEP) " " METHOD(STEP), "there is a method of that name already" },
  };
  hn_solver_types(&before);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) expect_failing_body(bad[i].body, 2, bad[i].says);
  hn_solver_types(&after);
  assert_int_equal(after, before);
}

/* A step with this code must fail at line 3 of its scene, say so, and give its state back. */
static void expect_failing_step(const char *code, hn_reason expected, const char *says)
{
  char body[2000], text[256];
  snprintf(body, sizeof body,
           "local kept, late = nil, sys "
           "local p = sys:particle { position = { 1, 0, 0 }, mass = 1 } sys:distance { sys.ground, p }\n"
           "scene.method { name = 'm', order = 1, step = function(sys, state, h) %s end } return sys", code);
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
  assert_non_null(strstr(text, says));
  if (expected == HN_UNSUPPORTED) assert_non_null(strstr(text, "s.lua:3: "));
  assert_null(strchr(text, '\n'));
  assert_true(hn_state_hash(at, HN_HASH_START) == hn_state_hash(before, HN_HASH_START));
  hn_state_free(at), hn_state_free(before);
  hn_solver_free(solver);
  hn_scene_free(scene);
}

static void steps_that_go_wrong_fail(void **unused)
{
  (void)unused;
  static const struct { const char *code; hn_reason reason; const char *says; } bad[] = {
    { "while true do end", HN_UNSUPPORTED, "does a loop never end?" },
    { "pcall(function() while true do end end) return 'converged'", HN_UNSUPPORTED, "does a loop never end?" },
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
    { "sys:jacobian(state) sys:solve({ 1 })", HN_UNSUPPORTED, "call sys:factor() before" },
    { "sys:jacobian(state) sys:apply(state, { 1, 2 })", HN_UNSUPPORTED, "must have 1 numbers, not 2" },
    { "sys:jacobian(state) sys:displace(state, { 'x' })", HN_UNSUPPORTED, "must be a number, not a string" },
    { "sys:jacobian(state) sys:apply(state, { 1 }, 'x')", HN_UNSUPPORTED, "the scale" },
    { "p = scene.method { name = 'late', order = 1, step = print }", HN_UNSUPPORTED, "the scene is complete" },
    { "late:particle { position = { 1, 0, 0 }, mass = 1 }", HN_UNSUPPORTED, "the scene is complete" },
    { "state:position(2)", HN_UNSUPPORTED, "number of a body, 1 to 1" },
    { "state:set_velocity(1, { 1, 2 })", HN_UNSUPPORTED, "must have 3 numbers, not 2" },
    { "state:assign(sys)", HN_UNSUPPORTED, "must be a state" },
    { "state:set_velocity(1, { 0/0, 0, 0 }) return 'converged'", HN_NOT_FINITE, "not-finite" },
    { "if kept then kept() end kept = function() sys:factor() end sys:jacobian(state) return sys:factor()",
      HN_UNSUPPORTED, "call sys:jacobian(state) before" },
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    expect_failing_step(bad[i].code, bad[i].reason, bad[i].says);
}

/* What the code keeps is its own affair: a handle of a solver that is gone, and a reset that fails, are errors. */
static void kept_handles_are_refused(void **unused)
{
  (void)unused;
  char text[256];
  write_scene("local p = sys:particle { position = { 1, 0, 0 }, mass = 1 } local first\n"
              "scene.method { name = 'm', order = 1, step = function(sys, state, h)\n"
              "first = first or sys first:residual(state) return 'converged' end }\n"
              "scene.method { name = 'n', order = 1, step = function() return 'converged' end,\n"
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

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(lua_does_what_c_does),       cmocka_unit_test(explicit_euler_has_order_1),
    cmocka_unit_test(methods_go_with_their_scene), cmocka_unit_test(bad_declarations_are_errors),
    cmocka_unit_test(steps_that_go_wrong_fail),   cmocka_unit_test(kept_handles_are_refused),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
