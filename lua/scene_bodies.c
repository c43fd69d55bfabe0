/* scene_bodies.c - bodies of a scene: sys:body and sys:particle. */
#include "scene_change.h"
#include "declare.h"
#include "collide/field/height_field.h"
#include "collide/hull.h"
#include "elementary.h"
#include "fields.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double full_turn = 6.283185307179587; /* rad; the next double above 2 pi */

/* ---- Parts: the shapes of a body, and its collision groups ----------------------------------------- */

typedef struct part_input {
  hn_part part;
  double axis_angle[4];
  bool collides, massless;
} part_input;

#define PART(name) (offsetof(part_input, part) + offsetof(hn_part, name))
enum {
  PART_SHAPE,
  PART_POSITION,
  PART_ORIENTATION,
  PART_AXIS_ANGLE,
  PART_DENSITY,
  PART_COLLIDES,
  PART_MASSLESS,
  PART_FIELDS
};
static const hn_field part_fields[] = {
  [PART_SHAPE] = { "shape", HN_FIELD_SHAPE, PART(shape), 0, 0, true },
  [PART_POSITION] = { "position", HN_FIELD_NUMBER, PART(position), 3, 0, false },
  [PART_ORIENTATION] = { "orientation", HN_FIELD_NUMBER, PART(orientation), 4, 0, false },
  [PART_AXIS_ANGLE] = { "axis_angle", HN_FIELD_NUMBER, offsetof(part_input, axis_angle), 4, 0, false },
  [PART_DENSITY] = { "density", HN_FIELD_NUMBER, PART(density), 1, 0, false },
  [PART_COLLIDES] = { "collides", HN_FIELD_FLAG, offsetof(part_input, collides), 0, 0, false },
  [PART_MASSLESS] = { "massless", HN_FIELD_FLAG, offsetof(part_input, massless), 0, 0, false },
};
#undef PART

/* Notes an angle beyond a full turn, which is in degrees as a rule. */
static void note_angle(lua_State *L, double angle)
{
  hn_scene *scene = hn_registry_of(L)->scene;
  if (fabs(angle) > full_turn && fabs(angle) > fabs(scene->widest_angle)) scene->widest_angle = angle;
}

/* Store the unit quaternion of the rotation { x, y, z, angle } in Q. */
static void from_axis_angle(lua_State *L, const char *what, const double a[4], double q[4])
{
  double length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]), sine;
  if (!(length > 0))
    hn_sandbox_fail(L, "%s: axis_angle = { x, y, z, angle }: the axis has zero length", what);
  note_angle(L, a[3]);
  hn_sincos(0.5 * a[3], &sine, &q[0]);
  for (int i = 0; i < 3; i++) q[i + 1] = sine * a[i] / length;
}

/* Complete the orientation Q of a body or a shape: from AXIS_ANGLE = { x, y, z, angle } unless it is NULL,
 * else as read from key "orientation". */
static void complete_orientation(lua_State *L, const char *what, bool has_orientation,
                                 const double *axis_angle, double q[4])
{
  if (has_orientation && axis_angle) hn_sandbox_fail(L, "%s: give orientation or axis_angle, not both", what);
  if (axis_angle) from_axis_angle(L, what, axis_angle, q);
  if (has_orientation && q[0] == 0.0 && q[1] == 0.0 && q[2] == 0.0 && q[3] == 0.0)
    hn_sandbox_fail(L, "%s: orientation = { w, x, y, z }: the quaternion has zero length", what);
}

/* Returns part I of a body, read from the table on top of the stack. */
static hn_part read_part(lua_State *L, const char *what, int i)
{
  char where[160];
  part_input in = { .collides = true };
  snprintf(where, sizeof where, "%s: shapes[%d]", what, i);
  if (!lua_istable(L, -1))
    hn_sandbox_fail(L, "%s: must be a table { shape = ..., position = { x, y, z } }", where);
  unsigned given = hn_fields_read(L, lua_gettop(L), where, part_fields, PART_FIELDS, &in);
  complete_orientation(L, where, given >> PART_ORIENTATION & 1,
                       given >> PART_AXIS_ANGLE & 1 ? in.axis_angle : NULL, in.part.orientation);
  if (given >> PART_DENSITY & 1 && !(in.part.density > 0))
    hn_sandbox_fail(L, "%s: density must be positive, not %g", where, in.part.density);
  in.part.ghost = !in.collides;
  in.part.weightless = in.massless;
  return in.part;
}

/* Read key "shapes" of the table at index 2 into SPEC. The parts are pushed on the stack and stay valid
 * there. */
static void read_parts(lua_State *L, const char *what, hn_body_spec *spec)
{
  if (lua_getfield(L, 2, "shapes") != LUA_TTABLE)
    hn_sandbox_fail(L, "%s: shapes must be a table of tables { shape = ... }", what);
  const int list = lua_gettop(L), count = (int)lua_rawlen(L, list);
  if (count < 1) hn_sandbox_fail(L, "%s: shapes must have at least one", what);
  hn_part *part = lua_newuserdatauv(L, sizeof *part * (size_t)count, 0);
  for (int i = 0; i < count; i++) {
    lua_rawgeti(L, list, i + 1);
    part[i] = read_part(L, what, i + 1);
    lua_pop(L, 1);
  }
  spec->part = part, spec->nparts = count;
}

/* Read key "collides", false or a list of groups, into SPEC. The list is pushed and stays valid on the
 * stack. */
static void read_collides(lua_State *L, const char *what, hn_body_spec *spec)
{
  const int kind = lua_getfield(L, 2, "collides"), list = lua_gettop(L);
  if (kind == LUA_TBOOLEAN && lua_toboolean(L, list)) return;
  if (kind != LUA_TTABLE && kind != LUA_TBOOLEAN)
    hn_sandbox_fail(L, "%s: collides must be false, or a list of groups { \"name\", ... }", what);
  const int count = kind == LUA_TTABLE ? (int)lua_rawlen(L, list) : 0;
  const char **names = lua_newuserdatauv(L, sizeof *names * ((size_t)count + 1), 0);
  for (int i = 0; i < count; i++) {
    if (lua_rawgeti(L, list, i + 1) != LUA_TSTRING)
      hn_sandbox_fail(L, "%s: collides[%d] must be the name of a group, not %s", what, i + 1,
                      luaL_typename(L, -1));
    names[i] = lua_tostring(L, -1); /* alive in the table */
    lua_pop(L, 1);
  }
  names[count] = NULL;
  spec->collides = names;
}

/* Returns the memory (bytes) that the model needs for the shapes of SPEC. */
static size_t parts_memory(const hn_body_spec *spec)
{
  size_t bytes = 0;
  const int count = spec->nparts > 0 ? spec->nparts : 1;
  for (int i = 0; i < count; i++) {
    const hn_shape *shape = spec->nparts > 0 ? &spec->part[i].shape : &spec->shape;
    bytes += sizeof(hn_collider) + (shape->kind == HN_HEIGHT_FIELD ? shape->field->size
                                    : shape->hull                  ? shape->hull->size
                                                                   : 0);
  }
  return bytes;
}

/* ---- Bodies ---------------------------------------------------------------------------------------- */

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
  ACROSS,
  FRICTION_AXIS,
  ROLLING,
  TORSION,
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
  [ACROSS] = { "friction_across", HN_FIELD_NUMBER, SPEC(friction_across), 1, 0, false },
  [FRICTION_AXIS] = { "friction_axis", HN_FIELD_NUMBER, SPEC(friction_axis), 3, 0, false },
  [ROLLING] = { "rolling_friction", HN_FIELD_NUMBER, SPEC(rolling_friction), 1, 0, false },
  [TORSION] = { "torsional_friction", HN_FIELD_NUMBER, SPEC(torsional_friction), 1, 0, false },
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
  if (given >> SHAPE & 1 && !mass && !density)
    hn_sandbox_fail(L, "%s: key \"density\" is missing (shape is given)", what);
  if (!mass && !shape)
    hn_sandbox_fail(L, "%s: its mass is missing: give mass and inertia, or shape and density", what);
}

/* Check that every part of a body without mass and density has a density of its own, or no mass. */
static void check_densities(lua_State *L, const char *what, const hn_body_spec *spec)
{
  for (int i = 0; i < spec->nparts; i++)
    if (!spec->part[i].weightless && !(spec->part[i].density > 0))
      hn_sandbox_fail(L, "%s: shapes[%d]: key \"density\" is missing: neither it nor the body has one", what,
                      i + 1);
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

/* Check the friction axis: the core takes zeros as missing. */
static void check_friction_axis(lua_State *L, const char *what, unsigned given, const hn_body_spec *spec)
{
  const double *axis = spec->friction_axis;
  if (given >> FRICTION_AXIS & 1 && axis[0] == 0.0 && axis[1] == 0.0 && axis[2] == 0.0)
    hn_sandbox_fail(L, "%s: friction_axis must not be 0", what);
  if (given >> ACROSS & 1 && !(given >> FRICTION_AXIS & 1))
    hn_sandbox_fail(L, "%s: key \"friction_axis\" is missing (friction_across is given)", what);
  if (given >> ACROSS & 1 && !(spec->friction_across > 0.0))
    hn_sandbox_fail(L, "%s: friction_across must be positive, not %g", what, spec->friction_across);
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
  complete_orientation(L, what, given >> ORIENTATION & 1, given >> AXIS_ANGLE & 1 ? in->axis_angle : NULL,
                       spec->orientation);
  spec->has_mass = given >> MASS & 1;
  spec->has_gravity = given >> GRAVITY & 1;
  check_friction_axis(L, what, given, spec);
  if (in->fixed) check_fixed_mass(L, what, given, planar, spec);
  if (given >> SHAPES & 1) read_parts(L, what, spec);
  if (!in->fixed && !(given >> MASS & 1) && !(given >> DENSITY & 1)) check_densities(L, what, spec);
  if (given >> COLLIDES & 1) read_collides(L, what, spec);
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
  if (hn_registry_find(L, HN_BODY_NAMES, in.spec.name) >= 0)
    hn_sandbox_fail(L, "there is a body \"%.60s\" already: names must differ", in.spec.name);
  hn_sandbox_hold(L, sizeof(hn_body) + strlen(in.spec.name) + 1 + parts_memory(&in.spec));
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

/* ---- Opening --------------------------------------------------------------------------------------- */

void hn_bodies_open(lua_State *L)
{
  hn_registry_open_kind(L, HN_BODY_HANDLE);
  lua_pushcfunction(L, body_to_text);
  lua_setfield(L, -2, "__tostring");
  lua_pushcfunction(L, body_index);
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
}
