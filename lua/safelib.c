/* safelib.c - Lua's libraries for scenes: the same names, without access to the machine, dependence on
 * addresses or on the time, or ways around the limits.
 *
 *   removed       collectgarbage, dofile, loadfile, warn, string.dump
 *   pairs, next, table.sort   have a deterministic order (ordered.c)
 *   tostring      and string.format("%s") print no addresses; "%p" is refused
 *   random        starts from a fixed seed; randomseed requires a seed
 *   pcall         and xpcall pass on the errors of the limits; xpcall's handler runs after the error
 *   setmetatable  refuses __gc (finalisers escape the limits) and __mode (reveals garbage collection)
 *   load          accepts text only
 *   require       loads holonom.scene only; in studies, holonom.study and holonom.contact_record
 *   print         writes to stderr, without control characters */
#include "sandbox.h"
#include "trace.h"

#include <stdio.h>
#include <string.h>

/* ---- Errors -------------------------------------------------------------------------------------------- */

/* Called after a failed call: raises an error of the limits again. */
static void pass_limits(lua_State *L, int status)
{
  hn_sandbox *box = hn_sandbox_of(L);
  if (status == LUA_ERRMEM) box->stopped = box->starved = true;
  if (box->stopped) lua_error(L);
}

static int safe_pcall(lua_State *L)
{
  luaL_checkany(L, 1);
  int status = lua_pcall(L, lua_gettop(L) - 1, LUA_MULTRET, 0);
  if (status != LUA_OK) pass_limits(L, status);
  lua_pushboolean(L, status == LUA_OK);
  lua_insert(L, 1);
  return lua_gettop(L);
}

static int safe_xpcall(lua_State *L)
{
  luaL_checktype(L, 2, LUA_TFUNCTION);
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

/* ---- Chunks and modules -------------------------------------------------------------------------------- */

/* Push the concatenated pieces that the function at index 1 returns. */
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

/* True if code of BOX can require the module NAME: holonom.KIND, and in a study holonom.contact_record. */
static bool is_module(const hn_sandbox *box, const char *name)
{
  static const char prefix[] = "holonom.";
  const size_t length = sizeof prefix - 1;
  if (strncmp(name, prefix, length) != 0) return false;
  return strcmp(name + length, box->kind) == 0 ||
         (strcmp(box->kind, "study") == 0 && strcmp(name + length, "contact_record") == 0);
}

/* require. Upvalue 1: table of the modules loaded, and of `core`, the functions on which they are built. */
static int safe_require(lua_State *L)
{
  hn_sandbox *box = hn_sandbox_of(L);
  const char *name = luaL_checkstring(L, 1);
  if (!is_module(box, name)) {
    box->foreign = true;
    hn_sandbox_fail(L, "no module \"%.100s\": a %s can require \"holonom.%s\" only", name, box->kind,
                    box->kind);
  }
  lua_settop(L, 1);
  if (lua_getfield(L, lua_upvalueindex(1), name) != LUA_TNIL) return 1;
  lua_pushfstring(L, "%s/holonom/%s.lua", hn_data_dir("lua"), strchr(name, '.') + 1);
  lua_pushfstring(L, "=%s", name);
  hn_sandbox_load_file(L, lua_tostring(L, -2), lua_tostring(L, -1));
  if (lua_getfield(L, lua_upvalueindex(1), "core") == LUA_TNIL) {
    lua_pop(L, 1);
    lua_pushcfunction(L, box->core);
    lua_call(L, 0, 1);
    lua_pushvalue(L, -1);
    lua_setfield(L, lua_upvalueindex(1), "core");
  }
  lua_call(L, 1, 1);
  lua_pushvalue(L, -1);
  lua_setfield(L, lua_upvalueindex(1), name);
  return 1;
}

/* ---- Metatables ---------------------------------------------------------------------------------------- */

/* Lua's registry: metatables that scenes have set -> line; weak keys */
static const char metatables[] = "holonom.metatables";

/* Raise an error if the table on top of the stack has a field that a metatable must not have. */
static void refuse_fields(lua_State *L)
{
  static const char *const refused[] = { "__gc", "__mode" };
  for (int i = 0; i < 2; i++) {
    lua_pushstring(L, refused[i]);
    if (lua_rawget(L, -2) != LUA_TNIL) hn_sandbox_fail(L, "scenes cannot use %s", refused[i]);
    lua_pop(L, 1);
  }
}

static int safe_setmetatable(lua_State *L)
{
  if (lua_istable(L, 2)) {
    lua_pushvalue(L, 2);
    refuse_fields(L);
    lua_getfield(L, LUA_REGISTRYINDEX, metatables);
    lua_insert(L, -2);
    lua_pushinteger(L, hn_sandbox_line(L));
    lua_rawset(L, -3);
    lua_pop(L, 1);
  }
  return lua_tocfunction(L, lua_upvalueindex(1))(L);
}

/* Raise an error if a metatable contains a forbidden field. Fields may be set after the check in
 * setmetatable. */
static void check_metatables(lua_State *L)
{
  hn_sandbox *box = hn_sandbox_of(L);
  int line = box->fallback_line;
  if (lua_getfield(L, LUA_REGISTRYINDEX, metatables) == LUA_TTABLE)
    for (lua_pushnil(L); lua_next(L, -2);) {
      box->fallback_line = (int)lua_tointeger(L, -1);
      lua_pop(L, 1);
      refuse_fields(L);
    }
  box->fallback_line = line;
  lua_pop(L, 1);
}

static void open_metatables(lua_State *L)
{
  lua_newtable(L);
  lua_createtable(L, 0, 1);
  lua_pushliteral(L, "k");
  lua_setfield(L, -2, "__mode");
  lua_setmetatable(L, -2);
  lua_setfield(L, LUA_REGISTRYINDEX, metatables);
}

/* ---- Text ---------------------------------------------------------------------------------------------- */

/* Push the value at INDEX as text without an address. */
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
  push_text(L, 1);
  return 1;
}

/* Write TEXT to stderr with control characters replaced, since they could control a terminal. */
static void write_printable(const char *text, size_t length)
{
  for (size_t i = 0; i < length; i++) {
    unsigned char c = (unsigned char)text[i];
    bool plain = (c >= ' ' && c != 0x7F) || c == '\n' || c == '\t';
    fputc(plain ? c : '?', stderr);
  }
}

static int safe_print(lua_State *L)
{
  const char mark[] = { HN_SCENE_MARK, '\0' };
  int n = lua_gettop(L);
  for (int i = 1; i <= n; i++) {
    size_t length;
    luaL_gsub(L, push_text(L, i), mark, hn_sandbox_of(L)->path);
    const char *text = lua_tolstring(L, -1, &length);
    if (i > 1) fputc('\t', stderr);
    write_printable(text, length);
    lua_settop(L, n);
  }
  fputc('\n', stderr);
  return 0;
}

/* string.format: converts arguments of %s to text first, in the order of the conversions. */
static int safe_format(lua_State *L)
{
  size_t length;
  const char *format = luaL_checklstring(L, 1, &length);
  int argument = 1, n = lua_gettop(L);
  for (const char *c = format; c < format + length; c++) { /* the format may contain a NUL */
    if (*c != '%') continue;
    c += 1 + strspn(c + 1, "-+ #0123456789.");
    if (c >= format + length) break;
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

/* ---- Random numbers ------------------------------------------------------------------------------------ */

static int safe_randomseed(lua_State *L)
{
  if (lua_type(L, 1) != LUA_TNUMBER)
    luaL_error(L, "randomseed needs a number: scenes are the same every time");
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_call(L, lua_gettop(L) - 1, 0);
  return 0;
}

/* ---- Opening ------------------------------------------------------------------------------------------- */

typedef struct replacement {
  const char *library, *name;
  lua_CFunction function; /* receives the original as upvalue 1; NULL: the name is removed */
} replacement;

static const replacement replacements[] = {
  { "_G", "collectgarbage", NULL },
  { "_G", "dofile", NULL },
  { "_G", "loadfile", NULL },
  { "_G", "warn", NULL },
  { "_G", "pcall", safe_pcall },
  { "_G", "xpcall", safe_xpcall },
  { "_G", "load", safe_load },
  { "_G", "setmetatable", safe_setmetatable },
  { "_G", "tostring", safe_tostring },
  { "_G", "print", safe_print },
  { "_G", "pairs", hn_ordered_pairs },
  { "_G", "next", hn_ordered_next },
  { "_G", "require", safe_require },
  { "string", "dump", NULL },
  { "string", "format", safe_format },
  { "table", "sort", hn_ordered_sort },
  { "math", "randomseed", safe_randomseed },
};

static void replace(lua_State *L, const replacement *r)
{
  lua_getglobal(L, r->library);
  if (!r->function) {
    lua_pushnil(L);
  } else {
    if (strcmp(r->name, "require") == 0) lua_newtable(L);
    else lua_getfield(L, -1, r->name);
    lua_pushcclosure(L, r->function, 1);
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
  open_metatables(L);
  hn_sandbox_of(L)->check = check_metatables;
  for (size_t i = 0; i < sizeof replacements / sizeof replacements[0]; i++) replace(L, &replacements[i]);
  hn_trace_open(L);
  lua_getglobal(L, "math");
  lua_getfield(L, -1, "randomseed");
  lua_pushinteger(L, 20060101);
  lua_call(L, 1, 0);
  lua_pop(L, 1);
  return 0;
}
