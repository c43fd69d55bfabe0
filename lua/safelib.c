/* safelib.c - Lua's libraries as scenes see them: the same names, without what reaches the machine, depends on an
 * address or the time, or runs on past the limits.
 *
 *   removed   collectgarbage, dofile, loadfile, warn, string.dump
 *   pairs, next, table.sort  have an order of their own (ordered.c)
 *   tostring  and string.format("%s") show no addresses; "%p" is refused
 *   random    starts from a fixed seed; randomseed wants one
 *   pcall     and xpcall let the limits of the sandbox pass; xpcall's handler runs after the error, not inside it
 *   setmetatable  refuses __gc (finalisers escape the limits) and __mode (shows when garbage is collected)
 *   load      takes text only;  require knows "holonom.scene" only;  print writes to stderr
 * Functions whose work in C can be long are charged for it as instructions. */
#include "sandbox.h"

#include <stdio.h>
#include <string.h>

/* ---- Errors ------------------------------------------------------------------------------------------------------ */

enum { COST_OF_A_CALL = 50, COST_OF_A_LINE = 1000 }; /* instructions: a protected call or formatting; a line printed */

/* After a failed call: an error of the limits goes on. */
static void pass_limits(lua_State *L, int status)
{
  hn_sandbox *box = hn_sandbox_of(L);
  if (status == LUA_ERRMEM) box->stopped = true;
  if (box->stopped) lua_error(L);
}

static int safe_pcall(lua_State *L)
{
  luaL_checkany(L, 1);
  hn_sandbox_charge(L, COST_OF_A_CALL);
  int status = lua_pcall(L, lua_gettop(L) - 1, LUA_MULTRET, 0);
  if (status != LUA_OK) pass_limits(L, status);
  lua_pushboolean(L, status == LUA_OK);
  lua_insert(L, 1);
  return lua_gettop(L);
}

static int safe_xpcall(lua_State *L)
{
  luaL_checktype(L, 2, LUA_TFUNCTION);
  hn_sandbox_charge(L, COST_OF_A_CALL);
  lua_pushvalue(L, 2);
  lua_remove(L, 2);
  lua_insert(L, 1); /* handler, function, arguments */
  int status = lua_pcall(L, lua_gettop(L) - 2, LUA_MULTRET, 0);
  if (status != LUA_OK) {
    pass_limits(L, status);
    lua_call(L, 1, 1);
    lua_pushboolean(L, 0);
    lua_insert(L, 1);
    return 2;
  }
  lua_pushboolean(L, 1);
  lua_replace(L, 1);
  return lua_gettop(L);
}

/* ---- Chunks and modules ------------------------------------------------------------------------------------------ */

/* Pushes the text that the function at index 1 gives piece by piece. */
static void gather_pieces(lua_State *L)
{
  luaL_Buffer text;
  luaL_buffinit(L, &text);
  for (;;) {
    lua_pushvalue(L, 1);
    lua_call(L, 0, 1);
    if (lua_isnil(L, -1) || (lua_type(L, -1) == LUA_TSTRING && lua_rawlen(L, -1) == 0)) break;
    if (lua_type(L, -1) != LUA_TSTRING) luaL_error(L, "reader function must return a string");
    luaL_addvalue(&text);
  }
  lua_pop(L, 1);
  luaL_pushresult(&text);
}

static int safe_load(lua_State *L)
{
  bool environment = !lua_isnone(L, 4);
  const char *name = luaL_optstring(L, 2, "=(load)");
  lua_settop(L, 4);
  if (lua_type(L, 1) == LUA_TFUNCTION) {
    gather_pieces(L);
    lua_replace(L, 1);
  }
  size_t length;
  const char *text = luaL_checklstring(L, 1, &length);
  hn_sandbox_charge(L, length);
  int status = luaL_loadbufferx(L, text, length, name, "t");
  if (status != LUA_OK) {
    if (status == LUA_ERRMEM) pass_limits(L, status);
    lua_pushnil(L);
    lua_insert(L, -2);
    return 2;
  }
  if (environment) {
    lua_pushvalue(L, 4);
    if (!lua_setupvalue(L, -2, 1)) lua_pop(L, 1);
  }
  return 1;
}

/* require: upvalue 1 keeps the module once it is loaded. */
static int safe_require(lua_State *L)
{
  static const char module[] = "holonom.scene";
  const char *name = luaL_checkstring(L, 1);
  if (strcmp(name, module) != 0)
    hn_sandbox_fail(L, "no module \"%.100s\": a scene can require \"%s\" only", name, module);
  lua_pushvalue(L, lua_upvalueindex(1));
  if (!lua_isnil(L, -1)) return 1;
  lua_pushfstring(L, "%s/holonom/scene.lua", hn_data_dir("lua"));
  hn_sandbox_load_file(L, lua_tostring(L, -1), "=holonom.scene");
  lua_pushcfunction(L, hn_sandbox_of(L)->core);
  lua_call(L, 0, 1);
  lua_call(L, 1, 1);
  lua_pushvalue(L, -1);
  lua_replace(L, lua_upvalueindex(1));
  return 1;
}

static int safe_setmetatable(lua_State *L)
{
  static const char *const refused[] = { "__gc", "__mode" };
  for (int i = 0; lua_istable(L, 2) && i < 2; i++) {
    lua_pushstring(L, refused[i]);
    if (lua_rawget(L, 2) != LUA_TNIL) luaL_error(L, "scenes cannot use %s", refused[i]);
    lua_pop(L, 1);
  }
  return lua_tocfunction(L, lua_upvalueindex(1))(L);
}

/* ---- Text -------------------------------------------------------------------------------------------------------- */

/* Pushes the value at INDEX as text without an address. */
static const char *push_text(lua_State *L, int index)
{
  index = lua_absindex(L, index);
  int type = lua_type(L, index);
  bool plain = type == LUA_TNIL || type == LUA_TBOOLEAN || type == LUA_TNUMBER || type == LUA_TSTRING;
  if (!plain && luaL_getmetafield(L, index, "__tostring") == LUA_TNIL) {
    if (luaL_getmetafield(L, index, "__name") == LUA_TSTRING) return lua_tostring(L, -1);
    return lua_pushstring(L, luaL_typename(L, index));
  }
  if (!plain) lua_pop(L, 1);
  return luaL_tolstring(L, index, NULL);
}

static int safe_tostring(lua_State *L)
{
  luaL_checkany(L, 1);
  hn_sandbox_charge(L, COST_OF_A_CALL);
  push_text(L, 1);
  return 1;
}

static int safe_print(lua_State *L)
{
  const char mark[] = { HN_SCENE_MARK, '\0' };
  int n = lua_gettop(L);
  hn_sandbox_charge(L, COST_OF_A_LINE);
  for (int i = 1; i <= n; i++) {
    const char *text = luaL_gsub(L, push_text(L, i), mark, hn_sandbox_of(L)->path);
    fprintf(stderr, "%s%s", i > 1 ? "\t" : "", text);
    lua_settop(L, n);
  }
  fputc('\n', stderr);
  return 0;
}

/* string.format: values shown with %s become text first, in the order of the conversions. */
static int safe_format(lua_State *L)
{
  const char *format = luaL_checkstring(L, 1);
  int argument = 1, n = lua_gettop(L);
  hn_sandbox_charge(L, COST_OF_A_CALL);
  for (const char *c = format; *c; c++) {
    if (*c != '%') continue;
    c += 1 + strspn(c + 1, "-+ #0123456789.");
    if (*c == '\0') break;
    if (*c == '%') continue;
    argument++;
    if (*c == 'p') luaL_error(L, "invalid conversion '%%p' to 'format': scenes see no addresses");
    if (*c != 's' || argument > n) continue;
    push_text(L, argument);
    lua_replace(L, argument);
    lua_settop(L, n);
  }
  return lua_tocfunction(L, lua_upvalueindex(1))(L);
}

/* ---- Functions that are charged ---------------------------------------------------------------------------------- */

/* Runs the function of upvalue 1 in this frame, so that its errors name the scene's line. */
static int run_original(lua_State *L)
{
  return lua_tocfunction(L, lua_upvalueindex(1))(L);
}

static int charged_by_length(lua_State *L)
{
  uint64_t cost = 0;
  for (int i = lua_gettop(L); i > 0; i--)
    if (lua_type(L, i) == LUA_TSTRING) cost += lua_rawlen(L, i);
  hn_sandbox_charge(L, cost / 4);
  return run_original(L);
}

static int charged_rep(lua_State *L)
{
  size_t length, separator;
  luaL_checklstring(L, 1, &length);
  luaL_optlstring(L, 3, "", &separator);
  lua_Integer n = luaL_checkinteger(L, 2);
  if (length + separator == 0 && n > 0) hn_sandbox_charge(L, (uint64_t)n); /* else the memory it takes is charged */
  return run_original(L);
}

/* Pattern matching takes up to length ^ (repetitions + 1) steps, all in C: hopeless cases are refused. */
static int charged_pattern(lua_State *L)
{
  size_t length, n = 0;
  luaL_checklstring(L, 1, &length);
  const char *pattern = luaL_checkstring(L, 2);
  double steps = pattern[0] == '^' ? 1.0 : (double)length + 1.0;
  for (const char *c = pattern; *c; c++)
    if (strchr("*+-", *c)) n++, steps *= (double)length + 1.0;
  bool plain = lua_tointeger(L, lua_upvalueindex(2)) && lua_toboolean(L, 4);
  if (!plain && n > 0 && steps > 1e12)
    luaL_error(L, "a pattern with %d repetitions on a string of %d bytes might never end", (int)n, (int)length);
  hn_sandbox_charge(L, length);
  return run_original(L);
}

/* insert and remove: with a position they move what is behind it. */
static int charged_shift(lua_State *L)
{
  hn_ordered_check_plain(L, 1);
  int position = (int)lua_tointeger(L, lua_upvalueindex(2));
  if (lua_gettop(L) >= position) hn_sandbox_charge(L, lua_rawlen(L, 1));
  return run_original(L);
}

/* concat, move, unpack: from the index in one argument to that in the next; move has a second table. */
static int charged_range(lua_State *L)
{
  int argument = (int)lua_tointeger(L, lua_upvalueindex(2));
  hn_ordered_check_plain(L, 1);
  if (!lua_isnoneornil(L, 5)) hn_ordered_check_plain(L, 5);
  lua_settop(L, lua_isnoneornil(L, 5) ? 4 : 5);
  lua_Integer first = luaL_optinteger(L, argument, 1);
  lua_Integer last = luaL_optinteger(L, argument + 1, (lua_Integer)lua_rawlen(L, 1));
  if (last >= first) hn_sandbox_charge(L, (uint64_t)last - (uint64_t)first + 1);
  return run_original(L);
}

/* ---- Random numbers ---------------------------------------------------------------------------------------------- */

static int safe_randomseed(lua_State *L)
{
  if (lua_type(L, 1) != LUA_TNUMBER) luaL_error(L, "randomseed needs a number: scenes are the same every time");
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_call(L, lua_gettop(L) - 1, 0);
  return 0;
}

/* ---- Opening ----------------------------------------------------------------------------------------------------- */

typedef struct replacement {
  const char *library, *name;
  lua_CFunction function; /* NULL: the name is removed */
  int option;             /* second upvalue; the first is the original */
} replacement;

static const replacement replacements[] = {
  { "_G", "collectgarbage", NULL, 0 },
  { "_G", "dofile", NULL, 0 },
  { "_G", "loadfile", NULL, 0 },
  { "_G", "warn", NULL, 0 },
  { "_G", "pcall", safe_pcall, 0 },
  { "_G", "xpcall", safe_xpcall, 0 },
  { "_G", "load", safe_load, 0 },
  { "_G", "setmetatable", safe_setmetatable, 0 },
  { "_G", "tostring", safe_tostring, 0 },
  { "_G", "print", safe_print, 0 },
  { "_G", "pairs", hn_ordered_pairs, 0 },
  { "_G", "next", hn_ordered_next, 0 },
  { "_G", "require", safe_require, 0 },
  { "string", "dump", NULL, 0 },
  { "string", "format", safe_format, 0 },
  { "string", "rep", charged_rep, 0 },
  { "string", "find", charged_pattern, 1 },
  { "string", "match", charged_pattern, 0 },
  { "string", "gmatch", charged_pattern, 0 },
  { "string", "gsub", charged_pattern, 0 },
  { "string", "byte", charged_by_length, 0 },
  { "string", "lower", charged_by_length, 0 },
  { "string", "upper", charged_by_length, 0 },
  { "string", "reverse", charged_by_length, 0 },
  { "utf8", "len", charged_by_length, 0 },
  { "utf8", "offset", charged_by_length, 0 },
  { "utf8", "codepoint", charged_by_length, 0 },
  { "table", "concat", charged_range, 3 },
  { "table", "unpack", charged_range, 2 },
  { "table", "insert", charged_shift, 3 },
  { "table", "remove", charged_shift, 2 },
  { "table", "move", charged_range, 2 },
  { "table", "sort", hn_ordered_sort, 0 },
  { "math", "randomseed", safe_randomseed, 0 },
};

static void replace(lua_State *L, const replacement *r)
{
  lua_getglobal(L, r->library);
  if (!r->function) {
    lua_pushnil(L);
  } else {
    if (strcmp(r->name, "require") == 0)
      lua_pushnil(L);
    else
      lua_getfield(L, -1, r->name);
    lua_pushinteger(L, r->option);
    lua_pushcclosure(L, r->function, 2);
  }
  lua_setfield(L, -2, r->name);
  lua_pop(L, 1);
}

static void open_libraries(lua_State *L)
{
  static const luaL_Reg libraries[] = {
    { LUA_GNAME, luaopen_base },       { LUA_TABLIBNAME, luaopen_table }, { LUA_STRLIBNAME, luaopen_string },
    { LUA_MATHLIBNAME, luaopen_math }, { LUA_UTF8LIBNAME, luaopen_utf8 },
  };
  for (size_t i = 0; i < sizeof libraries / sizeof libraries[0]; i++) {
    luaL_requiref(L, libraries[i].name, libraries[i].func, 1);
    lua_pop(L, 1);
  }
}

int hn_safelib_open(lua_State *L)
{
  open_libraries(L);
  for (size_t i = 0; i < sizeof replacements / sizeof replacements[0]; i++) replace(L, &replacements[i]);
  lua_getglobal(L, "math");
  lua_getfield(L, -1, "randomseed");
  lua_pushinteger(L, 20060101);
  lua_call(L, 1, 0);
  lua_pop(L, 1);
  return 0;
}
