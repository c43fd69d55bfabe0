/* cmd_inverse.c - `holonom inverse`: the forces along the joint coordinates that a motion needs */
#include <math.h>
#include <string.h>
#include "cli/base/complain.h"
#include "cli/base/json.h"
#include "cli/base/memory.h"
#include "cli/base/output.h"
#include "cli/base/parse.h"
#include "cli/base/text_table.h"
#include "cli/commands.h"
#include "cli/record/motion_record.h"
#include "cli/study/study_runs.h"
#include "scene.h"

/* Forces over time. */
typedef struct inverse {
  const hn_model *model;
  const char *scene, *solver, *record; /* solver or record: NULL */
  hn_system *system;
  hn_inverse *dynamics;
  int n; /* number of freedoms */
  long count, room;
  double *time; /* [count] s */
  double *tau;  /* [count n] N or N m */
  hn_reason reason;
  const char *explanation; /* of a run that has ended early; NULL */
} inverse;

/* ---- Names --------------------------------------------------------------------------------------------- */

static const char *unit_of(const hn_tree_freedom *freedom)
{
  return freedom->angular ? "N m" : "N";
}

/* Returns the name of what moves along a freedom: its joint or free body. */
static const char *owner_of(const inverse *d, const hn_tree_freedom *freedom)
{
  return freedom->joint ? freedom->joint->name : d->model->body[freedom->body].name;
}

/* Returns the name of a freedom within its joint: that of its coordinate, or of an axis. */
static const char *coordinate_of(const inverse *d, const hn_tree_freedom *freedom, int slides)
{
  static const char *const along[] = { "x", "y", "z" }, *const about[] = { "turn_x", "turn_y", "turn_z" };
  const int index = freedom->index, turn = index - slides;
  const hn_joint *joint = freedom->joint;
  const int named = joint ? hn_joint_coordinates(joint) : 0;
  if (index < named) return joint->type->coordinates[index]->name;
  if (!freedom->angular) return along[index];
  return d->model->planar ? "turn_z" : about[turn];
}

/* Describes freedom I: its name, to be freed, and its unit. */
static char *name_of(const inverse *d, int i, const char **unit)
{
  hn_tree_freedom freedom, other;
  int slides = 0;
  hn_tree_freedom_of(hn_inverse_tree(d->dynamics), i, &freedom);
  for (int k = i - freedom.index; k < d->n; k++, slides++) { /* slides come first */
    hn_tree_freedom_of(hn_inverse_tree(d->dynamics), k, &other);
    if (other.body != freedom.body || other.angular) break;
  }
  *unit = unit_of(&freedom);
  return cli_text("%s.%s.%s", owner_of(d, &freedom), coordinate_of(d, &freedom, slides),
                  freedom.angular ? "torque" : "force");
}

/* ---- Computation --------------------------------------------------------------------------------------- */

/* Returns room for the forces of one more frame at TIME. */
static double *next_frame(inverse *d, double time)
{
  if (d->count == d->room) {
    d->room = d->room ? 2 * d->room : 256;
    d->time = cli_grow(d->time, (size_t)d->room, sizeof *d->time);
    d->tau = cli_grow(d->tau, (size_t)d->room * (size_t)d->n + 1, sizeof *d->tau);
  }
  d->time[d->count] = time;
  return d->tau + d->count++ * d->n;
}

/* Computes the forces of drives after a step. */
static bool watch(void *watcher, const cli_outcome *outcome, const hn_frame *frame)
{
  inverse *d = watcher;
  (void)outcome;
  d->reason = frame->model == d->model
                ? hn_inverse_driven(d->dynamics, frame->state, next_frame(d, frame->state->time))
                : HN_UNSUPPORTED;
  return d->reason == HN_CONVERGED;
}

/* Computes the derivatives of the rates of frame K from those of three frames: a parabola through them. */
static void differentiate(const cli_recorded *m, const double *u, int n, long k, double *du)
{
  const long last = m->count - 1, middle = k < 1 ? 1 : k > last - 1 ? last - 1 : k;
  const double t = m->time[k], t0 = m->time[middle - 1], t1 = m->time[middle], t2 = m->time[middle + 1];
  const double w0 = (2 * t - t1 - t2) / ((t0 - t1) * (t0 - t2)),
               w1 = (2 * t - t0 - t2) / ((t1 - t0) * (t1 - t2)),
               w2 = (2 * t - t0 - t1) / ((t2 - t0) * (t2 - t1));
  const double *at = u + (middle - 1) * n;
  for (int i = 0; i < n; i++) du[i] = w0 * at[i] + w1 * at[n + i] + w2 * at[2 * n + i];
}

/* Computes the forces of a recorded motion. */
static int from_record(inverse *d, hn_error *error)
{
  cli_recorded motion = { .nbody = 0 };
  int status = cli_recorded_read(&motion, d->model, d->record, error);
  const size_t n = (size_t)d->n;
  double *u = cli_alloc((size_t)motion.count * n + 1, sizeof *u), *du = cli_alloc(n + 1, sizeof *du);
  hn_state *state = hn_state_create(d->model);
  if (status == 0 && !state) status = hn_fail(error, "out of memory");
  for (long k = 0; k < motion.count && status == 0; k++) {
    cli_recorded_state(&motion, k, state);
    hn_inverse_rates(d->dynamics, state, u + k * d->n);
  }
  for (long k = 0; k < motion.count && status == 0; k++) {
    cli_recorded_state(&motion, k, state);
    differentiate(&motion, u, d->n, k, du);
    d->reason = hn_inverse_required(d->dynamics, state, du, next_frame(d, state->time));
    if (d->reason == HN_CONVERGED) continue;
    status = hn_fail(error, "%s: %s at t = %s s", d->record, hn_reason_name(d->reason),
                     cli_exact(state->time).text);
  }
  free(u), free(du);
  hn_state_free(state);
  cli_recorded_free(&motion);
  return status;
}

/* ---- Output -------------------------------------------------------------------------------------------- */

static void print_json(const inverse *d)
{
  json_t *forces = json_array();
  for (int i = 0; i < d->n; i++) {
    const char *unit;
    char *name = name_of(d, i, &unit);
    json_t *values = json_array();
    for (long k = 0; k < d->count; k++) json_array_append_new(values, cli_json_real(d->tau[k * d->n + i]));
    json_array_append_new(
      forces, json_pack("{s:o, s:s, s:o}", "name", cli_json_string(name), "unit", unit, "values", values));
    free(name);
  }
  cli_json_print(json_pack("{s:o, s:o, s:o, s:s, s:o, s:o}", "scene", cli_json_string(d->scene), "solver",
                           d->solver ? cli_json_string(d->solver) : json_null(), "record",
                           d->record ? cli_json_string(d->record) : json_null(), "reason",
                           hn_reason_name(d->reason), "time", cli_json_reals(d->time, (int)d->count),
                           "forces", forces));
}

static void print_table(const inverse *d)
{
  cli_table *table = cli_table_create("<force along|<unit|start|end|smallest|largest|rms");
  for (int i = 0; i < d->n; i++) {
    const char *unit;
    char *name = name_of(d, i, &unit);
    double low = INFINITY, high = -INFINITY, square = 0.0;
    for (long k = 0; k < d->count; k++) {
      const double tau = d->tau[k * d->n + i];
      low = fmin(low, tau), high = fmax(high, tau), square += tau * tau;
    }
    cli_cell(table, "%s", name);
    cli_cell(table, "%s", unit);
    cli_cell_real(table, "%.6g", d->tau[i]);
    cli_cell_real(table, "%.6g", d->tau[(d->count - 1) * d->n + i]);
    cli_cell_real(table, "%.6g", low), cli_cell_real(table, "%.6g", high);
    cli_cell_real(table, "%.6g", sqrt(square / (double)d->count));
    free(name);
  }
  printf("%s, t = %s to %s s, %ld frames of %s\n\n", d->scene, cli_exact(d->time[0]).text,
         cli_exact(d->time[d->count - 1]).text, d->count, d->record ? d->record : d->solver);
  cli_table_print(table, stdout);
}

static int write_csv(const inverse *d, const char *path, hn_error *error)
{
  cli_file file;
  if (hn_pending_open(&file, path, error)) return -1;
  fputs("time", file.stream);
  for (int i = 0; i < d->n; i++) {
    const char *unit;
    char *name = name_of(d, i, &unit);
    fprintf(file.stream, ",\"%s\"", name);
    free(name);
  }
  for (long k = 0; k < d->count; k++) {
    fprintf(file.stream, "\n%s", cli_exact(d->time[k]).text);
    for (int i = 0; i < d->n; i++) fprintf(file.stream, ",%s", cli_exact(d->tau[k * d->n + i]).text);
  }
  putc('\n', file.stream);
  return cli_file_close(&file, error);
}

static int print(const inverse *d, const cli_options *options, hn_error *error)
{
  if (options->output && write_csv(d, options->output, error)) return -1;
  if (options->json) print_json(d);
  else if (!options->quiet && d->count > 0 && d->n > 0) print_table(d);
  return CLI_DONE;
}

/* ---- The command --------------------------------------------------------------------------------------- */

/* Runs the scene; a run that ends early has the forces up to there, and exit status 1. */
static int from_run(inverse *d, cli_plan *plan, const cli_options *options, hn_error *error)
{
  cli_outcome outcome = { .state = NULL };
  plan->watch = watch, plan->watcher = d;
  d->solver = plan->solver;
  int status = cli_spec_check(plan->solver, plan->scene, error);
  if (status == 0) status = cli_outcome_run(&outcome, plan, error);
  const bool ended = status == 0 && outcome.summary.reason != HN_CONVERGED;
  if (ended && d->reason == HN_CONVERGED) d->reason = outcome.summary.reason;
  if (status == 0) status = print(d, options, error);
  if (status == CLI_DONE && ended) {
    cli_complain("%s (stopped at t = %s s)",
                 outcome.summary.explanation[0] ? outcome.summary.explanation : hn_reason_name(d->reason),
                 cli_exact(outcome.summary.time).text);
    status = CLI_OUTCOME;
  }
  cli_outcome_free(&outcome);
  return status;
}

static int run_command(const cli_options *options, hn_error *error)
{
  cli_plan plan;
  if (options->output && cli_output_is_csv(options->output, error)) return -1;
  hn_scene *scene = cli_plan_read(&plan, options, error);
  if (!scene) return -1;
  inverse d = { .model = scene->model,
                .scene = scene->name,
                .record = options->nword > 1 ? options->word[1] : NULL,
                .reason = HN_CONVERGED };
  d.system = hn_system_create(d.model, error);
  if (d.system) d.dynamics = hn_inverse_create(d.system, error);
  int status = d.dynamics ? 0 : -1;
  if (status == 0) d.n = hn_tree_freedoms(hn_inverse_tree(d.dynamics));
  if (status == 0 && d.record) {
    status = from_record(&d, error);
    if (status == 0) status = print(&d, options, error);
  } else if (status == 0) status = from_run(&d, &plan, options, error);
  free(d.time), free(d.tau);
  hn_inverse_free(d.dynamics), hn_system_free(d.system);
  hn_scene_free(scene);
  return status;
}

const cli_command cli_command_inverse = {
  .name = "inverse",
  .arguments = "SCENE [RECORD]",
  .summary = "forces along joint coordinates that a motion needs",
  .details = "Without RECORD, runs the scene and computes the forces of its drives (joints\n"
             "that prescribe a motion) along the coordinates of the joints. With RECORD,\n"
             "written by `run --output` as CSV or HDF5 (its name ends in .h5), computes the\n"
             "forces that the recorded motion needs besides gravity and the forces of the\n"
             "scene: accelerations are differences of the recorded velocities, of second\n"
             "order. Joints that close loops take the reactions that leave the least forces.\n"
             "Columns are JOINT.COORDINATE.force, N, or .torque, N m; spherical joints have\n"
             "torques along the axes of their first body. --output FILE.csv writes all times.\n"
             "Exit status 1 when the run does not reach its end.\n",
  .examples = "inverse car_axis --output force.csv\n"
              "inverse chain chain.csv --json\n"
              "inverse chain chain.h5\n",
  .options = { CLI_RUN_OPTIONS, CLI_OUTPUT },
  .run = run_command,
};
