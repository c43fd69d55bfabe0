/* lua_solver_state.c - states as seen by a solver written in Lua. A body is its number in the scene, 1 to
 * sys.bodies. Methods that return a table accept a table to fill as their last argument. */
#include "lua_solver_data.h"
#include "base/turn.h"
#include "fields.h"
#include "lua_handle.h"

#include <string.h>

/* ---- Arguments ------------------------------------------------------------------------------------- */

hn_state *hn_lua_solver_state(lua_State *L, int index)
{
  const char *name = hn_handle_name(L);
  const hn_lua_state *state = luaL_testudata(L, index, HN_STATE_HANDLE);
  if (!state && index == 1)
    hn_sandbox_fail(L, "%s: call it on a state, with a colon: state:%s(...)", name, name);
  if (!state)
    hn_sandbox_fail(L, "%s: argument %d must be a state, not a %s", name, index - 1, luaL_typename(L, index));
  if (!state->at)
    hn_sandbox_fail(L, "%s: the state is of a step that is over; keep a copy: state:copy()", name);
  return state->at;
}

hn_state *hn_lua_solver_own_state(lua_State *L, int index, const hn_solver *solver)
{
  hn_state *state = hn_lua_solver_state(L, index);
  if (state->nbody != solver->system->model->nbody)
    hn_sandbox_fail(L, "%s: the state is of %d bodies, but the system has %d", hn_handle_name(L),
                    state->nbody - 1, solver->system->model->nbody - 1);
  return state;
}

/* Returns the number of the body at index 2. */
static int body_at_2(lua_State *L, const hn_state *state)
{
  if (!lua_isinteger(L, 2) || lua_tointeger(L, 2) < 1 || lua_tointeger(L, 2) >= state->nbody)
    hn_sandbox_fail(L, "%s: the first argument is the number of a body, 1 to %d", hn_handle_name(L),
                    state->nbody - 1);
  return (int)lua_tointeger(L, 2);
}

static hn_pose *pose_at_2(lua_State *L)
{
  hn_state *state = hn_lua_solver_state(L, 1);
  return &state->pose[body_at_2(L, state)];
}

/* ---- Methods --------------------------------------------------------------------------------------- */

hn_state *hn_lua_solver_new_state(lua_State *L, const hn_state *like)
{
  size_t n = (size_t)like->nbody;
  size_t bytes = n * (sizeof(hn_pose) + sizeof(hn_twist)) + (size_t)like->ninput * sizeof(double);
  hn_lua_state *state = lua_newuserdatauv(L, sizeof *state + bytes, 0);
  hn_pose *pose = (hn_pose *)(void *)(state + 1);
  hn_twist *twist = (hn_twist *)(void *)(pose + n);
  state->own = (hn_state){ .nbody = like->nbody,
                           .pose = pose,
                           .twist = twist,
                           .ninput = like->ninput,
                           .input = (double *)(void *)(twist + n) };
  state->at = &state->own;
  hn_state_copy(state->at, like);
  luaL_setmetatable(L, HN_STATE_HANDLE);
  return state->at;
}

static int state_copy(lua_State *L)
{
  hn_lua_solver_new_state(L, hn_lua_solver_state(L, 1));
  return 1;
}

static int state_assign(lua_State *L)
{
  hn_state *to = hn_lua_solver_state(L, 1);
  const hn_state *from = hn_lua_solver_state(L, 2);
  if (to->nbody != from->nbody)
    hn_sandbox_fail(L, "assign: one state is of %d bodies, the other of %d", to->nbody - 1, from->nbody - 1);
  hn_state source = *from;
  source.time = to->time; /* set by the framework */
  source.ninput = 0;      /* set by control */
  if (to != from) hn_state_copy(to, &source);
  return 0;
}

enum { POSITION, ORIENTATION, VELOCITY, ANGULAR_VELOCITY };

/* (i, table to fill) -> the quantity named by the detail. */
static int state_get(lua_State *L)
{
  const hn_state *state = hn_lua_solver_state(L, 1);
  int body = body_at_2(L, state), part = hn_handle_detail(L);
  const hn_pose *pose = &state->pose[body];
  const hn_twist *twist = &state->twist[body];
  const double *const value[] = { pose->x, pose->q, twist->v, twist->w };
  hn_handle_push(L, 3, part == ORIENTATION ? 4 : 3, value[part]);
  return 1;
}

/* (i, v) or (i, v, w): set the velocities, or add to them if the detail is 1. */
static int state_change(lua_State *L)
{
  hn_twist change = { { 0 }, { 0 } };
  hn_state *state = hn_lua_solver_state(L, 1);
  hn_twist *twist = &state->twist[body_at_2(L, state)];
  bool turns = !lua_isnoneornil(L, 4);
  double factor = hn_handle_detail(L);
  hn_handle_read(L, 3, "the velocity", 3, change.v);
  if (turns) hn_handle_read(L, 4, "the angular velocity", 3, change.w);
  for (int i = 0; i < 3; i++) twist->v[i] = factor * twist->v[i] + change.v[i];
  for (int i = 0; i < 3 && turns; i++) twist->w[i] = factor * twist->w[i] + change.w[i];
  return 0;
}

/* (i, x): set the position, or the orientation if the detail is ORIENTATION. */
static int state_place(lua_State *L)
{
  double x[4];
  hn_pose *pose = pose_at_2(L);
  if (hn_handle_detail(L) == POSITION) {
    hn_handle_read(L, 3, "the position", 3, x);
    vec_copy(pose->x, x);
    return 0;
  }
  hn_handle_read(L, 3, "the orientation", 4, x);
  if (!(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3] > 0))
    hn_sandbox_fail(L, "set_orientation: a quaternion (w, x, y, z) must have a length above zero");
  memcpy(pose->q, x, sizeof x);
  quat_normalise(pose->q);
  return 0;
}

/* (i, dx, turn) */
static int state_move(lua_State *L)
{
  double displacement[3], angle[3], turn[4], turned[4];
  hn_pose *pose = pose_at_2(L);
  hn_handle_read(L, 3, "the way", 3, displacement);
  vec_add(pose->x, pose->x, displacement);
  if (lua_isnoneornil(L, 4)) return 0;
  hn_handle_read(L, 4, "the turn", 3, angle);
  turn_by(turn, 1.0, angle);
  quat_mul(turned, turn, pose->q);
  memcpy(pose->q, turned, sizeof turned);
  quat_normalise(pose->q);
  return 0;
}

static int state_time(lua_State *L)
{
  lua_pushnumber(L, hn_lua_solver_state(L, 1)->time);
  return 1;
}

static int state_set_time(lua_State *L)
{
  hn_state *state = hn_lua_solver_state(L, 1);
  const hn_lua_state *handle = lua_touserdata(L, 1);
  const double t = hn_fields_number(L, 2, "set_time", "the time");
  if (state != &handle->own)
    hn_sandbox_fail(L, "set_time: the time of the step's own state is not the solver's: set that of "
                       "a copy");
  state->time = t;
  return 0;
}

/* ---- The handle ------------------------------------------------------------------------------------ */

static const hn_handle_entry state_entries[] = {
  { "copy", state_copy, 0 },
  { "assign", state_assign, 0 },
  { "position", state_get, POSITION },
  { "orientation", state_get, ORIENTATION },
  { "velocity", state_get, VELOCITY },
  { "angular_velocity", state_get, ANGULAR_VELOCITY },
  { "set_velocity", state_change, 0 },
  { "add_velocity", state_change, 1 },
  { "set_position", state_place, POSITION },
  { "set_orientation", state_place, ORIENTATION },
  { "move", state_move, 0 },
  { "time", state_time, 0 },
  { "set_time", state_set_time, 0 },
};

void hn_lua_solver_open_states(lua_State *L)
{
  static const hn_handle_kind states = { HN_STATE_HANDLE, state_entries,
                                         sizeof state_entries / sizeof *state_entries, NULL };
  hn_handle_open(L, &states);
}

hn_lua_state *hn_lua_solver_push_state(lua_State *L)
{
  hn_lua_state *state = lua_newuserdatauv(L, sizeof *state, 0);
  *state = (hn_lua_state){ .at = NULL };
  luaL_setmetatable(L, HN_STATE_HANDLE);
  return state;
}
