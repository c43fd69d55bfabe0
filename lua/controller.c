/* controller.c - what runs the control function of a scene.
 *
 * Every run has a controller of its own: the scene is loaded once more for it, so that no variable of the scene, nor
 * its random numbers, can carry anything from one run to the next. The model of that copy gives names their places. */
#include "open.h"
#include "registry.h"
#include "view.h"

#include <stdlib.h>
#include <string.h>

struct hn_control {
  hn_scene *scene;       /* loaded for this run, and its own */
  hn_state *state;       /* of the call under way */
  hn_view *view;         /* in the memory of Lua, which keeps it by */
  int handle;            /* this registry index */
};

static int make_view(lua_State *L)
{
  hn_control *control = lua_touserdata(L, 1);
  control->view = hn_view_make(L, true, &control->handle);
  return 0;
}

/* What the run steps is what the controller was loaded for. */
static int check_same(const hn_scene *scene, const hn_scene *again, hn_error *error)
{
  const hn_model *a = scene->model, *b = again->model;
  bool same = a->nbody == b->nbody && a->njoint == b->njoint && a->nrow == b->nrow && a->nforce == b->nforce &&
              a->ninput == b->ninput && again->has_control;
  return same ? 0 : hn_fail(error, "%s: the scene has changed since it was loaded", scene->path);
}

/* Joints keep their geometry where the start of the run was projected. */
static void take_joints(const hn_model *from, hn_model *to)
{
  for (int j = 0; j < from->njoint; j++) {
    memcpy(to->joint[j].point_a, from->joint[j].point_a, sizeof to->joint[j].point_a);
    memcpy(to->joint[j].point_b, from->joint[j].point_b, sizeof to->joint[j].point_b);
    if (from->joint[j].axes) *to->joint[j].axes = *from->joint[j].axes;
  }
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
    take_joints(scene->model, control->scene->model);
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

static int call_control(lua_State *L)
{
  const hn_control *control = lua_touserdata(L, 1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, control->scene->lua->control);
  lua_pushnumber(L, control->state->time);
  lua_rawgeti(L, LUA_REGISTRYINDEX, control->handle);
  lua_call(L, 2, 1);
  if (!lua_isnil(L, -1))
    hn_sandbox_fail(L, "control returns a %s: it sets inputs with s:set and returns nothing", luaL_typename(L, -1));
  return 0;
}

int hn_control_step(void *user, hn_state *state, hn_error *error)
{
  hn_control *control = user;
  hn_scene_lua *lua = control->scene->lua;
  hn_error why;
  lua->box.fallback_line = lua->control_line;
  control->view->state = control->state = state;
  int status = hn_sandbox_call(&lua->box, call_control, control, &why);
  control->view->state = control->state = NULL;
  return status == 0 ? 0 : hn_fail(error, "%.460s (control at t = %.9g s)", why.text, state->time);
}
