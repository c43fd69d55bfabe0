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

/* Solvers that solvers.def leaves out without their library. */
static const char *const optional[][2] = { { "impulse-newton", "PETSc" },
                                           { "ida", "SUNDIALS" },
                                           { NULL, NULL } };

hn_type_registry hn_solver_registry = { "solver", "solvers",   offsetof(hn_solver_type, name),
                                        types,    MAX_SOLVERS, BUILT_IN,
                                        BUILT_IN, optional };
