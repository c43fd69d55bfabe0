/* petsc_start.h - starts PETSc and records its error messages. Internal to the module hn_petsc. */
#ifndef HN_PETSC_START_H
#define HN_PETSC_START_H

#include "base.h"

#include <petscsys.h>

/* Starts PETSc unless it is running already, started by us or by the host; -1 on error. */
int hn_petsc_start(hn_error *error);
/* True if PETSc is running. Otherwise the host has ended it, or MPI; its objects must not be used, and
 * operations return HN_INTERRUPTED. */
bool hn_petsc_is_running(void);

/* Text of the first error between hn_petsc_record_errors and hn_petsc_stop_recording, one line; "" if there
 * was none. */
typedef struct hn_petsc_message {
  char text[256];
} hn_petsc_message;
PetscErrorCode hn_petsc_record_errors(hn_petsc_message *message);
void hn_petsc_stop_recording(void);

#endif
