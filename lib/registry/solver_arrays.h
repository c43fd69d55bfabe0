/* solver_arrays.h - arrays and states that live as long as a solver. Internal. */
#ifndef HN_SOLVER_ARRAYS_H
#define HN_SOLVER_ARRAYS_H

#include "base/array.h"
#include "solver.h"

/* The entry of a list for a state of the solver's model; of zeros if it is EMPTY (hn_state_create_empty). */
#define HN_STATE(pointer) \
  {                       \
    SIZE_MAX, &(pointer)  \
  }
#define HN_EMPTY_STATE(pointer)   \
  {                               \
    HN_OF_EMPTY_STATE, &(pointer) \
  }
#define HN_OF_EMPTY_STATE (SIZE_MAX - 1)

/* Allocates arrays and states for the data of SOLVER, as hn_arrays_create. They are freed after the solver's
 * own `free`, also if its setup fails.
 *
 *   return hn_solver_allocate(solver, error, HN_STATE(d->start), HN_ARRAY(d->lambda, rows)); */
int hn_solver_create_arrays(hn_solver *solver, const hn_doubles *list, hn_error *error);
#define hn_solver_allocate(solver, error, ...) \
  hn_solver_create_arrays(solver, (const hn_doubles[]){ __VA_ARGS__, { 0, NULL } }, error)
/* Frees them. */
void hn_solver_free_arrays(hn_solver *solver);

#endif
