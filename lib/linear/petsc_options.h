/* petsc_options.h - checks the PETSc options of a user or a scene. Internal. */
#ifndef HN_PETSC_OPTIONS_H
#define HN_PETSC_OPTIONS_H

#include "base.h"

/* Checks the options TEXT, "-name value -name value ...", against the table and rewrites them for PETSc:
 * table names, words and numbers only. Returns a string to be freed; NULL on error. */
char *hn_petsc_options_read(const char *text, hn_error *error);

#endif
