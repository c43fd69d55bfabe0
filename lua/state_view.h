/* state_view.h - what Lua code sees of a state in a run. Internal: only lua/ includes it. */
#ifndef HN_STATE_VIEW_H
#define HN_STATE_VIEW_H

#include "scene_registry.h"

#define HN_VIEW_HANDLE "run state" /* userdata: hn_view */

typedef struct hn_view {
  const hn_state *state; /* NULL between two calls; can be acted on, if it is */
  const hn_model *now;   /* of the state, where control may have changed it; NULL: that of the scene */
  bool writable;
} hn_view;

/* Opens the kind of handle. Names are those of the scene of hn_registry_of. */
void hn_view_open(lua_State *L);
/* A view without a state, in the memory of Lua, which keeps it by the registry index *HANDLE. */
hn_view *hn_view_make(lua_State *L, bool writable, int *handle);

#endif
