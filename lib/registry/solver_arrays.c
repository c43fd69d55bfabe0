/* solver_arrays.c - arrays and states that live as long as a solver (solver_arrays.h). */
#include "registry/solver_arrays.h"

#include <stdlib.h>

static int create_state(hn_solver *solver, bool empty, hn_state **to, hn_error *error)
{
  hn_state **grown = hn_array_grow(solver->states, solver->nstate, sizeof *grown);
  if (grown) solver->states = grown;
  const hn_model *model = solver->system->model;
  *to = !grown ? NULL : empty ? hn_state_create_empty(model) : hn_state_create(model);
  if (!*to) return hn_fail(error, "out of memory");
  solver->states[solver->nstate++] = *to;
  return 0;
}

int hn_solver_create_arrays(hn_solver *solver, const hn_doubles *list, hn_error *error)
{
  hn_arrays arrays = { .first = solver->arrays };
  int status = 0;
  for (; list->array && status == 0; list++) {
    const hn_doubles one[] = { *list, { 0, NULL } };
    if (list->count >= HN_OF_EMPTY_STATE)
      status = create_state(solver, list->count == HN_OF_EMPTY_STATE, list->array, error);
    else status = hn_arrays_create(&arrays, one, error);
  }
  solver->arrays = arrays.first;
  return status;
}

void hn_solver_free_arrays(hn_solver *solver)
{
  hn_arrays_free(&(hn_arrays){ .first = solver->arrays });
  for (int i = 0; i < solver->nstate; i++) hn_state_free(solver->states[i]);
  free(solver->states);
}
