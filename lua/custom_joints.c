/* custom_joints.c - joints written in Lua: sys:joint { a, b, residual = function(a, b, t) ... end, rate =
 * function(a, b, t) ... end }.
 *
 * The functions are called at declaration only, to record their tapes. A side, a or b, is a table of traced
 * numbers:
 *
 *   position, at, axis            world axes: origin, joint point (m) and axis, if the joint has them
 *   point(p), direction(d)        world axes: point p and direction d, given in body axes
 *   velocity, at_velocity         in a rate: velocity of the origin and of the joint point, m/s
 *   angular_velocity              in a rate: rad/s */
#include "scene_change.h"
#include "declare.h"
#include "fields.h"
#include "trace.h"
#include "base/vec.h"
#include "joint/residual.h"

#include <string.h>

typedef struct joint_input {
  hn_joint_spec spec;
  double at[3], at_a[3], at_b[3], axis[3];
  const char *unit;
} joint_input;

enum { BODY_A, BODY_B, NAME, AT, AT_A, AT_B, AXIS, UNIT, RESIDUAL, RATE, KEYS };
#define NUMBERS(key, place)                                         \
  {                                                                 \
    key, HN_FIELD_NUMBER, offsetof(joint_input, place), 3, 0, false \
  }
static const hn_field fields[KEYS] = {
  [BODY_A] = { NULL, HN_FIELD_BODY, offsetof(joint_input, spec) + offsetof(hn_joint_spec, a), 0, 1, true },
  [BODY_B] = { NULL, HN_FIELD_BODY, offsetof(joint_input, spec) + offsetof(hn_joint_spec, b), 0, 2, true },
  [NAME] = { "name", HN_FIELD_TEXT, offsetof(joint_input, spec) + offsetof(hn_joint_spec, name), 0, 0,
             false },
  [AT] = NUMBERS("at", at),
  [AT_A] = NUMBERS("at_a", at_a),
  [AT_B] = NUMBERS("at_b", at_b),
  [AXIS] = NUMBERS("axis", axis),
  [UNIT] = { "unit", HN_FIELD_TEXT, offsetof(joint_input, unit), 0, 0, false },
  [RESIDUAL] = { "residual", HN_FIELD_OTHER, 0, 0, 0, false },
  [RATE] = { "rate", HN_FIELD_OTHER, 0, 0, 0, false },
};
#undef NUMBERS

/* Points and axis of the joint on one body, in principal body axes. */
typedef struct side {
  const hn_body *body;
  double origin[3], at[3], axis[3];
} side;

typedef struct call {
  side of[2];
  bool has_at, has_axis, moves;
} call;

/* ---- A side -------------------------------------------------------------------------------------------- */

/* Add the product of the two values on top of the stack to the value below them. */
static void push_sum(lua_State *L)
{
  lua_arith(L, LUA_OPMUL);
  lua_arith(L, LUA_OPADD);
}

/* Push x_i + (R p)_i, or (R p)_i for a direction; terms with p_j = 0 are omitted. x and R are the inputs from
 * FIRST on. */
static void push_component(lua_State *L, const hn_trace *trace, int first, int i, bool direction,
                           const double p[3])
{
  if (direction) lua_pushnumber(L, 0.0);
  else hn_trace_push(L, trace, first + i);
  for (int j = 0; j < 3; j++) {
    if (p[j] == 0) continue;
    hn_trace_push(L, trace, first + 3 + 3 * i + j);
    lua_pushnumber(L, p[j]);
    push_sum(L);
  }
}

/* Push the table of world coordinates of P, given in body axes. */
static void push_place(lua_State *L, const hn_trace *trace, int first, bool direction, const double p[3])
{
  lua_createtable(L, 3, 0);
  for (int i = 0; i < 3; i++) {
    push_component(L, trace, first, i, direction, p);
    lua_rawseti(L, -2, i + 1);
  }
}

/* Push the velocity v + w x (R p) of the point P; TWIST is the first input of v. */
static void push_velocity(lua_State *L, const hn_trace *trace, int first, int twist, const double p[3])
{
  if (p[0] == 0 && p[1] == 0 && p[2] == 0) {
    hn_trace_push_vector(L, trace, twist,
                         3); /* the centre of mass: needs no angular velocity, so particles work too */
    return;
  }
  lua_createtable(L, 3, 0);
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    hn_trace_push(L, trace, twist + i);
    hn_trace_push(L, trace, twist + 3 + j);
    push_component(L, trace, first, k, true, p);
    push_sum(L);
    hn_trace_push(L, trace, twist + 3 + k);
    push_component(L, trace, first, j, true, p);
    lua_arith(L, LUA_OPMUL);
    lua_arith(L, LUA_OPSUB);
    lua_rawseti(L, -2, i + 1);
  }
}

/* side:point(p) and side:direction(d). Upvalues: trace, first input, body, true for a direction, number of
 * the trace. */
static int fixed_to_body(lua_State *L)
{
  const hn_trace *trace = lua_touserdata(L, lua_upvalueindex(1));
  const hn_body *body = &hn_registry_model(L)->body[lua_tointeger(L, lua_upvalueindex(3))];
  const bool direction = lua_toboolean(L, lua_upvalueindex(4));
  const char *name = direction ? "direction" : "point";
  double p[3], own[3];
  if (lua_tointeger(L, lua_upvalueindex(5)) != hn_trace_number(L))
    hn_sandbox_fail(L, "%s: the call of the joint's function is over", name);
  lua_settop(L, 2);
  if (!lua_istable(L, 2))
    hn_sandbox_fail(L, "%s: call it with a colon and three numbers: a:%s { x, y, z }", name, name);
  hn_fields_vector(L, name, "its argument", 3, p);
  memcpy(own, p, sizeof own);
  if (body->frame) quat_rotate(own, body->frame->q, p);
  if (body->frame && !direction) vec_add(own, own, body->frame->x);
  push_place(L, trace, (int)lua_tointeger(L, lua_upvalueindex(2)), direction, own);
  return 1;
}

static void set_function(lua_State *L, const hn_trace *trace, int first, const side *of, bool direction)
{
  lua_pushlightuserdata(L, (void *)(uintptr_t)trace);
  lua_pushinteger(L, first);
  lua_pushinteger(L, of->body - hn_registry_model(L)->body);
  lua_pushboolean(L, direction);
  lua_pushinteger(L, hn_trace_number(L));
  lua_pushcclosure(L, fixed_to_body, 5);
  lua_setfield(L, -2, direction ? "direction" : "point");
}

static void push_side(lua_State *L, const hn_trace *trace, const call *c, int which)
{
  const side *of = &c->of[which];
  const int first = which ? HN_INPUT_POSE_B : HN_INPUT_POSE_A, twist = HN_INPUT_TWISTS + 6 * which;
  lua_createtable(L, 0, 8);
  push_place(L, trace, first, false, of->origin);
  lua_setfield(L, -2, "position");
  if (c->has_at) push_place(L, trace, first, false, of->at), lua_setfield(L, -2, "at");
  if (c->has_axis) push_place(L, trace, first, true, of->axis), lua_setfield(L, -2, "axis");
  set_function(L, trace, first, of, false);
  set_function(L, trace, first, of, true);
  if (!c->moves) return;
  push_velocity(L, trace, first, twist, of->origin), lua_setfield(L, -2, "velocity");
  hn_trace_push_vector(L, trace, twist + 3, 3), lua_setfield(L, -2, "angular_velocity");
  if (c->has_at) push_velocity(L, trace, first, twist, of->at), lua_setfield(L, -2, "at_velocity");
}

static int push_arguments(lua_State *L, const hn_trace *trace, const void *context)
{
  push_side(L, trace, context, 0);
  push_side(L, trace, context, 1);
  hn_trace_push(L, trace, HN_INPUT_TIME);
  return 3;
}

/* ---- The declaration ----------------------------------------------------------------------------------- */

static void fix(const hn_body *body, const double at[3], const double axis[3], side *of)
{
  double offset[3];
  *of = (side){ .body = body };
  vec_sub(offset, at, body->pose0.x);
  quat_unrotate(of->at, body->pose0.q, offset);
  quat_unrotate(of->axis, body->pose0.q, axis);
  if (body->frame) vec_copy(of->origin, body->frame->x);
}

/* Complete points and axis of the joint from the keys given. */
static void complete(lua_State *L, const char *what, unsigned given, joint_input *in, call *c)
{
  const hn_body *body = hn_registry_model(L)->body, *a = &body[in->spec.a], *b = &body[in->spec.b];
  const bool at = given >> AT & 1, at_a = given >> AT_A & 1, at_b = given >> AT_B & 1;
  if (at && (at_a || at_b)) hn_sandbox_fail(L, "%s: give at, or at_a and at_b, not both", what);
  if (at_a != at_b) hn_sandbox_fail(L, "%s: key \"%s\" is missing", what, at_a ? "at_b" : "at_a");
  c->has_at = in->spec.has_points = at || at_a;
  c->has_axis = given >> AXIS & 1;
  vec_copy(in->spec.at_a, at ? in->at : at_a ? in->at_a : a->pose0.x);
  vec_copy(in->spec.at_b, at ? in->at : at_b ? in->at_b : b->pose0.x);
  const double length = c->has_axis ? vec_norm(in->axis) : 1.0;
  if (!(length > 0)) hn_sandbox_fail(L, "%s: its axis must be a direction, three numbers not all zero", what);
  vec_scale(in->axis, 1.0 / length, in->axis);
  vec_copy(in->spec.axis_a, in->axis), vec_copy(in->spec.axis_b, in->axis);
  fix(a, in->spec.at_a, in->axis, &c->of[0]);
  fix(b, in->spec.at_b, in->axis, &c->of[1]);
}

int hn_declare_own_joint(lua_State *L)
{
  char what[96];
  joint_input in = { .spec = { .type = "joint" }, .unit = "m" };
  call c = { .moves = false };
  hn_change_check_addition(L, "joint");
  hn_registry_describe(L, "joint", what);
  unsigned given = hn_fields_read(L, 2, what, fields, KEYS, &in);
  if (!(given >> RESIDUAL & 1) && !(given >> RATE & 1))
    hn_sandbox_fail(L, "%s: it needs residual = function(a, b, t), or rate = function(a, b, t), or both",
                    what);
  if (strcmp(in.unit, "m") != 0 && strcmp(in.unit, "rad") != 0)
    hn_sandbox_fail(L, "%s: unit must be \"m\" or \"rad\", not \"%.40s\"", what, in.unit);
  complete(L, what, given, &in, &c);
  hn_trace_key(L, "residual", what, push_arguments, &c, HN_RESIDUAL_INPUTS, 0);
  c.moves = true;
  hn_trace_key(L, "rate", what, push_arguments, &c, HN_RATE_INPUTS, 0);
  const hn_custom_rows own = { .unit = strcmp(in.unit, "m") == 0 ? "m" : "rad",
                               .rate = hn_trace_take(L, -1),
                               .residual = hn_trace_take(L, -2),
                               .keys = (c.has_at ? HN_KEY_AT : 0U) | (c.has_axis ? HN_KEY_AXIS : 0U) };
  in.spec.own = &own;
  hn_add_joint(L, &in.spec);
  return 0;
}
