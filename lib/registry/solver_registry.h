/* solver_registry.h - the registry of solvers: where it finds the built-in ones, and how those of plugins enter it.
 * Internal. */
#ifndef HN_SOLVER_REGISTRY_H
#define HN_SOLVER_REGISTRY_H

#include "solver.h"

extern const hn_solver_type *const hn_builtin_solvers[]; /* ends with NULL; defined in solvers/builtin.c */

/* Is NAME fit for a solver: not empty, and without what separates the parts of a spec? */
bool hn_solver_name_valid(const char *name);

/* Fills DATA with the defaults of TYPE, then with its preset in SETTINGS, "preset=NAME", where there is one, and then
 * with the others there. As hn_params_read. */
int hn_solver_read(const hn_solver_type *type, const char *settings, void *data, struct hn_text **texts,
                   hn_error *error);

/* Adds TYPES, ended by NULL, which come from the file PATH; all or none of them. Nothing happens when the very same
 * tables are there already; another solver of the same name is an error. */
int hn_solver_register_plugin(const char *path, const hn_solver_type *const *types, hn_error *error);

#endif
