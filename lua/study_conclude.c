/* study_conclude.c - the conclusions of a study: a table that its function `conclude` computes from all rows.
 *
 * The function gets a list of rows, tables of fields by the names of the columns, and returns a list of rows
 * with the names of their columns: { columns = { "solver", "error" }, { "moreau", 1e-9 }, ... }. A field is a
 * text, a number, or false for no value. */
#include "study_lua.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct conclusions {
  hn_study_lua lua;
  const hn_study_field *field;
  size_t ncolumn, nrow;
  hn_study_table *table;
} conclusions;

static void push_rows(lua_State *L, const conclusions *c)
{
  lua_createtable(L, (int)c->nrow, 0);
  for (size_t i = 0; i < c->nrow; i++) {
    lua_createtable(L, 0, (int)c->ncolumn);
    for (size_t k = 0; k < c->ncolumn; k++) {
      const hn_study_field *f = &c->field[i * c->ncolumn + k];
      if (f->text) lua_pushstring(L, f->text);
      else if (!isnan(f->number)) lua_pushnumber(L, f->number);
      else continue;
      lua_setfield(L, -2, f->name);
    }
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
}

/* Returns COUNT texts of zeros, the memory of a part of the table. */
static char **make_texts(lua_State *L, size_t count)
{
  hn_sandbox_hold(L, (count + 1) * sizeof(char *));
  char **text = calloc(count + 1, sizeof *text);
  if (!text) hn_sandbox_fail(L, "out of memory");
  return text;
}

/* Read the names of the columns from the table on top of the stack. */
static void read_columns(lua_State *L, hn_study_table *table)
{
  if (lua_getfield(L, -1, "columns") != LUA_TTABLE)
    hn_sandbox_fail(L, "conclude: the table has no list of names, columns = { ... }");
  const size_t count = lua_rawlen(L, -1);
  table->column = make_texts(L, count);
  for (; table->ncolumn < count; lua_pop(L, 1)) {
    if (lua_rawgeti(L, -1, (lua_Integer)table->ncolumn + 1) != LUA_TSTRING)
      hn_sandbox_fail(L, "conclude: columns: the names must be strings");
    table->column[table->ncolumn++] = hn_sandbox_copy(L, lua_tostring(L, -1));
  }
  lua_pop(L, 1);
}

/* Returns a copy of the field on top of the stack. */
static char *read_field(lua_State *L, size_t row, const char *column)
{
  const int type = lua_type(L, -1);
  if (type == LUA_TSTRING) return hn_sandbox_copy(L, lua_tostring(L, -1));
  if (type == LUA_TNUMBER && isfinite(lua_tonumber(L, -1)))
    return hn_sandbox_copy(L, hn_exact(lua_tonumber(L, -1)).text);
  if (type != LUA_TBOOLEAN || lua_toboolean(L, -1))
    hn_sandbox_fail(L, "conclude: row %d: %.60s must be a text, a finite number, or false", (int)row + 1,
                    column);
  return hn_sandbox_copy(L, "");
}

static void read_table(lua_State *L, hn_study_table *table)
{
  if (!lua_istable(L, -1)) hn_sandbox_fail(L, "conclude returns a %s, not a table", luaL_typename(L, -1));
  read_columns(L, table);
  const size_t nrow = lua_rawlen(L, -1);
  table->field = make_texts(L, nrow * table->ncolumn);
  for (; table->nrow < nrow; table->nrow++) {
    if (lua_rawgeti(L, -1, (lua_Integer)table->nrow + 1) != LUA_TTABLE)
      hn_sandbox_fail(L, "conclude: row %d is not a table", (int)table->nrow + 1);
    for (size_t k = 0; k < table->ncolumn; k++, lua_pop(L, 1)) {
      lua_rawgeti(L, -1, (lua_Integer)k + 1);
      table->field[table->nrow * table->ncolumn + k] = read_field(L, table->nrow, table->column[k]);
    }
    lua_pop(L, 1);
  }
}

static int call_conclude(lua_State *L)
{
  conclusions *c = lua_touserdata(L, 1);
  c->lua.registry.box.fallback_line = c->lua.line;
  lua_settop(L, 0);
  lua_rawgeti(L, LUA_REGISTRYINDEX, c->lua.conclude);
  push_rows(L, c);
  lua_call(L, 1, 1);
  read_table(L, c->table);
  return 0;
}

int hn_study_conclude(const hn_study *study, const hn_study_field *field, size_t ncolumn, size_t nrow,
                      hn_study_table *table, hn_error *error)
{
  conclusions c = { .field = field, .ncolumn = ncolumn, .nrow = nrow, .table = table };
  *table = (hn_study_table){ 0 };
  if (!study->concludes) return 0;
  int status = hn_study_open(&c.lua, study, error);
  if (status == 0) status = hn_sandbox_call(&c.lua.registry.box, call_conclude, &c, error);
  hn_sandbox_close(&c.lua.registry.box);
  return status;
}

void hn_study_table_free(hn_study_table *table)
{
  for (size_t k = 0; k < table->ncolumn; k++) free(table->column[k]);
  /* The last row may be incomplete: the field of an error is not counted */
  for (size_t i = 0; table->field && i < (table->nrow + 1) * table->ncolumn; i++) {
    if (!table->field[i]) break;
    free(table->field[i]);
  }
  free(table->column), free(table->field);
  *table = (hn_study_table){ 0 };
}
