/* cmd_run.c - `holonom run`: runs one solver on one scene. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "cli/base/complain.h"
#include "cli/base/json.h"
#include "cli/base/memory.h"
#include "cli/base/output.h"
#include "cli/base/parse.h"
#include "cli/base/text_table.h"
#include "cli/base/watchdog.h"
#include "cli/commands.h"
#include "cli/page/page.h"
#include "cli/record/checkpoint_file.h"
#include "cli/record/run_record.h"
#include "cli/study/study_runs.h"
#include "cli/study/reference_distance.h"
#include "cli/study/outcome_json.h"
#include "cli/study/reference.h"
#include "cli/study/scene_answer.h"
#include "cli/study/unique.h"
#include "scene.h"

enum { MAX_SHOWN = 12 }; /* rows shown in a table; the JSON has all */

static void print_head(const cli_outcome *outcome)
{
  const hn_summary *s = &outcome->summary;
  double last = cli_outcome_short_step(outcome);
  cli_print_wrapped(stdout, "%s, %s\n", outcome->plan.scene->name, outcome->plan.solver);
  printf("%ld steps of %s s to t = %s s: %s\n", s->steps, cli_exact(outcome->plan.step).text,
         cli_exact(s->time).text, hn_reason_name(s->reason));
  if (last > 0.0)
    printf("the step does not divide the duration: the last step is %s s\n", cli_exact(last).text);
  char *start = cli_projection_text(outcome->plan.scene->model);
  if (start) cli_print_wrapped(stdout, "%s\n", start);
  free(start);
  putchar('\n');
}

enum { ERROR_DIGITS = 3, QUANTITY_DIGITS = 6 }; /* significant digits; JSON and records have all */

static void add_line(cli_table *table, const char *what, double value, int digits, const char *unit,
                     const char *remark)
{
  cli_cell(table, "%s", what);
  cli_cell(table, "%s", cli_rounded(value, digits).text);
  cli_cell(table, "%s", unit);
  cli_cell(table, "%s", remark);
}

static void print_contacts(cli_table *table, const cli_outcome *outcome)
{
  const hn_summary *s = &outcome->summary;
  char law[64];
  add_line(table, "contacts", s->contact.contacts, QUANTITY_DIGITS, "", "maximum of a step");
  add_line(table, "  law of contact", s->contact.residual, ERROR_DIGITS, "m/s",
           s->control.tolerance > 0.0 ? "not known, like the balance: steps are divided"
                                      : "largest residual of Coulomb's law of any contact after any step");
  if (!cli_outcome_law(outcome, law, sizeof law))
    add_line(table, "  its own law", s->contact.own_residual, ERROR_DIGITS, "m/s", law);
  add_line(table, "  penetration", s->contact.penetration, ERROR_DIGITS, "m", "deepest after any step");
  add_line(table, "  balance", s->contact.balance, ERROR_DIGITS, "N s",
           "largest change of momentum of a body that no impulse at the end of a step explains");
  add_line(table, "  energy gained", s->energy_gain, ERROR_DIGITS, "J", "largest of one step");
}

/* Adds a line for each kind of event that occurred. */
static void print_events(cli_table *table, const hn_summary *s)
{
  for (int k = 0; k < HN_EVENT_KINDS; k++)
    if (s->events[k] > 0)
      add_line(table, k == 0 ? "events" : "", (double)s->events[k], QUANTITY_DIGITS, "",
               hn_event_name((hn_event_kind)k));
}

static void print_measures(const cli_outcome *outcome)
{
  const hn_summary *s = &outcome->summary;
  cli_table *table = cli_table_create("<|<|<|<");
  if (isfinite(outcome->error[CLI_POSITION]))
    add_line(table, "error", outcome->error[CLI_POSITION], ERROR_DIGITS, "m",
             "largest position error of a body at the end, against the scene's reference");
  if (isfinite(s->control.estimate) && s->control.tolerance > 0.0)
    add_line(table, "its estimate", s->control.estimate, ERROR_DIGITS, "m", "by the control of steps");
  /* Measures of the whole run */
  add_line(table, "joint error", s->position_max, ERROR_DIGITS, "m, rad",
           "largest of any joint after any step");
  add_line(table, "  its rate", s->velocity_max, ERROR_DIGITS, "m/s, rad/s", "");
  add_line(table, "energy", s->energy_initial, QUANTITY_DIGITS, "J", "at the start");
  add_line(table, "", s->energy_final, QUANTITY_DIGITS, "J", "at the end");
  add_line(
    table, s->energy_conserved ? "energy error" : "energy change", s->energy_error_max, ERROR_DIGITS, "J",
    s->energy_conserved ? "largest after any step" : "largest after any step; forces or joints do work");
  if (s->collides) print_contacts(table, outcome);
  print_events(table, s);
  cli_table_print(table, stdout);
  /* Warnings about these numbers */
  char **warning = cli_warnings(outcome);
  for (size_t i = 0; warning[i]; i++) cli_print_wrapped(stdout, "warning: %s\n", warning[i]);
  cli_strings_free(warning);
  if (*s->control.why) cli_print_wrapped(stdout, "note: %s\n", s->control.why);
  if (s->rounding_steps > 0)
    cli_print_wrapped(stdout,
                      "note: contact problems ended above contact_tolerance, but within 100 rounding levels, "
                      "and count as solved; steps with such problems: %" PRIu64 "\n",
                      s->rounding_steps);
  putchar('\n');
}

/* Adds a line for a count of work, unless it is zero. */
static void add_count(cli_table *table, const cli_outcome *outcome, const char *what, uint64_t count)
{
  if (count == 0) return;
  cli_cell(table, "%s", what);
  cli_cell_real(table, "%.2f", cli_outcome_per_step(outcome, count));
  cli_cell(table, "%" PRIu64, count);
}

static void print_work(const cli_outcome *outcome)
{
  const hn_summary *s = &outcome->summary;
  const hn_work *work = &s->work;
  cli_print_wrapped(
    stdout, "iterations of the joint correction %.3f mean, %d max; of the velocity correction %.3f mean\n",
    s->position_iterations_mean, s->position_iterations_max, s->velocity_iterations_mean);
  if (s->asleep > 0) printf("bodies asleep at the end: %d\n", s->asleep);
  if (s->control.tolerance > 0.0)
    printf("parts of steps: %" PRIu64 " accepted, %" PRIu64 " rejected, the shortest %.2g s; pilot runs: "
           "%" PRIu64 "\n",
           s->control.accepted, s->control.rejected, s->control.shortest, s->control.pilots);
  else if (s->halvings > 0) printf("steps and parts of steps halved: %" PRIu64 "\n", s->halvings);
  if (s->impulses.total > 0)
    printf("impulses per step %" PRIu64 " to %" PRIu64 ", mean %.2f\n", s->impulses.min, s->impulses.max,
           cli_outcome_impulses(outcome));
  /* Counts of work */
  cli_table *table = cli_table_create("<work|per step|in all");
  add_count(table, outcome, "residuals", work->residuals);
  add_count(table, outcome, "jacobians", work->jacobians);
  add_count(table, outcome, "jets", work->jets);
  add_count(table, outcome, "velocity residuals", work->velocity_residuals);
  add_count(table, outcome, "accelerations", work->accelerations);
  add_count(table, outcome, "flights", work->flights);
  add_count(table, outcome, "sweeps", work->sweeps);
  add_count(table, outcome, "impulses", work->impulses);
  add_count(table, outcome, "forces", work->forces);
  add_count(table, outcome, "factorisations", work->factorisations);
  add_count(table, outcome, "solves", work->solves);
  add_count(table, outcome, "rank detections", work->detections);
  add_count(table, outcome, "contact iterations", work->contact_iterations);
  add_count(table, outcome, "pairs of shapes", work->pairs);
  add_count(table, outcome, "contact points", work->manifolds);
  cli_table_print(table, stdout);
  if (s->steps > 0)
    printf("time %.3g s in steps, %.2f us per step\n", s->wall_s, cli_outcome_us_per_step(outcome));
  putchar('\n');
}

static void print_bodies(const cli_outcome *outcome)
{
  const hn_model *model = cli_outcome_model(outcome);
  int count = 0, shown = 0;
  for (int i = 1; i < model->nbody; i++) count += !model->body[i].gone;
  cli_table *table = cli_table_create("<centre of mass reached, m|x|y|z");
  for (int i = 1; i < model->nbody && shown < MAX_SHOWN; i++) {
    if (model->body[i].gone) continue;
    shown++;
    cli_cell(table, "%s", model->body[i].name);
    for (int k = 0; k < 3; k++)
      cli_cell(table, "%s", cli_rounded_to_scale(outcome->state->pose[i].x[k], outcome->summary.size).text);
  }
  cli_table_print(table, stdout);
  if (count > MAX_SHOWN) printf("and %d more bodies (--json or --output shows all)\n", count - MAX_SHOWN);
}

static void print_forces(const cli_outcome *outcome)
{
  const hn_model *model = cli_outcome_model(outcome);
  if (!cli_outcome_has_forces(outcome) || model->njoint == 0 || model->njoint > MAX_SHOWN) return;
  double force[MAX_SHOWN][3], torque[3], largest = 0.0;
  for (int j = 0; j < model->njoint; j++) {
    hn_joint_reaction(&model->joint[j], outcome->state, outcome->solver->multipliers + model->joint[j].row,
                      force[j], torque);
    for (int k = 0; k < 3; k++) largest = fmax(largest, fabs(force[j][k]));
  }
  hn_rank *rank = cli_may_have_nonunique_forces(outcome) ? cli_rank_at(model, outcome->state, NULL) : NULL;
  cli_table *table = cli_table_create("<joint force at the end, N|x|y|z|<");
  for (int j = 0; j < model->njoint; j++) {
    cli_cell(table, "%s", model->joint[j].name);
    for (int k = 0; k < 3; k++) cli_cell(table, "%s", cli_rounded_to_scale(force[j][k], largest).text);
    cli_cell(table, "%s", rank && !cli_force_unique(rank, &model->joint[j]) ? "not unique" : "");
  }
  cli_table_print(table, stdout);
  hn_rank_free(rank);
}

static void print_summary(const cli_outcome *outcome)
{
  print_head(outcome);
  if (!outcome->solver) return;
  print_measures(outcome);
  print_work(outcome);
  if (outcome->states) cli_states_at_print(outcome->states, stdout);
  print_bodies(outcome);
  print_forces(outcome);
  printf("hash %016" PRIx64 "\n", outcome->summary.hash);
}

typedef struct outputs {
  cli_record record;
  cli_checkpoints checkpoints;
  cli_file page;
} outputs;

/* Closes the records, and removes files that the run has not completed and that nothing can use. */
static void close_outputs(void *data)
{
  outputs *out = data;
  cli_record_free(&out->record);
  cli_checkpoints_free(&out->checkpoints);
  hn_pending_close(&out->page, HN_RECORD_DROP, NULL);
}

static int run_and_record(cli_outcome *outcome, const cli_plan *plan, outputs *out, hn_error *error)
{
  cli_record *r = &out->record;
  hn_error ignored; /* errors of records after an error of the run */
  cli_watchdog_on_end(close_outputs, out);
  int status = cli_outcome_run(outcome, plan, error);
  cli_watchdog_hold(true); /* the records are closed, and the results are written */
  cli_watchdog_on_end(NULL, NULL);
  if (r->record && hn_record_close(r->record, status == 0 ? error : &ignored) < 0) status = -1;
  r->record = NULL;
  if (r->events && hn_record_close(r->events, status == 0 ? error : &ignored) < 0) status = -1;
  r->events = NULL;
  return status;
}

static int conclude(cli_outcome *outcome, const cli_options *options)
{
  const hn_summary *s = &outcome->summary;
  if (options->json) cli_json_print(cli_json_last(outcome));
  else if (!options->quiet && !(options->output && strcmp(options->output, "-") == 0)) print_summary(outcome);
  if (s->reason == HN_CONVERGED) return CLI_DONE;
  cli_complain("%s (stopped at t = %s s after %ld steps)", s->explanation, cli_exact(s->time).text, s->steps);
  return CLI_OUTCOME;
}

/* Opens the page; makes the plan keep its data and those of the scene's reference. */
static int open_page(cli_plan *plan, cli_reference *reference, cli_file *page, const char *path,
                     hn_error *error)
{
  plan->keep_series = plan->keep_history = true;
  plan->track_numbers = reference->key ? CLI_PAGE_NUMBERS / 2 : CLI_PAGE_NUMBERS;
  plan->track_step = plan->step;
  if (cli_page_ready(error) < 0 || hn_pending_open(page, path, error) < 0) return -1;
  return !reference->key
           ? 0
           : cli_track_answer(reference, plan->scene, plan->step, plan->duration, plan->track_numbers, error);
}

/* Writes the page of one run. */
static int write_page(cli_outcome *outcome, const cli_reference *reference, const char *line, cli_file *page,
                      hn_error *error)
{
  cli_comparison c = { .scene = outcome->plan.scene,
                       .step = outcome->plan.step,
                       .duration = outcome->plan.duration,
                       .reference = *reference,
                       .outcome = outcome,
                       .count = 1 };
  char *none = reference->key ? NULL : cli_text("nothing: the scene has no reference for the end of the run");
  if (none) c.reference.why_missing = none;
  int status = cli_page_write(&c, line, page, error);
  free(none);
  return status < 0 ? -1 : cli_file_close(page, error);
}

static int run_scene(cli_plan *plan, const cli_options *options, const cli_options *recorded, hn_error *error)
{
  cli_outcome outcome;
  cli_reference reference;
  outputs out = { .page = { 0 } };
  const bool has_page = cli_page_named(options->output);
  /* Open all outputs before the run */
  int status = cli_reference_scene(&reference, plan->scene, CLI_END, plan->duration, error);
  plan->reference = &reference;
  if (status >= 0) status = cli_spec_check(plan->solver, plan->scene, error);
  if (status == 0) status = cli_checkpoints_open(&out.checkpoints, plan, recorded, error);
  if (status == 0) status = cli_record_open(&out.record, plan, recorded, &out.checkpoints, error);
  if (status == 0 && has_page) status = open_page(plan, &reference, &out.page, options->output, error);
  if (status == 0) {
    /* The run, with its records; then the page */
    plan->record = out.record.record, plan->events = out.record.events,
    plan->list_events = options->list_events;
    cli_checkpoints_use(&out.checkpoints, plan);
    status = run_and_record(&outcome, plan, &out, error);
    if (status == 0 && outcome.summary.reason == HN_CONVERGED) cli_checkpoints_remove(&out.checkpoints);
    if (status == 0 && has_page) status = write_page(&outcome, &reference, options->line, &out.page, error);
    if (status == 0) status = conclude(&outcome, options);
    cli_outcome_free(&outcome);
  }
  close_outputs(&out);
  cli_reference_free(&reference);
  return status;
}

/* Reads the times of --at, to be freed, into PLAN. */
static int read_times(cli_plan *plan, double **time, const cli_options *options, hn_error *error)
{
  if (!options->at_times) return 0;
  if (options->checkpoint > 0 || options->resume_from)
    return hn_fail(error, "run: --at cannot be combined with --checkpoint or --resume");
  if (cli_states_at_read(options->at_times, time, &plan->nat, error)) return -1;
  plan->at = *time;
  const double last = plan->nat > 0 ? plan->at[plan->nat - 1] : 0.0;
  if (last <= plan->duration) return 0;
  return hn_fail(error, "--at %s: the run ends at %s s", cli_exact(last).text,
                 cli_exact(plan->duration).text);
}

static int run_command(const cli_options *options, hn_error *error)
{
  cli_plan plan;
  double *time = NULL;
  cli_options recorded = *options;
  if (cli_page_named(options->output)) recorded.output = NULL; /* a page is not a record */
  if (cli_record_check(&recorded, error) < 0 || cli_checkpoints_check(options, error) < 0) return -1;
  hn_scene *scene = cli_plan_read(&plan, options, error);
  if (!scene) return -1;
  plan.budget = options->budget;
  int status = cli_budget_check(scene, options->budget, error);
  if (status == 0) status = read_times(&plan, &time, options, error);
  if (status == 0) status = run_scene(&plan, options, &recorded, error);
  hn_scene_free(scene);
  free(time);
  return status;
}

const cli_command cli_command_run = {
  .name = "run",
  .arguments = "SCENE",
  .summary = "run one solver on one scene",
  .details = "--output FILE.csv records the trajectory, one line for the initial state and\n"
             "for each step (every Nth and the last with --every N), with the measures of the\n"
             "solver (- is standard output). --record-rank adds the rank of the constraints\n"
             "and the singular values next to its gap; --record-joints coordinates and rates\n"
             "of joints, and their forces and torques if the solver computes them;\n"
             "--record-forces coordinates and forces of springs, motors and other force\n"
             "elements; --times the measured time of each step.\n"
             "--output FILE.h5 is the same in HDF5, with joints, forces, contacts, events and\n"
             "the model; FILE.glb is an animation in glTF; FILE.html is a page for a browser,\n"
             "with the motion.\n"
             "--checkpoint N saves all that is needed to continue the run, every N steps, in\n"
             "FILE.checkpoint, FILE.frames and FILE.events, until the run is complete.\n"
             "--resume FILE.checkpoint with the same command line continues it; record and\n"
             "hash are those of a run that was never interrupted.\n"
             "--record-events FILE.csv records the events, each with its time: impacts, joint\n"
             "limits, contacts that open or close, slide or stick.\n"
             "--model FILE.json writes the model: bodies, shapes, joints, forces.\n"
             "--at T1,T2,... shows the states at these times, also between the steps, and\n"
             "records them, in rows without a step number; FROM:TO:COUNT gives COUNT times.\n"
             "They have the order of the solver, and do not change the run or its hash.\n"
             "--budget WORK ends the run with reason `budget` after the first step at which\n"
             "it has used WORK joint operations.\n"
             "Exit status 1 when the run does not end with reason `converged`; all that was\n"
             "recorded until then is kept.\n",
  .examples = "run pendulum\n"
              "run chain8 --solver lagrange:stepper=rk8pd --output chain8.csv\n"
              "run ball_tray --duration 0.5 --output tray.h5 --model tray.json\n"
              "run pendulum --duration 60 --output pendulum.h5 --checkpoint 1000\n"
              "run double_pendulum --at 0.1,0.25,0.3333\n"
              "run my.lua --set n=16 --step 1/500 --json\n",
  .options = { CLI_RUN_OPTIONS, CLI_AT_TIMES, CLI_BUDGET, CLI_SOLVER_FILE, CLI_OUTPUT, CLI_RECORD_OPTIONS,
               CLI_CHECKPOINT, CLI_RESUME_FROM, CLI_MODEL },
  .run = run_command,
};
