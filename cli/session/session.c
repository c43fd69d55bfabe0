/* session.c - a run that is changed while it goes on.
 *
 *   impulse, input, target    between two steps of one runner, as control does: joints answer an impulse at once
 *   grip, release, solver, parameter, step, set, reset    another world (world.c) and another runner
 *   pause, play, speed, once  how fast it is shown; nothing of the motion
 *
 * Each has the number of steps taken before it. The hash of a runner is chained to that of the one before, so that a
 * session without commands has the hash of a run. */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "base/vec.h"
#include "cli/base/interrupt.h"
#include "cli/base/json.h"
#include "cli/base/memory.h"
#include "cli/base/parse.h"
#include "cli/session/commands.h"
#include "cli/session/session.h"
#include "cli/session/world.h"

struct cli_session {
  cli_session_plan plan;
  char *path;                 /* of the scene */
  cli_world world;
  hn_scene *first;            /* as it was loaded first: what records stand on */
  hn_runner *runner;
  long base;                  /* steps taken before it */
  json_t *pending;            /* array: for control, before the next step */
  bool shown;                 /* the start has been observed */
};

/* ---- The runner -------------------------------------------------------------------------------------------------- */

long cli_session_steps(const cli_session *s)
{
  return s->base + (s->runner ? hn_runner_summary(s->runner)->steps : 0);
}

uint64_t cli_session_hash(const cli_session *s)
{
  return s->runner ? hn_runner_summary(s->runner)->hash : HN_HASH_START;
}

static bool observe(void *user, const hn_frame *frame)
{
  cli_session *s = user;
  if (!s->plan.observe || (frame->index == 0 && s->shown)) return true;
  s->shown = true;
  hn_frame counted = *frame;
  counted.index += s->base;
  return s->plan.observe(s->plan.user, &counted);
}

static void strike(const json_t *command, hn_moment *moment)
{
  static const double none[3] = { 0.0 };
  double at[3], impulse[3];
  const int body = cli_command_body(command, moment->model, NULL);
  if (body < 0 || cli_command_vector(command, "at", at, NULL) || cli_command_vector(command, "impulse", impulse, NULL))
    return;
  hn_state_strike(moment->state, moment->model, body, at, impulse, none);
}

/* Impulses, then what the scene's own control does. */
static int control(void *user, hn_moment *moment, hn_error *error)
{
  cli_session *s = user;
  for (size_t i = 0; i < json_array_size(s->pending); i++) strike(json_array_get(s->pending, i), moment);
  json_array_clear(s->pending);
  return s->world.control ? hn_control_step(s->world.control, moment, error) : 0;
}

/* A runner for WORLD, chained to HASH. */
static hn_runner *start(cli_session *s, cli_world *world, uint64_t hash, hn_error *error)
{
  const hn_run_options options = { .step = world->make.step, .duration = INFINITY, .hash = hash, .observe = observe,
                                   .user = s, .stop = cli_stop(), .control = control, .controller = s };
  return hn_runner_create(world->solver, world->state, &options, error);
}

hn_reason cli_session_step(cli_session *s)
{
  return hn_runner_step(s->runner);
}

const char *cli_session_explanation(const cli_session *s)
{
  return hn_runner_summary(s->runner)->explanation;
}

/* ---- Changes ----------------------------------------------------------------------------------------------------- */

/* The world of MAKE, which it takes over, takes the place of the one there is; FRESH: at its start. */
static int change(cli_session *s, cli_make *make, bool fresh, hn_error *error)
{
  cli_world world;
  hn_control *own = s->world.control;
  if (cli_world_make(&world, s->plan.scene, s->plan.options, make, fresh ? NULL : &s->world, error) < 0) {
    cli_make_free(make);
    return -1;
  }
  const long steps = cli_session_steps(s);
  const uint64_t hash = cli_session_hash(s);
  hn_runner *before = s->runner;
  s->base = steps, s->runner = NULL;
  hn_runner *runner = start(s, &world, hash, error);
  if (!runner) {
    s->runner = before, s->base = before ? steps - hn_runner_summary(before)->steps : 0;
    if (own && !s->world.control) s->world.control = own, world.control = NULL;
    cli_world_free(&world);
    return -1;
  }
  if (before) hn_runner_finish(before, NULL);
  cli_world_free(&s->world);
  json_array_clear(s->pending);
  s->world = world, s->runner = runner;
  return 0;
}

static int find_grip(const cli_session *s, const json_t *command, hn_error *error)
{
  const char *id = cli_command_text(command, "id", 31, error);
  if (!id) return -1;
  for (int i = 0; i < s->world.make.ngrip; i++)
    if (strcmp(s->world.make.grip[i].id, id) == 0) return i;
  return hn_fail(error, "there is no grip \"%s\"", id);
}

/* Where the grips there are have been moved. */
static void note_targets(cli_make *make, const cli_world *world)
{
  for (int i = 0; i < world->make.ngrip; i++)
    memcpy(make->grip[i].target, cli_world_target(world, i), sizeof make->grip[i].target);
}

static int take_grip(cli_session *s, const json_t *command, cli_grip *grip, hn_error *error)
{
  double at[3], arm[3];
  const char *id = cli_command_text(command, "id", sizeof grip->id - 1, error);
  const int body = id ? cli_command_body(command, s->world.scene->model, error) : -1;
  if (body < 0 || cli_command_vector(command, "at", at, error) ||
      cli_command_number(command, "stiffness", &grip->stiffness, error) ||
      cli_command_number(command, "damping", &grip->damping, error))
    return -1;
  if (!(grip->stiffness > 0) || grip->damping < 0)
    return hn_fail(error, "grip: stiffness must be above 0, damping 0 or more");
  if (s->world.make.ngrip == CLI_MOST_GRIPS) return hn_fail(error, "grip: there are %d already", CLI_MOST_GRIPS);
  if (id[strcspn(id, "\"\\")] || find_grip(s, command, NULL) >= 0)
    return hn_fail(error, "grip: there is one \"%s\" already, or it has a quotation mark", id);
  const hn_pose *pose = &s->world.state->pose[body];
  vec_sub(arm, at, pose->x);
  quat_unrotate(grip->point, pose->q, arm);
  vec_copy(grip->target, at);
  grip->body = body;
  snprintf(grip->id, sizeof grip->id, "%s", id);
  return 0;
}

static int do_grip(cli_session *s, const json_t *command, hn_error *error)
{
  cli_make make;
  cli_grip grip = { .body = 0 };
  if (take_grip(s, command, &grip, error) < 0) return -1;
  cli_make_copy(&make, &s->world.make);
  note_targets(&make, &s->world);
  make.grip[make.ngrip++] = grip;
  return change(s, &make, false, error);
}

static int do_release(cli_session *s, const json_t *command, hn_error *error)
{
  cli_make make;
  const int index = find_grip(s, command, error);
  if (index < 0) return -1;
  cli_make_copy(&make, &s->world.make);
  note_targets(&make, &s->world);
  make.ngrip--;
  memmove(make.grip + index, make.grip + index + 1, sizeof *make.grip * (size_t)(make.ngrip - index));
  return change(s, &make, false, error);
}

static int do_target(cli_session *s, const json_t *command, hn_error *error)
{
  double to[3];
  const int index = find_grip(s, command, error);
  if (index < 0 || cli_command_vector(command, "to", to, error)) return -1;
  memcpy(cli_world_target(&s->world, index), to, sizeof to);
  return 0;
}

static int do_impulse(cli_session *s, const json_t *command, hn_error *error)
{
  const hn_model *model = s->world.scene->model;
  double at[3], impulse[3];
  if (cli_command_body(command, model, error) < 0 || cli_command_vector(command, "at", at, error) ||
      cli_command_vector(command, "impulse", impulse, error))
    return -1;
  if (model->planar && impulse[2] != 0.0) return hn_fail(error, "impulse: of a planar system it lies in the plane");
  return json_array_append_new(s->pending, json_deep_copy(command)) ? hn_fail(error, "out of memory") : 0;
}

/* Of a motor, by the name of its joint or force. */
static int do_input(cli_session *s, const json_t *command, hn_error *error)
{
  const hn_model *model = s->world.scene->model;
  const char *of = cli_command_text(command, "of", 256, error);
  double value;
  if (!of || cli_command_number(command, "value", &value, error)) return -1;
  const int joint = hn_model_find_joint(model, of, NULL), force = hn_model_find_force(model, of, NULL);
  const int scene_forces = model->nforce - s->world.make.ngrip;
  const hn_force *f = force >= 0 && force < scene_forces ? &model->force[force] : NULL;
  if (joint >= 0 && model->joint[joint].input >= 0) {
    s->world.state->input[model->joint[joint].input] = value;
    return 0;
  }
  if (!f || f->type->inputs == 0) return hn_fail(error, "input: nothing called \"%.100s\" has an input", of);
  if (f->type->modes && value != -1.0 && value != 0.0 && value != 1.0)
    return hn_fail(error, "input: \"%.100s\" takes -1, 0 or 1", of);
  s->world.state->input[f->input] = value;
  return 0;
}

static int do_solver(cli_session *s, const json_t *command, hn_error *error)
{
  cli_make make;
  const char *spec = cli_command_text(command, "spec", 1000, error);
  if (!spec) return -1;
  cli_make_copy(&make, &s->world.make);
  note_targets(&make, &s->world);
  free(make.spec);
  make.spec = cli_text("%s", spec);
  return change(s, &make, false, error);
}

/* Settings are texts, as on the command line. */
static int do_parameter(cli_session *s, const json_t *command, hn_error *error)
{
  cli_make make;
  const char *key = cli_command_text(command, "key", 60, error);
  const char *value = key ? cli_command_text(command, "value", 200, error) : NULL;
  if (!value) return -1;
  if (key[strcspn(key, ",=:")] || value[strcspn(value, ",")])
    return hn_fail(error, "parameter: a key or a value cannot contain a comma");
  char *setting = cli_text("%s=%s", key, value);
  cli_make_copy(&make, &s->world.make);
  note_targets(&make, &s->world);
  free(make.spec);
  make.spec = cli_spec_override(s->world.make.spec, setting);
  free(setting);
  return change(s, &make, false, error);
}

static int do_step(cli_session *s, const json_t *command, hn_error *error)
{
  cli_make make;
  double size;
  if (cli_command_number(command, "size", &size, error)) return -1;
  if (!(size > 0.0)) return hn_fail(error, "step: its size must be above 0 s");
  cli_make_copy(&make, &s->world.make);
  note_targets(&make, &s->world);
  make.step = size;
  return change(s, &make, false, error);
}

static int do_set(cli_session *s, const json_t *command, hn_error *error)
{
  cli_make make;
  const char *name = cli_command_text(command, "name", 100, error);
  const char *value = name ? cli_command_text(command, "value", 200, error) : NULL;
  if (!value) return -1;
  cli_make_copy(&make, &s->world.make);
  note_targets(&make, &s->world);
  cli_make_set(&make, name, value);
  return change(s, &make, false, error);
}

/* Hands let go. */
static int do_reset(cli_session *s, const json_t *command, hn_error *error)
{
  cli_make make;
  (void)command;
  cli_make_copy(&make, &s->world.make);
  make.ngrip = 0;
  return change(s, &make, true, error);
}

static int do_nothing(cli_session *s, const json_t *command, hn_error *error)
{
  (void)s, (void)command, (void)error;
  return 0;
}

static const struct {
  const char *name, *keys;
  int (*carry_out)(cli_session *s, const json_t *command, hn_error *error);
} kinds[] = {
  { "impulse", "body at impulse", do_impulse },
  { "input", "of value", do_input },
  { "grip", "id body at stiffness damping", do_grip },
  { "target", "id to", do_target },
  { "release", "id", do_release },
  { "solver", "spec", do_solver },
  { "parameter", "key value", do_parameter },
  { "step", "size", do_step },
  { "set", "name value", do_set },
  { "reset", "", do_reset },
  { "pause", "", do_nothing },
  { "play", "", do_nothing },
  { "once", "", do_nothing },
  { "speed", "factor", do_nothing },
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* ---- Its file ---------------------------------------------------------------------------------------------------- */

static void write_line(const cli_session *s, json_t *line)
{
  char *text = s->plan.log ? json_dumps(line, JSON_COMPACT) : NULL;
  if (text) fprintf(s->plan.log, "%s\n", text), fflush(s->plan.log);
  free(text);
  json_decref(line);
}

static void note(const cli_session *s, const json_t *command)
{
  json_t *line = json_pack("{s:I}", "at_step", (json_int_t)cli_session_steps(s));
  json_object_update_missing(line, (json_t *)(uintptr_t)command);
  write_line(s, line);
}

int cli_session_do(cli_session *s, const json_t *command, hn_error *error)
{
  const char *names[KINDS], *name = json_string_value(json_object_get(command, "do"));
  for (size_t i = 0; name && i < KINDS; i++) {
    names[i] = kinds[i].name;
    if (strcmp(kinds[i].name, name) != 0) continue;
    if (cli_command_keys(command, kinds[i].keys, error) || kinds[i].carry_out(s, command, error) < 0) return -1;
    note(s, command);
    return 0;
  }
  if (!name) return hn_fail(error, "a command is an object with \"do\"");
  char *hint = cli_hint(name, names, KINDS);
  hn_fail(error, "no command \"%.60s\"%s", name, hint);
  free(hint);
  return -1;
}

char *cli_session_file_hash(const char *path)
{
  uint64_t hash = HN_HASH_START;
  FILE *file = fopen(path, "r");
  for (int c; file && (c = getc(file)) != EOF;) hash = (hash ^ (unsigned char)c) * UINT64_C(0x100000001b3);
  if (file) fclose(file);
  return cli_text("%016" PRIx64, hash);
}

json_t *cli_session_head(const cli_session *s)
{
  json_t *set = json_object();
  for (size_t i = 0; i < s->world.make.nsetting; i++)
    json_object_set_new(set, s->world.make.setting[i].name, cli_json_string(s->world.make.setting[i].value));
  char *file = cli_session_file_hash(s->path);
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
  char hash[20];
  snprintf(hash, sizeof hash, "%016" PRIx64, cli_session_hash(s));
  write_line(s, json_pack("{s:I, s:s, s:s}", "at_step", (json_int_t)cli_session_steps(s), "do", "end", "hash", hash));
}

/* ---- A session --------------------------------------------------------------------------------------------------- */

/* The scene's own method and step where the plan has none. */
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
  return change(s, &make, true, error);
}

cli_session *cli_session_create(const cli_session_plan *plan, hn_error *error)
{
  cli_session *s = cli_alloc(1, sizeof *s);
  s->plan = *plan;
  s->pending = json_array();
  if (begin(s, error) == 0) {
    write_line(s, cli_session_head(s));
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
  hn_scene_free(s->first);
  json_decref(s->pending);
  free(s->path);
  free(s);
}

const hn_scene *cli_session_scene(const cli_session *s)
{
  return s->world.scene;
}

const hn_state *cli_session_state(const cli_session *s)
{
  return s->world.state;
}

const hn_solver *cli_session_solver(const cli_session *s)
{
  return s->world.solver;
}

double cli_session_step_size(const cli_session *s)
{
  return s->world.make.step;
}
