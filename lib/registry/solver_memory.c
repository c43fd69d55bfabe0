/* solver_memory.c - the memory of a solver, saved and restored: for checkpoints, and steps that fail. In this
 * order: contact history of the log, step control, memory of own_memory.c, mark of the model. */
#include "registry/solver_registry.h"
#include "registry/step_doubling.h"
#include "event/event_log.h"
#include "redundant/redundant.h"
#include "base/hash.h"

#include <string.h>

/* Returns the size of the part before that of hn_solver_own_memory. */
static size_t control_memory(const hn_solver *solver)
{
  return hn_log_memory(solver->log) + (solver->doubling ? solver->doubling->size : 0);
}

size_t hn_solver_memory(hn_solver *solver)
{
  return control_memory(solver) + hn_solver_own_memory(solver) + sizeof(uint64_t);
}

/* Returns a mark, stored last in a checkpoint, that identifies the model by its size and number of
 * changes. */
static uint64_t model_mark(const hn_solver *solver)
{
  const hn_model *model = solver->system->model;
  const uint64_t number[] = { solver->changes, (uint64_t)model->nbody, (uint64_t)model->nrow,
                              (uint64_t)model->nforce };
  return hn_hash_words(HN_HASH_START, number, sizeof number);
}

void hn_solver_copy_memory(hn_solver *solver, void *memory)
{
  char *to = memory;
  const hn_step_doubling *d = solver->doubling;
  hn_log_save(solver->log, to);
  if (d) memcpy(to + hn_log_memory(solver->log), d->memory, d->size);
  hn_solver_copy_own(solver, to + control_memory(solver));
}

void hn_solver_restore_memory(hn_solver *solver, const void *memory)
{
  const char *from = memory;
  hn_step_doubling *d = solver->doubling;
  hn_log_restore(solver->log, from);
  if (d) memcpy(d->memory, from + hn_log_memory(solver->log), d->size);
  hn_solver_restore_own(solver, from + control_memory(solver));
}

void hn_solver_save(hn_solver *solver, void *memory)
{
  if (!solver->type->memory && solver->type->reset) solver->type->reset(solver);
  const uint64_t mark = model_mark(solver);
  hn_solver_copy_memory(solver, memory);
  memcpy((char *)memory + hn_solver_memory(solver) - sizeof mark, &mark, sizeof mark);
}

int hn_solver_restore(hn_solver *solver, const void *memory, size_t size, hn_error *error)
{
  const bool fits = size == hn_solver_memory(solver);
  uint64_t mark = 0;
  if (fits) memcpy(&mark, (const char *)memory + size - sizeof mark, sizeof mark);
  if (!fits || mark != model_mark(solver))
    return hn_fail(error,
                   "%s: a checkpoint of another model: "
                   "bodies, joints or forces have come or gone since",
                   solver->type->name);
  if (!hn_log_accepts(solver->log, solver->system->model, memory) ||
      !hn_redundant_accepts(solver->system, (const char *)memory + control_memory(solver)))
    return hn_fail(error, "%s: the checkpoint is damaged: an index is out of range", solver->type->name);
  hn_solver_restore_memory(solver, memory);
  return 0;
}
