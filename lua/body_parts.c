/* body_parts.c - several shapes on one body, and its collision groups. */
#include "body_parts.h"
#include "collide/hull.h"
#include "elementary.h"
#include "fields.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct part_input {
  hn_part part;
  double axis_angle[4];
  bool collides, massless;
} part_input;

#define PART(name) (offsetof(part_input, part) + offsetof(hn_part, name))
enum { SHAPE, POSITION, ORIENTATION, AXIS_ANGLE, DENSITY, COLLIDES, MASSLESS, PART_FIELDS };
static const hn_field part_fields[] = {
  [SHAPE] = { "shape", HN_FIELD_SHAPE, PART(shape), 0, 0, true },
  [POSITION] = { "position", HN_FIELD_NUMBER, PART(position), 3, 0, false },
  [ORIENTATION] = { "orientation", HN_FIELD_NUMBER, PART(orientation), 4, 0, false },
  [AXIS_ANGLE] = { "axis_angle", HN_FIELD_NUMBER, offsetof(part_input, axis_angle), 4, 0, false },
  [DENSITY] = { "density", HN_FIELD_NUMBER, PART(density), 1, 0, false },
  [COLLIDES] = { "collides", HN_FIELD_FLAG, offsetof(part_input, collides), 0, 0, false },
  [MASSLESS] = { "massless", HN_FIELD_FLAG, offsetof(part_input, massless), 0, 0, false },
};
#undef PART

/* Store the unit quaternion of the rotation { x, y, z, angle } in Q. */
static void from_axis_angle(lua_State *L, const char *what, const double a[4], double q[4])
{
  double length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]), sine;
  if (!(length > 0))
    hn_sandbox_fail(L, "%s: axis_angle = { x, y, z, angle }: the axis has zero length", what);
  hn_sincos(0.5 * a[3], &sine, &q[0]);
  for (int i = 0; i < 3; i++) q[i + 1] = sine * a[i] / length;
}

void hn_orientation_read(lua_State *L, const char *what, bool has_orientation, const double *axis_angle,
                         double q[4])
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
  hn_orientation_read(L, where, given >> ORIENTATION & 1, given >> AXIS_ANGLE & 1 ? in.axis_angle : NULL,
                      in.part.orientation);
  if (given >> DENSITY & 1 && !(in.part.density > 0))
    hn_sandbox_fail(L, "%s: density must be positive, not %g", where, in.part.density);
  in.part.ghost = !in.collides;
  in.part.weightless = in.massless;
  return in.part;
}

void hn_parts_read(lua_State *L, int index, const char *what, hn_body_spec *spec)
{
  if (lua_getfield(L, index, "shapes") != LUA_TTABLE)
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

void hn_collides_read(lua_State *L, int index, const char *what, hn_body_spec *spec)
{
  const int kind = lua_getfield(L, index, "collides"), list = lua_gettop(L);
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

size_t hn_parts_memory(const hn_body_spec *spec)
{
  size_t bytes = 0;
  const int count = spec->nparts > 0 ? spec->nparts : 1;
  for (int i = 0; i < count; i++) {
    const hn_hull *hull = spec->nparts > 0 ? spec->part[i].shape.hull : spec->shape.hull;
    bytes += sizeof(hn_collider) + (hull ? hull->size : 0);
  }
  return bytes;
}
