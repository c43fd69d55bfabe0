/* force_laws.h - force laws written in Lua: law = function(t, x, v, u) ... end, energy = function(x) ... end.
 * Internal. */
#ifndef HN_FORCE_LAWS_H
#define HN_FORCE_LAWS_H

#include "scene_registry.h"

/* True if the table at index 2, of a force of TYPE, has the key `law` or `energy`. */
bool hn_laws_given(lua_State *L, const hn_force_type *type);
/* Push the tape handles of `law` and `energy`, nil for an absent one. WHAT starts messages. */
void hn_laws_push(lua_State *L, const char *what, const hn_force_type *type);

#endif
