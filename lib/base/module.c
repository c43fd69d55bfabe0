/* module.c - loads the modules hn_petsc, hn_spqr, hn_klu, hn_hdf5 and hn_sundials, plugins and engines */
#include "base/module.h"
#include "base/environment.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* loading changes the environment: one module at a time */
static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;

/* Loads a module with a single-threaded BLAS, because sums of a threaded one depend on the number of threads.
 * BLAS and OpenMP read the environment while they load; a BLAS that the host loaded before is set by its own
 * function. */
static void *load(const char *path)
{
  const int mode = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE;
  hn_environment host;
  void *module = dlopen(path, mode | RTLD_NOLOAD);
  if (module || hn_environment_keep(&host)) return module;
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  setenv("OMP_NUM_THREADS", "1", 1);
  module = dlopen(path, mode);
  hn_environment_restore(&host);
  void *set_threads = module ? dlsym(module, "openblas_set_num_threads") : NULL;
  if (set_threads) ((void (*)(int))(uintptr_t)set_threads)(1);
  return module;
}

/* Returns the text of dlerror without the name of the file in front. */
static const char *loader_error(const char *path)
{
  const char *text = dlerror();
  size_t length = strlen(path);
  if (!text) return "out of memory";
  return strncmp(text, path, length) == 0 && strncmp(text + length, ": ", 2) == 0 ? text + length + 2 : text;
}

void *hn_module_open(const char *path, hn_error *error)
{
  pthread_mutex_lock(&loading);
  void *module = load(path);
  pthread_mutex_unlock(&loading);
  if (!module) hn_fail(error, "%s cannot be loaded as a shared object: %s", path, loader_error(path));
  return module;
}

const void *hn_module_symbol(const char *file, const char *symbol, hn_error *error)
{
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/%s", hn_module_dir(), file);
  if (access(path, F_OK) != 0) {
    hn_fail(error, "there is no module %s: Holonom was built without the library that it needs", path);
    return NULL;
  }
  hn_error why;
  void *module = hn_module_open(path, &why);
  const void *found = module ? dlsym(module, symbol) : NULL;
  if (!found) hn_fail(error, "cannot load %s: %s", symbol, module ? dlerror() : why.text);
  return found;
}

const void *hn_petsc_symbol(const char *symbol, hn_error *error)
{
  return hn_module_symbol("hn_petsc.so", symbol, error);
}
