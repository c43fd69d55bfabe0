/* force_laws.h - laws of forces written in Lua: law = function(t, x, v, u) ... end, energy = function(x) ... end.
 * Internal. */
#ifndef HN_FORCE_LAWS_H
#define HN_FORCE_LAWS_H

#include "scene_registry.h"

/* Has the table at index 2, of a force of TYPE, a law or an energy of its own? */
bool hn_laws_given(lua_State *L, const hn_force_type *type);
/* Pushes the handles of their tapes, two, nil where there is none; WHAT starts messages. */
void hn_laws_push(lua_State *L, const char *what, const hn_force_type *type);

#endif
