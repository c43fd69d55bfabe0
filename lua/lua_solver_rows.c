/* lua_solver_rows.c - the system and states as seen by a solver written in Lua.
 *
 * Each method is a function hn_system_* with checked arguments. Vectors of rows are tables of sys.rows
 * numbers; a body is its number in the scene, 1 to sys.bodies. Methods that return a table accept a table to
 * fill as their last argument, and `flight` a state, so that steps need not create new ones. Using a Jacobian
 * or a factor that this step has not computed is an error, so that no step silently depends on an earlier
 * one. */
#include "lua_solver_rows.h"
#include "fields.h"
#include "lua_handle.h"
#include "lua_solver_stage.h"

static hn_lua_solver *data_of(const hn_solver *solver)
{
  return solver->data;
}

static const hn_model *model_of(const hn_solver *solver)
{
  return solver->system->model;
}

/* ---- Arguments ----------------------------------------------------------------------------------------- */

/* Returns the solver of the system at index 1. Raises an error if this step has no Jacobian. */
static hn_solver *with_jacobian(lua_State *L)
{
  hn_solver *solver = hn_lua_solver_of(L);
  if (!data_of(solver)->has_jacobian)
    hn_sandbox_fail(L, "%s: this step has no Jacobian yet: call sys:jacobian(state) before",
                    hn_handle_name(L));
  return solver;
}

/* ---- States -------------------------------------------------------------------------------------------- */

/* Push a new copy of the state LIKE. */
static hn_state *new_state(lua_State *L, const hn_state *like)
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
  new_state(L, hn_lua_solver_state(L, 1));
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
  int body = hn_lua_solver_body(L, state), part = hn_handle_detail(L);
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
  hn_twist *twist = &state->twist[hn_lua_solver_body(L, state)];
  bool turns = !lua_isnoneornil(L, 4);
  double factor = hn_handle_detail(L);
  hn_handle_read(L, 3, "the velocity", 3, change.v);
  if (turns) hn_handle_read(L, 4, "the angular velocity", 3, change.w);
  for (int i = 0; i < 3; i++) twist->v[i] = factor * twist->v[i] + change.v[i];
  for (int i = 0; i < 3 && turns; i++) twist->w[i] = factor * twist->w[i] + change.w[i];
  return 0;
}

/* ---- Rows ---------------------------------------------------------------------------------------------- */

static int rows_flight(lua_State *L)
{
  hn_solver *solver = hn_lua_solver_of(L);
  const hn_state *from = hn_lua_solver_own_state(L, 2, solver);
  double h = hn_fields_number(L, 3, "flight", "its duration");
  bool given = !lua_isnoneornil(L, 4);
  hn_state *to = given ? hn_lua_solver_own_state(L, 4, solver) : new_state(L, from);
  if (to == from)
    hn_sandbox_fail(L, "flight: it cannot end in the state that it starts from: give another one");
  if (given) lua_settop(L, 4);
  hn_system_flight(solver->system, from, h, to);
  return 1;
}

/* (state, table to fill) -> g, and its largest norm over one joint. Failures report this norm. */
static int rows_residual(lua_State *L)
{
  hn_solver *solver = hn_lua_solver_of(L);
  const hn_state *state = hn_lua_solver_own_state(L, 2, solver);
  solver->report.residual = hn_system_residual(solver->system, state, &data_of(solver)->worst);
  hn_handle_push(L, 3, model_of(solver)->nrow, solver->system->g);
  lua_pushnumber(L, solver->report.residual);
  return 2;
}

static int rows_jacobian(lua_State *L)
{
  hn_solver *solver = hn_lua_solver_of(L);
  hn_system_jacobian(solver->system, hn_lua_solver_own_state(L, 2, solver));
  data_of(solver)->has_jacobian = true;
  data_of(solver)->has_factor = false;
  return 0;
}

static int rows_factor(lua_State *L)
{
  hn_solver *solver = with_jacobian(L);
  hn_reason reason = hn_system_factor(solver->system);
  data_of(solver)->has_factor = reason == HN_CONVERGED;
  lua_pushstring(L, hn_reason_name(reason));
  return 1;
}

/* (right side, table to fill) -> p, or nil and a reason. */
static int rows_solve(lua_State *L)
{
  hn_solver *solver = hn_lua_solver_of(L);
  double *rows = data_of(solver)->rows;
  if (!data_of(solver)->has_factor)
    hn_sandbox_fail(L, "solve: this step has no factor of K: call sys:factor() before");
  hn_handle_read(L, 2, "the right side", model_of(solver)->nrow, rows);
  hn_reason reason = hn_system_solve(solver->system, rows, rows);
  if (reason == HN_CONVERGED) hn_handle_push(L, 3, model_of(solver)->nrow, rows);
  else lua_pushnil(L);
  lua_pushstring(L, hn_reason_name(reason));
  return 2;
}

/* (state, p, scale): change velocities, or poses if the detail is 1. */
static int rows_change(lua_State *L)
{
  hn_solver *solver = with_jacobian(L);
  hn_lua_solver *d = data_of(solver);
  hn_state *state = hn_lua_solver_own_state(L, 2, solver);
  hn_handle_read(L, 3, "p", model_of(solver)->nrow, d->rows);
  double scale = hn_handle_scale(L, 4);
  if (hn_handle_detail(L)) hn_system_displace(solver->system, d->rows, scale, d->scratch, state);
  else hn_system_apply(solver->system, d->rows, scale, state);
  return 0;
}

/* (state, scale): apply forces, u += s W f(state). */
static int rows_kick(lua_State *L)
{
  hn_solver *solver = hn_lua_solver_of(L);
  hn_state *state = hn_lua_solver_own_state(L, 2, solver);
  hn_system_kick(solver->system, state, hn_handle_scale(L, 3), state->twist);
  return 0;
}

static int rows_velocity_residual(lua_State *L)
{
  hn_solver *solver = with_jacobian(L);
  double *rows = data_of(solver)->rows;
  const hn_state *state = hn_lua_solver_own_state(L, 2, solver);
  double norm = hn_system_velocity_residual(solver->system, state, rows, NULL);
  hn_handle_push(L, 3, model_of(solver)->nrow, rows);
  lua_pushnumber(L, norm);
  return 2;
}

/* (state, table to fill) -> G a + gamma, the second derivative of g without impulses, for K lambda = -(G a +
 * gamma). */
static int rows_acceleration_residual(lua_State *L)
{
  hn_solver *solver = with_jacobian(L);
  hn_lua_solver *d = data_of(solver);
  hn_system *system = solver->system;
  const hn_state *state = hn_lua_solver_own_state(L, 2, solver);
  hn_system_gamma(system, state);
  hn_system_free_acceleration(system, state, d->scratch->twist);
  hn_system_velocity_residual(system, d->scratch, d->rows, NULL);
  for (int i = 0; i < system->model->nrow; i++) d->rows[i] += system->gamma[i] - system->bias[i];
  hn_handle_push(L, 3, system->model->nrow, d->rows);
  return 1;
}

/* (state, table to fill) -> accelerations of the bodies without joints, body i at [i]. */
static int rows_free_acceleration(lua_State *L)
{
  hn_solver *solver = hn_lua_solver_of(L);
  hn_state *scratch = data_of(solver)->scratch;
  hn_system_free_acceleration(solver->system, hn_lua_solver_own_state(L, 2, solver), scratch->twist);
  hn_lua_solver_push_twists(L, 3, scratch);
  return 1;
}

/* (lambda, scale): report the joint forces at the end of this step. They are discarded if the step fails. */
static int rows_joint_forces(lua_State *L)
{
  hn_solver *solver = hn_lua_solver_of(L);
  hn_lua_solver *d = data_of(solver);
  if (!(solver->type->capabilities & HN_HAS_MULTIPLIERS))
    hn_sandbox_fail(
      L, "joint_forces: the solver must say that it reports them: scene.solver { joint_forces = true, "
         "... }");
  hn_handle_read(L, 2, "lambda", model_of(solver)->nrow, d->forces);
  double scale = hn_handle_scale(L, 3);
  for (int i = 0; i < model_of(solver)->nrow; i++) d->forces[i] *= scale;
  d->has_forces = true;
  return 0;
}

/* ---- Handles ------------------------------------------------------------------------------------------- */

static const hn_handle_entry state_entries[] = {
  { "copy", state_copy, 0 },
  { "assign", state_assign, 0 },
  { "position", state_get, POSITION },
  { "orientation", state_get, ORIENTATION },
  { "velocity", state_get, VELOCITY },
  { "angular_velocity", state_get, ANGULAR_VELOCITY },
  { "set_velocity", state_change, 0 },
  { "add_velocity", state_change, 1 },
  { "set_position", hn_stage_place, HN_PLACE_POSITION },
  { "set_orientation", hn_stage_place, HN_PLACE_ORIENTATION },
  { "move", hn_stage_move, 0 },
  { "time", hn_stage_time, 0 },
  { "set_time", hn_stage_set_time, 0 },
};

enum { ROWS, BODIES, TOLERANCE, ITERATIONS, MEMORY };
static const hn_handle_entry rows_entries[] = {
  { "flight", rows_flight, 0 },
  { "residual", rows_residual, 0 },
  { "jacobian", rows_jacobian, 0 },
  { "factor", rows_factor, 0 },
  { "solve", rows_solve, 0 },
  { "apply", rows_change, 0 },
  { "displace", rows_change, 1 },
  { "kick", rows_kick, 0 },
  { "velocity_residual", rows_velocity_residual, 0 },
  { "acceleration_residual", rows_acceleration_residual, 0 },
  { "free_acceleration", rows_free_acceleration, 0 },
  { "acceleration", hn_stage_acceleration, 0 },
  { "project", hn_stage_project, 0 },
  { "joint_forces", rows_joint_forces, 0 },
  { "rows", NULL, ROWS },
  { "bodies", NULL, BODIES },
  { "tolerance", NULL, TOLERANCE },
  { "iterations", NULL, ITERATIONS },
  { "memory", NULL, MEMORY },
};

/* Push the table sys.memory of the system at index 1; creates it at the first request. */
static int push_memory(lua_State *L)
{
  if (lua_getiuservalue(L, 1, 1) == LUA_TTABLE) return 1;
  lua_newtable(L);
  lua_pushvalue(L, -1);
  lua_setiuservalue(L, 1, 1);
  return 1;
}

static int push_value(lua_State *L, int which)
{
  const hn_solver *solver = ((const hn_lua_rows *)lua_touserdata(L, 1))->solver;
  if (!solver) hn_sandbox_fail(L, "the system is of a run that is over");
  switch (which) {
  case ROWS: lua_pushinteger(L, model_of(solver)->nrow); break;
  case BODIES: lua_pushinteger(L, model_of(solver)->nbody - 1); break;
  case TOLERANCE: lua_pushnumber(L, data_of(solver)->tolerance); break;
  case ITERATIONS: lua_pushinteger(L, data_of(solver)->iterations); break;
  default: return push_memory(L);
  }
  return 1;
}

void hn_lua_solver_open(lua_State *L)
{
  static const hn_handle_kind states = { HN_STATE_HANDLE, state_entries,
                                         sizeof state_entries / sizeof *state_entries, NULL };
  static const hn_handle_kind systems = { HN_ROWS_HANDLE, rows_entries,
                                          sizeof rows_entries / sizeof *rows_entries, push_value };
  hn_handle_open(L, &states);
  hn_handle_open(L, &systems);
}

hn_lua_rows *hn_lua_solver_push_system(lua_State *L, hn_solver *solver)
{
  hn_lua_rows *rows = lua_newuserdatauv(L, sizeof *rows, 1);
  rows->solver = solver;
  luaL_setmetatable(L, HN_ROWS_HANDLE);
  return rows;
}

void hn_lua_solver_forget(lua_State *L)
{
  lua_pushnil(L);
  lua_setiuservalue(L, -2, 1);
}

hn_lua_state *hn_lua_solver_push_state(lua_State *L)
{
  hn_lua_state *state = lua_newuserdatauv(L, sizeof *state, 0);
  *state = (hn_lua_state){ .at = NULL };
  luaL_setmetatable(L, HN_STATE_HANDLE);
  return state;
}
