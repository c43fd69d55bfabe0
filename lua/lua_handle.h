/* lua_handle.h - the functions of a handle that Lua code calls with a colon: names, arguments, tables given back.
 * Internal: only lua/ includes it. */
#ifndef HN_LUA_HANDLE_H
#define HN_LUA_HANDLE_H

#include "scene_registry.h"

/* A name of a handle: of a function, or of a value. */
typedef struct hn_handle_entry {
  const char *name;
  lua_CFunction function; /* NULL: a value; */
  int detail;             /* what hn_handle_detail tells the function; of a value: which one */
} hn_handle_entry;

enum { HN_MAX_ENTRIES = 32 };

typedef struct hn_handle_kind {
  const char *name; /* of the kind of userdata, and in messages */
  const hn_handle_entry *entry;
  size_t count; /* at most HN_MAX_ENTRIES */
  int (*value)(lua_State *L,
               int which); /* pushes a value of the handle at index 1; NULL when there are none */
} hn_handle_kind;

/* Makes the metatable of KIND, which must stay. */
void hn_handle_open(lua_State *L, const hn_handle_kind *kind);

/* ---- For the functions: name and detail under which this one was called ------------------------------------------ */

const char *hn_handle_name(lua_State *L);
int hn_handle_detail(lua_State *L);

/* The factor at INDEX, 1 unless it is given. */
double hn_handle_scale(lua_State *L, int index);
/* COUNT numbers of the table at INDEX; WHAT says which, for messages. They need not be finite: a step that runs away
 * must end with its reason. */
void hn_handle_read(lua_State *L, int index, const char *what, int count, double *out);

/* The table at INDEX, given to be filled with COUNT entries, or a new one when there is none, onto the stack. */
void hn_handle_push_table(lua_State *L, int index, int count);
/* The same, filled. */
void hn_handle_push(lua_State *L, int index, int count, const double *value);
/* Three numbers into the table KEY of the table on top of the stack, which is made when it is not there. */
void hn_handle_store_vector(lua_State *L, const char *key, const double value[3]);

#endif
