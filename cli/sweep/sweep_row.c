/* sweep_row.c - the columns of the table of a sweep, and the fields of a run, empty if unknown. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "cli/base/memory.h"
#include "cli/base/parse.h"
#include "cli/study/report_struct.h"
#include "cli/sweep/sweep_row.h"

static const char scene_column[] = "scene", last_column[] = "explanation";
const char sweep_time_ratio[] = "time_ratio";
static const char *const time_columns[] = { "wall_s", "us_per_step", "wall_spread_s" };

enum { NTIME = sizeof time_columns / sizeof *time_columns, NCOLUMN = 33 };

/* The fixed columns, after the scene and its parameters, before those of a study and the explanation. The
 * grid determines the first three. */
enum { SOLVER, STEP, DURATION, REASON };

typedef struct field {
  enum { NONE, TEXT, REAL, COUNT } kind;
  const char *text;
  double real;
  uint64_t count;
} field;

typedef struct column {
  const char *name;
  field value;
} column;

static field text(const char *value)
{
  return (field){ .kind = value && *value ? TEXT : NONE, .text = value };
}

static field real(double value)
{
  return (field){ .kind = isfinite(value) ? REAL : NONE, .real = value };
}

static field count(uint64_t value)
{
  return (field){ .kind = COUNT, .count = value };
}

/* ---- Fields of a run --------------------------------------------------------------------------------- */

static field real_if(bool known, double value)
{
  return real(known ? value : NAN);
}

static field count_if(bool known, uint64_t value)
{
  return known ? count(value) : (field){ .kind = NONE };
}

/* Fills the fixed columns from a run. HASH, 17 characters, must outlive them. */
static void fill_run(column c[NCOLUMN], const cli_outcome *o, const cli_reference *r, char *hash)
{
  const hn_summary *s = &o->summary;
  const hn_contact_measure *contact = &s->contact;
  const bool ran = s->steps > 0, pushed = s->impulses.total > 0, touches = s->collides;
  snprintf(hash, 17, "%016" PRIx64, s->hash);
  const column all[NCOLUMN] = {
    { "solver", text(o->plan.solver) },
    { "step", real(o->plan.step) },
    { "duration", real(o->plan.duration) },
    { "reason", text(hn_reason_name(s->reason)) },
    { "steps", count((uint64_t)s->steps) },
    { "time", real(s->time) },
    { "norm", text(r->key ? cli_norms[r->norm].name : NULL) },
    { "error", real(o->error[CLI_POSITION]) },
    { "orientation_error", real(o->error[CLI_ORIENTATION]) },
    { "velocity_error", real(o->error[CLI_VELOCITY]) },
    { "force_error", real(o->error[CLI_FORCE]) },
    { "reference", text(r->key) },
    { "uncertainty", real_if(r->key, r->uncertainty) },
    { "drift", real(s->position_max) },
    { "velocity_drift", real(s->velocity_max) },
    { "energy_error", real_if(s->energy_conserved, s->energy_error_max) },
    { "contacts", count_if(touches, (uint64_t)contact->contacts) },
    { "penetration", real_if(touches, contact->penetration) },
    { "contact_residual", real_if(touches, contact->residual) },
    { "balance", real_if(touches, contact->balance) },
    { "cone_excess", real_if(touches, contact->cone_excess) },
    { "energy_gain", real_if(touches, s->energy_gain) },
    { "position_iterations", real_if(ran, s->position_iterations_mean) },
    { "velocity_iterations", real_if(ran, s->velocity_iterations_mean) },
    { "impulses", real(cli_outcome_impulses(o)) },
    { "impulses_least", count_if(pushed, s->impulses.min) },
    { "impulses_most", count_if(pushed, s->impulses.max) },
    { "operations", real(cli_outcome_operations(o)) },
    { "residuals", count(s->work.residuals) },
    { "jacobians", count(s->work.jacobians) },
    { "factorisations", count(s->work.factorisations) },
    { "solves", count(s->work.solves) },
    { "hash", text(hash) },
  };
  memcpy(c, all, sizeof all);
}

/* Names the fixed columns and leaves their fields empty. */
static void fill_names(column c[NCOLUMN])
{
  char hash[17];
  fill_run(c, &(cli_outcome){ .solver = NULL }, &(cli_reference){ .key = NULL }, hash);
  for (size_t k = 0; k < NCOLUMN; k++) c[k].value = (field){ .kind = NONE };
}

/* ---- Fields of a study ------------------------------------------------------------------------------- */

static hn_study_field study_field(const char *name, const field *f)
{
  const double number = f->kind == REAL ? f->real : f->kind == COUNT ? (double)f->count : NAN;
  return (hn_study_field){ .name = name, .text = f->kind == TEXT ? f->text : NULL, .number = number };
}

/* Returns a parameter of the scene, as a number if it is one. */
static hn_study_field parameter_field(const char *name, const char *value)
{
  double number;
  const bool is = cli_parse_number(value, &number);
  return (hn_study_field){ .name = name, .text = is ? NULL : value, .number = is ? number : NAN };
}

/* Computes the results of a study from all other fields of the row. */
static int compute_results(const sweep_grid *grid, size_t row, const sweep_result *run, const column *c,
                           double *result, hn_error *error)
{
  const hn_study *study = grid->study;
  size_t n = 0;
  hn_study_field *all = cli_alloc(1 + grid->nparameter + NCOLUMN + study->nmeasure, sizeof *all);
  all[n++] = (hn_study_field){ .name = scene_column, .text = grid->written };
  for (size_t k = 0; k < grid->nparameter; k++)
    all[n++] = parameter_field(grid->parameter[k], sweep_value(grid, sweep_point_of(grid, row), k));
  for (size_t k = 0; k < NCOLUMN; k++) all[n++] = study_field(c[k].name, &c[k].value);
  for (size_t k = 0; k < study->nmeasure; k++)
    all[n++] = (hn_study_field){ .name = study->measure[k], .number = hn_study_run_value(run->own, k) };
  const int status = hn_study_run_results(run->own, all, n, result, error);
  free(all);
  return status;
}

int sweep_check_columns(const sweep_grid *grid, hn_error *error)
{
  const hn_study *study = grid->study;
  const size_t own = study ? study->nmeasure + study->nresult : 0,
               others = grid->nparameter + NCOLUMN + 3 + NTIME;
  const char **name = cli_alloc(others + own, sizeof *name), *duplicate = NULL;
  column c[NCOLUMN];
  size_t n = 0;
  fill_names(c);
  name[n++] = scene_column, name[n++] = last_column;
  for (size_t k = 0; k < NTIME; k++) name[n++] = time_columns[k];
  if (grid->times) name[n++] = sweep_time_ratio;
  for (size_t k = 0; k < NCOLUMN; k++) name[n++] = c[k].name;
  for (size_t k = 0; k < grid->nparameter; k++) name[n++] = grid->parameter[k];
  for (size_t k = 0; k < own; k++) {
    name[n] = k < study->nmeasure ? study->measure[k] : study->result[k - study->nmeasure];
    for (size_t i = 0; i < n && !duplicate; i++)
      if (strcmp(name[i], name[n]) == 0) duplicate = name[n];
    n++;
  }
  int status = 0;
  if (duplicate)
    status = hn_fail(error, "%s:%d: the table has a column \"%s\" already; choose another name", study->path,
                     study->line, duplicate);
  for (size_t i = 0; study && i < study->nshow && status == 0; i++)
    if (cli_find(study->show[i], name, n, error, "%s:%d: show: the table has no column \"%.60s\"",
                 study->path, study->line, study->show[i]) < 0)
      status = -1;
  free(name);
  return status;
}

/* ---- CSV --------------------------------------------------------------------------------------------- */

static void put(FILE *out, field f)
{
  putc(',', out);
  if (f.kind == TEXT) cli_put_csv(out, f.text);
  else if (f.kind == REAL) fputs(hn_exact(f.real).text, out);
  else if (f.kind == COUNT) fprintf(out, "%" PRIu64, f.count);
}

char *sweep_head(const sweep_grid *grid)
{
  char *line;
  size_t length;
  column c[NCOLUMN];
  const hn_study *study = grid->study;
  FILE *out = open_memstream(&line, &length);
  fill_names(c);
  fputs(scene_column, out);
  for (size_t k = 0; k < grid->nparameter; k++) putc(',', out), cli_put_csv(out, grid->parameter[k]);
  for (size_t k = 0; k < NCOLUMN; k++) fprintf(out, ",%s", c[k].name);
  for (size_t k = 0; study && k < study->nmeasure; k++) fprintf(out, ",%s", study->measure[k]);
  for (size_t k = 0; study && k < study->nresult; k++) fprintf(out, ",%s", study->result[k]);
  fprintf(out, ",%s", last_column);
  if (grid->times)
    for (size_t k = 0; k < NTIME; k++) fprintf(out, ",%s", time_columns[k]);
  fclose(out);
  return line;
}

/* Fills the fields known from the grid. Returns the solver spec, which must outlive them; free it. */
static char *fill_grid_fields(column c[NCOLUMN], const sweep_grid *grid, size_t row)
{
  char *spec = sweep_spec(sweep_solver_of(grid, row), "");
  const double step = sweep_step_of(grid, row);
  c[SOLVER].value = text(spec);
  c[STEP].value = real_if(step > 0.0, step);
  c[DURATION].value = real_if(grid->duration > 0.0, grid->duration);
  return spec;
}

char *sweep_row(const sweep_grid *grid, size_t row, const sweep_result *run)
{
  char *line, hash[17];
  const hn_study *study = grid->study;
  size_t length, nmeasure = study ? study->nmeasure : 0, nresult = study ? study->nresult : 0;
  hn_error error;
  column c[NCOLUMN];
  fill_names(c);
  double *result = cli_alloc(nresult + 1, sizeof *result);
  char *spec = fill_grid_fields(c, grid, row);
  const cli_outcome *o = run->outcome;
  const char *why = run->why;
  for (size_t k = 0; k < nresult; k++) result[k] = NAN;
  if (o) fill_run(c, o, run->reference, hash);
  const bool good = !why && o->summary.reason == HN_CONVERGED; /* a failed run has no results */
  if (good && nresult > 0 && compute_results(grid, row, run, c, result, &error) < 0) why = error.text;
  if (why) c[REASON].value = text("error");
  /* The line: the scene, its parameters, the fixed columns, those of the study, explanation and times */
  FILE *out = open_memstream(&line, &length);
  putc(good && !why ? '+' : '-', out);
  cli_put_csv(out, grid->written);
  for (size_t k = 0; k < grid->nparameter; k++)
    put(out, text(sweep_value(grid, sweep_point_of(grid, row), k)));
  for (size_t k = 0; k < NCOLUMN; k++) put(out, c[k].value);
  for (size_t k = 0; k < nmeasure; k++) put(out, real(run->own ? hn_study_run_value(run->own, k) : NAN));
  for (size_t k = 0; k < nresult; k++) put(out, real(result[k]));
  put(out, text(why ? why : good ? "" : o->summary.explanation));
  const double times[] = { o ? o->summary.wall_s : NAN, o ? cli_outcome_us_per_step(o) : NAN,
                           o ? o->wall_spread : NAN };
  for (size_t k = 0; k < NTIME && grid->times; k++) put(out, real(times[k]));
  fclose(out);
  free(spec), free(result);
  return line;
}

char *sweep_dead_row(const sweep_grid *grid, size_t row, const char *why)
{
  return sweep_row(grid, row, &(sweep_result){ .why = why });
}
