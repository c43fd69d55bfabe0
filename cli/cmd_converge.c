/* cmd_converge.c - `holonom converge`: error against step size, and the order fitted to it. */
#include <math.h>
#include <string.h>
#include "cli/base/complain.h"
#include "cli/base/interrupt.h"
#include "cli/base/json.h"
#include "cli/base/memory.h"
#include "cli/base/output.h"
#include "cli/base/parse.h"
#include "cli/base/table.h"
#include "cli/commands.h"
#include "cli/orders/command.h"
#include "cli/study/distance.h"
#include "cli/study/outcome_json.h"
#include "cli/study/reference.h"
#include "cli/study/runs.h"
#include "scene.h"

enum { DEFAULT_STEPS = 6, FINER = 8 }; /* FINER: smallest step over the step of a reference by the same method */

typedef struct study {
  cli_plan plan;
  cli_reference reference;
  double *step, *error;       /* [count]: s, m */
  cli_outcome *outcome;       /* [count] */
  size_t count;
  double order;               /* fitted; NAN when it cannot be */
} study;

static int read_steps(study *s, const cli_options *options, hn_error *error)
{
  s->count = options->nsteps ? options->nsteps : DEFAULT_STEPS;
  if (s->count < 2) return hn_fail(error, "converge: --steps needs at least two steps to fit an order");
  s->step = cli_alloc(s->count, sizeof *s->step);
  s->error = cli_alloc(s->count, sizeof *s->error);
  s->outcome = cli_alloc(s->count, sizeof *s->outcome);
  for (size_t i = 0; i < s->count; i++) {
    s->step[i] = options->nsteps ? options->steps[i] : ldexp(s->plan.step, -(int)i);
    if (s->step[i] > s->plan.duration)
      return hn_fail(error, "converge: the step %s s is longer than the duration %s s",
                     cli_exact(s->step[i]).text, cli_exact(s->plan.duration).text);
  }
  return 0;
}

static int run_own_reference(study *s, hn_error *error)
{
  cli_plan plan = s->plan;
  for (size_t i = 0; i < s->count; i++) plan.step = i == 0 ? s->step[0] : fmin(plan.step, s->step[i]);
  plan.step /= FINER;
  int status = cli_reference_run(&s->reference, &plan, error);
  if (status == 1) {
    free(s->reference.key);
    s->reference.key = cli_text("self");
  }
  return status;
}

/* `scene`, `self` or a file; by default the scene's reference where it has an answer, else the method itself. */
static int make_reference(study *s, const char *wanted, hn_error *error)
{
  if (wanted && strcmp(wanted, "self") == 0) return run_own_reference(s, error);
  if (wanted && strcmp(wanted, "scene") != 0) return cli_reference_file(&s->reference, &s->plan, wanted, error);
  int status = cli_reference_scene(&s->reference, s->plan.scene, s->plan.duration, error);
  if (status != 0) return status;
  if (wanted)
    return hn_fail(error, "--reference scene: %s has no reference at t = %s s; use self", s->plan.scene->name,
                   cli_exact(s->plan.duration).text);
  cli_reference_free(&s->reference);
  return run_own_reference(s, error);
}

static int run_all(study *s, hn_error *error)
{
  int status = 0;
  s->plan.reference = &s->reference;
  size_t count = s->count;
  s->count = 0; /* those that were run: one, however early an interruption comes */
  for (size_t i = 0; i < count && status == 0 && (i == 0 || !*cli_stop()); i++) {
    cli_plan plan = s->plan;
    plan.step = s->step[s->count++];
    plan.measures = CLI_FEW_MEASURES;
    status = cli_outcome_run(&s->outcome[i], &plan, error);
    s->error[i] = s->outcome[i].error;
  }
  s->order = hn_fit_order(s->step, s->error, s->count);
  return status;
}

static int declared_order(const study *s)
{
  for (size_t i = 0; i < s->count; i++)
    if (s->outcome[i].solver) return hn_solver_order(s->outcome[i].solver);
  return 0;
}

static json_t *study_json(const study *s)
{
  json_t *runs = json_array(), *root = json_object();
  int declared = declared_order(s);
  for (size_t i = 0; i < s->count; i++) {
    const cli_outcome *o = &s->outcome[i];
    json_array_append_new(runs, json_pack("{s:o, s:o, s:o, s:s}", "step", cli_json_real(s->step[i]), "error",
                                          cli_json_real(o->error), "us_per_step",
                                          cli_json_real(cli_outcome_us_per_step(o)), "reason",
                                          hn_reason_name(o->summary.reason)));
  }
  json_object_set_new(root, "solver", cli_json_method(&s->outcome[0]));
  json_object_set_new(root, "reference", s->reference.key ? cli_json_string(s->reference.key) : json_null());
  json_object_set_new(root, "runs", runs);
  json_object_set_new(root, "order", cli_json_real(s->order));
  json_object_set_new(root, "declared_order", declared ? json_integer(declared) : json_null());
  if (s->reference.step > 0.0) json_object_set_new(root, "reference_step", cli_json_real(s->reference.step));
  json_object_set_new(root, "scene", cli_json_string(s->plan.scene->name));
  json_object_set_new(root, "duration", cli_json_real(s->plan.duration));
  json_object_set_new(root, "options", cli_json_options(&s->outcome[0]));
  return root;
}

static void print_study(const study *s, bool quiet)
{
  int declared = declared_order(s), shorter = 0;
  if (!quiet) printf("%s, %s\nerror: largest position error of a body at t = %s s, against %s\n\n", s->plan.scene->name,
         s->plan.solver, cli_exact(s->plan.duration).text, cli_reference_text(&s->reference));
  cli_table *table = cli_table_create("<step, s|<error, m|local order|us/step|<reason");
  for (size_t i = 0; i < s->count; i++) {
    const cli_outcome *o = &s->outcome[i];
    cli_cell(table, "%s", cli_exact(s->step[i]).text);
    cli_cell(table, "%s", cli_exact(o->error).text);
    cli_cell_real(table, "%.3f", i > 0 ? hn_fit_order(&s->step[i - 1], &s->error[i - 1], 2) : NAN);
    cli_cell_real(table, "%.2f", cli_outcome_us_per_step(o));
    cli_cell(table, "%s", hn_reason_name(o->summary.reason));
    shorter += cli_outcome_short_step(o) > 0.0;
  }
  cli_table_print(table, stdout);
  cli_table_free(table);
  if (quiet) return;
  if (shorter > 0) printf("%d of the steps do not divide the duration: their last step is shorter\n", shorter);
  if (isfinite(s->order)) printf("\nfitted order %.4f", s->order);
  if (isfinite(s->order) && declared > 0) printf(" (the method declares %d)", declared);
  if (isfinite(s->order)) putchar('\n');
}

static int write_csv(const study *s, cli_file *file, hn_error *error)
{
  fputs("step,error,us_per_step,reason\n", file->stream);
  for (size_t i = 0; i < s->count; i++)
    fprintf(file->stream, "%.17g,%.17g,%.6g,%s\n", s->step[i], s->outcome[i].error,
            cli_outcome_us_per_step(&s->outcome[i]), hn_reason_name(s->outcome[i].summary.reason));
  return cli_file_close(file, error);
}

static void explain_failures(const study *s)
{
  if (!s->reference.key) cli_complain("the reference run did not converge: errors are not known");
  for (size_t i = 0; i < s->count; i++)
    if (s->outcome[i].summary.reason != HN_CONVERGED)
      cli_complain("step %s: %s", cli_exact(s->step[i]).text, s->outcome[i].summary.explanation);
  if (!isfinite(s->order)) cli_complain("fewer than two errors are known: no order can be fitted");
}

static int conclude(const study *s, const cli_options *options)
{
  if (options->json)
    cli_json_print(study_json(s));
  else
    print_study(s, options->quiet);
  explain_failures(s);
  if (*cli_stop() && options->output)
    cli_complain("interrupted: no table is written, %s is as it was", options->output);
  return isfinite(s->order) && !*cli_stop() ? CLI_DONE : CLI_OUTCOME;
}

static int converge(study *s, const cli_options *options, hn_error *error)
{
  cli_file file = { 0 };
  int status = read_steps(s, options, error);
  if (status == 0) status = cli_spec_check(s->plan.solver, s->plan.scene, error);
  if (status == 0 && options->output) status = cli_file_open(&file, options->output, error);
  if (status == 0) status = make_reference(s, options->reference, error);
  if (status >= 0) status = run_all(s, error);
  if (status == 0 && options->output && !*cli_stop()) status = write_csv(s, &file, error);
  cli_file_abandon(&file);
  return status < 0 ? -1 : conclude(s, options);
}

int cli_cmd_converge(const cli_options *options)
{
  hn_error error;
  study s = { 0 };
  if (options->all) return cli_converge_all(options);
  if (options->solvers) return cli_complain("converge: --solvers needs --all; one method is --solver");
  if (options->output && cli_output_is_csv(options->output, &error) < 0) return cli_complain("%s", error.text);
  hn_scene *scene = cli_plan_read(&s.plan, options, &error);
  if (!scene) return cli_complain("%s", error.text);
  int status = converge(&s, options, &error);
  for (size_t i = 0; s.outcome && i < s.count; i++) cli_outcome_free(&s.outcome[i]);
  cli_reference_free(&s.reference);
  free(s.step);
  free(s.error);
  free(s.outcome);
  hn_scene_free(scene);
  return status < 0 ? cli_complain("%s", error.text) : status;
}
