/* sandbox.c - the interpreter that runs scenes: limits, protected calls, and errors as one line of text.
 *
 * Each call into a scene has limits of instructions, memory and processor time:
 *
 *   instructions  counted by a hook of Lua; an endless scene stops at the same place in every run
 *   memory        counted at each allocation by Lua, and by C code on behalf of the scene
 *   time          checked by the same hook, for instructions that take long; it can only end a call, so no
 *                 result depends on a clock
 *
 * The hook also checks whether the program has been asked to stop. An error of a limit passes through every
 * pcall (safelib.c). A C function of Lua that runs without end (a hard pattern match) never reaches the hook.
 * The owner of the program can detect this by hn_scene_overdue; the library itself uses no signals or
 * threads. */
#include "sandbox.h"
#include "base/locale.h"
#include "scene.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const hn_scene_limits default_limits = { .instructions = 500000000,
                                                .memory = (uint64_t)512 << 20,
                                                .seconds = 30.0 };
static const long max_file = 16L << 20; /* bytes: larger than any text, small enough to read at once */

enum { HOOK_INTERVAL = 1000 }; /* instructions between two checks of the limits */

hn_sandbox *hn_sandbox_of(lua_State *L)
{
  hn_sandbox *box;
  memcpy(&box, lua_getextraspace(L), sizeof box);
  return box;
}

int hn_sandbox_line(lua_State *L)
{
  const size_t length = sizeof HN_SCENE_CHUNK - 1;
  lua_Debug frame;
  for (int level = 0; lua_getstack(L, level, &frame); level++) {
    lua_getinfo(L, "Sl", &frame);
    if (strncmp(frame.source, HN_SCENE_CHUNK, length) != 0 || frame.currentline <= 0) continue;
    const int file = frame.source[length] ? frame.source[length] - HN_FILE_FIRST + 1 : 0;
    return file * HN_FILE_LINES + frame.currentline;
  }
  return hn_sandbox_of(L)->fallback_line;
}

/* Returns the file of LINE, as the user named it. */
static const char *file_of(const hn_sandbox *box, int line)
{
  const int file = line / HN_FILE_LINES;
  return file == 0 ? box->path : box->file[file - 1];
}

int hn_sandbox_fail(lua_State *L, const char *format, ...)
{
  char text[sizeof(hn_error)];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  int line = hn_sandbox_line(L);
  const char file[] = { line < HN_FILE_LINES ? '\0' : (char)(HN_FILE_FIRST + line / HN_FILE_LINES - 1),
                        '\0' };
  if (line > 0) lua_pushfstring(L, "%c%s:%d: %s", HN_SCENE_MARK, file, line % HN_FILE_LINES, text);
  else lua_pushstring(L, text);
  return lua_error(L);
}

/* ---- Limits -------------------------------------------------------------------------------------------- */

static double seconds_of(clockid_t clock)
{
  struct timespec time;
  clock_gettime(clock, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double seconds_used(const hn_sandbox *box)
{
  return seconds_of(box->clock) - box->begun;
}

static void count_hook(lua_State *L, lua_Debug *frame)
{
  hn_sandbox *box = hn_sandbox_of(L);
  (void)frame;
  box->instructions += HOOK_INTERVAL;
  bool stop_requested = box->stop && *box->stop, too_many = box->instructions > box->limits.instructions;
  bool too_long = seconds_used(box) > box->limits.seconds;
  if (!stop_requested && !too_many && !too_long) return;
  box->stopped = true;
  if (stop_requested) hn_sandbox_fail(L, "interrupted");
  if (too_many)
    hn_sandbox_fail(L, "stopped after %llu instructions; does a loop never end? (--limit-instructions)",
                    (unsigned long long)box->limits.instructions);
  hn_sandbox_fail(L, "stopped after %g s of processor time; does something never end? (--limit-time)",
                  box->limits.seconds);
}

/* True if the scene may hold BYTES more. */
static bool fits(const hn_sandbox *box, size_t bytes)
{
  return box->memory <= box->limits.memory && bytes <= box->limits.memory - box->memory;
}

/* Lua's allocator. After a refusal Lua collects garbage and asks again before it raises an error. */
static void *allocate(void *user, void *block, size_t old_size, size_t size)
{
  hn_sandbox *box = user;
  if (!block) old_size = 0; /* here Lua passes a type */
  if (size == 0) {
    free(block);
    box->memory -= old_size;
    return NULL;
  }
  bool refused = size > old_size && !fits(box, size - old_size);
  void *moved = refused ? NULL : realloc(block, size);
  if (!moved && size > old_size) {
    box->refused = refused;
    int line = box->L ? hn_sandbox_line(box->L) : 0;
    if (line > 0) box->line = line; /* Lua may ask again while it unwinds the running functions */
    return NULL;
  }
  box->memory += size - old_size; /* may wrap downwards: unsigned, so the sum is right */
  return moved ? moved : block;   /* shrinking must not fail */
}

void hn_sandbox_hold(lua_State *L, size_t bytes)
{
  hn_sandbox *box = hn_sandbox_of(L);
  if (!fits(box, bytes)) lua_gc(L, LUA_GCCOLLECT);
  box->refused = !fits(box, bytes);
  if (box->refused) {
    box->line = hn_sandbox_line(L);
    box->stopped = box->starved = true;
    lua_pushnil(L);
    lua_error(L);
  }
  box->memory += bytes;
}

void hn_sandbox_release(lua_State *L, size_t bytes)
{
  hn_sandbox_of(L)->memory -= bytes;
}

char *hn_sandbox_copy(lua_State *L, const char *text)
{
  hn_sandbox_hold(L, strlen(text) + 1);
  char *copy = strdup(text);
  if (!copy) hn_sandbox_fail(L, "out of memory");
  return copy;
}

/* ---- Running calls of all threads ---------------------------------------------------------------------- */

static pthread_mutex_t calls_guard = PTHREAD_MUTEX_INITIALIZER;
static hn_sandbox *calls;

static void enter_call(hn_sandbox *box)
{
  box->instructions = 0;
  box->stopped = box->refused = box->starved = false;
  box->line = 0;
  if (pthread_getcpuclockid(pthread_self(), &box->clock)) box->clock = CLOCK_PROCESS_CPUTIME_ID;
  box->begun = seconds_of(box->clock);
  pthread_mutex_lock(&calls_guard);
  box->next = calls;
  calls = box;
  pthread_mutex_unlock(&calls_guard);
}

static void leave_call(hn_sandbox *box)
{
  pthread_mutex_lock(&calls_guard);
  hn_sandbox **at = &calls;
  while (*at != box) at = &(*at)->next;
  *at = box->next;
  pthread_mutex_unlock(&calls_guard);
}

/* Keeps the mutex locked if a call is overdue, so that the call cannot end while the program ends. */
bool hn_scene_overdue(bool interrupted, double *wait, hn_error *error)
{
  *wait = INFINITY;
  pthread_mutex_lock(&calls_guard);
  for (const hn_sandbox *box = calls; box; box = box->next) {
    const double limit = 2.0 * box->limits.seconds, left = interrupted ? 0.0 : limit - seconds_used(box);
    if (left < *wait) *wait = left;
    if (left > 0.0) continue;
    int line = hn_sandbox_line(box->L);
    char where[32] = "";
    if (line > 0) snprintf(where, sizeof where, ":%d", line % HN_FILE_LINES);
    hn_fail(
      error,
      interrupted
        ? "%s%s: interrupted in a function that does not stop: the program ends"
        : "%s%s: one function works longer than %g s of processor time (--limit-time): the program ends",
      file_of(box, line), where, limit);
    return true;
  }
  pthread_mutex_unlock(&calls_guard);
  return false;
}

/* ---- The interpreter ----------------------------------------------------------------------------------- */

static hn_scene_limits with_defaults(hn_scene_limits limits)
{
  if (limits.instructions == 0) limits.instructions = default_limits.instructions;
  if (limits.memory == 0) limits.memory = default_limits.memory;
  if (!(limits.seconds > 0.0)) limits.seconds = default_limits.seconds;
  return limits;
}

int hn_sandbox_open(hn_sandbox *box, const char *kind, const char *path, const hn_scene_limits *limits,
                    const volatile sig_atomic_t *stop, lua_CFunction core, void *user, hn_error *error)
{
  *box = (hn_sandbox){
    .kind = kind, .path = path, .core = core, .user = user, .limits = with_defaults(*limits), .stop = stop
  };
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

/* True if MESSAGE begins with a file and line: of the scene, or of an extra file. */
static bool has_line(const char *message)
{
  return message[0] == HN_SCENE_MARK &&
         (message[1] == ':' || (message[1] > 0 && message[1] < ' ' && message[2] == ':'));
}

/* Write one line: file and line of the scene first, the mark replaced by the path, control characters by
 * blanks. */
static void write_message(const hn_sandbox *box, const char *message, hn_error *error)
{
  size_t used = 0, room = sizeof error->text - 1;
  if (!has_line(message) && box->line > 0)
    used = (size_t)snprintf(error->text, room, "%s:%d: ", file_of(box, box->line), box->line % HN_FILE_LINES);
  else if (!has_line(message)) used = (size_t)snprintf(error->text, room, "%s: ", box->path);
  for (const char *c = message; *c && used < room; c++) {
    const int file = *c == HN_SCENE_MARK ? c[1] - HN_FILE_FIRST : -1;
    const bool beside = file >= 0 && file < HN_MAX_FILES && box->file[file];
    if (*c == HN_SCENE_MARK)
      used += (size_t)snprintf(error->text + used, room - used, "%s", beside ? box->file[file] : box->path),
        c += beside;
    else error->text[used++] = (unsigned char)*c < ' ' ? ' ' : *c;
  }
  error->text[used < room ? used : room] = '\0';
}

/* Store the error on top of the stack as text. Allocates nothing, since it runs unprotected. */
static int describe(const hn_sandbox *box, int status, hn_error *error)
{
  lua_State *L = box->L;
  char text[120];
  if (!error) return -1;
  if (status == LUA_ERRMEM || box->starved) {
    double limit = (double)box->limits.memory / (1 << 20);
    snprintf(text, sizeof text,
             "stopped at the memory limit of %g MiB; does something grow without end? "
             "(--limit-memory)",
             limit);
    write_message(box, box->refused ? text : "out of memory", error);
  } else if (lua_type(L, -1) == LUA_TSTRING) {
    write_message(box, lua_tostring(L, -1), error);
  } else {
    if (lua_type(L, -1) == LUA_TNUMBER) snprintf(text, sizeof text, "error %.17g", lua_tonumber(L, -1));
    else snprintf(text, sizeof text, "error raised with a %s instead of a message", luaL_typename(L, -1));
    write_message(box, text, error);
  }
  return -1;
}

/* Message handler: records the line of an error where it is raised. */
static int note_line(lua_State *L)
{
  hn_sandbox_of(L)->line = hn_sandbox_line(L);
  return 1;
}

/* (function, argument): call the function, then check the metatables. */
static int call_and_check(lua_State *L)
{
  lua_call(L, 1, 0);
  hn_sandbox *box = hn_sandbox_of(L);
  if (box->check) box->check(L);
  return 0;
}

int hn_sandbox_call(hn_sandbox *box, lua_CFunction function, void *argument, hn_error *error)
{
  lua_State *L = box->L;
  enter_call(box);
  lua_settop(L, 0);
  lua_pushcfunction(L, note_line);
  lua_pushcfunction(L, call_and_check);
  lua_pushcfunction(L, function);
  lua_pushlightuserdata(L, argument);
  locale_t before = hn_locale_enter(); /* for numbers as text, order of strings, classes of characters */
  int status = lua_pcall(L, 2, 0, 1);
  int result = status == LUA_OK ? 0 : describe(box, status, error);
  hn_locale_leave(before);
  lua_settop(L, 0);
  leave_call(box);
  return result;
}

/* Read FILE to a Lua string on the stack. Returns false on failure. */
static bool read_file(lua_State *L, FILE *file)
{
  luaL_Buffer text;
  luaL_buffinit(L, &text);
  size_t count;
  long total = 0;
  do {
    char *block = luaL_prepbuffer(&text);
    count = fread(block, 1, LUAL_BUFFERSIZE, file);
    luaL_addsize(&text, count);
    total += (long)count;
  } while (count > 0 && total <= max_file);
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

/* Push a file that Lua closes if an error passes. */
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

/* Returns the start of the Lua text, after a byte order mark and a first line that names an interpreter. */
static const char *skip_preamble(const char *text)
{
  if (strncmp(text, "\xEF\xBB\xBF", 3) == 0) text += 3;
  if (*text == '#') text += strcspn(text, "\n");
  return text;
}

void hn_sandbox_read_file(lua_State *L, const char *path)
{
  const hn_sandbox *box = hn_sandbox_of(L);
  FILE **file = push_file(L);
  *file = fopen(path, "rb");
  if (!*file || !read_file(L, *file)) {
    bool own = strcmp(path, box->path) == 0; /* then messages already start with the path */
    hn_sandbox_fail(L, "cannot read %s%s: %s", own ? "the " : "", own ? box->kind : path, strerror(errno));
  }
  fclose(*file);
  *file = NULL;
  lua_remove(L, -2);
}

void hn_sandbox_compile(lua_State *L, const char *name)
{
  size_t length;
  const char *whole = lua_tolstring(L, -1, &length), *text = skip_preamble(whole);
  length -= (size_t)(text - whole);
  int status = luaL_loadbufferx(L, text, length, name, "t");
  if (status == LUA_ERRMEM) hn_sandbox_of(L)->stopped = hn_sandbox_of(L)->starved = true;
  if (status != LUA_OK) lua_error(L);
  lua_remove(L, -2);
}

void hn_sandbox_load_file(lua_State *L, const char *path, const char *name)
{
  hn_sandbox_read_file(L, path);
  hn_sandbox_compile(L, name);
}
