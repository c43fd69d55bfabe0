/* module.h - the loadable modules, each of which is loaded when something in it is first needed. Internal. */
#ifndef HN_MODULE_H
#define HN_MODULE_H

#include "base.h"

/* What the module FILE exports under the name SYMBOL; NULL on error. It stays loaded to the end of the process. */
const void *hn_module_symbol(const char *file, const char *symbol, hn_error *error);
/* The same for hn_petsc. */
const void *hn_petsc_symbol(const char *symbol, hn_error *error);

#endif
