/* lua_contact_solver.c - contact solvers written in Lua, for prototyping: scene.contact_solver { name =,
 * solve = function(problem, p) ... end }.
 *
 * A contact solver belongs to the scene that declares it, as solvers written in Lua do (lua_solver.c), and
 * serves every solver with the parameter `contact`. Its code runs in the interpreter of that scene, under the
 * same limits for each solution. An error ends the solution as "unsupported", with its text. The argument p
 * is a table of the impulses of the rows: the initial guess at the call, the solution at the return. */
#include "declare.h"
#include "contact/contact_registry.h"
#include "lua_contact_problem.h"
#include "lua_handle.h"
#include "fields.h"
#include "registry/solver_registry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A declared contact solver; the scene lists its type. */
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
  int filled;                     /* number of entries of p */
  hn_lua_problem *problem;        /* owned by Lua */
  double *numbers;                /* storage of the arrays of `problem` */
  char message[sizeof(hn_error)]; /* cause of the last failure */
} data;

static const hn_param params[] = { { .key = NULL } };

static const hn_lua_contact *declaration_of(const hn_contact_solver *solver)
{
  return solver->type->user;
}

static int call(hn_contact_solver *solver, lua_CFunction function, void *argument, hn_error *error)
{
  hn_sandbox *box = &declaration_of(solver)->lua->box;
  box->fallback_line = declaration_of(solver)->line;
  return hn_sandbox_call(box, function, argument, error);
}

/* ---- Instances ----------------------------------------------------------------------------------------- */

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

/* The code may have kept the handle of the problem, which is therefore invalidated. */
static void destroy(hn_contact_solver *solver)
{
  data *d = solver->data;
  if (d->problem) {
    d->problem->at = NULL;
    luaL_unref(declaration_of(solver)->lua->box.L, LUA_REGISTRYINDEX, d->handles);
  }
  free(d->numbers);
}

/* ---- A solution ---------------------------------------------------------------------------------------- */

typedef struct one_solution {
  hn_contact_solver *solver;
  int rows;
  double *p;
  hn_reason reason;
} one_solution;

static hn_reason read_reason(lua_State *L, int index)
{
  if (lua_type(L, index) != LUA_TSTRING)
    hn_sandbox_fail(L, "solve returns %s%s: it must return \"converged\", \"budget\" or why it failed",
                    lua_isnil(L, index) ? "nothing" : "a ",
                    lua_isnil(L, index) ? "" : luaL_typename(L, index));
  return hn_fields_reason(L, "solve", lua_tostring(L, index),
                          1U << HN_CONVERGED | 1U << HN_BUDGET | 1U << HN_STALLED | 1U << HN_SINGULAR |
                            1U << HN_NOT_FINITE | 1U << HN_UNSUPPORTED);
}

/* Store p in the table at INDEX and clear the rest of an earlier, larger problem. */
static void push_impulses(lua_State *L, int index, const one_solution *request)
{
  data *d = request->solver->data;
  lua_pushvalue(L, index);
  hn_handle_store(L, request->rows, request->p);
  lua_pop(L, 1);
  for (int i = request->rows; i < d->filled; i++) {
    lua_pushnil(L);
    lua_rawseti(L, index, i + 1);
  }
  d->filled = request->rows;
}

static void read_impulses(lua_State *L, int index, const one_solution *request)
{
  for (int i = 0; i < request->rows; i++) {
    if (lua_rawgeti(L, index, i + 1) != LUA_TNUMBER)
      hn_sandbox_fail(L, "solve: entry %d of p, the solution, must be a number, not a %s", i + 1,
                      luaL_typename(L, -1));
    request->p[i] = lua_tonumber(L, -1);
    lua_pop(L, 1);
  }
}

/* Call solve(problem, p) -> reason. */
static int call_solve(lua_State *L)
{
  enum { HANDLES = 2, P, REASON };
  one_solution *request = lua_touserdata(L, 1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, ((const data *)request->solver->data)->handles);
  lua_rawgeti(L, HANDLES, 2);
  push_impulses(L, P, request);
  lua_rawgeti(L, LUA_REGISTRYINDEX, declaration_of(request->solver)->solve);
  lua_rawgeti(L, HANDLES, 1);
  lua_pushvalue(L, P);
  lua_call(L, 2, 1);
  request->reason = read_reason(L, REASON);
  read_impulses(L, P, request);
  return 0;
}

static hn_reason solve(hn_contact_solver *solver, const hn_problem *problem, double *p)
{
  data *d = solver->data;
  hn_error error;
  one_solution request = { .solver = solver, .rows = problem->nrow, .p = p };
  d->problem->at = problem;
  hn_contact_problem_start(d->problem, p);
  int failed = call(solver, call_solve, &request, &error);
  d->problem->at = NULL;
  if (!failed) return request.reason;
  const volatile sig_atomic_t *stop = declaration_of(solver)->lua->box.stop;
  snprintf(d->message, sizeof d->message, "Lua: %.500s", error.text);
  solver->message = d->message;
  return stop && *stop ? HN_INTERRUPTED : HN_UNSUPPORTED;
}

/* ---- The declaration ----------------------------------------------------------------------------------- */

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
  if (strlen(in->name) > MAX_NAME || !hn_type_name_valid(in->name))
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

static void fill_type(hn_lua_contact *contact, const input *in)
{
  contact->type = (hn_contact_type){
    .abi = HN_ABI,
    .name = contact->name,
    .summary = contact->summary,
    .citation = "the scene that declares it",
    .capabilities = HN_CAN_PUSH | HN_CAN_WITHIN | HN_CAN_CONE | (in->relaxed ? HN_SOLVES_RELAXED : 0U),
    .data_size = sizeof(data),
    .params = params,
    .setup = setup,
    .solve = solve,
    .free = destroy,
    .user = contact,
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
  hn_lua_contact *contact = calloc(1, sizeof *contact);
  if (!contact) hn_sandbox_fail(L, "out of memory");
  contact->next = lua->contact_solvers; /* from here on it is freed with the scene */
  lua->contact_solvers = contact;
  contact->lua = lua;
  contact->line = hn_sandbox_line(L);
  contact->solve = luaL_ref(L, LUA_REGISTRYINDEX);
  contact->name = hn_sandbox_copy(L, in.name);
  contact->summary = hn_sandbox_copy(L, in.summary);
  fill_type(contact, &in);
  if (!lua->again && hn_contact_type_find(contact->name, lua->scene->contact_solver, NULL))
    hn_sandbox_fail(L, "contact_solver \"%s\": there is one of that name already; choose another name",
                    contact->name);
  const hn_contact_type **type = hn_declare_append(L, &lua->scene->contact_solver,
                                                   &lua->scene->ncontact_solver, sizeof *type);
  *type = &contact->type;
  return 0;
}

void hn_contact_solvers_free(hn_scene_lua *lua)
{
  while (lua->contact_solvers) {
    hn_lua_contact *contact = lua->contact_solvers;
    lua->contact_solvers = contact->next;
    free(contact->name);
    free(contact->summary);
    free(contact);
  }
  free(lua->scene->contact_solver);
  lua->scene->contact_solver = NULL;
}
