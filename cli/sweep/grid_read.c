/* grid_read.c - reads the grid of a sweep from the command line and a study. */
#include <string.h>
#include <unistd.h>
#include "cli/base/interrupt.h"
#include "cli/base/memory.h"
#include "cli/base/parse.h"
#include "cli/base/watchdog.h"
#include "cli/sweep/worker.h"

/* Multiplies COUNT by FACTOR. Returns -1 with a message if there are too many rows. */
static int multiply(size_t *count, size_t factor, hn_error *error)
{
  const double product = (double)*count * (double)factor;
  *count *= factor;
  if (product <= SWEEP_MAX_ROWS) return 0;
  return hn_fail(error, "sweep: at least %g runs; the limit is %d", product, SWEEP_MAX_ROWS);
}

/* Returns the index of NAME among COUNT settings; COUNT if it is missing. */
static size_t find(const hn_setting *setting, size_t count, const char *name)
{
  size_t i = 0;
  while (i < count && strcmp(setting[i].name, name) != 0) i++;
  return i;
}

/* ---- Points ------------------------------------------------------------------------------------------ */

static sweep_axis *add_axis(sweep_grid *grid, size_t nname)
{
  grid->axis = cli_grow(grid->axis, grid->naxis + 1, sizeof *grid->axis);
  sweep_axis *axis = &grid->axis[grid->naxis++];
  *axis = (sweep_axis){ .name = cli_alloc(nname + 1, sizeof *axis->name) };
  return axis;
}

static int add_option_axis(sweep_grid *grid, const hn_setting *setting, hn_error *error)
{
  sweep_axis *axis = add_axis(grid, 1);
  char *what = cli_text("--set %s", setting->name);
  axis->name[axis->nname++] = cli_text("%s", setting->name);
  axis->value = cli_values(what, setting->value, &axis->count, error);
  free(what);
  return axis->value ? 0 : -1;
}

/* Adds an axis of a study without the parameters that the command line sets. */
static void add_study_axis(sweep_grid *grid, const hn_study_axis *from)
{
  const cli_options *o = grid->options;
  size_t kept = 0, *column = cli_alloc(from->nname, sizeof *column);
  for (size_t k = 0; k < from->nname; k++)
    if (find(o->setting, o->nsetting, from->name[k]) == o->nsetting) column[kept++] = k;
  sweep_axis *axis = kept > 0 ? add_axis(grid, kept) : NULL;
  for (; axis && axis->nname < kept; axis->nname++)
    axis->name[axis->nname] = cli_text("%s", from->name[column[axis->nname]]);
  if (axis) axis->count = from->nvalue / from->nname;
  if (axis) axis->value = cli_alloc(axis->count * kept + 1, sizeof *axis->value);
  for (size_t i = 0; axis && i < axis->count * kept; i++)
    axis->value[i] = cli_text("%s", from->value[i / kept * from->nname + column[i % kept]]);
  free(column);
}

static int read_study_axes(sweep_grid *grid, bool *used, hn_error *error)
{
  const cli_options *o = grid->options;
  int status = 0;
  for (size_t i = 0; grid->study && i < grid->study->naxis && status == 0; i++) {
    const hn_study_axis *from = &grid->study->axis[i];
    const size_t k = find(o->setting, o->nsetting, from->name[0]);
    if (from->nname > 1 || k == o->nsetting) add_study_axis(grid, from);
    else used[k] = true, status = add_option_axis(grid, &o->setting[k], error);
  }
  return status;
}

/* Counts the points and lists the names of all axes. */
static int count_points(sweep_grid *grid, hn_error *error)
{
  grid->npoint = 1;
  for (size_t i = 0; i < grid->naxis; i++) {
    const sweep_axis *axis = &grid->axis[i];
    if (multiply(&grid->npoint, axis->count, error)) return -1;
    grid->parameter = cli_grow(grid->parameter, grid->nparameter + axis->nname, sizeof *grid->parameter);
    for (size_t k = 0; k < axis->nname; k++) grid->parameter[grid->nparameter++] = axis->name[k];
  }
  return 0;
}

static int read_axes(sweep_grid *grid, hn_error *error)
{
  const cli_options *o = grid->options;
  bool *used = cli_alloc(o->nsetting + 1, sizeof *used);
  int status = 0;
  for (size_t i = 0; i < o->nsetting && status == 0; i++)
    if (find(o->setting, i, o->setting[i].name) < i)
      status = hn_fail(error, "--set %s is given twice", o->setting[i].name);
  if (status == 0) status = read_study_axes(grid, used, error);
  for (size_t i = 0; i < o->nsetting && status == 0; i++)
    if (!used[i]) status = add_option_axis(grid, &o->setting[i], error);
  free(used);
  return status == 0 ? count_points(grid, error) : -1;
}

/* ---- Solvers ----------------------------------------------------------------------------------------- */

/* Combines every solver with each of COUNT values of the parameter KEY. */
static int vary(sweep_grid *grid, const char *key, char *const *value, size_t count, hn_error *error)
{
  const size_t before = grid->nsolver;
  if (multiply(&grid->nsolver, count, error)) return grid->nsolver = before, -1;
  sweep_solver *all = cli_alloc(grid->nsolver, sizeof *all);
  for (size_t i = 0; i < grid->nsolver; i++) {
    const sweep_solver *m = &grid->solver[i / count];
    all[i].spec = m->spec ? cli_text("%s", m->spec) : NULL;
    all[i].absent = m->absent;
    all[i].settings = m->settings ? cli_text("%s,%s=%s", m->settings, key, value[i % count])
                                  : cli_text("%s=%s", key, value[i % count]);
  }
  for (size_t i = 0; i < before; i++) free(grid->solver[i].spec), free(grid->solver[i].settings);
  free(grid->solver);
  grid->solver = all;
  return 0;
}

static int vary_by_option(sweep_grid *grid, const hn_setting *varied, hn_error *error)
{
  size_t count;
  char *what = cli_text("--%s", varied->name), **value = cli_values(what, varied->value, &count, error);
  const int status = value ? vary(grid, varied->name, value, count, error) : -1;
  free(what);
  if (value) cli_strings_free(value);
  return status;
}

static int vary_solvers(sweep_grid *grid, hn_error *error)
{
  const cli_options *o = grid->options;
  bool *used = cli_alloc(o->nvaried + 1, sizeof *used);
  int status = 0;
  for (size_t i = 0; grid->study && i < grid->study->nvaried && status == 0; i++) {
    const hn_study_axis *from = &grid->study->varied[i];
    const size_t k = find(o->varied, o->nvaried, from->name[0]);
    if (k < o->nvaried) used[k] = true, status = vary_by_option(grid, &o->varied[k], error);
    else status = vary(grid, from->name[0], from->value, from->nvalue, error);
  }
  for (size_t i = 0; i < o->nvaried && status == 0; i++)
    if (!used[i]) status = vary_by_option(grid, &o->varied[i], error);
  free(used);
  return status;
}

/* True if no solver of the process has the name of SPEC. */
static bool is_absent(const char *spec)
{
  hn_error ignored;
  char *name = cli_text("%.*s", (int)strcspn(spec, ":"), spec);
  const bool absent = !hn_solver_type_find(name, NULL, &ignored);
  free(name);
  return absent;
}

static void add_solver(sweep_grid *grid, char *spec, bool absent)
{
  grid->solver = cli_grow(grid->solver, grid->nsolver + 1, sizeof *grid->solver);
  grid->solver[grid->nsolver++] = (sweep_solver){ .spec = spec, .absent = absent };
}

/* Adds the solvers of the list LIST of the option. */
static int add_listed(sweep_grid *grid, const char *list, hn_error *error)
{
  char **spec = cli_split_specs(list, error);
  for (size_t i = 0; spec && spec[i]; i++) add_solver(grid, spec[i], false);
  free(spec);
  return spec ? 0 : -1;
}

static void add_study_solvers(sweep_grid *grid, const hn_study *study)
{
  for (size_t i = 0; i < study->nsolver; i++) add_solver(grid, cli_text("%s", study->solver[i]), false);
  for (size_t i = 0; i < study->nengine; i++)
    add_solver(grid, cli_text("%s", study->engine[i]), is_absent(study->engine[i]));
}

static int read_solvers(sweep_grid *grid, hn_error *error)
{
  const cli_options *o = grid->options;
  if (o->solver && o->solvers) return hn_fail(error, "sweep: --solver and --solvers cannot be given both");
  if (o->solvers && add_listed(grid, o->solvers, error) < 0) return -1;
  if (o->solver) add_solver(grid, cli_text("%s", o->solver), false);
  if (grid->study && !o->solver && !o->solvers) add_study_solvers(grid, grid->study);
  if (grid->nsolver == 0) add_solver(grid, NULL, false); /* the scene's own */
  if (o->also && add_listed(grid, o->also, error) < 0) return -1;
  return vary_solvers(grid, error);
}

/* ---- Steps, study, options --------------------------------------------------------------------------- */

static int read_steps(sweep_grid *grid, hn_error *error)
{
  const cli_options *o = grid->options;
  const hn_study *study = grid->study;
  if (o->nsteps > 0 && o->step > 0.0) return hn_fail(error, "sweep: --step and --steps cannot be given both");
  const double *from = &o->step; /* 0: the scene's own */
  grid->nstep = 1;
  if (o->nsteps > 0) from = o->steps, grid->nstep = o->nsteps;
  else if (!(o->step > 0.0) && study && study->nstep > 0) from = study->step, grid->nstep = study->nstep;
  grid->step = cli_alloc(grid->nstep, sizeof *grid->step);
  memcpy(grid->step, from, sizeof *from * grid->nstep);
  return 0;
}

/* Returns -1 with a message and a suggestion unless a scene NAME is installed. */
static int check_name(const char *name, hn_error *error)
{
  char **scene = hn_scene_names(error), **study = scene ? hn_study_names(error) : NULL;
  const char **all = cli_alloc(1, sizeof *all);
  size_t count = 0;
  bool found = false;
  for (size_t i = 0; study && scene[i]; i++) {
    found = found || strcmp(scene[i], name) == 0;
    all = cli_grow(all, count + 1, sizeof *all), all[count++] = scene[i];
  }
  for (size_t i = 0; study && study[i]; i++)
    all = cli_grow(all, count + 1, sizeof *all), all[count++] = study[i];
  char *hint = cli_hint(name, all, count);
  if (study && !found) hn_fail(error, "no scene or study \"%.100s\" is installed%s", name, hint);
  free(hint), free(all);
  hn_scene_names_free(scene), hn_scene_names_free(study);
  return found ? 0 : -1;
}

int sweep_study_read(hn_study **study, const cli_options *o, hn_error *error)
{
  const char *word = o->word[0];
  const size_t length = strlen(word);
  const bool path = strchr(word, '/') || (length > 4 && strcmp(word + length - 4, ".lua") == 0);
  char *file = path ? cli_text("%s", word) : cli_text("%s/%s.lua", hn_data_dir("studies"), word);
  int status = 0;
  *study = NULL;
  if (access(file, R_OK) == 0) {
    const hn_scene_options study_options = { .limits = o->limits, .stop = cli_stop() };
    cli_watchdog_start();
    status = hn_study_load(study, file, &study_options, error);
    cli_watchdog_stop(); /* no thread may remain when workers are forked */
  } else if (!path) {
    status = check_name(word, error);
  }
  free(file);
  return status < 0 ? -1 : 0;
}

/* Reads the study that the options name, if it is one, and the scene. */
static int read_study(sweep_grid *grid, hn_error *error)
{
  grid->scene = grid->written = grid->options->word[0];
  if (sweep_study_read(&grid->study, grid->options, error) < 0) return -1;
  if (!grid->study) return 0;
  if (!grid->study->scene)
    return hn_fail(error, "%s is a list of studies, which only `sweep` runs", grid->study->path);
  grid->scene = grid->study->scene, grid->written = grid->study->written;
  return 0;
}

int sweep_grid_read(sweep_grid *grid, const cli_options *options, hn_error *error)
{
  *grid = (sweep_grid){ .runs = &sweep_scene_runs, .options = options };
  if (read_study(grid, error)) return -1;
  const hn_study *study = grid->study;
  grid->duration = options->duration > 0.0 || !study ? options->duration : study->duration;
  if (cli_norm_read(options->norm || !study ? options->norm : study->norm, &grid->norm, error) < 0) return -1;
  grid->reference = options->reference || !study ? options->reference : study->reference;
  grid->consistent = options->consistent || (study && study->consistent);
  grid->times = options->times || (study && study->times > 0);
  grid->repeat = options->repeat > 0 || !study ? options->repeat : study->times;
  if (options->repeat > 0 && !grid->times) return hn_fail(error, "sweep: --repeat needs --times");
  if (read_axes(grid, error) || read_solvers(grid, error) || read_steps(grid, error)) return -1;
  grid->nrow = grid->npoint;
  return multiply(&grid->nrow, grid->nsolver, error) || multiply(&grid->nrow, grid->nstep, error) ? -1 : 0;
}
