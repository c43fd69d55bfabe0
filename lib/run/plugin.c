/* plugin.c - methods in shared objects outside the tree.
 *
 * A plugin exports hn_plugin_solvers, an array of method tables ended by NULL. All of it is checked before any of it is
 * registered; what is registered stays until the process ends, and so does the shared object. */
#include "run/registry.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char symbol[] = "hn_plugin_solvers";

static int check_type(const char *path, const hn_solver_type *type, hn_error *error)
{
  if (type->abi != HN_ABI) /* the rest of the table may mean anything */
    return hn_fail(error, "plugin %s: built for interface %d, but this is %d; build it again with this holonom.h", path,
                   type->abi, HN_ABI);
  if (!type->name || !hn_solver_name_valid(type->name))
    return hn_fail(error, "plugin %s: the name of a method is empty or has one of \":=,/\" or a space in it", path);
  if (!type->summary || !type->citation || !type->params || !type->setup || !type->step)
    return hn_fail(error, "plugin %s: method \"%s\" lacks its summary, citation, params, setup or step", path,
                   type->name);
  return 0;
}

static int check_all(const char *path, const hn_solver_type *const *types, hn_error *error)
{
  if (!*types) return hn_fail(error, "plugin %s: %s lists no method", path, symbol);
  for (size_t i = 0; types[i]; i++) {
    if (check_type(path, types[i], error)) return -1;
    for (size_t k = 0; k < i; k++)
      if (strcmp(types[k]->name, types[i]->name) == 0)
        return hn_fail(error, "plugin %s: method \"%s\" is listed twice", path, types[i]->name);
  }
  return 0;
}

/* The part of dlerror's text behind the name of the file. */
static const char *loader_error(const char *path)
{
  const char *text = dlerror();
  size_t length = strlen(path);
  if (!text) return "unknown error";
  return strncmp(text, path, length) == 0 && strncmp(text + length, ": ", 2) == 0 ? text + length + 2 : text;
}

int hn_plugin_load(const char *path, hn_error *error)
{
  size_t size = strlen(path) + 3;
  char *file = malloc(size); /* without a slash the loader would look in the directories of the system */
  if (!file) return hn_fail(error, "out of memory");
  snprintf(file, size, "%s%s", strchr(path, '/') ? "" : "./", path);
  void *object = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  const hn_solver_type *const *types = object ? dlsym(object, symbol) : NULL;
  int status = 0;
  if (!object)
    status = hn_fail(error, "plugin %s cannot be loaded as a shared object: %s", path, loader_error(file));
  else if (!types)
    status = hn_fail(error, "plugin %s does not export %s; is it a plugin of holonom?", path, symbol);
  else if ((status = check_all(path, types, error)) == 0)
    status = hn_solver_register_plugin(path, types, error);
  if (status && object) dlclose(object);
  free(file);
  return status;
}

/* ---- Directories ------------------------------------------------------------------------------------------------- */

static int is_shared_object(const struct dirent *entry)
{
  size_t length = strlen(entry->d_name);
  return length > 3 && strcmp(entry->d_name + length - 3, ".so") == 0;
}

static int by_name(const struct dirent **left, const struct dirent **right)
{
  return strcmp((*left)->d_name, (*right)->d_name); /* not alphasort: the locale may not decide */
}

static int load_directory(const char *directory, hn_error *error)
{
  struct dirent **entry = NULL;
  int status = 0, count = scandir(directory, &entry, is_shared_object, by_name);
  if (count < 0) return hn_fail(error, "cannot read the plugin directory %s: %s", directory, strerror(errno));
  for (int i = 0; i < count; i++) {
    char *path = NULL;
    if (status == 0 && asprintf(&path, "%s/%s", directory, entry[i]->d_name) < 0)
      status = hn_fail(error, "out of memory");
    else if (status == 0)
      status = hn_plugin_load(path, error);
    if (path) free(path);
    free(entry[i]);
  }
  free(entry);
  return status;
}

int hn_plugin_load_path(const char *directories, hn_error *error)
{
  char *copy = strdup(directories), *rest = copy;
  if (!copy) return hn_fail(error, "out of memory");
  int status = 0;
  for (char *directory; status == 0 && (directory = strsep(&rest, ":"));)
    if (*directory) status = load_directory(directory, error);
  free(copy);
  return status;
}
