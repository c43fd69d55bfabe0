/* tables.c - the tables of a report, with the solver in the first column. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/base/memory.h"
#include "cli/base/parse.h"
#include "cli/study/study_runs.h"
#include "cli/study/report_struct.h"

void cli_put_csv(FILE *out, const char *text)
{
  const bool quoted = text[strcspn(text, ",\"\n\r")] != '\0';
  if (quoted) putc('"', out);
  for (; *text; text++) {
    if (*text == '"') putc('"', out);
    putc(*text == '\n' || *text == '\r' ? ' ' : *text, out);
  }
  if (quoted) putc('"', out);
}

/* Writes the rows of a solver of C. Returns their number. */
typedef size_t rows_writer(FILE *out, const cli_comparison *c, size_t solver);
/* Returns a remark on the curve of a solver that has rows, to be freed, or NULL. */
typedef char *remark_maker(const cli_comparison *c, size_t solver);

static size_t write_series(FILE *out, const cli_comparison *c, size_t solver)
{
  const cli_outcome *o = &c->outcome[solver];
  const int values = c->scene->model->max_contacts > 0 ? CLI_SAMPLE_VALUES : CLI_SAMPLE_CONTACTS;
  const size_t count = o->series ? o->series->count : 0;
  for (size_t i = 0; i < count; i++) {
    cli_put_csv(out, o->plan.solver);
    for (int k = 0; k < values; k++) fprintf(out, ",%s", cli_exact(o->series->sample[i][k]).text);
    fputc('\n', out);
  }
  return count;
}

static size_t write_error_curve(FILE *out, const cli_comparison *c, size_t solver)
{
  const cli_error_curve *e = c->outcome[solver].error_curve;
  for (long k = 0; e && k < e->count; k++) {
    cli_put_csv(out, c->outcome[solver].plan.solver);
    fprintf(out, ",%s", cli_exact(e->time[k]).text);
    for (int q = 0; q < CLI_QUANTITIES; q++) fprintf(out, ",%s", cli_exact(e->error[q][k]).text);
    fputc('\n', out);
  }
  return e ? (size_t)e->count : 0;
}

static size_t write_study(FILE *out, const cli_comparison *c, size_t solver)
{
  const cli_outcome *study = c->study + solver * c->nsteps;
  for (size_t i = 0; i < c->nsteps; i++) {
    cli_put_csv(out, study[i].plan.solver);
    fprintf(out, ",%s,%s,%s,%.6g,%.6g,%s\n", cli_exact(study[i].plan.step).text,
            cli_exact(study[i].error[CLI_POSITION]).text, cli_exact(cli_outcome_operations(&study[i])).text,
            study[i].summary.wall_s, study[i].wall_spread, hn_reason_name(study[i].summary.reason));
  }
  return c->nsteps;
}

static size_t write_history(FILE *out, const cli_comparison *c, size_t solver)
{
  const cli_history *h = c->outcome[solver].history;
  for (int i = 0; h && i < h->count; i++) {
    cli_put_csv(out, c->outcome[solver].plan.solver);
    fprintf(out, ",%d,%s\n", i + 1, cli_exact(h->residual[i]).text);
  }
  return h ? (size_t)h->count : 0;
}

/* Returns "(2 of 8 failed: stalled)" for the study of one solver, to be freed; NULL if no run failed. */
static char *failure_remark(const cli_comparison *c, size_t solver)
{
  const cli_outcome *study = c->study + solver * c->nsteps;
  const size_t count = c->nsteps;
  size_t failed = 0;
  const char *reason = "";
  for (size_t i = 0; i < count; i++) {
    if (study[i].summary.reason == HN_CONVERGED) continue;
    const char *word = hn_reason_name(study[i].summary.reason);
    reason = failed > 0 && strcmp(reason, word) != 0 ? "for several reasons" : word;
    failed++;
  }
  if (failed == 0) return NULL;
  return failed == count ? cli_text("(all failed: %s)", reason)
                         : cli_text("(%zu of %zu failed: %s)", failed, count, reason);
}

static char *step_remark(const cli_comparison *c, size_t solver)
{
  return cli_text("(step to t = %.6g s)", c->outcome[solver].history->time);
}

/* Writes the table FILE with the rows of all solvers, and stores its curves in T. */
static int write_table(report_curves *t, cli_folder *folder, const char *file, const char *head,
                       const cli_comparison *c, rows_writer *write, remark_maker *remark, hn_error *error)
{
  size_t first = 0;
  FILE *out = cli_folder_file(folder, file, error);
  t->curve = cli_alloc(c->count, sizeof *t->curve);
  if (!out) return -1;
  fprintf(out, "solver,%s\n", head);
  for (size_t i = 0; i < c->count; i++) {
    const size_t rows = write(out, c, i);
    if (rows > 0)
      t->curve[t->count++] = (cli_curve){ file, first, rows, c->outcome[i].plan.solver,
                                          remark ? remark(c, i) : NULL };
    first += rows;
  }
  return cli_stream_close(out, file, error);
}

static bool has_history(const cli_comparison *c)
{
  for (size_t i = 0; i < c->count; i++)
    if (c->outcome[i].history && c->outcome[i].history->count > 0) return true;
  return false;
}

int report_write_tables(report_tables *d, const cli_comparison *c, hn_error *error)
{
  const char *series =
    c->scene->model->max_contacts > 0
      ? "time,joint_error,joint_velocity_error,energy_error,contacts,penetration,law_of_contact"
      : "time,joint_error,joint_velocity_error,energy_error";
  int status = write_table(&d->series, d->folder, "series.csv", series, c, write_series, NULL, error);
  if (status == 0 && c->reference.norm != CLI_END)
    status = write_table(&d->errors, d->folder, "errors.csv",
                         "time,error,orientation_error,velocity_error,force_error", c, write_error_curve,
                         NULL, error);
  if (status == 0 && c->nsteps > 0)
    status = write_table(&d->study, d->folder, "work.csv",
                         "step,error,joint_operations,wall_s,wall_spread_s,reason", c, write_study,
                         failure_remark, error);
  if (status == 0 && has_history(c))
    status = write_table(&d->history, d->folder, "residuals.csv", "iteration,residual", c, write_history,
                         step_remark, error);
  return status;
}

static void free_curves(report_curves *t)
{
  for (size_t i = 0; i < t->count; i++) free(t->curve[i].remark);
  free(t->curve);
}

void report_free_tables(report_tables *d)
{
  free_curves(&d->series), free_curves(&d->errors), free_curves(&d->study), free_curves(&d->history);
}
