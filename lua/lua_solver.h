/* lua_solver.h - methods written in Lua: scene.method. Internal: only lua/ includes it. */
#ifndef HN_LUA_SOLVER_H
#define HN_LUA_SOLVER_H

#include "scene_registry.h"

/* scene.method. */
int hn_method_declare(lua_State *L);
/* Frees the methods of a scene. */
void hn_methods_free(hn_scene_lua *lua);

#endif
