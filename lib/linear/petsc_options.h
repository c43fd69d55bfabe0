/* petsc_options.h - the PETSc options that a user or a scene may give. Internal. */
#ifndef HN_PETSC_OPTIONS_H
#define HN_PETSC_OPTIONS_H

#include "base.h"

/* The options that TEXT gives, "-name value -name value ...", written so that PETSc reads them as they were checked:
 * names of the table, words and numbers only. To be freed; NULL on error. */
char *hn_petsc_options_read(const char *text, hn_error *error);

#endif
