/* module.c - loading the modules hn_petsc, hn_spqr and hn_sundials. */
#include "base/module.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

const void *hn_module_symbol(const char *file, const char *symbol, hn_error *error)
{
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/%s", hn_module_dir(), file);
  setenv("OPENBLAS_NUM_THREADS", "1", 1); /* a threaded BLAS sums in another order, and reads these when it loads */
  setenv("OMP_NUM_THREADS", "1", 1);
  void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  const void *found = module ? dlsym(module, symbol) : NULL;
  if (!found) hn_fail(error, "cannot load %s: %s", symbol, dlerror());
  return found;
}

const void *hn_petsc_symbol(const char *symbol, hn_error *error)
{
  return hn_module_symbol("hn_petsc.so", symbol, error);
}
