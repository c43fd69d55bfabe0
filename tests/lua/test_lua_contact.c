/* test_lua_contact.c - contact solvers written in Lua: compared with pgs on equal problems; access to the
 * problem; invalid code and declarations. */
#include "models.h"
#include "written.h"
#include "base/vec.h"

/* Loads tests/support/contact_solvers.lua. */
static hn_scene *load_solvers(bool balls)
{
  char file[4096];
  hn_error error = { "" };
  const char *sources = getenv("srcdir");
  const hn_setting setting = { "balls", balls ? "true" : "false" };
  snprintf(file, sizeof file, "%s/tests/support/contact_solvers.lua", sources ? sources : ".");
  hn_scene *scene = hn_scene_load(file, &setting, 1, &error);
  if (!scene) fail_msg("%s", error.text);
  return scene;
}

static hn_summary run(const hn_scene *scene, const char *spec, hn_state *at)
{
  hn_solver *solver = new_solver(spec, scene->model);
  hn_summary summary;
  hn_run_options options = { .step = 0.01, .duration = 0.2 };
  if (hn_run(solver, at, &options, &summary) != HN_CONVERGED) fail_msg("%s", summary.explanation);
  hn_solver_free(solver);
  return summary;
}

/* Balls with a limit, a bounded force and a hinge have unique impulses. Motions agree to the tolerance, 1e-11
 * m/s in each of 20 steps, amplified by the projection and the motion. */
static void lua_solver_agrees_with_pgs(void **unused)
{
  (void)unused;
  hn_scene *scene = load_solvers(true);
  hn_state *lua = hn_state_create(scene->model), *c = hn_state_create(scene->model),
           *again = hn_state_create(scene->model);
  const char *const spec = "moreau:contact=gauss-seidel-lua,contact_tolerance=1e-11,sweeps=100000";
  hn_summary of_lua = run(scene, spec, lua);
  hn_summary of_c = run(scene, "moreau:contact=pgs,contact_tolerance=1e-11,sweeps=100000", c);
  hn_summary of_again = run(scene, spec, again);
  double difference = 0.0, moved = 0.0;
  for (int b = 1; b < scene->model->nbody; b++)
    for (int i = 0; i < 3; i++) {
      difference = larger(difference, fabs(lua->pose[b].x[i] - c->pose[b].x[i]));
      moved = larger(moved, fabs(lua->pose[b].x[i] - scene->model->body[b].pose0.x[i]));
    }
  check_below("difference of positions with gauss-seidel-lua and pgs (m)", difference, 1e-9);
  /* One ball moves on an arc around the other, so that the gap after a step differs from that of the linear
   * problem, equally for both. */
  check_near("residual of the law, m/s", of_lua.contact.residual, of_c.contact.residual,
             1e-7); /* 1e-9 m / h */
  printf("  moved by %g m; %.1f sweeps per step, pgs %.1f\n", moved, of_lua.velocity_iterations_mean,
         of_c.velocity_iterations_mean);
  assert_true(moved > 0.1 && of_lua.velocity_iterations_mean > of_c.velocity_iterations_mean);
  assert_true(of_lua.hash == of_again.hash);
  hn_state_free(lua), hn_state_free(c), hn_state_free(again);
  hn_scene_free(scene);
}

/* Boxes on four corners each: impulses are not unique, but the law is satisfied. */
static void law_is_satisfied_on_boxes(void **unused)
{
  (void)unused;
  hn_scene *scene = load_solvers(false);
  hn_state *at = hn_state_create(scene->model);
  hn_summary of = run(scene, "moreau:contact=gauss-seidel-lua,contact_tolerance=1e-9,sweeps=100000", at);
  ASSERT_COUNT("contacts", (unsigned)of.contact.contacts, 8);
  check_below("residual of the law, m/s", of.contact.residual, 1e-9);
  check_below("balance, N s", of.contact.balance, 1e-12);
  hn_state_free(at);
  hn_scene_free(scene);
}

/* Writes a scene of a ball on the floor, with a contact solver whose `code` is at line 4. */
static void write_solver(const char *code)
{
  char text[3000];
  snprintf(text, sizeof text,
           "sys:body { name = 'floor', fixed = true, position = { 0, 0, 0 }, friction = 1, "
           "shape = scene.plane { normal = { 0, 1, 0 } } } sys:body { name = 'ball', friction = 1, mass = 2, "
           "shape = scene.sphere { radius = 1 }, position = { 0, 1, 0 } } sys:contact {}\n"
           "scene.contact_solver { name = 's', solve = function(problem, p)\n%s\nend } return sys",
           code);
  write_scene(text);
}

/* Takes a step with `code`; returns its reason, the explanation in `text`, and the normal impulse in *p
 * unless NULL. */
static hn_reason step_with(const char *code, char *text, size_t size, double *p)
{
  write_solver(code);
  hn_scene *scene = load_written(NULL, 0);
  hn_solver *solver = new_solver("moreau:contact=s:iterations=7", scene->model);
  hn_state *at = hn_state_create(scene->model);
  hn_reason reason = hn_solver_step(solver, at, 0.1);
  hn_solver_explain(solver, reason, 0.1, text, size);
  if (p) *p = at->contact[0].impulse[0];
  hn_state_free(at), hn_solver_free(solver), hn_scene_free(scene);
  return reason;
}

/* The problem of a ball of 2 kg after 0.1 s of gravity, read from Lua. */
static void problem_is_readable_from_lua(void **unused)
{
  (void)unused;
  char text[600];
  double p;
  hn_reason reason = step_with(
    "assert(problem.blocks == 1 and problem.rows == 3 and problem.h == 0.1 and problem.iterations == 7)\n"
    "local row, n = problem:range(1) local kind, mu = problem:set(1)\n"
    "assert(row == 1 and n == 3 and kind == 'cone' and mu == 1 and problem.tolerance == 1e-10 and #p == 3)\n"
    "local D = problem:diagonal(1) local scale = problem:scale(1)\n"
    /* 1/m, 1/m + r^2/J */
    "assert(math.abs(D[1] - 0.5) < 1e-15 and math.abs(D[5] - 1.75) < 1e-15 and #D == 9)\n"
    "assert(math.abs(scale - 4 / 3) < 1e-15)\n"
    "local v = problem:block_velocity(1) assert(math.abs(v[1] + 0.981) < 1e-12 and v[2] == 0)\n"
    "problem:block_apply(1, { 1, 0, 0 }) assert(problem:block_velocity(1, v) == v and math.abs(v[1] + "
    "0.481) < 1e-12)\n"
    "problem:start(p) assert(math.abs(problem:block_velocity(1)[1] + 0.981) < 1e-12)\n"
    "local q = problem:project(1, { -1, 2, 0 }) assert(math.abs(q[1] - 0.5) < 1e-15 and math.abs(q[2] - "
    "0.5) < 1e-15)\n"
    "local w = problem:shift(1, { 0, 3, 4 }) assert(w[1] == 5 and w[2] == 3 and w[3] == 4)\n"
    "local e, worst = problem:error(p) assert(worst == 1 and math.abs(e - 0.981) < 1e-12)\n"
    "problem:note(e) p[1] = 1.962 e = problem:error(p) problem:note(e) assert(e < 1e-12)\n"
    "assert(math.abs(problem:velocities(p)[1]) < 1e-12) return 'converged'",
    text, sizeof text, &p);
  if (reason != HN_CONVERGED) fail_msg("%s", text);
  check_near("impulse on the ball, N s", p, 1.962, 0);
}

static void errors_in_code_are_reported(void **unused)
{
  (void)unused;
  static const struct {
    const char *code;
    hn_reason reason;
    const char *says;
  } bad[] = {
    { "return 'stalled'", HN_STALLED, "stalled in contact problem" },
    { "problem:note(1) return 'budget'", HN_STALLED,
      "stalled in contact problem" }, /* moreau has a tolerance */
    { "error('no idea')", HN_UNSUPPORTED, "s.lua:4: no idea" },
    { "local x = nil + 1", HN_UNSUPPORTED, "s.lua:4: attempt to perform arithmetic on a nil value" },
    { "return", HN_UNSUPPORTED,
      "s.lua:3: solve returns nothing: it must return \"converged\", \"budget\" or why it failed" },
    { "return 3", HN_UNSUPPORTED, "solve returns a number: it must" },
    { "return 'convergd'", HN_UNSUPPORTED,
      "solve: unknown reason \"convergd\"; did you mean \"converged\"?" },
    { "p[2] = nil return 'converged'", HN_UNSUPPORTED,
      "entry 2 of p, the solution, must be a number, not a nil" },
    { "p[1] = 0/0 return 'converged'", HN_NOT_FINITE, "" },
    { "while true do end", HN_UNSUPPORTED, "s.lua:4: " },
    { "problem:range(2)", HN_UNSUPPORTED,
      "s.lua:4: range: the first argument is the number of a block, 1 to 1" },
    { "problem:block_apply(1, { 1 })", HN_UNSUPPORTED,
      "s.lua:4: block_apply: entry 2 of argument 2 must be a number, not a nil" },
    { "problem:block_apply(1, 3)", HN_UNSUPPORTED,
      "block_apply: argument 2 must be a table of 3 numbers, not a number" },
    { "problem.project(p, 1)", HN_UNSUPPORTED,
      "project: call it on the problem, with a colon: problem:project(...)" },
    { "problem:sclae(1)", HN_UNSUPPORTED, "unknown name \"sclae\"; did you mean \"scale\"?" },
    { "problem:note('x')", HN_UNSUPPORTED,
      "note: the residual that an iteration leaves is a number, not a string" },
    { "problem:diagonal(1, 2)", HN_UNSUPPORTED, "diagonal: argument 2 is a table to fill, not a number" },
    { "problem.h = 2", HN_UNSUPPORTED, "a contact problem has no fields to set" },
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    char text[700];
    hn_reason reason = step_with(bad[i].code, text, sizeof text, NULL);
    printf("  %s\n", text);
    if (reason != bad[i].reason || !strstr(text, bad[i].says))
      fail_msg("%s: expected ...%s", bad[i].code, bad[i].says);
  }
}

/* A handle stored by the code is invalid after the solution. */
static void stored_handles_are_refused(void **unused)
{
  (void)unused;
  char text[600];
  write_solver(
    "kept = kept or problem p[1] = 1.962 if kept ~= problem then kept:scale(1) end return 'converged'");
  hn_scene *scene = load_written(NULL, 0);
  for (int i = 0; i < 2; i++) {
    hn_solver *solver = new_solver("moreau:contact=s,stabilisation=none", scene->model);
    hn_state *at = hn_state_create(scene->model);
    hn_reason reason = hn_solver_step(solver, at, 0.1);
    hn_solver_explain(solver, reason, 0.1, text, sizeof text);
    assert_int_equal(reason, i == 0 ? HN_CONVERGED : HN_UNSUPPORTED);
    hn_state_free(at), hn_solver_free(solver);
  }
  printf("  %s\n", text);
  assert_non_null(strstr(text, "s.lua:4: scale: the problem is only there while it is being solved"));
  hn_scene_free(scene);
}

static void invalid_declarations_are_refused(void **unused)
{
  (void)unused;
  static const struct {
    const char *body, *says;
  } bad[] = {
    { "scene.contact_solver(3)", "contact_solver takes one table" },
    { "scene.contact_solver { name = 'a' }", "contact_solver: key \"solve\" is missing" },
    { "scene.contact_solver { solve = function() end }", "contact_solver: key \"name\" is missing" },
    { "scene.contact_solver { name = 'a', solve = 3 }",
      "contact_solver \"a\": solve must be a function, not a number" },
    { "scene.contact_solver { name = 'a:b', solve = print }", "none of \":=,/\" or a space" },
    { "scene.contact_solver { name = 'pgs', solve = print }",
      "contact_solver \"pgs\": there is one of that name already" },
    { "scene.contact_solver { name = 'a', solve = print } scene.contact_solver { name = 'a', solve = print }",
      "contact_solver \"a\": there is one of that name already" },
    { "scene.contact_solver { name = 'a', solve = print, sumary = 'x' }",
      "unknown key \"sumary\"; did you mean \"summary\"?" },
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) expect_failing_body(bad[i].body, 2, bad[i].says);
}

/* Other scenes do not have the solver. */
static void solver_belongs_to_its_scene(void **unused)
{
  (void)unused;
  hn_error error = { "" };
  hn_scene *with = load_solvers(true), *without = hn_scene_load("stack", NULL, 0, &error);
  hn_solver *solver = hn_solver_create("moreau:contact=gauss-seidel-luo", with->model, &error);
  printf("  %s\n", error.text);
  assert_true(
    !solver &&
    strstr(error.text, "no contact solver \"gauss-seidel-luo\"; did you mean \"gauss-seidel-lua\"?"));
  solver = hn_solver_create("moreau:contact=gauss-seidel-lua", without->model, &error);
  assert_true(!solver && strstr(error.text, "no contact solver \"gauss-seidel-lua\""));
  solver = hn_solver_create("moreau:contact=gauss-seidel-lua:tolerence=1", with->model, &error);
  printf("  %s\n", error.text);
  assert_true(!solver && strstr(error.text, "\"tolerence\"") && strstr(error.text, "\"tolerance\""));
  hn_scene_free(with), hn_scene_free(without);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(lua_solver_agrees_with_pgs),   cmocka_unit_test(law_is_satisfied_on_boxes),
    cmocka_unit_test(problem_is_readable_from_lua), cmocka_unit_test(errors_in_code_are_reported),
    cmocka_unit_test(stored_handles_are_refused),   cmocka_unit_test(invalid_declarations_are_refused),
    cmocka_unit_test(solver_belongs_to_its_scene),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
