/* lua_solver.c - solvers written in Lua, for prototyping: scene.solver { name =, order =, step =
 * function(sys, state, h) }.
 *
 * A solver belongs to the scene that declares it, whose model knows it by name. Its step runs in the
 * interpreter of that scene, under the same limits for each step. An error ends the step as "unsupported",
 * with its text. Between steps, its code may keep values in sys.memory, which a reset empties, or in
 * variables of its own, which all instances share and which its function `reset` must clear. The binding
 * allocates no memory in a step whose code supplies the tables and states to fill. Tables, closures and
 * strings that the code creates come from Lua's allocator, which steps of other solvers never call. */
#include "declare.h"
#include "fields.h"
#include "lua_solver_data.h"
#include "registry/solver_registry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A declared solver; the scene lists its type. */
typedef struct hn_declared_solver {
  hn_solver_type type;
  hn_scene_lua *lua;
  int step, reset;   /* registry indices of its functions; LUA_NOREF if absent */
  int line;          /* of its declaration */
  bool takes_forces; /* supports forces other than gravity */
  char *name, *summary;
  struct hn_declared_solver *next;
} hn_declared_solver;

static const hn_param params[] = {
  { "tolerance", HN_REAL, offsetof(hn_lua_solver, tolerance), "1e-9", 1e-16, 1, "m, rad", NULL,
    "sys.tolerance, for the code of the solver" },
  { "iterations", HN_INTEGER, offsetof(hn_lua_solver, iterations), "50", 1, 1e6, "", NULL,
    "sys.iterations, for the code of the solver" },
  HN_FLIGHT_PARAMS(hn_lua_solver, flight, "exact"),
  HN_LINEAR_PARAMS(hn_lua_solver, linear),
  { .key = NULL },
};

static const hn_declared_solver *solver_of(const hn_solver *solver)
{
  return solver->type->user;
}

/* ---- Instances ----------------------------------------------------------------------------------------- */

/* Call FUNCTION in the interpreter of the scene. */
static int call(hn_solver *solver, lua_CFunction function, void *argument, hn_error *error)
{
  hn_sandbox *box = &solver_of(solver)->lua->box;
  box->fallback_line = solver_of(solver)->line;
  return hn_sandbox_call(box, function, argument, error);
}

/* Create the handles { system, state } in the registry, where they live until the instance is freed. */
static int make_handles(lua_State *L)
{
  hn_solver *solver = lua_touserdata(L, 1);
  hn_lua_solver *d = solver->data;
  lua_createtable(L, 2, 0);
  hn_lua_rows *system = hn_lua_solver_push_system(L, solver);
  lua_rawseti(L, -2, 1);
  hn_lua_state *state = hn_lua_solver_push_state(L);
  lua_rawseti(L, -2, 2);
  d->handles = luaL_ref(L, LUA_REGISTRYINDEX);
  d->system = system, d->state = state;
  return 0;
}

static int setup(hn_solver *solver, hn_error *error)
{
  hn_lua_solver *d = solver->data;
  const hn_model *model = solver->system->model;
  d->handles = LUA_NOREF;
  d->worst = -1;
  d->scratch = hn_state_create(model);
  d->rows = calloc((size_t)model->nrow + 1, sizeof *d->rows);
  d->forces = calloc((size_t)model->nrow + 1, sizeof *d->forces);
  if (!d->scratch || !d->rows || !d->forces) return hn_fail(error, "out of memory");
  if (model->nforce > 0 && !solver_of(solver)->takes_forces)
    return hn_fail(error,
                   "%s takes no forces beside gravity, and the scene has %d; one that does, with sys:kick or "
                   "sys:free_acceleration, says so: scene.solver { forces = true, ... }",
                   solver->type->name, model->nforce);
  if (hn_system_use_flight(solver->system, &d->flight, error)) return -1;
  if (hn_system_use_linear(solver->system, &d->linear, error)) return -1;
  return call(solver, make_handles, solver, error);
}

/* The code may have kept its handles, which are therefore invalidated. */
static void destroy(hn_solver *solver)
{
  hn_lua_solver *d = solver->data;
  if (d->system) {
    d->system->solver = NULL;
    luaL_unref(solver_of(solver)->lua->box.L, LUA_REGISTRYINDEX, d->handles);
  }
  hn_state_free(d->scratch);
  free(d->rows);
  free(d->forces);
}

static int call_reset(lua_State *L)
{
  const hn_solver *solver = lua_touserdata(L, 1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, solver_of(solver)->reset);
  lua_call(L, 0, 0);
  return 0;
}

static void forget_memory(const hn_solver *solver)
{
  lua_State *L = solver_of(solver)->lua->box.L;
  lua_rawgeti(L, LUA_REGISTRYINDEX, ((const hn_lua_solver *)solver->data)->handles);
  lua_rawgeti(L, -1, 1);
  hn_lua_solver_forget(L);
  lua_settop(L, 0);
}

static void reset(hn_solver *solver)
{
  hn_lua_solver *d = solver->data;
  hn_error error;
  forget_memory(solver);
  if (solver_of(solver)->reset == LUA_NOREF) return;
  d->broken[0] = '\0';
  if (call(solver, call_reset, solver, &error))
    snprintf(d->broken, sizeof d->broken, "Lua: %.500s", error.text);
}

/* ---- A step -------------------------------------------------------------------------------------------- */

typedef struct one_step {
  hn_solver *solver;
  hn_state *state;
  double h;
  hn_reason reason;
} one_step;

/* Returns the reason at INDEX, given by name, with which a step ends. */
static hn_reason read_reason(lua_State *L, int index)
{
  if (lua_isnil(L, index))
    hn_sandbox_fail(L, "step returns nothing: it must return \"converged\" or why it failed");
  if (lua_type(L, index) != LUA_TSTRING)
    hn_sandbox_fail(L, "step returns a %s: it must return \"converged\" or why it failed",
                    luaL_typename(L, index));
  return hn_fields_reason(L, "step", lua_tostring(L, index),
                          1U << HN_CONVERGED | 1U << HN_STALLED | 1U << HN_SINGULAR | 1U << HN_NOT_FINITE |
                            1U << HN_UNSUPPORTED);
}

/* Raise an error if a solver that declares joint forces has reported none in a step that succeeded. */
static void check_forces(lua_State *L, const one_step *call_of_step)
{
  const hn_lua_solver *d = call_of_step->solver->data;
  bool must = call_of_step->solver->type->capabilities & HN_HAS_MULTIPLIERS &&
              call_of_step->solver->system->model->nrow > 0;
  if (call_of_step->reason == HN_CONVERGED && must && !d->has_forces)
    hn_sandbox_fail(
      L, "step: the solver reports joint forces (joint_forces = true), but this step has not called "
         "sys:joint_forces(lambda)");
}

/* Call step(sys, state, h) -> reason, iterations, stage; the last two are optional. */
static int call_step(lua_State *L)
{
  enum { HANDLES = 2, REASON, ITERATIONS, STAGE };
  one_step *call_of_step = lua_touserdata(L, 1);
  hn_report *report = &call_of_step->solver->report;
  hn_lua_solver *d = call_of_step->solver->data;
  lua_rawgeti(L, LUA_REGISTRYINDEX, d->handles);
  lua_rawgeti(L, LUA_REGISTRYINDEX, solver_of(call_of_step->solver)->step);
  lua_rawgeti(L, HANDLES, 1);
  lua_rawgeti(L, HANDLES, 2);
  lua_pushnumber(L, call_of_step->h);
  lua_call(L, 3, 3);
  call_of_step->reason = read_reason(L, REASON);
  check_forces(L, call_of_step);
  if (!lua_isnil(L, ITERATIONS)) {
    if (!lua_isinteger(L, ITERATIONS) || lua_tointeger(L, ITERATIONS) < 0 ||
        lua_tointeger(L, ITERATIONS) > INT32_MAX)
      hn_sandbox_fail(L, "step: its second value is the number of iterations, an integer from 0");
    report->position_iterations = (int)lua_tointeger(L, ITERATIONS);
  }
  if (!lua_isnil(L, STAGE) && lua_type(L, STAGE) != LUA_TSTRING)
    hn_sandbox_fail(L, "step: its third value says in words what failed, and is not a %s",
                    luaL_typename(L, STAGE));
  snprintf(d->message, sizeof d->message, "%.500s", lua_isnil(L, STAGE) ? "step" : lua_tostring(L, STAGE));
  for (char *c = d->message; *c; c++)
    if ((unsigned char)*c < ' ') *c = ' ';
  return 0;
}

static hn_reason step(hn_solver *solver, hn_state *state, double h)
{
  hn_lua_solver *d = solver->data;
  hn_error error;
  one_step call_of_step = { .solver = solver, .state = state, .h = h };
  solver->report.stage = d->message;
  if (d->broken[0]) {
    memcpy(d->message, d->broken, sizeof d->message);
    return HN_UNSUPPORTED;
  }
  d->has_jacobian = d->has_factor = d->has_forces = false;
  d->worst = -1;
  d->state->at = state;
  int failed = call(solver, call_step, &call_of_step, &error);
  d->state->at = NULL;
  if (failed) {
    const volatile sig_atomic_t *stop = solver_of(solver)->lua->box.stop;
    snprintf(d->message, sizeof d->message, "Lua: %.500s", error.text);
    return stop && *stop ? HN_INTERRUPTED : HN_UNSUPPORTED;
  }
  if (call_of_step.reason == HN_STALLED) solver->report.joint = d->worst;
  if (call_of_step.reason == HN_CONVERGED && d->has_forces)
    memcpy(solver->multipliers, d->forces, sizeof *d->forces * (size_t)solver->system->model->nrow);
  return call_of_step.reason;
}

/* ---- The declaration ----------------------------------------------------------------------------------- */

typedef struct solver_input {
  const char *name, *summary;
  double order;
  bool redundant, joint_forces, forces;
} solver_input;

enum {
  NAME,
  ORDER,
  STEP,
  SUMMARY,
  REDUNDANT,
  JOINT_FORCES,
  FORCES,
  RESET,
  NFIELD,
  MAX_NAME = 60,
  MAX_ORDER = 30
};
static const hn_field fields[NFIELD] = {
  [NAME] = { "name", HN_FIELD_TEXT, offsetof(solver_input, name), 0, 0, true },
  [ORDER] = { "order", HN_FIELD_NUMBER, offsetof(solver_input, order), 1, 0, true },
  [STEP] = { "step", HN_FIELD_OTHER, 0, 0, 0, true },
  [SUMMARY] = { "summary", HN_FIELD_TEXT, offsetof(solver_input, summary), 0, 0, false },
  [REDUNDANT] = { "redundant", HN_FIELD_FLAG, offsetof(solver_input, redundant), 0, 0, false },
  [JOINT_FORCES] = { "joint_forces", HN_FIELD_FLAG, offsetof(solver_input, joint_forces), 0, 0, false },
  [FORCES] = { "forces", HN_FIELD_FLAG, offsetof(solver_input, forces), 0, 0, false },
  [RESET] = { "reset", HN_FIELD_OTHER, 0, 0, 0, false },
};

static void check_input(lua_State *L, const solver_input *in)
{
  if (strlen(in->name) > MAX_NAME || !hn_type_name_valid(in->name))
    hn_sandbox_fail(L,
                    "solver \"%.60s\": its name must have at most %d characters, none of \":=,/\" or a space",
                    in->name, MAX_NAME);
  if (!(in->order >= 1 && in->order <= MAX_ORDER) || in->order != (int)in->order)
    hn_sandbox_fail(L, "solver \"%s\": its order must be a whole number from 1 to %d, not %g", in->name,
                    MAX_ORDER, in->order);
}

/* Returns a registry index of the function KEY of the table at index 1, LUA_NOREF if it is absent. */
static int reference_function(lua_State *L, const char *solver, const char *key)
{
  lua_pushstring(L, key);
  int type = lua_rawget(L, 1);
  if (type == LUA_TNIL) {
    lua_pop(L, 1);
    return LUA_NOREF;
  }
  if (type != LUA_TFUNCTION)
    hn_sandbox_fail(L, "solver \"%s\": %s must be a function, not a %s", solver, key, lua_typename(L, type));
  return luaL_ref(L, LUA_REGISTRYINDEX);
}

static void fill_type(hn_declared_solver *declared, const solver_input *in)
{
  unsigned extra = (in->redundant ? HN_CAN_REDUNDANT : 0U) | (in->joint_forces ? HN_HAS_MULTIPLIERS : 0U) |
                   (in->forces ? HN_CAN_COMPLIANT : 0U);
  declared->type = (hn_solver_type){
    .abi = HN_ABI,
    .name = declared->name,
    .summary = declared->summary,
    .citation = "the scene that declares it",
    .capabilities = HN_CAN_BILATERAL | extra,
    .order = (int)in->order,
    .data_size = sizeof(hn_lua_solver),
    .params = params,
    .setup = setup,
    .step = step,
    .reset = reset,
    .free = destroy,
    .user = declared,
  };
}

int hn_lua_solver_declare(lua_State *L)
{
  hn_scene_lua *lua = hn_registry_of(L);
  solver_input in = { .summary = "a solver written in Lua" };
  hn_registry_check_incomplete(L, "solver");
  if (lua_type(L, 1) != LUA_TTABLE || lua_gettop(L) > 1)
    hn_sandbox_fail(
      L, "solver takes one table: scene.solver { name =, order =, step = function(sys, state, h) ... }");
  hn_fields_read(L, 1, "solver", fields, NFIELD, &in);
  check_input(L, &in);
  hn_sandbox_hold(L, sizeof(hn_declared_solver));
  hn_declared_solver *declared = calloc(1, sizeof *declared);
  if (!declared) hn_sandbox_fail(L, "out of memory");
  declared->next = lua->solvers; /* from here on it is freed with the scene */
  lua->solvers = declared;
  declared->lua = lua;
  declared->line = hn_sandbox_line(L);
  declared->name = hn_sandbox_copy(L, in.name);
  declared->summary = hn_sandbox_copy(L, in.summary);
  declared->takes_forces = in.forces;
  declared->step = reference_function(L, declared->name, "step");
  declared->reset = reference_function(L, declared->name, "reset");
  fill_type(declared, &in);
  if (!lua->again && hn_solver_type_find(declared->name, lua->scene->own_solvers, NULL))
    hn_sandbox_fail(L, "solver \"%s\": there is a solver of that name already; choose another name",
                    declared->name);
  const hn_solver_type **type = hn_declare_append(L, &lua->scene->own_solvers, &lua->scene->nown_solvers,
                                                  sizeof *type);
  *type = &declared->type;
  return 0;
}

void hn_lua_solvers_free(hn_scene_lua *lua)
{
  while (lua->solvers) {
    hn_declared_solver *declared = lua->solvers;
    lua->solvers = declared->next;
    free(declared->name);
    free(declared->summary);
    free(declared);
  }
  free(lua->scene->own_solvers);
  lua->scene->own_solvers = NULL;
}
