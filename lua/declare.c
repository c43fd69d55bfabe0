/* declare.c - declarations of a scene beside its model: parameters, defaults, expectations, reference
 * function. */
#include "declare.h"
#include "fields.h"
#include "base/params.h"
#include "registry/solver_registry.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *hn_declare_append(lua_State *L, void *array, size_t *count, size_t size)
{
  char *grown;
  memcpy(&grown, array, sizeof grown);
  hn_sandbox_hold(L, size);
  grown = realloc(grown, (*count + 2) * size);
  if (!grown) hn_sandbox_fail(L, "out of memory");
  memcpy(array, &grown, sizeof grown);
  return memset(grown + size * (*count)++, 0, 2 * size);
}

/* ---- Parameters ------------------------------------------------------------------------------------ */

const char *hn_declare_text(lua_State *L, int index)
{
  char text[64];
  if (lua_type(L, index) == LUA_TSTRING) {
    lua_pushvalue(L, index);
    return lua_tostring(L, -1);
  }
  if (lua_type(L, index) == LUA_TBOOLEAN)
    return lua_pushstring(L, lua_toboolean(L, index) ? "true" : "false");
  if (lua_isinteger(L, index)) snprintf(text, sizeof text, "%lld", (long long)lua_tointeger(L, index));
  else snprintf(text, sizeof text, "%s", hn_exact(lua_tonumber(L, index)).text);
  return lua_pushstring(L, text);
}

/* Push TEXT as a number of the type (integer or float) of the default at index 2. */
static void push_number(lua_State *L, const char *name, const char *text)
{
  bool integer = lua_isinteger(L, 2);
  int whole = 0;
  bool good = lua_stringtonumber(L, text) != 0 && isfinite(lua_tonumber(L, -1));
  lua_Integer value = good ? lua_tointegerx(L, -1, &whole) : 0;
  if (!good || (integer && !whole))
    hn_sandbox_fail(L, "--set %s=%.60s: %s must be %s", name, text, name,
                    integer ? "an integer" : "a finite number");
  if (integer) lua_pushinteger(L, value);
  else lua_pushnumber(L, lua_tonumber(L, -1));
}

/* Push TEXT as a value of the type of the default at index 2. */
static void push_override(lua_State *L, const char *name, const char *text)
{
  bool yes = strcmp(text, "true") == 0;
  switch (lua_type(L, 2)) {
  case LUA_TNUMBER: push_number(L, name, text); break;
  case LUA_TSTRING: lua_pushstring(L, text); break;
  default:
    if (!yes && strcmp(text, "false") != 0)
      hn_sandbox_fail(L, "--set %s=%.60s: %s must be true or false", name, text, name);
    lua_pushboolean(L, yes);
  }
}

/* Check the arguments of scene.param and return the name. */
static const char *check_param(lua_State *L, const hn_scene *scene)
{
  lua_settop(L, 4);
  if (lua_type(L, 1) != LUA_TSTRING)
    hn_sandbox_fail(L, "param: the first argument is a name, then default and help");
  const char *name = lua_tostring(L, 1);
  size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
  if (length == 0 || name[length])
    hn_sandbox_fail(L, "param \"%.60s\": a name is letters, digits and _", name);
  for (size_t i = 0; i < scene->nparam; i++)
    if (strcmp(scene->param[i].name, name) == 0) hn_sandbox_fail(L, "param \"%s\" is declared twice", name);
  int type = lua_type(L, 2);
  if (type != LUA_TNUMBER && type != LUA_TSTRING && type != LUA_TBOOLEAN)
    hn_sandbox_fail(L, "param \"%s\": its default must be a number, a string, true or false, not %s", name,
                    luaL_typename(L, 2));
  if (type == LUA_TNUMBER && !isfinite(lua_tonumber(L, 2)))
    hn_sandbox_fail(L, "param \"%s\": its default must be finite", name);
  if (!lua_isnil(L, 3) && lua_type(L, 3) != LUA_TSTRING)
    hn_sandbox_fail(L, "param \"%s\": its help must be a string", name);
  return name;
}

typedef struct param_input {
  bool live;
  double low, high;
} param_input;

static const hn_field param_fields[] = {
  { "live", HN_FIELD_FLAG, offsetof(param_input, live), 0, 0, false },
  { "low", HN_FIELD_NUMBER, offsetof(param_input, low), 1, 0, false },
  { "high", HN_FIELD_NUMBER, offsetof(param_input, high), 1, 0, false },
};

/* Returns the options of a parameter, the fourth argument of scene.param. */
static param_input param_options(lua_State *L, const char *name)
{
  char what[100];
  param_input in = { .low = NAN, .high = NAN };
  if (lua_isnil(L, 4)) return in;
  snprintf(what, sizeof what, "param \"%.60s\"", name);
  if (lua_type(L, 4) != LUA_TTABLE)
    hn_sandbox_fail(L, "%s: its options must be a table: { live = true }", what);
  hn_fields_read(L, 4, what, param_fields, sizeof param_fields / sizeof *param_fields, &in);
  if (isnan(in.low) != isnan(in.high) || in.low >= in.high)
    hn_sandbox_fail(L, "%s: low and high are given together, and low is below high", what);
  if (!isnan(in.low) && lua_type(L, 2) != LUA_TNUMBER)
    hn_sandbox_fail(L, "%s: low and high are for numbers", what);
  return in;
}

int hn_declare_param(lua_State *L)
{
  hn_scene_lua *lua = hn_registry_of(L);
  hn_scene *scene = lua->scene;
  hn_registry_check_incomplete(L, "param");
  const char *name = check_param(L, scene);
  const param_input options = param_options(L, name);
  lua_pushvalue(L, 2);
  for (size_t i = 0; i < lua->options.nsetting; i++) {
    if (strcmp(lua->options.setting[i].name, name) != 0) continue;
    lua->used[i] = true;
    push_override(L, name, lua->options.setting[i].value);
    lua_replace(L, 5);
  }
  hn_scene_param *param = hn_declare_append(L, &scene->param, &scene->nparam, sizeof *param);
  param->name = hn_sandbox_copy(L, name);
  param->value = hn_sandbox_copy(L, hn_declare_text(L, 5));
  param->initial = hn_sandbox_copy(L, hn_declare_text(L, 2));
  param->help = hn_sandbox_copy(L, lua_isnil(L, 3) ? "" : lua_tostring(L, 3));
  param->live = options.live, param->low = options.low, param->high = options.high;
  lua_settop(L, 5);
  return 1;
}

/* ---- Runs ------------------------------------------------------------------------------------------ */

typedef struct run_input {
  const char *solver, *reason;
  double step, duration, error, drift, velocity_drift, penetration, energy_error, order;
} run_input;

#define NUMBER(name)                                               \
  {                                                                \
#name, HN_FIELD_NUMBER, offsetof(run_input, name), 1, 0, false \
  }
static const hn_field run_fields[] = {
  { "solver", HN_FIELD_TEXT, offsetof(run_input, solver), 0, 0, false },
  NUMBER(step),
  NUMBER(duration),
  { "reason", HN_FIELD_TEXT, offsetof(run_input, reason), 0, 0, false },
  NUMBER(error),
  NUMBER(drift),
  NUMBER(velocity_drift),
  NUMBER(penetration),
  NUMBER(energy_error),
  NUMBER(order),
};
#undef NUMBER
/* Solver, step and duration come first; the bounds of an expectation last. */
enum { FIELDS_OF_A_RUN = 3, FIRST_BOUND = 4, RUN_FIELDS = sizeof run_fields / sizeof *run_fields };

static double *number_of(run_input *in, size_t field)
{
  return (double *)(void *)((char *)in + run_fields[field].offset);
}

static void check_positive(lua_State *L, const char *what, const char *key, double value)
{
  if (!(value > 0)) hn_sandbox_fail(L, "%s: %s must be positive, not %g", what, key, value);
}

/* Returns the solver type named by SPEC, "name:key=value,...". Raises an error if it does not exist. */
static const hn_solver_type *solver_of(lua_State *L, const char *what, const char *spec)
{
  char name[64];
  hn_error error;
  snprintf(name, sizeof name, "%.*s", (int)strcspn(spec, ":"), spec);
  const hn_solver_type *type = hn_solver_type_find(name, hn_registry_of(L)->scene->own_solvers, &error);
  if (!type) hn_sandbox_fail(L, "%s: %.400s", what, error.text);
  return type;
}

/* Raise an error unless the settings of SPEC are parameters of its solver, with values in range. */
static void check_spec(lua_State *L, const char *what, const char *spec)
{
  const hn_solver_type *type = solver_of(L, what, spec);
  size_t length = strcspn(spec, ":");
  hn_text *texts = NULL;
  hn_error error;
  void *data = calloc(1, type->data_size ? type->data_size : 1);
  if (!data) hn_sandbox_fail(L, "out of memory");
  int status = hn_solver_read(type, spec[length] ? spec + length + 1 : NULL, data, &texts, &error);
  hn_texts_free(texts);
  free(data);
  if (status < 0) hn_sandbox_fail(L, "%s: %.400s", what, error.text);
}

/* Replace *TEXT by a copy of VALUE. */
static void set_text(lua_State *L, char **text, const char *value)
{
  char *copy = hn_sandbox_copy(L, value);
  hn_sandbox_release(L, strlen(*text) + 1);
  free(*text);
  *text = copy;
}

/* Push SPEC extended by the entries of the table at index 2 that are parameters of its solver:
 * "name:key=value,...". */
static void push_spec(lua_State *L, const char *spec, const hn_solver_type *type)
{
  lua_pushstring(L, spec);
  for (const hn_param *p = type->params; p->key; p++) {
    const char *so_far = lua_tostring(L, -1);
    int kind = lua_getfield(L, 2, p->key);
    if (kind == LUA_TNIL) {
      lua_pop(L, 1);
      continue;
    }
    if (kind != LUA_TNUMBER && kind != LUA_TSTRING && kind != LUA_TBOOLEAN)
      hn_sandbox_fail(L, "defaults: %s must be a number, a string, true or false", p->key);
    const char *value = hn_declare_text(L, lua_gettop(L));
    lua_pushfstring(L, "%s%s%s=%s", so_far, strchr(so_far, ':') ? "," : ":", p->key, value);
    lua_replace(L, -4);
    lua_pop(L, 2);
  }
}

/* Store the fields solver, step and duration and those of the solver's parameters. Returns their number. */
static size_t list_fields(hn_field fields[HN_MAX_FIELDS], const hn_solver_type *type)
{
  size_t count = FIELDS_OF_A_RUN;
  memcpy(fields, run_fields, sizeof *fields * count);
  for (const hn_param *p = type->params; p->key && count < HN_MAX_FIELDS; p++)
    fields[count++] = (hn_field){ .key = p->key, .kind = HN_FIELD_OTHER };
  return count;
}

/* sys:defaults { solver =, step =, duration =, <parameter of the solver> = ... } */
int hn_declare_defaults(lua_State *L)
{
  hn_scene *scene = hn_registry_of(L)->scene;
  run_input in = { .solver = scene->solver, .step = scene->step, .duration = scene->duration };
  hn_field fields[HN_MAX_FIELDS];
  hn_registry_check_call(L, "defaults", LUA_TTABLE);
  if (lua_getfield(L, 2, "solver") == LUA_TSTRING) in.solver = lua_tostring(L, -1);
  const hn_solver_type *type = solver_of(L, "defaults", in.solver);
  hn_fields_read(L, 2, "defaults", fields, list_fields(fields, type), &in);
  check_positive(L, "defaults", "step", in.step);
  check_positive(L, "defaults", "duration", in.duration);
  push_spec(L, in.solver, type);
  check_spec(L, "defaults", lua_tostring(L, -1));
  set_text(L, &scene->solver, lua_tostring(L, -1));
  scene->step = in.step;
  scene->duration = in.duration;
  return 0;
}

/* sys:expect { ... }. A missing step or duration becomes the scene's default when the scene is complete. */
int hn_declare_expect(lua_State *L)
{
  hn_scene *scene = hn_registry_of(L)->scene;
  run_input in = { .reason = "converged", .step = NAN, .duration = NAN };
  for (size_t i = FIRST_BOUND; i < RUN_FIELDS; i++) *number_of(&in, i) = NAN;
  hn_registry_check_call(L, "expect", LUA_TTABLE);
  hn_fields_read(L, 2, "expect", run_fields, RUN_FIELDS, &in);
  if (!isnan(in.step)) check_positive(L, "expect", "step", in.step);
  if (!isnan(in.duration)) check_positive(L, "expect", "duration", in.duration);
  for (size_t i = FIRST_BOUND; i < RUN_FIELDS; i++)
    if (*number_of(&in, i) < 0)
      hn_sandbox_fail(L, "expect: %s is a bound and cannot be negative", run_fields[i].key);
  if (in.solver && !hn_solver_missing_library(in.solver)) check_spec(L, "expect", in.solver);
  hn_fields_reason(L, "expect", in.reason, ~0U);
  hn_expectation *e = hn_declare_append(L, &scene->expectation, &scene->nexpectation, sizeof *e);
  e->line = hn_sandbox_line(L);
  e->step = in.step, e->duration = in.duration;
  e->error = in.error, e->drift = in.drift, e->velocity_drift = in.velocity_drift;
  e->penetration = in.penetration, e->energy_error = in.energy_error, e->order = in.order;
  if (in.solver) e->solver = hn_sandbox_copy(L, in.solver);
  e->reason = hn_sandbox_copy(L, in.reason);
  return 0;
}

/* ---- Functions ------------------------------------------------------------------------------------- */

/* Store the function of the call sys:NAME(function) and its line. Returns true, the value of the flag of
 * the scene. */
static bool set_function(lua_State *L, const char *name, int *function, int *line)
{
  hn_registry_check_call(L, name, LUA_TFUNCTION);
  if (*function != LUA_NOREF) hn_sandbox_fail(L, "%s: the system has one already", name);
  *line = hn_sandbox_line(L);
  *function = luaL_ref(L, LUA_REGISTRYINDEX);
  return true;
}

int hn_declare_reference(lua_State *L)
{
  hn_scene_lua *lua = hn_registry_of(L);
  lua->scene->has_reference = set_function(L, "reference", &lua->reference, &lua->reference_line);
  return 0;
}

int hn_declare_control(lua_State *L)
{
  hn_scene_lua *lua = hn_registry_of(L);
  lua->scene->has_control = set_function(L, "control", &lua->control, &lua->control_line);
  return 0;
}

/* Returns the kind of events named at index 2. */
static hn_event_kind kind_at_2(lua_State *L)
{
  const char *names[HN_EVENT_KINDS];
  for (int k = 0; k < HN_EVENT_KINDS; k++) names[k] = hn_event_name((hn_event_kind)k);
  return (hn_event_kind)hn_fields_word(L, "on", "kind of event", lua_tostring(L, 2), names, HN_EVENT_KINDS);
}

int hn_declare_on(lua_State *L)
{
  hn_scene_lua *lua = hn_registry_of(L);
  hn_registry_check_incomplete(L, "on");
  if (!luaL_testudata(L, 1, HN_SYSTEM_HANDLE) || lua_type(L, 2) != LUA_TSTRING ||
      lua_type(L, 3) != LUA_TFUNCTION || lua_gettop(L) > 3)
    hn_sandbox_fail(L, "on takes a kind of events and a function: "
                       "sys:on(\"impact\", function(event, s) ... end)");
  const hn_event_kind kind = kind_at_2(L);
  hn_on *on = hn_declare_append(L, &lua->on, &lua->non, sizeof *on);
  *on = (hn_on){ kind, luaL_ref(L, LUA_REGISTRYINDEX), hn_sandbox_line(L) };
  lua->scene->has_control = true;
  return 0;
}
