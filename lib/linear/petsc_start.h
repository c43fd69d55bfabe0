/* petsc_start.h - starting PETSc, and what it complains about. Internal to the module hn_petsc. */
#ifndef HN_PETSC_START_H
#define HN_PETSC_START_H

#include "base.h"

#include <petscsys.h>

/* Starts PETSc unless it runs already, by us or by the host. */
int hn_petsc_start(hn_error *error);
/* Does it run? Else the host has ended it, or MPI, and its objects cannot be touched any more: whatever needs them is
 * HN_INTERRUPTED. */
bool hn_petsc_runs(void);

/* One line on the first thing that goes wrong between hn_petsc_listen and hn_petsc_ignore; "" when nothing is said. */
typedef struct hn_petsc_complaint {
  char text[256];
} hn_petsc_complaint;
PetscErrorCode hn_petsc_listen(hn_petsc_complaint *complaint);
void hn_petsc_ignore(void);

#endif
