/* cmd_rank.c - `holonom rank`: number and rank of the constraints of a scene, at t = 0 or later in a run. */
#include <math.h>
#include "cli/base/complain.h"
#include "cli/base/json.h"
#include "cli/base/memory.h"
#include "cli/base/parse.h"
#include "cli/base/text_table.h"
#include "cli/commands.h"
#include "cli/base/gnuplot.h"
#include "cli/figure/figure.h"
#include "cli/study/study_runs.h"
#include "cli/study/unique.h"
#include "scene.h"

static const double clear_gap = 1e3; /* a smaller gap of the singular values leaves the rank in doubt */
enum { MAX_SHOWN = 16 };             /* rows shown in a table; the JSON has all */

/* A scene at one time, and the rank of its constraints there. */
typedef struct analysis {
  const hn_model *model;
  const char *scene, *solver; /* solver: NULL at t = 0, which needs none */
  double time;                /* s */
  hn_rank *rank;
} analysis;

static int count_unique(const analysis *a)
{
  int count = a->rank->rows;
  for (int i = 0; i < a->model->nrow; i++) count -= !hn_rank_unique(a->rank, i);
  return count;
}

/* ---- JSON ---------------------------------------------------------------------------------------------- */

static json_t *names_json(const analysis *a)
{
  char name[128];
  json_t *names = json_array();
  for (int at = 0; hn_rank_name(a->rank, a->model, &at, name, sizeof name);)
    json_array_append_new(names, cli_json_string(name));
  return names;
}

static json_t *values_json(const hn_rank *rank)
{
  json_t *values = json_array();
  for (int i = 0; i < rank->nsingular; i++) json_array_append_new(values, cli_json_real(rank->singular[i]));
  return values;
}

/* Lists every row whose multiplier is not unique. */
static json_t *undetermined_json(const analysis *a)
{
  json_t *rows = json_array();
  for (int j = 0; j < a->model->njoint; j++) {
    const hn_joint *joint = &a->model->joint[j];
    for (int r = 0; r < joint->type->rows; r++) {
      if (hn_rank_unique(a->rank, joint->row + r)) continue;
      double part = a->rank->measured ? a->rank->undetermined[joint->row + r] : NAN;
      json_array_append_new(rows, json_pack("{s:o, s:i, s:o}", "joint", cli_json_string(joint->name), "row",
                                            r + 1, "undetermined", cli_json_real(part)));
    }
  }
  return rows;
}

static json_t *head_json(const analysis *a, hn_reason reason)
{
  return json_pack("{s:o, s:o, s:o, s:s}", "scene", cli_json_string(a->scene), "solver",
                   a->solver ? cli_json_string(a->solver) : json_null(), "time", cli_json_real(a->time),
                   "reason", hn_reason_name(reason));
}

static void print_json(const analysis *a)
{
  const hn_rank *r = a->rank;
  json_t *value = head_json(a, HN_CONVERGED);
  json_t *counts = json_pack("{s:i, s:i, s:i, s:o, s:o, s:o}", "constraints", r->rows, "rank", r->rank, "dof",
                             r->dof, "redundant", names_json(a), "singular_values", values_json(r), "gap",
                             cli_json_real(r->gap));
  json_object_update(value, counts);
  json_decref(counts);
  json_object_set_new(value, "freedoms", json_integer(r->freedoms));
  json_object_set_new(value, "tolerance", cli_json_real(r->tolerance));
  json_object_set_new(value, "all_singular_values", json_boolean(r->complete));
  json_object_set_new(value, "smallest_kept", cli_json_real(r->kept));
  json_object_set_new(value, "largest_dropped", cli_json_real(r->dropped));
  json_object_set_new(value, "unique_multipliers", json_integer(count_unique(a)));
  json_object_set_new(value, "not_unique", undetermined_json(a));
  cli_json_print(value);
}

/* Prints the outcome of a run that ended before the wanted time: the rank is unknown. */
static void print_failure_json(const analysis *a, const hn_summary *s)
{
  json_t *value = head_json(a, s->reason);
  json_object_set_new(value, "explanation", cli_json_string(s->explanation));
  json_object_set_new(value, "constraints", json_integer(a->model->nrow));
  json_object_set_new(value, "rank", json_null());
  json_object_set_new(value, "dof", json_null());
  cli_json_print(value);
}

/* ---- Tables -------------------------------------------------------------------------------------------- */

static void line(cli_table *table, const char *what, int number, char *remark)
{
  cli_cell(table, "%s", what);
  cli_cell(table, "%d", number);
  cli_cell(table, "%s", remark);
  free(remark);
}

static void print_counts(const analysis *a)
{
  const hn_rank *r = a->rank;
  cli_table *table = cli_table_create("<||<");
  line(table, "constraints", r->rows, cli_text("rows of %d joints", a->model->njoint));
  line(table, "rank", r->rank,
       cli_text("singular values above %s, rows scaled to unit length", cli_exact(r->tolerance).text));
  line(table, "degrees of freedom", r->dof, cli_text("of %d without joints", r->freedoms));
  line(table, "redundant", r->rows - r->rank, cli_text("rows that can be removed together"));
  int unique = count_unique(a);
  const char *others = unique < r->rows ? "the others are determined only in part" : "all";
  line(table, "unique multipliers", unique, cli_text("%s", others));
  cli_table_print(table, stdout);
}

static void print_gap(const hn_rank *r)
{
  if (r->rank > 0) printf("last singular value kept      %.6e\n", r->kept);
  if (r->rank < r->rows) printf("first singular value dropped  %.6e\n", r->dropped);
  const char *doubt = r->gap < clear_gap ? "  (not clear-cut)" : "";
  if (isfinite(r->gap)) printf("gap                           %.6e%s\n", r->gap, doubt);
  if (!r->measured)
    cli_print_wrapped(
      stdout, "too many redundant rows to compute all singular values: the last value kept is a lower "
              "bound, the first dropped a sample\n");
}

static void print_redundant(const analysis *a)
{
  char name[128], *list = cli_text("%s", "");
  int at = 0, more = 0;
  for (int i = 0; i < MAX_SHOWN && hn_rank_name(a->rank, a->model, &at, name, sizeof name); i++)
    cli_append(&list, "%s%s", i ? ", " : "", name);
  while (hn_rank_name(a->rank, a->model, &at, name, sizeof name)) more++;
  if (more > 0)
    cli_print_wrapped(stdout, "\ncan be removed: %s and %d more (--json shows all)\n", list, more);
  else cli_print_wrapped(stdout, "\ncan be removed: %s\n", list);
  free(list);
}

static void print_undetermined(const analysis *a)
{
  int shown = 0, more = 0;
  cli_table *table = cli_table_create("<multiplier not unique|row|undetermined part, 0 to 1");
  for (int j = 0; j < a->model->njoint; j++) {
    const hn_joint *joint = &a->model->joint[j];
    for (int r = 0; r < joint->type->rows; r++) {
      if (hn_rank_unique(a->rank, joint->row + r)) continue;
      if (shown++ >= MAX_SHOWN && ++more) continue;
      cli_cell(table, "%s", joint->name);
      cli_cell(table, "%d of %d", r + 1, joint->type->rows);
      cli_cell_real(table, "%.4f", a->rank->measured ? a->rank->undetermined[joint->row + r] : NAN);
    }
  }
  putchar('\n');
  cli_table_print(table, stdout);
  if (more > 0) printf("and %d more (--json shows all)\n", more);
}

static void print_table(const analysis *a)
{
  printf("%s at t = %s s%s%s\n\n", a->scene, cli_exact(a->time).text, a->solver ? ", by " : "",
         a->solver ? a->solver : "");
  print_counts(a);
  print_gap(a->rank);
  if (a->rank->rank == a->rank->rows) return;
  print_redundant(a);
  print_undetermined(a);
}

/* ---- The command --------------------------------------------------------------------------------------- */

static int analyse(const cli_plan *plan, const hn_state *state, const cli_options *options, hn_error *error)
{
  analysis a = { .model = plan->scene->model,
                 .scene = plan->scene->name,
                 .time = state->time,
                 .solver = options->at > 0.0 ? plan->solver : NULL };
  a.rank = cli_rank_at(a.model, state, error);
  if (!a.rank) return -1;
  if (options->output && figure_topology(a.model, state, a.rank, options->output, options->width, error)) {
    hn_rank_free(a.rank);
    return -1;
  }
  if (options->json) print_json(&a);
  else if (options->quiet) print_counts(&a);
  else print_table(&a);
  hn_rank_free(a.rank);
  return CLI_DONE;
}

/* Analyses the start, which needs no solver. */
static int analyse_start(const cli_plan *plan, const cli_options *options, hn_error *error)
{
  hn_state *state = hn_state_create(plan->scene->model);
  int status = state ? analyse(plan, state, options, error) : hn_fail(error, "out of memory");
  hn_state_free(state);
  return status;
}

/* Analyses the state at the time of --at, after a run. */
static int analyse_later(cli_plan *plan, const cli_options *options, hn_error *error)
{
  cli_outcome outcome;
  plan->duration = options->at;
  int status = cli_outcome_run(&outcome, plan, error);
  const hn_summary *s = &outcome.summary;
  if (status == 0 && s->reason == HN_CONVERGED) status = analyse(plan, outcome.state, options, error);
  else if (status == 0) {
    analysis a = {
      .model = plan->scene->model, .scene = plan->scene->name, .solver = plan->solver, .time = s->time
    };
    if (options->json) print_failure_json(&a, s);
    cli_complain("%s (stopped at t = %s s, before t = %s s)", s->explanation, cli_exact(s->time).text,
                 cli_exact(options->at).text);
    status = CLI_OUTCOME;
  }
  cli_outcome_free(&outcome);
  return status;
}

static int run_command(const cli_options *options, hn_error *error)
{
  cli_plan plan;
  if (options->output && cli_gnuplot_check(options->output, error)) return -1;
  hn_scene *scene = cli_plan_read(&plan, options, error);
  if (!scene) return -1;
  int status = cli_spec_check(plan.solver, scene, error);
  if (status == 0)
    status = options->at > 0.0 ? analyse_later(&plan, options, error) : analyse_start(&plan, options, error);
  hn_scene_free(scene);
  return status;
}

const cli_command cli_command_rank = {
  .name = "rank",
  .arguments = "SCENE",
  .summary = "rank of the constraints, redundant rows, and uniqueness of the multipliers",
  .details = "Analyses the start, or with --at T the state after a run to T by the solver of\n"
             "--solver or of the scene. Rows are scaled to unit length in the metric of\n"
             "kinetic energy per mass, so that singular values have no unit; values up to\n"
             "1e-6 count as zero. A redundant row is named joint, or joint[2] for the second\n"
             "row alone; later joints of the scene are named before earlier ones. --output\n"
             "FILE.pdf, .svg or .png draws the nonzero entries of G and of K = G W G'.\n"
             "Exit status 1 when the run does not reach T.\n",
  .examples = "rank four_bars\n"
              "rank cuboid28 --output topology.svg\n",
  .options = { CLI_SCENE_OPTIONS, CLI_STEP, CLI_AT, CLI_OUTPUT, CLI_WIDTH },
  .min_arguments = 1,
  .max_arguments = 1,
  .run = run_command,
};
