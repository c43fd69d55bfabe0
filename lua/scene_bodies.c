/* scene_bodies.c - bodies of a scene: sys:body and sys:particle. */
#include "scene_change.h"
#include "declare.h"
#include "elementary.h"
#include "fields.h"
#include "body_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Bodies -------------------------------------------------------------------------------------------- */

int hn_body_push(lua_State *L, int index)
{
  *(int *)hn_registry_new_handle(L, sizeof(int), HN_BODY_HANDLE) = index;
  return 1;
}

typedef struct body_input {
  hn_body_spec spec;
  double axis_angle[4];
  bool fixed;
} body_input;

#define SPEC(name) (offsetof(body_input, spec) + offsetof(hn_body_spec, name))
enum {
  NAME,
  POSITION,
  VELOCITY,
  MASS,
  FIXED,
  GRAVITY,
  PARTICLE_FIELDS,
  ORIENTATION = PARTICLE_FIELDS,
  AXIS_ANGLE,
  ANGULAR_VELOCITY,
  INERTIA,
  PRODUCTS,
  CENTRE,
  SHAPE,
  SHAPES,
  DENSITY,
  FRICTION,
  RESTITUTION,
  MATERIAL,
  GROUP,
  COLLIDES,
  BODY_FIELDS
};
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
  [PRODUCTS] = { "products", HN_FIELD_NUMBER, SPEC(products), 3, 0, false },
  [CENTRE] = { "centre", HN_FIELD_NUMBER, SPEC(centre), 3, 0, false },
  [SHAPE] = { "shape", HN_FIELD_SHAPE, SPEC(shape), 0, 0, false },
  [SHAPES] = { "shapes", HN_FIELD_OTHER, 0, 0, 0, false },
  [DENSITY] = { "density", HN_FIELD_NUMBER, SPEC(density), 1, 0, false },
  [FRICTION] = { "friction", HN_FIELD_FRICTION, SPEC(friction), 2, 0, false },
  [RESTITUTION] = { "restitution", HN_FIELD_NUMBER, SPEC(restitution), 1, 0, false },
  [MATERIAL] = { "material", HN_FIELD_TEXT, SPEC(material), 0, 0, false },
  [GROUP] = { "group", HN_FIELD_TEXT, SPEC(group), 0, 0, false },
  [COLLIDES] = { "collides", HN_FIELD_OTHER, 0, 0, 0, false },
};
#undef SPEC

/* Check the keys: mass and inertia, or mass and shape, or shape and density, without contradictions. */
static void check_mass_keys(lua_State *L, const char *what, unsigned given, bool particle, bool fixed)
{
  bool mass = given >> MASS & 1, inertia = given >> INERTIA & 1, density = given >> DENSITY & 1;
  bool shape = given >> SHAPE & 1 || given >> SHAPES & 1;
  if (given >> SHAPE & given >> SHAPES & 1) hn_sandbox_fail(L, "%s: give shape or shapes, not both", what);
  if (mass && density) hn_sandbox_fail(L, "%s: give mass and inertia, or shape and density, not both", what);
  if (inertia && !mass) hn_sandbox_fail(L, "%s: key \"mass\" is missing (inertia is given)", what);
  if (density && !shape) hn_sandbox_fail(L, "%s: key \"shape\" is missing (density is given)", what);
  if ((given >> PRODUCTS & 1 || given >> CENTRE & 1) && !inertia)
    hn_sandbox_fail(L, "%s: key \"inertia\" is missing (%s is given)", what,
                    given >> CENTRE & 1 ? "centre" : "products");
  if (fixed) return;
  if (particle && !mass) hn_sandbox_fail(L, "%s: key \"mass\" is missing", what);
  if (mass && !inertia && !shape && !particle)
    hn_sandbox_fail(L, "%s: key \"inertia\" is missing (mass is given)", what);
  if (shape && !mass && !density) hn_sandbox_fail(L, "%s: key \"density\" is missing (shape is given)", what);
  if (!mass && !density)
    hn_sandbox_fail(L, "%s: its mass is missing: give mass and inertia, or shape and density", what);
}

/* Check mass, density and inertia of a fixed body: they have no effect, but invalid values are mistakes. */
static void check_fixed_mass(lua_State *L, const char *what, unsigned given, bool planar,
                             const hn_body_spec *spec)
{
  if (given >> MASS & 1 && !(spec->mass > 0))
    hn_sandbox_fail(L, "%s: mass must be positive, not %g", what, spec->mass);
  if (given >> DENSITY & 1 && !(spec->density > 0))
    hn_sandbox_fail(L, "%s: density must be positive, not %g", what, spec->density);
  for (int i = planar ? 2 : 0; given >> INERTIA & 1 && i < 3; i++)
    if (!(spec->inertia[i] > 0))
      hn_sandbox_fail(L, "%s: inertia[%d] must be positive, not %g", what, i + 1, spec->inertia[i]);
}

/* Read the table at index 2 into IN. WHAT starts messages. */
static void read_body_table(lua_State *L, body_input *in, const char *what, bool particle)
{
  hn_field fields[BODY_FIELDS];
  bool planar = hn_registry_model(L)->planar;
  memcpy(fields, body_fields, sizeof fields);
  if (planar) fields[INERTIA].offset += 2 * sizeof(double), fields[INERTIA].count = 1; /* Jz alone */
  unsigned given = hn_fields_read(L, 2, what, fields, particle ? PARTICLE_FIELDS : BODY_FIELDS, in);
  hn_body_spec *spec = &in->spec;
  check_mass_keys(L, what, given, particle, in->fixed);
  hn_orientation_read(L, what, given >> ORIENTATION & 1, given >> AXIS_ANGLE & 1 ? in->axis_angle : NULL,
                      spec->orientation);
  spec->has_mass = given >> MASS & 1;
  spec->has_gravity = given >> GRAVITY & 1;
  if (in->fixed) check_fixed_mass(L, what, given, planar, spec);
  if (given >> SHAPES & 1) hn_parts_read(L, 2, what, spec);
  if (given >> COLLIDES & 1) hn_collides_read(L, 2, what, spec);
  spec->kind = in->fixed ? HN_FIXED : particle ? HN_PARTICLE : HN_RIGID;
}

/* sys:body and sys:particle; upvalue 1 is the name. */
int hn_declare_body(lua_State *L)
{
  char what[96], numbered[32];
  hn_error error;
  const char *type = lua_tostring(L, lua_upvalueindex(1));
  bool particle = strcmp(type, "particle") == 0;
  body_input in = { .spec = { .orientation = { 1, 0, 0, 0 } } };
  hn_change_check_addition(L, type);
  hn_registry_describe(L, type, what);
  read_body_table(L, &in, what, particle);
  hn_model *model = hn_registry_model(L);
  snprintf(numbered, sizeof numbered, "body%d", model->nbody);
  if (!in.spec.name) in.spec.name = numbered;
  if (hn_registry_find_body(L, in.spec.name) >= 0)
    hn_sandbox_fail(L, "there is a body \"%.60s\" already: names must differ", in.spec.name);
  hn_sandbox_hold(L, sizeof(hn_body) + strlen(in.spec.name) + 1 + hn_parts_memory(&in.spec));
  int index = hn_model_add_body(model, &in.spec, &error);
  if (index < 0) hn_sandbox_fail(L, "%.480s", error.text);
  hn_registry_enter(L, HN_BODY_NAMES, in.spec.name, index);
  if (particle) hn_registry_enter_particle(L, index);
  return hn_body_push(L, index);
}

static int body_to_text(lua_State *L)
{
  const int *index = luaL_checkudata(L, 1, HN_BODY_HANDLE);
  lua_pushfstring(L, "body \"%s\"", hn_registry_model(L)->body[*index].name);
  return 1;
}

static int body_index(lua_State *L)
{
  const int *index = luaL_checkudata(L, 1, HN_BODY_HANDLE);
  const char *key = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : luaL_typename(L, 2);
  if (strcmp(key, "name") != 0) hn_sandbox_fail(L, "a body handle has no \"%.60s\", only its name", key);
  lua_pushstring(L, hn_registry_model(L)->body[*index].name);
  return 1;
}

/* ---- Opening ------------------------------------------------------------------------------------------- */

void hn_bodies_open(lua_State *L)
{
  hn_registry_open_kind(L, HN_BODY_HANDLE);
  lua_pushcfunction(L, body_to_text);
  lua_setfield(L, -2, "__tostring");
  lua_pushcfunction(L, body_index);
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
}
