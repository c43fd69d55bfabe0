/* cmd_run.c - `holonom run`: one solver on one scene. */
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
#include "cli/study/budget.h"
#include "cli/study/reference_distance.h"
#include "cli/study/outcome_json.h"
#include "cli/study/reference.h"
#include "cli/study/study_runs.h"
#include "cli/study/track_answer.h"
#include "cli/study/unique.h"
#include "cli/study/warnings.h"
#include "scene.h"

enum { BODIES_SHOWN = 12 }; /* all are in the JSON */

static void print_head(const cli_outcome *outcome)
{
  const hn_summary *s = &outcome->summary;
  double last = cli_outcome_short_step(outcome);
  cli_say(stdout, "%s, %s\n", outcome->plan.scene->name, outcome->plan.solver);
  printf("%ld steps of %s s to t = %s s: %s\n", s->steps, cli_exact(outcome->plan.step).text,
         cli_exact(s->time).text, hn_reason_name(s->reason));
  if (last > 0.0)
    printf("the step does not divide the duration: the last step is %s s\n", cli_exact(last).text);
  char *start = cli_projection_text(outcome->plan.scene->model);
  if (start) cli_say(stdout, "%s\n", start);
  free(start);
  putchar('\n');
}

enum { OF_ERROR = 3, OF_QUANTITY = 6 }; /* digits that mean something; JSON and records have all */

static void line_of(cli_table *table, const char *what, double value, int digits, const char *unit,
                    const char *remark)
{
  cli_cell(table, "%s", what);
  cli_cell(table, "%s", cli_rounded(value, digits).text);
  cli_cell(table, "%s", unit);
  cli_cell(table, "%s", remark);
}

static void line(cli_table *table, const char *what, double value, const char *unit, const char *remark)
{
  line_of(table, what, value, OF_ERROR, unit, remark);
}

static void print_contacts(cli_table *table, const hn_summary *s)
{
  line_of(table, "contacts", s->contact.contacts, OF_QUANTITY, "", "most in a step");
  line(table, "  law of contact", s->contact.residual, "m/s",
       "residual, largest of any contact after any step");
  line(table, "  penetration", s->contact.penetration, "m", "deepest after any step");
  line(table, "  balance", s->contact.balance, "N s",
       "of momentum and impulses, largest of any body in any step");
  line(table, "  energy gained", s->energy_gain, "J", "most in one step");
}

/* Kinds of events that there were. */
static void print_events(cli_table *table, const hn_summary *s)
{
  for (int k = 0; k < HN_EVENT_KINDS; k++)
    if (s->events[k] > 0)
      line_of(table, k == 0 ? "events" : "", (double)s->events[k], OF_QUANTITY, "",
              hn_event_name((hn_event_kind)k));
}

static void print_measures(const cli_outcome *outcome)
{
  const hn_summary *s = &outcome->summary;
  cli_table *table = cli_table_create("<|<|<|<");
  if (isfinite(outcome->error[CLI_POSITION]))
    line(table, "error", outcome->error[CLI_POSITION], "m",
         "largest position error of a body at the end, against the scene's reference");
  line(table, "joint error", s->position_max, "m, rad", "largest of any joint after any step");
  line(table, "  its velocity", s->velocity_max, "m/s, rad/s", "");
  line_of(table, "energy", s->energy_initial, OF_QUANTITY, "J", "at the start");
  line_of(table, "", s->energy_final, OF_QUANTITY, "J", "at the end");
  if (s->energy_conserved) line(table, "energy error", s->energy_error_max, "J", "largest after any step");
  else
    line(table, "energy change", s->energy_error_max, "J",
         "largest after any step; forces or joints do work");
  if (s->collides) print_contacts(table, s);
  print_events(table, s);
  cli_table_print(table, stdout);
  cli_table_free(table);
  char **warning = cli_warnings(outcome);
  for (size_t i = 0; warning[i]; i++) cli_say(stdout, "warning: %s\n", warning[i]);
  cli_strings_free(warning);
  putchar('\n');
}

static void count_line(cli_table *table, const cli_outcome *outcome, const char *what, uint64_t count)
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
  cli_say(stdout,
          "iterations of the joint correction %.3f mean, %d max; of the velocity correction %.3f mean\n",
          s->position_iterations_mean, s->position_iterations_max, s->velocity_iterations_mean);
  if (s->asleep > 0) printf("bodies asleep at the end: %d\n", s->asleep);
  if (s->halvings > 0) printf("steps and parts of steps halved: %" PRIu64 "\n", s->halvings);
  if (s->impulses.total > 0)
    printf("impulses per step %" PRIu64 " to %" PRIu64 ", mean %.2f\n", s->impulses.min, s->impulses.max,
           cli_outcome_impulses(outcome));
  cli_table *table = cli_table_create("<work|per step|in all");
  count_line(table, outcome, "residuals", work->residuals);
  count_line(table, outcome, "jacobians", work->jacobians);
  count_line(table, outcome, "jets", work->jets);
  count_line(table, outcome, "velocity residuals", work->velocity_residuals);
  count_line(table, outcome, "accelerations", work->accelerations);
  count_line(table, outcome, "flights", work->flights);
  count_line(table, outcome, "sweeps", work->sweeps);
  count_line(table, outcome, "impulses", work->impulses);
  count_line(table, outcome, "forces", work->forces);
  count_line(table, outcome, "factorisations", work->factorisations);
  count_line(table, outcome, "solves", work->solves);
  count_line(table, outcome, "rank detections", work->detections);
  count_line(table, outcome, "contact iterations", work->contact_iterations);
  count_line(table, outcome, "pairs of shapes", work->pairs);
  count_line(table, outcome, "points of contact", work->manifolds);
  cli_table_print(table, stdout);
  cli_table_free(table);
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
  for (int i = 1; i < model->nbody && shown < BODIES_SHOWN; i++) {
    if (model->body[i].gone) continue;
    shown++;
    cli_cell(table, "%s", model->body[i].name);
    for (int k = 0; k < 3; k++)
      cli_cell(table, "%s", cli_beside(outcome->state->pose[i].x[k], outcome->summary.size).text);
  }
  cli_table_print(table, stdout);
  cli_table_free(table);
  if (count > BODIES_SHOWN)
    printf("and %d bodies more (--json or --output shows all)\n", count - BODIES_SHOWN);
}

static void print_forces(const cli_outcome *outcome)
{
  const hn_model *model = cli_outcome_model(outcome);
  const hn_solver *solver = outcome->solver;
  if (!(solver->type->capabilities & HN_HAS_MULTIPLIERS) || model->njoint == 0 ||
      model->njoint > BODIES_SHOWN)
    return;
  double force[BODIES_SHOWN][3], torque[3], most = 0.0;
  for (int j = 0; j < model->njoint; j++) {
    hn_joint_reaction(&model->joint[j], outcome->state, solver->multipliers + model->joint[j].row, force[j],
                      torque);
    for (int k = 0; k < 3; k++) most = fmax(most, fabs(force[j][k]));
  }
  hn_rank *rank = cli_forces_may_vary(outcome) ? cli_rank_at(model, outcome->state, NULL) : NULL;
  cli_table *table = cli_table_create("<joint force at the end, N|x|y|z|<");
  for (int j = 0; j < model->njoint; j++) {
    cli_cell(table, "%s", model->joint[j].name);
    for (int k = 0; k < 3; k++) cli_cell(table, "%s", cli_beside(force[j][k], most).text);
    cli_cell(table, "%s", rank && !cli_force_unique(rank, &model->joint[j]) ? "not unique" : "");
  }
  cli_table_print(table, stdout);
  cli_table_free(table);
  hn_rank_free(rank);
}

static void print_summary(const cli_outcome *outcome)
{
  print_head(outcome);
  if (!outcome->solver) return;
  print_measures(outcome);
  print_work(outcome);
  print_bodies(outcome);
  print_forces(outcome);
  printf("hash %016" PRIx64 "\n", outcome->summary.hash);
}

static void keep_record(void *record)
{
  hn_record_close(record, NULL);
}

static int run_and_record(cli_outcome *outcome, const cli_plan *plan, cli_record *r, hn_error *error)
{
  hn_error unwritten;
  if (r->record) cli_watch_keep(keep_record, r->record);
  int status = cli_outcome_run(outcome, plan, error);
  cli_watch_keep(NULL, NULL);
  if (r->record && hn_record_close(r->record, status == 0 ? error : &unwritten) < 0) status = -1;
  r->record = NULL;
  if (r->events && hn_event_record_close(r->events, status == 0 ? error : &unwritten) < 0) status = -1;
  r->events = NULL;
  return status;
}

static int conclude(const cli_outcome *outcome, const cli_options *options)
{
  const hn_summary *s = &outcome->summary;
  if (options->json) cli_json_print(cli_json_outcome(outcome));
  else if (!options->quiet && !(options->output && strcmp(options->output, "-") == 0)) print_summary(outcome);
  if (s->reason == HN_CONVERGED) return CLI_DONE;
  cli_complain("%s (stopped at t = %s s after %ld steps)", s->explanation, cli_exact(s->time).text, s->steps);
  return CLI_OUTCOME;
}

/* What a page shows is kept, and where the scene's reference, if there is one, has the bodies. */
static int open_page(cli_plan *plan, cli_reference *reference, cli_file *page, const char *path,
                     hn_error *error)
{
  plan->keep_series = plan->keep_history = true;
  plan->track_numbers = reference->key ? CLI_PAGE_NUMBERS / 2 : CLI_PAGE_NUMBERS;
  plan->track_step = plan->step;
  if (cli_page_ready(error) < 0 || cli_file_open(page, path, error) < 0) return -1;
  return !reference->key
           ? 0
           : cli_track_answer(reference, plan->scene, plan->step, plan->duration, plan->track_numbers, error);
}

/* The page of one run. */
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
  if (none) c.reference.missing = none;
  int status = cli_page_write(&c, line, page, error);
  free(none);
  return status < 0 ? -1 : cli_file_close(page, error);
}

/* Those of a record: the output is none when it is a page. */
static cli_options options_of_record(const cli_options *options)
{
  cli_options record = *options;
  if (cli_page_named(options->output)) record.output = NULL;
  return record;
}

static int run_scene(cli_plan *plan, const cli_options *options, hn_error *error)
{
  cli_outcome outcome;
  cli_reference reference;
  cli_record record = { .record = NULL };
  cli_checkpoints checkpoints = { .path = NULL };
  cli_file page = { 0 };
  const bool paged = cli_page_named(options->output);
  const cli_options recorded = options_of_record(options);
  int status = cli_reference_scene(&reference, plan->scene, CLI_END, plan->duration, error);
  plan->reference = &reference;
  if (status >= 0) status = cli_spec_check(plan->solver, plan->scene, error);
  if (status == 0) status = cli_checkpoints_open(&checkpoints, plan, &recorded, error);
  if (status == 0) status = cli_record_open(&record, plan, &recorded, &checkpoints, error);
  if (status == 0 && paged) status = open_page(plan, &reference, &page, options->output, error);
  if (status == 0) {
    plan->record = record.record, plan->events = record.events, plan->list_events = options->list_events;
    cli_checkpoints_use(&checkpoints, plan);
    status = run_and_record(&outcome, plan, &record, error);
    if (status == 0 && outcome.summary.reason == HN_CONVERGED) cli_checkpoints_remove(&checkpoints);
    if (status == 0 && paged) status = write_page(&outcome, &reference, options->line, &page, error);
    if (status == 0) status = conclude(&outcome, options);
    cli_outcome_free(&outcome);
  }
  cli_record_free(&record);
  cli_checkpoints_free(&checkpoints);
  cli_file_abandon(&page);
  cli_reference_free(&reference);
  return status;
}

static int run_command(const cli_options *options)
{
  hn_error error;
  cli_plan plan;
  const cli_options recorded = options_of_record(options);
  if (cli_record_check(&recorded, &error) < 0 || cli_checkpoints_check(options, &error) < 0)
    return cli_complain("%s", error.text);
  hn_scene *scene = cli_plan_read(&plan, options, &error);
  if (!scene) return cli_complain("%s", error.text);
  plan.budget = options->budget;
  int status = cli_budget_check(scene, options->budget, &error);
  if (status == 0) status = run_scene(&plan, options, &error);
  hn_scene_free(scene);
  return status < 0 ? cli_complain("%s", error.text) : status;
}

const cli_command cli_command_run = {
  .name = "run",
  .arguments = "SCENE",
  .summary = "one solver on one scene",
  .details =
    "With --output FILE.csv the trajectory is recorded, one line for the initial state and every step (--every N: for\n"
    "every N steps and the last one), with what the solver reports of each; --output - is standard output.\n"
    "--record-rank adds the rank of the constraints and the singular values next to its gap.\n"
    "--record-joints adds coordinates and rates of joints, and the forces and torques in them where the solver tells,\n"
    "--record-forces those of springs, motors and the like, and --times the machine's time for each step.\n"
    "FILE.h5 is the same in HDF5, with joints, forces, contacts, events and the model; FILE.glb an\n"
    "animation in glTF; FILE.html a page for a browser, with the motion.\n"
    "--checkpoint N keeps in FILE.checkpoint, FILE.frames and FILE.events, after every N steps, "
    "all that is needed to go\n"
    "on, until the run has come to its end; "
    "--resume FILE.checkpoint with the same command line goes on from there, with the same\n"
    "record and the same hash as a run that was never interrupted.\n"
    "--record-events FILE.csv has the events, each at its instant: "
    "impacts, stops, what begins or ceases to touch,\n"
    "to slide or to stick.\n"
    "--model FILE.json writes the model: bodies, shapes, joints, forces.\n"
    "--budget WORK ends it with reason `budget` after the first step that brings the work to WORK joint operations.\n"
    "Exit status 1 when the run does not end with reason `converged`; what was recorded until then is kept.\n",
  .examples = "run pendulum\n"
              "run chain8 --solver lagrange:stepper=rk8pd --output chain8.csv\n"
              "run ball_tray --duration 0.5 --output tray.h5 --model tray.json\n"
              "run pendulum --duration 60 --output pendulum.h5 --checkpoint 1000\n"
              "run my.lua --set n=16 --step 1/500 --json\n",
  .takes = { CLI_OF_RUN, CLI_BUDGET, CLI_SOLVER_FILE, CLI_OUTPUT, CLI_RECORD, CLI_CHECKPOINT, CLI_RESUME_FROM,
             CLI_MODEL },
  .least = 1,
  .most = 1,
  .run = run_command,
};
