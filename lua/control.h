/* control.h - control functions of a scene: sys:control and sys:on. Internal: only lua/ includes it. */
#ifndef HN_CONTROL_H
#define HN_CONTROL_H

#include "scene_registry.h"

/* Function for events of one kind. */
typedef struct hn_on {
  hn_event_kind kind;
  int function; /* registry index */
  int line;
} hn_on;

/* sys:control and sys:on */
int hn_declare_control(lua_State *L);
int hn_declare_on(lua_State *L);

#endif
