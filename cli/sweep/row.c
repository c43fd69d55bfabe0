/* row.c - the table: its columns, and what a run puts into them. A field without a number is empty. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "cli/base/memory.h"
#include "cli/base/parse.h"
#include "cli/sweep/row.h"

static const char columns[] =
  "solver,step,duration,reason,steps,time,error,reference,uncertainty,drift,velocity_drift,energy_error,contacts,"
  "penetration,contact_residual,balance,cone_excess,energy_gain,position_iterations,velocity_iterations,impulses,"
  "operations,residuals,jacobians,factorisations,solves,hash,explanation";
static const char time_columns[] = ",wall_s,us_per_step";
enum { AFTER_REASON = 24 }; /* columns between reason and explanation in `columns` */

/* A text as one field, in quotes where it has to be; one line. */
static void put_text(FILE *out, const char *text)
{
  const bool quoted = text[strcspn(text, ",\"\n\r")] != '\0';
  if (quoted) putc('"', out);
  for (const char *c = text; *c; c++) {
    if (*c == '"') putc('"', out);
    putc(*c == '\n' || *c == '\r' ? ' ' : *c, out);
  }
  if (quoted) putc('"', out);
}

static void put_real(FILE *out, double number)
{
  putc(',', out);
  if (isfinite(number)) fputs(hn_exact(number).text, out);
}

static void put_count(FILE *out, uint64_t count)
{
  fprintf(out, ",%" PRIu64, count);
}

/* Where in the grid. */
static void put_place(FILE *out, const sweep_grid *grid, size_t row)
{
  const size_t point = sweep_point_of(grid, row);
  put_text(out, grid->options->word[0]);
  for (size_t i = 0; i < grid->naxis; i++) putc(',', out), put_text(out, sweep_value(grid, point, i));
}

char *sweep_head(const sweep_grid *grid)
{
  char *text;
  size_t length;
  FILE *out = open_memstream(&text, &length);
  fputs("scene", out);
  for (size_t i = 0; i < grid->naxis; i++) putc(',', out), put_text(out, grid->axis[i]);
  fprintf(out, ",%s%s", columns, grid->options->times ? time_columns : "");
  fclose(out);
  return text;
}

static void put_contacts(FILE *out, const hn_summary *s)
{
  const hn_contact_measure *c = &s->contact;
  if (!s->collides) {
    fputs(",,,,,,", out);
    return;
  }
  put_count(out, (uint64_t)c->contacts);
  put_real(out, c->penetration), put_real(out, c->residual), put_real(out, c->balance);
  put_real(out, c->cone_excess), put_real(out, s->energy_gain);
}

static void put_work(FILE *out, const cli_outcome *o)
{
  const hn_summary *s = &o->summary;
  const bool ran = s->steps > 0;
  put_real(out, ran ? s->position_iterations_mean : NAN), put_real(out, ran ? s->velocity_iterations_mean : NAN);
  put_real(out, cli_outcome_impulses(o)), put_real(out, cli_outcome_operations(o));
  put_count(out, s->work.residuals), put_count(out, s->work.jacobians);
  put_count(out, s->work.factorisations), put_count(out, s->work.solves);
}

char *sweep_row(const sweep_grid *grid, size_t row, const cli_outcome *o, const cli_reference *reference)
{
  char *text;
  size_t length;
  const hn_summary *s = &o->summary;
  FILE *out = open_memstream(&text, &length);
  putc(s->reason == HN_CONVERGED ? '+' : '-', out);
  put_place(out, grid, row);
  putc(',', out), put_text(out, o->plan.solver);
  put_real(out, o->plan.step), put_real(out, o->plan.duration);
  fprintf(out, ",%s", hn_reason_name(s->reason));
  put_count(out, (uint64_t)s->steps), put_real(out, s->time), put_real(out, o->error);
  putc(',', out), put_text(out, reference->key ? reference->key : "");
  put_real(out, reference->key ? reference->uncertainty : NAN);
  put_real(out, s->position_max), put_real(out, s->velocity_max);
  put_real(out, s->energy_conserved ? s->energy_error_max : NAN);
  put_contacts(out, s);
  put_work(out, o);
  fprintf(out, ",%016" PRIx64 ",", s->hash);
  put_text(out, s->reason == HN_CONVERGED ? "" : s->explanation);
  if (grid->options->times) put_real(out, s->wall_s), put_real(out, cli_outcome_us_per_step(o));
  fclose(out);
  return text;
}

char *sweep_dead_row(const sweep_grid *grid, size_t row, const char *why)
{
  char *text;
  size_t length;
  const sweep_method *m = sweep_method_of(grid, row);
  const char *own = m->spec ? m->spec : "";
  char *spec = m->settings ? cli_spec_override(own, m->settings) : cli_text("%s", own);
  FILE *out = open_memstream(&text, &length);
  putc('-', out);
  put_place(out, grid, row);
  putc(',', out), put_text(out, spec);
  put_real(out, sweep_step_of(grid, row) > 0.0 ? sweep_step_of(grid, row) : NAN);
  put_real(out, grid->options->duration > 0.0 ? grid->options->duration : NAN);
  fputs(",error", out);
  for (int i = 0; i < AFTER_REASON; i++) putc(',', out);
  put_text(out, why);
  if (grid->options->times) fputs(",,", out);
  fclose(out);
  free(spec);
  return text;
}
