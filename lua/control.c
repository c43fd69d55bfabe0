/* control.c - sys:control(function(t, s) ... end): called before every step of a run with the time and a view of the
 * state. */
#include "control.h"

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
