/* lua_handle.h - methods of handles that Lua code calls with a colon: names, arguments, returned tables.
 * Internal: only lua/ includes it. */
#ifndef HN_LUA_HANDLE_H
#define HN_LUA_HANDLE_H

#include "scene_registry.h"

/* An entry of a handle: a function or a value. */
typedef struct hn_handle_entry {
  const char *name;
  lua_CFunction function; /* NULL: a value */
  int detail;             /* of a function: returned by hn_handle_detail; of a value: passed to `value` */
} hn_handle_entry;

enum { HN_MAX_ENTRIES = 32 };

typedef struct hn_handle_kind {
  const char *name; /* kind of userdata, also used in messages */
  const hn_handle_entry *entry;
  size_t count; /* at most HN_MAX_ENTRIES */
  /* Pushes value `which` of the handle at index 1; NULL if the kind has no values. */
  int (*value)(lua_State *L, int which);
} hn_handle_kind;

/* Create the metatable of KIND, which must stay valid. */
void hn_handle_open(lua_State *L, const hn_handle_kind *kind);

/* ---- For the functions: name and detail of the entry called ---------------------------------------- */

const char *hn_handle_name(lua_State *L);
int hn_handle_detail(lua_State *L);

/* Returns the scale factor at INDEX, 1 if absent. */
double hn_handle_scale(lua_State *L, int index);
/* Read COUNT numbers from the table at INDEX; WHAT names it in messages. The numbers need not be finite, so
 * that a diverging step ends with its own reason. */
void hn_handle_read(lua_State *L, int index, const char *what, int count, double *out);
/* Read the first COUNT numbers from the table at INDEX. */
void hn_handle_read_first(lua_State *L, int index, int count, double *out);

/* Push the table at INDEX, or a new table for COUNT entries if there is none. EXACT: the table must be
 * empty or have COUNT entries. */
void hn_handle_push_table(lua_State *L, int index, int count, bool exact);
/* Push such an exact table and fill it with COUNT values. */
void hn_handle_push(lua_State *L, int index, int count, const double *value);
/* Store COUNT values in the table on top of the stack. */
void hn_handle_store(lua_State *L, int count, const double *value);
/* Store three numbers in the table KEY of the table on top of the stack; creates that table if it is
 * absent. */
void hn_handle_store_vector(lua_State *L, const char *key, const double value[3]);

#endif
