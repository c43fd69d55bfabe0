/* cmd_converge.c - `holonom converge`: error against step size, and the order fitted to it. */
#include <math.h>
#include "cli/base/complain.h"
#include "cli/base/interrupt.h"
#include "cli/base/json.h"
#include "cli/base/memory.h"
#include "cli/base/output.h"
#include "cli/base/parse.h"
#include "cli/base/text_table.h"
#include "cli/base/watchdog.h"
#include "cli/commands.h"
#include "cli/orders/orders.h"
#include "cli/study/ladder.h"
#include "cli/study/outcome_json.h"
#include "scene.h"

enum { DEFAULT_STEPS = 6 };
/* Joint operations of all runs without --steps and --budget: minutes on most machines. */
static const double default_budget = 2e8;

static const char *verdict_word(cli_verdict verdict)
{
  static const char *const words[] = {
    [CLI_UNKNOWN] = "unknown", [CLI_SHORT] = "short", [CLI_AS_EXPECTED] = "as-expected",
    [CLI_BETTER] = "better",   [CLI_EXACT] = "exact", [CLI_ASTRAY] = "astray"
  };
  return words[verdict];
}

static json_t *left_out_json(const cli_ladder *s)
{
  if (s->nleft_out == 0) return NULL;
  json_t *steps = json_array();
  for (size_t i = s->nleft_out; i-- > 0;) json_array_append_new(steps, cli_json_real(s->left_out[i]));
  return json_pack("{s:o, s:o, s:o}", "steps", steps, "operations", cli_json_real(s->estimated), "budget",
                   cli_json_real(s->budget));
}

static json_t *study_json(const cli_ladder *s, double expected)
{
  json_t *runs = json_array();
  const int declared = cli_ladder_declared(s);
  const bool judged = isfinite(expected) || s->astray > 0.0 || s->exact;
  for (size_t i = 0; i < s->count; i++) {
    const cli_outcome *o = &s->outcome[i];
    json_array_append_new(runs, json_pack("{s:o, s:o, s:o, s:o, s:s}", "step", cli_json_real(s->step[i]),
                                          "error", cli_json_real(o->error[CLI_POSITION]), "errors",
                                          cli_json_quantities(o->error), "us_per_step",
                                          cli_json_real(cli_outcome_us_per_step(o)), "reason",
                                          hn_reason_name(o->summary.reason)));
  }
  /* Results come first, the setup last; the order of keys is part of the interface */
  return json_pack("{s:o, s:o, s:o, s:o*, s:s, s:o, s:o, s:o, s:o*, s:s*, s:o*, s:o, s:o, s:o}", "solver",
                   cli_json_solver(&s->outcome[0]), "reference",
                   s->reference.key ? cli_json_string(s->reference.key) : json_null(), "runs", runs,
                   "left_out", left_out_json(s), "norm", cli_norms[s->reference.norm].name, "order",
                   cli_json_real(s->order), "orders", cli_json_quantities(s->orders), "declared_order",
                   declared ? json_integer(declared) : json_null(), "expected_order",
                   isfinite(expected) ? cli_json_real(expected) : NULL, "verdict",
                   judged ? verdict_word(cli_ladder_judge(s, expected)) : NULL, "reference_step",
                   s->reference.step > 0.0 ? cli_json_real(s->reference.step) : NULL, "scene",
                   cli_json_string(s->plan.scene->name), "duration", cli_json_real(s->plan.duration),
                   "options", cli_json_options(&s->outcome[0]));
}

static void print_head(const cli_ladder *s)
{
  printf("%s, %s\n", s->plan.scene->name, s->plan.solver);
  const hn_digits end = cli_exact(s->plan.duration);
  const char *against = cli_reference_text(&s->reference);
  if (s->reference.norm == CLI_END)
    cli_print_wrapped(stdout, "error: largest position error of a body at t = %s s, against %s\n\n", end.text,
                      against);
  else
    cli_print_wrapped(stdout, "error: %s, to t = %s s, against %s\n\n", cli_norms[s->reference.norm].words,
                      end.text, against);
}

/* Prints the steps that the budget has left out. */
static void print_left_out(const cli_ladder *s)
{
  if (s->nleft_out == 0) return;
  char *steps = cli_text("%s", cli_exact(s->left_out[s->nleft_out - 1]).text);
  for (size_t i = s->nleft_out - 1; i-- > 0;) cli_append(&steps, ", %s", cli_exact(s->left_out[i]).text);
  cli_print_wrapped(stdout,
                    "left out: the steps %s s; with them all runs take about %.1e joint operations, and the "
                    "budget is %.1e: --budget or --steps include them\n",
                    steps, s->estimated, s->budget);
  free(steps);
}

static void print_orders(const cli_ladder *s, bool all)
{
  const int declared = cli_ladder_declared(s);
  if (!isfinite(s->order)) return;
  printf("\nfitted order %.4f", s->order);
  if (declared > 0) printf(" (the solver declares %d)", declared);
  for (int q = CLI_ORIENTATION; q < CLI_QUANTITIES && all; q++)
    if (isfinite(s->orders[q])) printf("; %s %.4f", cli_quantities[q].name, s->orders[q]);
  putchar('\n');
}

/* Prints the table of runs and the fitted orders, of all quantities if ALL, else of positions. */
static void print_study(const cli_ladder *s, bool quiet, bool all, double expected)
{
  int short_steps = 0;
  if (!quiet) print_head(s);
  cli_table *table = cli_table_create(all ? "<step, s|<error, m|orientation, rad~2|velocity, m/s and rad/s~1|"
                                            "joint force, N and N m~3|local order|us/step~4|<reason"
                                          : "<step, s|<error, m|local order|us/step|<reason");
  /* A row for each run */
  for (size_t i = 0; i < s->count; i++) {
    const cli_outcome *o = &s->outcome[i];
    cli_cell(table, "%s", cli_exact(s->step[i]).text);
    if (cli_reference_hides(&s->reference, o->error[CLI_POSITION]))
      cli_cell(table, "<%.1e", s->reference.uncertainty);
    else cli_cell_real(table, "%.6e", o->error[CLI_POSITION]);
    for (int q = CLI_ORIENTATION; q < CLI_QUANTITIES && all; q++) cli_cell_real(table, "%.3e", o->error[q]);
    cli_cell_real(table, "%.3f", i > 0 ? hn_fit_order(&s->step[i - 1], &s->error[i - 1], 2) : NAN);
    cli_cell_real(table, "%.2f", cli_outcome_us_per_step(o));
    cli_cell(table, "%s", hn_reason_name(o->summary.reason));
    short_steps += cli_outcome_short_step(o) > 0.0;
  }
  cli_table_print(table, stdout);
  if (quiet) return;
  if (short_steps > 0)
    printf("%d of the steps do not divide the duration: their last step is shorter\n", short_steps);
  print_left_out(s);
  print_orders(s, all);
  char *verdict = cli_ladder_verdict(s, expected);
  if (isfinite(expected) || s->exact) cli_print_wrapped(stdout, "%s\n", verdict);
  free(verdict);
}

static int write_csv(const cli_ladder *s, cli_file *file, hn_error *error)
{
  fputs("step,error,us_per_step,reason,norm", file->stream);
  for (int q = CLI_ORIENTATION; q < CLI_QUANTITIES; q++)
    fprintf(file->stream, ",%s", cli_quantities[q].error_key);
  fputc('\n', file->stream);
  for (size_t i = 0; i < s->count; i++) {
    const cli_outcome *o = &s->outcome[i];
    fprintf(file->stream, "%s,%s,%.6g,%s,%s", cli_exact(s->step[i]).text,
            cli_exact(o->error[CLI_POSITION]).text, cli_outcome_us_per_step(o),
            hn_reason_name(o->summary.reason), cli_norms[s->reference.norm].name);
    for (int q = CLI_ORIENTATION; q < CLI_QUANTITIES; q++)
      fprintf(file->stream, ",%s", cli_exact(o->error[q]).text);
    fputc('\n', file->stream);
  }
  return cli_file_close(file, error);
}

/* Returns the expected order: that of --expect, or the one that the solver declares; NAN: none. */
static double expected_order(const cli_ladder *s, const cli_options *options)
{
  const int declared = cli_ladder_declared(s);
  if (options->expect != 0.0) return options->expect;
  return declared > 0 ? (double)declared : NAN;
}

/* True if the result is as expected. Without --expect, any order is good, or errors too small to show one. */
static bool is_good(cli_verdict verdict, bool exactly)
{
  return verdict == CLI_AS_EXPECTED || verdict == CLI_EXACT || (verdict == CLI_BETTER && !exactly);
}

static void explain_failures(const cli_ladder *s, double expected)
{
  if (!s->reference.key) cli_complain("the reference run did not converge: errors are unknown");
  for (size_t i = 0; i < s->count; i++)
    if (s->outcome[i].summary.reason != HN_CONVERGED)
      cli_complain("step %s: %s", cli_exact(s->step[i]).text, s->outcome[i].summary.explanation);
  char *text = cli_ladder_verdict(s, expected);
  if (!is_good(cli_ladder_judge(s, expected), false)) cli_complain("%s", text);
  free(text);
}

static int conclude(const cli_ladder *s, const cli_options *options)
{
  const double expected = expected_order(s, options);
  if (options->json) cli_json_print(study_json(s, expected));
  else print_study(s, options->quiet, options->norm != NULL, expected);
  explain_failures(s, expected);
  if (*cli_stop() && options->output)
    cli_complain("interrupted: no table is written, %s is as it was", options->output);
  if (options->expect == 0.0 && !isfinite(expected))
    return cli_complain("%s declares no order to expect", s->plan.solver);
  return is_good(cli_ladder_judge(s, expected), options->exactly) && !*cli_stop() ? CLI_DONE : CLI_OUTCOME;
}

static int converge(cli_ladder *s, const cli_options *options, hn_error *error)
{
  cli_file file = { 0 };
  cli_norm norm;
  if (cli_norm_read(options->norm, &norm, error) < 0) return -1;
  const size_t count = options->nsteps ? options->nsteps : DEFAULT_STEPS;
  int status = count < 2 ? hn_fail(error, "converge: --steps needs at least two steps to fit an order") : 0;
  s->budget = options->budget > 0 ? (double)options->budget : options->nsteps > 0 ? 0.0 : default_budget;
  if (status == 0) status = cli_ladder_steps(s, options->nsteps ? options->steps : NULL, count, error);
  if (status == 0) status = cli_spec_check(s->plan.solver, s->plan.scene, error);
  if (status == 0 && options->output) status = hn_pending_open(&file, options->output, error);
  cli_watchdog_on_end(cli_file_drop, &file);
  if (status == 0) status = cli_ladder_reference(s, options->reference, norm, error);
  if (status >= 0) status = cli_ladder_run(s, error);
  cli_watchdog_on_end(NULL, NULL);
  if (status == 0 && options->output && !*cli_stop()) status = write_csv(s, &file, error);
  hn_pending_close(&file, HN_RECORD_DROP, NULL);
  return status < 0 ? -1 : conclude(s, options);
}

static int run_command(const cli_options *options, hn_error *error)
{
  cli_ladder s = { 0 };
  if (options->all) return cli_converge_all(options, error);
  if (options->solvers) return hn_fail(error, "converge: --solvers needs --all; one solver is --solver");
  if (options->output && cli_output_is_csv(options->output, error) < 0) return -1;
  hn_scene *scene = cli_plan_read(&s.plan, options, error);
  if (!scene) return -1;
  int status = converge(&s, options, error);
  cli_ladder_free(&s);
  hn_scene_free(scene);
  return status;
}

const cli_command cli_command_converge = {
  .name = "converge",
  .arguments = "SCENE",
  .summary = "error against step size, and the fitted order",
  .details = "--steps defaults to six steps, each half the one before, beginning with the\n"
             "scene's step or --step. --reference is `scene` (its own reference), `self` (the\n"
             "same solver with an eighth of the smallest step), a solver whose step is halved\n"
             "until its error is known, or a file with the JSON of `holonom run --json`;\n"
             "errors below the uncertainty of such runs are shown as < and that. Default:\n"
             "`scene` if it is known at the final time, else `self`. --output FILE.csv writes\n"
             "the table. Exit status 1 when no order can be fitted, when the runs converge to\n"
             "another motion than the reference, or when the order is below that of --expect;\n"
             "with --exactly also when it is above.\n"
             "--all studies all solvers and their variants: the declared order, and those of\n"
             "positions, orientations, velocities and joint forces, each fitted over six or\n"
             "more steps in the asymptotic range, with the parameters given as --KEY VALUE\n"
             "where a solver has them. Exit status 1 when an order is below the declared\n"
             "one. --budget WORK ends the runs of a solver after the first that\n"
             "needs more joint operations (default: 2e5 per joint, at least 1e7). Without\n"
             "--all, it leaves out the smallest steps, down to three, if all runs and the\n"
             "reference would need more (default: 2e8; with --steps no limit).\n",
  .examples = "converge pendulum --solver impulse-sle --expect declared\n"
              "converge --all double_pendulum --budget 1e5\n",
  .options = { CLI_RUN_OPTIONS, CLI_BUDGET, CLI_SOLVER_FILE, CLI_ALL, CLI_SOLVERS, CLI_STEPS, CLI_REFERENCE,
               CLI_NORM, CLI_EXPECT, CLI_EXACTLY, CLI_OUTPUT },
  .run = run_command,
};
