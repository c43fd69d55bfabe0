/* test_guest.c - the library as a guest: it does not change the host's environment, locale and GSL error
 * handler, and none of them changes a result. MPI and PETSc: test_host.c. */
#include "models.h"
#include "written.h"

#include <gsl/gsl_errno.h>
#include <locale.h>

/* ---- The environment ----------------------------------------------------------------------------------- */

enum { MAX_VARIABLES = 4096 };

typedef struct snapshot {
  size_t count;
  const char *at[MAX_VARIABLES];
  char *text[MAX_VARIABLES];
} snapshot;

static snapshot *take_snapshot(void)
{
  snapshot *s = calloc(1, sizeof *s);
  assert_non_null(s);
  for (; environ[s->count]; s->count++) {
    assert_true(s->count < MAX_VARIABLES);
    s->at[s->count] = environ[s->count];
    s->text[s->count] = strdup(environ[s->count]);
  }
  return s;
}

/* Checks that the strings, their addresses and their order are unchanged. */
static void check_untouched(const snapshot *s, const char *after)
{
  size_t count = 0, changed = 0;
  while (environ[count]) count++;
  for (size_t i = 0; i < s->count && i < count; i++)
    if (environ[i] != s->at[i] || strcmp(environ[i], s->text[i]) != 0)
      changed++, printf("  now %s\n", environ[i]);
  for (size_t i = s->count; i < count; i++) printf("  new %s\n", environ[i]);
  if (changed || count != s->count) fail_msg("%s: %zu of %zu variables changed", after, changed, s->count);
}

static void free_snapshot(snapshot *s)
{
  for (size_t i = 0; i < s->count; i++) free(s->text[i]);
  free(s);
}

/* Takes one step with `spec`, if the solver can be created. */
static void try_solver(const char *spec, const hn_model *model)
{
  hn_state *state = hn_state_create(model);
  hn_solver *solver = hn_solver_create(spec, model, NULL);
  if (solver) hn_solver_step(solver, state, 0.001);
  hn_solver_free(solver);
  hn_state_free(state);
}

static void find_rank(const hn_model *model)
{
  hn_error error;
  hn_state *state = hn_state_create(model);
  hn_system *system = hn_system_create(model, &error);
  assert_non_null(system);
  hn_system_jacobian(system, state);
  hn_rank *rank = hn_rank_create(system, HN_RANK_SPARSE, &error);
  if (!rank) fail_msg("%s", error.text);
  hn_rank_free(rank);
  hn_system_free(system);
  hn_state_free(state);
}

static void environment_is_unchanged(void **state)
{
  (void)state;
  size_t backends, solver_specs, tried = 0;
  char spec[128];
  hn_model *model = box_chain(3);
  setenv("PETSC_OPTIONS", "-ksp_type richardson -ksp_max_it 1", 1);
  setenv("PETSC_OPTIONS_YAML", "ksp_type: richardson", 1);
  setenv("OMP_NUM_THREADS", "7", 1);
  snapshot *before = take_snapshot();
  const hn_linear_info *backend = hn_linear_backends(&backends);
  for (size_t i = 0; i < backends; i++, tried++) {
    snprintf(spec, sizeof spec, "impulse-sle:linear=%s", backend[i].name);
    hn_solver_free(new_solver(spec, model));
    try_solver(spec, model);
    check_untouched(before, spec);
  }
  const hn_solver_type *const *type = hn_solver_types(&solver_specs);
  for (size_t i = 0; i < solver_specs; i++)
    for (const char *const *variant = hn_solver_variants(type[i]); *variant; variant++, tried++) {
      snprintf(spec, sizeof spec, "%s%s%s", type[i]->name, **variant ? ":" : "", *variant);
      try_solver(spec, model);
      check_untouched(before, spec);
    }
  find_rank(model);
  check_untouched(before, "rank");
  printf("  %zu variables unchanged after %zu solvers and linear solvers\n", before->count, tried);
  assert_true(before->count > 3 && tried > backends + 10);
  free_snapshot(before);
  hn_model_free(model);
}

/* ---- The locale ---------------------------------------------------------------------------------------- */

/* A scene that converts numbers to text and back, and sorts names in Lua. */
static const char numbers[] =
  "local names = { 'Zebra', 'apfel', 'Birne' } table.sort(names)\n"
  "local half = tonumber('0.5') + tonumber(tostring(0.25)) + tonumber(string.format('%.2f', 0.125))\n"
  "assert(tostring(1.5) == '1.5' and not tonumber('1,5'))\n"
  "local x = scene.param('offset', 0.5, 'm')\n"
  "for i, name in ipairs(names) do\n"
  "  sys:particle { name = name, position = { i * half, x, 0 }, mass = 1.5 }\n"
  "  sys:distance { sys.ground, name }\n"
  "end\n"
  "sys:control(function(t, s) assert(('%.1f'):format(0.5) == '0.5') end)\n"
  "return sys\n";

/* Writes all text of a scene, a solver, a record and two errors to `out`. */
static void write_texts(FILE *out)
{
  static const hn_setting setting = { "offset", "0.75" };
  hn_error error = { "" };
  hn_summary summary;
  char csv[80], line[4096];
  snprintf(csv, sizeof csv, "%s/r.csv", directory);
  hn_scene *scene = hn_scene_load(path, &setting, 1, &error);
  if (!scene) fail_msg("%s", error.text);
  fprintf(out, "%s = %s, %s\n", scene->param->name, scene->param->value, scene->param->initial);
  hn_solver *solver = new_solver("lagrange:error_tolerance=1.5e-9", scene->model);
  hn_state *state = hn_state_create(scene->model);
  hn_record *record = hn_record_create(csv, scene->model, NULL, &error);
  hn_control *control = hn_control_create(scene, &error);
  if (!record || !control) fail_msg("%s", error.text);
  hn_run_options options = { .step = 0.0125,
                             .duration = 0.05,
                             .observe = hn_record_frame,
                             .user = record,
                             .control = hn_control_step,
                             .controller = control };
  if (hn_run(solver, state, &options, &summary) != HN_CONVERGED) fail_msg("%s", summary.explanation);
  hn_solver_explain(solver, HN_STALLED, 0.0125, line, sizeof line);
  fprintf(out, "%s\n%s\n", solver->spec, line);
  assert_null(hn_solver_create("impulse-sle:tolerance=0,5", scene->model, &error));
  fprintf(out, "%s\n", error.text);
  assert_null(hn_solver_create("impulse-sle:tolerance=2.5e9", scene->model, &error));
  fprintf(out, "%s\n", error.text);
  assert_int_equal(hn_record_close(record, &error), 0);
  FILE *file = fopen(csv, "r");
  assert_non_null(file);
  while (fgets(line, sizeof line, file)) fputs(line, out);
  fclose(file);
  unlink(csv);
  hn_control_free(control);
  hn_state_free(state);
  hn_solver_free(solver);
  hn_scene_free(scene);
}

static char *collect_texts(void)
{
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  assert_non_null(out);
  write_texts(out);
  fclose(out);
  return text;
}

/* Sets a locale with a decimal comma, compiled in the directory of the test. Returns false if that fails. */
static bool make_german(void)
{
  char command[160];
  setenv("LOCPATH", directory, 1);
  snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >%s/localedef.log 2>&1",
           directory, directory);
  return system(command) == 0 && setlocale(LC_ALL, "de_DE.UTF-8");
}

static void remove_german(void)
{
  char command[160];
  setlocale(LC_ALL, "C");
  unsetenv("LOCPATH");
  snprintf(command, sizeof command, "rm -rf %s/de_DE.UTF-8 %s/localedef.log", directory, directory);
  assert_int_equal(system(command), 0);
}

static void check_german(void)
{
  char comma[8];
  snprintf(comma, sizeof comma, "%.1f", 1.5);
  assert_string_equal(comma, "1,5");
}

static void locale_does_not_matter(void **state)
{
  (void)state;
  write_scene(numbers);
  char *expected = collect_texts();
  printf("%.420s...\n", expected);
  if (make_german()) {
    check_german();
    char *german = collect_texts();
    check_german(); /* the locale is unchanged */
    remove_german();
    printf("  %zu bytes in C, %zu under de_DE.UTF-8\n", strlen(expected), strlen(german));
    assert_string_equal(german, expected);
    free(german);
    free(expected);
    return;
  }
  remove_german();
  free(expected);
  fail_msg("localedef cannot compile de_DE.UTF-8: install the package locales");
}

/* ---- GSL ----------------------------------------------------------------------------------------------- */

static void ignore_error(const char *reason, const char *file, int line, int code)
{
  (void)reason, (void)file, (void)line, (void)code;
}

/* The library has its own GSL: the host's handler remains, including the default one. */
static void gsl_error_handler_is_unchanged(void **state)
{
  (void)state;
  hn_model *model = box_chain(3);
  gsl_error_handler_t *before = gsl_set_error_handler(ignore_error);
  try_solver("lagrange", model);
  try_solver("impulse-sle:linear=dense", model);
  assert_true(gsl_set_error_handler(before) == ignore_error);
  assert_true(before == NULL); /* the aborting handler, although the tests above used the library */
  hn_model_free(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(environment_is_unchanged),
    cmocka_unit_test(locale_does_not_matter),
    cmocka_unit_test(gsl_error_handler_is_unchanged),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
