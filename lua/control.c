/* control.c - declares control functions: sys:control(function(t, s) ... end), called before every step of a
 * run with the time and a view of the state; sys:on(kind, function(event, s) ... end), called then for each
 * event of that kind in the previous step. */
#include "control.h"
#include "fields.h"

#include <stdlib.h>
#include <string.h>

int hn_declare_control(lua_State *L)
{
  hn_scene_lua *lua = hn_registry_of(L);
  hn_registry_check_call(L, "control", LUA_TFUNCTION);
  if (lua->control != LUA_NOREF) hn_sandbox_fail(L, "control: the system has one already");
  lua->control_line = hn_sandbox_line(L);
  lua->control = luaL_ref(L, LUA_REGISTRYINDEX);
  lua->scene->has_control = true;
  return 0;
}

/* Returns the kind of events named at index 2. */
static hn_event_kind kind_at_2(lua_State *L)
{
  const char *names[HN_EVENT_KINDS], *word = lua_tostring(L, 2);
  for (int k = 0; k < HN_EVENT_KINDS; k++) {
    names[k] = hn_event_name((hn_event_kind)k);
    if (strcmp(names[k], word) == 0) return (hn_event_kind)k;
  }
  hn_fields_unknown(L, "on", "kind of event", word, names, HN_EVENT_KINDS);
  return HN_EVENT_KINDS;
}

int hn_declare_on(lua_State *L)
{
  hn_scene_lua *lua = hn_registry_of(L);
  hn_registry_check_incomplete(L, "on");
  if (!luaL_testudata(L, 1, HN_SYSTEM_HANDLE) || lua_type(L, 2) != LUA_TSTRING ||
      lua_type(L, 3) != LUA_TFUNCTION || lua_gettop(L) > 3)
    hn_sandbox_fail(L, "on takes a kind of events and a function: "
                       "sys:on(\"impact\", function(event, s) ... end)");
  const hn_event_kind kind = kind_at_2(L);
  hn_sandbox_hold(L, sizeof *lua->on);
  hn_on *grown = realloc(lua->on, sizeof *grown * (lua->non + 1));
  if (!grown) hn_sandbox_fail(L, "out of memory");
  lua->on = grown;
  lua->on[lua->non++] = (hn_on){ kind, luaL_ref(L, LUA_REGISTRYINDEX), hn_sandbox_line(L) };
  lua->scene->has_control = true;
  return 0;
}
