/* scene_shapes.c - constructors of shapes: scene.box { ... } and others. */
#include "declare.h"
#include "elementary.h"
#include "fields.h"

#include <math.h>
#include <stdio.h>

static int push_shape(lua_State *L, const char *what, const hn_shape *shape)
{
  hn_error error;
  if (hn_shape_check(shape, &error)) hn_sandbox_fail(L, "%s: %.400s", what, error.text);
  *(hn_shape *)hn_registry_new_handle(L, sizeof *shape, HN_SHAPE_HANDLE) = *shape;
  return 1;
}

static void check_shape_call(lua_State *L, const char *what, const char *example)
{
  if (lua_type(L, 1) != LUA_TTABLE || lua_gettop(L) > 1)
    hn_sandbox_fail(L, "%s takes one table: scene.%s", what, example);
}

/* Refuse keys in the table of a shape that is a list. */
static void check_list(lua_State *L, const char *what, const char *example)
{
  for (lua_pushnil(L); lua_next(L, 1); lua_pop(L, 1))
    if (lua_type(L, -2) == LUA_TSTRING)
      hn_sandbox_fail(L, "%s: unknown key \"%.60s\": it has no keys, write scene.%s", what,
                      lua_tostring(L, -2), example);
}

/* Create a box or an ellipsoid from a list of three lengths. Upvalue: the kind. */
static int make_box(lua_State *L)
{
  static const hn_field fields[] = {
    { NULL, HN_FIELD_NUMBER, 0, 1, 1, false },
    { NULL, HN_FIELD_NUMBER, sizeof(double), 1, 2, false },
    { NULL, HN_FIELD_NUMBER, 2 * sizeof(double), 1, 3, false },
  };
  hn_shape shape = { .kind = (hn_shape_kind)lua_tointeger(L, lua_upvalueindex(1)) };
  const bool box = shape.kind == HN_BOX;
  const char *what = hn_shape_name(shape.kind),
             *example = box ? "box { lx, ly, lz }" : "ellipsoid { a, b, c }";
  check_shape_call(L, what, example);
  check_list(L, what, example);
  if (hn_fields_read(L, 1, what, fields, 3, shape.size) != 7)
    hn_sandbox_fail(L, box ? "box: needs three edge lengths { lx, ly, lz }"
                           : "ellipsoid: needs three half axes { a, b, c }");
  return push_shape(L, what, &shape);
}

/* Create a sphere, circle, cylinder or capsule. Upvalue: the kind. */
static int make_round(lua_State *L)
{
  static const hn_field fields[] = {
    { "radius", HN_FIELD_NUMBER, 0, 1, 0, true },
    { "height", HN_FIELD_NUMBER, sizeof(double), 1, 0, true },
  };
  char example[80];
  hn_shape shape = { .kind = (hn_shape_kind)lua_tointeger(L, lua_upvalueindex(1)) };
  const char *what = hn_shape_name(shape.kind);
  const bool ball = shape.kind == HN_SPHERE || shape.kind == HN_CIRCLE;
  snprintf(example, sizeof example, "%s { radius = r%s }", what, ball ? "" : ", height = h");
  check_shape_call(L, what, example);
  hn_fields_read(L, 1, what, fields, ball ? 1 : 2, shape.size);
  return push_shape(L, what, &shape);
}

static int make_plane(lua_State *L)
{
  static const hn_field fields[] = { { "normal", HN_FIELD_NUMBER, 0, 3, 0, true } };
  hn_shape shape = { .kind = HN_PLANE };
  check_shape_call(L, "plane", "plane { normal = { x, y, z } }");
  hn_fields_read(L, 1, "plane", fields, 1, shape.size);
  const double length = hn_hypot(hn_hypot(shape.size[0], shape.size[1]), shape.size[2]);
  if (!(length > 0)) hn_sandbox_fail(L, "plane: its normal has zero length");
  for (int i = 0; i < 3; i++) shape.size[i] /= length;
  return push_shape(L, "plane", &shape);
}

/* Create a convex hull or polygon from a list of corners. Upvalue: the kind. */
static int make_hull(lua_State *L)
{
  hn_error error;
  hn_shape shape;
  const hn_shape_kind kind = (hn_shape_kind)lua_tointeger(L, lua_upvalueindex(1));
  const bool flat = kind == HN_POLYGON;
  const char *what = hn_shape_name(kind);
  const char *example = flat ? "polygon { { x, y }, ... }" : "convex { { x, y, z }, ... }";
  check_shape_call(L, what, example);
  check_list(L, what, example);
  const int count = (int)lua_rawlen(L, 1);
  double *point = lua_newuserdatauv(L, sizeof(double[3]) * ((size_t)count + 1), 0);
  for (int i = 0; i < count; i++) {
    char corner[32];
    snprintf(corner, sizeof corner, "corner %d", i + 1);
    lua_rawgeti(L, 1, i + 1);
    point[3 * i + 2] = 0.0;
    hn_fields_vector(L, what, corner, flat ? 2 : 3, point + 3 * i);
    lua_pop(L, 1);
  }
  if (hn_shape_hull(&shape, kind, point, count, &error)) hn_sandbox_fail(L, "%s: %.400s", what, error.text);
  *(hn_shape *)hn_registry_new_handle(L, sizeof shape, HN_SHAPE_HANDLE) = shape;
  return 1;
}

static int free_shape(lua_State *L)
{
  hn_shape_free(luaL_checkudata(L, 1, HN_SHAPE_HANDLE));
  return 0;
}

/* ---- Opening ------------------------------------------------------------------------------------------- */

static void set_kind(lua_State *L, hn_shape_kind kind, lua_CFunction make)
{
  lua_pushinteger(L, kind);
  lua_pushcclosure(L, make, 1);
  lua_setfield(L, -2, hn_shape_name(kind));
}

void hn_shapes_open(lua_State *L)
{
  hn_registry_open_kind(L, HN_SHAPE_HANDLE);
  lua_pushcfunction(L, free_shape);
  lua_setfield(L, -2, "__gc");
  lua_pop(L, 1);
}

void hn_shapes_set(lua_State *L)
{
  static const hn_shape_kind round[] = { HN_SPHERE, HN_CIRCLE, HN_CYLINDER, HN_CAPSULE };
  set_kind(L, HN_BOX, make_box);
  set_kind(L, HN_ELLIPSOID, make_box);
  set_kind(L, HN_PLANE, make_plane);
  set_kind(L, HN_CONVEX, make_hull);
  set_kind(L, HN_POLYGON, make_hull);
  for (int i = 0; i < 4; i++) set_kind(L, round[i], make_round);
}
