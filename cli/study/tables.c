/* tables.c - the tables of a report, with the solver in the first column. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/base/memory.h"
#include "cli/study/study_runs.h"
#include "cli/study/report.h"

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

static size_t write_series(FILE *out, const cli_outcome *o, bool collides)
{
  const size_t count = o->series ? o->series->count : 0;
  for (size_t i = 0; i < count; i++) {
    const cli_sample *s = &o->series->sample[i];
    cli_put_csv(out, o->plan.solver);
    fprintf(out, ",%.17g,%.17g,%.17g,%.17g", s->time, s->drift, s->velocity, s->energy);
    if (collides) fprintf(out, ",%.17g,%.17g,%.17g", s->contacts, s->penetration, s->law);
    fputc('\n', out);
  }
  return count;
}

static size_t write_error_curve(FILE *out, const cli_outcome *o)
{
  const cli_error_curve *c = o->error_curve;
  for (long k = 0; c && k < c->count; k++) {
    cli_put_csv(out, o->plan.solver);
    fprintf(out, ",%.17g", c->time[k]);
    for (int q = 0; q < CLI_QUANTITIES; q++) fprintf(out, ",%.17g", c->error[q][k]);
    fputc('\n', out);
  }
  return c ? (size_t)c->count : 0;
}

static size_t write_study(FILE *out, const cli_outcome *study, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    cli_put_csv(out, study[i].plan.solver);
    fprintf(out, ",%.17g,%.17g,%.17g,%.6g,%.6g,%s\n", study[i].plan.step, study[i].error[CLI_POSITION],
            cli_outcome_operations(&study[i]), study[i].summary.wall_s, study[i].wall_spread,
            hn_reason_name(study[i].summary.reason));
  }
  return count;
}

static size_t write_history(FILE *out, const cli_outcome *o)
{
  const cli_history *h = o->history;
  for (int i = 0; h && i < h->count; i++) {
    cli_put_csv(out, o->plan.solver);
    fprintf(out, ",%d,%.17g\n", i + 1, h->residual[i]);
  }
  return h ? (size_t)h->count : 0;
}

/* Returns "(2 of 8 failed: stalled)" for the study of one solver, to be freed; NULL if no run failed. */
static char *failure_remark(const cli_outcome *study, size_t count)
{
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

static int open_table(report_curves *t, cli_folder *folder, const char *file, size_t max_curves,
                      hn_error *error)
{
  *t = (report_curves){ .file = file,
                        .out = cli_folder_file(folder, file, error),
                        .curve = cli_alloc(max_curves, sizeof *t->curve) };
  return t->out ? 0 : -1;
}

/* Adds a curve for the ROWS rows of SOLVER just written. */
static void add_curve(report_curves *t, size_t rows, const char *solver, char *remark)
{
  if (rows > 0) t->curve[t->count++] = (cli_curve){ t->file, t->rows, rows, solver, remark };
  t->rows += rows;
}

static int write_all_series(const cli_comparison *c, report_tables *d, hn_error *error)
{
  const bool collides = c->scene->model->max_contacts > 0;
  if (open_table(&d->series, d->folder, "series.csv", c->count, error) < 0) return -1;
  fprintf(d->series.out, "solver,time,joint_error,joint_velocity_error,energy_error%s\n",
          collides ? ",contacts,penetration,law_of_contact" : "");
  for (size_t i = 0; i < c->count; i++)
    add_curve(&d->series, write_series(d->series.out, &c->outcome[i], collides), c->outcome[i].plan.solver,
              NULL);
  return cli_stream_close(d->series.out, "series.csv", error);
}

static int write_all_errors(const cli_comparison *c, report_tables *d, hn_error *error)
{
  if (c->reference.norm == CLI_END) return 0;
  if (open_table(&d->errors, d->folder, "errors.csv", c->count, error) < 0) return -1;
  fputs("solver,time,error,orientation_error,velocity_error,force_error\n", d->errors.out);
  for (size_t i = 0; i < c->count; i++)
    add_curve(&d->errors, write_error_curve(d->errors.out, &c->outcome[i]), c->outcome[i].plan.solver, NULL);
  return cli_stream_close(d->errors.out, "errors.csv", error);
}

static int write_all_studies(const cli_comparison *c, report_tables *d, hn_error *error)
{
  if (c->nsteps == 0) return 0;
  if (open_table(&d->study, d->folder, "work.csv", c->count, error) < 0) return -1;
  fputs("solver,step,error,joint_operations,wall_s,wall_spread_s,reason\n", d->study.out);
  for (size_t i = 0; i < c->count; i++) {
    const cli_outcome *study = c->study + i * c->nsteps;
    add_curve(&d->study, write_study(d->study.out, study, c->nsteps), study->plan.solver,
              failure_remark(study, c->nsteps));
  }
  return cli_stream_close(d->study.out, "work.csv", error);
}

static int write_all_histories(const cli_comparison *c, report_tables *d, hn_error *error)
{
  size_t known = 0;
  for (size_t i = 0; i < c->count; i++) known += c->outcome[i].history && c->outcome[i].history->count > 0;
  if (known == 0) return 0;
  if (open_table(&d->history, d->folder, "residuals.csv", c->count, error) < 0) return -1;
  fputs("solver,iteration,residual\n", d->history.out);
  for (size_t i = 0; i < c->count; i++) {
    const cli_outcome *o = &c->outcome[i];
    const size_t rows = write_history(d->history.out, o);
    add_curve(&d->history, rows, o->plan.solver,
              rows > 0 ? cli_text("(step to t = %.6g s)", o->history->time) : NULL);
  }
  return cli_stream_close(d->history.out, "residuals.csv", error);
}

int report_write_tables(report_tables *d, const cli_comparison *c, hn_error *error)
{
  const bool good = write_all_series(c, d, error) == 0 && write_all_errors(c, d, error) == 0 &&
                    write_all_studies(c, d, error) == 0 && write_all_histories(c, d, error) == 0;
  return good ? 0 : -1;
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
