/* scene_registry.c - state shared by the parts of the scene binding: scene being loaded, names, handles.
 *
 * A scene builds one system, so its parts live in the hn_scene being loaded; handles given to Lua are
 * indices. */
#include "scene_registry.h"

#include <stdio.h>
#include <string.h>

/* Lua's registry: index -> true for bodies declared as particles */
static const char point_bodies[] = "holonom.points";

hn_scene_lua *hn_registry_of(lua_State *L)
{
  return hn_sandbox_of(L)->user;
}

hn_model *hn_registry_model(lua_State *L)
{
  return hn_registry_of(L)->scene->model;
}

/* ---- Checks -------------------------------------------------------------------------------------------- */

void hn_registry_check_incomplete(lua_State *L, const char *name)
{
  if (hn_registry_of(L)->complete)
    hn_sandbox_fail(L, "%s: the scene is complete: call it before the scene returns its system", name);
}

void hn_registry_check_form(lua_State *L, const char *name, int type)
{
  const char *function = strcmp(name, "control") == 0 ? "(function(t, s) ... end)" : "(function(t) ... end)";
  const char *shape = type == LUA_TTABLE ? " { ... }" : function;
  if (!luaL_testudata(L, 1, HN_SYSTEM_HANDLE))
    hn_sandbox_fail(L, "%s: call it on a system, with a colon: sys:%s%s", name, name, shape);
  if (lua_type(L, 2) != type || lua_gettop(L) > 2)
    hn_sandbox_fail(L, "%s takes one %s: sys:%s%s", name, lua_typename(L, type), name, shape);
}

void hn_registry_check_call(lua_State *L, const char *name, int type)
{
  hn_registry_check_incomplete(L, name);
  hn_registry_check_form(L, name, type);
}

void hn_registry_describe(lua_State *L, const char *type, char what[96])
{
  lua_pushliteral(L, "name");
  if (lua_rawget(L, 2) == LUA_TSTRING) snprintf(what, 96, "%s \"%.60s\"", type, lua_tostring(L, -1));
  else snprintf(what, 96, "%s", type);
  lua_pop(L, 1);
}

/* ---- Names --------------------------------------------------------------------------------------------- */

void hn_registry_open_names(lua_State *L)
{
  static const char *const tables[] = { HN_BODY_NAMES, HN_ELEMENT_NAMES, point_bodies };
  for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
    lua_newtable(L);
    lua_setfield(L, LUA_REGISTRYINDEX, tables[i]);
  }
}

int hn_registry_find(lua_State *L, const char *table, const char *name)
{
  lua_getfield(L, LUA_REGISTRYINDEX, table);
  lua_pushstring(L, name);
  int index = lua_rawget(L, -2) == LUA_TNIL ? -1 : (int)lua_tointeger(L, -1);
  lua_pop(L, 2);
  return index;
}

bool hn_registry_enter(lua_State *L, const char *table, const char *name, int index)
{
  if (hn_registry_find(L, table, name) >= 0) return false;
  lua_getfield(L, LUA_REGISTRYINDEX, table);
  lua_pushinteger(L, index);
  lua_setfield(L, -2, name);
  lua_pop(L, 1);
  return true;
}

void hn_registry_enter_particle(lua_State *L, int body)
{
  lua_getfield(L, LUA_REGISTRYINDEX, point_bodies);
  lua_pushboolean(L, 1);
  lua_rawseti(L, -2, body);
  lua_pop(L, 1);
}

bool hn_registry_is_particle(lua_State *L, int body)
{
  lua_getfield(L, LUA_REGISTRYINDEX, point_bodies);
  bool result = lua_rawgeti(L, -1, body) != LUA_TNIL;
  lua_pop(L, 2);
  return result;
}

/* ---- Handles ------------------------------------------------------------------------------------------- */

void *hn_registry_new_handle(lua_State *L, size_t size, const char *kind)
{
  void *handle = lua_newuserdatauv(L, size, 0);
  luaL_setmetatable(L, kind);
  return handle;
}

static int refuse_assignment(lua_State *L)
{
  luaL_getmetafield(L, 1, "__name");
  return hn_sandbox_fail(L, "a %s has no fields to set", lua_tostring(L, -1));
}

void hn_registry_open_kind(lua_State *L, const char *kind)
{
  luaL_newmetatable(L, kind);
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  lua_pushcfunction(L, refuse_assignment);
  lua_setfield(L, -2, "__newindex");
}
