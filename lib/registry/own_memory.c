/* own_memory.c - the memory of a solver without contact history and step control, saved and restored: of the
 * policy for a singular K, then of the solver type (solver_registry.h). */
#include "registry/solver_registry.h"
#include "redundant/redundant.h"

#include <string.h>

static void *own_memory(hn_solver *solver, size_t *size)
{
  *size = 0;
  return solver->type->memory ? solver->type->memory(solver, size) : NULL;
}

size_t hn_solver_own_memory(hn_solver *solver)
{
  size_t size;
  own_memory(solver, &size);
  return hn_redundant_memory(solver->system) + size;
}

void hn_solver_copy_own(hn_solver *solver, void *memory)
{
  size_t shared = hn_redundant_memory(solver->system), size;
  const void *own = own_memory(solver, &size);
  if (shared > 0) hn_redundant_save(solver->system, memory);
  if (size > 0) memcpy((char *)memory + shared, own, size);
}

void hn_solver_restore_own(hn_solver *solver, const void *memory)
{
  size_t shared = hn_redundant_memory(solver->system), size;
  void *own = own_memory(solver, &size);
  if (shared > 0) hn_redundant_restore(solver->system, memory);
  if (size > 0) memcpy(own, (const char *)memory + shared, size);
  else if (solver->type->reset) solver->type->reset(solver);
}
