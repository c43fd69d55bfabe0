/* force_laws.c - force laws written in Lua. The functions are called at declaration only, to record their
 * tapes.
 *
 *   law(t, x, v, u)   t: time; x, v: measured value and its rate, numbers or tables of three; u: input set
 *                     by control; x is nil for types that measure a rate alone
 *   energy(x)         stored energy; the force is its negative derivative */
#include "declare.h"
#include "trace.h"

#include <stdio.h>

static const char *const keys[] = { "law", "energy" };

bool hn_laws_given(lua_State *L, const hn_force_type *type)
{
  bool given = false;
  for (int i = 0; i < 2 && type->own_law != HN_NO_LAW; i++) {
    lua_pushstring(L, keys[i]);
    given |= lua_rawget(L, 2) != LUA_TNIL;
    lua_pop(L, 1);
  }
  return given;
}

/* Push COUNT inputs from FIRST on: a number, or a table. */
static void push_inputs(lua_State *L, const hn_trace *trace, int first, int count)
{
  if (count == 1) {
    hn_trace_push(L, trace, first);
    return;
  }
  lua_createtable(L, count, 0);
  for (int i = 0; i < count; i++) {
    hn_trace_push(L, trace, first + i);
    lua_rawseti(L, -2, i + 1);
  }
}

static int push_law_arguments(lua_State *L, const hn_trace *trace, const void *context)
{
  const hn_force_type *type = context;
  const int n = type->rows->rows;
  hn_trace_push(L, trace, 0);
  if (type->own_law == HN_RATE_LAW) lua_pushnil(L);
  else push_inputs(L, trace, 1, n);
  push_inputs(L, trace, 1 + n, n);
  hn_trace_push(L, trace, 1 + 2 * n);
  return 4;
}

static int push_energy_arguments(lua_State *L, const hn_trace *trace, const void *context)
{
  push_inputs(L, trace, 1, ((const hn_force_type *)context)->rows->rows);
  return 1;
}

void hn_laws_push(lua_State *L, const char *what, const hn_force_type *type)
{
  char name[128];
  const int n = type->rows->rows;
  for (int i = 0; i < 2; i++) {
    lua_pushstring(L, keys[i]);
    int kind = lua_rawget(L, 2);
    if (kind == LUA_TNIL) continue;
    snprintf(name, sizeof name, "%s: %s", what, keys[i]);
    if (kind != LUA_TFUNCTION)
      hn_sandbox_fail(L, "%s must be a function, not a %s", name, lua_typename(L, kind));
    if (i == 1 && type->own_law == HN_RATE_LAW)
      hn_sandbox_fail(L, "%s: a %s has a rate and no place, so that it stores nothing", name, type->name);
    hn_trace_function(L, -1, name, i == 0 ? push_law_arguments : push_energy_arguments, type, 2 * n + 2,
                      i == 0 ? n : 1);
    lua_remove(L, -2);
  }
}
