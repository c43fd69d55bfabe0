/* view_commands.c - what pages order: commands of sessions, which go to all lanes or to one, and those of the view
 * alone. */
#include <math.h>
#include <string.h>
#include "cli/base/json.h"
#include "cli/base/memory.h"
#include "cli/session/session_commands.h"
#include "cli/view/view_messages.h"
#include "cli/view/show.h"

enum { LONGEST_ECHO = 1000, MOST_FILES = 64 };
static const double often = 0.1; /* s from one target or input that is told to the next */

/* ---- Lanes --------------------------------------------------------------------------------------------- */

static cli_lane *first_lane(cli_show *show)
{
  for (int k = 0; k < CLI_MOST_LANES; k++)
    if (show->lane[k].session) return &show->lane[k];
  return NULL;
}

/* FILE for the first lane, FILE.2 for the second one; to be freed, NULL: none. */
static char *file_of_next(const cli_show *show)
{
  const char *file = show->options->session;
  if (!file) return NULL;
  return show->opened == 0 ? cli_text("%s", file) : cli_text("%s.%d", file, show->opened + 1);
}

static cli_lane *free_lane(cli_show *show, hn_error *error)
{
  for (int k = 0; k < CLI_MOST_LANES; k++) {
    if (show->lane[k].session) continue;
    show->lane[k].number = k, show->lane[k].exchange = show->exchange;
    return &show->lane[k];
  }
  hn_fail(error, "there are %d lanes already", CLI_MOST_LANES);
  return NULL;
}

static int open_lane(cli_show *show, const cli_lane *from, const char *spec, hn_error *error)
{
  cli_lane *lane = free_lane(show, error);
  if (!lane) return -1;
  if (show->options->session && show->opened >= MOST_FILES)
    return hn_fail(error, "there have been %d lanes, and each has left a file", MOST_FILES);
  char *file = file_of_next(show);
  const int status = from ? cli_lane_fork(lane, from, show->scene, show->options, file, error)
                          : cli_lane_open(lane, show->scene, show->options, spec, file, error);
  free(file);
  if (status == 0) show->opened++;
  return status;
}

int cli_show_open(cli_show *show, const char *spec, hn_error *error)
{
  return open_lane(show, NULL, spec, error);
}

int cli_show_close(cli_show *show, hn_error *error)
{
  hn_error why;
  int status = 0;
  for (int k = 0; k < CLI_MOST_LANES; k++)
    if (cli_lane_close(&show->lane[k], &why) < 0) *error = why, status = -1;
  return status;
}

/* ---- Commands of the view ------------------------------------------------------------------------------ */

/* A lane more, as the first one is, with another solver. */
static int do_fork(cli_show *show, cli_guest *guest, const json_t *command, hn_error *error)
{
  hn_error why;
  (void)guest;
  cli_lane *lane = free_lane(show, error);
  if (!lane || !cli_command_text(command, "spec", 1000, error)) return -1;
  json_t *solver = json_pack("{s:s, s:O}", "do", "solver", "spec", json_object_get(command, "spec"));
  int status = open_lane(show, first_lane(show), NULL, error);
  if (status == 0 && (status = cli_lane_do(lane, solver, error)) < 0) cli_lane_close(lane, &why);
  json_decref(solver);
  return status;
}

static int find_lane(cli_show *show, const json_t *lane, hn_error *error)
{
  const json_int_t number = json_integer_value(lane);
  if (json_is_integer(lane) && number >= 1 && number <= CLI_MOST_LANES && show->lane[number - 1].session)
    return (int)number - 1;
  return hn_fail(error, "there is no such lane");
}

static int do_drop(cli_show *show, cli_guest *guest, const json_t *command, hn_error *error)
{
  int lanes = 0;
  (void)guest;
  const int index = find_lane(show, json_object_get(command, "lane"), error);
  for (int k = 0; k < CLI_MOST_LANES; k++) lanes += show->lane[k].session != NULL;
  if (index < 0) return -1;
  return lanes > 1 ? cli_lane_close(&show->lane[index], error) : hn_fail(error, "the last lane stays");
}

static int do_want(cli_show *show, cli_guest *guest, const json_t *command, hn_error *error)
{
  (void)show, (void)error;
  guest->wants = (cli_wants){ .boxes = json_is_true(json_object_get(command, "boxes")),
                              .forces = json_is_true(json_object_get(command, "forces")),
                              .contacts = json_is_true(json_object_get(command, "contacts")) };
  return 0;
}

static const struct {
  const char *name, *keys;
  int (*carry_out)(cli_show *show, cli_guest *guest, const json_t *command, hn_error *error);
} own[] = {
  { "fork", "spec", do_fork },
  { "drop", "lane", do_drop },
  { "want", "boxes forces contacts", do_want },
};
enum { OWN = sizeof own / sizeof *own };

/* ---- Commands of sessions ------------------------------------------------------------------------------ */

static bool is(const json_t *command, const char *name)
{
  const char *given = json_string_value(json_object_get(command, "do"));
  return given && strcmp(given, name) == 0;
}

/* What a command means for the clock. */
static void pace(cli_show *show, const json_t *command, double now)
{
  cli_pace *p = &show->pace;
  if (is(command, "pause")) p->paused = true;
  else if (is(command, "play")) p->paused = false;
  else if (is(command, "once")) p->paused = show->once = true;
  else if (is(command, "speed")) p->speed = json_number_value(json_object_get(command, "factor"));
  else if (!is(command, "reset") && !is(command, "load")) return;
  cli_pace_begin(p, show->lane, now);
}

/* The owner of hand ID; of "" one that is to be had. */
static cli_owner *find_owner(cli_show *show, const char *id)
{
  for (cli_owner *o = show->owner; o < show->owner + CLI_MOST_PAGES; o++)
    if (strcmp(o->id, id) == 0) return o;
  return NULL;
}

static bool is_held(const cli_session *s, const char *id)
{
  cli_hand hand;
  for (int i = 0; cli_session_hand(s, i, &hand); i++)
    if (strcmp(hand.id, id) == 0) return true;
  return false;
}

/* Hands are let go when the page leaves whose command has made them: those that are new are PAGE's. */
static void own_hands(cli_show *show, long page)
{
  cli_hand hand;
  const cli_session *s = first_lane(show)->session;
  for (cli_owner *o = show->owner; o < show->owner + CLI_MOST_PAGES; o++)
    if (!is_held(s, o->id)) *o = (cli_owner){ .page = -1 };
  for (int i = 0; cli_session_hand(s, i, &hand); i++) {
    cli_owner *o = find_owner(show, hand.id) ? NULL : find_owner(show, "");
    if (!o) continue;
    o->page = page;
    snprintf(o->id, sizeof o->id, "%s", hand.id);
  }
}

static int check_speed(const json_t *command, hn_error *error)
{
  double factor;
  if (!is(command, "speed")) return 0;
  if (cli_command_number(command, "factor", &factor, error) < 0) return -1;
  return factor >= 0.0 && factor <= 1e6 ? 0 : hn_fail(error, "speed: a factor is from 0 to 1e6");
}

/* By lane ONLY, or all where that is -1. 0 when one has taken it; the error is that of the last one that has
 * not. */
static int do_in_lanes(cli_show *show, int only, const json_t *command, hn_error *error)
{
  int taken = 0, refused = 0;
  for (int k = 0; k < CLI_MOST_LANES; k++) {
    hn_error why;
    if (!show->lane[k].session || (only >= 0 && k != only)) continue;
    if (cli_lane_do(&show->lane[k], command, &why) == 0) taken++;
    else refused++, hn_fail(error, "lane %d: %.480s", k + 1, why.text);
  }
  if (refused == 0) *error->text = '\0';
  return taken > 0 ? 0 : -1;
}

static bool is_for_one(const json_t *command)
{
  return is(command, "solver") || is(command, "parameter") || is(command, "step");
}

/* LANE is NULL where the page has not said one. */
static int do_session(cli_show *show, long page, const json_t *lane, const json_t *command, double now,
                      hn_error *error)
{
  const int only = lane ? find_lane(show, lane, error) : -1;
  if (lane && only < 0) return -1;
  if (lane && !is_for_one(command))
    return hn_fail(error, "solver, parameter and step are for one lane, others for all");
  if (check_speed(command, error) < 0 || do_in_lanes(show, only, command, error) < 0) return -1;
  pace(show, command, now);
  own_hands(show, page);
  return 0;
}

/* ---- Answers ------------------------------------------------------------------------------------------- */

/* Many of these come while a hand moves. */
static bool is_told(cli_show *show, const json_t *command, double now)
{
  const int which = is(command, "target") ? 0 : is(command, "input") ? 1 : -1;
  if (is(command, "want") || (which >= 0 && now - show->done[which] < often)) return false;
  if (which >= 0) show->done[which] = now;
  return true;
}

static void say_done(cli_show *show, long at_step, json_t *lane, const json_t *command)
{
  json_t *message = json_pack("{s:s, s:I, s:O}", "type", "done", "at_step", (json_int_t)at_step, "command",
                              command);
  if (lane) json_object_set(message, "lane", lane);
  cli_exchange_say(show->exchange, CLI_EVERY_PAGE, message);
}

/* With the command as it was sent. */
static void say_refused(cli_show *show, long page, json_t *sent, const char *text)
{
  json_t *id_of = json_object_get(sent, "id_of"), *command = json_copy(sent);
  json_object_del(command, "id_of");
  char *echo = json_dumps(command, JSON_COMPACT);
  json_t *message = json_pack("{s:s, s:O*, s:o}", "type", "refused", "id_of", id_of, "text",
                              cli_json_string(text));
  if (echo && strlen(echo) <= LONGEST_ECHO) json_object_set(message, "command", command);
  free(echo);
  json_decref(command);
  cli_exchange_say(show->exchange, page, message);
}

/* ---- Orders -------------------------------------------------------------------------------------------- */

static cli_guest *find_guest(cli_show *show, long page)
{
  return &show->guest[page % CLI_MOST_PAGES];
}

static int carry_out(cli_show *show, cli_guest *guest, json_t *lane, json_t *command, double now,
                     hn_error *error)
{
  for (size_t i = 0; i < OWN; i++) {
    if (!is(command, own[i].name)) continue;
    if (lane) json_object_set(command, "lane", lane);
    if (cli_command_keys(command, own[i].keys, error) < 0) return -1;
    return own[i].carry_out(show, guest, command, error);
  }
  return do_session(show, guest->page, lane, command, now, error);
}

static void obey(cli_show *show, long page, json_t *sent, double now)
{
  hn_error error = { "" };
  json_t *command = json_copy(sent), *lane = json_object_get(sent, "lane");
  const int only = lane ? find_lane(show, lane, NULL) : -1;
  const cli_lane *of = only >= 0 ? &show->lane[only] : first_lane(show);
  const long at_step = cli_session_steps(of->session);
  json_object_del(command, "lane");
  json_object_del(command, "id_of");
  const int status = carry_out(show, find_guest(show, page), lane, command, now, &error);
  if (status == 0 && is_told(show, command, now)) say_done(show, at_step, lane, command);
  if (*error.text) say_refused(show, page, sent, error.text);
  show->stale = show->news = true;
  json_decref(command);
}

static void greet(cli_show *show, long page)
{
  bool changed;
  *find_guest(show, page) = (cli_guest){ .page = page };
  cli_exchange_say(show->exchange, page, cli_say_hello(first_lane(show)));
  for (int k = 0; k < CLI_MOST_LANES; k++) {
    if (!show->lane[k].session) continue;
    json_t *model = cli_say_model(&show->lane[k], &changed);
    cli_exchange_say(show->exchange, changed ? CLI_EVERY_PAGE : page, model);
  }
  show->stale = show->news = true;
}

static void part(cli_show *show, long page, double now)
{
  hn_error error;
  find_guest(show, page)->page = -1;
  for (int i = 0; i < CLI_MOST_PAGES; i++) {
    if (!*show->owner[i].id || show->owner[i].page != page) continue;
    json_t *release = json_pack("{s:s, s:s}", "do", "release", "id", show->owner[i].id);
    const long at_step = cli_session_steps(first_lane(show)->session);
    if (do_session(show, page, NULL, release, now, &error) == 0) say_done(show, at_step, NULL, release);
    show->owner[i] = (cli_owner){ .page = -1 };
    json_decref(release);
  }
  show->news = true;
}

void cli_show_orders(cli_show *show, double now)
{
  cli_order order;
  while (cli_exchange_take(show->exchange, &order)) {
    if (order.kind == CLI_ORDER_JOIN) greet(show, order.page);
    else if (order.kind == CLI_ORDER_LEAVE) part(show, order.page, now);
    else obey(show, order.page, order.command, now);
    json_decref(order.command);
  }
}
