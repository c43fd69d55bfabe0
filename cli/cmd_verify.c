/* cmd_verify.c - `holonom verify`: checks that a record belongs to a session. The session is repeated, and
 * the hash of each frame is compared with the one in the record. */
#include <inttypes.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "cli/base/complain.h"
#include "cli/base/json.h"
#include "cli/base/memory.h"
#include "cli/base/output.h"
#include "cli/commands.h"
#include "cli/session/replay.h"

typedef struct table {
  FILE *file;
  char *line;
  size_t capacity;
  int step, hash; /* columns */
} table;

typedef struct verdict {
  table record;
  long step; /* of the next line of the record; -1: none */
  uint64_t hash;
  long frames;  /* frames that agree */
  bool bad;     /* the line is not a frame */
  long differs; /* first step with another hash; -1: none */
} verdict;

/* Returns field NUMBER of a line of CSV in which no earlier field contains a comma; NULL if there is none. */
static const char *field(const char *line, int number)
{
  while (number-- > 0 && line) line = strchr(line, ',') ? strchr(line, ',') + 1 : NULL;
  return line;
}

/* Returns the index of the column NAME, or -1. */
static int column(const char *head, const char *name)
{
  const size_t length = strlen(name);
  for (int i = 0;; i++) {
    const char *at = field(head, i);
    if (!at) return -1;
    if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == '\n')) return i;
  }
}

static int open_record(table *t, const char *path, hn_error *error)
{
  t->file = fopen(path, "r");
  if (!t->file) return hn_fail(error, "%s: %s", path, strerror(errno));
  if (getline(&t->line, &t->capacity, t->file) <= 0) return hn_fail(error, "%s: the file is empty", path);
  t->step = column(t->line, "step"), t->hash = column(t->line, "hash");
  if (t->step >= 0 && t->hash >= 0) return 0;
  return hn_fail(error, "%s: not a record: it has no columns step and hash", path);
}

/* Reads the next line of the record. */
static void read_frame(verdict *v)
{
  table *t = &v->record;
  v->step = -1;
  if (getline(&t->line, &t->capacity, t->file) <= 0) return;
  const char *step = field(t->line, t->step), *hash = field(t->line, t->hash);
  v->bad = !step || !hash || !strchr(t->line, '\n') || sscanf(step, "%ld", &v->step) != 1 ||
           sscanf(hash, "%16" SCNx64, &v->hash) != 1;
}

static bool observe(void *user, const hn_frame *frame)
{
  verdict *v = user;
  if (v->bad || v->step != frame->index) return true;
  if (v->hash == frame->hash) v->frames++;
  else if (v->differs < 0) v->differs = frame->index;
  read_frame(v);
  return true;
}

static int conclude(const verdict *v, const cli_replay *r, const cli_options *options)
{
  const bool complete = v->step < 0 && !v->bad, same = complete && v->differs < 0 && v->frames > 0;
  if (options->json)
    cli_json_print(json_pack("{s:o, s:o, s:I, s:o, s:b, s:b}", "record", cli_json_string(options->word[0]),
                             "session", cli_json_string(options->word[1]), "frames", (json_int_t)v->frames,
                             "differs_at", v->differs < 0 ? json_null() : json_integer(v->differs), "whole",
                             complete, "same", same));
  else if (same && !options->quiet)
    printf("%ld frames of %s are those of %s\n", v->frames, options->word[0], options->word[1]);
  if (same) return CLI_DONE;
  if (v->differs >= 0)
    cli_complain("%s: step %ld is not that of %s", options->word[0], v->differs, options->word[1]);
  else if (v->bad)
    cli_complain("%s: the line after %ld frames is incomplete or not a frame", options->word[0], v->frames);
  else if (!complete)
    cli_complain("%s: step %ld is not in %s, which ends after %ld", options->word[0], v->step,
                 options->word[1], cli_session_steps(r->session));
  else cli_complain("%s: the record has no frames", options->word[0]);
  return CLI_OUTCOME;
}

static int run_command(const cli_options *options, hn_error *error)
{
  cli_replay replay = { .path = NULL };
  verdict v = { .step = -1, .differs = -1 };
  const cli_observer observer = { .observe = observe, .user = &v };
  int status = cli_output_is_csv(options->word[0], NULL) == 0
                 ? open_record(&v.record, options->word[0], error)
                 : hn_fail(error, "verify: %s must be a record as CSV", options->word[0]);
  if (status == 0) read_frame(&v);
  if (status == 0) status = cli_replay_run(&replay, options->word[1], options, &observer, error);
  if (status == 0) status = conclude(&v, &replay, options);
  cli_replay_free(&replay);
  if (v.record.file) fclose(v.record.file);
  free(v.record.line);
  return status;
}

const cli_command cli_command_verify = {
  .name = "verify",
  .arguments = "RECORD.csv SESSION",
  .summary = "check that a record belongs to a session",
  .details = "Repeats the session and compares the hash of every frame in the record with\n"
             "its own. Exit status 1, with the first step that differs, when they disagree,\n"
             "or when the record has more frames than the session.\n",
  .examples = "verify walk.csv walk.session\n",
  .options = { CLI_JSON, CLI_QUIET, CLI_PLUGIN, CLI_SOLVER_FILE, CLI_LIMIT_OPTIONS, CLI_HELP },
  .run = run_command,
};
