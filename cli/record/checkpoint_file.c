/* checkpoint_file.c - checkpoints of a run in files: a line of JSON that describes the run, then the bytes of
 * the runner.
 *
 *   {"format": "holonom checkpoint", ..., "run": {...}, "record": {...}, "events": {...}, "bytes": 1234,
 *    "hash": "..."}\n
 *   bytes
 *
 * A file is written completely before it replaces the previous one. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>
#include "cli/base/file_hash.h"
#include "cli/base/json.h"
#include "cli/base/memory.h"
#include "cli/base/output.h"
#include "cli/base/watchdog.h"
#include "cli/record/checkpoint_file.h"
#include "cli/record/model_json.h"
#include "cli/study/outcome_json.h"

static const char format[] = "holonom checkpoint";
enum { FORMAT = 3, MAX_HEAD_BYTES = 1 << 20 };

/* ---- Description of a run ---------------------------------------------------------------------------- */

static json_t *hash_json(uint64_t hash)
{
  char *text = cli_hash_text(hash);
  json_t *json = json_string(text);
  free(text);
  return json;
}

static uint64_t hash_of_model(const hn_scene *scene)
{
  char *text = cli_json_text(cli_json_model(scene));
  const uint64_t hash = cli_hash(HN_HASH_START, text, strlen(text));
  free(text);
  return hash;
}

char *cli_full_spec(const cli_plan *plan)
{
  hn_solver *solver = hn_solver_create(plan->solver, plan->scene->model, NULL);
  char *spec = cli_text("%s", solver ? solver->spec : plan->solver);
  hn_solver_free(solver);
  return spec;
}

/* Describes the run. Keys are used in the message about a difference. */
static json_t *run_json(const cli_plan *plan, const cli_options *o)
{
  /* Includes Lua code that the model does not contain: control, solvers */
  uint64_t text = cli_hash_file(HN_HASH_START, plan->scene->path);
  for (size_t i = 0; i < o->nsolver_files; i++) text = cli_hash_file(text, o->solver_files[i]);
  char *columns = cli_text("%s%s%s%s%s%s", strrchr(o->output, '.') ? strrchr(o->output, '.') : "",
                           o->record_rank ? " rank" : "", o->record_joints ? " joints" : "",
                           o->record_forces ? " forces" : "", o->record_contacts ? " contacts" : "",
                           o->times ? " times" : "");
  char *spec = cli_full_spec(plan);
  json_t *run = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:I, s:o, s:b}", "scene",
                          cli_json_string(plan->scene->name), "scene file", hash_json(text),
                          "scene parameters", cli_json_parameters(plan->scene), "model",
                          hash_json(hash_of_model(plan->scene)), "solver", cli_json_string(spec), "step",
                          cli_json_real(plan->step), "duration", cli_json_real(plan->duration), "budget",
                          (json_int_t)plan->budget, "--every", (json_int_t)(o->every > 0 ? o->every : 1),
                          "--checkpoint", (json_int_t)o->checkpoint, "record", cli_json_string(columns),
                          "--record-events", o->record_events != NULL);
  free(columns), free(spec);
  return run;
}

/* ---- Writing ----------------------------------------------------------------------------------------- */

static json_t *mark_json(const hn_record_mark *mark)
{
  return json_pack("{s:I, s:o, s:I}", "cells", (json_int_t)mark->cells, "hash", hash_json(mark->hash),
                   "frames", (json_int_t)mark->frames);
}

static char *head_of(const cli_checkpoints *c, const hn_record_mark *mark, const hn_record_mark *events,
                     const char *byte, size_t size)
{
  json_t *head = json_pack("{s:s, s:i, s:s, s:O, s:o, s:o*, s:I, s:o}", "format", format, "format_version",
                           FORMAT, "version", hn_version(), "run", c->run, "record", mark_json(mark),
                           "events", c->events ? mark_json(events) : NULL, "bytes", (json_int_t)size, "hash",
                           hash_json(cli_hash(HN_HASH_START, byte, size)));
  char *text = json_dumps(head, JSON_COMPACT);
  json_decref(head);
  return text;
}

static int write_file(const char *path, const char *head, const char *byte, size_t size, hn_error *error)
{
  cli_file file;
  if (hn_pending_open(&file, path, error) < 0) return -1;
  fprintf(file.stream, "%s\n", head);
  fwrite(byte, 1, size, file.stream);
  if (fflush(file.stream) == 0) fsync(fileno(file.stream)); /* before the file is renamed */
  return cli_file_close(&file, error);
}

static int write_checkpoint(const cli_checkpoints *c, hn_runner *runner, hn_error *error)
{
  char *byte = NULL;
  size_t size = 0;
  hn_record_mark mark, events;
  FILE *memory = open_memstream(&byte, &size);
  if (!memory) return hn_fail(error, "out of memory");
  int status = hn_runner_save(runner, memory, error);
  if (fclose(memory) && status == 0) status = hn_fail(error, "out of memory");
  if (status == 0) status = hn_record_mark_now(c->plan->record, &mark, error);
  if (status == 0 && c->events) status = hn_record_mark_now(c->plan->events, &events, error);
  char *head = status == 0 ? head_of(c, &mark, &events, byte, size) : NULL;
  if (head) status = write_file(c->path, head, byte, size, error);
  free(head);
  free(byte);
  return status;
}

/* ---- Reading ----------------------------------------------------------------------------------------- */

/* Returns a value as text for a message, to be freed. */
static char *value_text(const json_t *value)
{
  char *text = value ? json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
  return text ? text : cli_text("missing");
}

static int check_run(const cli_checkpoints *c, const json_t *run, const char *path, hn_error *error)
{
  const char *key;
  json_t *ours;
  json_object_foreach(c->run, key, ours)
  {
    const json_t *theirs = json_object_get(run, key);
    if (theirs && json_equal(ours, (json_t *)(uintptr_t)theirs)) continue;
    char *there = value_text(theirs), *here = value_text(ours);
    hn_fail(error, "%s is of another run: its %s is %s, here it is %s", path, key, there, here);
    free(there);
    free(here);
    return -1;
  }
  return 0;
}

static bool read_hash(const json_t *of, const char *key, uint64_t *hash)
{
  const char *text = json_string_value(json_object_get(of, key));
  return text && sscanf(text, "%16" SCNx64, hash) == 1;
}

static bool read_count(const json_t *of, const char *key, uint64_t *count)
{
  const json_t *value = json_object_get(of, key);
  *count = (uint64_t)json_integer_value(value);
  return json_is_integer(value) && json_integer_value(value) >= 0;
}

static bool read_mark(const json_t *of, hn_record_mark *mark)
{
  return read_count(of, "cells", &mark->cells) && read_hash(of, "hash", &mark->hash) &&
         read_count(of, "frames", &mark->frames);
}

static int check_version(const json_t *head, const char *path, hn_error *error)
{
  const char *version = json_string_value(json_object_get(head, "version"));
  const json_t *number = json_object_get(head, "format_version");
  if (!version || !json_is_integer(number))
    return hn_fail(error, "%s is damaged: its first line has no %s", path,
                   version ? "format_version" : "version");
  if (strcmp(version, hn_version()) != 0)
    return hn_fail(error, "%s is of Holonom %.40s; this is %s, whose results may differ", path, version,
                   hn_version());
  if (json_integer_value(number) == FORMAT) return 0;
  return hn_fail(error, "%s is a checkpoint of format %lld; Holonom %s reads format %d", path,
                 (long long)json_integer_value(number), hn_version(), FORMAT);
}

static int read_bytes(cli_checkpoints *c, const json_t *head, FILE *file, const char *path, hn_error *error)
{
  uint64_t size, hash;
  if (!read_count(head, "bytes", &size) || !read_hash(head, "hash", &hash) || size == 0 ||
      size > SIZE_MAX / 2 || !read_mark(json_object_get(head, "record"), &c->mark) ||
      (c->events && !read_mark(json_object_get(head, "events"), &c->events_mark)))
    return hn_fail(error, "%s is damaged: its first line is incomplete", path);
  long at = ftell(file), end = fseek(file, 0, SEEK_END) ? -1 : ftell(file);
  if (at < 0 || end < 0 || (uint64_t)(end - at) != size)
    return hn_fail(error, "%s has the wrong length: %ld bytes follow its first line, not %" PRIu64, path,
                   end - at, size);
  fseek(file, at, SEEK_SET);
  c->bytes = cli_alloc((size_t)size, 1), c->size = (size_t)size;
  if (fread(c->bytes, 1, c->size, file) != c->size)
    return hn_fail(error, "cannot read %s: %s", path, strerror(errno));
  if (cli_hash(HN_HASH_START, c->bytes, c->size) != hash)
    return hn_fail(error, "%s is damaged: its hash differs", path);
  c->from = fmemopen(c->bytes, c->size, "r");
  return c->from ? 0 : hn_fail(error, "out of memory");
}

/* Reads the first line. Returns NULL if there is none or it is no JSON. */
static json_t *read_head(FILE *file)
{
  char *line = cli_alloc(MAX_HEAD_BYTES, 1);
  const char *end = fgets(line, MAX_HEAD_BYTES, file) ? strchr(line, '\n') : NULL;
  json_t *head = end ? json_loadb(line, (size_t)(end - line), 0, NULL) : NULL;
  free(line);
  return head;
}

static int read_checkpoint(cli_checkpoints *c, const char *path, hn_error *error)
{
  FILE *file = fopen(path, "r");
  if (!file) return hn_fail(error, "--resume %s: %s", path, strerror(errno));
  json_t *head = read_head(file);
  const char *kind = json_string_value(json_object_get(head, "format"));
  int status = kind && strcmp(kind, format) == 0 ? 0 : hn_fail(error, "%s is no checkpoint of Holonom", path);
  if (status == 0) status = check_version(head, path, error);
  if (status == 0) status = check_run(c, json_object_get(head, "run"), path, error);
  if (status == 0) status = read_bytes(c, head, file, path, error);
  json_decref(head);
  fclose(file);
  return status;
}

/* ---- Runs with checkpoints --------------------------------------------------------------------------- */

int cli_checkpoints_check(const cli_options *o, hn_error *error)
{
  if (o->checkpoint == 0 && !o->resume_from) return 0;
  if (o->checkpoint == 0)
    return hn_fail(error, "run: --resume continues a run with --checkpoint N: give both as before");
  if (!o->output || strcmp(o->output, "-") == 0 || cli_ends_in(o->output, ".html"))
    return hn_fail(error, "run: --checkpoint needs a record that can be continued: "
                          "--output FILE.csv, .h5 or .glb");
  return !o->list_events ? 0
                         : hn_fail(error, "run: --checkpoint does not save the list of events: "
                                          "use --record-events instead of --list-events");
}

int cli_checkpoints_open(cli_checkpoints *c, const cli_plan *plan, const cli_options *o, hn_error *error)
{
  memset(c, 0, sizeof *c);
  if (o->checkpoint == 0) return 0;
  c->path = cli_text("%s.checkpoint", o->output), c->frames = cli_text("%s.frames", o->output);
  c->events = o->record_events ? cli_text("%s.events", o->output) : NULL;
  c->every = o->checkpoint;
  c->run = run_json(plan, o);
  if (plan->scene->has_control)
    return hn_fail(error, "--checkpoint: %s has a control function, whose state cannot be saved",
                   plan->scene->path);
  if (o->resume_from) return read_checkpoint(c, o->resume_from, error);
  if (access(c->path, F_OK) != 0) return 0;
  return hn_fail(error, "%s is of an interrupted run: --resume %s continues it; remove it to begin again",
                 c->path, c->path);
}

static hn_reason fail_run(hn_summary *summary, const hn_error *why)
{
  summary->reason = HN_INTERRUPTED, summary->control_failed = true;
  memcpy(summary->explanation, why->text, sizeof summary->explanation);
  return HN_INTERRUPTED;
}

/* Runs like hn_run. A checkpoint that cannot be written ends the run, since the user relies on it. */
static hn_reason run(void *user, hn_solver *solver, hn_state *state, const hn_run_options *options,
                     hn_summary *summary)
{
  const cli_checkpoints *c = user;
  hn_error why;
  hn_runner *runner = c->from ? hn_runner_resume(solver, state, options, c->from, &why)
                              : hn_runner_create(solver, state, options, &why);
  *summary = (hn_summary){ .reason = HN_CONVERGED };
  if (!runner) return fail_run(summary, &why);
  int status = 0;
  while (status == 0 && !hn_runner_ended(runner)) {
    hn_runner_step(runner);
    if (hn_runner_ended(runner) || hn_runner_summary(runner)->steps % c->every != 0) continue;
    cli_watchdog_hold(true);
    status = write_checkpoint(c, runner, &why);
    cli_watchdog_hold(false);
  }
  hn_runner_finish(runner, summary);
  return status == 0 ? summary->reason : fail_run(summary, &why);
}

void cli_checkpoints_use(cli_checkpoints *c, cli_plan *plan)
{
  if (!c->path) return;
  c->plan = plan;
  plan->loop = run, plan->looper = c;
}

void cli_checkpoints_remove(const cli_checkpoints *c)
{
  if (!c->path) return;
  unlink(c->path);
  unlink(c->frames);
  if (c->events) unlink(c->events);
}

/* Removes the frames of a run that began at the start and has no checkpoint to resume from. */
static void remove_useless(const cli_checkpoints *c)
{
  if (c->plan && !c->from && access(c->path, F_OK) != 0) cli_checkpoints_remove(c);
}

void cli_checkpoints_free(cli_checkpoints *c)
{
  if (c->path) remove_useless(c);
  if (c->from) fclose(c->from);
  json_decref(c->run);
  free(c->bytes);
  free(c->path);
  free(c->frames);
  free(c->events);
}
