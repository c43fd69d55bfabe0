/* scene_shapes.c - constructors of shapes: scene.box { ... } and others. */
#include "declare.h"
#include "collide/field/height_field.h"
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

/* ---- Height fields ------------------------------------------------------------------------------------- */

typedef struct field_input {
  double size[2], points[2];
} field_input;

/* Reads row J of the table of heights at index 2 into HEIGHT[nx]; 0: any number. Returns the number. */
static int read_row(lua_State *L, int j, int nx, double *height)
{
  char name[48];
  lua_rawgeti(L, 2, j + 1);
  if (lua_type(L, -1) != LUA_TTABLE)
    hn_sandbox_fail(L, "height_field: heights[%d] must be a row of numbers, not %s", j + 1,
                    luaL_typename(L, -1));
  const int count = (int)lua_rawlen(L, -1);
  if (nx > 0 && count != nx)
    hn_sandbox_fail(L,
                    "height_field: heights[%d] has %d numbers and heights[1] has %d: give every row as many",
                    j + 1, count, nx);
  for (int i = 0; i < nx; i++) {
    snprintf(name, sizeof name, "heights[%d][%d]", j + 1, i + 1);
    lua_rawgeti(L, -1, i + 1);
    height[i] = hn_fields_number(L, -1, "height_field", name);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  return count;
}

/* Sets the numbers of points from the table of heights, or from `points` for a function. */
static void count_points(lua_State *L, const field_input *input, bool has_points, int points[2])
{
  if (lua_type(L, 2) == LUA_TTABLE) {
    if (has_points)
      hn_sandbox_fail(
        L, "height_field: points are for heights = function(x, z); a table has its own: remove them");
    points[1] = (int)lua_rawlen(L, 2), points[0] = points[1] > 0 ? read_row(L, 0, 0, NULL) : 0;
    return;
  }
  if (lua_type(L, 2) != LUA_TFUNCTION)
    hn_sandbox_fail(L, "height_field: heights must be rows of numbers or a function(x, z), not %s",
                    luaL_typename(L, 2));
  if (!has_points)
    hn_sandbox_fail(L,
                    "height_field: heights = function(x, z) needs points = { nx, nz }, their numbers along x "
                    "and z");
  for (int k = 0; k < 2; k++) {
    if (!(input->points[k] == floor(input->points[k]) && fabs(input->points[k]) <= HN_MAX_FIELD_SIDE))
      hn_sandbox_fail(L, "height_field: points must be whole numbers from 2 to %d, not %g", HN_MAX_FIELD_SIDE,
                      input->points[k]);
    points[k] = (int)input->points[k];
  }
}

/* Evaluates the function at index 2 of the stack at point (I, J). */
static double call_heights(lua_State *L, const field_input *input, const int points[2], int i, int j)
{
  char name[96];
  const double x = (i - 0.5 * (points[0] - 1)) * input->size[0] / (points[0] - 1),
               z = (j - 0.5 * (points[1] - 1)) * input->size[1] / (points[1] - 1);
  snprintf(name, sizeof name, "heights(%g, %g)", x, z);
  lua_pushvalue(L, 2);
  lua_pushnumber(L, x), lua_pushnumber(L, z);
  lua_call(L, 2, 1);
  const double height = hn_fields_number(L, -1, "height_field", name);
  lua_pop(L, 1);
  return height;
}

static int make_height_field(lua_State *L)
{
  static const hn_field fields[] = {
    { "size", HN_FIELD_NUMBER, offsetof(field_input, size), 2, 0, true },
    { "heights", HN_FIELD_OTHER, 0, 0, 0, true },
    { "points", HN_FIELD_NUMBER, offsetof(field_input, points), 2, 0, false },
  };
  field_input input = { { 0.0, 0.0 }, { 0.0, 0.0 } };
  hn_error error;
  hn_shape shape;
  int points[2];
  check_shape_call(L, "height_field", "height_field { size = { lx, lz }, heights = { { ... }, ... } }");
  const unsigned given = hn_fields_read(L, 1, "height_field", fields, 3, &input);
  lua_getfield(L, 1, "heights");
  count_points(L, &input, given & 4, points);
  const bool rows = lua_type(L, 2) == LUA_TTABLE,
             fits = points[0] >= 2 && points[1] >= 2 && points[0] <= HN_MAX_FIELD_POINTS / points[1];
  const size_t count = fits ? (size_t)points[0] * (size_t)points[1] : 0;
  double *height = lua_newuserdatauv(L, sizeof *height * (count + 1), 0);
  for (int j = 0; fits && j < points[1]; j++) {
    double *row = height + (size_t)j * (size_t)points[0];
    if (rows) read_row(L, j, points[0], row);
    for (int i = 0; !rows && i < points[0]; i++) row[i] = call_heights(L, &input, points, i, j);
  }
  if (hn_shape_height_field(&shape, input.size, points[0], points[1], height, &error))
    hn_sandbox_fail(L, "height_field: %.400s", error.text);
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
  set_kind(L, HN_HEIGHT_FIELD, make_height_field);
  for (int i = 0; i < 4; i++) set_kind(L, round[i], make_round);
}
