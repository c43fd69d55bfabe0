/* control.h - the control function of a scene: sys:control(function(t, s) ... end). Internal: only lua/ includes it. */
#ifndef HN_CONTROL_H
#define HN_CONTROL_H

#include "registry.h"

#define HN_CONTROL_HANDLE "control state" /* userdata: hn_control_view */

/* What a control function sees of a state. */
typedef struct hn_control_view {
  hn_state *state; /* NULL between two calls */
} hn_control_view;

/* sys:control */
int hn_declare_control(lua_State *L);
/* Opens the kind of handle. */
void hn_control_open(lua_State *L);

#endif
