/* view_commands.c - carries out the commands of clients, for sessions and for the view itself. */
#include <math.h>
#include <string.h>
#include "cli/base/json.h"
#include "cli/base/memory.h"
#include "cli/session/command_values.h"
#include "cli/view/view_struct.h"

enum { MAX_ECHO_BYTES = 1000, MAX_SESSION_FILES = 64 };
static const double report_interval = 0.1; /* s between two reports of a target or an input */

/* ---- Lanes ------------------------------------------------------------------------------------------- */

static cli_live_run *first_run(cli_view *view)
{
  for (int k = 0; k < CLI_MAX_RUNS; k++)
    if (view->run[k].session) return &view->run[k];
  return NULL;
}

/* Returns FILE for the first run, FILE.2 for the second; NULL: none. Free the result. */
static char *next_session_file(const cli_view *view)
{
  const char *file = view->options->session;
  if (!file) return NULL;
  return view->opened == 0 ? cli_text("%s", file) : cli_text("%s.%d", file, view->opened + 1);
}

static cli_live_run *free_run(cli_view *view, hn_error *error)
{
  for (int k = 0; k < CLI_MAX_RUNS; k++) {
    if (view->run[k].session) continue;
    view->run[k].number = k, view->run[k].exchange = view->exchange;
    return &view->run[k];
  }
  hn_fail(error, "there are %d lanes already", CLI_MAX_RUNS);
  return NULL;
}

int cli_view_open_run(cli_view *view, const cli_live_run *from, const char *spec, hn_error *error)
{
  cli_live_run *run = free_run(view, error);
  if (!run) return -1;
  if (view->options->session && view->opened >= MAX_SESSION_FILES)
    return hn_fail(error, "%d lanes have been opened, the limit for session files", MAX_SESSION_FILES);
  char *file = next_session_file(view);
  const int status = cli_live_run_open(run, from, view->scene, view->options, spec, file, error);
  free(file);
  if (status == 0) view->opened++;
  return status;
}

int cli_view_close(cli_view *view, hn_error *error)
{
  hn_error why;
  int status = 0;
  for (int k = 0; k < CLI_MAX_RUNS; k++)
    if (cli_live_run_close(&view->run[k], &why) < 0) *error = why, status = -1;
  return status;
}

/* ---- Commands of the view ---------------------------------------------------------------------------- */

/* Starts a copy of the first run with another solver. */
static int do_fork(cli_view *view, cli_client *client, const json_t *command, hn_error *error)
{
  hn_error why;
  (void)client;
  cli_live_run *run = free_run(view, error);
  if (!run || !cli_command_text(command, "spec", 1000, error)) return -1;
  json_t *solver = json_pack("{s:s, s:O}", "do", "solver", "spec", json_object_get(command, "spec"));
  int status = cli_view_open_run(view, first_run(view), NULL, error);
  if (status == 0 && (status = cli_live_run_do(run, solver, error)) < 0) cli_live_run_close(run, &why);
  json_decref(solver);
  return status;
}

static int find_run(cli_view *view, const json_t *run, hn_error *error)
{
  const json_int_t number = json_integer_value(run);
  if (json_is_integer(run) && number >= 1 && number <= CLI_MAX_RUNS && view->run[number - 1].session)
    return (int)number - 1;
  return hn_fail(error, "there is no such lane");
}

static int do_drop(cli_view *view, cli_client *client, const json_t *command, hn_error *error)
{
  int runs = 0;
  (void)client;
  const int index = find_run(view, json_object_get(command, "lane"), error);
  for (int k = 0; k < CLI_MAX_RUNS; k++) runs += view->run[k].session != NULL;
  if (index < 0) return -1;
  return runs > 1 ? cli_live_run_close(&view->run[index], error)
                  : hn_fail(error, "the last lane cannot be closed");
}

static int do_want(cli_view *view, cli_client *client, const json_t *command, hn_error *error)
{
  (void)view, (void)error;
  client->content = (cli_frame_content){ .boxes = json_is_true(json_object_get(command, "boxes")),
                                         .forces = json_is_true(json_object_get(command, "forces")),
                                         .contacts = json_is_true(json_object_get(command, "contacts")) };
  return 0;
}

static const struct {
  const char *name, *keys;
  int (*carry_out)(cli_view *view, cli_client *client, const json_t *command, hn_error *error);
} own_commands[] = {
  { "fork", "spec", do_fork },
  { "drop", "lane", do_drop },
  { "want", "boxes forces contacts", do_want },
};
enum { OWN_COMMANDS = sizeof own_commands / sizeof *own_commands };

/* ---- Commands of sessions ---------------------------------------------------------------------------- */

static bool is(const json_t *command, const char *name)
{
  const char *given = json_string_value(json_object_get(command, "do"));
  return given && strcmp(given, name) == 0;
}

/* Applies the effect of a command on the pace. */
static void pace(cli_view *view, const json_t *command, double now)
{
  cli_pace *p = &view->pace;
  if (is(command, "pause")) p->paused = true;
  else if (is(command, "play")) p->paused = false;
  else if (is(command, "once")) p->paused = view->once = true;
  else if (is(command, "speed")) p->speed = json_number_value(json_object_get(command, "factor"));
  else if (!is(command, "reset") && !is(command, "load")) return;
  cli_pace_begin(p, view->run, now);
}

/* Returns the owner of mouse spring ID; for "" a free entry. */
static cli_spring_owner *find_owner(cli_view *view, const char *id)
{
  for (cli_spring_owner *o = view->owner; o < view->owner + CLI_MAX_CLIENTS; o++)
    if (strcmp(o->id, id) == 0) return o;
  return NULL;
}

/* Records CLIENT as owner of new mouse springs: they are removed when it leaves. */
static void assign_springs(cli_view *view, long client)
{
  const cli_world *world = cli_session_world(first_run(view)->session);
  for (cli_spring_owner *o = view->owner; o < view->owner + CLI_MAX_CLIENTS; o++)
    if (cli_world_find_spring(world, o->id) < 0) *o = (cli_spring_owner){ .client = -1 };
  for (int i = 0; i < world->setup.nspring; i++) {
    const char *id = world->setup.spring[i].id;
    cli_spring_owner *o = find_owner(view, id) ? NULL : find_owner(view, "");
    if (!o) continue;
    o->client = client;
    snprintf(o->id, sizeof o->id, "%s", id);
  }
}

static int check_speed(const json_t *command, hn_error *error)
{
  double factor;
  if (!is(command, "speed")) return 0;
  if (cli_command_number(command, "factor", &factor, error) < 0) return -1;
  return factor >= 0.0 && factor <= 1e6 ? 0 : hn_fail(error, "speed: a factor is from 0 to 1e6");
}

/* Carries COMMAND out in run ONLY, or in all if that is -1. Returns 0 if one run accepts it; the error is
 * that of the last run that refuses it. */
static int do_in_runs(cli_view *view, int only, const json_t *command, hn_error *error)
{
  int accepted = 0, refused = 0;
  for (int k = 0; k < CLI_MAX_RUNS; k++) {
    hn_error why;
    if (!view->run[k].session || (only >= 0 && k != only)) continue;
    if (cli_live_run_do(&view->run[k], command, &why) == 0) accepted++;
    else refused++, hn_fail(error, "lane %d: %.480s", k + 1, why.text);
  }
  if (refused == 0) *error->text = '\0';
  return accepted > 0 ? 0 : -1;
}

static bool is_for_one_run(const json_t *command)
{
  return is(command, "solver") || is(command, "parameter") || is(command, "step");
}

/* Carries out a command of sessions. RUN is NULL if the client names none. */
static int do_session(cli_view *view, long client, const json_t *run, const json_t *command, double now,
                      hn_error *error)
{
  const int only = run ? find_run(view, run, error) : -1;
  if (run && only < 0) return -1;
  if (run && !is_for_one_run(command))
    return hn_fail(error, "only solver, parameter and step can name a lane");
  if (check_speed(command, error) < 0 || do_in_runs(view, only, command, error) < 0) return -1;
  pace(view, command, now);
  assign_springs(view, client);
  return 0;
}

/* ---- Answers ----------------------------------------------------------------------------------------- */

/* True if the command is reported to all clients; frequent targets and inputs only every 0.1 s. */
static bool is_reported(cli_view *view, const json_t *command, double now)
{
  const int which = is(command, "target") ? 0 : is(command, "input") ? 1 : -1;
  if (is(command, "want") || (which >= 0 && now - view->report_time[which] < report_interval)) return false;
  if (which >= 0) view->report_time[which] = now;
  return true;
}

static void report_done(cli_view *view, long at_step, json_t *run, const json_t *command)
{
  json_t *message = json_pack("{s:s, s:I, s:O}", "type", "done", "at_step", (json_int_t)at_step, "command",
                              command);
  if (run) json_object_set(message, "lane", run);
  cli_exchange_send(view->exchange, CLI_ALL_CLIENTS, message);
}

/* Reports an error to the sender, with its command unless that is long. */
static void report_refused(cli_view *view, long client, json_t *sent, const char *text)
{
  json_t *id_of = json_object_get(sent, "id_of"), *command = json_copy(sent);
  json_object_del(command, "id_of");
  char *echo = json_dumps(command, JSON_COMPACT);
  json_t *message = json_pack("{s:s, s:O*, s:o}", "type", "refused", "id_of", id_of, "text",
                              cli_json_string(text));
  if (echo && strlen(echo) <= MAX_ECHO_BYTES) json_object_set(message, "command", command);
  free(echo);
  json_decref(command);
  cli_exchange_send(view->exchange, client, message);
}

/* ---- Requests ---------------------------------------------------------------------------------------- */

static cli_client *find_client(cli_view *view, long client)
{
  return &view->client[client % CLI_MAX_CLIENTS];
}

static int carry_out(cli_view *view, cli_client *client, json_t *run, json_t *command, double now,
                     hn_error *error)
{
  for (size_t i = 0; i < OWN_COMMANDS; i++) {
    if (!is(command, own_commands[i].name)) continue;
    if (run) json_object_set(command, "lane", run);
    if (cli_command_keys(command, own_commands[i].keys, error) < 0) return -1;
    return own_commands[i].carry_out(view, client, command, error);
  }
  return do_session(view, client->number, run, command, now, error);
}

static void process_command(cli_view *view, long client, json_t *sent, double now)
{
  hn_error error = { "" };
  json_t *command = json_copy(sent), *run = json_object_get(sent, "lane");
  const int only = run ? find_run(view, run, NULL) : -1;
  const cli_live_run *of = only >= 0 ? &view->run[only] : first_run(view);
  const long at_step = cli_session_steps(of->session);
  json_object_del(command, "lane");
  json_object_del(command, "id_of");
  const int status = carry_out(view, find_client(view, client), run, command, now, &error);
  if (status == 0 && is_reported(view, command, now)) report_done(view, at_step, run, command);
  if (*error.text) report_refused(view, client, sent, error.text);
  view->frames_due = view->status_due = true;
  json_decref(command);
}

static void add_client(cli_view *view, long client)
{
  bool changed;
  *find_client(view, client) = (cli_client){ .number = client };
  cli_exchange_send(view->exchange, client, cli_hello_message(first_run(view)));
  for (int k = 0; k < CLI_MAX_RUNS; k++) {
    if (!view->run[k].session) continue;
    json_t *model = cli_model_message(&view->run[k], &changed);
    cli_exchange_send(view->exchange, changed ? CLI_ALL_CLIENTS : client, model);
  }
  view->frames_due = view->status_due = true;
}

static void remove_client(cli_view *view, long client, double now)
{
  hn_error error;
  find_client(view, client)->number = -1;
  for (int i = 0; i < CLI_MAX_CLIENTS; i++) {
    if (!*view->owner[i].id || view->owner[i].client != client) continue;
    json_t *release = json_pack("{s:s, s:s}", "do", "release", "id", view->owner[i].id);
    const long at_step = cli_session_steps(first_run(view)->session);
    if (do_session(view, client, NULL, release, now, &error) == 0) report_done(view, at_step, NULL, release);
    view->owner[i] = (cli_spring_owner){ .client = -1 };
    json_decref(release);
  }
  view->status_due = true;
}

void cli_view_process_requests(cli_view *view, double now)
{
  cli_request request;
  while (cli_exchange_receive(view->exchange, &request)) {
    if (request.kind == CLI_REQUEST_JOIN) add_client(view, request.client);
    else if (request.kind == CLI_REQUEST_LEAVE) remove_client(view, request.client, now);
    else process_command(view, request.client, request.command, now);
    json_decref(request.command);
  }
}
