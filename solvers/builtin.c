/* builtin.c - the registry of solvers, with the built-in ones (solvers.def): lib/ names no solver. */
#include "registry/solver_registry.h"

#define SOLVER(name) extern const hn_solver_type hn_solver_##name;
#include "solvers.def"
#undef SOLVER

enum { MAX_SOLVERS = 128 };

#define SOLVER(name) &hn_solver_##name,
static const hn_solver_type *types[MAX_SOLVERS + 1] = {
#include "solvers.def"
};
#undef SOLVER

#define SOLVER(name) +1
enum {
  BUILT_IN = 0
#include "solvers.def"
};
#undef SOLVER

/* Solvers that solvers.def leaves out without their library, and engines. */
#define ENGINE(name, package) { #name, package },
static const char *const optional[][2] = { { "impulse-newton", "PETSc" },
                                           { "ida", "SUNDIALS" },
#include "engines/engines.def"
                                           { NULL, NULL } };
#undef ENGINE

/* Checks the members of a plugin's table. */
static int check(const char *path, const void *table, hn_error *error)
{
  const hn_solver_type *t = table;
  const hn_type_member needed[] = {
    { "summary", t->summary }, { "citation", t->citation }, { "setup", t->setup }, { "step", t->step }
  };
  return hn_type_check(&hn_solver_registry, path, t->name, needed, sizeof needed / sizeof *needed, t->params,
                       error);
}

hn_type_registry hn_solver_registry = {
  .kind = "solver",
  .listing = "solvers",
  .name = offsetof(hn_solver_type, name),
  .types = types,
  .room = MAX_SOLVERS,
  .built_in = BUILT_IN,
  .count = BUILT_IN,
  .optional = optional,
  .symbol = "hn_plugin_solvers",
  .check = check,
};
