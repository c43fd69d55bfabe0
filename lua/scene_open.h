/* scene_open.h - opening the binding of scenes, and reloading a scene. Internal. */
#ifndef HN_SCENE_OPEN_H
#define HN_SCENE_OPEN_H

#include "scene.h"

#include <lua.h>

/* Push the table of functions on which the Lua module holonom.scene is built. For hn_sandbox_open. */
int hn_open_core(lua_State *L);

/* load.c: load SCENE again for its control functions alone; skips checks and registration. Returns NULL on
 * error. */
hn_scene *hn_scene_load_again(const hn_scene *scene, hn_error *error);

#endif
