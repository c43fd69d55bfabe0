/* study_run.c - measures and results of one run of a study.
 *
 * Every run has its own interpreter, in which the study is loaded anew. No variable or random number carries
 * over from one run to the next. Names refer to the scene of the run. */
#include "study_lua.h"
#include "fields.h"
#include "state_view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct hn_study_run {
  hn_study_lua lua;
  const hn_study *study;
  hn_view *view;           /* owned by Lua through `handle` */
  int handle;              /* registry index of the view */
  double *value;           /* [nmeasure] last values; NAN: none yet */
  const hn_state *state;   /* of the running call */
  const char *kind, *name; /* "measure" or "result", and name, of the function that is being called */
};

/* Enter the names of the scene, in which views look up names. */
static int bind_scene(lua_State *L)
{
  hn_study_run *run = lua_touserdata(L, 1);
  const hn_model *model = run->lua.registry.scene->model;
  hn_registry_open_names(L);
  for (int i = 0; i < model->nbody; i++) hn_registry_enter(L, HN_BODY_NAMES, model->body[i].name, i);
  for (int i = 0; i < model->njoint; i++) hn_registry_enter(L, HN_ELEMENT_NAMES, model->joint[i].name, i);
  for (int i = 0; i < model->nforce; i++) hn_registry_enter(L, HN_ELEMENT_NAMES, model->force[i].name, i);
  run->view = hn_view_make(L, false, &run->handle);
  return 0;
}

hn_study_run *hn_study_run_create(const hn_study *study, hn_scene *scene, hn_error *error)
{
  hn_study_run *run = calloc(1, sizeof *run);
  double *value = calloc(study->nmeasure + 1, sizeof *value);
  if (!run || !value) {
    hn_fail(error, "out of memory");
    free(run), free(value);
    return NULL;
  }
  run->study = study, run->value = value;
  run->lua.registry.scene = scene;
  for (size_t i = 0; i < study->nmeasure; i++) value[i] = NAN;
  if (hn_study_open(&run->lua, study, error) == 0 &&
      hn_sandbox_call(&run->lua.registry.box, bind_scene, run, error) == 0)
    return run;
  hn_study_run_free(run);
  return NULL;
}

void hn_study_run_free(hn_study_run *run)
{
  if (!run) return;
  hn_sandbox_close(&run->lua.registry.box);
  free(run->value);
  free(run);
}

double hn_study_run_value(const hn_study_run *run, size_t i)
{
  return run->value[i];
}

/* ---- Calls --------------------------------------------------------------------------------------------- */

/* Push the function of entry I of the list at index 1; errors about its result will have its line. */
static void push_function(lua_State *L, hn_study_run *run, size_t i, const char *kind, const char *name)
{
  lua_Debug info;
  lua_rawgeti(L, 1, (lua_Integer)i + 1);
  lua_getfield(L, -1, "call");
  lua_remove(L, -2);
  lua_pushvalue(L, -1);
  lua_getinfo(L, ">S", &info);
  run->kind = kind, run->name = name;
  run->lua.registry.box.fallback_line = info.linedefined > 0 ? info.linedefined : run->lua.line;
}

/* Pop and return the value that the function has returned. Raises an error unless it is a finite number. */
static double pop_number(lua_State *L, const hn_study_run *run)
{
  const char *const kind = run->kind;
  if (lua_isnil(L, -1)) hn_sandbox_fail(L, "%s %s returns nothing: it must return a number", kind, run->name);
  if (lua_type(L, -1) != LUA_TNUMBER)
    hn_sandbox_fail(L, "%s %s returns a %s: it must return a number", kind, run->name, luaL_typename(L, -1));
  const double value = lua_tonumber(L, -1);
  if (!isfinite(value))
    hn_sandbox_fail(L, "%s %s returns %s: it must return a finite number", kind, run->name,
                    hn_fields_infinity(value));
  lua_pop(L, 1);
  return value;
}

/* Call each measure(t, s, last). */
static int call_measures(lua_State *L)
{
  hn_study_run *run = lua_touserdata(L, 1);
  lua_settop(L, 0);
  lua_rawgeti(L, LUA_REGISTRYINDEX, run->lua.measures);
  for (size_t i = 0; i < run->study->nmeasure; i++) {
    push_function(L, run, i, "measure", run->study->measure[i]);
    lua_pushnumber(L, run->state->time);
    lua_rawgeti(L, LUA_REGISTRYINDEX, run->handle);
    if (isnan(run->value[i])) lua_pushnil(L);
    else lua_pushnumber(L, run->value[i]);
    lua_call(L, 3, 1);
    run->value[i] = pop_number(L, run);
  }
  return 0;
}

int hn_study_run_measure(hn_study_run *run, const hn_state *state, hn_error *error)
{
  hn_error why;
  if (run->study->nmeasure == 0) return 0;
  run->view->state = run->state = state;
  int status = hn_sandbox_call(&run->lua.registry.box, call_measures, run, &why);
  run->view->state = run->state = NULL;
  if (status == 0) return 0;
  return hn_fail(error, "%.420s (measure %.40s at t = %.9g s)", why.text, run->name, state->time);
}

typedef struct row {
  hn_study_run *run;
  const hn_study_field *field;
  size_t count;
  double *result;
} row;

/* Handles r.KEY for a missing key: nil for a column without a value, else an error. Upvalue: list of all
 * columns. */
static int missing_column(lua_State *L)
{
  const size_t count = lua_rawlen(L, lua_upvalueindex(1));
  const char *key = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : luaL_typename(L, 2);
  const char **name = lua_newuserdatauv(L, (count + 1) * sizeof *name, 0);
  for (size_t i = 0; i < count; i++) {
    lua_rawgeti(L, lua_upvalueindex(1), (lua_Integer)i + 1);
    name[i] = lua_tostring(L, -1);
    lua_pop(L, 1); /* the list keeps it */
    if (strcmp(name[i], key) == 0) return 0;
  }
  return hn_fields_unknown(L, "r", "column", key, name, count);
}

/* Push the row as a table. */
static void push_row(lua_State *L, const row *r)
{
  lua_createtable(L, 0, (int)r->count);
  lua_createtable(L, (int)r->count, 0);
  for (size_t i = 0; i < r->count; i++) {
    const hn_study_field *f = &r->field[i];
    lua_pushstring(L, f->name);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
    if (f->text) lua_pushstring(L, f->text);
    else if (!isnan(f->number)) lua_pushnumber(L, f->number);
    else continue;
    lua_setfield(L, -3, f->name);
  }
  lua_pushcclosure(L, missing_column, 1);
  lua_createtable(L, 0, 1);
  lua_insert(L, -2);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, -2);
}

/* Call each result(r) with a new row table, so that no function can change the row of another. */
static int call_results(lua_State *L)
{
  row *r = lua_touserdata(L, 1);
  lua_settop(L, 0);
  lua_rawgeti(L, LUA_REGISTRYINDEX, r->run->lua.results);
  for (size_t i = 0; i < r->run->study->nresult; i++) {
    push_function(L, r->run, i, "result", r->run->study->result[i]);
    push_row(L, r);
    lua_call(L, 1, 1);
    r->result[i] = pop_number(L, r->run);
  }
  return 0;
}

int hn_study_run_results(hn_study_run *run, const hn_study_field *field, size_t count, double *result,
                         hn_error *error)
{
  hn_error why;
  row r = { run, field, count, result };
  for (size_t i = 0; i < run->study->nresult; i++) result[i] = NAN;
  if (run->study->nresult == 0) return 0;
  if (hn_sandbox_call(&run->lua.registry.box, call_results, &r, &why) == 0) return 0;
  return hn_fail(error, "%.460s (result %.40s)", why.text, run->name);
}
