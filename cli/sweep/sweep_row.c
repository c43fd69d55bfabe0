/* sweep_row.c - the columns of the table of a sweep, and the fields of a run, empty if unknown. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "cli/base/memory.h"
#include "cli/base/parse.h"
#include "cli/study/report.h"
#include "cli/sweep/sweep_row.h"

/* Fixed columns, after the scene and its parameters, before those of a study and the explanation. */
enum column {
  SOLVER,
  STEP,
  DURATION,
  REASON,
  STEPS,
  TIME,
  NORM,
  ERROR,
  ORIENTATION_ERROR,
  VELOCITY_ERROR,
  FORCE_ERROR,
  REFERENCE,
  UNCERTAINTY,
  DRIFT,
  VELOCITY_DRIFT,
  ENERGY_ERROR,
  CONTACTS,
  PENETRATION,
  CONTACT_RESIDUAL,
  BALANCE,
  CONE_EXCESS,
  ENERGY_GAIN,
  POSITION_ITERATIONS,
  VELOCITY_ITERATIONS,
  IMPULSES,
  IMPULSES_LEAST,
  IMPULSES_MOST,
  OPERATIONS,
  RESIDUALS,
  JACOBIANS,
  FACTORISATIONS,
  SOLVES,
  HASH,
  NCOLUMN
};
static const char *const columns[NCOLUMN] = {
  "solver",
  "step",
  "duration",
  "reason",
  "steps",
  "time",
  "norm",
  "error",
  "orientation_error",
  "velocity_error",
  "force_error",
  "reference",
  "uncertainty",
  "drift",
  "velocity_drift",
  "energy_error",
  "contacts",
  "penetration",
  "contact_residual",
  "balance",
  "cone_excess",
  "energy_gain",
  "position_iterations",
  "velocity_iterations",
  "impulses",
  "impulses_least",
  "impulses_most",
  "operations",
  "residuals",
  "jacobians",
  "factorisations",
  "solves",
  "hash",
};
static const char scene_column[] = "scene", last_column[] = "explanation";
static const char *const time_columns[] = { "wall_s", "us_per_step", "wall_spread_s" };

enum { NTIME = sizeof time_columns / sizeof *time_columns };

typedef struct field {
  enum { NONE, TEXT, REAL, COUNT } kind;
  const char *text;
  double real;
  uint64_t count;
} field;

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

static void fill_contacts(field *f, const hn_summary *s)
{
  const hn_contact_measure *c = &s->contact;
  if (!s->collides) return;
  f[CONTACTS] = count((uint64_t)c->contacts);
  f[PENETRATION] = real(c->penetration), f[CONTACT_RESIDUAL] = real(c->residual),
  f[BALANCE] = real(c->balance);
  f[CONE_EXCESS] = real(c->cone_excess), f[ENERGY_GAIN] = real(s->energy_gain);
}

static void fill_work(field *f, const cli_outcome *o)
{
  const hn_summary *s = &o->summary;
  const bool ran = s->steps > 0;
  f[POSITION_ITERATIONS] = real(ran ? s->position_iterations_mean : NAN);
  f[VELOCITY_ITERATIONS] = real(ran ? s->velocity_iterations_mean : NAN);
  f[IMPULSES] = real(cli_outcome_impulses(o)), f[OPERATIONS] = real(cli_outcome_operations(o));
  if (s->impulses.total > 0)
    f[IMPULSES_LEAST] = count(s->impulses.min), f[IMPULSES_MOST] = count(s->impulses.max);
  f[RESIDUALS] = count(s->work.residuals), f[JACOBIANS] = count(s->work.jacobians);
  f[FACTORISATIONS] = count(s->work.factorisations), f[SOLVES] = count(s->work.solves);
}

/* Fills the fields of a run. HASH, 17 characters, must outlive them. */
static void fill_run(field *f, const sweep_result *run, char *hash)
{
  const cli_outcome *o = run->outcome;
  const hn_summary *s = &o->summary;
  const cli_reference *reference = run->reference;
  f[SOLVER] = text(o->plan.solver), f[STEP] = real(o->plan.step), f[DURATION] = real(o->plan.duration);
  f[REASON] = text(hn_reason_name(s->reason));
  f[STEPS] = count((uint64_t)s->steps), f[TIME] = real(s->time), f[ERROR] = real(o->error[CLI_POSITION]);
  f[NORM] = text(reference->key ? cli_norm_name(reference->norm) : NULL);
  f[ORIENTATION_ERROR] = real(o->error[CLI_ORIENTATION]), f[VELOCITY_ERROR] = real(o->error[CLI_VELOCITY]);
  f[FORCE_ERROR] = real(o->error[CLI_FORCE]);
  f[REFERENCE] = text(reference->key), f[UNCERTAINTY] = real(reference->key ? reference->uncertainty : NAN);
  f[DRIFT] = real(s->position_max), f[VELOCITY_DRIFT] = real(s->velocity_max);
  f[ENERGY_ERROR] = real(s->energy_conserved ? s->energy_error_max : NAN);
  fill_contacts(f, s);
  fill_work(f, o);
  snprintf(hash, 17, "%016" PRIx64, s->hash);
  f[HASH] = text(hash);
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
static int compute_results(const sweep_grid *grid, size_t row, const sweep_result *run, const field *f,
                           double *result, hn_error *error)
{
  const hn_study *study = grid->study;
  size_t n = 0;
  hn_study_field *all = cli_alloc(1 + grid->nparameter + NCOLUMN + study->nmeasure, sizeof *all);
  all[n++] = (hn_study_field){ .name = scene_column, .text = grid->written };
  for (size_t k = 0; k < grid->nparameter; k++)
    all[n++] = parameter_field(grid->parameter[k], sweep_value(grid, sweep_point_of(grid, row), k));
  for (size_t k = 0; k < NCOLUMN; k++) all[n++] = study_field(columns[k], &f[k]);
  for (size_t k = 0; k < study->nmeasure; k++)
    all[n++] = (hn_study_field){ .name = study->measure[k], .number = hn_study_run_value(run->own, k) };
  const int status = hn_study_run_results(run->own, all, n, result, error);
  free(all);
  return status;
}

/* Returns -1 with a message if a column that the study selects is missing. */
static int check_selected_columns(const hn_study *study, const char *const *name, size_t count,
                                  hn_error *error)
{
  for (size_t i = 0; study && i < study->nshow; i++) {
    size_t k = 0;
    while (k < count && strcmp(name[k], study->show[i]) != 0) k++;
    if (k < count) continue;
    char *hint = cli_hint(study->show[i], name, count);
    hn_fail(error, "%s:%d: show: the table has no column \"%.60s\"%s", study->path, study->line,
            study->show[i], hint);
    free(hint);
    return -1;
  }
  return 0;
}

int sweep_check_columns(const sweep_grid *grid, hn_error *error)
{
  const hn_study *study = grid->study;
  const size_t own = study ? study->nmeasure + study->nresult : 0,
               others = grid->nparameter + NCOLUMN + 2 + NTIME;
  const char **name = cli_alloc(others + own, sizeof *name), *duplicate = NULL;
  size_t n = 0;
  name[n++] = scene_column, name[n++] = last_column;
  for (size_t k = 0; k < NTIME; k++) name[n++] = time_columns[k];
  for (size_t k = 0; k < NCOLUMN; k++) name[n++] = columns[k];
  for (size_t k = 0; k < grid->nparameter; k++) name[n++] = grid->parameter[k];
  for (size_t k = 0; k < own; k++) {
    name[n] = k < study->nmeasure ? study->measure[k] : study->result[k - study->nmeasure];
    for (size_t i = 0; i < n && !duplicate; i++)
      if (strcmp(name[i], name[n]) == 0) duplicate = name[n];
    n++;
  }
  int status = duplicate ? 0 : check_selected_columns(study, name, n, error);
  free(name);
  if (!duplicate) return status;
  return hn_fail(error, "%s:%d: the table has a column \"%s\" already; choose another name", study->path,
                 study->line, duplicate);
}

/* ---- CSV --------------------------------------------------------------------------------------------- */

static void put(FILE *out, const field *f)
{
  putc(',', out);
  if (f->kind == TEXT) cli_put_csv(out, f->text);
  else if (f->kind == REAL) fputs(hn_exact(f->real).text, out);
  else if (f->kind == COUNT) fprintf(out, "%" PRIu64, f->count);
}

char *sweep_head(const sweep_grid *grid)
{
  char *line;
  size_t length;
  const hn_study *study = grid->study;
  FILE *out = open_memstream(&line, &length);
  fputs(scene_column, out);
  for (size_t k = 0; k < grid->nparameter; k++) putc(',', out), cli_put_csv(out, grid->parameter[k]);
  for (size_t k = 0; k < NCOLUMN; k++) fprintf(out, ",%s", columns[k]);
  for (size_t k = 0; study && k < study->nmeasure; k++) fprintf(out, ",%s", study->measure[k]);
  for (size_t k = 0; study && k < study->nresult; k++) fprintf(out, ",%s", study->result[k]);
  fprintf(out, ",%s", last_column);
  if (grid->times)
    for (size_t k = 0; k < NTIME; k++) fprintf(out, ",%s", time_columns[k]);
  fclose(out);
  return line;
}

static void put_parameters(FILE *out, const sweep_grid *grid, size_t row)
{
  const size_t point = sweep_point_of(grid, row);
  cli_put_csv(out, grid->written);
  for (size_t k = 0; k < grid->nparameter; k++) putc(',', out), cli_put_csv(out, sweep_value(grid, point, k));
}

/* Fills the fields known from the grid. Returns the solver spec, which must outlive them; free it. */
static char *fill_grid_fields(field *f, const sweep_grid *grid, size_t row)
{
  const sweep_solver *m = sweep_solver_of(grid, row);
  const char *own = m->spec ? m->spec : "";
  const double step = sweep_step_of(grid, row), duration = grid->duration;
  char *spec = m->settings ? cli_spec_override(own, m->settings) : cli_text("%s", own);
  f[SOLVER] = text(spec), f[STEP] = real(step > 0.0 ? step : NAN),
  f[DURATION] = real(duration > 0.0 ? duration : NAN);
  return spec;
}

static void put_study_fields(FILE *out, const sweep_grid *grid, const sweep_result *run, const double *result)
{
  for (size_t k = 0; grid->study && k < grid->study->nmeasure; k++) {
    const field f = real(run->own ? hn_study_run_value(run->own, k) : NAN);
    put(out, &f);
  }
  for (size_t k = 0; grid->study && k < grid->study->nresult; k++) {
    const field f = real(result[k]);
    put(out, &f);
  }
}

static void put_times(FILE *out, const cli_outcome *o)
{
  const field wall = real(o ? o->summary.wall_s : NAN), step = real(o ? cli_outcome_us_per_step(o) : NAN);
  const field spread = real(o ? o->wall_spread : NAN);
  put(out, &wall), put(out, &step), put(out, &spread);
}

char *sweep_row(const sweep_grid *grid, size_t row, const sweep_result *run)
{
  char *line, hash[17];
  size_t length, nresult = grid->study ? grid->study->nresult : 0;
  hn_error error;
  field f[NCOLUMN] = { 0 };
  double *result = cli_alloc(nresult + 1, sizeof *result);
  char *spec = fill_grid_fields(f, grid, row);
  const cli_outcome *o = run->outcome;
  const char *why = run->why;
  for (size_t k = 0; k < nresult; k++) result[k] = NAN;
  if (o) fill_run(f, run, hash);
  const bool good = !why && o->summary.reason == HN_CONVERGED; /* a failed run has no results */
  if (good && nresult > 0 && compute_results(grid, row, run, f, result, &error) < 0) why = error.text;
  if (why) f[REASON] = text("error");
  const field last = text(why ? why : good ? "" : o->summary.explanation);
  FILE *out = open_memstream(&line, &length);
  putc(good && !why ? '+' : '-', out);
  put_parameters(out, grid, row);
  for (size_t k = 0; k < NCOLUMN; k++) put(out, &f[k]);
  put_study_fields(out, grid, run, result);
  put(out, &last);
  if (grid->times) put_times(out, o);
  fclose(out);
  free(spec), free(result);
  return line;
}

char *sweep_dead_row(const sweep_grid *grid, size_t row, const char *why)
{
  return sweep_row(grid, row, &(sweep_result){ .why = why });
}
