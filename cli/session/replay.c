/* replay.c - repeats a session from its file. The first line describes the session; then commands and failed
 * steps follow, each with the number of steps taken before; the last line holds the hash. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "cli/base/file_hash.h"
#include "cli/base/memory.h"
#include "cli/session/replay.h"

enum { MAX_LINE_BYTES = 1 << 16 }; /* bytes of a line */

typedef struct reader {
  const char *path;
  FILE *file;
  long line;
  char *text; /* [MAX_LINE_BYTES] */
} reader;

/* Reads the next line as an object. Returns NULL at the end of the file, or with a message. */
static json_t *next(reader *r, hn_error *error)
{
  json_error_t why;
  *error->text = '\0';
  if (!fgets(r->text, MAX_LINE_BYTES, r->file)) {
    if (ferror(r->file)) hn_fail(error, "cannot read %s: %s", r->path, strerror(errno));
    return NULL;
  }
  r->line++;
  if (!strchr(r->text, '\n')) {
    hn_fail(error, "%s:%ld: cut off in this line", r->path, r->line);
    return NULL;
  }
  json_t *object = json_loads(r->text, JSON_REJECT_DUPLICATES, &why);
  if (json_is_object(object)) return object;
  json_decref(object);
  hn_fail(error, "%s:%ld: %.100s", r->path, r->line, object ? "not an object" : why.text);
  return NULL;
}

static const char *text_of(const json_t *object, const char *key)
{
  const char *text = json_string_value(json_object_get(object, key));
  return text ? text : "";
}

/* Checks that the session is of this version of the format, and of Holonom. */
static int check_version(const json_t *head, const char *path, hn_error *error)
{
  const json_t *format = json_object_get(head, "format_version");
  const json_t *version = json_object_get(head, "version");
  if (!json_is_integer(format))
    return hn_fail(error, "%s:1: \"format_version\" is missing, or no whole number", path);
  if (json_integer_value(format) != CLI_SESSION_VERSION)
    return hn_fail(error, "%s is a session of format %lld; Holonom %s reads format %d", path,
                   (long long)json_integer_value(format), hn_version(), CLI_SESSION_VERSION);
  if (!json_is_string(version)) return hn_fail(error, "%s:1: \"version\" is missing, or no text", path);
  if (strcmp(json_string_value(version), hn_version()) == 0) return 0;
  return hn_fail(error, "%s is a session of Holonom %.40s; this is %s, whose results may differ", path,
                 json_string_value(version), hn_version());
}

static int check_head(const json_t *head, const char *path, hn_error *error)
{
  if (strcmp(text_of(head, "format"), CLI_SESSION_FORMAT) != 0)
    return hn_fail(error, "%s is no session of Holonom", path);
  if (check_version(head, path, error)) return -1;
  if (!*text_of(head, "scene") || !*text_of(head, "solver") ||
      !(json_number_value(json_object_get(head, "step")) > 0.0))
    return hn_fail(error, "%s:1: scene, solver or step is missing", path);
  return 0;
}

static int read_settings(const json_t *head, hn_setting **setting, size_t *count, const char *path,
                         hn_error *error)
{
  const char *name;
  json_t *value;
  *setting = NULL, *count = 0;
  json_object_foreach(json_object_get(head, "set"), name, value)
  {
    if (!json_is_string(value))
      return hn_fail(error, "%s:1: the setting \"%.60s\" must be a text", path, name);
    *setting = cli_grow(*setting, *count + 1, sizeof **setting);
    (*setting)[(*count)++] = (hn_setting){ .name = name, .value = json_string_value(value) };
  }
  return 0;
}

/* Checks that the scene file has the hash of the session file, if that has one. */
static int begin(void *user, const hn_scene *scene, hn_error *error)
{
  const cli_replay *r = user;
  char *hash = cli_hash_text(cli_hash_file(HN_HASH_START, scene->path));
  const bool same = !json_object_get(r->head, "file") || strcmp(hash, text_of(r->head, "file")) == 0;
  free(hash);
  if (!same) return hn_fail(error, "%s is a session of another scene: %s has changed", r->path, scene->path);
  return r->observer->begin ? r->observer->begin(r->observer->user, scene, error) : 0;
}

static bool observe(void *user, const hn_frame *frame)
{
  const cli_replay *r = user;
  return !r->observer->observe || r->observer->observe(r->observer->user, frame);
}

static void write_line(void *user, const char *line)
{
  const cli_replay *r = user;
  if (r->observer->log) fprintf(r->observer->log, "%s\n", line);
}

static bool step_to(cli_replay *r, long steps)
{
  if (r->reason == HN_CONVERGED) r->reason = cli_session_step_to(r->session, steps);
  return cli_session_steps(r->session) == steps;
}

/* Carries out a command, or tries a step that must fail. */
static int act(cli_replay *r, const json_t *line, hn_error *error)
{
  const bool fails = strcmp(text_of(line, "do"), "fail") == 0;
  if ((fails ? cli_session_fail(r->session, line, error) : cli_session_do(r->session, line, error)) < 0)
    return -1;
  if (!fails) r->commands++;
  r->reason = HN_CONVERGED;
  return 0;
}

/* Carries out one line; returns false at the end of the session, or with a message. */
static bool carry_out(cli_replay *r, reader *in, hn_error *error)
{
  hn_error why;
  json_t *command = next(in, error), *at = json_object_get(command, "at_step");
  if (!command) return false;
  const long steps = (long)json_integer_value(at);
  const bool is_end = strcmp(text_of(command, "do"), "end") == 0;
  bool good = false;
  if (!json_is_integer(at) || steps < cli_session_steps(r->session))
    hn_fail(error, "%s:%ld: \"at_step\" must be a whole number not below the previous one", in->path,
            in->line);
  else if (!step_to(r, steps)) good = false; /* r->reason holds the cause */
  else if (is_end) {
    r->ended = true;
    r->expected = json_object_get(command, "hash") ? cli_text("%s", text_of(command, "hash")) : NULL;
    if (getc(in->file) != EOF) r->trailing = in->line + 1;
  } else if (act(r, command, &why) < 0) hn_fail(error, "%s:%ld: %.400s", in->path, in->line, why.text);
  else good = true;
  json_decref(command);
  return good;
}

static int run(cli_replay *r, reader *in, const cli_options *options, hn_error *error)
{
  hn_setting *setting;
  cli_options scene_options = *options;
  if (!(r->head = next(in, error)))
    return *error->text && in->line == 0 ? -1 : hn_fail(error, "%s is no session of Holonom", in->path);
  if (check_head(r->head, in->path, error)) return -1;
  cli_session_plan plan = { .scene = text_of(r->head, "scene"),
                            .options = &scene_options,
                            .solver = text_of(r->head, "solver"),
                            .step = json_number_value(json_object_get(r->head, "step")),
                            .begin = begin,
                            .observe = observe,
                            .write_line = write_line,
                            .user = r,
                            .keep_impulses = r->observer->keep_impulses };
  scene_options.consistent = json_is_true(json_object_get(r->head, "consistent"));
  int status = read_settings(r->head, &setting, &plan.nsetting, in->path, error);
  plan.setting = setting;
  if (status == 0) status = (r->session = cli_session_create(&plan, error)) ? 0 : -1;
  if (status == 0) *error->text = '\0';
  while (status == 0 && carry_out(r, in, error))
    ;
  if (*error->text) status = -1;
  if (status == 0) cli_session_end(r->session);
  free(setting);
  return status;
}

int cli_replay_run(cli_replay *r, const char *path, const cli_options *options, const cli_observer *observer,
                   hn_error *error)
{
  *r = (cli_replay){ .path = path, .observer = observer };
  reader in = { .path = path, .file = fopen(path, "r") };
  if (!in.file) return hn_fail(error, "%s: %s", path, strerror(errno));
  in.text = cli_alloc(MAX_LINE_BYTES, 1);
  int status = run(r, &in, options, error);
  free(in.text);
  fclose(in.file);
  return status;
}

char *cli_replay_complaint(const cli_replay *r)
{
  char hash[20];
  if (r->reason != HN_CONVERGED)
    return cli_text("%s (stopped after %ld steps)", cli_session_explanation(r->session),
                    cli_session_steps(r->session));
  if (!r->ended)
    return cli_text("%s: the line \"end\" is missing: the session was interrupted, or its file is cut off",
                    r->path);
  if (r->trailing > 0) return cli_text("%s:%ld: lines follow the end of the session", r->path, r->trailing);
  snprintf(hash, sizeof hash, "%016" PRIx64, cli_session_hash(r->session));
  if (!r->expected || strcmp(hash, r->expected) == 0) return NULL;
  return cli_text("%s: the hash is %s, but the session has %s", r->path, hash, r->expected);
}

void cli_replay_free(cli_replay *r)
{
  cli_session_free(r->session);
  json_decref(r->head);
  free(r->expected);
}
