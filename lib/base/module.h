/* module.h - loadable modules, each loaded when a symbol of it is first needed. Internal. */
#ifndef HN_MODULE_H
#define HN_MODULE_H

#include "base.h"

/* Returns the symbol SYMBOL of the module FILE, or NULL on error. The module stays loaded to the end of the
 * process. */
const void *hn_module_symbol(const char *file, const char *symbol, hn_error *error);
/* Opens the shared object PATH as a module, for the rest of the process. Returns NULL on error. */
void *hn_module_open(const char *path, hn_error *error);
/* Returns a symbol of the module hn_petsc, or NULL on error. */
const void *hn_petsc_symbol(const char *symbol, hn_error *error);

#endif
