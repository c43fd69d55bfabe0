/* session_commands.c - carries out the commands of a session between two steps (see session.c). */
#include <string.h>
#include "base/vec.h"
#include "cli/base/memory.h"
#include "cli/base/parse.h"
#include "cli/session/command_values.h"
#include "cli/session/session_struct.h"

/* Returns -1 with a message if the name is TAKEN or COUNT has reached MOST. */
static int check_one_more(const char *what, const char *name, bool taken, int count, int most,
                          hn_error *error)
{
  if (taken) return hn_fail(error, "%s: there is a \"%s\" already", what, name);
  return count < most ? 0 : hn_fail(error, "%s: there are %d already", what, most);
}

/* ---- Mouse springs ----------------------------------------------------------------------------------- */

static int find_spring(const cli_session *s, const json_t *command, hn_error *error)
{
  const char *id = cli_command_text(command, "id", 31, error);
  const int index = id ? cli_world_find_spring(&s->world, id) : -1;
  if (id && index < 0) hn_fail(error, "there is no grip \"%s\"", id);
  return index;
}

static int do_grip(cli_session *s, const json_t *command, cli_world_setup *setup, hn_error *error)
{
  double at[3], arm[3];
  cli_mouse_spring spring = { .body = 0 };
  const char *id = cli_command_text(command, "id", sizeof spring.id - 1, error);
  const int body = id ? cli_command_body(command, cli_world_model(&s->world), error) : -1;
  if (body < 0 || cli_command_vector(command, "at", at, error) ||
      cli_command_number(command, "stiffness", &spring.stiffness, error) ||
      cli_command_number(command, "damping", &spring.damping, error))
    return -1;
  if (!(spring.stiffness > 0) || spring.damping < 0)
    return hn_fail(error, "grip: stiffness must be above 0, damping 0 or more");
  if (id[strcspn(id, "\"\\")])
    return hn_fail(error, "grip: an id cannot contain a quotation mark or a backslash");
  const bool taken = find_spring(s, command, NULL) >= 0;
  if (check_one_more("grip", id, taken, setup->nspring, CLI_MAX_MOUSE_SPRINGS, error)) return -1;
  const hn_pose *pose = &s->world.state->pose[body];
  vec_sub(arm, at, pose->x);
  quat_unrotate(spring.point, pose->q, arm);
  vec_copy(spring.target, at);
  spring.body = body;
  snprintf(spring.id, sizeof spring.id, "%s", id);
  setup->spring[setup->nspring++] = spring;
  return 0;
}

static int do_release(cli_session *s, const json_t *command, cli_world_setup *setup, hn_error *error)
{
  const int index = find_spring(s, command, error);
  if (index < 0) return -1;
  setup->nspring--;
  memmove(setup->spring + index, setup->spring + index + 1,
          sizeof *setup->spring * (size_t)(setup->nspring - index));
  return 0;
}

static int do_target(cli_session *s, const json_t *command, cli_world_setup *setup, hn_error *error)
{
  (void)setup;
  double to[3];
  const int index = find_spring(s, command, error);
  if (index < 0 || cli_command_vector(command, "to", to, error)) return -1;
  memcpy(cli_world_spring_target(&s->world, index), to, sizeof to);
  return 0;
}

/* ---- Changes of the state ---------------------------------------------------------------------------- */

static int do_impulse(cli_session *s, const json_t *command, cli_world_setup *setup, hn_error *error)
{
  (void)setup;
  const hn_model *model = cli_world_model(&s->world);
  double at[3], impulse[3];
  if (cli_command_body(command, model, error) < 0 || cli_command_vector(command, "at", at, error) ||
      cli_command_vector(command, "impulse", impulse, error))
    return -1;
  if (model->planar && impulse[2] != 0.0)
    return hn_fail(error, "impulse: must lie in the plane of a planar system");
  return json_array_append_new(s->pending, json_deep_copy(command)) ? hn_fail(error, "out of memory") : 0;
}

static bool is_mouse_spring(const cli_session *s, int force)
{
  bool found = false;
  for (int i = 0; i < s->world.setup.nspring; i++) found |= cli_world_spring_force(&s->world, i) == force;
  return found;
}

/* Sets the input of a motor, named by its joint or force. */
static int do_input(cli_session *s, const json_t *command, cli_world_setup *setup, hn_error *error)
{
  (void)setup;
  const hn_model *model = cli_world_model(&s->world);
  const char *of = cli_command_text(command, "of", 256, error);
  double value;
  if (!of || cli_command_number(command, "value", &value, error)) return -1;
  const int joint = hn_model_find_joint(model, of, NULL), force = hn_model_find_force(model, of, NULL);
  const hn_force *f = force >= 0 && !is_mouse_spring(s, force) ? &model->force[force] : NULL;
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

/* ---- Solver, step, settings -------------------------------------------------------------------------- */

static int do_solver(cli_session *s, const json_t *command, cli_world_setup *setup, hn_error *error)
{
  (void)s;
  const char *spec = cli_command_text(command, "spec", 1000, error);
  if (!spec) return -1;
  free(setup->spec);
  setup->spec = cli_text("%s", spec);
  return 0;
}

/* Replaces one parameter of the solver; values are texts as on the command line. */
static int do_parameter(cli_session *s, const json_t *command, cli_world_setup *setup, hn_error *error)
{
  const char *key = cli_command_text(command, "key", 60, error);
  const char *value = key ? cli_command_text(command, "value", 200, error) : NULL;
  if (!value) return -1;
  if (key[strcspn(key, ",=:")] || value[strcspn(value, ",")])
    return hn_fail(error, "parameter: a key or a value cannot contain a comma");
  char *setting = cli_text("%s=%s", key, value);
  free(setup->spec);
  setup->spec = cli_spec_override(s->world.setup.spec, setting);
  free(setting);
  return 0;
}

static int do_step(cli_session *s, const json_t *command, cli_world_setup *setup, hn_error *error)
{
  (void)s;
  if (cli_command_number(command, "size", &setup->step, error)) return -1;
  return setup->step > 0.0 ? 0 : hn_fail(error, "step: its size must be above 0 s");
}

static int do_set(cli_session *s, const json_t *command, cli_world_setup *setup, hn_error *error)
{
  (void)s;
  const char *name = cli_command_text(command, "name", 100, error);
  const char *value = name ? cli_command_text(command, "value", 200, error) : NULL;
  if (!value) return -1;
  cli_world_setup_set(setup, name, value);
  return 0;
}

/* ---- Added bodies ------------------------------------------------------------------------------------ */

/* Reads a box (its edges) or a sphere (its radius); in a planar model, a rectangle or a circle. */
static int read_shape(const json_t *command, bool planar, hn_shape *shape, hn_error *error)
{
  const char *kind = cli_command_text(command, "shape", 20, error);
  const json_t *size = json_object_get(command, "size");
  if (!kind) return -1;
  const bool box = strcmp(kind, "box") == 0;
  if (!box && strcmp(kind, "sphere") != 0)
    return hn_fail(error, "add: a shape is a box or a sphere, not \"%s\"", kind);
  const size_t count = box ? 3 - planar : 1;
  for (size_t i = 0; i < count; i++) shape->size[i] = json_number_value(json_array_get(size, i));
  if (json_array_size(size) != count)
    return hn_fail(error, "add: the size of a box is %s edges, that of a sphere its radius",
                   planar ? "two" : "three");
  shape->kind = box ? HN_BOX : HN_SPHERE;
  if (box && planar) shape->size[2] = 1.0;
  if (hn_shape_check(shape, error) < 0) return -1;
  if (planar) shape->kind = box ? HN_POLYGON : HN_CIRCLE;
  return 0;
}

static int do_add(cli_session *s, const json_t *command, cli_world_setup *setup, hn_error *error)
{
  cli_added_body added = { .friction = 0.5 };
  const bool weighed = json_object_get(command, "mass");
  const char *name = cli_command_text(command, "name", sizeof added.name - 1, error);
  if (!name || read_shape(command, cli_world_model(&s->world)->planar, &added.shape, error) < 0 ||
      cli_command_vector(command, "at", added.at, error) ||
      cli_command_optional(command, "velocity", 3, added.velocity, error) ||
      cli_command_optional(command, "friction", 1, &added.friction, error) ||
      cli_command_optional(command, "restitution", 1, &added.restitution, error) ||
      cli_command_number(command, weighed ? "mass" : "density", weighed ? &added.mass : &added.density,
                         error))
    return -1;
  if (weighed && json_object_get(command, "density"))
    return hn_fail(error, "add: give a mass or a density, not both");
  if (!(added.mass > 0.0 || added.density > 0.0))
    return hn_fail(error, "add: mass or density must be above 0");
  const bool taken = hn_model_find_body(cli_world_model(&s->world), name, NULL) >= 0;
  if (check_one_more("add", name, taken, setup->nadded, CLI_MAX_ADDED_BODIES, error)) return -1;
  snprintf(added.name, sizeof added.name, "%s", name);
  setup->added[setup->nadded++] = added;
  return 0;
}

/* ---- Saved states ------------------------------------------------------------------------------------ */

static int find_slot(const json_t *command, hn_error *error)
{
  const json_t *slot = json_object_get(command, "slot");
  const json_int_t number = json_integer_value(slot);
  if (json_is_integer(slot) && number >= 1 && number <= CLI_SLOTS) return (int)number - 1;
  return hn_fail(error, "\"slot\" must be a whole number from 1 to %d", CLI_SLOTS);
}

static int do_save(cli_session *s, const json_t *command, cli_world_setup *setup, hn_error *error)
{
  (void)setup;
  const int slot = find_slot(command, error);
  if (slot < 0 || cli_session_check_unchanged(s, error) < 0) return -1;
  return cli_session_save(s, &s->slot[slot], error);
}

/* The state of the scene's control was not saved; a new control is created. */
static int do_load(cli_session *s, const json_t *command, cli_world_setup *setup, hn_error *error)
{
  const int slot = find_slot(command, error);
  if (slot < 0) return -1;
  if (!s->slot[slot].state) return hn_fail(error, "there is nothing in slot %d", slot + 1);
  cli_world_setup_copy(setup, &s->slot[slot].setup);
  return cli_session_replace_world(s, setup, &s->slot[slot], error);
}

/* Removes mouse springs and added bodies. */
static int do_reset(cli_session *s, const json_t *command, cli_world_setup *setup, hn_error *error)
{
  (void)command;
  cli_session_describe(s, setup);
  setup->nspring = setup->nadded = 0;
  return cli_session_replace_world(s, setup, NULL, error);
}

static int do_nothing(cli_session *s, const json_t *command, cli_world_setup *setup, hn_error *error)
{
  (void)s, (void)command, (void)setup, (void)error;
  return 0;
}

/* A command that changes the solver or the world edits SETUP, the description of the present world, which
 * then replaces that; other commands act by themselves. */
typedef enum { ITSELF, SOLVER, WORLD } effect;

static const struct {
  const char *name, *keys;
  int (*carry_out)(cli_session *s, const json_t *command, cli_world_setup *setup, hn_error *error);
  effect effect;
} kinds[] = {
  { "impulse", "body at impulse", do_impulse, ITSELF },
  { "input", "of value", do_input, ITSELF },
  { "grip", "id body at stiffness damping", do_grip, WORLD },
  { "target", "id to", do_target, ITSELF },
  { "release", "id", do_release, WORLD },
  { "solver", "spec", do_solver, SOLVER },
  { "parameter", "key value", do_parameter, SOLVER },
  { "step", "size", do_step, SOLVER },
  { "set", "name value", do_set, WORLD },
  { "reset", "", do_reset, ITSELF },
  { "add", "name shape size at velocity density mass friction restitution", do_add, WORLD },
  { "save", "slot", do_save, ITSELF },
  { "load", "slot", do_load, ITSELF },
  { "pause", "", do_nothing, ITSELF },
  { "play", "", do_nothing, ITSELF },
  { "once", "", do_nothing, ITSELF },
  { "speed", "factor", do_nothing, ITSELF },
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static int carry_out(cli_session *s, size_t kind, const json_t *command, hn_error *error)
{
  cli_world_setup setup;
  const effect on = kinds[kind].effect;
  if (on == ITSELF) return kinds[kind].carry_out(s, command, &setup, error);
  cli_session_describe(s, &setup);
  if (kinds[kind].carry_out(s, command, &setup, error) == 0)
    return on == SOLVER ? cli_session_replace_solver(s, &setup, error)
                        : cli_session_replace_world(s, &setup, &s->world, error);
  cli_world_setup_free(&setup);
  return -1;
}

int cli_session_do(cli_session *s, const json_t *command, hn_error *error)
{
  const char *names[KINDS], *name = json_string_value(json_object_get(command, "do"));
  for (size_t i = 0; name && i < KINDS; i++) {
    names[i] = kinds[i].name;
    if (strcmp(kinds[i].name, name) != 0) continue;
    if (cli_command_keys(command, kinds[i].keys, error) || carry_out(s, i, command, error) < 0) return -1;
    cli_session_write_command(s, command);
    return 0;
  }
  if (!name) return hn_fail(error, "a command is an object with \"do\"");
  char *hint = cli_hint(name, names, KINDS);
  hn_fail(error, "no command \"%.60s\"%s", name, hint);
  free(hint);
  return -1;
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
