/* lua_handle.c - methods of handles that Lua code calls with a colon: names, arguments, returned tables. */
#include "lua_handle.h"
#include "fields.h"

#include <stdio.h>

const char *hn_handle_name(lua_State *L)
{
  return lua_tostring(L, lua_upvalueindex(1));
}

int hn_handle_detail(lua_State *L)
{
  return (int)lua_tointeger(L, lua_upvalueindex(2));
}

double hn_handle_scale(lua_State *L, int index)
{
  return lua_isnoneornil(L, index) ? 1.0 : hn_fields_number(L, index, hn_handle_name(L), "the scale");
}

static void read_numbers(lua_State *L, int index, const char *what, bool exact, int count, double *out)
{
  const char *name = hn_handle_name(L);
  if (!lua_istable(L, index))
    hn_sandbox_fail(L, "%s: %s must be a table of %d numbers, not a %s", name, what, count,
                    luaL_typename(L, index));
  if (exact && lua_rawlen(L, index) != (size_t)count)
    hn_sandbox_fail(L, "%s: %s must have %d numbers, not %d", name, what, count, (int)lua_rawlen(L, index));
  for (int i = 0; i < count; i++) {
    if (lua_rawgeti(L, index, i + 1) != LUA_TNUMBER)
      hn_sandbox_fail(L, "%s: entry %d of %s must be a number, not a %s", name, i + 1, what,
                      luaL_typename(L, -1));
    out[i] = lua_tonumber(L, -1);
    lua_pop(L, 1);
  }
}

void hn_handle_read(lua_State *L, int index, const char *what, int count, double *out)
{
  read_numbers(L, index, what, true, count, out);
}

void hn_handle_read_first(lua_State *L, int index, int count, double *out)
{
  char what[32];
  snprintf(what, sizeof what, "argument %d", index - 1);
  read_numbers(L, index, what, false, count, out);
}

/* ---- Returned tables ----------------------------------------------------------------------------------- */

void hn_handle_push_table(lua_State *L, int index, int count, bool exact)
{
  const char *name = hn_handle_name(L);
  if (lua_isnoneornil(L, index)) {
    lua_createtable(L, count, 0);
    return;
  }
  if (!lua_istable(L, index))
    hn_sandbox_fail(L, "%s: argument %d is a table to fill, not a %s", name, index - 1,
                    luaL_typename(L, index));
  size_t length = lua_rawlen(L, index);
  if (exact && length != 0 && length != (size_t)count)
    hn_sandbox_fail(L, "%s: the table to fill must be empty or have %d entries, not %d", name, count,
                    (int)length);
  lua_pushvalue(L, index);
}

void hn_handle_store(lua_State *L, int count, const double *value)
{
  for (int i = 0; i < count; i++) {
    lua_pushnumber(L, value[i]);
    lua_rawseti(L, -2, i + 1);
  }
}

void hn_handle_push(lua_State *L, int index, int count, const double *value)
{
  hn_handle_push_table(L, index, count, true);
  hn_handle_store(L, count, value);
}

void hn_handle_store_vector(lua_State *L, const char *key, const double value[3])
{
  lua_pushstring(L, key);
  if (lua_rawget(L, -2) != LUA_TTABLE) {
    lua_pop(L, 1);
    lua_createtable(L, 3, 0);
    lua_pushstring(L, key);
    lua_pushvalue(L, -2);
    lua_rawset(L, -4);
  }
  hn_handle_store(L, 3, value);
  lua_pop(L, 1);
}

/* ---- Names --------------------------------------------------------------------------------------------- */

/* Raise the error for a key that is no entry of KIND. */
static int unknown_key(lua_State *L, const hn_handle_kind *kind)
{
  const char *names[HN_MAX_ENTRIES];
  for (size_t i = 0; i < kind->count; i++) names[i] = kind->entry[i].name;
  const char *key = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : luaL_typename(L, 2);
  return hn_fields_unknown(L, kind->name, "name", key, names, kind->count);
}

/* HANDLE.KEY. Upvalues: table of functions and of numbers of values; the kind. */
static int look_up(lua_State *L)
{
  const hn_handle_kind *kind = lua_touserdata(L, lua_upvalueindex(2));
  lua_settop(L, 2);
  lua_pushvalue(L, 2);
  int type = lua_rawget(L, lua_upvalueindex(1));
  if (type == LUA_TNUMBER) return kind->value(L, (int)lua_tointeger(L, -1));
  return type == LUA_TNIL ? unknown_key(L, kind) : 1;
}

void hn_handle_open(lua_State *L, const hn_handle_kind *kind)
{
  hn_registry_open_kind(L, kind->name);
  lua_createtable(L, 0, (int)kind->count);
  for (size_t i = 0; i < kind->count; i++) {
    const hn_handle_entry *entry = &kind->entry[i];
    if (entry->function) lua_pushstring(L, entry->name);
    lua_pushinteger(L, entry->detail);
    if (entry->function) lua_pushcclosure(L, entry->function, 2);
    lua_setfield(L, -2, entry->name);
  }
  lua_pushlightuserdata(L, (void *)(uintptr_t)kind); /* never written through */
  lua_pushcclosure(L, look_up, 2);
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
}
