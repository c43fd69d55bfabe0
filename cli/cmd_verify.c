/* cmd_verify.c - `holonom verify`: checks that a record belongs to a session. The session is repeated and
 * recorded anew, and every field of the record is compared with this second record. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/base/complain.h"
#include "cli/base/json.h"
#include "cli/base/memory.h"
#include "cli/base/output.h"
#include "cli/commands.h"
#include "cli/session/replay.h"

/* A record that is read line by line. */
typedef struct table {
  FILE *file;
  char *head, *line;
  size_t capacity;
  char **column, **field; /* [ncolumn] parts of head and line */
  int ncolumn, index;     /* number of columns; column "step" */
  long step;              /* of the line; -1: none is left */
  bool bad;               /* the line is cut off or not a frame */
} table;

typedef struct verdict {
  table record, repeated;
  int *match;       /* [record.ncolumn] the same column of `repeated`; -1: not compared */
  long frames;      /* frames that agree */
  long differs;     /* first step that differs; -1: none */
  const char *name; /* column that differs, or NULL */
  char *expected;   /* its field in `repeated` */
  char *folder;     /* temporary directory of the second record; NULL or empty: none */
  char *path;       /* of the second record */
  hn_record *writer;
} verdict;

/* ---- Tables -------------------------------------------------------------------------------------------- */

/* Splits LINE at commas outside quotes and removes the quotes around a field. Returns the number of
 * fields, of which the first ROOM are stored. */
static int split(char *line, char **field, int room)
{
  int count = 0;
  bool quoted = false;
  for (char *c = line, *start = line;; c++) {
    if (*c == '"') quoted = !quoted;
    if (*c && (*c != ',' || quoted)) continue;
    const bool last = !*c;
    if (*start == '"' && c > start + 1) c[-1] = '\0', start++;
    *c = '\0';
    if (count++ < room) field[count - 1] = start;
    if (last) return count;
    start = c + 1;
  }
}

/* Returns the index of column NAME, or -1. */
static int find_column(const table *t, const char *name)
{
  for (int i = 0; i < t->ncolumn; i++)
    if (strcmp(t->column[i], name) == 0) return i;
  return -1;
}

static int open_table(table *t, const char *path, hn_error *error)
{
  size_t room = 0;
  t->file = fopen(path, "r");
  if (!t->file) return hn_fail(error, "%s: %s", path, strerror(errno));
  if (getline(&t->head, &room, t->file) <= 0) return hn_fail(error, "%s: the file is empty", path);
  t->head[strcspn(t->head, "\n")] = '\0';
  int commas = 1;
  for (const char *c = t->head; *c; c++) commas += *c == ',';
  t->column = cli_alloc((size_t)commas, sizeof *t->column);
  t->field = cli_alloc((size_t)commas, sizeof *t->field);
  t->ncolumn = split(t->head, t->column, commas);
  t->index = find_column(t, "step");
  if (t->index >= 0 && find_column(t, "hash") >= 0) return 0;
  return hn_fail(error, "%s: not a record: it has no columns step and hash", path);
}

static void close_table(table *t)
{
  if (t->file) fclose(t->file);
  free(t->head), free(t->line), free(t->column), free(t->field);
}

/* Reads the next line. Steps must increase. */
static void next_line(table *t)
{
  int end = 0;
  const long before = t->step;
  t->step = -1;
  const ssize_t length = getline(&t->line, &t->capacity, t->file);
  if (length <= 0) return;
  t->bad = t->line[length - 1] != '\n';
  t->line[length - 1] = '\0';
  t->bad = t->bad || split(t->line, t->field, t->ncolumn) != t->ncolumn ||
           sscanf(t->field[t->index], "%ld%n", &t->step, &end) != 1 || t->field[t->index][end] ||
           t->step <= before;
}

/* ---- The second record --------------------------------------------------------------------------------- */

/* True if the record has columns of joints or forces. */
static bool has_more(const table *t)
{
  static const char *const endings[] = { "_rate", ".rate", ".force", ".force_x" };
  for (int i = 0; i < t->ncolumn; i++)
    for (size_t k = 0; k < sizeof endings / sizeof *endings; k++)
      if (cli_ends_in(t->column[i], endings[k])) return true;
  return false;
}

static int begin(void *user, const hn_scene *scene, hn_error *error)
{
  verdict *v = user;
  const bool more = has_more(&v->record);
  const hn_record_options options = {
    .rank = find_column(&v->record, "rank") >= 0, .joints = more, .reactions = more, .forces = more
  };
  const char *parent = getenv("TMPDIR");
  v->folder = cli_text("%s/holonom-XXXXXX", parent && *parent ? parent : "/tmp");
  if (!mkdtemp(v->folder)) {
    hn_fail(error, "cannot make the directory %s: %s", v->folder, strerror(errno));
    *v->folder = '\0';
    return -1;
  }
  v->path = cli_text("%s/repeated.csv", v->folder);
  v->writer = hn_record_create(v->path, scene->model, &options, error);
  return v->writer ? 0 : -1;
}

static bool observe(void *user, const hn_frame *frame)
{
  verdict *v = user;
  return hn_record_frame(v->writer, frame);
}

/* Assigns the columns of the second record to those of the first. Wall times differ between two runs. */
static int match_columns(verdict *v, const char *path, hn_error *error)
{
  v->match = cli_alloc((size_t)v->record.ncolumn, sizeof *v->match);
  for (int i = 0; i < v->record.ncolumn; i++) {
    const char *name = v->record.column[i];
    v->match[i] = find_column(&v->repeated, name);
    if (v->match[i] < 0 && strcmp(name, "us_per_step") != 0)
      return hn_fail(error, "%s: the session has no column \"%.80s\": it cannot be verified", path, name);
  }
  return 0;
}

/* ---- Comparison ---------------------------------------------------------------------------------------- */

/* Compares the fields of the present lines, which are of one step. */
static void compare_lines(verdict *v)
{
  for (int i = 0; i < v->record.ncolumn; i++) {
    if (v->match[i] < 0 || strcmp(v->record.field[i], v->repeated.field[v->match[i]]) == 0) continue;
    v->differs = v->record.step, v->name = v->record.column[i];
    v->expected = cli_text("%s", v->repeated.field[v->match[i]]);
    return;
  }
  v->frames++;
}

/* Compares the records up to the first difference, or the first line that the second one does not have. */
static void compare(verdict *v)
{
  table *record = &v->record, *repeated = &v->repeated;
  record->step = repeated->step = -1;
  for (next_line(record); record->step >= 0 && !record->bad; next_line(record)) {
    while (repeated->step < record->step) {
      next_line(repeated);
      if (repeated->step < 0) return;
    }
    if (repeated->step == record->step) compare_lines(v);
    if (repeated->step != record->step || v->differs >= 0) return;
  }
}

/* ---- The command --------------------------------------------------------------------------------------- */

static void complain(const verdict *v, const cli_replay *r, const cli_options *options)
{
  const char *record = options->word[0], *session = options->word[1];
  char *complaint = cli_replay_complaint(r);
  if (v->differs >= 0)
    cli_complain("%s: step %ld is not that of %s, where %.80s is %s", record, v->differs, session, v->name,
                 *v->expected ? v->expected : "empty");
  else if (v->record.bad)
    cli_complain("%s: the line after %ld frames is incomplete or not a frame", record, v->frames);
  else if (v->record.step >= 0)
    cli_complain("%s: step %ld is not in %s, which ends after %ld", record, v->record.step, session,
                 cli_session_steps(r->session));
  else if (complaint) cli_complain("%s", complaint);
  else cli_complain("%s: the record has no frames", record);
  free(complaint);
}

static int conclude(const verdict *v, const cli_replay *r, const cli_options *options)
{
  char *complaint = cli_replay_complaint(r);
  const bool complete = v->record.step < 0 && !v->record.bad,
             same = complete && v->differs < 0 && v->frames > 0 && !complaint;
  free(complaint);
  if (options->json)
    cli_json_print(json_pack("{s:o, s:o, s:I, s:o, s:b, s:b}", "record", cli_json_string(options->word[0]),
                             "session", cli_json_string(options->word[1]), "frames", (json_int_t)v->frames,
                             "differs_at", v->differs < 0 ? json_null() : json_integer(v->differs), "whole",
                             complete, "same", same));
  else if (same && !options->quiet)
    printf("%ld frames of %s are those of %s\n", v->frames, options->word[0], options->word[1]);
  if (!same) complain(v, r, options);
  return same ? CLI_DONE : CLI_OUTCOME;
}

/* Repeats the session into the second record, then compares. Returns the exit status, or -1 on error. */
static int verify(verdict *v, cli_replay *replay, const cli_options *options, hn_error *error)
{
  const cli_observer observer = { .begin = begin, .observe = observe, .user = v };
  if (open_table(&v->record, options->word[0], error) < 0) return -1;
  int status = cli_replay_run(replay, options->word[1], options, &observer, error);
  if (v->writer && hn_record_close(v->writer, status == 0 ? error : NULL) < 0) status = -1;
  if (status < 0 || open_table(&v->repeated, v->path, error) < 0 ||
      match_columns(v, options->word[0], error) < 0)
    return -1;
  compare(v);
  return conclude(v, replay, options);
}

static void free_verdict(verdict *v)
{
  close_table(&v->record), close_table(&v->repeated);
  if (v->path) unlink(v->path);
  if (v->folder && *v->folder) rmdir(v->folder);
  free(v->match), free(v->expected), free(v->path), free(v->folder);
}

static int run_command(const cli_options *options, hn_error *error)
{
  cli_replay replay = { .path = NULL };
  verdict v = { .differs = -1 };
  if (cli_output_is_csv(options->word[0], NULL) < 0)
    return hn_fail(error, "verify: %s must be a record as CSV", options->word[0]);
  const int status = verify(&v, &replay, options, error);
  cli_replay_free(&replay);
  free_verdict(&v);
  return status;
}

const cli_command cli_command_verify = {
  .name = "verify",
  .arguments = "RECORD.csv SESSION",
  .summary = "check that a record belongs to a session",
  .details = "Repeats the session and compares every field of every frame in the record with\n"
             "its own; only wall times (us_per_step) are not compared. Exit status 1, with\n"
             "the first step and column that differ, when they disagree, when the record has\n"
             "more frames than the session, or when the session itself does not replay.\n",
  .examples = "verify walk.csv walk.session\n",
  .options = { CLI_JSON, CLI_QUIET, CLI_PLUGIN, CLI_SOLVER_FILE, CLI_LIMIT_OPTIONS, CLI_HELP },
  .run = run_command,
};
