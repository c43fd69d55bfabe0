/* cmd_replay.c - `holonom replay`: repeats a session from its file, to the bit. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/base/complain.h"
#include "cli/base/json.h"
#include "cli/base/output.h"
#include "cli/base/parse.h"
#include "cli/commands.h"
#include "cli/session/replay.h"

typedef struct recorder {
  const cli_options *options;
  hn_record *record; /* NULL: nothing is recorded */
} recorder;

static int begin(void *user, const hn_scene *scene, hn_error *error)
{
  recorder *r = user;
  const hn_record_options options = { .every = r->options->every };
  if (!r->options->output) return 0;
  r->record = hn_record_create(r->options->output, scene->model, &options, error);
  return r->record ? 0 : -1;
}

static bool observe(void *user, const hn_frame *frame)
{
  const recorder *r = user;
  return !r->record || hn_record_frame(r->record, frame);
}

static void print_json(const cli_replay *r, const char *hash)
{
  const cli_session *s = r->session;
  const cli_world *w = cli_session_world(s);
  char *complaint = cli_replay_complaint(r);
  cli_json_print(json_pack(
    "{s:o, s:o, s:o, s:o, s:I, s:o, s:I, s:s, s:s, s:o, s:b}", "session", cli_json_string(r->path), "scene",
    cli_json_string(w->scene->name), "solver", cli_json_string(w->solver->spec), "step",
    cli_json_real(w->setup.step), "steps", (json_int_t)cli_session_steps(s), "time",
    cli_json_real(w->state->time), "commands", (json_int_t)r->commands, "reason", hn_reason_name(r->reason),
    "hash", hash, "expected", r->expected ? cli_json_string(r->expected) : json_null(), "same", !complaint));
  free(complaint);
}

static int conclude(const cli_replay *r, const cli_options *options)
{
  char hash[20];
  const cli_session *s = r->session;
  snprintf(hash, sizeof hash, "%016" PRIx64, cli_session_hash(s));
  if (options->json) print_json(r, hash);
  else if (!options->quiet)
    printf("%ld steps with %ld commands to t = %s s: %s\nhash %s\n", cli_session_steps(s), r->commands,
           cli_exact(cli_session_world(s)->state->time).text, hn_reason_name(r->reason), hash);
  char *complaint = cli_replay_complaint(r);
  if (complaint) cli_complain("%s", complaint);
  free(complaint);
  return complaint ? CLI_OUTCOME : CLI_DONE;
}

static int run_command(const cli_options *options, hn_error *error)
{
  cli_replay replay;
  recorder r = { .options = options };
  cli_file saved = { .stream = NULL };
  if (options->every > 0 && !options->output)
    return hn_fail(error, "replay: --every needs a record: --output FILE.csv");
  if (options->output && strcmp(options->output, "-") != 0 && !cli_ends_in(options->output, ".csv") &&
      !cli_ends_in(options->output, ".h5"))
    return hn_fail(error, "--output %s: a record must end in .csv or .h5, or be -, standard output",
                   options->output);
  if (options->save && hn_pending_open(&saved, options->save, error) < 0) return -1;
  const cli_observer observer = { .begin = begin,
                                  .observe = observe,
                                  .user = &r,
                                  .log = saved.stream,
                                  .keep_impulses = options->output != NULL };
  int status = cli_replay_run(&replay, options->word[0], options, &observer, error);
  if (r.record && hn_record_close(r.record, status == 0 ? error : NULL) < 0) status = -1;
  if (status == 0 && options->save) status = cli_file_close(&saved, error);
  if (status == 0) status = conclude(&replay, options);
  hn_pending_close(&saved, HN_RECORD_DROP, NULL);
  cli_replay_free(&replay);
  return status;
}

const cli_command cli_command_replay = {
  .name = "replay",
  .arguments = "SESSION",
  .summary = "repeat a session from its file, to the bit",
  .details = "A session is a run that was changed while it was shown. SESSION is a file with\n"
             "one command per line, as JSON, each with the step before which it took effect.\n"
             "Its last line is the end, with the final hash: exit status 1 when it is missing\n"
             "or not the last one, or the hash of the repetition differs. --output\n"
             "FILE.csv or .h5 records the trajectory; --save FILE writes the session with the\n"
             "computed hash.\n",
  .examples = "replay walk.session\nreplay walk.session --output walk.csv --save checked.session\n",
  .options = { CLI_OUTPUT, CLI_EVERY, CLI_SAVE, CLI_JSON, CLI_QUIET, CLI_PLUGIN, CLI_SOLVER_FILE,
               CLI_LIMIT_OPTIONS, CLI_HELP },
  .run = run_command,
};
