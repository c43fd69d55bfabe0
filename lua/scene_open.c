/* scene_open.c - opens the binding on which the Lua module holonom.scene is built: the system, its methods,
 * and all other functions for scenes.
 *
 * Methods for joints and forces come from their registries, so a new type needs no change here. */
#include "lua_contact_problem.h"
#include "scene_change.h"
#include "declare.h"
#include "fields.h"
#include "lua_solver_data.h"
#include "state_view.h"

/* ---- The system ---------------------------------------------------------------------------------------- */

typedef struct system_input {
  double gravity[3];
  bool loose, planar, consistent;
} system_input;

static const hn_field system_fields[] = {
  { "gravity", HN_FIELD_NUMBER, offsetof(system_input, gravity), 3, 0, false },
  { "loose", HN_FIELD_FLAG, offsetof(system_input, loose), 0, 0, false }, /* initial violations are allowed */
  { "planar", HN_FIELD_FLAG, offsetof(system_input, planar), 0, 0, false },
  { "consistent", HN_FIELD_FLAG, offsetof(system_input, consistent), 0, 0, false }, /* project the start */
};

static int make_system(lua_State *L)
{
  hn_scene *scene = hn_registry_of(L)->scene;
  hn_error error;
  system_input in = { .gravity = { 0.0, -9.81, 0.0 } };
  lua_settop(L, 1);
  if (!lua_isnil(L, 1) && !lua_istable(L, 1))
    hn_sandbox_fail(L, "system takes one table: scene.system { gravity = { x, y, z } }");
  if (!lua_isnil(L, 1))
    hn_fields_read(L, 1, "system", system_fields, sizeof system_fields / sizeof system_fields[0], &in);
  if (scene->model) hn_sandbox_fail(L, "system: a scene builds one system, and this one has one already");
  scene->model = hn_model_create(in.gravity);
  if (!scene->model) hn_sandbox_fail(L, "out of memory");
  scene->model->loose = in.loose;
  scene->model->consistent = in.consistent || hn_registry_of(L)->options.consistent;
  if (in.planar && hn_model_set_planar(scene->model, &error))
    hn_sandbox_fail(L, "system: %.400s", error.text);
  hn_registry_enter(L, HN_BODY_NAMES, scene->model->body[0].name, 0);
  hn_registry_new_handle(L, 1, HN_SYSTEM_HANDLE);
  return 1;
}

static const luaL_Reg methods[] = {
  { "body", hn_declare_body },
  { "particle", hn_declare_body },
  { "defaults", hn_declare_defaults },
  { "expect", hn_declare_expect },
  { "reference", hn_declare_reference },
  { "control", hn_declare_control },
  { "joint", hn_declare_own_joint },
  { "on", hn_declare_on },
  { "remove", hn_declare_remove },
  { "contact", hn_declare_contact },
  { "material_pair", hn_declare_material_pair },
};
enum { NMETHODS = sizeof methods / sizeof methods[0], MAX_NAMES = 64 };

/* Store the names of all entries of a system, for messages. Returns their number. */
static size_t list_names(const char *names[MAX_NAMES])
{
  size_t count, forces, n = 0;
  const hn_joint_type *const *type = hn_joint_types(&count);
  const hn_force_type *const *force = hn_force_types(&forces);
  names[n++] = "ground";
  for (size_t i = 0; i < NMETHODS; i++) names[n++] = methods[i].name;
  for (size_t i = 0; i < count && n < MAX_NAMES; i++) names[n++] = type[i]->name;
  for (size_t i = 0; i < forces && n < MAX_NAMES; i++) names[n++] = force[i]->name;
  return n;
}

/* sys.KEY; upvalue 1 is the table of methods. */
static int system_index(lua_State *L)
{
  const char *names[MAX_NAMES];
  lua_settop(L, 2);
  lua_pushvalue(L, 2);
  if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL) return 1;
  const char *key = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : luaL_typename(L, 2);
  return hn_fields_unknown(L, "system", "function, joint or force", key, names, list_names(names));
}

static void set_method(lua_State *L, const char *name, lua_CFunction function)
{
  lua_pushstring(L, name);
  lua_pushcclosure(L, function, 1);
  lua_setfield(L, -2, name);
}

static void push_methods(lua_State *L)
{
  size_t count;
  const hn_joint_type *const *type = hn_joint_types(&count);
  size_t forces;
  const hn_force_type *const *force = hn_force_types(&forces);
  lua_createtable(L, 0, (int)(NMETHODS + count + forces + 1));
  for (size_t i = 0; i < count; i++) set_method(L, type[i]->name, hn_declare_joint);
  for (size_t i = 0; i < forces; i++) set_method(L, force[i]->name, hn_declare_force);
  for (size_t i = 0; i < NMETHODS; i++) set_method(L, methods[i].name, methods[i].func);
  hn_body_push(L, 0);
  lua_setfield(L, -2, "ground");
}

/* ---- Opening ------------------------------------------------------------------------------------------- */

static void open_kinds(lua_State *L)
{
  hn_registry_open_names(L);
  hn_bodies_open(L);
  hn_shapes_open(L);
  hn_registry_open_kind(L, HN_SYSTEM_HANDLE);
  push_methods(L);
  lua_pushcclosure(L, system_index, 1);
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
}

int hn_open_core(lua_State *L)
{
  static const luaL_Reg functions[] = {
    { "system", make_system },
    { "param", hn_declare_param },
    { "solver", hn_lua_solver_declare },
    { "contact_solver", hn_contact_solver_declare },
    { "fail", hn_core_fail },
    { "unknown", hn_core_unknown },
    { "point_mass_model", hn_point_mass_model },
    { NULL, NULL },
  };
  open_kinds(L);
  hn_lua_solver_open(L);
  hn_contact_problem_open(L);
  hn_view_open(L);
  luaL_newlib(L, functions);
  hn_shapes_set(L);
  hn_special_push(L);
  lua_setfield(L, -2, "special");
  return 1;
}
