/* test_unsupported.c - error messages of solvers for unsupported requests: before the first step of a run, or
 * as a row of a comparison. Parameters are taken from the registry, so that new solvers are tested too. */
#include "models.h"
#include "solver_settings_table.h"

#include <stdlib.h>
#include <string.h>

/* Checks that `spec` is refused in one line that contains all of `says` (separated by '|'). */
static void expect_refusal(const hn_model *model, const char *spec, const char *says)
{
  hn_error error = { "" };
  char words[256], *rest = words;
  hn_solver *solver = hn_solver_create(spec, model, &error);
  bool good = !solver && !strchr(error.text, '\n');
  snprintf(words, sizeof words, "%s", says);
  for (char *word; good && (word = strsep(&rest, "|"));) good = strstr(error.text, word) != NULL;
  if (!good) fail_msg("%s: %s, expected %s", spec, solver ? "accepted" : error.text, says);
}

static hn_model *pendulum(void)
{
  hn_model *model = new_model();
  add_rod(model, 0, add_particle(model, "bob", 1, 0, 0));
  return model;
}

/* ---- Parameters of each solver ------------------------------------------------------------------------- */

static void expect_value_refused(const hn_model *model, const hn_solver_type *type, const hn_param *p,
                                 const char *value, const char *why)
{
  char spec[256], says[256];
  snprintf(spec, sizeof spec, "%s:%s=%s", type->name, p->key, value);
  snprintf(says, sizeof says, "%s: %s|%s", type->name, p->key, why);
  expect_refusal(model, spec, says);
}

/* Returns the number of values tried. */
static int refuse_values(const hn_model *model, const hn_solver_type *type, const hn_param *p)
{
  static const char *const no_numbers[] = { "nan", "inf", "-inf", "1e999", "x", "1x", "", " " };
  enum { COUNT = sizeof no_numbers / sizeof *no_numbers };
  char below[32], above[32];
  switch (p->kind) {
  case HN_REAL:
  case HN_INTEGER:
    snprintf(below, sizeof below, "%.17g", p->min - 1);
    snprintf(above, sizeof above, "%.17g", p->max + 1);
    expect_value_refused(model, type, p, below, "is outside");
    expect_value_refused(model, type, p, above, "is outside");
    for (int i = 0; i < COUNT; i++) expect_value_refused(model, type, p, no_numbers[i], "number, not \"");
    if (p->kind == HN_INTEGER) expect_value_refused(model, type, p, "2.5", "a whole number, not \"2.5\"");
    return 2 + COUNT + (p->kind == HN_INTEGER);
  case HN_FLAG: expect_value_refused(model, type, p, "maybe", "true or false, not \"maybe\""); return 1;
  case HN_CHOICE:
    expect_value_refused(model, type, p, "nothing", "one of");
    expect_value_refused(model, type, p, "nothing", p->choices);
    return 2;
  case HN_PAIR: expect_value_refused(model, type, p, "1:x", "two whole numbers, not \"1:x\""); return 1;
  case HN_TEXT: return 0;
  }
  return 0;
}

static void parameters_refuse_invalid_values(void **state)
{
  (void)state;
  size_t count;
  hn_model *model = pendulum();
  const hn_solver_type *const *types = hn_solver_types(&count);
  for (size_t i = 0; i < count; i++) {
    char spec[256], says[256];
    int tried = 0, parameters = 0;
    for (const hn_param *p = types[i]->params; p->key; p++, parameters++) {
      tried += refuse_values(model, types[i], p);
      snprintf(spec, sizeof spec, "%s:%s=%s,%s=%s", types[i]->name, p->key, p->initial, p->key, p->initial);
      snprintf(says, sizeof says, "%s: %s is given twice", types[i]->name, p->key);
      expect_refusal(model, spec, says);
    }
    snprintf(spec, sizeof spec, "%s:no_such_thing=1", types[i]->name);
    snprintf(says, sizeof says, "%s has no parameter \"no_such_thing\"|list parameters %s", types[i]->name,
             types[i]->name);
    expect_refusal(model, spec, says);
    printf("  %-20s %2d parameters, %3d values refused\n", types[i]->name, parameters, tried);
    assert_true(tried > 0);
  }
  assert_true(count >= 12);
  hn_model_free(model);
}

/* Every solver with a linear solver refuses unknown names, and options that the linear solver does not
 * have. */
static void invalid_linear_solvers_are_refused(void **state)
{
  (void)state;
  static const struct {
    const char *settings, *says;
  } bad[] = {
    { "linear=foobar", "no linear back end \"foobar\"|list linear" },
    { "linear=", "no linear back end \"\"" },
    { "linear=cholmud", "did you mean \"cholmod\"" },
    { "linear=dense,petsc=-ksp_type cg", "linear=dense takes no PETSc options" },
    { "petsc=-ksp_type cg", "linear=ldl takes no PETSc options; petsc, ksp" },
    { "linear=petsc,petsc=-no_such_option 1", "-no_such_option is not accepted" },
    { "linear=petsc,petsc=foo", "\"foo\" is neither an option nor the value of one" },
    { "linear=ksp,petsc=-ksp_type cg stray", "\"stray\" is neither" },
    { "linear=ksp,petsc=-ksp_type foo", "ksp_type must be one of|foo" },
  };
  size_t count, solver_specs = 0;
  hn_model *model = pendulum();
  const hn_solver_type *const *types = hn_solver_types(&count);
  for (size_t i = 0; i < count; i++) {
    if (!has_param(types[i], "linear")) continue;
    solver_specs++;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
      char spec[256];
      snprintf(spec, sizeof spec, "%s:%s", types[i]->name, bad[k].settings);
      expect_refusal(model, spec, bad[k].says);
    }
  }
  printf("  %zu solvers with a linear back end, %zu wrong settings each\n", solver_specs,
         sizeof bad / sizeof *bad);
  assert_true(solver_specs >= 9);
  hn_model_free(model);
}

/* ---- Orders and combinations --------------------------------------------------------------------------- */

static const bad_spec refused[] = {
  { "taylor:order=0", "taylor: order = 0 is outside 1 to 30" },
  { "taylor:order=31", "taylor: order = 31 is outside 1 to 30" },
  { "impulse-extrapolated:order=3", "impulse-extrapolated: order must be 2, 4, 6, 8 or 10, not 3" },
  { "impulse-extrapolated:order=12", "impulse-extrapolated: order = 12 is outside 2 to 10" },
  { "impulse-composed:order=5", "impulse-composed: order must be 2, 4, 6 or 8, not 5" },
  { "impulse-composed:order=8,coefficients=suzuki", "order 8 has no such coefficients|for 8, kahan-li" },
  { "impulse-composed:order=2,coefficients=yoshida", "order 2 has no such coefficients" },
  { "lagrange:order=4", "lagrange has no parameter \"order\"|list parameters lagrange" },
  { "impulse-gs:linear=petsc", "impulse-gs has no parameter \"linear\"" },
  { "taylor:stabilisation=baumgarte", "taylor: stabilisation must be one of none,projection" },
  { "half-explicit:stabilisation=baumgarte", "stabilisation must be one of none,projection" },
  { "lagrange:stepper=rk5", "lagrange: stepper must be one of euler,rk2,rk4|not \"rk5\"" },
  { "generalised-alpha:rho_inf=1", "rho_inf = 1 is outside 0 to 0.999" },
  { "impulse-sle:halvings=21", "halvings = 21 is outside 0 to 20" },
  { "lagrange:tolerance=-1", "tolerance = -1 is outside 1e-16 to 1 (m, rad)" },
  { "tgs-soft:hertz=-1", "hertz = -1 is outside 0 to 1e+09 (1/s)" },
  { "xpdb", "no solver \"xpdb\"; did you mean \"xpbd\"?" },
  { "", "no solver \"\"; see holonom list solvers" },
  { "taylor:order", "taylor: \"order\" is not of the form key=value" },
  { "taylor:order=4,", "taylor: \"\" is not of the form key=value" },
};

static void orders_and_combinations_are_refused(void **state)
{
  (void)state;
  hn_model *model = pendulum();
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
    expect_refusal(model, refused[i].spec, refused[i].says);
  hn_error error;
  hn_solver_create("lagrange:stepper=msadams", model, &error);
  printf("  %s\n", error.text);
  assert_non_null(
    strstr(error.text, "stepper=msadams chooses its order by its error: it needs adaptive=true"));
  hn_solver *solver = new_solver("taylor:adaptive=true,stabilisation=projection", model); /* supports both */
  hn_solver_free(solver);
  hn_model_free(model);
}

/* ---- Scenes -------------------------------------------------------------------------------------------- */

/* A redundant scene ends a solver without a redundancy policy before its first step, with the reason. */
static void redundant_scenes_are_refused_or_solved(void **state)
{
  (void)state;
  size_t count;
  hn_model *cube = redundant_cube();
  const hn_solver_type *const *types = hn_solver_types(&count);
  for (size_t i = 0; i < count; i++) {
    char text[256];
    hn_solver *solver = new_solver(types[i]->name, cube);
    hn_state *at = hn_state_create(cube);
    hn_summary summary;
    hn_run_options options = { .step = 0.01, .duration = 0.05 };
    bool can = types[i]->capabilities & HN_CAN_REDUNDANT;
    hn_reason reason = hn_run(solver, at, &options, &summary);
    snprintf(text, sizeof text, "%s: singular in ", types[i]->name);
    printf("  %-20s %s\n", types[i]->name, can ? hn_reason_name(reason) : summary.explanation);
    assert_int_equal(reason, can ? HN_CONVERGED : HN_SINGULAR);
    assert_true(can || summary.steps == 0);
    assert_true(can || strstr(summary.explanation, text) != NULL);
    assert_true(can ||
                strstr(summary.explanation, "redundant joints or a singular position, unsupported") != NULL);
    hn_state_free(at);
    hn_solver_free(solver);
  }
  hn_model_free(cube);
}

/* A joint without a power series: only solvers that need one refuse it, with the names of joint and type. */
static void joints_without_a_jet_are_refused_or_solved(void **state)
{
  (void)state;
  size_t count;
  hn_model *model = pendulum();
  hn_joint_type bare = *model->joint[0].type;
  bare.name = "bare", bare.jet = NULL;
  model->joint[0].type = &bare;
  expect_refusal(model, "taylor", "joint \"distance1\": joints of type bare have no power series (jet)");
  const hn_solver_type *const *types = hn_solver_types(&count);
  for (size_t i = 0; i < count; i++) {
    if (strcmp(types[i]->name, "taylor") == 0) continue;
    hn_solver *solver = new_solver(types[i]->name, model);
    hn_state *at = hn_state_create(model);
    assert_int_equal(hn_solver_step(solver, at, 0.01), HN_CONVERGED);
    hn_state_free(at);
    hn_solver_free(solver);
  }
  printf("  %zu other solvers step with it\n", count - 1);
  hn_model_free(model);
}

/* Solvers that declare joint forces compute them, here 3 m g y / l of a pendulum released from the
 * horizontal; others leave them at zero. */
static void joint_forces_are_computed_or_zero(void **state)
{
  (void)state;
  size_t count;
  hn_model *model = pendulum();
  const hn_solver_type *const *types = hn_solver_types(&count);
  for (size_t i = 0; i < count; i++) {
    hn_solver *solver = new_solver(types[i]->name, model);
    hn_state *at = hn_state_create(model);
    hn_summary summary;
    hn_run_options options = { .step = 0.001, .duration = 0.4 };
    assert_int_equal(hn_run(solver, at, &options, &summary), HN_CONVERGED);
    bool has_forces = types[i]->capabilities & HN_HAS_MULTIPLIERS;
    double expected = has_forces ? 3 * 9.81 * at->pose[1].x[1] : 0.0;
    char what[96];
    snprintf(what, sizeof what, "%s, %s (N)", types[i]->name, has_forces ? "joint force" : "not declared");
    /* A mean over the step, along the rod at its start, lags by up to a step. */
    const double lag = hn_solver_order(solver) == 1 ? 3 * 9.81 * 0.001 * fabs(at->twist[1].v[1]) : 0.0;
    check_near(what, solver->multipliers[0], expected, has_forces ? 0.05 + lag : 0.0);
    hn_state_free(at);
    hn_solver_free(solver);
  }
  hn_model_free(model);
}

/* ---- The command line ---------------------------------------------------------------------------------- */

/* Returns the exit status of `holonom ARGUMENTS`, with its output and errors in `text`. */
static int command(const char *arguments, char *text, size_t size)
{
  char line[512];
  const char *program = getenv("HOLONOM");
  snprintf(line, sizeof line, "'%s' %s 2>&1", program ? program : "./holonom", arguments);
  FILE *out = popen(line, "r");
  assert_non_null(out);
  size_t length = fread(text, 1, size - 1, out);
  text[length] = '\0';
  int status = pclose(out);
  return status >= 0 && (status & 0x7f) == 0 ? status >> 8 & 0xff : -1;
}

/* Checks that `holonom ARGUMENTS` exits with `status` and prints all of `says` (separated by '|'). */
static void expect_command(const char *arguments, int status, const char *says)
{
  char text[32768], words[256], *rest = words;
  int exit_status = command(arguments, text, sizeof text);
  snprintf(words, sizeof words, "%s", says);
  printf("  holonom %s: %d\n", arguments, exit_status);
  for (char *word; (word = strsep(&rest, "|"));)
    if (!strstr(text, word)) fail_msg("expected \"%s\" in: %s", word, text);
  if (exit_status != status) fail_msg("exit status %d, expected %d: %s", exit_status, status, text);
}

/* `run` exits with status 2 before it prints a step; `compare` prints a row, and runs the other solvers. */
static void commands_report_unsupported_requests(void **state)
{
  (void)state;
#define SHORT " --step 0.01 --duration 0.02"
  static const struct {
    const char *arguments;
    int status;
    const char *says;
  } commands[] = {
    { "run pendulum --solver taylor:order=31" SHORT, 2, "holonom: taylor: order = 31 is outside 1 to 30\n" },
    { "run pendulum --solver impulse-extrapolated --order 3" SHORT, 2, "must be 2, 4, 6, 8 or 10, not 3\n" },
    { "converge pendulum --solver impulse-composed:order=5" SHORT, 2, "must be 2, 4, 6 or 8, not 5\n" },
    { "compare pendulum --solvers taylor:order=31,lagrange" SHORT, 2,
      "taylor: order = 31 is outside 1 to 30\n" },
    { "compare pendulum --solvers taylor,impulse-extrapolated,impulse-composed --order 5" SHORT, 2,
      "impulse-extrapolated: order must be 2, 4, 6, 8 or 10, not 5\n" },
    { "compare pendulum --solvers impulse-composed:order=3 --json" SHORT, 2,
      "must be 2, 4, 6 or 8, not 3\n" },
    { "converge --all pendulum --solvers impulse-composed:order=3", 2, "must be 2, 4, 6 or 8, not 3\n" },
    { "compare cuboid28 --solvers impulse-gs,lagrange" SHORT, 0,
      "converged|singular|lagrange: singular in factorisation of K|redundant joints or a singular position, "
      "unsup" },
    { "run cuboid28 --solver taylor" SHORT, 1, "redundant joints or a singular position|after 0 steps" },
    { "run pendulum --solver lagrange:tolerance=-1" SHORT, 2,
      "tolerance = -1 is outside 1e-16 to 1 (m, rad)\n" },
    { "compare pendulum --solvers lagrange --tolerance -1" SHORT, 2, "tolerance = -1 is outside" },
    { "compare pendulum --solvers lagrange --linear foobar" SHORT, 2, "no linear back end \"foobar\"" },
    { "run pendulum --linear ksp --petsc foo" SHORT, 2, "\"foo\" is neither an option" },
    { "list solvers no-such-scene", 2, "no scene \"no-such-scene\"" },
    { "list parameters tailor pendulum", 2, "no solver \"tailor\"; did you mean \"taylor\"?" },
    { "list joints pendulum", 2, "unexpected argument \"pendulum\"" },
  };
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
    expect_command(commands[i].arguments, commands[i].status, commands[i].says);
}

/* `list solvers SCENE` lists the solvers of the scene, with the columns of the others. */
static void lists_include_the_solvers_of_a_scene(void **state)
{
  (void)state;
  char arguments[512];
  const char *sources = getenv("srcdir"), *s = sources ? sources : ".";
  snprintf(arguments, sizeof arguments, "list solvers '%s/tests/support/lua_solvers.lua'", s);
  expect_command(arguments, 0, "name |\nimpulse-sle |\neuler-lua |\nrattle-lua |impulse-sle, in Lua\n");
  snprintf(arguments, sizeof arguments, "list solvers '%s/tests/support/lua_solvers.lua' --json", s);
  expect_command(arguments, 0, "\"name\": \"rattle-lua\"|\"multipliers\"|\"the scene that declares it\"");
  snprintf(arguments, sizeof arguments, "list parameters rattle-lua '%s/tests/support/lua_solvers.lua'", s);
  expect_command(arguments, 0, "\ntolerance |sys.tolerance");
  expect_command("list parameters rattle-lua", 2, "no solver, joint, force or scene \"rattle-lua\"");
}

/* The list fits 80 columns, with the solvers for friction. */
static void list_of_solvers_fits_a_screen(void **state)
{
  (void)state;
  char text[8192];
  size_t widest = 0;
  assert_int_equal(command("list solvers", text, sizeof text), 0);
  for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n')
    if (strcspn(line, "\n") > widest) widest = strcspn(line, "\n");
  printf("  widest line %zu, at most 80\n", widest);
  assert_true(widest <= 80);
  expect_command("list solvers", 0, "  friction  |\nmoreau |time stepping");
  expect_command("list solvers --json", 0, "\"name\": \"impulse-gs\"|\"friction\"");
}

/* ---- Invalid solvers of users -------------------------------------------------------------------------- */

static int fail_without_reason(hn_solver *solver, hn_error *error)
{
  (void)solver, (void)error;
  return -1;
}

static int set_up(hn_solver *solver, hn_error *error)
{
  (void)solver, (void)error;
  return 0;
}

static hn_reason return_invalid_reason(hn_solver *solver, hn_state *state, double h)
{
  (void)state;
  solver->report.joint = 1000;
  return h > 0.015 ? (hn_reason)99 : (hn_reason)-1;
}

static void invalid_solvers_are_reported(void **state)
{
  (void)state;
  static const hn_param none[] = { { .key = NULL } };
  static const hn_solver_type mute = { .abi = HN_ABI,
                                       .name = "mute",
                                       .summary = "",
                                       .citation = "",
                                       .params = none,
                                       .capabilities = HN_CAN_BILATERAL,
                                       .setup = fail_without_reason,
                                       .step = return_invalid_reason };
  static const hn_solver_type odd = { .abi = HN_ABI,
                                      .name = "odd",
                                      .summary = "",
                                      .citation = "",
                                      .params = none,
                                      .capabilities = HN_CAN_BILATERAL,
                                      .setup = set_up,
                                      .step = return_invalid_reason };
  const hn_solver_type *own[] = { &mute, &odd, NULL };
  hn_error error = { "left over" };
  hn_model *model = pendulum();
  model->own_solvers = own;
  assert_null(hn_solver_create("mute", model, &error));
  printf("  %s\n", error.text);
  assert_string_equal(error.text, "mute: its setup fails, and does not say why");
  hn_solver *solver = hn_solver_create("odd", model, &error);
  hn_state *at = hn_state_create(model);
  for (int i = 1; i <= 2; i++) {
    char text[256];
    hn_reason reason = hn_solver_step(solver, at, 0.01 * i);
    hn_solver_explain(solver, reason, 0.01 * i, text, sizeof text);
    printf("  %s\n", text);
    assert_int_equal(reason, HN_UNSUPPORTED);
    assert_non_null(strstr(text, "odd: unsupported in a step that returns what is no reason"));
  }
  hn_state_free(at);
  hn_solver_free(solver);
  model->own_solvers = NULL;
  hn_model_free(model);
}

static hn_reason move_ground(hn_solver *solver, hn_state *state, double h)
{
  (void)solver;
  state->pose[0].x[1] += 0.01 * h;
  return HN_CONVERGED;
}

static hn_reason turn_ground(hn_solver *solver, hn_state *state, double h)
{
  (void)solver;
  state->twist[0].w[2] = h;
  return HN_CONVERGED;
}

static hn_reason set_time(hn_solver *solver, hn_state *state, double h)
{
  (void)solver;
  state->time += 2.0 * h;
  return HN_CONVERGED;
}

/* Steps that change the ground or the clock are refused, and leave the state as it was. */
static void steps_change_only_their_bodies(void **state)
{
  (void)state;
  static const hn_param none[] = { { .key = NULL } };
  static const struct {
    hn_reason (*step)(hn_solver *, hn_state *, double);
    const char *words;
  } cases[] = { { move_ground, "a step that moves the ground or a fixed body" },
                { turn_ground, "a step that moves the ground or a fixed body" },
                { set_time, "a step that sets another time" } };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const hn_solver_type type = { .abi = HN_ABI,
                                  .name = "bold",
                                  .summary = "",
                                  .citation = "",
                                  .params = none,
                                  .capabilities = HN_CAN_BILATERAL,
                                  .setup = set_up,
                                  .step = cases[i].step };
    const hn_solver_type *own[] = { &type, NULL };
    hn_error error;
    char text[256];
    hn_model *model = pendulum();
    model->own_solvers = own;
    hn_solver *solver = hn_solver_create("bold", model, &error);
    hn_state *at = hn_state_create(model), *before = hn_state_create(model);
    const hn_reason reason = hn_solver_step(solver, at, 0.01);
    hn_solver_explain(solver, reason, 0.01, text, sizeof text);
    printf("  %s\n", text);
    assert_int_equal(reason, HN_UNSUPPORTED);
    assert_non_null(strstr(text, cases[i].words));
    assert_true(at->time == before->time);
    assert_memory_equal(&at->pose[0], &before->pose[0], sizeof at->pose[0]);
    hn_state_free(at), hn_state_free(before);
    hn_solver_free(solver);
    model->own_solvers = NULL;
    hn_model_free(model);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(parameters_refuse_invalid_values),
    cmocka_unit_test(invalid_linear_solvers_are_refused),
    cmocka_unit_test(orders_and_combinations_are_refused),
    cmocka_unit_test(redundant_scenes_are_refused_or_solved),
    cmocka_unit_test(joints_without_a_jet_are_refused_or_solved),
    cmocka_unit_test(joint_forces_are_computed_or_zero),
    cmocka_unit_test(commands_report_unsupported_requests),
    cmocka_unit_test(lists_include_the_solvers_of_a_scene),
    cmocka_unit_test(list_of_solvers_fits_a_screen),
    cmocka_unit_test(invalid_solvers_are_reported),
    cmocka_unit_test(steps_change_only_their_bodies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
