/* lua_solver_rows.h - the system and states as seen by the step of a solver written in Lua. Internal: only
 * lua/ includes it. */
#ifndef HN_LUA_SOLVER_ROWS_H
#define HN_LUA_SOLVER_ROWS_H

#include "lua_solver_data.h"

/* Open both kinds of handles. */
void hn_lua_solver_open(lua_State *L);
/* Push the handles of the system and of the state of a step. The caller sets the state before each step. */
hn_lua_rows *hn_lua_solver_push_system(lua_State *L, hn_solver *solver);
hn_lua_state *hn_lua_solver_push_state(lua_State *L);
/* Empty sys.memory of the system on top of the stack. Allocates nothing. */
void hn_lua_solver_forget(lua_State *L);

#endif
