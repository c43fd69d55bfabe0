/* lua_contact_solver.c - contact solvers written in Lua, for prototyping:
 * scene.contact_solver { name =, solve = function(problem, p) ... end }.
 *
 * One belongs to the scene that declares it, as solvers written in Lua do (lua_solver.c), and serves every solver with the
 * parameter `contact`. Its code runs in the interpreter of that scene, under the same limits for each solution; an
 * error in it ends the solution as "unsupported", with its text. p, a table of the rows' impulses, is the start, and
 * the solution when it returns. */
#include "lua_contact_solver.h"
#include "contact/contact_registry.h"
#include "lua_contact_problem.h"
#include "fields.h"
#include "registry/solver_registry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A declared solver; its type is what the scene lists. */
typedef struct hn_lua_contact {
  hn_contact_type type;
  hn_scene_lua *lua;
  int solve; /* registry index of its function */
  int line;  /* of its declaration */
  char *name, *summary;
  struct hn_lua_contact *next;
} hn_lua_contact;

typedef struct data {
  int handles;                    /* registry index of { problem, p } */
  int filled;                     /* entries of p */
  hn_lua_problem *problem;        /* in the memory of Lua */
  double *numbers;                /* what that points to, in one piece */
  char message[sizeof(hn_error)]; /* why the last solution failed */
} data;

static const hn_param params[] = { { .key = NULL } };

static const hn_lua_contact *declared(const hn_contact_solver *solver)
{
  return solver->type->user;
}

static int call(hn_contact_solver *solver, lua_CFunction function, void *argument, hn_error *error)
{
  hn_sandbox *box = &declared(solver)->lua->box;
  box->fallback_line = declared(solver)->line;
  return hn_sandbox_call(box, function, argument, error);
}

/* ---- A solver ---------------------------------------------------------------------------------------------------- */

static int make_handles(lua_State *L)
{
  hn_contact_solver *solver = lua_touserdata(L, 1);
  data *d = solver->data;
  lua_createtable(L, 2, 0);
  hn_lua_problem *problem = hn_contact_problem_push(L, solver);
  lua_rawseti(L, -2, 1);
  lua_newtable(L);
  lua_rawseti(L, -2, 2);
  d->handles = luaL_ref(L, LUA_REGISTRYINDEX);
  d->problem = problem;
  return 0;
}

static int setup(hn_contact_solver *solver, hn_error *error)
{
  data *d = solver->data;
  const size_t bodies = 6 * (size_t)solver->most.bodies, rows = (size_t)solver->most.rows;
  d->handles = LUA_NOREF;
  d->numbers = calloc(2 * bodies + 2 * rows + 1, sizeof *d->numbers);
  if (!d->numbers) return hn_fail(error, "out of memory");
  if (call(solver, make_handles, solver, error)) return -1;
  hn_lua_problem *problem = d->problem;
  problem->u = d->numbers, problem->work = problem->u + bodies;
  problem->p = problem->work + bodies, problem->v = problem->p + rows;
  return 0;
}

/* The code may have kept its handle: it is told that the run is over. */
static void destroy(hn_contact_solver *solver)
{
  data *d = solver->data;
  if (d->problem) {
    d->problem->at = NULL;
    luaL_unref(declared(solver)->lua->box.L, LUA_REGISTRYINDEX, d->handles);
  }
  free(d->numbers);
}

/* ---- A solution -------------------------------------------------------------------------------------------------- */

typedef struct one_solution {
  hn_contact_solver *solver;
  int rows;
  double *p;
  hn_reason reason;
} one_solution;

static hn_reason read_reason(lua_State *L, int index)
{
  static const hn_reason reasons[] = { HN_CONVERGED, HN_BUDGET,     HN_STALLED,
                                       HN_SINGULAR,  HN_NOT_FINITE, HN_UNSUPPORTED };
  enum { COUNT = sizeof reasons / sizeof *reasons };
  const char *names[COUNT];
  for (size_t i = 0; i < COUNT; i++) names[i] = hn_reason_name(reasons[i]);
  if (lua_type(L, index) != LUA_TSTRING)
    hn_sandbox_fail(L, "solve returns %s%s: it must return \"converged\", \"budget\" or why it failed",
                    lua_isnil(L, index) ? "nothing" : "a ",
                    lua_isnil(L, index) ? "" : luaL_typename(L, index));
  for (size_t i = 0; i < COUNT; i++)
    if (strcmp(lua_tostring(L, index), names[i]) == 0) return reasons[i];
  hn_fields_unknown(L, "solve", "reason", lua_tostring(L, index), names, COUNT);
  return HN_UNSUPPORTED;
}

/* p into the table at INDEX, which has what is left of an earlier, larger problem. */
static void fill(lua_State *L, int index, const one_solution *ask)
{
  data *d = ask->solver->data;
  for (int i = 0; i < ask->rows; i++) {
    lua_pushnumber(L, ask->p[i]);
    lua_rawseti(L, index, i + 1);
  }
  for (int i = ask->rows; i < d->filled; i++) {
    lua_pushnil(L);
    lua_rawseti(L, index, i + 1);
  }
  d->filled = ask->rows;
}

static void take(lua_State *L, int index, const one_solution *ask)
{
  for (int i = 0; i < ask->rows; i++) {
    if (lua_rawgeti(L, index, i + 1) != LUA_TNUMBER)
      hn_sandbox_fail(L, "solve: entry %d of p, the solution, must be a number, not a %s", i + 1,
                      luaL_typename(L, -1));
    ask->p[i] = lua_tonumber(L, -1);
    lua_pop(L, 1);
  }
}

/* Calls solve(problem, p) -> reason. */
static int call_solve(lua_State *L)
{
  enum { HANDLES = 2, P, REASON };
  one_solution *ask = lua_touserdata(L, 1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, ((const data *)ask->solver->data)->handles);
  lua_rawgeti(L, HANDLES, 2);
  fill(L, P, ask);
  lua_rawgeti(L, LUA_REGISTRYINDEX, declared(ask->solver)->solve);
  lua_rawgeti(L, HANDLES, 1);
  lua_pushvalue(L, P);
  lua_call(L, 2, 1);
  ask->reason = read_reason(L, REASON);
  take(L, P, ask);
  return 0;
}

static hn_reason solve(hn_contact_solver *solver, const hn_problem *problem, double *p)
{
  data *d = solver->data;
  hn_error error;
  one_solution ask = { .solver = solver, .rows = problem->nrow, .p = p };
  d->problem->at = problem;
  hn_contact_problem_start(d->problem, p);
  int failed = call(solver, call_solve, &ask, &error);
  d->problem->at = NULL;
  if (!failed) return ask.reason;
  const volatile sig_atomic_t *stop = declared(solver)->lua->box.stop;
  snprintf(d->message, sizeof d->message, "Lua: %.500s", error.text);
  solver->message = d->message;
  return stop && *stop ? HN_INTERRUPTED : HN_UNSUPPORTED;
}

/* ---- The declaration --------------------------------------------------------------------------------------------- */

typedef struct input {
  const char *name, *summary;
  bool relaxed;
} input;

enum { NAME, SOLVE, SUMMARY, RELAXED, NFIELD, MAX_NAME = 60 };
static const hn_field fields[NFIELD] = {
  [NAME] = { "name", HN_FIELD_TEXT, offsetof(input, name), 0, 0, true },
  [SOLVE] = { "solve", HN_FIELD_OTHER, 0, 0, 0, true },
  [SUMMARY] = { "summary", HN_FIELD_TEXT, offsetof(input, summary), 0, 0, false },
  [RELAXED] = { "relaxed", HN_FIELD_FLAG, offsetof(input, relaxed), 0, 0, false },
};

static void check_input(lua_State *L, const input *in)
{
  if (strlen(in->name) > MAX_NAME || !hn_solver_name_valid(in->name))
    hn_sandbox_fail(
      L,
      "contact_solver \"%.60s\": its name must have at most %d characters, none of \":=,/\" or a "
      "space",
      in->name, MAX_NAME);
  lua_pushliteral(L, "solve");
  if (lua_rawget(L, 1) != LUA_TFUNCTION)
    hn_sandbox_fail(L, "contact_solver \"%s\": solve must be a function, not a %s", in->name,
                    luaL_typename(L, -1));
}

/* TYPE at the end of those of SCENE. */
static void list(lua_State *L, hn_scene *scene, const hn_contact_type *type)
{
  const hn_contact_type **grown = realloc(scene->contact_solver,
                                          (scene->ncontact_solver + 2) * sizeof *grown);
  if (!grown) hn_sandbox_fail(L, "out of memory");
  scene->contact_solver = grown;
  scene->contact_solver[scene->ncontact_solver++] = type;
  scene->contact_solver[scene->ncontact_solver] = NULL;
}

static void fill_type(hn_lua_contact *c, const input *in)
{
  c->type = (hn_contact_type){
    .abi = HN_ABI,
    .name = c->name,
    .summary = c->summary,
    .citation = "the scene that declares it",
    .capabilities = HN_CAN_PUSH | HN_CAN_WITHIN | HN_CAN_CONE | (in->relaxed ? HN_SOLVES_RELAXED : 0U),
    .data_size = sizeof(data),
    .params = params,
    .setup = setup,
    .solve = solve,
    .free = destroy,
    .user = c,
  };
}

int hn_contact_solver_declare(lua_State *L)
{
  hn_scene_lua *lua = hn_registry_of(L);
  input in = { .summary = "a solver written in Lua" };
  hn_registry_check_incomplete(L, "contact_solver");
  if (lua_type(L, 1) != LUA_TTABLE || lua_gettop(L) > 1)
    hn_sandbox_fail(L, "contact_solver takes one table: "
                       "scene.contact_solver { name =, solve = function(problem, p) ... end }");
  hn_fields_read(L, 1, "contact_solver", fields, NFIELD, &in);
  check_input(L, &in); /* leaves the function on the stack */
  hn_sandbox_hold(L, sizeof(hn_lua_contact));
  hn_lua_contact *c = calloc(1, sizeof *c);
  if (!c) hn_sandbox_fail(L, "out of memory");
  c->next = lua->contact_solvers; /* from here on it is freed with the scene */
  lua->contact_solvers = c;
  c->lua = lua;
  c->line = hn_sandbox_line(L);
  c->solve = luaL_ref(L, LUA_REGISTRYINDEX);
  c->name = hn_sandbox_copy(L, in.name);
  c->summary = hn_sandbox_copy(L, in.summary);
  fill_type(c, &in);
  if (!lua->again && hn_contact_type_find(c->name, lua->scene->contact_solver, NULL))
    hn_sandbox_fail(L, "contact_solver \"%s\": there is one of that name already; choose another name",
                    c->name);
  list(L, lua->scene, &c->type);
  return 0;
}

void hn_contact_solvers_free(hn_scene_lua *lua)
{
  while (lua->contact_solvers) {
    hn_lua_contact *c = lua->contact_solvers;
    lua->contact_solvers = c->next;
    free(c->name);
    free(c->summary);
    free(c);
  }
  free(lua->scene->contact_solver);
  lua->scene->contact_solver = NULL;
}
