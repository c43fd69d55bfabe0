/* cmd_compare.c - `holonom compare`: several solvers, linear back ends or contact solvers on one scene.
 *
 * All runs end at exactly the same time and are measured against the same reference. A run that fails, or a
 * solver that does not support the scene, is a row of the table with its reason. */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "cli/base/complain.h"
#include "cli/base/gnuplot.h"
#include "cli/base/interrupt.h"
#include "cli/base/json.h"
#include "cli/base/memory.h"
#include "cli/base/output.h"
#include "cli/base/parse.h"
#include "cli/base/progress.h"
#include "cli/base/text_table.h"
#include "cli/base/watchdog.h"
#include "cli/commands.h"
#include "cli/page/page.h"
#include "cli/study/study_runs.h"
#include "cli/study/comparison.h"
#include "cli/study/report_struct.h"
#include "cli/study/reference.h"
#include "cli/study/scene_answer.h"
#include "scene.h"

enum { STUDY_STEPS = 4 };

static char **default_specs(const hn_scene *scene)
{
  size_t count;
  const hn_solver_type **type = cli_solvers(scene, &count);
  char **spec = cli_alloc(count + 1, sizeof *spec);
  for (size_t i = 0; i < count; i++) spec[i] = cli_text("%s", type[i]->name);
  free(type);
  return spec;
}

static int check_specs(char *const *spec, const hn_scene *scene, hn_error *error)
{
  int status = 0;
  for (size_t i = 0; spec[i] && status == 0; i++) status = cli_spec_check(spec[i], scene, error);
  return status;
}

/* Chooses the steps of the study of error against work: as given, or four halvings for a report. */
static void choose_steps(cli_comparison *c, const cli_options *options)
{
  c->nsteps = options->nsteps ? options->nsteps : options->output && !c->budget ? STUDY_STEPS : 0;
  c->steps = cli_alloc(c->nsteps, sizeof *c->steps);
  for (size_t i = 0; i < c->nsteps; i++)
    c->steps[i] = options->nsteps ? options->steps[i] : ldexp(c->step, -(int)i);
}

/* With a budget, finds the step of each solver; c->step becomes the smallest one. */
static int choose_budget_steps(cli_comparison *c, char *const *spec, double *step, hn_error *error)
{
  int status = 0;
  for (size_t i = 0; c->budget && spec[i] && status == 0; i++) {
    cli_plan plan = { .scene = c->scene, .solver = spec[i], .step = c->step, .duration = c->duration };
    status = cli_budget_step(&plan, c->budget, &step[i], error);
  }
  for (size_t i = 0; c->budget && spec[i] && status == 0; i++) c->step = i ? fmin(c->step, step[i]) : step[i];
  return status;
}

/* Returns the numbers that a page keeps of each motion and of the reference; 0: no page is written. */
static size_t numbers_per_motion(char *const *spec, const cli_options *options)
{
  return cli_page_named(options->output) ? CLI_PAGE_NUMBERS / (cli_strings_count(spec) + 1) : 0;
}

/* Finds a reference that needs no run, before the runs. */
static int find_reference(cli_comparison *c, const char *wanted, cli_norm norm, size_t track, hn_error *error)
{
  const cli_plan plan = { .scene = c->scene, .step = c->step, .duration = c->duration };
  const int status = cli_reference_known(&c->reference, wanted, &plan, norm, error);
  if (status < 1 || track == 0 || strcmp(c->reference.key, "scene") != 0) return status < 0 ? -1 : 0;
  return cli_track_answer(&c->reference, c->scene, c->step, c->duration, track, error) < 0 ? -1 : 0;
}

/* Makes one that needs runs, after those of the solvers. */
static int make_reference(cli_comparison *c, const char *wanted, size_t track, hn_error *error)
{
  const cli_norm norm = c->reference.norm;
  double finest = c->step;
  const cli_plan plan = {
    .scene = c->scene, .step = c->step, .duration = c->duration, .track_numbers = track
  };
  if (c->reference.name || c->reference.why_missing || *cli_stop()) return 0;
  for (size_t i = 0; i < c->nsteps; i++) finest = fmin(finest, c->steps[i]);
  cli_reference_free(&c->reference);
  return cli_reference_wanted(&c->reference, wanted, &plan, norm, finest, error) < 0 ? -1 : 0;
}

/* Computes the errors of COUNT runs. */
static int judge(cli_comparison *c, cli_outcome *outcome, size_t count, hn_error *error)
{
  for (size_t i = 0; i < count; i++) {
    if (!*cli_stop() && cli_reference_prepare(&c->reference, &outcome[i].plan, error) < 0) return -1;
    cli_outcome_judge(&outcome[i], &c->reference);
  }
  return 0;
}

static int run_study(cli_comparison *c, hn_error *error)
{
  c->study = cli_alloc(c->count * c->nsteps, sizeof *c->study);
  int status = 0;
  for (size_t i = 0; i < c->count * c->nsteps && status == 0 && !*cli_stop(); i++) {
    cli_plan plan = c->outcome[i / c->nsteps].plan;
    plan.step = c->steps[i % c->nsteps];
    plan.keep_series = plan.keep_history = false;
    plan.track_numbers = 0;
    plan.measures = CLI_FEW_MEASURES;
    plan.budget = 0;
    status = cli_outcome_run(&c->study[c->studied++], &plan, error);
    if (status == 0) status = cli_times_measure(&c->study[i], c->repeat, error);
  }
  return status;
}

/* Marks a run that exceeded the budget as failed, even if it reached the end. */
static void apply_budget(const cli_comparison *c, cli_outcome *outcome)
{
  hn_summary *s = &outcome->summary;
  bool ended = s->reason == HN_CONVERGED || s->reason == HN_DIVERGED;
  if (!c->budget || !ended || cli_outcome_operations(outcome) <= (double)c->budget) return;
  s->reason = HN_BUDGET;
  for (int q = 0; q < CLI_QUANTITIES; q++) outcome->error[q] = NAN;
  snprintf(s->explanation, sizeof s->explanation, "no step reaches the end with %" PRIu64 " joint operations",
           c->budget);
}

/* True if residuals of contact solvers are kept: for reports, with --at, and when these are compared. */
static bool wants_histories(const cli_options *options)
{
  return options->output || options->at > 0.0 ||
         (options->backends && strcmp(options->backend_key, "contact") == 0);
}

static int run_all(cli_comparison *c, char *const *spec, const double *step, const cli_options *options,
                   hn_error *error)
{
  const size_t count = cli_strings_count(spec);
  c->outcome = cli_alloc(count, sizeof *c->outcome);
  int status = 0;
  for (size_t i = 0; i < count && status == 0 && !*cli_stop(); i++) {
    /* One run of each solver, which keeps all that the output shows */
    cli_plan plan = { .scene = c->scene,
                      .solver = spec[i],
                      .step = c->budget ? step[i] : c->step,
                      .duration = c->duration,
                      .budget = c->budget,
                      .keep_motion = true,
                      .norm = c->reference.norm,
                      .keep_series = options->output != NULL,
                      .keep_history = wants_histories(options),
                      .history_at = options->at,
                      .track_numbers = numbers_per_motion(spec, options),
                      .track_step = c->step };
    cli_progress_study(i, count);
    status = cli_outcome_run(&c->outcome[c->count++], &plan, error);
    if (status == 0) status = cli_times_measure(&c->outcome[i], c->repeat, error);
    if (status == 0) apply_budget(c, &c->outcome[i]);
  }
  cli_progress_study(0, 0);
  return status == 0 ? run_study(c, error) : status;
}

static void print_setup(const cli_comparison *c)
{
  char *setup = cli_comparison_setup(c);
  cli_print_wrapped(stdout, "%s, %s\n", c->scene->name, setup);
  free(setup);
  const char *against = cli_reference_text(&c->reference);
  if (c->reference.norm == CLI_END) cli_print_wrapped(stdout, "error at the end against %s\n", against);
  else cli_print_wrapped(stdout, "error, %s, against %s\n", cli_norms[c->reference.norm].words, against);
  if (c->reference.ground)
    cli_print_wrapped(stdout, "(uncertain by %.1e m, %s)\n", c->reference.uncertainty, c->reference.ground);
  if (c->reference.runs > 0)
    cli_print_wrapped(stdout, "(%d runs for the reference, %.2g joint operations, %.2g s)\n",
                      c->reference.runs, c->reference.operations, c->reference.wall_s);
  putchar('\n');
}

/* Prints the tables and, unless QUIET, their explanation. ERRORS: also the errors of all quantities. */
static void print_comparison(const cli_comparison *c, bool quiet, bool errors)
{
  if (!quiet) print_setup(c);
  cli_table_print(cli_comparison_table(c), stdout);
  if (errors && !quiet) putchar('\n');
  if (errors) cli_table_print(cli_comparison_errors(c), stdout);
  cli_comparison_contacts(c, false, stdout);
  if (!quiet) {
    char *best = cli_comparison_best(c);
    if (best) cli_print_wrapped(stdout, "\n%s\n", best);
    free(best);
    cli_comparison_failures(c, false, stdout);
    cli_comparison_warnings(c, false, stdout);
    cli_comparison_unique(c, false, stdout);
  }
  if (c->studied > 0 && !quiet) putchar('\n');
  if (c->studied > 0) cli_table_print(cli_study_table(c), stdout);
}

/* The destination of a report: a folder or a page. */
typedef struct destination {
  cli_folder folder;
  cli_file page;
} destination;

static int open_destination(destination *to, const cli_options *options, hn_error *error)
{
  if (!options->output) return 0;
  if (cli_page_named(options->output))
    return cli_page_ready(error) == 0 ? hn_pending_open(&to->page, options->output, error) : -1;
  return cli_gnuplot_ready(error) == 0 ? cli_folder_open(&to->folder, options->output, error) : -1;
}

/* Discards the report of an interrupted comparison, so that an earlier one remains. */
static int discard_report(destination *to, const char *path)
{
  cli_folder_discard(&to->folder);
  cli_complain("interrupted: no report is written, %s is as it was", path);
  return 0;
}

/* Discards what was opened, at the end of the program. */
static void drop_destination(void *data)
{
  destination *to = data;
  cli_folder_discard(&to->folder);
  cli_folder_free(&to->folder);
  cli_file_drop(&to->page);
}

static int write_folder(const cli_comparison *c, destination *to, hn_error *error)
{
  int status = cli_report_write(c, &to->folder, error);
  if (status < 0 && *cli_stop()) return discard_report(to, to->folder.path); /* gnuplot was interrupted too */
  return status < 0 ? -1 : cli_folder_close(&to->folder, error);
}

static int write_report(const cli_comparison *c, destination *to, const cli_options *options, hn_error *error)
{
  const bool page = to->page.stream != NULL;
  if (*cli_stop()) return discard_report(to, options->output);
  int status = page ? cli_page_write(c, options->line, &to->page, error) : write_folder(c, to, error);
  if (status == 0 && page) status = cli_file_close(&to->page, error);
  if (status < 0) return -1;
  if (!options->json && !options->quiet && !*cli_stop())
    printf("\nreport: %s%s\n", page ? options->output : to->folder.path, page ? "" : "/report.md");
  return 0;
}

static int check_budget(const cli_comparison *c, const cli_options *options, hn_error *error)
{
  if (options->budget && (options->step > 0.0 || options->nsteps > 0))
    return hn_fail(error, "compare: --budget chooses the step of every solver: leave out --step and --steps");
  return cli_budget_check(c->scene, options->budget, error);
}

static int check_steps(const cli_comparison *c, const cli_options *options, hn_error *error)
{
  if (options->at > c->duration)
    return hn_fail(error, "compare: --at %s s is after the end of the run, %s s", cli_exact(options->at).text,
                   cli_exact(c->duration).text);
  for (size_t i = 0; i < options->nsteps; i++)
    if (options->steps[i] > c->duration)
      return hn_fail(error, "compare: the step %s s is longer than the duration %s s",
                     cli_exact(options->steps[i]).text, cli_exact(c->duration).text);
  return 0;
}

/* Returns the exit status: failed runs are results, among others. */
static int conclude(const cli_comparison *c)
{
  size_t ended = 0;
  for (size_t i = 0; i < c->count; i++) ended += c->outcome[i].summary.reason == HN_CONVERGED;
  return *cli_stop() || ended == 0 ? CLI_OUTCOME : CLI_DONE;
}

static int compare(cli_comparison *c, char *const *spec, const cli_options *options, hn_error *error)
{
  destination to = { 0 };
  cli_norm norm;
  /* Check all options before the first run */
  int status = cli_norm_read(options->norm, &norm, error) < 0 ? -1 : check_specs(spec, c->scene, error);
  if (status == 0) status = cli_reference_check(options->reference, c->scene, norm, error);
  const size_t count = cli_strings_count(spec);
  double *step = cli_alloc(count, sizeof *step);
  if (status == 0) status = check_budget(c, options, error);
  if (status == 0) status = check_steps(c, options, error);
  if (status == 0) status = open_destination(&to, options, error);
  cli_watchdog_on_end(drop_destination, &to);
  choose_steps(c, options);
  if (status == 0) status = choose_budget_steps(c, spec, step, error);
  /* A reference that is known, all runs, a reference by runs, and the output */
  const size_t track = numbers_per_motion(spec, options);
  if (status == 0) status = find_reference(c, options->reference, norm, track, error);
  if (status == 0) status = run_all(c, spec, step, options, error);
  if (status == 0) status = make_reference(c, options->reference, track, error);
  if (status == 0) status = judge(c, c->outcome, c->count, error);
  if (status == 0) status = judge(c, c->study, c->studied, error);
  cli_watchdog_hold(true); /* the results are written */
  cli_watchdog_on_end(NULL, NULL);
  if (status == 0 && options->json) cli_json_print(cli_comparison_json(c));
  if (status == 0 && !options->json) print_comparison(c, options->quiet, options->norm != NULL);
  if (status == 0 && *cli_stop() && !options->output)
    cli_complain("interrupted: %zu of %zu solvers were run", c->count, count);
  if (status == 0 && options->output) status = write_report(c, &to, options, error);
  if (status == 0) status = conclude(c);
  cli_folder_free(&to.folder);
  hn_pending_close(&to.page, HN_RECORD_DROP, NULL);
  free(step);
  return status;
}

static void free_comparison(cli_comparison *c)
{
  for (size_t i = 0; c->outcome && i < c->count; i++) cli_outcome_free(&c->outcome[i]);
  for (size_t i = 0; c->study && i < c->count * c->nsteps; i++) cli_outcome_free(&c->study[i]);
  cli_reference_free(&c->reference);
  free(c->outcome);
  free(c->study);
  free(c->steps);
  hn_scene_free(c->scene);
}

/* Returns every spec with every back end of --linear, or solver of --contact, and frees SPEC. A choice in the
 * scene's own spec is replaced; one in the options is an error. */
static char **with_backends(char **spec, const cli_options *options)
{
  const bool given = options->solver || options->solvers;
  char **name = cli_split(options->backends);
  char **all = cli_alloc(cli_strings_count(spec) * cli_strings_count(name) + 1, sizeof *all), **next = all;
  for (size_t i = 0; spec[i]; i++)
    for (size_t k = 0; name[k]; k++) {
      char *setting = cli_text("%s=%s", options->backend_key, name[k]);
      *next++ = given ? cli_spec_with(spec[i], setting) : cli_spec_override(spec[i], setting);
      free(setting);
    }
  cli_strings_free(name);
  cli_strings_free(spec);
  return all;
}

static char **one_spec(const char *text)
{
  char **spec = cli_alloc(2, sizeof *spec);
  spec[0] = cli_text("%s", text);
  return spec;
}

/* Returns the specs to compare, with the parameters given as options; those of plan->solver are in it. */
static char **choose_specs(const cli_options *options, const cli_plan *plan, hn_error *error)
{
  if (options->solver && options->solvers) {
    hn_fail(error, "compare: give --solver or --solvers, not both");
    return NULL;
  }
  const bool single = options->solver || (options->backends && !options->solvers);
  char **spec = single             ? one_spec(plan->solver)
                : options->solvers ? cli_split_specs(options->solvers, error)
                                   : default_specs(plan->scene);
  for (size_t i = 0; options->parameters && !single && spec && spec[i]; i++)
    cli_append(&spec[i], "%c%s", strchr(spec[i], ':') ? ',' : ':', options->parameters);
  return spec && options->backends ? with_backends(spec, options) : spec;
}

static int run_command(const cli_options *options, hn_error *error)
{
  cli_plan plan;
  cli_comparison c = { .scene = cli_plan_read(&plan, options, error) };
  char **spec = c.scene ? choose_specs(options, &plan, error) : NULL;
  int status = -1;
  if (spec) {
    c.step = plan.step;
    c.duration = plan.duration;
    c.budget = options->budget;
    c.repeat = options->repeat;
    status = compare(&c, spec, options, error);
  }
  free_comparison(&c);
  cli_strings_free(spec);
  return status;
}

const cli_command cli_command_compare = {
  .name = "compare",
  .arguments = "SCENE",
  .summary = "several solvers on one scene, side by side",
  .details = "--solvers a,b:key=value,key=value,c names the solvers (default: all). A comma\n"
             "begins a new solver unless the piece after it is key=value. Errors are measured\n"
             "against the scene's reference if it has one, else against runs that are made\n"
             "after those of the solvers: of lagrange with rk8pd and projection, of events\n"
             "where there are contacts, limits or friction, down to a sixteenth of the step.\n"
             "--reference chooses another one: none, scene, a solver, or a file with the JSON\n"
             "of `holonom run`. Errors below its uncertainty are shown as < and that. --steps\n"
             "adds runs for error against work. A run that fails is a row of the table; exit\n"
             "status 1 if no solver reaches the end.\n"
             "--output FILE.html writes a report as one page for a browser, with the motion\n"
             "of every solver; --output DIR writes report.md, data, gnuplot scripts and SVG\n"
             "plots. Without --steps, a report has runs with the step and its half, quarter\n"
             "and eighth.\n"
             "--budget WORK compares at equal cost: every solver uses the smallest step with\n"
             "which it needs at most WORK joint operations.\n"
             "--linear a,b,c compares linear back ends, and --contact a,b,c contact solvers,\n"
             "each with the solver of --solver, those of --solvers, or the scene's own.\n"
             "--contact also shows residuals over the iterations of one step: the step with\n"
             "the most iterations, or the one that ends at --at T.\n",
  .examples = "compare double_pendulum --solvers impulse-gs,taylor --duration 1\n"
              "compare double_pendulum --duration 1 --output report.html\n"
              "compare ball_tray --duration 0.1 --contact pgs,admm,newton\n",
  .options = { CLI_RUN_OPTIONS, CLI_BUDGET, CLI_SOLVER_FILE, CLI_SOLVERS, CLI_STEPS, CLI_REFERENCE, CLI_NORM,
               CLI_REPEAT, CLI_OUTPUT, CLI_BACKENDS, CLI_AT },
  .run = run_command,
};
