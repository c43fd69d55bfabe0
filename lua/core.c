/* core.c - the binding on which the Lua module holonom.scene stands: it turns what a scene writes into a model.
 *
 * A scene builds one system, so its parts live in the hn_scene being loaded; handles given to Lua are indices. Methods
 * of a system for joints and forces come from their registries, so that a new type needs nothing here. */
#include "core.h"
#include "control.h"
#include "fields.h"
#include "method.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char point_bodies[] = "holonom.points"; /* registry: index -> true for bodies declared as particles */

hn_scene_lua *hn_core_of(lua_State *L)
{
  return hn_sandbox_of(L)->user;
}

hn_model *hn_core_model(lua_State *L)
{
  return hn_core_of(L)->scene->model;
}

int hn_core_find_body(lua_State *L, const char *name)
{
  lua_getfield(L, LUA_REGISTRYINDEX, HN_BODY_NAMES);
  lua_pushstring(L, name);
  int index = lua_rawget(L, -2) == LUA_TNIL ? -1 : (int)lua_tointeger(L, -1);
  lua_pop(L, 2);
  return index;
}

void hn_core_check_incomplete(lua_State *L, const char *name)
{
  if (hn_core_of(L)->complete)
    hn_sandbox_fail(L, "%s: the scene is complete: call it before the scene returns its system", name);
}

void hn_core_check_call(lua_State *L, const char *name, int type)
{
  const char *function = strcmp(name, "control") == 0 ? "(function(t, s) ... end)" : "(function(t) ... end)";
  const char *shape = type == LUA_TTABLE ? " { ... }" : function;
  hn_sandbox_charge(L, HN_COST_OF_DECLARATION);
  hn_core_check_incomplete(L, name);
  if (!luaL_testudata(L, 1, HN_SYSTEM_HANDLE))
    hn_sandbox_fail(L, "%s: call it on a system, with a colon: sys:%s%s", name, name, shape);
  if (lua_type(L, 2) != type || lua_gettop(L) > 2)
    hn_sandbox_fail(L, "%s takes one %s: sys:%s%s", name, lua_typename(L, type), name, shape);
}

static void *new_handle(lua_State *L, size_t size, const char *kind)
{
  void *handle = lua_newuserdatauv(L, size, 0);
  luaL_setmetatable(L, kind);
  return handle;
}

static int push_body(lua_State *L, int index)
{
  *(int *)new_handle(L, sizeof(int), HN_BODY_HANDLE) = index;
  return 1;
}

/* ---- Shapes ------------------------------------------------------------------------------------------------------ */

/* The size that KEY names must be positive. */
static int push_shape(lua_State *L, hn_shape_kind kind, const char *what, const double *size, int count)
{
  hn_shape shape = { .kind = kind };
  for (int i = 0; i < count; i++) {
    if (!(size[i] > 0)) hn_sandbox_fail(L, "%s: its lengths must be positive, not %g", what, size[i]);
    shape.size[i] = size[i];
  }
  *(hn_shape *)new_handle(L, sizeof shape, HN_SHAPE_HANDLE) = shape;
  return 1;
}

static void check_shape_call(lua_State *L, const char *what, const char *example)
{
  if (lua_type(L, 1) != LUA_TTABLE || lua_gettop(L) > 1)
    hn_sandbox_fail(L, "%s takes one table: scene.%s", what, example);
}

static int make_box(lua_State *L)
{
  static const hn_field fields[] = {
    { NULL, HN_FIELD_NUMBER, 0, 1, 1, false },
    { NULL, HN_FIELD_NUMBER, sizeof(double), 1, 2, false },
    { NULL, HN_FIELD_NUMBER, 2 * sizeof(double), 1, 3, false },
  };
  double size[3];
  check_shape_call(L, "box", "box { lx, ly, lz }");
  if (hn_fields_read(L, 1, "box", fields, 3, size) != 7)
    hn_sandbox_fail(L, "box: needs three edge lengths { lx, ly, lz }");
  return push_shape(L, HN_BOX, "box", size, 3);
}

/* Sphere, cylinder and capsule. Upvalues: kind, name. */
static int make_round(lua_State *L)
{
  static const hn_field fields[] = {
    { "radius", HN_FIELD_NUMBER, 0, 1, 0, true },
    { "height", HN_FIELD_NUMBER, sizeof(double), 1, 0, true },
  };
  double size[2];
  hn_shape_kind kind = (hn_shape_kind)lua_tointeger(L, lua_upvalueindex(1));
  const char *what = lua_tostring(L, lua_upvalueindex(2));
  int count = kind == HN_SPHERE ? 1 : 2;
  check_shape_call(L, what, kind == HN_SPHERE ? "sphere { radius = r }" : "cylinder { radius = r, height = h }");
  hn_fields_read(L, 1, what, fields, (size_t)count, size);
  return push_shape(L, kind, what, size, count);
}

/* ---- Bodies ------------------------------------------------------------------------------------------------------ */

typedef struct body_input {
  hn_body_spec spec;
  double axis_angle[4];
  bool fixed;
} body_input;

#define SPEC(name) (offsetof(body_input, spec) + offsetof(hn_body_spec, name))
enum { NAME, POSITION, VELOCITY, MASS, FIXED, GRAVITY, PARTICLE_FIELDS,
       ORIENTATION = PARTICLE_FIELDS, AXIS_ANGLE, ANGULAR_VELOCITY, INERTIA, SHAPE, DENSITY, BODY_FIELDS };
static const hn_field body_fields[] = {
  [NAME] = { "name", HN_FIELD_TEXT, SPEC(name), 0, 0, false },
  [POSITION] = { "position", HN_FIELD_NUMBER, SPEC(position), 3, 0, true },
  [VELOCITY] = { "velocity", HN_FIELD_NUMBER, SPEC(velocity), 3, 0, false },
  [MASS] = { "mass", HN_FIELD_NUMBER, SPEC(mass), 1, 0, false },
  [FIXED] = { "fixed", HN_FIELD_FLAG, offsetof(body_input, fixed), 0, 0, false },
  [GRAVITY] = { "gravity", HN_FIELD_NUMBER, SPEC(gravity), 3, 0, false },
  [ORIENTATION] = { "orientation", HN_FIELD_NUMBER, SPEC(orientation), 4, 0, false },
  [AXIS_ANGLE] = { "axis_angle", HN_FIELD_NUMBER, offsetof(body_input, axis_angle), 4, 0, false },
  [ANGULAR_VELOCITY] = { "angular_velocity", HN_FIELD_NUMBER, SPEC(angular_velocity), 3, 0, false },
  [INERTIA] = { "inertia", HN_FIELD_NUMBER, SPEC(inertia), 3, 0, false },
  [SHAPE] = { "shape", HN_FIELD_SHAPE, SPEC(shape), 0, 0, false },
  [DENSITY] = { "density", HN_FIELD_NUMBER, SPEC(density), 1, 0, false },
};
#undef SPEC

static void set_axis_angle(lua_State *L, const char *what, const double a[4], double q[4])
{
  double length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
  if (!(length > 0)) hn_sandbox_fail(L, "%s: axis_angle = { x, y, z, angle }: the axis has zero length", what);
  q[0] = cos(0.5 * a[3]);
  for (int i = 0; i < 3; i++) q[i + 1] = sin(0.5 * a[3]) * a[i] / length;
}

/* Mass and inertia, or shape and density, and nothing that contradicts them. */
static void check_mass_keys(lua_State *L, const char *what, unsigned given, bool particle, bool fixed)
{
  bool mass = given >> MASS & 1, inertia = given >> INERTIA & 1;
  bool shape = given >> SHAPE & 1, density = given >> DENSITY & 1;
  if (mass && density) hn_sandbox_fail(L, "%s: give mass and inertia, or shape and density, not both", what);
  if (inertia && !mass) hn_sandbox_fail(L, "%s: key \"mass\" is missing (inertia is given)", what);
  if (density && !shape) hn_sandbox_fail(L, "%s: key \"shape\" is missing (density is given)", what);
  if (fixed) return;
  if (particle && !mass) hn_sandbox_fail(L, "%s: key \"mass\" is missing", what);
  if (mass && !inertia && !particle) hn_sandbox_fail(L, "%s: key \"inertia\" is missing (mass is given)", what);
  if (shape && !mass && !density) hn_sandbox_fail(L, "%s: key \"density\" is missing (shape is given)", what);
  if (!mass && !density)
    hn_sandbox_fail(L, "%s: its mass is missing: give mass and inertia, or shape and density", what);
}

/* A fixed body has no use for mass, but a wrong one is a mistake all the same. */
static void check_fixed_mass(lua_State *L, const char *what, unsigned given, bool planar, const hn_body_spec *spec)
{
  if (given >> MASS & 1 && !(spec->mass > 0)) hn_sandbox_fail(L, "%s: mass must be positive, not %g", what, spec->mass);
  if (given >> DENSITY & 1 && !(spec->density > 0))
    hn_sandbox_fail(L, "%s: density must be positive, not %g", what, spec->density);
  for (int i = planar ? 2 : 0; given >> INERTIA & 1 && i < 3; i++)
    if (!(spec->inertia[i] > 0))
      hn_sandbox_fail(L, "%s: inertia[%d] must be positive, not %g", what, i + 1, spec->inertia[i]);
}

/* Reads the table at index 2 into IN; WHAT starts messages. */
static void read_body_table(lua_State *L, body_input *in, const char *what, bool particle)
{
  hn_field fields[BODY_FIELDS];
  bool planar = hn_core_model(L)->planar;
  memcpy(fields, body_fields, sizeof fields);
  if (planar) fields[INERTIA].offset += 2 * sizeof(double), fields[INERTIA].count = 1; /* Jz alone */
  unsigned given = hn_fields_read(L, 2, what, fields, particle ? PARTICLE_FIELDS : BODY_FIELDS, in);
  hn_body_spec *spec = &in->spec;
  check_mass_keys(L, what, given, particle, in->fixed);
  if (given >> ORIENTATION & given >> AXIS_ANGLE & 1)
    hn_sandbox_fail(L, "%s: give orientation or axis_angle, not both", what);
  if (given >> AXIS_ANGLE & 1) set_axis_angle(L, what, in->axis_angle, spec->orientation);
  spec->has_mass = given >> MASS & 1;
  spec->has_gravity = given >> GRAVITY & 1;
  if (in->fixed) check_fixed_mass(L, what, given, planar, spec);
  spec->kind = in->fixed ? HN_FIXED : particle ? HN_PARTICLE : HN_RIGID;
}

/* `body "a"` from the name in the table at index 2, for messages. */
void hn_core_describe(lua_State *L, const char *type, char what[96])
{
  lua_pushliteral(L, "name");
  if (lua_rawget(L, 2) == LUA_TSTRING)
    snprintf(what, 96, "%s \"%.60s\"", type, lua_tostring(L, -1));
  else
    snprintf(what, 96, "%s", type);
  lua_pop(L, 1);
}

/* Enters NAME in a table of the registry with an integer; false when it is there already. */
bool hn_core_enter(lua_State *L, const char *table, const char *name, int index)
{
  lua_getfield(L, LUA_REGISTRYINDEX, table);
  lua_pushstring(L, name);
  lua_pushvalue(L, -1);
  bool fresh = lua_rawget(L, -3) == LUA_TNIL;
  lua_pop(L, 1);
  lua_pushinteger(L, index);
  if (fresh)
    lua_rawset(L, -3);
  else
    lua_pop(L, 2);
  lua_pop(L, 1);
  return fresh;
}

/* sys:body and sys:particle; upvalue 1 is the name. */
static int add_body(lua_State *L)
{
  char what[96], numbered[32];
  hn_error error;
  const char *type = lua_tostring(L, lua_upvalueindex(1));
  bool particle = strcmp(type, "particle") == 0;
  body_input in = { .spec = { .orientation = { 1, 0, 0, 0 } } };
  hn_core_check_call(L, type, LUA_TTABLE);
  hn_core_describe(L, type, what);
  read_body_table(L, &in, what, particle);
  hn_model *model = hn_core_model(L);
  snprintf(numbered, sizeof numbered, "body%d", model->nbody);
  if (!in.spec.name) in.spec.name = numbered;
  if (hn_core_find_body(L, in.spec.name) >= 0)
    hn_sandbox_fail(L, "there is a body \"%.60s\" already: names must differ", in.spec.name);
  int index = hn_model_add_body(model, &in.spec, &error);
  if (index < 0) hn_sandbox_fail(L, "%.480s", error.text);
  hn_core_enter(L, HN_BODY_NAMES, in.spec.name, index);
  if (particle) hn_core_enter_particle(L, index);
  return push_body(L, index);
}

static int body_to_text(lua_State *L)
{
  const int *index = luaL_checkudata(L, 1, HN_BODY_HANDLE);
  lua_pushfstring(L, "body \"%s\"", hn_core_model(L)->body[*index].name);
  return 1;
}

static int body_index(lua_State *L)
{
  const int *index = luaL_checkudata(L, 1, HN_BODY_HANDLE);
  const char *key = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : luaL_typename(L, 2);
  if (strcmp(key, "name") != 0) hn_sandbox_fail(L, "a body handle has no \"%.60s\", only its name", key);
  lua_pushstring(L, hn_core_model(L)->body[*index].name);
  return 1;
}

void hn_core_enter_particle(lua_State *L, int body)
{
  lua_getfield(L, LUA_REGISTRYINDEX, point_bodies);
  lua_pushboolean(L, 1);
  lua_rawseti(L, -2, body);
  lua_pop(L, 1);
}

bool hn_core_is_particle(lua_State *L, int body)
{
  lua_getfield(L, LUA_REGISTRYINDEX, point_bodies);
  bool result = lua_rawgeti(L, -1, body) != LUA_TNIL;
  lua_pop(L, 2);
  return result;
}

/* ---- The system -------------------------------------------------------------------------------------------------- */

typedef struct system_input {
  double gravity[3];
  bool loose, planar, consistent;
} system_input;

static const hn_field system_fields[] = {
  { "gravity", HN_FIELD_NUMBER, offsetof(system_input, gravity), 3, 0, false },
  { "loose", HN_FIELD_FLAG, offsetof(system_input, loose), 0, 0, false }, /* joints may be violated at the start */
  { "planar", HN_FIELD_FLAG, offsetof(system_input, planar), 0, 0, false },
  { "consistent", HN_FIELD_FLAG, offsetof(system_input, consistent), 0, 0, false }, /* project the start */
};

static int make_system(lua_State *L)
{
  hn_scene *scene = hn_core_of(L)->scene;
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
  scene->model->consistent = in.consistent || hn_core_of(L)->consistent;
  if (in.planar && hn_model_set_planar(scene->model, &error)) hn_sandbox_fail(L, "system: %.400s", error.text);
  hn_core_enter(L, HN_BODY_NAMES, scene->model->body[0].name, 0);
  new_handle(L, 1, HN_SYSTEM_HANDLE);
  return 1;
}

static const luaL_Reg methods[] = {
  { "body", add_body },           { "particle", add_body },       { "defaults", hn_declare_defaults },
  { "expect", hn_declare_expect }, { "reference", hn_declare_reference },
  { "control", hn_declare_control },
};
enum { NMETHODS = sizeof methods / sizeof methods[0], MAX_NAMES = 64 };

/* Names that a system has, for messages. */
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
  return hn_fields_unknown(L, "system", "method, joint or force", key, names, list_names(names));
}

static int refuse_assignment(lua_State *L)
{
  luaL_getmetafield(L, 1, "__name");
  return hn_sandbox_fail(L, "a %s has no fields to set", lua_tostring(L, -1));
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
  push_body(L, 0);
  lua_setfield(L, -2, "ground");
}

/* ---- Opening ----------------------------------------------------------------------------------------------------- */

void hn_core_open_kind(lua_State *L, const char *kind)
{
  luaL_newmetatable(L, kind);
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  lua_pushcfunction(L, refuse_assignment);
  lua_setfield(L, -2, "__newindex");
}

static void open_kinds(lua_State *L)
{
  static const char *const tables[] = { HN_BODY_NAMES, HN_ELEMENT_NAMES, point_bodies };
  for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
    lua_newtable(L);
    lua_setfield(L, LUA_REGISTRYINDEX, tables[i]);
  }
  hn_core_open_kind(L, HN_SHAPE_HANDLE);
  hn_core_open_kind(L, HN_BODY_HANDLE);
  lua_pushcfunction(L, body_to_text);
  lua_setfield(L, -2, "__tostring");
  lua_pushcfunction(L, body_index);
  lua_setfield(L, -2, "__index");
  hn_core_open_kind(L, HN_SYSTEM_HANDLE);
  push_methods(L);
  lua_pushcclosure(L, system_index, 1);
  lua_setfield(L, -2, "__index");
  lua_pop(L, 3);
}

static void set_round(lua_State *L, hn_shape_kind kind, const char *name)
{
  lua_pushinteger(L, kind);
  lua_pushstring(L, name);
  lua_pushcclosure(L, make_round, 2);
  lua_setfield(L, -2, name);
}

/* core.fail(message): an error at the line of the scene, for the Lua module. */
static int core_fail(lua_State *L)
{
  return hn_sandbox_fail(L, "%.480s", luaL_checkstring(L, 1));
}

/* core.unknown(what, kind, word, list of valid words) */
static int core_unknown(lua_State *L)
{
  const char *valid[MAX_NAMES], *what = luaL_checkstring(L, 1), *kind = luaL_checkstring(L, 2);
  const char *word = luaL_checkstring(L, 3);
  size_t n = 0;
  luaL_checkstack(L, MAX_NAMES, NULL);
  while (n < MAX_NAMES && lua_rawgeti(L, 4, (lua_Integer)n + 1) == LUA_TSTRING) valid[n++] = lua_tostring(L, -1);
  return hn_fields_unknown(L, what, kind, word, valid, n);
}

int hn_core_push(lua_State *L)
{
  static const luaL_Reg functions[] = {
    { "system", make_system }, { "param", hn_declare_param }, { "box", make_box },
    { "fail", core_fail },     { "unknown", core_unknown },   { "method", hn_method_declare },
    { "point_mass_model", hn_point_mass_model },
    { NULL, NULL },
  };
  open_kinds(L);
  hn_method_open(L);
  hn_control_open(L);
  luaL_newlib(L, functions);
  set_round(L, HN_SPHERE, "sphere");
  set_round(L, HN_CYLINDER, "cylinder");
  set_round(L, HN_CAPSULE, "capsule");
  hn_special_push(L);
  lua_setfield(L, -2, "special");
  return 1;
}
