/* builtin.c - the built-in solvers (solvers.def), listed for the registry in lib/, which names no solver. */
#include "registry/solver_registry.h"

#define SOLVER(name) extern const hn_solver_type hn_solver_##name;
#include "solvers.def"
#undef SOLVER

#define SOLVER(name) &hn_solver_##name,
const hn_solver_type *const hn_builtin_solvers[] = {
#include "solvers.def"
  NULL
};
#undef SOLVER
