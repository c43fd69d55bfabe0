/* state_view.h - view of the state of a run for Lua code. Internal: only lua/ includes it. */
#ifndef HN_STATE_VIEW_H
#define HN_STATE_VIEW_H

#include "scene_registry.h"

#define HN_VIEW_HANDLE "run state" /* userdata: hn_view */

typedef struct hn_view {
  const hn_state *state; /* NULL outside of a call; its velocities and inputs can be changed if writable */
  const hn_model *now;   /* model of the state, if control may have changed it; NULL: the scene's model */
  bool writable;
} hn_view;

/* Open the kind of handle. Names are looked up in the scene of hn_registry_of. */
void hn_view_open(lua_State *L);
/* Create a view without a state, owned by Lua through the registry index *HANDLE. */
hn_view *hn_view_make(lua_State *L, bool writable, int *handle);

#endif
