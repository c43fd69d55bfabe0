/* scene_change.h - bodies, joints and forces that control adds to the model of a run, and
 * takes out of it. Internal. */
#ifndef HN_SCENE_CHANGE_H
#define HN_SCENE_CHANGE_H

#include "scene_registry.h"

/* What is to become of the model of a run. What is new is made in the scene's own model, which has all
 * that has ever been there. */
typedef struct hn_lua_change {
  hn_moment *moment;                       /* of the call of control under way; NULL: there is none */
  bool begun;                              /* something is changed */
  int first_joint, first_force, colliders; /* how many there were before */
  bool *body, *joint, *force;              /* [nbody], [njoint], [nforce] of the model of now: what goes */
} hn_lua_change;

/* Raises an error unless the call is `sys:NAME { ... }` and may add to the model: while a scene is loaded,
 * or, in a run, by control. What control adds finds the bodies where they are now. */
void hn_change_check_addition(lua_State *L, const char *name);
/* The call is over: the changed model, if there is one, into its moment, unless it
 * has FAILED. -1 on error. */
int hn_change_end(hn_scene_lua *lua, bool failed, hn_error *error);
/* sys:remove */
int hn_declare_remove(lua_State *L);

#endif
