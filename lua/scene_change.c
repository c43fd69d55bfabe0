/* scene_change.c - additions to and removals from the model of a run, by control.
 *
 * Names, handles and inputs refer to the scene's own model. New bodies, joints and forces are created there
 * as during loading, at the current states of the bodies; removed ones stay there. After the call,
 * hn_model_change assembles the model of the run from it. */
#include "scene_change.h"

#include <stdlib.h>
#include <string.h>

/* Start a change, unless this call of control has already started one. */
static void begin_change(lua_State *L)
{
  hn_scene_lua *lua = hn_registry_of(L);
  hn_lua_change *change = lua->change;
  hn_model *model = lua->scene->model;
  const hn_model *now = change->moment->model;
  if (change->begun) return;
  if (now->nbody != model->nbody || now->ninput != model->ninput) /* indices would not agree */
    hn_sandbox_fail(L, "control cannot change a model with mouse springs, or with bodies added by a session");
  change->body = calloc((size_t)now->nbody, sizeof(bool));
  change->joint = calloc((size_t)now->njoint + 1, sizeof(bool));
  change->force = calloc((size_t)now->nforce + 1, sizeof(bool));
  change->begun = true;
  if (!change->body || !change->joint || !change->force) hn_sandbox_fail(L, "out of memory");
  model->moving = true, model->consistent = false;
  change->first_joint = model->njoint, change->first_force = model->nforce;
  change->colliders = model->ncollider;
  for (int i = 0; i < now->nbody; i++) {
    model->body[i].pose0 = change->moment->state->pose[i];
    model->body[i].twist0 = change->moment->state->twist[i];
  }
}

void hn_change_check_addition(lua_State *L, const char *name)
{
  const hn_lua_change *change = hn_registry_of(L)->change;
  const bool running = change && change->moment;
  if (!running) hn_registry_check_incomplete(L, name);
  hn_registry_check_form(L, name, LUA_TTABLE);
  if (running) begin_change(L);
}

/* ---- sys:remove ---------------------------------------------------------------------------------------- */

static int remove_body(lua_State *L, const hn_lua_change *change, int body)
{
  const hn_model *model = hn_registry_model(L), *now = change->moment->model;
  if (body == 0) hn_sandbox_fail(L, "remove: the ground stays");
  if (body >= now->nbody)
    hn_sandbox_fail(L, "remove: body \"%.60s\" has been added in the same call", model->body[body].name);
  if (now->body[body].gone || change->body[body])
    hn_sandbox_fail(L, "remove: body \"%.60s\" is gone already", model->body[body].name);
  change->body[body] = true;
  return 0;
}

/* Remove the body, joint or force given by name, or the body given by its handle, at index 2. */
int hn_declare_remove(lua_State *L)
{
  hn_scene_lua *lua = hn_registry_of(L);
  if (!lua->change || !lua->change->moment)
    hn_sandbox_fail(L, "remove: it is for control and for functions of events; "
                       "a scene leaves out what it does not want");
  const int *handle = luaL_testudata(L, 2, HN_BODY_HANDLE);
  if (!luaL_testudata(L, 1, HN_SYSTEM_HANDLE) || lua_gettop(L) > 2 ||
      (!handle && lua_type(L, 2) != LUA_TSTRING))
    hn_sandbox_fail(L, "remove takes a body, or the name of a body, a joint or a force: "
                       "sys:remove(\"name\")");
  begin_change(L);
  const hn_lua_change *change = lua->change;
  if (handle) return remove_body(L, change, *handle);
  const char *name = lua_tostring(L, 2);
  const int joint = hn_model_find_joint(change->moment->model, name, NULL);
  const int force = hn_model_find_force(change->moment->model, name, NULL);
  const int body = hn_registry_find(L, HN_BODY_NAMES, name);
  if ((joint >= 0 || force >= 0) && body >= 0)
    hn_sandbox_fail(L,
                    "remove: \"%.60s\" is a body, and a joint or a force: "
                    "give the body by its handle, or other names",
                    name);
  if (body >= 0) return remove_body(L, change, body);
  if (joint < 0 && force < 0) hn_sandbox_fail(L, "remove: there is no body, joint or force \"%.60s\"", name);
  if (joint >= 0) change->joint[joint] = true;
  else change->force[force] = true;
  return 0;
}

/* ---- The end of a call --------------------------------------------------------------------------------- */

/* Set up collision detection for new shapes, with room for more contacts; the margin stays the same. */
static int collide(hn_scene_lua *lua, hn_error *error)
{
  hn_model *model = lua->scene->model;
  hn_contact_spec spec = lua->contact;
  if (!lua->collides || model->ncollider == lua->change->colliders) return 0;
  spec.margin = model->margin;
  return hn_model_collide(model, &spec, error);
}

static int assemble_model(hn_scene_lua *lua, hn_error *error)
{
  hn_lua_change *change = lua->change;
  hn_model *model = lua->scene->model;
  const hn_model *now = change->moment->model;
  const hn_model_edit edit = { change->body, change->joint,       change->force,
                               model,        change->first_joint, change->first_force };
  if (collide(lua, error)) return -1;
  change->moment->changed = hn_model_change(now, change->moment->state, &edit, error);
  if (!change->moment->changed) return -1;
  for (int i = 0; i < now->nbody; i++) model->body[i].gone |= change->body[i];
  return 0;
}

int hn_change_end(hn_scene_lua *lua, bool failed, hn_error *error)
{
  hn_lua_change *change = lua->change;
  int status = change->begun && !failed ? assemble_model(lua, error) : 0;
  free(change->body), free(change->joint), free(change->force);
  *change = (hn_lua_change){ .moment = NULL };
  return status;
}
