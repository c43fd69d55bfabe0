/* petsc_start.h - starting PETSc, and what it last complained about. Internal to the module hn_petsc. */
#ifndef HN_PETSC_START_H
#define HN_PETSC_START_H

#include "system.h"

/* Starts PETSc unless it runs already. */
int hn_petsc_start(hn_error *error);
/* One line on the first thing that went wrong since the last call of hn_petsc_forget; "" when PETSc said nothing. */
const char *hn_petsc_complaint(void);
void hn_petsc_forget(void);

#endif
