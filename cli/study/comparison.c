/* comparison.c - texts and tables of a comparison, for the screen and for reports: its setup, a table of the
 * solvers, failures, and error against work. unique_tables.c prints forces that are not unique. */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "cli/base/json.h"
#include "cli/base/memory.h"
#include "cli/base/parse.h"
#include "cli/base/text_table.h"
#include "cli/study/comparison.h"
#include "cli/study/outcome_json.h"

/* Adds a mean with a decimal; large ones have none, so that the table keeps its width. */
static void cell_mean(cli_table *table, double mean)
{
  cli_cell_real(table, mean < 1e4 ? "%.1f" : "%.0f", mean);
}

/* Adds an error of positions; one within the uncertainty of the reference as < and that. */
static void cell_error(cli_table *table, const cli_comparison *c, double error)
{
  if (cli_reference_hides(&c->reference, error)) cli_cell(table, "<%.1e", c->reference.uncertainty);
  else cli_cell_real(table, "%.3e", error);
}

static void add_row(cli_table *table, const cli_comparison *c, const cli_outcome *o)
{
  const bool budget = c->budget != 0;
  const hn_summary *s = &o->summary;
  cli_cell(table, "%s", o->plan.solver);
  cli_cell(table, "%s", hn_reason_name(s->reason));
  if (budget) cli_cell(table, "%s", cli_exact(o->plan.step).text);
  if (budget) cli_cell(table, "%.0f", cli_outcome_operations(o));
  cell_error(table, c, o->error[CLI_POSITION]);
  cli_cell_real(table, "%.2e", s->position_max);
  cli_cell_real(table, "%.2e", s->velocity_max);
  cli_cell_real(table, "%.2e", s->energy_error_max);
  cli_cell_real(table, "%.2f", s->steps > 0 ? s->position_iterations_mean : NAN);
  cli_cell_real(table, "%.0f", s->steps > 0 ? (double)s->position_iterations_max : NAN);
  cell_mean(table, cli_outcome_impulses(o));
  cell_mean(table, cli_outcome_per_step(o, s->work.solves));
  cell_mean(table, cli_outcome_per_step(o, s->work.factorisations));
  cell_mean(table, cli_outcome_us_per_step(o));
}

char *cli_comparison_setup(const cli_comparison *c)
{
  double last = 0.0;
  for (size_t i = 0; i < c->count && last == 0.0; i++) last = cli_outcome_short_step(&c->outcome[i]);
  if (c->budget)
    return cli_text("%" PRIu64 " joint operations for every solver to t = %s s", c->budget,
                    cli_exact(c->duration).text);
  if (last == 0.0)
    return cli_text("steps of %s s to t = %s s", cli_exact(c->step).text, cli_exact(c->duration).text);
  return cli_text("steps of %s s to t = %s s; the step does not divide the duration: the last step is %s s",
                  cli_exact(c->step).text, cli_exact(c->duration).text, cli_exact(last).text);
}

cli_table *cli_comparison_table(const cli_comparison *c)
{
  char *titles = cli_text(
    "<solver>per step|<reason|%serror, m|drift, m|velocity, m/s~5|energy, J~6|>iterations|>max~1|"
    ">impulses/step>impulses~4|>solves/step>solves~3|>factorisations/step>factorisations~2|>us/step>us",
    c->budget ? "step, s|joint operations|" : "");
  cli_table *table = cli_table_create(titles);
  free(titles);
  for (size_t i = 0; i < c->count; i++) add_row(table, c, &c->outcome[i]);
  return table;
}

cli_table *cli_comparison_errors(const cli_comparison *c)
{
  char *titles = cli_text(
    "<error, %s|positions, m|orientations, rad|velocities, m/s and rad/s|joint forces, N and N m",
    cli_norms[c->reference.norm].name);
  cli_table *table = cli_table_create(titles);
  free(titles);
  for (size_t i = 0; i < c->count; i++) {
    cli_cell(table, "%s", c->outcome[i].plan.solver);
    cell_error(table, c, c->outcome[i].error[CLI_POSITION]);
    for (int q = CLI_POSITION + 1; q < CLI_QUANTITIES; q++)
      cli_cell_real(table, "%.3e", c->outcome[i].error[q]);
  }
  return table;
}

void cli_comparison_contacts(const cli_comparison *c, bool markdown, FILE *out)
{
  if (c->scene->model->max_contacts == 0) return;
  cli_table *table = cli_table_create(
    "<solver|>contacts|Coulomb, m/s|own law, m/s|penetration, m|>balance, N s~4|"
    ">cone excess, N s~1|energy gained, J~3|>iterations/step~2");
  for (size_t i = 0; i < c->count; i++) {
    const hn_summary *s = &c->outcome[i].summary;
    if (!s->collides || s->steps == 0) continue;
    const double value[] = { s->contact.residual, s->contact.own_residual, s->contact.penetration,
                             s->contact.balance,  s->contact.cone_excess,  s->energy_gain };
    cli_cell(table, "%s", c->outcome[i].plan.solver);
    cli_cell(table, "%.0f", (double)s->contact.contacts);
    for (size_t k = 0; k < sizeof value / sizeof *value; k++) cli_cell_real(table, "%.2e", value[k]);
    cli_cell_real(table, "%.1f", s->velocity_iterations_mean);
  }
  if (!markdown) fputc('\n', out);
  (markdown ? cli_table_markdown : cli_table_print)(table, out);
}

char *cli_comparison_best(const cli_comparison *c)
{
  const cli_outcome *best = NULL;
  size_t known = 0, hidden = 0;
  for (const cli_outcome *o = c->outcome; o < c->outcome + c->count; o++) {
    if (o->summary.reason != HN_CONVERGED || !isfinite(o->error[CLI_POSITION])) continue;
    hidden += cli_reference_hides(&c->reference, o->error[CLI_POSITION]);
    if (known++ == 0 || o->error[CLI_POSITION] < best->error[CLI_POSITION]) best = o;
  }
  if (known < 2) return NULL;
  if (hidden > 1)
    return cli_text(
      "most accurate: %zu solvers, whose errors are below the uncertainty of the reference, %.1e m", hidden,
      c->reference.uncertainty);
  return cli_text("most accurate: %s, %s%.3e m%s, %.0f joint operations", best->plan.solver,
                  hidden > 0 ? "<" : "", hidden > 0 ? c->reference.uncertainty : best->error[CLI_POSITION],
                  c->reference.norm == CLI_END ? " at the end" : "", cli_outcome_operations(best));
}

/* Writes an item of a list and frees TEXT. */
static void write_item(char *text, bool markdown, bool first, FILE *out)
{
  if (first) fputc('\n', out);
  if (markdown) fputs("- ", out), cli_markdown_text(text, out);
  else cli_print_wrapped(out, "- %s", text);
  fputc('\n', out);
  free(text);
}

/* Returns the explanation of a failure without the name of the solver at its beginning. */
static const char *short_explanation(const cli_outcome *o)
{
  const size_t name = strcspn(o->plan.solver, ":");
  const char *text = o->summary.explanation;
  return strncmp(text, o->plan.solver, name) == 0 && text[name] == ' ' ? text + name + 1 : text;
}

static bool same_failure(const cli_outcome *a, const cli_outcome *b)
{
  return !a->solver && !b->solver && strcmp(short_explanation(a), short_explanation(b)) == 0;
}

/* Describes the failure of outcome I, together with all later solvers that do not support the scene for the
 * same reason. Returns NULL if an earlier one has described it. */
static char *describe_failure(const cli_comparison *c, size_t i)
{
  const cli_outcome *o = &c->outcome[i];
  if (o->solver)
    return cli_text("%s ended at t = %s s: %s", o->plan.solver, cli_exact(o->summary.time).text,
                    o->summary.explanation);
  for (size_t k = 0; k < i; k++)
    if (same_failure(&c->outcome[k], o)) return NULL;
  char *text = cli_text("%s", o->plan.solver);
  for (size_t k = i + 1; k < c->count; k++)
    if (same_failure(&c->outcome[k], o)) cli_append(&text, ", %s", c->outcome[k].plan.solver);
  cli_append(&text, ", unsupported: %s", short_explanation(o));
  return text;
}

void cli_comparison_failures(const cli_comparison *c, bool markdown, FILE *out)
{
  bool first = true;
  for (size_t i = 0; i < c->count; i++) {
    char *text = c->outcome[i].summary.reason == HN_CONVERGED ? NULL : describe_failure(c, i);
    if (text) write_item(text, markdown, first, out), first = false;
  }
}

void cli_comparison_warnings(const cli_comparison *c, bool markdown, FILE *out)
{
  double size = NAN;
  bool first = true;
  for (size_t i = 0; i < c->count; i++) {
    const cli_outcome *o = &c->outcome[i];
    char **text = cli_warnings(o);
    for (size_t k = 0; text[k]; k++, first = false)
      write_item(cli_text("warning: %s: %s", o->plan.solver, text[k]), markdown, first, out);
    cli_strings_free(text);
    if (o->solver) size = o->summary.size;
  }
  char *reference = cli_warning_of_reference(&c->reference, size);
  if (reference) write_item(cli_text("warning: %s", reference), markdown, first, out);
  free(reference);
}

cli_table *cli_study_table(const cli_comparison *c)
{
  cli_table *table = cli_table_create("<solver|step, s|error, m|joint operations|time, s|<reason");
  for (size_t i = 0; i < c->studied; i++) {
    const cli_outcome *o = &c->study[i];
    cli_cell(table, "%s", o->plan.solver);
    cli_cell(table, "%s", cli_exact(o->plan.step).text);
    cell_error(table, c, o->error[CLI_POSITION]);
    cli_cell(table, "%.0f", cli_outcome_operations(o));
    cli_cell(table, "%.3e", o->summary.wall_s);
    cli_cell(table, "%s", hn_reason_name(o->summary.reason));
  }
  return table;
}

/* ---- JSON ---------------------------------------------------------------------------------------------- */

static json_t *reference_json(const cli_reference *reference)
{
  if (!reference->key) return json_null();
  const bool run = reference->step > 0.0;
  return json_pack("{s:o, s:o*, s:o*, s:o*, s:o*, s:o*}", "name", cli_json_string(reference->key), "step",
                   run ? cli_json_real(reference->step) : NULL, "uncertainty",
                   run ? cli_json_real(reference->uncertainty) : NULL, "runs",
                   run ? json_integer(reference->runs) : NULL, "joint_operations",
                   run ? cli_json_real(reference->operations) : NULL, "cost",
                   run ? json_pack("{s:o}", "wall_s", cli_json_real(reference->wall_s)) : NULL);
}

static json_t *study_json(const cli_outcome *o)
{
  return json_pack("{s:o, s:o, s:o, s:o, s:o, s:s, s:o}", "spec", cli_json_string(o->plan.solver), "step",
                   cli_json_real(o->plan.step), "error", cli_json_real(o->error[CLI_POSITION]), "errors",
                   cli_json_quantities(o->error), "joint_operations",
                   cli_json_real(cli_outcome_operations(o)), "reason", hn_reason_name(o->summary.reason),
                   "cost", cli_json_cost(o));
}

/* Returns the JSON of `run` for each solver, and a row for each run of the study of error against work. */
json_t *cli_comparison_json(const cli_comparison *c)
{
  json_t *runs = json_array(), *study = json_array();
  for (size_t i = 0; i < c->count; i++) {
    json_t *run = cli_json_outcome(&c->outcome[i]);
    json_object_set_new(run, "spec", cli_json_string(c->outcome[i].plan.solver));
    json_object_set_new(run, "joint_operations", cli_json_real(cli_outcome_operations(&c->outcome[i])));
    if (c->outcome[i].history)
      json_object_set_new(run, "residual_history", cli_history_json(c->outcome[i].history));
    json_array_append_new(runs, run);
  }
  for (size_t i = 0; i < c->studied; i++) json_array_append_new(study, study_json(&c->study[i]));
  return json_pack("{s:o, s:o, s:o*, s:o, s:o, s:o*, s:s, s:o, s:o}", "scene",
                   cli_json_string(c->scene->name), "step", c->budget ? json_null() : cli_json_real(c->step),
                   "budget", c->budget ? json_integer((json_int_t)c->budget) : NULL, "duration",
                   cli_json_real(c->duration), "reference", reference_json(&c->reference), "no_reference",
                   c->reference.why_missing ? cli_json_string(c->reference.why_missing) : NULL, "norm",
                   cli_norms[c->reference.norm].name, "runs", runs, "work_precision", study);
}
