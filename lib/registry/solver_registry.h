/* solver_registry.h - the registry of solvers, and their settings. Internal. */
#ifndef HN_SOLVER_REGISTRY_H
#define HN_SOLVER_REGISTRY_H

#include "base/type_registry.h"
#include "solver.h"

extern hn_type_registry hn_solver_registry; /* defined in solvers/builtin.c */

/* Fills DATA with the defaults of TYPE, then with the preset that SETTINGS name ("preset=NAME"), then with
 * the other settings. As hn_params_read. */
int hn_solver_read(const hn_solver_type *type, const char *settings, void *data, struct hn_text **texts,
                   hn_error *error);

/* Copies the memory of SOLVER, of hn_solver_memory bytes but for the last eight, and restores it. */
void hn_solver_copy_memory(hn_solver *solver, void *memory);
void hn_solver_restore_memory(hn_solver *solver, const void *memory);
/* The memory of SOLVER without its contact history and step control: size in bytes, copy and restoration, for
 * parts of a step. */
size_t hn_solver_own_memory(hn_solver *solver);
void hn_solver_copy_own(hn_solver *solver, void *memory);
void hn_solver_restore_own(hn_solver *solver, const void *memory);

#endif
