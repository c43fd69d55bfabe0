/* lua_solver.h - solvers written in Lua: scene.solver. Internal: only lua/ includes it. */
#ifndef HN_LUA_SOLVER_H
#define HN_LUA_SOLVER_H

#include "scene_registry.h"

/* scene.solver. */
int hn_lua_solver_declare(lua_State *L);
/* Free the solvers that a scene has declared. */
void hn_lua_solvers_free(hn_scene_lua *lua);

#endif
