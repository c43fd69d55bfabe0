/* scene_point_masses.c - scene.point_mass_model(sys): replaces the scene's system by its point-mass model.
 *
 * A scene builds one system, so this function changes and returns it. Handles of bodies stay valid: the point
 * at the centre of a body has its index and name. Joints and their names are removed. */
#include "declare.h"

#include <string.h>

static void forget(lua_State *L, const char *table)
{
  lua_newtable(L);
  lua_setfield(L, LUA_REGISTRYINDEX, table);
}

/* Enter the points and rods of MODEL in the tables of names. */
static void enter_names(lua_State *L, const hn_model *model)
{
  forget(L, HN_BODY_NAMES);
  forget(L, HN_ELEMENT_NAMES);
  for (int i = 0; i < model->nbody; i++) {
    if (!hn_registry_enter(L, HN_BODY_NAMES, model->body[i].name, i))
      hn_sandbox_fail(
        L,
        "point_mass_model: two points would have the name \"%.60s\"; give bodies and joints names "
        "that differ",
        model->body[i].name);
    if (model->body[i].kind == HN_PARTICLE) hn_registry_enter_particle(L, i);
  }
  for (int j = 0; j < model->njoint; j++)
    if (!hn_registry_enter(L, HN_ELEMENT_NAMES, model->joint[j].name, j))
      hn_sandbox_fail(
        L,
        "point_mass_model: two rods would have the name \"%.60s\"; give bodies and joints names that "
        "differ",
        model->joint[j].name);
}

/* Project the initial state now if the scene has requested it, since the points depend on it. */
static void project(lua_State *L, hn_model *model)
{
  hn_error error;
  if (model->consistent && hn_model_project(model, &error))
    hn_sandbox_fail(L, "point_mass_model: %.440s", error.text);
  model->consistent = false;
}

int hn_point_mass_model(lua_State *L)
{
  hn_error error;
  hn_registry_check_incomplete(L, "point_mass_model");
  if (lua_gettop(L) != 1 || !luaL_testudata(L, 1, HN_SYSTEM_HANDLE))
    hn_sandbox_fail(L, "point_mass_model takes one system: scene.point_mass_model(sys)");
  hn_scene *scene = hn_registry_of(L)->scene;
  hn_model *bodies = scene->model;
  size_t nbody = (size_t)bodies->nbody, njoint = (size_t)bodies->njoint;
  hn_sandbox_hold(L, 5 * nbody * sizeof(hn_body) + (9 * nbody + 13 * njoint) * sizeof(hn_joint));
  project(L, bodies);
  hn_model *points = hn_model_point_masses(bodies, &error);
  if (!points) hn_sandbox_fail(L, "point_mass_model: %.440s", error.text);
  points->projection = bodies->projection;
  hn_model_free(bodies);
  scene->model = points;
  enter_names(L, points);
  return 1;
}
