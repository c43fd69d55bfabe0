/* solver_arrays.h - arrays and states that live as long as a solver. Internal. */
#ifndef HN_SOLVER_ARRAYS_H
#define HN_SOLVER_ARRAYS_H

#include "base/array.h"
#include "solver.h"

/* The entry of a list for a state of the solver's model. */
#define HN_STATE(pointer) \
  {                       \
    SIZE_MAX, &(pointer)  \
  }

/* Allocates the arrays and states of LIST for the data of SOLVER, as hn_arrays_create. They are freed after
 * the solver's own `free`, also if its setup fails. */
int hn_solver_allocate(hn_solver *solver, const hn_doubles *list, hn_error *error);
/* Frees them. */
void hn_solver_free_arrays(hn_solver *solver);

#endif
