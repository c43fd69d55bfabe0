/* session.c - a run that commands change between its steps.
 *
 *   impulse, input, target    same runner; impulses are applied as control applies them, joints react
 *   solver, parameter, step   another runner of the same world with another solver
 *   grip, release, add, set, reset, load    another world (world.c)
 *   save                      a copy of the state
 *   pause, play, speed, once  pace of the display only
 *
 * session_commands.c carries the commands out. Each line of the session file holds the number of steps taken
 * before the command. A failed step is a line too, because the state of the scene's control cannot be
 * restored. The hash of a runner continues that of its predecessor: without commands it is that of a run. */
#include <math.h>
#include <string.h>
#include "cli/base/file_hash.h"
#include "cli/base/interrupt.h"
#include "cli/base/json.h"
#include "cli/base/memory.h"
#include "cli/session/command_values.h"
#include "cli/session/session_struct.h"

/* ---- The runner -------------------------------------------------------------------------------------- */

long cli_session_steps(const cli_session *s)
{
  return s->previous_steps + (s->runner ? hn_runner_summary(s->runner)->steps : 0);
}

uint64_t cli_session_hash(const cli_session *s)
{
  return s->runner ? hn_runner_summary(s->runner)->hash : s->previous_hash;
}

static void clear_events(cli_session *s)
{
  for (int i = 0; i < s->nevent; i++) free((char *)(uintptr_t)s->event[i].joint);
  s->nevent = 0;
}

static void store_events(cli_session *s, const hn_frame *frame)
{
  clear_events(s);
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
  if (frame->index > 0 && s->world.control) store_events(s, frame);
  if (!s->plan.observe || (frame->index == 0 && s->start_observed)) return true;
  s->start_observed = true;
  hn_frame counted = *frame;
  counted.index += s->previous_steps;
  return s->plan.observe(s->plan.user, &counted);
}

/* Applies an impulse, unless its body has been removed since the command was accepted. */
static void apply_impulse(const json_t *command, hn_control_context *moment)
{
  static const double none[3] = { 0.0 };
  double at[3], impulse[3];
  const int body = cli_command_body(command, moment->model, NULL);
  if (body < 0 || cli_command_vector(command, "at", at, NULL) ||
      cli_command_vector(command, "impulse", impulse, NULL))
    return;
  hn_state_apply_impulse(moment->state, moment->model, body, at, impulse, none);
}

/* Applies pending impulses, then calls the scene's control. */
static int control(void *user, hn_control_context *moment, hn_error *error)
{
  cli_session *s = user;
  for (size_t i = 0; i < json_array_size(s->pending); i++)
    apply_impulse(json_array_get(s->pending, i), moment);
  moment->event = s->event, moment->nevent = s->nevent;
  return s->world.control ? hn_control_step(s->world.control, moment, error) : 0;
}

/* Creates a runner for WORLD whose hash continues HASH. */
static hn_runner *create_runner(cli_session *s, cli_world *world, uint64_t hash, hn_error *error)
{
  const hn_run_options options = { .step = world->setup.step,
                                   .duration = INFINITY,
                                   .hash = hash,
                                   .observe = observe,
                                   .user = s,
                                   .stop = cli_stop(),
                                   .control = control,
                                   .controller = s };
  if (s->plan.keep_impulses && hn_solver_keep_impulses(world->solver, error)) return NULL;
  return hn_runner_create(world->solver, world->state, &options, error);
}

static void write_failure(cli_session *s, hn_reason reason)
{
  json_t *failure = json_pack("{s:s, s:s}", "do", "fail", "reason", hn_reason_name(reason));
  cli_session_write_command(s, failure);
  json_decref(failure);
}

/* Pending impulses are kept until a step succeeds. An interrupted step is not written: it is the last one. */
hn_reason cli_session_step(cli_session *s)
{
  const hn_summary *summary = hn_runner_summary(s->runner);
  const long steps = summary->steps;
  const bool ended = hn_runner_ended(s->runner);
  const hn_reason reason = hn_runner_step(s->runner);
  if (summary->steps > steps) json_array_clear(s->pending);
  else if (!ended && (reason != HN_INTERRUPTED || summary->control_failed)) write_failure(s, reason);
  return reason;
}

hn_reason cli_session_step_to(cli_session *s, long steps)
{
  hn_reason reason = HN_CONVERGED;
  while (reason == HN_CONVERGED && cli_session_steps(s) < steps) reason = cli_session_step(s);
  return reason;
}

const char *cli_session_explanation(const cli_session *s)
{
  return hn_runner_summary(s->runner)->explanation;
}

const cli_world *cli_session_world(const cli_session *s)
{
  return &s->world;
}

const hn_model *cli_session_model(const cli_session *s)
{
  return cli_world_model(&s->world);
}

bool cli_session_slot(const cli_session *s, int slot)
{
  return s->slot[slot - 1].state;
}

uint64_t cli_session_model_version(const cli_session *s)
{
  return s->model_version + hn_runner_summary(s->runner)->changes;
}

/* ---- Changes ----------------------------------------------------------------------------------------- */

void cli_session_describe(const cli_session *s, cli_world_setup *setup)
{
  const cli_world *world = &s->world;
  cli_world_setup_copy(setup, &world->setup);
  for (int i = 0; i < setup->nspring; i++)
    memcpy(setup->spring[i].target, cli_world_spring_target(world, i), sizeof setup->spring[i].target);
}

int cli_session_save(const cli_session *s, cli_world *slot, hn_error *error)
{
  cli_world_setup setup;
  cli_session_describe(s, &setup);
  const int status = cli_world_save(slot, &setup, s->world.state, error);
  cli_world_setup_free(&setup);
  return status;
}

static uint64_t changes(const cli_session *s)
{
  return s->runner ? hn_runner_summary(s->runner)->changes : 0;
}

/* A new world is created from the scene and would lose the changes that a run has made to its model. */
int cli_session_check_unchanged(const cli_session *s, hn_error *error)
{
  if (!s->model_changed && changes(s) == 0) return 0;
  return hn_fail(error, "the scene's control has changed its bodies, joints or forces, or a joint has "
                        "broken: reset first");
}

/* Creates a runner for WORLD that continues the present one, which is freed. */
static int replace_runner(cli_session *s, cli_world *world, hn_error *error)
{
  const long steps = cli_session_steps(s), previous_steps = s->previous_steps;
  const uint64_t hash = cli_session_hash(s);
  hn_runner *before = s->runner;
  s->previous_steps = steps, s->runner = NULL;
  hn_runner *runner = create_runner(s, world, hash, error);
  if (!runner) {
    s->runner = before, s->previous_steps = previous_steps;
    return -1;
  }
  s->model_version++;
  if (before) s->model_version += hn_runner_summary(before)->changes, hn_runner_finish(before, NULL);
  s->runner = runner;
  return 0;
}

/* Pending impulses and the control are kept unless FROM is another state. */
int cli_session_replace_world(cli_session *s, cli_world_setup *setup, const cli_world *from, hn_error *error)
{
  cli_world world;
  if ((from == &s->world && cli_session_check_unchanged(s, error) < 0) ||
      cli_world_create(&world, s->plan.scene, s->plan.options, setup, from, error) < 0) {
    cli_world_setup_free(setup);
    return -1;
  }
  if (replace_runner(s, &world, error) < 0) {
    cli_world_free(&world);
    return -1;
  }
  if (world.control) s->control_restarted = true, clear_events(s);
  else world.control = s->world.control, s->world.control = NULL;
  if (from != &s->world) json_array_clear(s->pending);
  cli_world_free(&s->world);
  s->world = world, s->model_changed = false;
  return 0;
}

int cli_session_replace_solver(cli_session *s, cli_world_setup *setup, hn_error *error)
{
  cli_world world;
  const bool model_changed = s->model_changed || changes(s) > 0;
  if (cli_world_with_solver(&world, setup, &s->world, error) < 0) {
    cli_world_setup_free(setup);
    return -1;
  }
  if (replace_runner(s, &world, error) < 0) {
    cli_world_unshare(&world, &s->world);
    cli_world_free(&world);
    return -1;
  }
  cli_world_unshare(&s->world, &world);
  cli_world_free(&s->world);
  s->world = world, s->model_changed = model_changed;
  return 0;
}

/* ---- Start of the control ---------------------------------------------------------------------------- */

int cli_origin_set(cli_origin *o, const cli_session *s, hn_error *error)
{
  cli_origin_free(o);
  if (cli_session_save(s, &o->saved, error) < 0) return -1;
  o->steps = cli_session_steps(s), o->hash = cli_session_hash(s);
  o->commands = json_deep_copy(s->pending);
  return 0;
}

void cli_origin_free(cli_origin *o)
{
  cli_world_free(&o->saved);
  json_decref(o->commands);
  o->commands = NULL;
}

/* ---- Session file ------------------------------------------------------------------------------------ */

static void write_line(const cli_session *s, json_t *line)
{
  char *text = s->plan.write_line ? json_dumps(line, JSON_COMPACT) : NULL;
  if (text) s->plan.write_line(s->plan.user, text);
  free(text);
  json_decref(line);
}

/* Extends the list of commands since the control was created, or starts it anew after this command. */
static void extend_origin(cli_session *s, json_t *line)
{
  hn_error why;
  if (s->control_restarted) cli_origin_set(&s->origin, s, &why);
  else if (s->origin.saved.state) json_array_append(s->origin.commands, line);
  s->control_restarted = false;
}

void cli_session_write_command(cli_session *s, const json_t *command)
{
  json_t *line = json_pack("{s:I}", "at_step", (json_int_t)cli_session_steps(s));
  json_object_update_missing(line, (json_t *)(uintptr_t)command);
  extend_origin(s, line);
  write_line(s, line);
}

/* Returns the first line of the session file: version, scene, settings, solver, step. */
static json_t *head_of(const cli_session *s)
{
  json_t *set = json_object();
  for (size_t i = 0; i < s->world.setup.nsetting; i++)
    json_object_set_new(set, s->world.setup.setting[i].name,
                        cli_json_string(s->world.setup.setting[i].value));
  char *file = cli_hash_text(cli_hash_file(HN_HASH_START, s->path));
  json_t *head = json_pack("{s:s, s:i, s:s, s:o, s:s, s:o, s:b, s:o, s:o}", "format", CLI_SESSION_FORMAT,
                           "format_version", CLI_SESSION_VERSION, "version", hn_version(), "scene",
                           cli_json_string(s->plan.scene), "file", file, "set", set, "consistent",
                           s->plan.options->consistent, "solver", cli_json_string(s->world.setup.spec),
                           "step", cli_json_real(s->world.setup.step));
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

/* ---- Creation ---------------------------------------------------------------------------------------- */

/* Uses the scene's own solver and step unless the plan has others. */
static int begin(cli_session *s, hn_error *error)
{
  const cli_session_plan *p = &s->plan;
  cli_world_setup setup = { .spec = NULL };
  cli_options scene_options = *p->options;
  scene_options.setting = (hn_setting *)(uintptr_t)p->setting, scene_options.nsetting = p->nsetting;
  if (!(s->initial_scene = cli_scene_load(p->scene, &scene_options, error))) return -1;
  if (p->begin && p->begin(p->user, s->initial_scene, error)) return -1;
  s->path = cli_text("%s", s->initial_scene->path);
  for (size_t i = 0; i < p->nsetting; i++)
    cli_world_setup_set(&setup, p->setting[i].name, p->setting[i].value);
  setup.spec = cli_text("%s", p->solver ? p->solver : s->initial_scene->solver);
  setup.step = p->step > 0.0 ? p->step : s->initial_scene->step;
  return cli_session_replace_world(s, &setup, NULL, error);
}

cli_session *cli_session_create(const cli_session_plan *plan, hn_error *error)
{
  cli_session *s = cli_alloc(1, sizeof *s);
  s->plan = *plan;
  s->previous_hash = HN_HASH_START;
  s->pending = json_array();
  if (begin(s, error) == 0) {
    json_t *head = head_of(s);
    extend_origin(s, head);
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
  hn_scene_free(s->initial_scene);
  json_decref(s->pending);
  clear_events(s);
  free(s->event);
  free(s->path);
  free(s);
}
