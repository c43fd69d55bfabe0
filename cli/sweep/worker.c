/* worker.c - a worker process of a sweep: loads scenes, makes references and runs rows. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "cli/base/memory.h"
#include "cli/study/reference.h"
#include "cli/study/study_runs.h"
#include "cli/sweep/sweep_row.h"
#include "cli/sweep/worker.h"

static const char no_reference[] = "-";

/* Keeps scene and reference of the last point, which neighbouring rows share. */
typedef struct sweep_worker {
  const sweep_grid *grid;
  size_t point;    /* of this scene and reference; SIZE_MAX: none */
  hn_scene *scene; /* NULL: it cannot be loaded */
  hn_error why;    /* why not */
  char *line;      /* the reference as received */
  cli_reference reference;
} sweep_worker;

static void *create_worker(const sweep_grid *grid)
{
  sweep_worker *w = cli_alloc(1, sizeof *w);
  w->grid = grid, w->point = SIZE_MAX;
  return w;
}

static void clear_point(sweep_worker *w)
{
  cli_reference_free(&w->reference);
  free(w->line);
  hn_scene_free(w->scene);
  w->line = NULL, w->scene = NULL, w->point = SIZE_MAX;
}

static hn_scene *load_scene(sweep_worker *w, size_t point)
{
  const sweep_grid *grid = w->grid;
  if (w->point == point) return w->scene;
  clear_point(w);
  cli_options options = *grid->options;
  hn_setting *setting = cli_alloc(grid->nparameter + 1, sizeof *setting);
  for (size_t i = 0; i < grid->nparameter; i++)
    setting[i] = (hn_setting){ grid->parameter[i], sweep_value(grid, point, i) };
  options.setting = setting, options.nsetting = grid->nparameter, options.consistent = grid->consistent;
  w->scene = cli_scene_load(grid->scene, &options, &w->why);
  w->point = point;
  free(setting);
  return w->scene;
}

/* ---- Rows -------------------------------------------------------------------------------------------- */

static double step_of(const hn_scene *scene, double step)
{
  return step > 0.0 ? step : scene->step;
}

static double duration_of(const sweep_grid *grid, const hn_scene *scene)
{
  return grid->duration > 0.0 ? grid->duration : scene->duration;
}

/* The measures of a study during a run. */
typedef struct own_measures {
  hn_study_run *run;
  bool failed;
  hn_error why;
} own_measures;

static bool measure(void *watcher, const cli_outcome *outcome, const hn_frame *frame)
{
  own_measures *own = watcher;
  (void)outcome;
  own->failed = hn_study_run_measure(own->run, frame->state, &own->why) < 0;
  return !own->failed;
}

/* Prepares the measures of a study, if it has measures or results. */
static int begin_measures(own_measures *own, const hn_study *study, hn_scene *scene, hn_error *error)
{
  const bool wanted = study && study->nmeasure + study->nresult > 0;
  *own = (own_measures){ .run = wanted ? hn_study_run_create(study, scene, error) : NULL };
  return wanted && !own->run ? -1 : 0;
}

/* Measures the computing time without the measures of the study. */
static int measure_times(const sweep_grid *grid, cli_outcome *outcome, hn_error *error)
{
  outcome->plan.watch = NULL;
  return grid->times ? cli_times_measure(outcome, grid->repeat, error) : 0;
}

static char *run_plan(sweep_worker *w, size_t row, const cli_plan *plan, own_measures *own)
{
  hn_error error;
  cli_outcome outcome;
  sweep_result run = { .outcome = &outcome, .reference = &w->reference, .own = own->run };
  if (cli_reference_prepare(&w->reference, plan, &error) < 0) return sweep_dead_row(w->grid, row, error.text);
  if (cli_outcome_run(&outcome, plan, &error) < 0) run.outcome = NULL, run.why = error.text;
  else if (own->failed) run.why = own->why.text;
  else if (measure_times(w->grid, &outcome, &error) < 0) run.outcome = NULL, run.why = error.text;
  char *text = sweep_row(w->grid, row, &run);
  cli_outcome_free(&outcome);
  return text;
}

static char *run_row(sweep_worker *w, size_t row)
{
  if (sweep_solver_of(w->grid, row)->absent) return sweep_dead_row(w->grid, row, "not installed");
  hn_scene *scene = load_scene(w, sweep_point_of(w->grid, row));
  hn_error error;
  own_measures own;
  if (!scene) return sweep_dead_row(w->grid, row, w->why.text);
  if (begin_measures(&own, w->grid->study, scene, &error) < 0)
    return sweep_dead_row(w->grid, row, error.text);
  char *spec = sweep_spec(sweep_solver_of(w->grid, row), scene->solver);
  const cli_plan plan = { .scene = scene,
                          .solver = spec,
                          .step = step_of(scene, sweep_step_of(w->grid, row)),
                          .duration = duration_of(w->grid, scene),
                          .measures = CLI_FEW_MEASURES,
                          .reference = w->reference.name ? &w->reference : NULL,
                          .watch = own.run ? measure : NULL,
                          .watcher = &own };
  char *text = run_plan(w, row, &plan, &own);
  hn_study_run_free(own.run);
  free(spec);
  return text;
}

/* ---- References -------------------------------------------------------------------------------------- */

static double *component(hn_pose *pose, hn_twist *twist, int k)
{
  if (k < 3) return &pose->x[k];
  if (k < 7) return &pose->q[k - 3];
  return k < 10 ? &twist->v[k - 7] : &twist->w[k - 10];
}

/* Writes REFERENCE as a line: key, step, uncertainty; for each known body its index, the known quantities as
 * bits and 13 numbers; then joint forces. */
static char *reference_line(const cli_reference *reference)
{
  char *line;
  size_t length;
  const cli_motion *end = reference->end;
  if (!reference->name) return cli_text("%s", no_reference);
  FILE *out = open_memstream(&line, &length);
  fprintf(out, "%s\t%.17g\t%.17g", reference->key, reference->step, reference->uncertainty);
  for (int i = 0; i < end->nbody; i++) {
    int known = 0;
    for (int q = 0; q < CLI_FORCE; q++) known |= end->has[q][i] << q;
    if (known == 0) continue;
    fprintf(out, "\t%d %d", i, known);
    for (int k = 0; k < 13; k++) fprintf(out, " %.17g", *component(&end->pose[i], &end->twist[i], k));
  }
  if (end->has[CLI_FORCE][0]) fputs("\tforces", out);
  for (int r = 0; r < end->nrow && end->has[CLI_FORCE][0]; r++) fprintf(out, " %.17g", end->force[r]);
  fclose(out);
  return line;
}

static void read_body(cli_motion *end, char *text)
{
  const long i = strtol(text, &text, 10), known = strtol(text, &text, 10);
  for (int q = 0; q < CLI_FORCE; q++) end->has[q][i] = known >> q & 1;
  for (int k = 0; k < 13; k++) *component(&end->pose[i], &end->twist[i], k) = strtod(text, &text);
}

static void read_forces(cli_motion *end, char *text)
{
  end->has[CLI_FORCE][0] = true;
  for (int r = 0; r < end->nrow; r++) end->force[r] = strtod(text, &text);
}

static void read_reference(cli_reference *reference, const char *line, const sweep_grid *grid,
                           const hn_scene *scene)
{
  char *copy = cli_text("%s", line), *rest = copy, *key = strsep(&rest, "\t");
  cli_reference_free(reference);
  if (strcmp(key, no_reference) != 0) {
    reference->name = cli_text("%s", key), reference->key = cli_text("%s", key), reference->norm = grid->norm;
    reference->step = strtod(strsep(&rest, "\t"), NULL);
    reference->uncertainty = strtod(strsep(&rest, "\t"), NULL);
    if (reference->step > 0.0) reference->solver = cli_text("%s", key);
    reference->end = cli_motion_create(scene->model, 1, 1);
    reference->end->time[0] = duration_of(grid, scene);
    for (char *part; (part = strsep(&rest, "\t"));) {
      if (strncmp(part, "forces", 6) == 0) read_forces(reference->end, part + 6);
      else read_body(reference->end, part);
    }
  }
  free(copy);
}

/* Makes the reference that the grid wants; by default the scene's own, or the best available. */
static int best_reference(const sweep_grid *grid, cli_reference *reference, hn_scene *scene, hn_error *error)
{
  const double duration = duration_of(grid, scene);
  double coarsest = 0.0, finest = INFINITY;
  for (size_t i = 0; i < grid->nstep; i++) {
    coarsest = fmax(coarsest, step_of(scene, grid->step[i]));
    finest = fmin(finest, step_of(scene, grid->step[i]));
  }
  const cli_plan plan = { .scene = scene, .step = coarsest, .duration = duration };
  if (cli_reference_kind_of(grid->reference) == CLI_REFERENCE_SCENE)
    return cli_reference_scene(reference, scene, grid->norm, duration, error);
  const int status = cli_reference_known(reference, grid->reference, &plan, grid->norm, error);
  if (status != 0) return status;
  cli_reference_free(reference);
  return cli_reference_wanted(reference, grid->reference, &plan, grid->norm, finest, error);
}

/* Makes the reference of a point, accurate enough for the smallest step of its rows. */
static char *make_reference(sweep_worker *w, size_t point)
{
  hn_error error;
  cli_reference reference = { 0 };
  hn_scene *scene = load_scene(w, point);
  if (!scene || (w->grid->reference && strcmp(w->grid->reference, "none") == 0))
    return cli_text("%s", no_reference);
  char *line = NULL;
  if (best_reference(w->grid, &reference, scene, &error) >= 0) line = reference_line(&reference);
  cli_reference_free(&reference);
  return line ? line : cli_text("%s", no_reference);
}

/* ---- Check ------------------------------------------------------------------------------------------- */

/* Returns -1 with a message if the scene, loaded with default parameters, lacks one of the grid. */
static int check_parameters(const sweep_grid *grid, const hn_scene *scene, hn_error *error)
{
  bool good = true;
  const char **names = cli_alloc(scene->nparam + 1, sizeof *names);
  for (size_t k = 0; k < scene->nparam; k++) names[k] = scene->param[k].name;
  for (size_t i = 0; i < grid->nparameter && good; i++)
    good = cli_find(grid->parameter[i], names, scene->nparam, error, "%s: unknown parameter \"%s\"",
                    scene->path, grid->parameter[i]) >= 0;
  free(names);
  return good ? 0 : -1;
}

static int check_solvers(const sweep_grid *grid, const hn_scene *scene, hn_error *error)
{
  int status = 0;
  for (size_t i = 0; i < grid->nsolver && status == 0; i++) {
    if (grid->solver[i].absent) continue;
    char *spec = sweep_spec(&grid->solver[i], scene->solver);
    status = cli_spec_check(spec, scene, error);
    free(spec);
  }
  return status;
}

static int check_reference(const char *wanted, hn_scene *scene, hn_error *error)
{
  if (cli_reference_kind_of(wanted) != CLI_REFERENCE_FILE)
    return cli_reference_check(wanted, scene, CLI_END, error);
  return hn_fail(
    error,
    "--reference %s: a sweep makes one for every point by itself or by a solver, takes only that of the "
    "scene (scene), or none at all (none)",
    wanted);
}

static char *check(const sweep_grid *grid)
{
  hn_error error;
  cli_options options = *grid->options;
  options.setting = NULL, options.nsetting = 0, options.consistent = grid->consistent;
  hn_scene *scene = cli_scene_load(grid->scene, &options, &error);
  bool good = scene && check_parameters(grid, scene, &error) == 0 &&
              check_solvers(grid, scene, &error) == 0 && check_reference(grid->reference, scene, &error) == 0;
  char *answer = good ? cli_text("ok %016" PRIx64, sweep_fingerprint(grid, scene->path))
                      : cli_text("no %s", error.text);
  hn_scene_free(scene);
  return answer;
}

static char *answer(void *worker, const char *request)
{
  sweep_worker *w = worker;
  if (request[0] == 'c') return check(w->grid);
  char *end;
  const size_t index = strtoull(request + 1, &end, 10);
  if (request[0] == 'p') return make_reference(w, index);
  hn_scene *scene = load_scene(w, sweep_point_of(w->grid, index));
  if (scene && (!w->line || strcmp(w->line, end + 1) != 0)) {
    free(w->line);
    w->line = cli_text("%s", end + 1);
    read_reference(&w->reference, w->line, w->grid, scene);
  }
  return run_row(w, index);
}

const sweep_runs sweep_scene_runs = { sweep_head, sweep_dead_row, create_worker, answer };
