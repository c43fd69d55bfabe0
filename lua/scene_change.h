/* scene_change.h - bodies, joints and forces that control adds to or removes from the model of a run.
 * Internal. */
#ifndef HN_SCENE_CHANGE_H
#define HN_SCENE_CHANGE_H

#include "scene_registry.h"

/* Pending change of the model of a run. New elements are created in the scene's own model, which retains
 * every element that has ever existed. */
typedef struct hn_lua_change {
  hn_control_context *moment;              /* of the running call of control; NULL if none */
  bool begun;                              /* at least one change has been requested */
  int first_joint, first_force, colliders; /* counts in the scene's model before the change */
  bool *body, *joint, *force;              /* [nbody], [njoint], [nforce] of the run's model: to be removed */
} hn_lua_change;

/* Raise an error unless the call is `sys:NAME { ... }` and additions are allowed: while a scene is loaded,
 * or, in a run, by control. During a run, moves the bodies of the scene's model to their current states. */
void hn_change_check_addition(lua_State *L, const char *name);
/* End a call of control: stores the changed model, if any, in its moment, unless the call has FAILED. Returns
 * -1 on error. */
int hn_change_end(hn_scene_lua *lua, bool failed, hn_error *error);
/* sys:remove */
int hn_declare_remove(lua_State *L);

#endif
