/* module.h - the loadable module hn_petsc, which is loaded when something in it is first needed. Internal. */
#ifndef HN_MODULE_H
#define HN_MODULE_H

#include "holonom.h"

/* What the module exports under the name SYMBOL; NULL on error. It stays loaded to the end of the process. */
const void *hn_petsc_symbol(const char *symbol, hn_error *error);

#endif
