/* scene_reference.c - sys:reference(function(t) ... end): the known motion of a scene. */
#include "fields.h"
#include "scene_registry.h"

#include <stdio.h>
#include <string.h>

typedef struct reference_query {
  hn_scene *scene;
  double t;
  const hn_scene_answer *out;
  int answer;
} reference_query;

typedef struct state_input {
  double position[3], orientation[4], velocity[3], angular_velocity[3];
} state_input;

enum { POSITION, ORIENTATION, VELOCITY, ANGULAR_VELOCITY, NFIELD };
static const hn_field state_fields[NFIELD] = {
  [POSITION] = { "position", HN_FIELD_NUMBER, offsetof(state_input, position), 3, 0, true },
  [ORIENTATION] = { "orientation", HN_FIELD_NUMBER, offsetof(state_input, orientation), 4, 0, false },
  [VELOCITY] = { "velocity", HN_FIELD_NUMBER, offsetof(state_input, velocity), 3, 0, false },
  [ANGULAR_VELOCITY] = { "angular_velocity", HN_FIELD_NUMBER, offsetof(state_input, angular_velocity), 3, 0,
                         false },
};

/* Read the state of body I from the table on top of the stack. */
static void read_state(lua_State *L, reference_query *query, int i)
{
  const hn_scene_answer *out = query->out;
  char what[128];
  state_input in;
  snprintf(what, sizeof what, "reference at t = %g, body \"%.60s\"", query->t,
           query->scene->model->body[i].name);
  if (!lua_istable(L, -1)) hn_sandbox_fail(L, "%s: must be { position = { x, y, z } }", what);
  unsigned given = hn_fields_read(L, lua_gettop(L), what, state_fields, NFIELD, &in);
  const struct {
    bool *has;
    double *to;
    const double *from;
    int count;
  } part[NFIELD] = {
    [POSITION] = { out->has_position, out->position, in.position, 3 },
    [ORIENTATION] = { out->has_orientation, out->orientation, in.orientation, 4 },
    [VELOCITY] = { out->has_velocity, out->velocity, in.velocity, 3 },
    [ANGULAR_VELOCITY] = { out->has_angular_velocity, out->angular_velocity, in.angular_velocity, 3 },
  };
  for (int k = 0; k < NFIELD; k++) {
    if (!part[k].has || !(given & 1U << k)) continue;
    part[k].has[i] = true;
    memcpy(part[k].to + part[k].count * i, part[k].from, sizeof(double) * (size_t)part[k].count);
  }
}

/* Raise an error for the first key in alphabetical order that names no body. */
static void refuse_unknown_bodies(lua_State *L, const reference_query *query)
{
  const char *first = NULL;
  hn_error error;
  for (lua_pushnil(L); lua_next(L, 2);) {
    lua_pop(L, 1);
    if (lua_type(L, -1) != LUA_TSTRING)
      hn_sandbox_fail(L, "reference at t = %g: its keys must be names of bodies", query->t);
    const char *name = lua_tostring(L, -1);
    if (hn_registry_find(L, HN_BODY_NAMES, name) < 0 && (!first || strcmp(name, first) < 0)) first = name;
  }
  if (!first) return;
  hn_model_find_body(query->scene->model, first, &error);
  hn_sandbox_fail(L, "reference at t = %g: %.400s", query->t, error.text);
}

static int call_reference(lua_State *L)
{
  reference_query *query = lua_touserdata(L, 1);
  const hn_model *model = query->scene->model;
  lua_rawgeti(L, LUA_REGISTRYINDEX, query->scene->lua->reference);
  lua_pushnumber(L, query->t);
  lua_call(L, 1, 1);
  if (lua_isnil(L, 2)) return 0;
  if (!lua_istable(L, 2))
    hn_sandbox_fail(L, "reference at t = %g: must be a table or nil, not a %s", query->t,
                    luaL_typename(L, 2));
  refuse_unknown_bodies(L, query);
  for (int i = 0; i < model->nbody; i++) {
    lua_pushstring(L, model->body[i].name);
    if (lua_rawget(L, 2) != LUA_TNIL) {
      read_state(L, query, i);
      query->answer = 1;
    }
    lua_settop(L, 2);
  }
  if (!query->answer)
    hn_sandbox_fail(L, "reference at t = %g: the table names no body; return nil for no answer", query->t);
  return 0;
}

int hn_scene_reference_states(hn_scene *scene, double t, const hn_scene_answer *out, hn_error *error)
{
  if (!scene->has_reference) return 0;
  reference_query query = { scene, t, out, 0 };
  bool *const has[] = { out->has_position, out->has_orientation, out->has_velocity,
                        out->has_angular_velocity };
  for (int k = 0; k < NFIELD; k++)
    if (has[k]) memset(has[k], 0, sizeof *has[k] * (size_t)scene->model->nbody);
  scene->lua->box.fallback_line = scene->lua->reference_line;
  return hn_sandbox_call(&scene->lua->box, call_reference, &query, error) ? -1 : query.answer;
}

int hn_scene_reference(hn_scene *scene, double t, bool *has, double *position, hn_error *error)
{
  const hn_scene_answer out = { .has_position = has, .position = position };
  return hn_scene_reference_states(scene, t, &out, error);
}
