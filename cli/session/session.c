/* session.c - a run that is changed while it goes on.
 *
 *   impulse, input, target    between two steps of one runner, as control does: joints answer an impulse
 *   solver, parameter, step   another runner of the same world, which has another solver
 *   grip, release, add, set, reset, load    another world (world.c)
 *   save                      a copy of the state
 *   pause, play, speed, once  how fast it is shown; nothing of the motion
 *
 * What each does is in acts.c. In the file each has the number of steps taken before it; so has a step that
 * was tried there and failed: what the scene's control remembers of it cannot be taken back. The hash of a
 * runner is chained to that of the one before, so that a session without commands has the hash of a run. */
#include <math.h>
#include <string.h>
#include "cli/base/file_hash.h"
#include "cli/base/interrupt.h"
#include "cli/base/json.h"
#include "cli/base/memory.h"
#include "cli/session/session_commands.h"
#include "cli/session/course.h"

/* ---- The runner ------------------------------------------------------------------------------------- */

long cli_session_steps(const cli_session *s)
{
  return s->base + (s->runner ? hn_runner_summary(s->runner)->steps : 0);
}

uint64_t cli_session_hash(const cli_session *s)
{
  return s->runner ? hn_runner_summary(s->runner)->hash : s->chained;
}

static void forget_events(cli_session *s)
{
  for (int i = 0; i < s->nevent; i++) free((char *)(uintptr_t)s->event[i].joint);
  s->nevent = 0;
}

static void keep_events(cli_session *s, const hn_frame *frame)
{
  forget_events(s);
  if (frame->nevent == 0) return;
  s->nevent = frame->nevent;
  s->event = cli_grow(s->event, (size_t)s->nevent, sizeof *s->event);
  memcpy(s->event, frame->event, sizeof *s->event * (size_t)s->nevent);
  for (int i = 0; i < s->nevent; i++)
    if (s->event[i].joint) s->event[i].joint = cli_text("%s", s->event[i].joint);
}

static bool observe(void *user, const hn_frame *frame)
{
  cli_session *s = user;
  if (frame->index > 0 && s->world.control) keep_events(s, frame);
  if (!s->plan.observe || (frame->index == 0 && s->shown)) return true;
  s->shown = true;
  hn_frame counted = *frame;
  counted.index += s->base;
  return s->plan.observe(s->plan.user, &counted);
}

/* What is gone since the command came, by control or with a world, is not struck. */
static void strike(const json_t *command, hn_moment *moment)
{
  static const double none[3] = { 0.0 };
  double at[3], impulse[3];
  const int body = cli_command_body(command, moment->model, NULL);
  if (body < 0 || cli_command_vector(command, "at", at, NULL) ||
      cli_command_vector(command, "impulse", impulse, NULL))
    return;
  hn_state_strike(moment->state, moment->model, body, at, impulse, none);
}

/* Impulses, then what the scene's own control does. */
static int control(void *user, hn_moment *moment, hn_error *error)
{
  cli_session *s = user;
  for (size_t i = 0; i < json_array_size(s->pending); i++) strike(json_array_get(s->pending, i), moment);
  moment->event = s->event, moment->nevent = s->nevent;
  return s->world.control ? hn_control_step(s->world.control, moment, error) : 0;
}

/* A runner for WORLD, chained to HASH. */
static hn_runner *start(cli_session *s, cli_world *world, uint64_t hash, hn_error *error)
{
  const hn_run_options options = { .step = world->make.step,
                                   .duration = INFINITY,
                                   .hash = hash,
                                   .observe = observe,
                                   .user = s,
                                   .stop = cli_stop(),
                                   .control = control,
                                   .controller = s };
  return hn_runner_create(world->solver, world->state, &options, error);
}

static void note_failure(cli_session *s, hn_reason reason)
{
  json_t *failure = json_pack("{s:s, s:s}", "do", "fail", "reason", hn_reason_name(reason));
  cli_session_note(s, failure);
  json_decref(failure);
}

/* Impulses wait for a step that is taken. One that was interrupted is the last that is tried. */
hn_reason cli_session_step(cli_session *s)
{
  const hn_summary *summary = hn_runner_summary(s->runner);
  const long steps = summary->steps;
  const bool ended = hn_runner_ended(s->runner);
  const hn_reason reason = hn_runner_step(s->runner);
  if (summary->steps > steps) json_array_clear(s->pending);
  else if (!ended && (reason != HN_INTERRUPTED || summary->control_failed)) note_failure(s, reason);
  return reason;
}

hn_reason cli_session_step_to(cli_session *s, long steps)
{
  hn_reason reason = HN_CONVERGED;
  while (reason == HN_CONVERGED && cli_session_steps(s) < steps) reason = cli_session_step(s);
  return reason;
}

int cli_session_fail(cli_session *s, const json_t *line, hn_error *error)
{
  const char *expected = json_string_value(json_object_get(line, "reason"));
  const long steps = cli_session_steps(s);
  if (!expected) return hn_fail(error, "\"reason\" must say why the step fails");
  if (hn_runner_ended(s->runner)) return hn_fail(error, "there is no step to fail: the run has ended before");
  const char *reason = hn_reason_name(cli_session_step(s));
  if (cli_session_steps(s) == steps && strcmp(reason, expected) == 0) return 0;
  return hn_fail(error, "the step should fail here, %.40s: %s", expected,
                 cli_session_steps(s) > steps ? "it is taken" : cli_session_explanation(s));
}

const char *cli_session_explanation(const cli_session *s)
{
  return hn_runner_summary(s->runner)->explanation;
}

/* ---- Changes ---------------------------------------------------------------------------------------- */

void cli_session_make_again(const cli_session *s, cli_make *make)
{
  const cli_world *world = &s->world;
  cli_make_copy(make, &world->make);
  for (int i = 0; i < make->ngrip; i++)
    memcpy(make->grip[i].target, cli_world_target(world, i), sizeof make->grip[i].target);
}

int cli_session_keep(const cli_session *s, cli_world *slot, hn_error *error)
{
  cli_make make;
  cli_session_make_again(s, &make);
  const int status = cli_slot_fill(slot, &make, s->world.state, error);
  cli_make_free(&make);
  return status;
}

static uint64_t changes(const cli_session *s)
{
  return s->runner ? hn_runner_summary(s->runner)->changes : 0;
}

/* A world is made of the scene, so that what a run has made of its model is not in it. */
int cli_session_check_unchanged(const cli_session *s, hn_error *error)
{
  if (!s->changed && changes(s) == 0) return 0;
  return hn_fail(error, "the scene's control has changed its bodies, joints or forces, or a joint has "
                        "broken: that can be done again after a reset");
}

/* WORLD gets a runner, chained to the one there is. */
static int set_out(cli_session *s, cli_world *world, hn_error *error)
{
  const long steps = cli_session_steps(s), base = s->base;
  const uint64_t hash = cli_session_hash(s);
  hn_runner *before = s->runner;
  s->base = steps, s->runner = NULL;
  hn_runner *runner = start(s, world, hash, error);
  if (!runner) {
    s->runner = before, s->base = base;
    return -1;
  }
  s->models++;
  if (before) s->models += hn_runner_summary(before)->changes, hn_runner_finish(before, NULL);
  s->runner = runner;
  return 0;
}

/* What was to be done before the next step is done there, unless that is at another time. */
int cli_session_change(cli_session *s, cli_make *make, const cli_world *from, hn_error *error)
{
  cli_world world;
  if ((from == &s->world && cli_session_check_unchanged(s, error) < 0) ||
      cli_world_make(&world, s->plan.scene, s->plan.options, make, from, error) < 0) {
    cli_make_free(make);
    return -1;
  }
  if (set_out(s, &world, error) < 0) {
    cli_world_free(&world);
    return -1;
  }
  if (world.control) s->anew = true, forget_events(s);
  else world.control = s->world.control, s->world.control = NULL;
  if (from != &s->world) json_array_clear(s->pending);
  cli_world_free(&s->world);
  s->world = world, s->changed = false;
  return 0;
}

int cli_session_swap(cli_session *s, cli_make *make, hn_error *error)
{
  cli_world world;
  const bool changed = s->changed || changes(s) > 0;
  if (cli_world_swap(&world, make, &s->world, error) < 0) {
    cli_make_free(make);
    return -1;
  }
  if (set_out(s, &world, error) < 0) {
    cli_world_leave(&world, &s->world);
    cli_world_free(&world);
    return -1;
  }
  cli_world_leave(&s->world, &world);
  cli_world_free(&s->world);
  s->world = world, s->changed = changed;
  return 0;
}

/* ---- Where control began anew ----------------------------------------------------------------------- */

int cli_origin_begin(cli_origin *o, const cli_session *s, hn_error *error)
{
  cli_origin_free(o);
  if (cli_session_keep(s, &o->start, error) < 0) return -1;
  o->steps = cli_session_steps(s), o->hash = cli_session_hash(s);
  o->since = json_deep_copy(s->pending);
  return 0;
}

void cli_origin_free(cli_origin *o)
{
  cli_world_free(&o->start);
  json_decref(o->since);
  o->since = NULL;
}

/* ---- Its file --------------------------------------------------------------------------------------- */

static void write_line(const cli_session *s, json_t *line)
{
  char *text = s->plan.note ? json_dumps(line, JSON_COMPACT) : NULL;
  if (text) s->plan.note(s->plan.user, text);
  free(text);
  json_decref(line);
}

/* A command by which control began anew is what nothing has been done since. */
static void follow(cli_session *s, json_t *line)
{
  hn_error why;
  if (s->anew) cli_origin_begin(&s->origin, s, &why);
  else if (s->origin.start.state) json_array_append(s->origin.since, line);
  s->anew = false;
}

void cli_session_note(cli_session *s, const json_t *command)
{
  json_t *line = json_pack("{s:I}", "at_step", (json_int_t)cli_session_steps(s));
  json_object_update_missing(line, (json_t *)(uintptr_t)command);
  follow(s, line);
  write_line(s, line);
}

json_t *cli_session_head(const cli_session *s)
{
  json_t *set = json_object();
  for (size_t i = 0; i < s->world.make.nsetting; i++)
    json_object_set_new(set, s->world.make.setting[i].name, cli_json_string(s->world.make.setting[i].value));
  char *file = cli_hash_text(cli_hash_file(HN_HASH_START, s->path));
  json_t *head = json_pack("{s:s, s:i, s:s, s:o, s:s, s:o, s:b, s:o, s:o}", "format", CLI_SESSION_FORMAT,
                           "format_version", CLI_SESSION_VERSION, "version", hn_version(), "scene",
                           cli_json_string(s->plan.scene), "file", file, "set", set, "consistent",
                           s->plan.options->consistent, "solver", cli_json_string(s->world.make.spec), "step",
                           cli_json_real(s->world.make.step));
  free(file);
  return head;
}

void cli_session_end(cli_session *s)
{
  char *hash = cli_hash_text(cli_session_hash(s));
  write_line(
    s, json_pack("{s:I, s:s, s:s}", "at_step", (json_int_t)cli_session_steps(s), "do", "end", "hash", hash));
  free(hash);
}

/* ---- A session -------------------------------------------------------------------------------------- */

/* The scene's own solver and step where the plan has none. */
static int begin(cli_session *s, hn_error *error)
{
  const cli_session_plan *p = &s->plan;
  cli_make make = { .spec = NULL };
  cli_options how = *p->options;
  how.setting = (hn_setting *)(uintptr_t)p->setting, how.nsetting = p->nsetting;
  if (!(s->first = cli_scene_load(p->scene, &how, error))) return -1;
  if (p->begin && p->begin(p->user, s->first, error)) return -1;
  s->path = cli_text("%s", s->first->path);
  for (size_t i = 0; i < p->nsetting; i++) cli_make_set(&make, p->setting[i].name, p->setting[i].value);
  make.spec = cli_text("%s", p->solver ? p->solver : s->first->solver);
  make.step = p->step > 0.0 ? p->step : s->first->step;
  return cli_session_change(s, &make, NULL, error);
}

cli_session *cli_session_create(const cli_session_plan *plan, hn_error *error)
{
  cli_session *s = cli_alloc(1, sizeof *s);
  s->plan = *plan;
  s->chained = HN_HASH_START;
  s->pending = json_array();
  if (begin(s, error) == 0) {
    json_t *head = cli_session_head(s);
    follow(s, head);
    write_line(s, head);
    return s;
  }
  cli_session_free(s);
  return NULL;
}

void cli_session_free(cli_session *s)
{
  if (!s) return;
  if (s->runner) hn_runner_finish(s->runner, NULL);
  cli_world_free(&s->world);
  for (int i = 0; i < CLI_SLOTS; i++) cli_world_free(&s->slot[i]);
  cli_origin_free(&s->origin);
  hn_scene_free(s->first);
  json_decref(s->pending);
  forget_events(s);
  free(s->event);
  free(s->path);
  free(s);
}
