/* test_petsc_options.c - accepted PETSc options: each option of the table has a use, at both ends of its
 * range, and no other passes, from any source. So no scene opens a file or socket through PETSc. */
#include "scenes.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Settings in which options take effect. */
static const char *const settings[] = {
  "linear=ksp,petsc=",
  "linear=cholmod,petsc=",
  "linear=mumps,petsc=",
  "linear=ksp,petsc=-ksp_type gmres ",
  "linear=ksp,petsc=-ksp_type gcr ",
  "linear=ksp,petsc=-ksp_type fcg ",
  "linear=ksp,petsc=-ksp_type bcgsl ",
  "linear=ksp,petsc=-ksp_type lsqr ",
  "linear=ksp,petsc=-ksp_type richardson ",
  "linear=ksp,petsc=-ksp_type gmres -pc_type ilu ",
  "linear=ksp,petsc=-pc_type jacobi ",
  "linear=ksp,petsc=-pc_type sor ",
  "linear=ksp,petsc=-pc_type bjacobi ",
  "linear=ksp,petsc=-pc_type bjacobi -sub_pc_type icc ",
  "linear=ksp,petsc=-pc_type asm ",
  "linear=ksp,petsc=-pc_type gamg ",
  "linear=ksp,petsc=-pc_type gamg -pc_gamg_type agg ",
  "linear=ksp,petsc=-pc_type lu ",
  "linear=ksp,petsc=-pc_type cholesky ",
  "linear=ksp,petsc=-pc_type lu -pc_factor_mat_solver_type klu ",
  "linear=ksp,petsc=-pc_type lu -pc_factor_mat_solver_type umfpack ",
};

/* True if PETSc uses the option in any setting. Each created solver factors and solves once. A number MAY be
 * too large for this model, which PETSc reports. */
static bool is_used(const hn_model *model, const char *option, bool may_be_too_large)
{
  bool used = false;
  hn_error error;
  for (size_t i = 0; i < sizeof settings / sizeof *settings && !used; i++) {
    char spec[512];
    snprintf(spec, sizeof spec, "lagrange:%s%s", settings[i], option);
    hn_solver *solver = hn_solver_create(spec, model, &error);
    used = solver || (may_be_too_large && strstr(error.text, "does not accept"));
    hn_state *state = solver ? hn_state_create(model) : NULL;
    if (solver) hn_solver_step(solver, state, 0.001); /* any result */
    hn_state_free(state);
    hn_solver_free(solver);
  }
  if (!used) printf("  -%s: %s\n", option, error.text);
  return used;
}

static size_t try_words(const hn_model *model, const hn_param *p)
{
  size_t refused = 0;
  for (const char *word = p->choices; word;
       word = word[strcspn(word, ",")] ? word + strcspn(word, ",") + 1 : NULL) {
    char option[200];
    snprintf(option, sizeof option, "-%s %.*s", p->key, (int)strcspn(word, ","), word);
    refused += !is_used(model, option, false);
  }
  return refused;
}

static void every_option_of_the_table_has_a_use(void **state)
{
  (void)state;
  size_t options = 0, refused = 0;
  hn_model *model = box_chain(4);
  for (const hn_param *p = hn_petsc_options(); p->key; p++, options++) {
    const double end[] = { p->min, p->max };
    char option[200];
    if (p->kind == HN_CHOICE) refused += try_words(model, p);
    for (int i = 0; i < 2 && p->kind != HN_CHOICE; i++) {
      if (p->kind == HN_FLAG) snprintf(option, sizeof option, "-%s %s", p->key, i ? "true" : "false");
      else snprintf(option, sizeof option, "-%s %.17g", p->key, end[i]);
      refused += !is_used(model, option, i == 1);
    }
  }
  printf("  %zu options, %zu values without a use\n", options, refused);
  assert_true(options > 50);
  assert_int_equal(refused, 0);
  hn_model_free(model);
}

/* ---- Refused options ----------------------------------------------------------------------------------- */

static const bad_spec bad[] = {
  { "-ksp_view ascii:FILE", "-ksp_view is not accepted" },
  { "-ksp_view", "-ksp_view is not accepted" },
  { "-help", "-help is not accepted; see holonom list petsc" },
  { "-mat_view binary:FILE", "-mat_view is not accepted" },
  { "-ksp_monitor FILE", "-ksp_monitor is not accepted" },
  { "-ksp_monitor_true_residual ascii:FILE", "is not accepted" },
  { "-options_file FILE", "-options_file is not accepted" },
  { "-options_view", "-options_view is not accepted" },
  { "-ksp_view_solution socket:localhost:7", "is not accepted" },
  { "-log_view ascii:FILE", "-log_view is not accepted" },
  { "-on_error_attach_debugger", "is not accepted" },
  { "-prefix_push x_", "is not accepted" },
  { "-KSP_VIEW ascii:FILE", "is not accepted" },
  { "--ksp_view ascii:FILE", "is not accepted" },
  { "-ksp_type cg#-ksp_view", "ksp_type must be one of" },
  { "-ksp_type \"cg -ksp_view ascii:FILE\"", "ksp_type must be one of" },
  { "-ksp_type 'cg -ksp_view ascii:FILE'", "ksp_type must be one of" },
  { "\"-ksp_view ascii:FILE\"", "is neither an option" },
  { "-ksp_type cg\n-ksp_view ascii:FILE", "-ksp_view is not accepted" },
  { "-ksp_max_it 1;-ksp_view", "must be a whole number" },
  { "-mat_mumps_icntl_22 1", "did you mean -mat_mumps_icntl_" },
  { "-ksp_gmres_restart 1e8", "ksp_gmres_restart = 1e8 is outside 1 to 1000" },
  { "-pc_factor_fill 1e9", "is outside 1 to 1000" },
  { "-pc_factor_levels -1", "is outside 0 to 1000" },
  { "-ksp_rtol nan", "must be a number" },
  { "-ksp_rtol", "-ksp_rtol needs a value" },
  { "-pc_factor_mat_solver_type /tmp/x.so", "must be one of petsc," },
  { "-pc_type shell", "pc_type must be one of" },
  { "-ksp_typo cg", "did you mean -ksp_type?" },
};

/* Replaces FILE in OPTION by a path in DIRECTORY. */
static void name_file(const char *option, const char *directory, char *out, size_t size)
{
  const char *file = strstr(option, "FILE");
  if (file) snprintf(out, size, "%.*s%s/kept%s", (int)(file - option), option, directory, file + 4);
  else snprintf(out, size, "%s", option);
}

/* Returns the number of files in DIRECTORY; checks that the text of `kept` is unchanged. */
static int files_in(const char *directory)
{
  char path[300], text[16] = "";
  int count = 0;
  DIR *dir = opendir(directory);
  for (struct dirent *entry; (entry = readdir(dir));) count += entry->d_name[0] != '.';
  closedir(dir);
  snprintf(path, sizeof path, "%s/kept", directory);
  FILE *kept = fopen(path, "r");
  assert_non_null(fgets(text, sizeof text, kept));
  fclose(kept);
  assert_string_equal(text, "mine");
  return count;
}

static void write_file(const char *directory, const char *name, const char *text)
{
  char path[300];
  snprintf(path, sizeof path, "%s/%s", directory, name);
  FILE *out = fopen(path, "w");
  assert_non_null(out);
  fputs(text, out);
  fclose(out);
}

/* Gives the option by a scene: its defaults, loaded and passed to a solver. */
static void give_by_scene(const char *directory, const char *option, hn_error *error)
{
  char text[1200], path[300];
  snprintf(text, sizeof text,
           "local scene = require 'holonom.scene' local sys = scene.system {} "
           "local b = sys:particle { mass = 1, position = { 1, 0, 0 } } sys:distance { sys.ground, b } "
           "sys:defaults { solver = 'impulse-sle', linear = 'ksp', petsc = [==[%s]==] } return sys",
           option);
  write_file(directory, "scene.lua", text);
  snprintf(path, sizeof path, "%s/scene.lua", directory);
  hn_scene *scene = hn_scene_load(path, NULL, 0, error);
  if (!scene) return;
  assert_null(hn_solver_create(scene->solver, scene->model, error));
  hn_scene_free(scene);
}

static void other_options_are_refused_from_any_source(void **state)
{
  (void)state;
  char directory[] = "/tmp/holonom-options-XXXXXX", command[400];
  assert_non_null(mkdtemp(directory));
  write_file(directory, "kept", "mine");
  hn_model *model = box_chain(2), *free_body = new_model();
  add_box(free_body, "alone", 0, 0, 0);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    hn_error by_name = { "" }, by_scene = { "" }, no_rows = { "" };
    char option[300], spec[400];
    name_file(bad[i].spec, directory, option, sizeof option);
    snprintf(spec, sizeof spec, "impulse-sle:linear=ksp,petsc=%s", option);
    assert_null(hn_solver_create(spec, model, &by_name));
    assert_null(hn_solver_create(spec, free_body, &no_rows));
    give_by_scene(directory, option, &by_scene);
    printf("  %s\n", by_name.text);
    if (!strstr(by_name.text, bad[i].says) || !strstr(no_rows.text, bad[i].says))
      fail_msg("%s: \"%s\" and \"%s\"", bad[i].spec, by_name.text, no_rows.text);
    if (!strchr(bad[i].spec, '\n') && !strstr(by_scene.text, bad[i].says)) fail_msg("%s", by_scene.text);
    assert_true(*by_scene.text);
  }
  assert_int_equal(files_in(directory), 2); /* kept and the scene */
  hn_model_free(model);
  hn_model_free(free_body);
  snprintf(command, sizeof command, "rm -r '%s'", directory);
  assert_int_equal(system(command), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_option_of_the_table_has_a_use),
    cmocka_unit_test(other_options_are_refused_from_any_source),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
