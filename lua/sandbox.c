/* sandbox.c - the interpreter that runs scenes: limits, protected calls, and errors as one line of text.
 *
 * A scene may use a number of instructions for each call into it, and an amount of memory. Instructions are counted by
 * a hook; work in C functions and memory traffic are charged as instructions too, so that a loop over long strings ends
 * as soon as any other. When a limit is passed the error travels through every pcall (safelib.c). Neither limit looks
 * at a clock, so a scene stops at the same place every time. */
#include "sandbox.h"
#include "base/locale.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t max_instructions = 500000000;
static const size_t max_memory = (size_t)512 << 20;
static const long max_file = 16L << 20;

enum {
  HOOK_INTERVAL = 1000,     /* instructions between two looks at the limit */
  BYTES_AN_INSTRUCTION = 4  /* memory traffic that costs as much as an instruction */
};

hn_sandbox *hn_sandbox_of(lua_State *L)
{
  hn_sandbox *box;
  memcpy(&box, lua_getextraspace(L), sizeof box);
  return box;
}

int hn_sandbox_line(lua_State *L)
{
  lua_Debug frame;
  for (int level = 0; lua_getstack(L, level, &frame); level++) {
    lua_getinfo(L, "Sl", &frame);
    if (strcmp(frame.source, HN_SCENE_CHUNK) == 0 && frame.currentline > 0) return frame.currentline;
  }
  return hn_sandbox_of(L)->fallback_line;
}

int hn_sandbox_fail(lua_State *L, const char *format, ...)
{
  char text[sizeof(hn_error)];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  int line = hn_sandbox_line(L);
  if (line > 0)
    lua_pushfstring(L, "%c:%d: %s", HN_SCENE_MARK, line, text);
  else
    lua_pushstring(L, text);
  return lua_error(L);
}

void hn_sandbox_charge(lua_State *L, uint64_t cost)
{
  hn_sandbox *box = hn_sandbox_of(L);
  box->instructions += cost;
  if (box->instructions <= max_instructions) return;
  box->stopped = true;
  hn_sandbox_fail(L, "stopped after %llu instructions; does a loop never end?", (unsigned long long)max_instructions);
}

static void count_hook(lua_State *L, lua_Debug *frame)
{
  (void)frame;
  hn_sandbox_charge(L, HOOK_INTERVAL);
}

/* Lua's allocator. A refusal makes Lua collect garbage and ask once more before it raises an error. */
static void *allocate(void *user, void *block, size_t old_size, size_t size)
{
  hn_sandbox *box = user;
  if (!block) old_size = 0; /* Lua passes a type there */
  if (size == 0) {
    free(block);
    box->memory -= old_size;
    return NULL;
  }
  if (size > old_size && size - old_size > max_memory - box->memory) {
    box->refused = true;
    box->line = box->L ? hn_sandbox_line(box->L) : 0;
    return NULL;
  }
  box->instructions += size / BYTES_AN_INSTRUCTION;
  void *moved = realloc(block, size);
  if (!moved && size > old_size) return NULL;
  box->memory += size - old_size; /* may wrap downwards: unsigned, so the sum is right */
  return moved ? moved : block;   /* a block that shrinks must not fail */
}

int hn_sandbox_open(hn_sandbox *box, const char *path, lua_CFunction core, void *user, hn_error *error)
{
  *box = (hn_sandbox){ .path = path, .core = core, .user = user };
  lua_State *L = lua_newstate(allocate, box);
  if (!L) return hn_fail(error, "%s: out of memory", path);
  memcpy(lua_getextraspace(L), &box, sizeof box);
  box->L = L;
  lua_sethook(L, count_hook, LUA_MASKCOUNT, HOOK_INTERVAL);
  return 0;
}

void hn_sandbox_close(hn_sandbox *box)
{
  if (box->L) lua_close(box->L);
  box->L = NULL;
}

/* One line: the mark becomes the scene's path, control characters become blanks. */
static void write_message(const hn_sandbox *box, const char *message, hn_error *error)
{
  size_t used = 0, room = sizeof error->text - 1;
  if (message[0] != HN_SCENE_MARK) used = (size_t)snprintf(error->text, room, "%s: ", box->path);
  for (const char *c = message; *c && used < room; c++) {
    if (*c == HN_SCENE_MARK)
      used += (size_t)snprintf(error->text + used, room - used, "%s", box->path);
    else
      error->text[used++] = (unsigned char)*c < ' ' ? ' ' : *c;
  }
  error->text[used < room ? used : room] = '\0';
}

/* The error on top of the stack as text. Allocates nothing: this runs outside any protection. */
static int describe(const hn_sandbox *box, int status, hn_error *error)
{
  lua_State *L = box->L;
  if (!error) return -1;
  if (status == LUA_ERRMEM || (box->stopped && box->refused)) {
    const char *what = box->refused ? "stopped at the memory limit of 512 MiB; does something grow without end?"
                                    : "out of memory";
    if (box->refused && box->line > 0) return hn_fail(error, "%s:%d: %s", box->path, box->line, what);
    return hn_fail(error, "%s: %s", box->path, what);
  }
  if (lua_type(L, -1) == LUA_TSTRING)
    write_message(box, lua_tostring(L, -1), error);
  else if (lua_type(L, -1) == LUA_TNUMBER)
    hn_fail(error, "%s: error %.17g", box->path, lua_tonumber(L, -1));
  else
    hn_fail(error, "%s: error raised with a %s instead of a message", box->path, luaL_typename(L, -1));
  return -1;
}

int hn_sandbox_call(hn_sandbox *box, lua_CFunction function, void *argument, hn_error *error)
{
  lua_State *L = box->L;
  box->instructions = 0;
  box->stopped = box->refused = false;
  lua_settop(L, 0);
  lua_pushcfunction(L, function);
  lua_pushlightuserdata(L, argument);
  locale_t before = hn_locale_enter(); /* numbers as text, the order of strings, classes of characters */
  int status = lua_pcall(L, 1, 0, 0);
  int result = status == LUA_OK ? 0 : describe(box, status, error);
  hn_locale_leave(before);
  lua_settop(L, 0);
  return result;
}

/* Reads FILE to a Lua string on the stack; false when reading fails. */
static bool read_file(lua_State *L, FILE *file)
{
  luaL_Buffer text;
  luaL_buffinit(L, &text);
  size_t got;
  long total = 0;
  do {
    char *block = luaL_prepbuffer(&text);
    got = fread(block, 1, LUAL_BUFFERSIZE, file);
    luaL_addsize(&text, got);
    total += (long)got;
  } while (got > 0 && total <= max_file);
  bool good = !ferror(file);
  if (total > max_file) errno = EFBIG;
  luaL_pushresult(&text);
  return good && total <= max_file;
}

static int close_file(lua_State *L)
{
  FILE **file = lua_touserdata(L, 1);
  if (*file) fclose(*file);
  *file = NULL;
  return 0;
}

/* A file that Lua closes when an error passes by. */
static FILE **push_file(lua_State *L)
{
  FILE **file = lua_newuserdatauv(L, sizeof *file, 0);
  *file = NULL;
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, close_file);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
  return file;
}

/* Start of the Lua text: after a byte order mark and a first line that names an interpreter. */
static const char *skip_preamble(const char *text)
{
  if (strncmp(text, "\xEF\xBB\xBF", 3) == 0) text += 3;
  if (*text == '#') text += strcspn(text, "\n");
  return text;
}

void hn_sandbox_load_file(lua_State *L, const char *path, const char *name)
{
  FILE **file = push_file(L);
  *file = fopen(path, "rb");
  if (!*file || !read_file(L, *file)) {
    bool scene = strcmp(path, hn_sandbox_of(L)->path) == 0; /* whose path starts every message */
    hn_sandbox_fail(L, "cannot read %s: %s", scene ? "the scene" : path, strerror(errno));
  }
  fclose(*file);
  *file = NULL;
  size_t length;
  const char *whole = lua_tolstring(L, -1, &length), *text = skip_preamble(whole);
  length -= (size_t)(text - whole);
  int status = luaL_loadbufferx(L, text, length, name, "t");
  if (status == LUA_ERRMEM) hn_sandbox_of(L)->stopped = true;
  if (status != LUA_OK) lua_error(L);
  lua_replace(L, -3); /* over the file */
  lua_pop(L, 1);
}
