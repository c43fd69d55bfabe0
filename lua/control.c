/* control.c - control functions of a scene: sys:control(function(t, s) ... end), called before every step
 * of a run with the time and a view of the state; sys:on(kind, function(event, s) ... end), called then
 * for each event of that kind in the previous step. Every run has a controller of its own, which loads the
 * scene anew. No variable or random number of the scene carries over from one run to the next. The model
 * of that copy maps names to indices. */
#include "scene_change.h"
#include "declare.h"
#include "fields.h"
#include "state_view.h"

#include <math.h>
#include <stdlib.h>

struct hn_control {
  hn_scene *scene;            /* loaded for this run, and its own */
  hn_control_context *moment; /* of the running call */
  hn_lua_change change;       /* pending change of the model in this call */
  hn_view *view;              /* owned by Lua through `handle` */
  int handle;                 /* registry index of the view */
};

static int make_view(lua_State *L)
{
  hn_control *control = lua_touserdata(L, 1);
  control->view = hn_view_make(L, true, &control->handle);
  return 0;
}

/* Check that the reloaded scene has the dimensions of the original one. */
static int check_same(const hn_scene *scene, const hn_scene *again, hn_error *error)
{
  const hn_model *a = scene->model, *b = again->model;
  bool same = a->nbody == b->nbody && a->njoint == b->njoint && a->nrow == b->nrow &&
              a->nforce == b->nforce && a->ninput == b->ninput && again->has_control;
  return same ? 0 : hn_fail(error, "%s: the scene has changed since it was loaded", scene->path);
}

hn_control *hn_control_create(const hn_scene *scene, hn_error *error)
{
  hn_control *control = scene->has_control ? calloc(1, sizeof *control) : NULL;
  if (!control) {
    if (scene->has_control) hn_fail(error, "out of memory");
    else hn_fail(error, "%s: the scene has no control function", scene->path);
    return NULL;
  }
  control->scene = hn_scene_load_again(scene, error);
  if (control->scene && check_same(scene, control->scene, error) == 0 &&
      hn_sandbox_call(&control->scene->lua->box, make_view, control, error) == 0) {
    control->scene->lua->change = &control->change;
    return control;
  }
  hn_control_free(control);
  return NULL;
}

void hn_control_free(hn_control *control)
{
  if (!control) return;
  hn_scene_free(control->scene);
  free(control);
}

/* Raise an error unless the value on top of the stack is nil; WHAT names the function that returned it. */
static void check_returns_nothing(lua_State *L, const char *what)
{
  if (!lua_isnil(L, -1))
    hn_sandbox_fail(L, "%s returns a %s: it acts by the functions of s and returns nothing", what,
                    luaL_typename(L, -1));
}

static int call_control(lua_State *L)
{
  const hn_control *control = lua_touserdata(L, 1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, control->scene->lua->control);
  lua_pushnumber(L, control->moment->state->time);
  lua_rawgeti(L, LUA_REGISTRYINDEX, control->handle);
  lua_call(L, 2, 1);
  check_returns_nothing(L, "control");
  return 0;
}

/* Argument of call_on: one function for one event. */
typedef struct call_of_event {
  const hn_control *control;
  const hn_on *on;
  const hn_event *event;
} call_of_event;

static void set_number(lua_State *L, const char *key, double number)
{
  if (isnan(number)) return;
  lua_pushnumber(L, number);
  lua_setfield(L, -2, key);
}

static void set_text(lua_State *L, const char *key, const char *text)
{
  lua_pushstring(L, text); /* nil for NULL */
  lua_setfield(L, -2, key);
}

static int call_on(lua_State *L)
{
  const call_of_event *call = lua_touserdata(L, 1);
  const hn_event *event = call->event;
  const hn_body *body = call->control->moment->model->body;
  lua_rawgeti(L, LUA_REGISTRYINDEX, call->on->function);
  lua_newtable(L);
  set_text(L, "kind", hn_event_name(event->kind));
  set_text(L, "a", body[event->a].name), set_text(L, "b", body[event->b].name);
  set_text(L, "joint", event->joint);
  set_number(L, "time", event->time);
  set_number(L, "impulse", event->impulse), set_number(L, "friction", event->friction);
  set_number(L, "force", event->force), set_number(L, "until", event->until);
  set_number(L, "angular", event->angular);
  lua_rawgeti(L, LUA_REGISTRYINDEX, call->control->handle);
  lua_call(L, 2, 1);
  check_returns_nothing(L, "on");
  return 0;
}

/* Call FUNCTION in the sandbox. Errors without a line of their own start with LINE. */
static int call(hn_control *control, lua_CFunction function, void *argument, const char *what, int line,
                hn_error *error)
{
  hn_scene_lua *lua = control->scene->lua;
  hn_error why;
  lua->box.fallback_line = line;
  if (hn_sandbox_call(&lua->box, function, argument, &why) == 0) return 0;
  return hn_fail(error, "%.460s (%s at t = %.9g s)", why.text, what, control->moment->state->time);
}

/* Call the functions for events, event by event and each in the order of the scene, then the control
 * function. */
static int call_functions(hn_control *control, hn_error *error)
{
  const hn_control_context *moment = control->moment;
  const hn_scene_lua *lua = control->scene->lua;
  for (const hn_event *event = moment->event; event < moment->event + moment->nevent; event++)
    for (const hn_on *on = lua->on; on < lua->on + lua->non; on++) {
      call_of_event of = { control, on, event };
      if (on->kind == event->kind && call(control, call_on, &of, "on", on->line, error)) return -1;
    }
  const bool none = lua->control == LUA_NOREF;
  return none ? 0 : call(control, call_control, control, "control", lua->control_line, error);
}

int hn_control_step(void *user, hn_control_context *moment, hn_error *error)
{
  hn_control *control = user;
  control->moment = control->change.moment = moment;
  control->view->state = moment->state, control->view->now = moment->model;
  int status = call_functions(control, error);
  if (hn_change_end(control->scene->lua, status != 0, error)) status = -1;
  control->moment = NULL, control->view->state = NULL, control->view->now = NULL;
  return status;
}
