/* lua_solver_rows.c - the system as seen by a solver written in Lua.
 *
 * Each method is a function hn_system_* with checked arguments. Vectors of rows are tables of sys.rows
 * numbers. Methods that return a table accept a table to fill as their last argument, and `flight` a
 * state, so that steps need not create new ones. Using a Jacobian or a factor that this step has not
 * computed is an error, so that no step silently depends on an earlier one.
 *
 *   sys:acceleration   a = a_0 + W G' lambda,  K lambda = -(G a_0 + gamma)      a_0: without joints
 *   sys:project        u += W G' p,            K p = -(G u + bias)
 *
 * Both evaluate the Jacobian and factor K at their state, as sys:jacobian and sys:factor do. Later calls
 * in the step use this Jacobian and factor. */
#include "lua_solver_data.h"
#include "fields.h"
#include "lua_handle.h"

static hn_lua_solver *data_of(const hn_solver *solver)
{
  return solver->data;
}

static const hn_model *model_of(const hn_solver *solver)
{
  return solver->system->model;
}

/* ---- Arguments ------------------------------------------------------------------------------------- */

/* Returns the solver of the system at index 1. */
static hn_solver *solver_at_1(lua_State *L)
{
  const char *name = hn_handle_name(L);
  const hn_lua_rows *rows = luaL_testudata(L, 1, HN_ROWS_HANDLE);
  if (!rows) hn_sandbox_fail(L, "%s: call it on the system of a step, with a colon: sys:%s(...)", name, name);
  if (!rows->solver) hn_sandbox_fail(L, "%s: the system is of a run that is over", name);
  return rows->solver;
}

/* Returns the solver of the system at index 1. Raises an error if this step has no Jacobian. */
static hn_solver *with_jacobian(lua_State *L)
{
  hn_solver *solver = solver_at_1(L);
  if (!data_of(solver)->has_jacobian)
    hn_sandbox_fail(L, "%s: this step has no Jacobian yet: call sys:jacobian(state) before",
                    hn_handle_name(L));
  return solver;
}

/* Push the twists of OF as { { v =, w = }, ... }, into the table at INDEX or into a new one. */
static void push_twists(lua_State *L, int index, const hn_state *of)
{
  const int count = of->nbody - 1;
  hn_handle_push_table(L, index, count, true);
  for (int i = 1; i <= count; i++) {
    if (lua_rawgeti(L, -1, i) != LUA_TTABLE) {
      lua_pop(L, 1);
      lua_createtable(L, 0, 2);
      lua_pushvalue(L, -1);
      lua_rawseti(L, -3, i);
    }
    hn_handle_store_vector(L, "v", of->twist[i].v);
    hn_handle_store_vector(L, "w", of->twist[i].w);
    lua_pop(L, 1);
  }
}

/* ---- Rows ------------------------------------------------------------------------------------------ */

static int rows_flight(lua_State *L)
{
  hn_solver *solver = solver_at_1(L);
  const hn_state *from = hn_lua_solver_own_state(L, 2, solver);
  double h = hn_fields_number(L, 3, "flight", "its duration");
  bool given = !lua_isnoneornil(L, 4);
  hn_state *to = given ? hn_lua_solver_own_state(L, 4, solver) : hn_lua_solver_new_state(L, from);
  if (to == from)
    hn_sandbox_fail(L, "flight: it cannot end in the state that it starts from: give another one");
  if (given) lua_settop(L, 4);
  hn_system_flight(solver->system, from, h, to);
  return 1;
}

/* (state, table to fill) -> g, and its largest norm over one joint. Failures report this norm. */
static int rows_residual(lua_State *L)
{
  hn_solver *solver = solver_at_1(L);
  const hn_state *state = hn_lua_solver_own_state(L, 2, solver);
  solver->report.residual = hn_system_residual(solver->system, state, &data_of(solver)->worst);
  hn_handle_push(L, 3, model_of(solver)->nrow, solver->system->g);
  lua_pushnumber(L, solver->report.residual);
  return 2;
}

static void evaluate_jacobian(hn_solver *solver, const hn_state *state)
{
  hn_system_jacobian(solver->system, state);
  data_of(solver)->has_jacobian = true;
  data_of(solver)->has_factor = false;
}

static int rows_jacobian(lua_State *L)
{
  hn_solver *solver = solver_at_1(L);
  evaluate_jacobian(solver, hn_lua_solver_own_state(L, 2, solver));
  return 0;
}

static hn_reason factor(hn_solver *solver)
{
  const hn_reason reason = hn_system_factor(solver->system);
  data_of(solver)->has_factor = reason == HN_CONVERGED;
  return reason;
}

static int rows_factor(lua_State *L)
{
  lua_pushstring(L, hn_reason_name(factor(with_jacobian(L))));
  return 1;
}

/* (right side, table to fill) -> p, or nil and a reason. */
static int rows_solve(lua_State *L)
{
  hn_solver *solver = solver_at_1(L);
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
  hn_solver *solver = solver_at_1(L);
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

/* Store G a + gamma of STATE in the scratch rows, with the accelerations a of the bodies without joints in
 * the scratch state. */
static void find_acceleration_residual(const hn_solver *solver, const hn_state *state)
{
  hn_lua_solver *d = data_of(solver);
  hn_system *system = solver->system;
  hn_system_gamma(system, state);
  hn_system_free_acceleration(system, state, d->scratch->twist);
  hn_system_velocity_residual(system, d->scratch, d->rows, NULL);
  for (int i = 0; i < system->model->nrow; i++) d->rows[i] += system->gamma[i] - system->bias[i];
}

/* (state, table to fill) -> G a + gamma, the second derivative of g without impulses, for K lambda = -(G a +
 * gamma). */
static int rows_acceleration_residual(lua_State *L)
{
  hn_solver *solver = with_jacobian(L);
  find_acceleration_residual(solver, hn_lua_solver_own_state(L, 2, solver));
  hn_handle_push(L, 3, model_of(solver)->nrow, data_of(solver)->rows);
  return 1;
}

/* (state, table to fill) -> accelerations of the bodies without joints, body i at [i]. */
static int rows_free_acceleration(lua_State *L)
{
  hn_solver *solver = solver_at_1(L);
  hn_state *scratch = data_of(solver)->scratch;
  hn_system_free_acceleration(solver->system, hn_lua_solver_own_state(L, 2, solver), scratch->twist);
  push_twists(L, 3, scratch);
  return 1;
}

/* (lambda, scale): report the joint forces at the end of this step. They are discarded if the step fails. */
static int rows_joint_forces(lua_State *L)
{
  hn_solver *solver = solver_at_1(L);
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

/* ---- Accelerations and velocities that satisfy the joints ------------------------------------------ */

/* Evaluate the Jacobian at STATE and factor K. Returns HN_CONVERGED, or the reason why there is no factor. */
static hn_reason factor_at(hn_solver *solver, const hn_state *state)
{
  evaluate_jacobian(solver, state);
  return model_of(solver)->nrow == 0 ? HN_CONVERGED : factor(solver);
}

/* Remove the violation RATES of the rows from the twists of STATE: K p = -rates, twist += W G' p. Overwrites
 * RATES with -p. */
static hn_reason remove_violation(hn_solver *solver, double *rates, hn_state *at)
{
  if (solver->system->model->nrow == 0) return HN_CONVERGED;
  hn_reason reason = hn_system_solve(solver->system, rates, rates);
  if (reason == HN_CONVERGED) hn_system_apply(solver->system, rates, -1.0, at);
  return reason;
}

/* (state, table to fill, table to fill) -> { { v =, w = }, ... } or nil, and the reason. The last table
 * receives lambda. */
static int rows_acceleration(lua_State *L)
{
  hn_solver *solver = solver_at_1(L);
  hn_lua_solver *d = data_of(solver);
  const hn_state *state = hn_lua_solver_own_state(L, 2, solver);
  const int n = model_of(solver)->nrow;
  hn_reason reason = factor_at(solver, state);
  if (reason == HN_CONVERGED) {
    find_acceleration_residual(solver, state);
    reason = remove_violation(solver, d->rows, d->scratch);
  }
  lua_settop(L, 4);
  if (reason == HN_CONVERGED) push_twists(L, 3, d->scratch);
  else lua_pushnil(L);
  lua_pushstring(L, hn_reason_name(reason));
  for (int i = 0; i < n; i++) d->rows[i] = -d->rows[i];
  if (lua_isnoneornil(L, 4) || reason != HN_CONVERGED) return 2;
  hn_handle_push(L, 4, n, d->rows);
  lua_pop(L, 1);
  return 2;
}

/* (state) -> reason. Projects the velocities of the state onto the joints. */
static int rows_project(lua_State *L)
{
  hn_solver *solver = solver_at_1(L);
  hn_lua_solver *d = data_of(solver);
  hn_state *state = hn_lua_solver_own_state(L, 2, solver);
  hn_reason reason = factor_at(solver, state);
  if (reason == HN_CONVERGED) {
    hn_system_velocity_residual(solver->system, state, d->rows, NULL);
    reason = remove_violation(solver, d->rows, state);
  }
  lua_pushstring(L, hn_reason_name(reason));
  return 1;
}

/* ---- The handle ------------------------------------------------------------------------------------ */

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
  { "acceleration", rows_acceleration, 0 },
  { "project", rows_project, 0 },
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
  static const hn_handle_kind systems = { HN_ROWS_HANDLE, rows_entries,
                                          sizeof rows_entries / sizeof *rows_entries, push_value };
  hn_lua_solver_open_states(L);
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
