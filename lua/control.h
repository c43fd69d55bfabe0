/* control.h - the control function of a scene: sys:control(function(t, s) ... end). Internal: only lua/ includes it. */
#ifndef HN_CONTROL_H
#define HN_CONTROL_H

#include "registry.h"

/* sys:control */
int hn_declare_control(lua_State *L);

#endif
