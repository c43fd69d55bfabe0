/* sandbox.h - a Lua interpreter for scenes: no access to the machine, fixed orders, limits nothing inside can catch.
 * Internal: only lua/ includes it. */
#ifndef HN_SANDBOX_H
#define HN_SANDBOX_H

#include "scene.h"

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <pthread.h>
#include <time.h>

/* The scene's chunk has this name; errors replace it by the scene's path, which Lua would cut at 60 characters. */
#define HN_SCENE_CHUNK "=\001"
#define HN_SCENE_MARK '\001'
/* And that of file number i beside it the same with one more character, FIRST + i. A line there is a number, too: it
 * has i
 * + 1 above HN_FILE_LINES. */
enum { HN_FILE_FIRST = 2, HN_MOST_FILES = 8, HN_FILE_LINES = 1 << 24 };

typedef struct hn_sandbox {
  lua_State *L;
  const char *path;                /* of the scene, as its user named it; not owned */
  const char *file[HN_MOST_FILES]; /* other files that are run beside it; not owned */
  const char *kind;   /* "scene" or "study": what it is, and the module that it can require, holonom.KIND, */
  lua_CFunction core; /* which is built on the functions that this pushes */
  bool foreign;       /* it has tried to require another */
  void (*check)(
    lua_State *L); /* at the end of each call, by what the libraries forbid; NULL before they are open */
  void *user;      /* of the caller of hn_sandbox_open */
  hn_scene_limits limits;            /* none of them 0 */
  const volatile sig_atomic_t *stop; /* NULL: nobody asks */
  size_t memory;                     /* bytes held by the interpreter, and outside of it for the scene */
  uint64_t instructions;             /* used in this call, */
  clockid_t clock;                   /* on the thread with this clock, */
  double begun;                      /* since it showed this, s */
  struct hn_sandbox *next;           /* of the calls under way */
  bool refused;                      /* the last memory that was not given would have been above the limit */
  int line;                          /* of the scene, where the error was raised; 0 when not known */
  bool stopped;                      /* a limit ended this call: no pcall may catch it */
  bool starved;                      /* that of memory, or there is none left */
  struct hn_tape_writer *writer;     /* of the function that is being traced (trace.h); NULL: none, */
  bool tracing;                      /* it is called for its tape, or to be held against it */
  unsigned traces;                   /* and how many have been */
  int fallback_line; /* for errors raised while no function of the scene is running; 0: none */
} hn_sandbox;

/* Opens BOX without any library: hn_safelib_open is to be called in it. PATH and KIND must outlive it. */
int hn_sandbox_open(hn_sandbox *box, const char *kind, const char *path, const hn_scene_limits *limits,
                    const volatile sig_atomic_t *stop, lua_CFunction core, void *user, hn_error *error);
void hn_sandbox_close(hn_sandbox *box);

/* Calls FUNCTION, which finds ARGUMENT with lua_touserdata(L, 1), with fresh limits. Every Lua error ends here. */
int hn_sandbox_call(hn_sandbox *box, lua_CFunction function, void *argument, hn_error *error);

/* ---- For C functions that run inside ----------------------------------------------------------------------------- */

hn_sandbox *hn_sandbox_of(lua_State *L);
/* Counts BYTES that the scene makes us hold outside of Lua, and raises an error at the limit; or lets go of them. */
void hn_sandbox_hold(lua_State *L, size_t bytes);
void hn_sandbox_release(lua_State *L, size_t bytes);
/* A copy of TEXT, counted, for free. */
char *hn_sandbox_copy(lua_State *L, const char *text);
/* Raises an error at the line of the scene that is being run. */
int hn_sandbox_fail(lua_State *L, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The line of the scene that is being run, innermost first; 0 when there is none. Of a file beside it that has the file
 * in its upper bits. */
int hn_sandbox_line(lua_State *L);
/* Pushes the text of a file. */
void hn_sandbox_read_file(lua_State *L, const char *path);
/* Compiles the Lua text on top of the stack as a chunk named NAME, which takes its place; raises an error when that
 * fails. */
void hn_sandbox_compile(lua_State *L, const char *name);
/* Both. */
void hn_sandbox_load_file(lua_State *L, const char *path, const char *name);

/* safelib.c: opens the libraries of scenes, without what a scene must not have, see there. For hn_sandbox_call. */
int hn_safelib_open(lua_State *L);

/* ordered.c: pairs, next and table.sort with a fixed order. */
int hn_ordered_pairs(lua_State *L);
int hn_ordered_next(lua_State *L);
int hn_ordered_sort(lua_State *L);

#endif
