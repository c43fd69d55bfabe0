/* lua_contact_solver.h - contact solvers written in Lua: scene.contact_solver. Internal. */
#ifndef HN_LUA_CONTACT_SOLVER_H
#define HN_LUA_CONTACT_SOLVER_H

#include "scene_registry.h"

/* scene.contact_solver. */
int hn_contact_solver_declare(lua_State *L);
/* Free the contact solvers that a scene has declared. */
void hn_contact_solvers_free(hn_scene_lua *lua);

#endif
