/* ordered.c - pairs, next and table.sort for scenes: the same order in every run.
 *
 *   pairs, next  integers ascending, then other numbers, strings by their bytes, false, true (Lua's order
 *                depends on addresses); keys of other types have no order and are refused
 *   sort         a merge sort, stable (Lua chooses some pivots by the clock) */
#include "sandbox.h"

#include <stdlib.h>
#include <string.h>

/* ---- pairs and next ------------------------------------------------------------------------------------ */

enum { RANK_INTEGER, RANK_NUMBER, RANK_STRING, RANK_BOOLEAN };
enum { MAX_PREALLOCATED = 1000000 }; /* entries: keeps an allocation in advance below the memory limit */

typedef struct key {
  int rank; /* RANK_... */
  lua_Integer integer;
  lua_Number number;
  const char *text;
  size_t length;
} key;

static key read_key(lua_State *L, int index)
{
  key k = { 0 };
  if (lua_type(L, index) == LUA_TNUMBER) {
    int integral;
    k.number = lua_tonumber(L, index);
    k.integer = lua_tointegerx(L, index, &integral);
    k.rank = integral ? RANK_INTEGER : RANK_NUMBER;
  } else if (lua_type(L, index) == LUA_TSTRING) {
    k.rank = RANK_STRING, k.text = lua_tolstring(L, index, &k.length);
  } else if (lua_type(L, index) == LUA_TBOOLEAN) {
    k.rank = RANK_BOOLEAN, k.integer = lua_toboolean(L, index);
  } else {
    hn_sandbox_fail(
      L,
      "a key that is a %s has no order: use numbers, strings or booleans as keys of tables that are "
      "visited",
      luaL_typename(L, index));
  }
  return k;
}

static int compare_keys(const void *left, const void *right)
{
  const key *a = left, *b = right;
  if (a->rank != b->rank) return a->rank < b->rank ? -1 : 1;
  if (a->rank == RANK_NUMBER) return (a->number > b->number) - (a->number < b->number);
  if (a->rank != RANK_STRING) return (a->integer > b->integer) - (a->integer < b->integer);
  int order = memcmp(a->text, b->text, a->length < b->length ? a->length : b->length);
  return order ? order : (a->length > b->length) - (a->length < b->length);
}

static void push_key(lua_State *L, const key *k)
{
  switch (k->rank) {
  case RANK_INTEGER: lua_pushinteger(L, k->integer); break;
  case RANK_NUMBER: lua_pushnumber(L, k->number); break;
  case RANK_STRING: lua_pushlstring(L, k->text, k->length); break;
  default: lua_pushboolean(L, (int)k->integer);
  }
}

/* Push a sorted array of the keys of the table at index 1. */
static void push_sorted_keys(lua_State *L)
{
  size_t n = 0, capacity = 0;
  for (lua_pushnil(L); lua_next(L, 1); lua_pop(L, 1)) capacity++;
  key *keys = lua_newuserdatauv(L, (capacity + 1) * sizeof *keys, 0);
  for (lua_pushnil(L); lua_next(L, 1); lua_pop(L, 1)) {
    lua_pop(L, 1);
    keys[n++] = read_key(L, -1);
    lua_pushnil(L);
  }
  qsort(keys, n, sizeof *keys, compare_keys);
  lua_createtable(L, (int)(n < MAX_PREALLOCATED ? n : MAX_PREALLOCATED), 0);
  for (size_t i = 0; i < n; i++) {
    push_key(L, &keys[i]);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  lua_remove(L, -2);
}

/* Iterator of pairs. Upvalues: sorted keys, position. A key whose value has become nil is skipped. */
static int next_sorted(lua_State *L)
{
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_Integer i = lua_tointeger(L, lua_upvalueindex(2));
  for (;;) {
    lua_settop(L, 1);
    bool more = lua_rawgeti(L, lua_upvalueindex(1), ++i) != LUA_TNIL;
    lua_pushinteger(L, i);
    lua_replace(L, lua_upvalueindex(2));
    if (!more) return 1;
    lua_pushvalue(L, -1);
    if (lua_rawget(L, 1) != LUA_TNIL) return 2;
  }
}

int hn_ordered_pairs(lua_State *L)
{
  luaL_checkany(L, 1);
  if (luaL_getmetafield(L, 1, "__pairs") != LUA_TNIL) {
    lua_pushvalue(L, 1);
    lua_call(L, 1, 3);
    return 3;
  }
  luaL_checktype(L, 1, LUA_TTABLE);
  push_sorted_keys(L);
  lua_pushinteger(L, 0);
  lua_pushcclosure(L, next_sorted, 2);
  lua_pushvalue(L, 1);
  lua_pushnil(L);
  return 3;
}

/* Returns the smallest key above the given one, by a search of the whole table. */
int hn_ordered_next(lua_State *L)
{
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 2);
  bool first = lua_isnil(L, 2), found = false;
  key from = first ? (key){ 0 } : read_key(L, 2), best = { 0 };
  for (lua_pushnil(L); lua_next(L, 1);) {
    lua_pop(L, 1);
    key k = read_key(L, -1);
    if ((!first && compare_keys(&k, &from) <= 0) || (found && compare_keys(&k, &best) >= 0)) continue;
    best = k, found = true;
  }
  if (!found) {
    lua_pushnil(L);
    return 1;
  }
  push_key(L, &best);
  lua_pushvalue(L, -1);
  lua_rawget(L, 1);
  return 2;
}

/* ---- sort ---------------------------------------------------------------------------------------------- */

/* True if element I of the table at FROM precedes element J. The comparison function, if any, is at index
 * 2. */
static bool comes_before(lua_State *L, int from, lua_Integer i, lua_Integer j)
{
  const bool function = !lua_isnil(L, 2);
  lua_pushvalue(L, 2);
  lua_rawgeti(L, from, i);
  lua_rawgeti(L, from, j);
  if (function) lua_call(L, 2, 1);
  const bool result = function ? lua_toboolean(L, -1) : lua_compare(L, -2, -1, LUA_OPLT);
  lua_settop(L, 3);
  return result;
}

/* Merge the sorted runs [low, middle) and [middle, high) of FROM into TO; equal elements keep their order. */
static void merge(lua_State *L, int from, int to, lua_Integer low, lua_Integer middle, lua_Integer high)
{
  for (lua_Integer k = low, i = low, j = middle; k < high; k++) {
    bool right = i >= middle || (j < high && comes_before(L, from, j, i));
    lua_rawgeti(L, from, right ? j++ : i++);
    lua_rawseti(L, to, k);
  }
}

int hn_ordered_sort(lua_State *L)
{
  luaL_checktype(L, 1, LUA_TTABLE);
  if (lua_getmetatable(L, 1)) luaL_error(L, "in scenes, sort takes tables without a metatable");
  if (!lua_isnoneornil(L, 2)) luaL_checktype(L, 2, LUA_TFUNCTION);
  lua_settop(L, 2);
  lua_Integer n = (lua_Integer)lua_rawlen(L, 1);
  int from = 1, to = 3;
  lua_createtable(L, (int)(n < MAX_PREALLOCATED ? n : MAX_PREALLOCATED), 0);
  for (lua_Integer width = 1; width < n; width *= 2) {
    for (lua_Integer low = 1; low <= n; low += 2 * width) {
      lua_Integer middle = low + width <= n ? low + width : n + 1,
                  high = middle + width <= n ? middle + width : n + 1;
      merge(L, from, to, low, middle, high);
    }
    from = 4 - from, to = 4 - to;
  }
  for (lua_Integer i = 1; from == 3 && i <= n; i++) {
    lua_rawgeti(L, 3, i);
    lua_rawseti(L, 1, i);
  }
  return 0;
}
