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

/* Prints the rank; S, the summary of a run that ended before the wanted time, is NULL otherwise: with it,
 * the rank is unknown. */
static void print_json(const analysis *a, const hn_summary *s)
{
  const hn_rank *r = a->rank;
  json_t *value = json_pack("{s:o, s:o, s:o, s:s}", "scene", cli_json_string(a->scene), "solver",
                            a->solver ? cli_json_string(a->solver) : json_null(), "time",
                            cli_json_real(a->time), "reason", hn_reason_name(s ? s->reason : HN_CONVERGED));
  if (s)
    cli_json_merge(value, json_pack("{s:o, s:i, s:n, s:n}", "explanation", cli_json_string(s->explanation),
                                    "constraints", a->model->nrow, "rank", "dof"));
  else
    cli_json_merge(
      value, json_pack("{s:i, s:i, s:i, s:o, s:o, s:o, s:i, s:o, s:b, s:o, s:o, s:i, s:o}", "constraints",
                       r->rows, "rank", r->rank, "dof", r->dof, "redundant", names_json(a), "singular_values",
                       cli_json_reals(r->singular, r->nsingular), "gap", cli_json_real(r->gap), "freedoms",
                       r->freedoms, "tolerance", cli_json_real(r->tolerance), "all_singular_values",
                       (int)r->complete, "smallest_kept", cli_json_real(r->kept), "largest_dropped",
                       cli_json_real(r->dropped), "unique_multipliers", count_unique(a), "not_unique",
                       undetermined_json(a)));
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
  const bool drawn = !options->output ||
                     figure_topology(a.model, state, a.rank, options->output, options->width, error) == 0;
  if (drawn && options->json) print_json(&a, NULL);
  else if (drawn && options->quiet) print_counts(&a);
  else if (drawn) print_table(&a);
  hn_rank_free(a.rank);
  return drawn ? CLI_DONE : -1;
}

/* Analyses the start, which needs no solver, or the state after a run to the time of --at. */
static int analyse_run(cli_plan *plan, const cli_options *options, hn_error *error)
{
  cli_outcome outcome;
  int status = cli_outcome_reach(&outcome, plan, options->at, error);
  if (status == CLI_OUTCOME && options->json) {
    const analysis a = { .model = plan->scene->model,
                         .scene = plan->scene->name,
                         .solver = plan->solver,
                         .time = outcome.summary.time };
    print_json(&a, &outcome.summary);
  }
  if (status == 0) status = analyse(plan, outcome.state, options, error);
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
  if (status == 0) status = analyse_run(&plan, options, error);
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
  .run = run_command,
};
