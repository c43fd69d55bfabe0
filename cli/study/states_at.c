/* states_at.c - the states of a run at the times of --at (states_at.h). Those within a step are computed by
 * hn_dense_at; the run does not depend on them. */
#include <math.h>
#include "cli/base/complain.h"
#include "cli/base/json.h"
#include "cli/base/memory.h"
#include "cli/base/parse.h"
#include "cli/study/bodies_json.h"
#include "cli/study/states_at.h"

enum { SHOWN_BODIES = 12, SHOWN_ROWS = 120 }; /* in the table; JSON and records have all */

/* Times that differ from the end of a step by less, relative to the step, are that end. */
static const double same_time = 1e-9;

struct cli_states_at {
  hn_dense *dense; /* NULL: out of memory */
  const double *time;
  size_t count, next;
  hn_record *record;
  double scale;
  json_t *json;
  cli_table *table;
  int rows, left; /* rows of the table, and those that are left out */
};

int cli_states_at_read(const char *text, double **time, size_t *count, hn_error *error)
{
  char **value = cli_values("--at", text, count, error);
  int status = value ? 0 : -1;
  if (status == 0 && *count > CLI_MAX_TIMES)
    status = hn_fail(error, "--at: %zu times; the maximum is %d", *count, CLI_MAX_TIMES);
  free(*time);
  *time = cli_alloc(*count + 1, sizeof **time);
  for (size_t i = 0; status == 0 && i < *count; i++) {
    double *t = &(*time)[i];
    if (!cli_parse_number(value[i], t) || !(*t >= 0.0))
      status = hn_fail(error, "--at %s: must be a time of 0 or more, in seconds", value[i]);
    else if (i > 0 && !(*t > t[-1]))
      status = hn_fail(error, "--at: the times must ascend, but %s follows %s", value[i], value[i - 1]);
  }
  cli_strings_free(value);
  return status;
}

cli_states_at *cli_states_at_create(const hn_solver *solver, const double *time, size_t count,
                                    hn_record *record, double scale)
{
  cli_states_at *s = cli_alloc(1, sizeof *s);
  *s = (cli_states_at){ .dense = hn_dense_create(solver, NULL),
                        .time = time,
                        .count = count,
                        .record = record,
                        .scale = scale,
                        .json = json_array(),
                        .table = cli_table_create("<t, s; body|x, m|y|z|>vx, m/s|>vy|>vz") };
  return s;
}

void cli_states_at_free(cli_states_at *s)
{
  if (!s) return;
  hn_dense_free(s->dense);
  json_decref(s->json);
  cli_table_free(s->table);
  free(s);
}

/* ---- Output -------------------------------------------------------------------------------------------- */

static json_t *joints_json(const hn_frame *frame)
{
  const hn_model *model = frame->model;
  if (!frame->multipliers || model->njoint == 0) return NULL;
  json_t *joints = json_array();
  for (const hn_joint *joint = model->joint; joint < model->joint + model->njoint; joint++) {
    double force[3], torque[3];
    const double *multipliers = frame->multipliers + joint->row;
    hn_joint_reaction(joint, frame->state, multipliers, force, torque);
    json_array_append_new(joints,
                          json_pack("{s:o, s:o, s:o, s:o}", "name", cli_json_string(joint->name), "force",
                                    cli_json_reals(force, 3), "torque", cli_json_reals(torque, 3),
                                    "multipliers", cli_json_reals(multipliers, joint->type->rows)));
  }
  return joints;
}

static void add_rows(cli_states_at *s, const hn_frame *frame, double time)
{
  int shown = 0;
  for (int i = 1; i < frame->model->nbody; i++) {
    if (frame->model->body[i].gone) continue;
    if (shown == SHOWN_BODIES || s->rows == SHOWN_ROWS) {
      s->left++;
      continue;
    }
    shown++, s->rows++;
    cli_cell(s->table, "%s %s", cli_exact(time).text, frame->model->body[i].name);
    for (int k = 0; k < 3; k++)
      cli_cell(s->table, "%s", cli_rounded_to_scale(frame->state->pose[i].x[k], s->scale).text);
    for (int k = 0; k < 3; k++) cli_cell(s->table, "%s", cli_rounded(frame->state->twist[i].v[k], 6).text);
  }
}

/* Adds the state of FRAME at TIME to the JSON and to the table. */
static void add_state(cli_states_at *s, const hn_frame *frame, double time)
{
  json_array_append_new(s->json,
                        json_pack("{s:o, s:o, s:o*}", "time", cli_json_real(time), "bodies",
                                  cli_json_bodies(frame->model, frame->state), "joints", joints_json(frame)));
  add_rows(s, frame, time);
}

/* Adds a time whose state is not known, WHY. */
static void add_failure(cli_states_at *s, double time, const hn_error *why)
{
  json_array_append_new(s->json, json_pack("{s:o, s:[], s:o}", "time", cli_json_real(time), "bodies",
                                           "explanation", cli_json_string(why->text)));
  cli_complain("warning: %s", why->text);
}

json_t *cli_states_at_json(const cli_states_at *s)
{
  return json_incref(s->json);
}

void cli_states_at_print(cli_states_at *s, FILE *out)
{
  cli_table_print(s->table, out);
  s->table = NULL;
  if (s->left > 0) fprintf(out, "and %d more rows (--json or --output shows all)\n", s->left);
  fputc('\n', out);
}

/* ---- The run ------------------------------------------------------------------------------------------- */

/* Adds the state at TIME within the step of FRAME. Returns false if the record fails. */
static bool add_between(cli_states_at *s, const hn_frame *frame, double time)
{
  hn_error why = { "out of memory" };
  hn_frame between;
  if (!s->dense || hn_dense_at(s->dense, frame, time, &between, &why) != HN_CONVERGED) {
    add_failure(s, time, &why);
    return true;
  }
  add_state(s, &between, time);
  return !s->record || hn_record_frame(s->record, &between);
}

bool cli_states_at_follow(cli_states_at *s, const hn_frame *frame, bool *wanted)
{
  const double end = frame->state->time, h = frame->before ? end - frame->before->time : 0.0;
  for (; s->next < s->count && s->time[s->next] <= end + same_time * h; s->next++) {
    const double time = s->time[s->next];
    if (time < end - same_time * h) {
      if (frame->before && !add_between(s, frame, time)) return false;
      continue;
    }
    add_state(s, frame, time);
    *wanted = true;
  }
  return true;
}
