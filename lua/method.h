/* method.h - methods written in Lua: scene.method. Internal: only lua/ includes it. */
#ifndef HN_METHOD_H
#define HN_METHOD_H

#include "registry.h"

/* scene.method. */
int hn_method_declare(lua_State *L);
/* Frees the methods of a scene. */
void hn_methods_free(hn_scene_lua *lua);

#endif
