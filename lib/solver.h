/* solver.h - where the registry finds the built-in methods. Internal. */
#ifndef HN_SOLVER_H
#define HN_SOLVER_H

#include "holonom.h"

extern const hn_solver_type *const hn_builtin_solvers[]; /* ends with NULL; defined in solvers/builtin.c */

#endif
