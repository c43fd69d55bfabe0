/* force_laws.c - force laws written in Lua. The functions are called at declaration only, to record their
 * tapes.
 *
 *   law(t, x, v, u)   t: time; x, v: measured value and its rate, numbers or tables of three; u: input set
 *                     by control; x is nil for types that measure a rate alone
 *   energy(x)         stored energy; the force is its negative derivative */
#include "declare.h"
#include "trace.h"

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
  if (count == 1) hn_trace_push(L, trace, first);
  else hn_trace_push_vector(L, trace, first, count);
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
  const int n = type->rows->rows;
  hn_trace_key(L, "law", what, push_law_arguments, type, 2 * n + 2, n);
  lua_pushstring(L, "energy");
  const bool stores = lua_rawget(L, 2) == LUA_TFUNCTION;
  lua_pop(L, 1);
  if (stores && type->own_law == HN_RATE_LAW)
    hn_sandbox_fail(L, "%s: energy: a %s has a rate and no place, so that it stores nothing", what,
                    type->name);
  hn_trace_key(L, "energy", what, push_energy_arguments, type, 2 * n + 2, 1);
}
