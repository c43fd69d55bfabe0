/* run_record.c - opens the records that the options request and describes the run in them. */
#include <string.h>
#include "cli/base/json.h"
#include "cli/base/memory.h"
#include "cli/base/output.h"
#include "cli/base/parse.h"
#include "cli/record/gltf.h"
#include "cli/record/model_json.h"
#include "cli/record/run_record.h"
#include "cli/study/outcome_json.h"

static bool is_standard(const char *path)
{
  return strcmp(path, "-") == 0;
}

/* Returns the type of record for PATH; NULL if there is none. */
static const hn_record_type *type_of(const char *path)
{
  const hn_record_type *found = cli_ends_in(path, cli_gltf.ending) ? &cli_gltf : NULL;
  for (const hn_record_type *const *type = hn_record_types(); *type; type++)
    if (cli_ends_in(path, (*type)->ending) || (is_standard(path) && !found)) found = *type;
  return found;
}

/* Returns an option that needs a record, or NULL. */
static const char *option_without_record(const cli_options *o)
{
  return o->record_rank       ? "record-rank"
         : o->record_joints   ? "record-joints"
         : o->record_forces   ? "record-forces"
         : o->record_contacts ? "record-contacts"
         : o->every > 0       ? "every"
         : o->times           ? "times"
                              : NULL;
}

/* Checks the record of events: CSV, or standard output unless something else goes there. */
static int check_events(const cli_options *o, hn_error *error)
{
  if (o->list_events && !o->json) return hn_fail(error, "run: --list-events needs --json");
  if (!o->record_events) return 0;
  if (is_standard(o->record_events))
    return o->json || (o->output && is_standard(o->output))
             ? hn_fail(error, "run: --record-events -: something else goes to standard output; "
                              "name a file")
             : 0;
  if (!cli_ends_in(o->record_events, ".csv"))
    return hn_fail(error, "--record-events %s: must end in .csv, or be -, standard output", o->record_events);
  return cli_output_is_file(o->record_events, error);
}

int cli_record_check(const cli_options *o, hn_error *error)
{
  if (check_events(o, error)) return -1;
  if (!o->output && option_without_record(o))
    return hn_fail(error, "run: --%s needs a record: --output FILE.csv", option_without_record(o));
  if (!o->output) return 0;
  if (is_standard(o->output) && o->json)
    return hn_fail(
      error, "run: --output - and --json would both write to standard output; name a file for the record");
  if (is_standard(o->output)) return 0;
  if (!type_of(o->output))
    return hn_fail(error,
                   "--output %s: a record must end in .csv, .h5 or .glb, or be -, standard output;"
                   " a page must end in .html",
                   o->output);
  return cli_output_is_file(o->output, error);
}

static void describe_run(cli_record *r, const cli_plan *plan, long every)
{
  r->text[0] = cli_json_text(cli_json_model(plan->scene));
  r->text[1] = cli_json_text(cli_json_parameters(plan->scene));
  r->text[2] = cli_full_spec(plan);
  const hn_record_note about[] = {
    { "scene", plan->scene->name, 0.0 },  { "parameters", r->text[1], 0.0 },
    { "solver", r->text[2], 0.0 },        { "step", NULL, plan->step },
    { "duration", NULL, plan->duration }, { "every", NULL, (double)every },
    { "/model", r->text[0], 0.0 },        { .name = NULL },
  };
  memcpy(r->about, about, sizeof about);
}

static bool has_joint_forces(const char *spec, const hn_model *model)
{
  char *name = cli_solver_name(spec);
  const hn_solver_type *type = hn_solver_type_find(name, model->own_solvers, NULL);
  free(name);
  return type && type->capabilities & HN_HAS_MULTIPLIERS;
}

static int write_model(const cli_plan *plan, const char *path, hn_error *error)
{
  cli_file file;
  if (hn_pending_open(&file, path, error)) return -1;
  char *text = cli_json_text(cli_json_model(plan->scene));
  fprintf(file.stream, "%s\n", text);
  free(text);
  return cli_file_close(&file, error);
}

int cli_record_open(cli_record *r, cli_plan *plan, const cli_options *o, const cli_checkpoints *c,
                    hn_error *error)
{
  memset(r, 0, sizeof *r);
  if (o->model && write_model(plan, o->model, error)) return -1;
  const hn_record_mark *events_from = c->from ? &c->events_mark : NULL;
  if (o->record_events &&
      !(r->events = hn_event_record_create(o->record_events, c->events, events_from, error)))
    return -1;
  if (!o->output) return 0;
  const hn_model *model = plan->scene->model;
  const long every = o->every > 0 ? o->every : 1;
  const hn_record_type *type = type_of(o->output);
  hn_record_options options = {
    .type = type,
    .every = every,
    .frames = hn_step_count(plan->step, plan->duration) / every + 2,
    .rank = o->record_rank,
    .joints = o->record_joints,
    .reactions = has_joint_forces(plan->solver, model),
    .forces = o->record_forces,
    .contacts = o->record_contacts,
    .times = o->times,
    .about = r->about,
    .events = plan->scene->has_control,
    .frames_path = c->frames,
    .from = c->from ? &c->mark : NULL,
  };
  plan->keep_impulses = o->record_contacts || type->whole;
  if (type->whole) describe_run(r, plan, every);
  r->record = hn_record_create(o->output, model, &options, error);
  return r->record ? 0 : -1;
}

void cli_record_free(cli_record *r)
{
  if (r->record) hn_record_close(r->record, NULL);
  if (r->events) hn_record_close(r->events, NULL);
  for (size_t i = 0; i < sizeof r->text / sizeof *r->text; i++) free(r->text[i]);
}
