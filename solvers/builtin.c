/* builtin.c - the list of built-in solvers (solvers.def) for the registry in lib/, which knows none by name. */
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
