/* sandbox.h - Lua interpreter for scenes: no access to the machine, deterministic orders, limits that no
 * pcall catches. Internal: only lua/ includes it. */
#ifndef HN_SANDBOX_H
#define HN_SANDBOX_H

#include "scene.h"

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <pthread.h>
#include <time.h>

/* Name of the scene's chunk. Errors replace it by the scene's path, which Lua would cut at 60 characters. */
#define HN_SCENE_CHUNK "=\001"
#define HN_SCENE_MARK '\001'
/* Extra file i has the scene's chunk name with one more character, HN_FILE_FIRST + i. A line number in that
 * file is encoded as (i + 1) HN_FILE_LINES + line. */
enum { HN_FILE_FIRST = 2, HN_MAX_FILES = 8, HN_FILE_LINES = 1 << 24 };

typedef struct hn_sandbox {
  lua_State *L;
  const char *path;               /* of the scene, as the user named it; not owned */
  const char *file[HN_MAX_FILES]; /* extra files; not owned */
  const char *kind;               /* "scene" or "study"; the code can require the module holonom.KIND */
  lua_CFunction core;             /* pushes the functions on which that module is built */
  bool foreign;                   /* the code has tried to require another module */
  /* Called at the end of each call to detect forbidden metatables; NULL before the libraries are open. */
  void (*check)(lua_State *L);
  void *user;                        /* of the caller of hn_sandbox_open */
  hn_scene_limits limits;            /* none of them 0 */
  const volatile sig_atomic_t *stop; /* nonzero requests a stop; may be NULL */
  size_t memory;                     /* bytes held by the interpreter, and outside of it for the scene */
  uint64_t instructions;             /* used in this call */
  clockid_t clock;                   /* clock of the thread of this call */
  double begun;                      /* reading of that clock at the start of the call, s */
  struct hn_sandbox *next;           /* list of running calls */
  bool refused;                      /* the last failed allocation would have exceeded the limit */
  int line;                          /* of the scene, where the error was raised; 0 if unknown */
  bool stopped;                      /* a limit ended this call: no pcall may catch it */
  bool starved;                      /* the memory limit was reached, or memory is exhausted */
  struct hn_tape_writer *writer;     /* of the function being traced (trace.h); NULL if none */
  bool tracing;                      /* a function is being traced or compared with its tape */
  unsigned traces;                   /* number of calls traced or compared so far */
  int fallback_line; /* for errors raised while no function of the scene is running; 0: none */
} hn_sandbox;

/* Open BOX without libraries; call hn_safelib_open in it next. PATH and KIND must outlive it. */
int hn_sandbox_open(hn_sandbox *box, const char *kind, const char *path, const hn_scene_limits *limits,
                    const volatile sig_atomic_t *stop, lua_CFunction core, void *user, hn_error *error);
void hn_sandbox_close(hn_sandbox *box);

/* Call FUNCTION, whose lua_touserdata(L, 1) is ARGUMENT, under fresh limits. Catches every Lua error: returns
 * -1. */
int hn_sandbox_call(hn_sandbox *box, lua_CFunction function, void *argument, hn_error *error);

/* ---- For C functions that run inside ------------------------------------------------------------------- */

hn_sandbox *hn_sandbox_of(lua_State *L);
/* Count BYTES held outside of Lua on behalf of the scene; raises an error at the limit. */
void hn_sandbox_hold(lua_State *L, size_t bytes);
/* Subtract BYTES that were counted by hn_sandbox_hold. */
void hn_sandbox_release(lua_State *L, size_t bytes);
/* Returns a counted copy of TEXT, to be freed with free. */
char *hn_sandbox_copy(lua_State *L, const char *text);
/* Raise an error at the current line of the scene. */
int hn_sandbox_fail(lua_State *L, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Returns the current line of the innermost running function of the scene, 0 if there is none. The line in an
 * extra file is encoded as at HN_FILE_LINES. */
int hn_sandbox_line(lua_State *L);
/* Push the text of a file. */
void hn_sandbox_read_file(lua_State *L, const char *path);
/* Compile the Lua text on top of the stack as a chunk named NAME, which replaces it. Raises an error on
 * failure. */
void hn_sandbox_compile(lua_State *L, const char *name);
/* Read and compile a file: pushes the chunk. */
void hn_sandbox_load_file(lua_State *L, const char *path, const char *name);

/* Open the libraries of scenes without unsafe functions, as listed in safelib.c. For hn_sandbox_call. */
int hn_safelib_open(lua_State *L);

/* Replacements for pairs, next and table.sort with a deterministic order (ordered.c). */
int hn_ordered_pairs(lua_State *L);
int hn_ordered_next(lua_State *L);
int hn_ordered_sort(lua_State *L);

#endif
