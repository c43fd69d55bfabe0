/* state_view.c - view of the state of a run for Lua code: `s` of a control function, and of the measures of a
 * study.
 *
 * Reads the state. A control function can also set the inputs of forces and motors, which persist until set
 * again, and apply impulses. */
#include "state_view.h"
#include "fields.h"
#include "lua_handle.h"

#include <stdio.h>
#include <string.h>

/* ---- Arguments ----------------------------------------------------------------------------------------- */

static const hn_view *view_at_1(lua_State *L)
{
  const char *name = hn_handle_name(L);
  const hn_view *s = luaL_testudata(L, 1, HN_VIEW_HANDLE);
  if (!s) hn_sandbox_fail(L, "%s: call it on the state, with a colon: s:%s(...)", name, name);
  if (!s->state)
    hn_sandbox_fail(L, "%s: the state is only there while the function it was given to is called", name);
  return s;
}

static const char *name_at_2(lua_State *L, const char *kind)
{
  if (lua_type(L, 2) != LUA_TSTRING)
    hn_sandbox_fail(L, "%s: the first argument must be the name of a %s, not a %s", hn_handle_name(L), kind,
                    luaL_typename(L, 2));
  return lua_tostring(L, 2);
}

static const hn_model *model_of(lua_State *L, const hn_view *view)
{
  return view->now ? view->now : hn_registry_model(L);
}

/* Raise an error if joint or force NAME is in the scene's model but not in the current model of the run. */
static void check_in_model(lua_State *L, const char *name, bool is_force)
{
  const hn_model *now = view_at_1(L)->now;
  if (now && (is_force ? hn_model_find_force : hn_model_find_joint)(now, name, NULL) < 0)
    hn_sandbox_fail(L, "%s: %s \"%.60s\" is not in the model now", hn_handle_name(L),
                    is_force ? "force" : "joint", name);
}

static const hn_joint *joint_at_2(lua_State *L)
{
  hn_error error;
  const char *name = name_at_2(L, "joint");
  const hn_model *model = hn_registry_model(L);
  int index = hn_registry_find(L, HN_ELEMENT_NAMES, name);
  const bool found = index >= 0 && index < model->njoint && strcmp(model->joint[index].name, name) == 0;
  if (found) check_in_model(L, name, false);
  if (found) return &model->joint[index];
  if (index >= 0) hn_sandbox_fail(L, "%s: \"%.60s\" is a force, not a joint", hn_handle_name(L), name);
  hn_model_find_joint(model, name, &error);
  hn_sandbox_fail(L, "%s: %.400s", hn_handle_name(L), error.text);
  return NULL;
}

/* A force, or a joint that is a motor, with an input. */
typedef struct actuator {
  int input;                /* index in hn_state.input */
  const char *const *modes; /* words for its values -1, 0, 1; NULL: the input is a number */
  char what[80];            /* for messages */
} actuator;

/* Raise the error for an element without input; KIND is "force" or "joint". */
static void refuse_input(lua_State *L, const char *kind, const char *name, const char *type)
{
  const char *verb = hn_handle_name(L);
  hn_sandbox_fail(L, "%s: %s \"%.60s\" is a %s, which has no input to %s", verb, kind, name, type, verb);
}

static void refuse_name(lua_State *L, const hn_model *model, const char *name)
{
  const char **names = lua_newuserdatauv(L, sizeof *names * (size_t)(model->nforce + model->njoint + 1), 0);
  size_t count = 0;
  for (int i = 0; i < model->nforce; i++)
    if (model->force[i].type->inputs > 0) names[count++] = model->force[i].name;
  for (int j = 0; j < model->njoint; j++)
    if (model->joint[j].input >= 0) names[count++] = model->joint[j].name;
  const char *near = hn_nearest(name, names, count);
  if (near)
    hn_sandbox_fail(L, "%s: no force or motor \"%.60s\"; did you mean \"%s\"?", hn_handle_name(L), name,
                    near);
  hn_sandbox_fail(L, "%s: no force or motor \"%.60s\"", hn_handle_name(L), name);
}

static actuator actuator_at_2(lua_State *L)
{
  const char *name = name_at_2(L, "force or motor");
  const hn_model *model = hn_registry_model(L);
  int index = hn_registry_find(L, HN_ELEMENT_NAMES, name);
  actuator of = { .input = -1 };
  bool force = index >= 0 && index < model->nforce && strcmp(model->force[index].name, name) == 0;
  if (index < 0) refuse_name(L, model, name);
  snprintf(of.what, sizeof of.what, "%s \"%.60s\"", force ? "force" : "joint", name);
  check_in_model(L, name, force);
  if (force && model->force[index].type->inputs == 0)
    refuse_input(L, "force", name, model->force[index].type->name);
  if (!force && model->joint[index].input < 0) refuse_input(L, "joint", name, model->joint[index].type->name);
  of.input = force ? model->force[index].input : model->joint[index].input;
  of.modes = force ? model->force[index].type->modes : NULL;
  return of;
}

/* ---- Functions of a view ------------------------------------------------------------------------------- */

enum { POSITION, ORIENTATION, VELOCITY, ANGULAR_VELOCITY };

/* (body, table to fill) -> the quantity named by the detail. */
static int view_body(lua_State *L)
{
  const hn_state *state = view_at_1(L)->state;
  lua_pushvalue(L, 2);
  int body = hn_fields_body(L, hn_handle_name(L), "the first argument"), part = hn_handle_detail(L);
  lua_pop(L, 1);
  if (body >= state->nbody)
    hn_sandbox_fail(L, "%s: body \"%.60s\" is there from the next step on", hn_handle_name(L),
                    hn_registry_model(L)->body[body].name);
  const double *const value[] = { state->pose[body].x, state->pose[body].q, state->twist[body].v,
                                  state->twist[body].w };
  hn_handle_push(L, 3, part == ORIENTATION ? 4 : 3, value[part]);
  return 1;
}

enum { VALUE, RATE };

/* (joint, name of a coordinate) -> its value, or its rate. */
static int view_coordinate(lua_State *L)
{
  hn_error error;
  double number[2];
  const hn_state *state = view_at_1(L)->state;
  const hn_joint *joint = joint_at_2(L);
  if (!lua_isnoneornil(L, 3) && lua_type(L, 3) != LUA_TSTRING)
    hn_sandbox_fail(L, "%s: the second argument is the name of a coordinate, not a %s", hn_handle_name(L),
                    luaL_typename(L, 3));
  int index = hn_joint_find_coordinate(joint, lua_isnoneornil(L, 3) ? NULL : lua_tostring(L, 3), &error);
  if (index < 0) hn_sandbox_fail(L, "%s: %.400s", hn_handle_name(L), error.text);
  hn_joint_coordinate(joint, index, state, &number[VALUE], &number[RATE]);
  lua_pushnumber(L, number[hn_handle_detail(L)]);
  return 1;
}

/* () -> kinetic and potential energy. */
static int view_energy(lua_State *L)
{
  hn_measure measure;
  hn_measure_state(model_of(L, view_at_1(L)), view_at_1(L)->state, &measure);
  lua_pushnumber(L, measure.kinetic);
  lua_pushnumber(L, measure.potential);
  return 2;
}

enum { MOMENTUM, ANGULAR_MOMENTUM };

/* (table to fill) -> momentum or angular momentum of all bodies. */
static int view_momentum(lua_State *L)
{
  hn_measure measure;
  hn_measure_state(model_of(L, view_at_1(L)), view_at_1(L)->state, &measure);
  hn_handle_push(L, 2, 3, hn_handle_detail(L) == MOMENTUM ? measure.momentum : measure.angular_momentum);
  return 1;
}

static int view_get(lua_State *L)
{
  const hn_state *state = view_at_1(L)->state;
  lua_pushnumber(L, state->input[actuator_at_2(L).input]);
  return 1;
}

/* Returns -1, 0 or 1 for the word or number at index 3. */
static double mode_at_3(lua_State *L, const actuator *of, const char *what)
{
  const char *const *modes = of->modes;
  for (int k = 0; k < 3; k++) {
    bool same = lua_type(L, 3) == LUA_TSTRING && strcmp(lua_tostring(L, 3), modes[k]) == 0;
    if (same || (lua_type(L, 3) == LUA_TNUMBER && lua_tonumber(L, 3) == k - 1)) return k - 1;
  }
  if (lua_type(L, 3) == LUA_TSTRING) hn_fields_unknown(L, what, "mode", lua_tostring(L, 3), modes, 3);
  hn_sandbox_fail(L, "%s takes \"%s\", \"%s\" or \"%s\", or -1, 0 or 1", what, modes[0], modes[1], modes[2]);
  return 0.0;
}

static int view_set(lua_State *L)
{
  const hn_view *view = view_at_1(L);
  if (!view->writable) hn_sandbox_fail(L, "set: a measure looks at the state and cannot change it");
  const actuator of = actuator_at_2(L);
  char what[96];
  snprintf(what, sizeof what, "set: %s", of.what);
  view->state->input[of.input] = of.modes ? mode_at_3(L, &of, what)
                                          : hn_fields_number(L, 3, what, "the value");
  return 0;
}

typedef struct impulse_input {
  int body;
  double at[3], impulse[3], angular[3];
} impulse_input;

enum { BODY, AT, IMPULSE, ANGULAR };
static const hn_field impulse_fields[] = {
  [BODY] = { NULL, HN_FIELD_BODY, offsetof(impulse_input, body), 0, 1, true },
  [AT] = { "at", HN_FIELD_NUMBER, offsetof(impulse_input, at), 3, 0, false },
  [IMPULSE] = { "impulse", HN_FIELD_NUMBER, offsetof(impulse_input, impulse), 3, 0, false },
  [ANGULAR] = { "angular", HN_FIELD_NUMBER, offsetof(impulse_input, angular), 3, 0, false },
};

/* Raise an error for impulses that the body, or a planar system, cannot receive. */
static void check_impulse(lua_State *L, const hn_model *model, const impulse_input *in, unsigned given)
{
  const hn_body *body = &model->body[in->body];
  if (!(given >> IMPULSE & 1) && !(given >> ANGULAR & 1))
    hn_sandbox_fail(L, "impulse: give impulse = { x, y, z }, N s, or angular = { x, y, z }, N m s");
  if (body->kind == HN_FIXED) hn_sandbox_fail(L, "impulse: body \"%.60s\" is fixed", body->name);
  if (body->kind == HN_PARTICLE && given >> ANGULAR & 1)
    hn_sandbox_fail(L, "impulse: \"%.60s\" is a particle, which does not turn", body->name);
  if (model->planar && (in->impulse[2] != 0.0 || in->angular[0] != 0.0 || in->angular[1] != 0.0))
    hn_sandbox_fail(L, "impulse: of a planar system it lies in the plane: "
                       "impulse = { x, y, 0 }, angular = { 0, 0, z }");
}

/* s:impulse { body, at = point, impulse = vector, angular = vector } */
static int view_impulse(lua_State *L)
{
  const hn_view *view = view_at_1(L);
  const hn_model *model = hn_registry_model(L);
  impulse_input in = { .body = 0 };
  if (!view->writable) hn_sandbox_fail(L, "impulse: a measure looks at the state and cannot change it");
  if (lua_type(L, 2) != LUA_TTABLE || lua_gettop(L) > 2)
    hn_sandbox_fail(L, "impulse takes one table: "
                       "s:impulse { body, at = { x, y, z }, impulse = { x, y, z } }");
  const unsigned given = hn_fields_read(L, 2, "impulse", impulse_fields,
                                        sizeof impulse_fields / sizeof *impulse_fields, &in);
  if (in.body >= view->state->nbody)
    hn_sandbox_fail(L, "impulse: body \"%.60s\" is there from the next step on: give it a velocity",
                    model->body[in.body].name);
  check_impulse(L, model, &in, given);
  hn_state acted = *view->state;
  hn_state_apply_impulse(&acted, model, in.body, given >> AT & 1 ? in.at : NULL, in.impulse, in.angular);
  return 0;
}

static const hn_handle_entry entries[] = {
  { "position", view_body, POSITION },
  { "orientation", view_body, ORIENTATION },
  { "velocity", view_body, VELOCITY },
  { "angular_velocity", view_body, ANGULAR_VELOCITY },
  { "value", view_coordinate, VALUE },
  { "rate", view_coordinate, RATE },
  { "energy", view_energy, 0 },
  { "momentum", view_momentum, MOMENTUM },
  { "angular_momentum", view_momentum, ANGULAR_MOMENTUM },
  { "get", view_get, 0 },
  { "set", view_set, 0 },
  { "impulse", view_impulse, 0 },
};

void hn_view_open(lua_State *L)
{
  static const hn_handle_kind kind = { HN_VIEW_HANDLE, entries, sizeof entries / sizeof *entries, NULL };
  hn_handle_open(L, &kind);
}

hn_view *hn_view_make(lua_State *L, bool writable, int *handle)
{
  hn_view *s = lua_newuserdatauv(L, sizeof *s, 0);
  *s = (hn_view){ .writable = writable };
  luaL_setmetatable(L, HN_VIEW_HANDLE);
  *handle = luaL_ref(L, LUA_REGISTRYINDEX);
  return s;
}
