/* lua_solver_rows.h - what the step of a solver written in Lua works with. Internal: only lua/ includes it. */
#ifndef HN_LUA_SOLVER_ROWS_H
#define HN_LUA_SOLVER_ROWS_H

#include "lua_solver_data.h"

/* Opens both kinds; and pushes the two handles that a step is given, of which the state is set for
 * each step. */
void hn_lua_solver_open(lua_State *L);
hn_lua_rows *hn_lua_solver_push_system(lua_State *L, hn_solver *solver);
hn_lua_state *hn_lua_solver_push_state(lua_State *L);
/* Empties sys.memory of the system on top of the stack; asks for no memory. */
void hn_lua_solver_forget(lua_State *L);

#endif
