/* lua_contact_problem.c - the contact problem as seen by a contact solver written in Lua: its blocks and
 * rows.
 *
 * Blocks and rows are numbered from 1. Vectors of a block of n rows occupy the first n entries of a table, so
 * one table serves blocks of every size. Functions that return such a table accept a table to fill as their
 * last argument. */
#include "lua_contact_problem.h"
#include "contact/block_rows.h"
#include "fields.h"
#include "lua_handle.h"

#include <string.h>

/* ---- Arguments ----------------------------------------------------------------------------------------- */

static hn_lua_problem *problem_at_1(lua_State *L)
{
  const char *name = hn_handle_name(L);
  hn_lua_problem *problem = luaL_testudata(L, 1, HN_PROBLEM_HANDLE);
  if (!problem) hn_sandbox_fail(L, "%s: call it on the problem, with a colon: problem:%s(...)", name, name);
  if (!problem->at) hn_sandbox_fail(L, "%s: the problem is only there while it is being solved", name);
  return problem;
}

/* Returns the index (from 0) of the block whose number is at index 2. */
static int number_at_2(lua_State *L, const hn_lua_problem *problem)
{
  const int count = problem->at->nblock;
  if (!lua_isinteger(L, 2) || lua_tointeger(L, 2) < 1 || lua_tointeger(L, 2) > count)
    hn_sandbox_fail(L, "%s: the first argument is the number of a block, 1 to %d", hn_handle_name(L), count);
  return (int)lua_tointeger(L, 2) - 1;
}

static const hn_problem_block *block_at_2(lua_State *L, const hn_lua_problem *problem)
{
  return &problem->at->block[number_at_2(L, problem)];
}

/* Push COUNT values in the table at INDEX, or in a new table if there is none. Returns 1, the number of
 * results. */
static int push_numbers(lua_State *L, int index, int count, const double *value)
{
  hn_handle_push_table(L, index, count, false);
  hn_handle_store(L, count, value);
  return 1;
}

/* ---- Blocks -------------------------------------------------------------------------------------------- */

/* (k) -> first row of block k, and its number of rows. */
static int problem_range(lua_State *L)
{
  const hn_problem_block *block = block_at_2(L, problem_at_1(L));
  lua_pushinteger(L, block->row + 1);
  lua_pushinteger(L, block->n);
  return 2;
}

/* (k) -> word for the set of block k, and its numbers: friction coefficient, or bounds of the impulse. */
static int problem_set(lua_State *L)
{
  static const char *const words[] = {
    [HN_ANY] = "any", [HN_PUSH] = "push", [HN_WITHIN] = "within", [HN_CONE] = "cone"
  };
  const hn_lua_problem *problem = problem_at_1(L);
  const hn_set *set = &block_at_2(L, problem)->set;
  lua_pushstring(L, words[set->kind]);
  if (set->kind == HN_CONE) lua_pushnumber(L, set->mu);
  if (set->kind != HN_WITHIN) return set->kind == HN_CONE ? 2 : 1;
  lua_pushnumber(L, set->lower * problem->at->h);
  lua_pushnumber(L, set->upper * problem->at->h);
  return 3;
}

/* (k, v) -> velocities of the rows of block k, including the effect of the impulses applied so far. */
static int problem_block_velocity(lua_State *L)
{
  const hn_lua_problem *problem = problem_at_1(L);
  const hn_problem_block *block = block_at_2(L, problem);
  double v[HN_MAX_ROWS];
  memcpy(v, problem->at->b + block->row, sizeof *v * (size_t)block->n);
  hn_rows_add_velocities(problem->at, block, problem->u, v);
  return push_numbers(L, 3, block->n, v);
}

/* (k, p): apply the impulses p of block k to its bodies. */
static int problem_block_apply(lua_State *L)
{
  const hn_lua_problem *problem = problem_at_1(L);
  const hn_problem_block *block = block_at_2(L, problem);
  double p[HN_MAX_ROWS];
  hn_handle_read_first(L, 3, block->n, p);
  hn_rows_apply(problem->at, block, p, problem->u);
  return 0;
}

/* (k, D) -> diagonal block k of K, row by row. */
static int problem_diagonal(lua_State *L)
{
  const hn_lua_problem *problem = problem_at_1(L);
  const int k = number_at_2(L, problem), n = problem->at->block[k].n;
  double D[HN_MAX_ROWS * HN_MAX_ROWS];
  hn_problem_diagonal(problem->at, k, D);
  return push_numbers(L, 3, n * n, D);
}

/* (k) -> mean of the diagonal entries of that block. */
static int problem_scale(lua_State *L)
{
  const hn_lua_problem *problem = problem_at_1(L);
  lua_pushnumber(L, hn_problem_scale(problem->at, number_at_2(L, problem)));
  return 1;
}

/* (k, p, q) -> projection of p onto the set of block k. */
static int problem_project(lua_State *L)
{
  const hn_lua_problem *problem = problem_at_1(L);
  const hn_problem_block *block = block_at_2(L, problem);
  double p[HN_MAX_ROWS];
  hn_handle_read_first(L, 3, block->n, p);
  hn_set_project(&block->set, block->n, problem->at->h, p);
  return push_numbers(L, 4, block->n, p);
}

/* (k, v, w) -> velocities v of block k with De Saxce's shift. */
static int problem_shift(lua_State *L)
{
  const hn_problem_block *block = block_at_2(L, problem_at_1(L));
  double v[HN_MAX_ROWS];
  hn_handle_read_first(L, 3, block->n, v);
  hn_set_shift(&block->set, block->n, v);
  return push_numbers(L, 4, block->n, v);
}

/* ---- The whole problem --------------------------------------------------------------------------------- */

void hn_contact_problem_start(hn_lua_problem *problem, const double *p)
{
  const hn_problem *of = problem->at;
  memset(problem->u, 0, sizeof *problem->u * 6 * (size_t)of->nbody);
  for (const hn_problem_block *block = of->block; block < of->block + of->nblock; block++)
    hn_rows_apply(of, block, p + block->row, problem->u);
}

/* (p): set the impulses applied so far to p. */
static int problem_start(lua_State *L)
{
  hn_lua_problem *problem = problem_at_1(L);
  hn_handle_read_first(L, 2, problem->at->nrow, problem->p);
  hn_contact_problem_start(problem, problem->p);
  return 0;
}

/* Compute v = K p + b from problem->p; the impulses applied so far do not change. */
static void velocities(const hn_lua_problem *problem)
{
  hn_problem_velocities(problem->at, problem->p, problem->work, problem->v);
}

/* (p, v) -> K p + b. */
static int problem_velocities(lua_State *L)
{
  const hn_lua_problem *problem = problem_at_1(L);
  hn_handle_read_first(L, 2, problem->at->nrow, problem->p);
  velocities(problem);
  return push_numbers(L, 3, problem->at->nrow, problem->v);
}

/* (p) -> residual of p, and the block with the largest residual. */
static int problem_error(lua_State *L)
{
  const hn_lua_problem *problem = problem_at_1(L);
  int worst;
  hn_handle_read_first(L, 2, problem->at->nrow, problem->p);
  velocities(problem);
  const bool relaxed = problem->solver->type->capabilities & HN_SOLVES_RELAXED;
  lua_pushnumber(L, hn_problem_error(problem->at, relaxed, problem->p, problem->v, &worst));
  lua_pushinteger(L, worst + 1);
  return 2;
}

/* (error): record an iteration and its residual. */
static int problem_note(lua_State *L)
{
  hn_lua_problem *problem = problem_at_1(L);
  if (lua_type(L, 2) != LUA_TNUMBER)
    hn_sandbox_fail(L, "note: the residual that an iteration leaves is a number, not a %s",
                    luaL_typename(L, 2));
  hn_contact_note(problem->solver, lua_tonumber(L, 2));
  return 0;
}

/* ---- The handle ---------------------------------------------------------------------------------------- */

enum { BLOCKS, ROWS, STEP, TOLERANCE, ITERATIONS };

static int value(lua_State *L, int which)
{
  const hn_lua_problem *problem = luaL_testudata(L, 1, HN_PROBLEM_HANDLE);
  if (!problem || !problem->at) hn_sandbox_fail(L, "the problem is only there while it is being solved");
  switch (which) {
  case BLOCKS: lua_pushinteger(L, problem->at->nblock); return 1;
  case ROWS: lua_pushinteger(L, problem->at->nrow); return 1;
  case STEP: lua_pushnumber(L, problem->at->h); return 1;
  case TOLERANCE: lua_pushnumber(L, problem->solver->options.tolerance); return 1;
  default: lua_pushinteger(L, problem->solver->options.iterations); return 1;
  }
}

static const hn_handle_entry entries[] = {
  { "blocks", NULL, BLOCKS },
  { "rows", NULL, ROWS },
  { "h", NULL, STEP },
  { "tolerance", NULL, TOLERANCE },
  { "iterations", NULL, ITERATIONS },
  { "range", problem_range, 0 },
  { "set", problem_set, 0 },
  { "block_velocity", problem_block_velocity, 0 },
  { "block_apply", problem_block_apply, 0 },
  { "diagonal", problem_diagonal, 0 },
  { "scale", problem_scale, 0 },
  { "project", problem_project, 0 },
  { "shift", problem_shift, 0 },
  { "start", problem_start, 0 },
  { "velocities", problem_velocities, 0 },
  { "error", problem_error, 0 },
  { "note", problem_note, 0 },
};

void hn_contact_problem_open(lua_State *L)
{
  static const hn_handle_kind kind = { HN_PROBLEM_HANDLE, entries, sizeof entries / sizeof *entries, value };
  hn_handle_open(L, &kind);
}

hn_lua_problem *hn_contact_problem_push(lua_State *L, hn_contact_solver *solver)
{
  hn_lua_problem *problem = hn_registry_new_handle(L, sizeof *problem, HN_PROBLEM_HANDLE);
  *problem = (hn_lua_problem){ .solver = solver };
  return problem;
}
