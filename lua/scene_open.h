/* scene_open.h - all that a scene can call, and loading a scene once more. Internal. */
#ifndef HN_SCENE_OPEN_H
#define HN_SCENE_OPEN_H

#include "scene.h"

#include <lua.h>

/* Pushes the table of functions that the Lua module holonom.scene is built on. For hn_sandbox_open. */
int hn_open_core(lua_State *L);

/* load.c: loads SCENE once more, for its control alone: nothing else of it is tried or registered. NULL on error. */
hn_scene *hn_scene_load_again(const hn_scene *scene, hn_error *error);

#endif
