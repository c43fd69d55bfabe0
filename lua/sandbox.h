/* sandbox.h - a Lua interpreter for scenes: no access to the machine, fixed orders, limits nothing inside can catch.
 * Internal: only lua/ includes it. */
#ifndef HN_SANDBOX_H
#define HN_SANDBOX_H

#include "holonom.h"

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

/* The scene's chunk has this name; errors replace it by the scene's path, which Lua would cut at 60 characters. */
#define HN_SCENE_CHUNK "=\001"
#define HN_SCENE_MARK '\001'

typedef struct hn_sandbox {
  lua_State *L;
  const char *path;       /* of the scene, as its user named it; not owned */
  lua_CFunction core;     /* pushes the functions that holonom.scene is built on */
  void *user;             /* of the caller of hn_sandbox_open */
  size_t memory;          /* bytes held by the interpreter */
  uint64_t instructions;  /* used in this call */
  bool refused;           /* the memory limit was reached, */
  int line;               /* at this line of the scene; 0 when not known */
  bool stopped;           /* a limit ended this call: no pcall may catch it */
  int fallback_line;      /* for errors raised while no function of the scene is running; 0: none */
} hn_sandbox;

/* Opens BOX without any library: hn_safelib_open is to be called in it. PATH must outlive it. */
int hn_sandbox_open(hn_sandbox *box, const char *path, lua_CFunction core, void *user, hn_error *error);
void hn_sandbox_close(hn_sandbox *box);

/* Calls FUNCTION, which finds ARGUMENT with lua_touserdata(L, 1), with fresh limits. Every Lua error ends here. */
int hn_sandbox_call(hn_sandbox *box, lua_CFunction function, void *argument, hn_error *error);

/* ---- For C functions that run inside ----------------------------------------------------------------------------- */

hn_sandbox *hn_sandbox_of(lua_State *L);
/* Counts COST instructions for work done in C; stops the scene when it has used them all. */
void hn_sandbox_charge(lua_State *L, uint64_t cost);
enum { HN_COST_OF_DECLARATION = 300 }; /* instructions that a body, a joint, a parameter ... of the scene is worth */
/* Raises an error at the line of the scene that is being run. */
int hn_sandbox_fail(lua_State *L, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The line of the scene that is being run, innermost first; 0 when there is none. */
int hn_sandbox_line(lua_State *L);
/* Compiles a file of Lua text as a chunk named NAME and pushes it; raises an error when that fails. */
void hn_sandbox_load_file(lua_State *L, const char *path, const char *name);

/* safelib.c: opens the libraries of scenes, without what a scene must not have, see there. For hn_sandbox_call. */
int hn_safelib_open(lua_State *L);

/* ordered.c: pairs, next and table.sort with a fixed order; and an error unless the table at INDEX has no metatable. */
int hn_ordered_pairs(lua_State *L);
int hn_ordered_next(lua_State *L);
int hn_ordered_sort(lua_State *L);
void hn_ordered_check_plain(lua_State *L, int index);

#endif
