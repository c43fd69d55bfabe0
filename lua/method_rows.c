/* method_rows.c - what a method written in Lua works with: the rows of the joints, and states.
 *
 * Every function is one of hn_system_*, with its arguments checked. Vectors of rows are tables of sys.rows numbers; a
 * body is its number in the scene, 1 to sys.bodies. What would use a Jacobian or a factor that this step has not made
 * is an error, so that no step depends on an earlier one behind the back of its code. */
#include "method.h"
#include "fields.h"

#include <string.h>

enum { COST_OF_JOINT = 20 }; /* instructions that the work in C for a joint or a body is worth */

static const hn_model *model_of(const hn_solver *solver)
{
  return solver->system->model;
}

/* ---- Arguments --------------------------------------------------------------------------------------------------- */

static hn_solver *solver_at(lua_State *L, const char *name)
{
  const hn_lua_rows *rows = luaL_testudata(L, 1, HN_ROWS_HANDLE);
  if (!rows) hn_sandbox_fail(L, "%s: call it on the system of a step, with a colon: sys:%s(...)", name, name);
  if (!rows->solver) hn_sandbox_fail(L, "%s: the system is of a run that is over", name);
  const hn_model *model = model_of(rows->solver);
  hn_sandbox_charge(L, COST_OF_JOINT * (uint64_t)(model->njoint + model->nbody));
  return rows->solver;
}

static hn_state *state_at(lua_State *L, int index, const char *name)
{
  const hn_lua_state *state = luaL_testudata(L, index, HN_STATE_HANDLE);
  if (!state) hn_sandbox_fail(L, "%s: argument %d must be a state, not a %s", name, index - 1, luaL_typename(L, index));
  if (!state->at) hn_sandbox_fail(L, "%s: the state is of a step that is over; keep a copy: state:copy()", name);
  return state->at;
}

/* A state of the system that is being stepped. */
static hn_state *own_state_at(lua_State *L, int index, const char *name, const hn_solver *solver)
{
  hn_state *state = state_at(L, index, name);
  if (state->nbody != model_of(solver)->nbody)
    hn_sandbox_fail(L, "%s: the state is of %d bodies, but the system has %d", name, state->nbody - 1,
                    model_of(solver)->nbody - 1);
  return state;
}

static double number_at(lua_State *L, int index, const char *name, const char *what)
{
  return hn_fields_number(L, index, name, what);
}

/* COUNT numbers of the table at INDEX; WHAT says which, for messages. They need not be finite: a step that runs away
 * must end with its reason. */
static void read_numbers(lua_State *L, int index, const char *name, const char *what, int count, double *out)
{
  if (!lua_istable(L, index))
    hn_sandbox_fail(L, "%s: %s must be a table of %d numbers, not a %s", name, what, count, luaL_typename(L, index));
  if (lua_rawlen(L, index) != (size_t)count)
    hn_sandbox_fail(L, "%s: %s must have %d numbers, not %d", name, what, count, (int)lua_rawlen(L, index));
  for (int i = 0; i < count; i++) {
    if (lua_rawgeti(L, index, i + 1) != LUA_TNUMBER)
      hn_sandbox_fail(L, "%s: entry %d of %s must be a number, not a %s", name, i + 1, what, luaL_typename(L, -1));
    out[i] = lua_tonumber(L, -1);
    lua_pop(L, 1);
  }
}

static void push_numbers(lua_State *L, int count, const double *value)
{
  lua_createtable(L, count, 0);
  for (int i = 0; i < count; i++) {
    lua_pushnumber(L, value[i]);
    lua_rawseti(L, -2, i + 1);
  }
}

/* ---- States ------------------------------------------------------------------------------------------------------ */

/* A new state like LIKE, on the stack. */
static hn_state *new_state(lua_State *L, const hn_state *like)
{
  size_t n = (size_t)like->nbody;
  hn_lua_state *state = lua_newuserdatauv(L, sizeof *state + n * (sizeof(hn_pose) + sizeof(hn_twist)), 0);
  hn_pose *pose = (hn_pose *)(void *)(state + 1);
  state->own = (hn_state){ .nbody = like->nbody, .pose = pose, .twist = (hn_twist *)(void *)(pose + n) };
  state->at = &state->own;
  hn_state_copy(state->at, like);
  luaL_setmetatable(L, HN_STATE_HANDLE);
  return state->at;
}

static int state_copy(lua_State *L)
{
  new_state(L, state_at(L, 1, "copy"));
  return 1;
}

static int state_assign(lua_State *L)
{
  hn_state *to = state_at(L, 1, "assign");
  const hn_state *from = state_at(L, 2, "assign");
  if (to->nbody != from->nbody)
    hn_sandbox_fail(L, "assign: one state is of %d bodies, the other of %d", to->nbody - 1, from->nbody - 1);
  double time = to->time; /* the framework's */
  if (to != from) hn_state_copy(to, from);
  to->time = time;
  return 0;
}

static int body_at(lua_State *L, const hn_state *state, const char *name)
{
  if (!lua_isinteger(L, 2) || lua_tointeger(L, 2) < 1 || lua_tointeger(L, 2) >= state->nbody)
    hn_sandbox_fail(L, "%s: the first argument is the number of a body, 1 to %d", name, state->nbody - 1);
  return (int)lua_tointeger(L, 2);
}

static int get_position(lua_State *L)
{
  const hn_state *state = state_at(L, 1, "position");
  push_numbers(L, 3, state->pose[body_at(L, state, "position")].x);
  return 1;
}

static int get_orientation(lua_State *L)
{
  const hn_state *state = state_at(L, 1, "orientation");
  push_numbers(L, 4, state->pose[body_at(L, state, "orientation")].q);
  return 1;
}

static int get_velocity(lua_State *L)
{
  const hn_state *state = state_at(L, 1, "velocity");
  push_numbers(L, 3, state->twist[body_at(L, state, "velocity")].v);
  return 1;
}

static int get_angular_velocity(lua_State *L)
{
  const hn_state *state = state_at(L, 1, "angular_velocity");
  push_numbers(L, 3, state->twist[body_at(L, state, "angular_velocity")].w);
  return 1;
}

/* Reads (i, v) or (i, v, w) and stores it, or adds it when KEPT is 1. */
static int change_velocity(lua_State *L, const char *name, double kept)
{
  hn_twist change = { { 0 }, { 0 } };
  hn_state *state = state_at(L, 1, name);
  hn_twist *twist = &state->twist[body_at(L, state, name)];
  bool turns = !lua_isnoneornil(L, 4);
  read_numbers(L, 3, name, "the velocity", 3, change.v);
  if (turns) read_numbers(L, 4, name, "the angular velocity", 3, change.w);
  for (int i = 0; i < 3; i++) twist->v[i] = kept * twist->v[i] + change.v[i];
  for (int i = 0; i < 3 && turns; i++) twist->w[i] = kept * twist->w[i] + change.w[i];
  return 0;
}

static int set_velocity(lua_State *L)
{
  return change_velocity(L, "set_velocity", 0.0);
}

static int add_velocity(lua_State *L)
{
  return change_velocity(L, "add_velocity", 1.0);
}

/* ---- Rows -------------------------------------------------------------------------------------------------------- */

static int rows_flight(lua_State *L)
{
  hn_solver *solver = solver_at(L, "flight");
  const hn_state *from = own_state_at(L, 2, "flight", solver);
  double h = number_at(L, 3, "flight", "its duration");
  hn_state *to = new_state(L, from);
  hn_system_flight(solver->system, from, h, to);
  return 1;
}

/* g and its largest norm over one joint; what a failure is reported with. */
static int rows_residual(lua_State *L)
{
  hn_solver *solver = solver_at(L, "residual");
  hn_lua_solver *d = solver->data;
  const hn_state *state = own_state_at(L, 2, "residual", solver);
  solver->report.residual = hn_system_residual(solver->system, state, &d->worst);
  push_numbers(L, model_of(solver)->nrow, solver->system->g);
  lua_pushnumber(L, solver->report.residual);
  return 2;
}

static int rows_jacobian(lua_State *L)
{
  hn_solver *solver = solver_at(L, "jacobian");
  hn_lua_solver *d = solver->data;
  hn_system_jacobian(solver->system, own_state_at(L, 2, "jacobian", solver));
  d->has_jacobian = true;
  d->has_factor = false;
  return 0;
}

/* The solver, whose step must have made a Jacobian. */
static hn_solver *with_jacobian(lua_State *L, const char *name)
{
  hn_solver *solver = solver_at(L, name);
  if (!((hn_lua_solver *)solver->data)->has_jacobian)
    hn_sandbox_fail(L, "%s: this step has no Jacobian yet: call sys:jacobian(state) before", name);
  return solver;
}

static int rows_factor(lua_State *L)
{
  hn_solver *solver = with_jacobian(L, "factor");
  hn_lua_solver *d = solver->data;
  hn_reason reason = hn_system_factor(solver->system);
  d->has_factor = reason == HN_CONVERGED;
  lua_pushstring(L, hn_reason_name(reason));
  return 1;
}

/* p, or nil and a reason. */
static int rows_solve(lua_State *L)
{
  hn_solver *solver = solver_at(L, "solve");
  hn_lua_solver *d = solver->data;
  if (!d->has_factor) hn_sandbox_fail(L, "solve: this step has no factor of K: call sys:factor() before");
  read_numbers(L, 2, "solve", "the right side", model_of(solver)->nrow, d->rows);
  hn_reason reason = hn_system_solve(solver->system, d->rows, d->rows);
  if (reason == HN_CONVERGED)
    push_numbers(L, model_of(solver)->nrow, d->rows);
  else
    lua_pushnil(L);
  lua_pushstring(L, hn_reason_name(reason));
  return 2;
}

/* The arguments (state, p, scale) of apply and displace; p goes to the rows. */
static hn_solver *read_change(lua_State *L, const char *name, hn_state **state, double *scale)
{
  hn_solver *solver = with_jacobian(L, name);
  *state = own_state_at(L, 2, name, solver);
  read_numbers(L, 3, name, "p", model_of(solver)->nrow, ((hn_lua_solver *)solver->data)->rows);
  *scale = lua_isnoneornil(L, 4) ? 1.0 : number_at(L, 4, name, "the scale");
  return solver;
}

static int rows_apply(lua_State *L)
{
  hn_state *state;
  double scale;
  hn_solver *solver = read_change(L, "apply", &state, &scale);
  hn_system_apply(solver->system, ((hn_lua_solver *)solver->data)->rows, scale, state);
  return 0;
}

static int rows_displace(lua_State *L)
{
  hn_state *state;
  double scale;
  hn_solver *solver = read_change(L, "displace", &state, &scale);
  hn_lua_solver *d = solver->data;
  hn_system_displace(solver->system, d->rows, scale, d->scratch, state);
  return 0;
}

static int rows_velocity_residual(lua_State *L)
{
  hn_solver *solver = with_jacobian(L, "velocity_residual");
  hn_lua_solver *d = solver->data;
  const hn_state *state = own_state_at(L, 2, "velocity_residual", solver);
  double norm = hn_system_velocity_residual(solver->system, state, d->rows, NULL);
  push_numbers(L, model_of(solver)->nrow, d->rows);
  lua_pushnumber(L, norm);
  return 2;
}

/* G a + gamma: the second derivative of g without impulses, for K lambda = -(G a + gamma). */
static int rows_acceleration_residual(lua_State *L)
{
  hn_solver *solver = with_jacobian(L, "acceleration_residual");
  hn_lua_solver *d = solver->data;
  hn_system *system = solver->system;
  const hn_state *state = own_state_at(L, 2, "acceleration_residual", solver);
  hn_system_gamma(system, state);
  hn_system_free_acceleration(system, state, d->scratch->twist);
  hn_system_velocity_residual(system, d->scratch, d->rows, NULL);
  for (int i = 0; i < system->model->nrow; i++) d->rows[i] += system->gamma[i] - system->bias[i];
  push_numbers(L, system->model->nrow, d->rows);
  return 1;
}

/* { { v = , w = }, ... }: body i's at [i]. */
static int rows_free_acceleration(lua_State *L)
{
  hn_solver *solver = solver_at(L, "free_acceleration");
  hn_twist *a = ((hn_lua_solver *)solver->data)->scratch->twist;
  hn_system_free_acceleration(solver->system, own_state_at(L, 2, "free_acceleration", solver), a);
  lua_createtable(L, model_of(solver)->nbody - 1, 0);
  for (int i = 1; i < model_of(solver)->nbody; i++) {
    lua_createtable(L, 0, 2);
    push_numbers(L, 3, a[i].v);
    lua_setfield(L, -2, "v");
    push_numbers(L, 3, a[i].w);
    lua_setfield(L, -2, "w");
    lua_rawseti(L, -2, i);
  }
  return 1;
}

/* ---- Handles ----------------------------------------------------------------------------------------------------- */

static const luaL_Reg state_methods[] = {
  { "copy", state_copy }, { "assign", state_assign }, { "position", get_position }, { "orientation", get_orientation },
  { "velocity", get_velocity }, { "angular_velocity", get_angular_velocity }, { "set_velocity", set_velocity },
  { "add_velocity", add_velocity }, { NULL, NULL },
};

static const luaL_Reg rows_methods[] = {
  { "flight", rows_flight }, { "residual", rows_residual }, { "jacobian", rows_jacobian }, { "factor", rows_factor },
  { "solve", rows_solve }, { "apply", rows_apply }, { "displace", rows_displace },
  { "velocity_residual", rows_velocity_residual }, { "acceleration_residual", rows_acceleration_residual },
  { "free_acceleration", rows_free_acceleration }, { NULL, NULL },
};
static const char *const rows_values[] = { "rows", "bodies", "tolerance", "iterations", NULL };

/* Raises the error for a KEY that is neither a function of METHODS nor one of VALUES. */
static int unknown_key(lua_State *L, const char *what, const luaL_Reg *methods, const char *const *values)
{
  const char *names[32];
  size_t n = 0;
  for (; methods[n].name; n++) names[n] = methods[n].name;
  for (size_t i = 0; values && values[i]; i++) names[n++] = values[i];
  const char *key = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : luaL_typename(L, 2);
  return hn_fields_unknown(L, what, "name", key, names, n);
}

/* state.KEY; upvalue 1 is the table of functions. */
static int state_index(lua_State *L)
{
  lua_settop(L, 2);
  lua_pushvalue(L, 2);
  if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL) return 1;
  return unknown_key(L, "state", state_methods, NULL);
}

/* sys.KEY; upvalue 1 is the table of functions. */
static int rows_index(lua_State *L)
{
  lua_settop(L, 2);
  lua_pushvalue(L, 2);
  if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL) return 1;
  const char *key = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
  const hn_solver *solver = ((hn_lua_rows *)lua_touserdata(L, 1))->solver;
  if (!solver) hn_sandbox_fail(L, "the system is of a run that is over");
  const hn_lua_solver *d = solver->data;
  if (strcmp(key, "rows") == 0) return lua_pushinteger(L, model_of(solver)->nrow), 1;
  if (strcmp(key, "bodies") == 0) return lua_pushinteger(L, model_of(solver)->nbody - 1), 1;
  if (strcmp(key, "tolerance") == 0) return lua_pushnumber(L, d->tolerance), 1;
  if (strcmp(key, "iterations") == 0) return lua_pushinteger(L, d->iterations), 1;
  return unknown_key(L, "method system", rows_methods, rows_values);
}

static void open_handle(lua_State *L, const char *kind, const luaL_Reg *methods, lua_CFunction index)
{
  hn_core_open_kind(L, kind);
  lua_newtable(L);
  luaL_setfuncs(L, methods, 0);
  lua_pushcclosure(L, index, 1);
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
}

void hn_method_open(lua_State *L)
{
  open_handle(L, HN_STATE_HANDLE, state_methods, state_index);
  open_handle(L, HN_ROWS_HANDLE, rows_methods, rows_index);
}

hn_lua_rows *hn_method_push_system(lua_State *L, hn_solver *solver)
{
  hn_lua_rows *rows = lua_newuserdatauv(L, sizeof *rows, 0);
  rows->solver = solver;
  luaL_setmetatable(L, HN_ROWS_HANDLE);
  return rows;
}

hn_lua_state *hn_method_push_state(lua_State *L)
{
  hn_lua_state *state = lua_newuserdatauv(L, sizeof *state, 0);
  *state = (hn_lua_state){ .at = NULL };
  luaL_setmetatable(L, HN_STATE_HANDLE);
  return state;
}
