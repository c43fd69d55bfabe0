/* study.c - loads studies: runs the file in its own sandbox and copies the lists that the Lua module
 * holonom.study has made. */
#include "study_lua.h"
#include "declare.h"
#include "fields.h"
#include "state_view.h"

#include <stdlib.h>
#include <string.h>

#define STUDY_HANDLE "study" /* userdata: the line of its declaration; user value: its lists */

/* ---- Lists to C: fields of the table on top of the stack ------------------------------------------- */

/* Read the list KEY into *LIST, an array with one more element of zeros: READ stores the value on top of
 * the stack in an element of SIZE bytes. *COUNT is current at any time, so that an error leaks nothing. */
static void read_list(lua_State *L, const char *key, void *list, size_t *count, size_t size,
                      void (*read)(lua_State *L, void *element))
{
  lua_getfield(L, -1, key);
  const size_t length = lua_rawlen(L, -1);
  hn_sandbox_hold(L, (length + 1) * size);
  char *array = calloc(length + 1, size);
  if (!array) hn_sandbox_fail(L, "out of memory");
  memcpy(list, &array, sizeof array);
  while (*count < length) {
    char *element = array + size * (*count)++;
    lua_rawgeti(L, -1, (lua_Integer)*count);
    const int top = lua_gettop(L);
    read(L, element);
    lua_settop(L, top - 1);
  }
  lua_pop(L, 1);
}

static void read_text(lua_State *L, void *text)
{
  *(char **)text = hn_sandbox_copy(L, hn_declare_text(L, lua_gettop(L)));
}

/* Read the name of an entry { name =, call = }. */
static void read_name(lua_State *L, void *name)
{
  lua_getfield(L, -1, "name");
  *(char **)name = hn_sandbox_copy(L, lua_tostring(L, -1));
}

static void read_step(lua_State *L, void *step)
{
  *(double *)step = lua_tonumber(L, -1);
}

static void read_axis(lua_State *L, void *axis)
{
  hn_study_axis *a = axis;
  read_list(L, "names", &a->name, &a->nname, sizeof *a->name, read_text);
  read_list(L, "values", &a->value, &a->nvalue, sizeof *a->value, read_text);
}

/* Returns a copy of WRITTEN; if IS_PATH and it is relative, it starts from the directory of the study. */
static char *resolve(lua_State *L, const hn_study *study, const char *written, bool is_path)
{
  const char *slash = strrchr(study->path, '/');
  if (!is_path || written[0] == '/' || !slash) return hn_sandbox_copy(L, written);
  lua_pushlstring(L, study->path, (size_t)(slash + 1 - study->path));
  lua_pushstring(L, written);
  lua_concat(L, 2);
  char *path = hn_sandbox_copy(L, lua_tostring(L, -1));
  lua_pop(L, 1);
  return path;
}

/* Read the name of the scene, which a list of studies does not have. */
static void read_scene(lua_State *L, hn_study *study)
{
  lua_getfield(L, -1, "scene");
  const char *written = lua_tostring(L, -1);
  if (!written) {
    lua_pop(L, 1);
    return;
  }
  const size_t length = strlen(written);
  study->written = hn_sandbox_copy(L, written);
  study->scene = resolve(L, study, written,
                         strchr(written, '/') || (length > 4 && strcmp(written + length - 4, ".lua") == 0));
  lua_pop(L, 1);
}

static void read_options(lua_State *L, hn_study *study)
{
  lua_getfield(L, -1, "duration");
  study->duration = lua_tonumber(L, -1); /* 0 for nil */
  lua_getfield(L, -2, "reference");
  if (!lua_isnil(L, -1)) study->reference = hn_sandbox_copy(L, lua_tostring(L, -1));
  lua_getfield(L, -3, "norm");
  if (!lua_isnil(L, -1)) study->norm = hn_sandbox_copy(L, lua_tostring(L, -1));
  lua_getfield(L, -4, "consistent");
  study->consistent = lua_toboolean(L, -1);
  lua_getfield(L, -5, "times");
  study->times = (int)lua_tointeger(L, -1); /* 0 for nil */
  lua_getfield(L, -6, "beside");
  if (!lua_isnil(L, -1)) study->beside = resolve(L, study, lua_tostring(L, -1), true);
  lua_pop(L, 6);
}

static void read_page(lua_State *L, hn_study_page *page)
{
  lua_getfield(L, -1, "page");
  if (!lua_isnil(L, -1)) {
    lua_getfield(L, -1, "title");
    page->title = hn_sandbox_copy(L, lua_tostring(L, -1));
    lua_pop(L, 1);
    read_list(L, "text", &page->text, &page->ntext, sizeof *page->text, read_text);
    read_list(L, "asked", &page->asked, &page->nasked, sizeof *page->asked, read_text);
  }
  lua_pop(L, 1);
}

static void read_lists(lua_State *L, hn_study *study)
{
  read_scene(L, study);
  read_list(L, "studies", &study->part, &study->npart, sizeof *study->part, read_text);
  read_list(L, "axes", &study->axis, &study->naxis, sizeof *study->axis, read_axis);
  read_list(L, "solvers", &study->solver, &study->nsolver, sizeof *study->solver, read_text);
  read_list(L, "engines", &study->engine, &study->nengine, sizeof *study->engine, read_text);
  read_list(L, "varied", &study->varied, &study->nvaried, sizeof *study->varied, read_axis);
  read_list(L, "steps", &study->step, &study->nstep, sizeof *study->step, read_step);
  read_options(L, study);
  read_list(L, "measures", &study->measure, &study->nmeasure, sizeof *study->measure, read_name);
  read_list(L, "results", &study->result, &study->nresult, sizeof *study->result, read_name);
  read_list(L, "show", &study->show, &study->nshow, sizeof *study->show, read_text);
  read_page(L, &study->page);
  lua_getfield(L, -1, "conclude");
  study->concludes = !lua_isnil(L, -1);
  lua_pop(L, 1);
}

/* ---- Running a study ------------------------------------------------------------------------------- */

static hn_study_lua *study_of(lua_State *L)
{
  return (hn_study_lua *)hn_registry_of(L);
}

/* core.study(lists) -> the object that the file returns. */
static int make_study(lua_State *L)
{
  int *line = lua_newuserdatauv(L, sizeof *line, 1);
  *line = hn_sandbox_line(L);
  lua_pushvalue(L, 1);
  lua_setiuservalue(L, -2, 1);
  luaL_setmetatable(L, STUDY_HANDLE);
  return 1;
}

/* Calls the function in upvalue 1. A file ends with the tail call `return study { ... }`, which leaves no
 * frame of the file, and thus no line for messages, unless the callee is a C function. */
static int call_here(lua_State *L)
{
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
  return lua_gettop(L);
}

/* core.here(function) -> that function as a C function (call_here). */
static int make_here(lua_State *L)
{
  lua_settop(L, 1);
  lua_pushcclosure(L, call_here, 1);
  return 1;
}

static int open_core(lua_State *L)
{
  static const luaL_Reg functions[] = {
    { "study", make_study },        { "here", make_here }, { "fail", hn_core_fail },
    { "unknown", hn_core_unknown }, { NULL, NULL },
  };
  hn_registry_open_kind(L, STUDY_HANDLE);
  lua_pop(L, 1);
  hn_view_open(L);
  luaL_newlib(L, functions);
  lua_pushboolean(L, study_of(L)->study != NULL);
  lua_setfield(L, -2, "whole");
  return 1;
}

static void copy_text(lua_State *L, hn_study *study)
{
  const char *text = lua_tolstring(L, -1, &study->length);
  study->text = malloc(study->length + 1);
  if (!study->text) hn_sandbox_fail(L, "out of memory");
  memcpy(study->text, text, study->length + 1);
}

/* Run the whole study, inside the sandbox. */
static int run_study(lua_State *L)
{
  const hn_study *from = lua_touserdata(L, 1);
  hn_study_lua *lua = study_of(L);
  lua_settop(L, 0);
  if (from->text) lua_pushlstring(L, from->text, from->length);
  else hn_sandbox_read_file(L, from->path);
  if (lua->study) copy_text(L, lua->study);
  hn_sandbox_compile(L, HN_SCENE_CHUNK);
  lua_call(L, 0, 1);
  const int *line = luaL_testudata(L, -1, STUDY_HANDLE);
  if (lua_isnil(L, -1))
    hn_sandbox_fail(
      L, "the file returns nothing: a study ends with \"return study { ... }\", a scene with its system");
  if (!line)
    hn_sandbox_fail(L, "the file returns a %s: a study ends with \"return study { ... }\"",
                    luaL_typename(L, -1));
  lua->line = *line;
  if (lua->study) lua->study->line = *line;
  lua_getiuservalue(L, -1, 1);
  if (lua->study) read_lists(L, lua->study);
  lua_getfield(L, -1, "measures");
  lua->measures = luaL_ref(L, LUA_REGISTRYINDEX);
  lua_getfield(L, -1, "results");
  lua->results = luaL_ref(L, LUA_REGISTRYINDEX);
  lua_getfield(L, -1, "conclude");
  lua->conclude = luaL_ref(L, LUA_REGISTRYINDEX);
  return 0;
}

int hn_study_open(hn_study_lua *lua, const hn_study *study, hn_error *error)
{
  hn_sandbox *box = &lua->registry.box;
  if (hn_sandbox_open(box, "study", study->path, &study->limits, study->stop, open_core, lua, error))
    return -1;
  if (hn_sandbox_call(box, hn_safelib_open, NULL, error)) return -1;
  return hn_sandbox_call(box, run_study, (void *)(uintptr_t)study, error);
}

/* Returns the text after the colon of the first line, `-- name.lua: summary`, or NULL if there is none. */
static char *summary_of(const hn_study *study)
{
  const char *end = memchr(study->text, '\n', study->length), *colon = NULL;
  if (end && strncmp(study->text, "-- ", 3) == 0)
    colon = memchr(study->text, ':', (size_t)(end - study->text));
  if (!colon || colon + 2 > end) return NULL;
  return strndup(colon + 2, (size_t)(end - colon - 2));
}

int hn_study_load(hn_study **made, const char *path, const hn_scene_options *options, hn_error *error)
{
  hn_study *study = calloc(1, sizeof *study);
  hn_study_lua lua = { .study = study };
  *made = NULL;
  if (!study) return hn_fail(error, "out of memory");
  study->limits = options->limits, study->stop = options->stop;
  study->path = strdup(path);
  int status = study->path ? hn_study_open(&lua, study, error) : hn_fail(error, "out of memory");
  const bool scene = status < 0 && lua.registry.box.foreign;
  hn_sandbox_close(&lua.registry.box);
  if (status == 0) study->summary = summary_of(study), *made = study;
  else hn_study_free(study);
  return status == 0 ? 1 : scene ? 0 : -1;
}

static void free_texts(char **text, size_t count)
{
  for (size_t i = 0; i < count; i++) free(text[i]);
  free(text);
}

static void free_axes(hn_study_axis *axis, size_t count)
{
  for (size_t i = 0; i < count; i++)
    free_texts(axis[i].name, axis[i].nname), free_texts(axis[i].value, axis[i].nvalue);
  free(axis);
}

void hn_study_free(hn_study *study)
{
  if (!study) return;
  free_axes(study->axis, study->naxis), free_axes(study->varied, study->nvaried);
  free_texts(study->solver, study->nsolver), free_texts(study->show, study->nshow);
  free_texts(study->measure, study->nmeasure), free_texts(study->result, study->nresult);
  free_texts(study->engine, study->nengine), free_texts(study->part, study->npart);
  free_texts(study->page.text, study->page.ntext), free_texts(study->page.asked, study->page.nasked);
  free(study->page.title);
  free(study->path), free(study->written), free(study->scene), free(study->reference), free(study->norm);
  free(study->beside);
  free(study->step), free(study->text), free(study->summary);
  free(study);
}
