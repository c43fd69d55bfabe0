/* lua_solver_data.c - arguments and results of the functions that a solver written in Lua calls. */
#include "lua_solver_data.h"
#include "lua_handle.h"

hn_solver *hn_lua_solver_of(lua_State *L)
{
  const char *name = hn_handle_name(L);
  const hn_lua_rows *rows = luaL_testudata(L, 1, HN_ROWS_HANDLE);
  if (!rows) hn_sandbox_fail(L, "%s: call it on the system of a step, with a colon: sys:%s(...)", name, name);
  if (!rows->solver) hn_sandbox_fail(L, "%s: the system is of a run that is over", name);
  return rows->solver;
}

hn_state *hn_lua_solver_state(lua_State *L, int index)
{
  const char *name = hn_handle_name(L);
  const hn_lua_state *state = luaL_testudata(L, index, HN_STATE_HANDLE);
  if (!state && index == 1)
    hn_sandbox_fail(L, "%s: call it on a state, with a colon: state:%s(...)", name, name);
  if (!state)
    hn_sandbox_fail(L, "%s: argument %d must be a state, not a %s", name, index - 1, luaL_typename(L, index));
  if (!state->at)
    hn_sandbox_fail(L, "%s: the state is of a step that is over; keep a copy: state:copy()", name);
  return state->at;
}

hn_state *hn_lua_solver_own_state(lua_State *L, int index, const hn_solver *solver)
{
  hn_state *state = hn_lua_solver_state(L, index);
  if (state->nbody != solver->system->model->nbody)
    hn_sandbox_fail(L, "%s: the state is of %d bodies, but the system has %d", hn_handle_name(L),
                    state->nbody - 1, solver->system->model->nbody - 1);
  return state;
}

int hn_lua_solver_body(lua_State *L, const hn_state *state)
{
  if (!lua_isinteger(L, 2) || lua_tointeger(L, 2) < 1 || lua_tointeger(L, 2) >= state->nbody)
    hn_sandbox_fail(L, "%s: the first argument is the number of a body, 1 to %d", hn_handle_name(L),
                    state->nbody - 1);
  return (int)lua_tointeger(L, 2);
}

void hn_lua_solver_push_twists(lua_State *L, int index, const hn_state *of)
{
  const int count = of->nbody - 1;
  hn_handle_push_table(L, index, count);
  for (int i = 1; i <= count; i++) {
    if (lua_rawgeti(L, -1, i) != LUA_TTABLE) {
      lua_pop(L, 1);
      lua_createtable(L, 0, 2);
      lua_pushvalue(L, -1);
      lua_rawseti(L, -3, i);
    }
    hn_handle_store_vector(L, "v", of->twist[i].v);
    hn_handle_store_vector(L, "w", of->twist[i].w);
    lua_pop(L, 1);
  }
}
