/* lua_solver_stage.c - methods for the stages of a Runge-Kutta method written in Lua.
 *
 *   sys:acceleration   a = a_0 + W G' lambda,  K lambda = -(G a_0 + gamma)      a_0: without joints
 *   sys:project        u += W G' p,            K p = -(G u + bias)
 *
 * Both evaluate the Jacobian and factor K at their state, as sys:jacobian and sys:factor do. Later calls in
 * the step use this Jacobian and factor. */
#include "lua_solver_stage.h"
#include "fields.h"
#include "lua_handle.h"
#include "base/turn.h"

#include <math.h>

/* ---- States -------------------------------------------------------------------------------------------- */

int hn_stage_place(lua_State *L)
{
  double x[4];
  hn_pose *pose = &hn_lua_solver_state(L, 1)->pose[hn_lua_solver_body(L, hn_lua_solver_state(L, 1))];
  if (hn_handle_detail(L) == HN_PLACE_POSITION) {
    hn_handle_read(L, 3, "the position", 3, x);
    vec_copy(pose->x, x);
    return 0;
  }
  hn_handle_read(L, 3, "the orientation", 4, x);
  if (!(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3] > 0))
    hn_sandbox_fail(L, "set_orientation: a quaternion (w, x, y, z) must have a length above zero");
  for (int i = 0; i < 4; i++) pose->q[i] = x[i];
  quat_normalise(pose->q);
  return 0;
}

int hn_stage_move(lua_State *L)
{
  double displacement[3], angle[3], turn[4], turned[4];
  hn_pose *pose = &hn_lua_solver_state(L, 1)->pose[hn_lua_solver_body(L, hn_lua_solver_state(L, 1))];
  hn_handle_read(L, 3, "the way", 3, displacement);
  vec_add(pose->x, pose->x, displacement);
  if (lua_isnoneornil(L, 4)) return 0;
  hn_handle_read(L, 4, "the turn", 3, angle);
  turn_by(turn, 1.0, angle);
  quat_mul(turned, turn, pose->q);
  for (int i = 0; i < 4; i++) pose->q[i] = turned[i];
  quat_normalise(pose->q);
  return 0;
}

int hn_stage_time(lua_State *L)
{
  lua_pushnumber(L, hn_lua_solver_state(L, 1)->time);
  return 1;
}

int hn_stage_set_time(lua_State *L)
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

/* ---- Accelerations and velocities that satisfy the joints ---------------------------------------------- */

/* Evaluate the Jacobian at STATE and factor K. Returns HN_CONVERGED, or the reason why there is no factor. */
static hn_reason factor_at(hn_solver *solver, const hn_state *state)
{
  hn_lua_solver *d = solver->data;
  hn_system_jacobian(solver->system, state);
  d->has_jacobian = true, d->has_factor = false;
  if (solver->system->model->nrow == 0) return HN_CONVERGED;
  hn_reason reason = hn_system_factor(solver->system);
  d->has_factor = reason == HN_CONVERGED;
  return reason;
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
int hn_stage_acceleration(lua_State *L)
{
  hn_solver *solver = hn_lua_solver_of(L);
  hn_lua_solver *d = solver->data;
  hn_system *system = solver->system;
  const hn_state *state = hn_lua_solver_own_state(L, 2, solver);
  const int n = system->model->nrow;
  hn_reason reason = factor_at(solver, state);
  if (reason == HN_CONVERGED) {
    hn_system_gamma(system, state);
    hn_system_free_acceleration(system, state, d->scratch->twist);
    hn_system_velocity_residual(system, d->scratch, d->rows, NULL);
    for (int i = 0; i < n; i++) d->rows[i] += system->gamma[i] - system->bias[i];
    reason = remove_violation(solver, d->rows, d->scratch);
  }
  lua_settop(L, 4);
  if (reason == HN_CONVERGED) hn_lua_solver_push_twists(L, 3, d->scratch);
  else lua_pushnil(L);
  lua_pushstring(L, hn_reason_name(reason));
  for (int i = 0; i < n; i++) d->rows[i] = -d->rows[i];
  if (lua_isnoneornil(L, 4) || reason != HN_CONVERGED) return 2;
  hn_handle_push(L, 4, n, d->rows);
  lua_pop(L, 1);
  return 2;
}

/* (state) -> reason. Projects the velocities of the state onto the joints. */
int hn_stage_project(lua_State *L)
{
  hn_solver *solver = hn_lua_solver_of(L);
  hn_lua_solver *d = solver->data;
  hn_state *state = hn_lua_solver_own_state(L, 2, solver);
  hn_reason reason = factor_at(solver, state);
  if (reason == HN_CONVERGED) {
    hn_system_velocity_residual(solver->system, state, d->rows, NULL);
    reason = remove_violation(solver, d->rows, state);
  }
  lua_pushstring(L, hn_reason_name(reason));
  return 1;
}
