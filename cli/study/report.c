/* report.c - the report of a comparison: report.md, its data as CSV, gnuplot scripts and plots. It contains
 * no dates, host names or absolute paths; only measured times differ between repetitions. */
#include <math.h>
#include "cli/base/memory.h"
#include "cli/base/output.h"
#include "cli/base/text_table.h"
#include "cli/study/comparison.h"
#include "cli/study/report_struct.h"
#include "cli/study/reference.h"
#include "cli/study/study_runs.h"
#include "cli/study/error_series.h"
#include "elementary.h"

static const double max_relative_error = 10.0; /* of errors that determine the range of a plot */
static const double lowest = 1e-18;            /* lower limit of a logarithmic axis */

static bool has_joints(const cli_comparison *c)
{
  return c->scene->model->njoint > 0;
}

static bool collides(const cli_comparison *c)
{
  return c->scene->model->max_contacts > 0;
}

static double decade_below(double smallest)
{
  return isfinite(smallest) ? fmax(lowest, hn_pow(10.0, floor(hn_log10(smallest)))) : lowest;
}

/* Returns the smallest positive one of SMALLEST and COUNT values that are STRIDE apart. */
static double smallest_of(double smallest, const double *value, size_t count, size_t stride)
{
  for (size_t i = 0; i < count; i++)
    if (value[i * stride] > 0.0) smallest = fmin(smallest, value[i * stride]);
  return smallest;
}

static double wall_of(const cli_outcome *outcome)
{
  return outcome->summary.wall_s;
}

/* True if the run reached the end and its error is known. */
static bool has_error(const cli_outcome *outcome)
{
  return outcome->summary.reason == HN_CONVERGED && isfinite(outcome->error[CLI_POSITION]);
}

/* Sets the range of x to whole decades around the abscissas of the study, those of failed runs included. */
static void fit_decades(const cli_comparison *c, cli_panel *panel, double (*abscissa)(const cli_outcome *))
{
  double smallest = INFINITY, largest = 0.0;
  for (size_t i = 0; i < c->count * c->nsteps; i++) {
    double x = abscissa(&c->study[i]);
    if (!(x > 0.0)) continue;
    smallest = fmin(smallest, x);
    largest = fmax(largest, x);
  }
  if (!isfinite(smallest)) return;
  panel->x_min = hn_pow(10.0, floor(hn_log10(smallest)));
  panel->x_max = hn_pow(10.0, floor(hn_log10(largest)) + 1.0);
}

/* Sets the floor to the decade below the smallest error, and the top to that above the largest one. Errors
 * above ten times the largest coordinate of the reference are ignored. */
static void fit_errors(const cli_comparison *c, cli_panel *panel)
{
  double smallest = INFINITY, largest = 0.0, size = 0.0;
  const cli_motion *end = c->reference.key ? c->reference.end : NULL;
  for (int i = 0; end && i < 3 * end->nbody; i++)
    if (end->has[CLI_POSITION][i / 3]) size = fmax(size, fabs(end->pose[i / 3].x[i % 3]));
  for (size_t i = 0; i < c->count * c->nsteps; i++) {
    double error = c->study[i].error[CLI_POSITION];
    if (!has_error(&c->study[i]) || !(error > 0.0)) continue;
    smallest = fmin(smallest, error);
    if (error <= max_relative_error * size) largest = fmax(largest, error);
  }
  if (!isfinite(smallest)) smallest = largest = lowest;
  panel->floor = decade_below(smallest);
  panel->top = hn_pow(10.0, floor(hn_log10(fmax(largest, smallest))) + 1.0);
}

static int plot_curves(const report_tables *d, const char *name, const cli_panel *panel, size_t npanel,
                       const report_curves *t, hn_error *error)
{
  return t->count > 0 ? cli_plot(d->folder, name, panel, npanel, t->curve, t->count, error) : 0;
}

/* Draws one panel, with the scene and TITLE above it. Zeros and values below the decade of SMALLEST, the
 * smallest value, are drawn there. */
static int draw_panel(const cli_comparison *c, const report_tables *d, const char *name, const char *title,
                      const report_curves *t, cli_panel panel, double smallest, hn_error *error)
{
  char *full = cli_text("%s: %s", c->scene->name, title);
  panel.title = full;
  panel.floor = decade_below(smallest);
  int status = plot_curves(d, name, &panel, 1, t, error);
  free(full);
  return status;
}

/* The plots over time, of values of the series, and the scenes that have them. */
static const struct {
  int value;
  const char *name, *title, *ylabel;
  bool of_joints, of_contacts;
} series_plots[] = {
  { CLI_SAMPLE_DRIFT, "drift", "joint error over time", "largest joint error, m or rad", true, false },
  { CLI_SAMPLE_VELOCITY, "velocity_drift", "joint velocity error over time",
    "largest joint velocity error, m/s or rad/s", true, false },
  { CLI_SAMPLE_ENERGY, "energy", "energy error over time", "|E - E(0)|, J", false, false },
  { CLI_SAMPLE_CONTACTS, "contacts", "contacts over time", "contacts of a step", false, true },
  { CLI_SAMPLE_PENETRATION, "penetration", "penetration over time", "deepest penetration, m", false, true },
  { CLI_SAMPLE_LAW, "law", "law of contact over time", "largest residual of the law of contact, m/s", false,
    true },
};
enum { SERIES_PLOTS = sizeof series_plots / sizeof *series_plots };

static bool has_plot(const cli_comparison *c, int i)
{
  return (!series_plots[i].of_joints || has_joints(c)) && (!series_plots[i].of_contacts || collides(c));
}

static int draw_series(const cli_comparison *c, const report_tables *d, hn_error *error)
{
  int status = 0;
  for (int i = 0; i < SERIES_PLOTS && status == 0; i++) {
    const int value = series_plots[i].value;
    double smallest = INFINITY;
    if (!has_plot(c, i)) continue;
    for (size_t k = 0; k < c->count; k++)
      if (c->outcome[k].series)
        smallest = smallest_of(smallest, &c->outcome[k].series->sample[0][value], c->outcome[k].series->count,
                               CLI_SAMPLE_VALUES);
    /* The energy is in error only where it is conserved */
    const bool changes = value == CLI_SAMPLE_ENERGY && !hn_model_conserves_energy(c->scene->model);
    const cli_panel panel = { .xlabel = "time, s",
                              .ylabel = series_plots[i].ylabel,
                              .x = 2,
                              .y = 2 + value,
                              .plain_y = value == CLI_SAMPLE_CONTACTS };
    status = draw_panel(c, d, series_plots[i].name,
                        changes ? "energy, change over time" : series_plots[i].title, &d->series, panel,
                        smallest, error);
  }
  return status;
}

static bool any_error(const cli_comparison *c)
{
  for (size_t i = 0; i < c->count * c->nsteps; i++)
    if (has_error(&c->study[i])) return true;
  return false;
}

/* Finds the kinds of runs to be marked in the band of a panel; without any there is no band. */
static void find_marks(const cli_comparison *c, cli_panel *panel)
{
  for (size_t i = 0; i < c->count * c->nsteps; i++) {
    panel->failed = panel->failed || c->study[i].summary.reason != HN_CONVERGED;
    panel->off = panel->off || (has_error(&c->study[i]) && c->study[i].error[CLI_POSITION] > panel->top);
  }
  if (!panel->failed && !panel->off) panel->top = 0.0;
}

/* Draws error against work, and against time if it was measured repeatedly. */
static int draw_work(const cli_comparison *c, const report_tables *d, hn_error *error)
{
  char *title = cli_text("%s: error against work", c->scene->name);
  const char *ylabel = c->reference.norm == CLI_END ? "position error at the end, m" : "position error, m";
  cli_panel panel[2] = {
    { .title = title,
      .xlabel = "joint operations",
      .ylabel = ylabel,
      .x = 4,
      .y = 3,
      .log_x = true,
      .points = true },
    { .title = "error against time on one machine",
      .xlabel = "time in steps, s",
      .ylabel = ylabel,
      .x = 5,
      .y = 3,
      .log_x = true,
      .points = true,
      .sorted = true },
  };
  /* Ranges and marks of both panels */
  fit_decades(c, &panel[0], cli_outcome_operations);
  fit_decades(c, &panel[1], wall_of);
  for (int i = 0; i < 2; i++) {
    fit_errors(c, &panel[i]);
    find_marks(c, &panel[i]);
    panel[i].reason = 7;
  }
  /* Without joints there is no work to plot */
  const bool work = panel[0].x_max > 0.0, times = c->repeat > 0; /* work: false without joints */
  int status = any_error(c) && (work || times)
                 ? plot_curves(d, "work", panel + !work, (size_t)work + times, &d->study, error)
                 : 0;
  free(title);
  return status;
}

/* Draws the residuals of contact solvers. */
static int draw_residuals(const cli_comparison *c, const report_tables *d, hn_error *error)
{
  double smallest = INFINITY;
  for (size_t i = 0; i < c->count; i++)
    if (c->outcome[i].history)
      smallest = smallest_of(smallest, c->outcome[i].history->residual, (size_t)c->outcome[i].history->count,
                             1);
  const cli_panel panel = { .xlabel = "iteration",
                            .ylabel = "residual reported by the solver, m/s",
                            .x = 2,
                            .y = 3,
                            .log_x = true,
                            .points = true };
  return draw_panel(c, d, "residuals", "residual against iteration", &d->history, panel, smallest, error);
}

/* Draws errors over time. */
static int draw_errors(const cli_comparison *c, const report_tables *d, hn_error *error)
{
  double smallest = INFINITY;
  for (size_t i = 0; i < c->count; i++)
    if (c->outcome[i].error_curve)
      smallest = smallest_of(smallest, c->outcome[i].error_curve->error[CLI_POSITION],
                             (size_t)c->outcome[i].error_curve->count, 1);
  const cli_panel panel = { .xlabel = "time, s", .ylabel = "position error, m", .x = 2, .y = 3 };
  return draw_panel(c, d, "errors", "error over time", &d->errors, panel, smallest, error);
}

static void write_size(FILE *out, const hn_model *model)
{
  int bodies = model->nbody - 1;
  fprintf(out, "- %d %s, %d joint%s, %d constraint row%s\n", bodies, bodies == 1 ? "body" : "bodies",
          model->njoint, model->njoint == 1 ? "" : "s", model->nrow, model->nrow == 1 ? "" : "s");
}

static void write_setup(FILE *out, const cli_comparison *c)
{
  const hn_scene *scene = c->scene;
  char *setup = cli_comparison_setup(c);
  fputs("# ", out);
  cli_markdown_text(scene->name, out);
  fprintf(out, ": %zu solver%s compared\n\n", c->count, c->count == 1 ? "" : "s");
  if (scene->summary && *scene->summary) {
    cli_markdown_text(scene->summary, out);
    fputs("\n\n", out);
  }
  write_size(out, scene->model);
  for (size_t i = 0; i < scene->nparam; i++) {
    fprintf(out, "- parameter `%s` = ", scene->param[i].name);
    cli_markdown_code(scene->param[i].value, out);
    fputc('\n', out);
  }
  fprintf(out, "- %s\n- errors are against %s", setup, cli_reference_text(&c->reference));
  free(setup);
  if (c->reference.ground)
    fprintf(out, ", uncertain by %.1e m: %s", c->reference.uncertainty, c->reference.ground);
  fputs("\n\n", out);
}

static void write_table(FILE *out, cli_table *table)
{
  cli_table_markdown(table, out);
  fputc('\n', out);
}

static void write_results(FILE *out, const cli_comparison *c)
{
  fputs("## Results\n\n", out);
  write_table(out, cli_comparison_table(c));
  write_table(out, cli_comparison_errors(c));
  cli_comparison_contacts(c, true, out);
  char *best = cli_comparison_best(c);
  if (best) fputc('\n', out), cli_markdown_text(best, out), fputc('\n', out);
  free(best);
  cli_comparison_failures(c, true, out);
  cli_comparison_warnings(c, true, out);
  fprintf(out, "\n`error` is that of positions, %s.", cli_norms[c->reference.norm].words);
  fputs(
    " `drift`, `velocity` and\n"
    "`energy` are the largest joint error, joint velocity error and |E - E(0)| after any step, measured\n"
    "from model and state alone. Where forces or joints do work, the last is a change, not an error.\n"
    "`iterations` counts the joint correction: mean and maximum over the steps. Times are of the machine\n"
    "that made this report.\n\n",
    out);
  if (collides(c))
    fputs(
      "The table of contacts lists the maximum number in a step; the largest residual of Coulomb's law,\n"
      "zero exactly when it holds, and of the law that the contact solver solves; the deepest\n"
      "penetration after a step; the largest change of\n"
      "momentum of a body that no impulse at the end of a step explains; the largest friction in excess\n"
      "of its cone; the largest gain of energy in a step; and iterations of the contact solver, which are\n"
      "no joint operations.\n\n",
      out);
  cli_comparison_unique(c, true, out);
}

static void write_picture(FILE *out, const char *text, const char *name)
{
  fprintf(out, "![%s](%s.svg)\n\n", text, name);
}

static void write_series_plots(FILE *out, const cli_comparison *c)
{
  fputs("## Over time\n\n", out);
  for (int i = 0; i < SERIES_PLOTS; i++)
    if (has_plot(c, i)) write_picture(out, series_plots[i].title, series_plots[i].name);
  fprintf(out,
          "A curve has at most %d points; where a run has more steps, a point is the maximum over several.\n"
          "Values of zero are drawn at the lower end of a logarithmic axis.\n\n",
          CLI_SERIES_MAX);
}

static void write_residuals(FILE *out, const cli_comparison *c)
{
  fputs("## Residual against iteration\n\n", out);
  write_picture(out, "residual against iteration", "residuals");
  fputs(
    "Residuals that a contact solver reports for its iterations in one step of its run, in m/s, according\n"
    "to the law of contact that it solves (doc/contact.md). The residuals in the table above are measured\n"
    "independently.\n\n",
    out);
  cli_table *table = cli_table_create("<solver|step|to t, s|iterations|first residual, m/s|last, m/s");
  for (size_t i = 0; i < c->count; i++) {
    const cli_history *h = c->outcome[i].history;
    if (!h || h->count == 0) continue;
    cli_cell(table, "%s", c->outcome[i].plan.solver);
    cli_cell(table, "%ld", h->step);
    cli_cell(table, "%.6g", h->time);
    cli_cell(table, "%d", h->iterations);
    cli_cell_real(table, "%.2e", h->residual[0]);
    cli_cell_real(table, "%.2e", h->error);
  }
  write_table(out, table);
}

static void write_plots(FILE *out, const cli_comparison *c, const report_tables *d)
{
  if (d->series.count > 0) write_series_plots(out, c);
  if (d->errors.count > 0)
    fprintf(out,
            "## Error over time\n\n![error over time](errors.svg)\n\n"
            "The largest position error of a body, at the %ld times of the norm.\n\n",
            c->outcome[0].error_curve->count);
  if (d->history.count > 0) write_residuals(out, c);
  if (c->nsteps == 0) return;
  fputs("## Error against work\n\n", out);
  if (any_error(c) && (has_joints(c) || c->repeat > 0)) write_picture(out, "error against work", "work");
  fputs(
    "One joint operation is one evaluation of a joint's residual, Jacobian or jet coefficient, one impulse\n"
    "on a joint (a solve for all joints gives one to each), or a joint's share of a factorisation. A run\n"
    "that did not reach the end has no error: it is marked by a cross in the band at the top, at the work\n"
    "done until then. An error beyond the range of the plot is marked by a plus there. Errors of zero are\n"
    "drawn at the bottom.\n",
    out);
  if (c->repeat > 0)
    fprintf(out, "Times are the least of %d measurements, each of as many runs as take 50 ms.\n", c->repeat);
  fputc('\n', out);
  write_table(out, cli_study_table(c));
}

static void write_options(FILE *out, const cli_comparison *c)
{
  fputs("## Solvers with all their settings\n\n", out);
  for (size_t i = 0; i < c->count; i++) {
    const cli_outcome *o = &c->outcome[i];
    if (!o->solver) continue;
    fputs("- ", out);
    cli_markdown_code(o->solver->spec, out);
    fputs("\n  ", out);
    cli_markdown_text(o->solver->type->summary, out);
    fputs(" [", out);
    cli_markdown_text(o->solver->type->citation, out);
    fputs("]\n", out);
  }
  fputs(
    "\nThe data are in `series.csv`, `errors.csv`, `work.csv` and `residuals.csv`, as far as they exist:\n"
    "`gnuplot NAME.gp` draws a plot again, `holonom plot` draws one of these tables for print.\n",
    out);
}

static int write_markdown(const cli_comparison *c, const report_tables *d, hn_error *error)
{
  FILE *out = cli_folder_file(d->folder, "report.md", error);
  if (!out) return -1;
  write_setup(out, c);
  write_results(out, c);
  write_plots(out, c, d);
  write_options(out, c);
  return cli_stream_close(out, "report.md", error);
}

int cli_report_write(const cli_comparison *c, cli_folder *folder, hn_error *error)
{
  report_tables d = { .folder = folder };
  int status = report_write_tables(&d, c, error);
  if (status == 0) status = draw_series(c, &d, error);
  if (status == 0) status = draw_errors(c, &d, error);
  if (status == 0) status = draw_residuals(c, &d, error);
  if (status == 0) status = draw_work(c, &d, error);
  if (status == 0) status = write_markdown(c, &d, error);
  report_free_tables(&d);
  return status;
}
