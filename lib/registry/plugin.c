/* plugin.c - solvers and contact solvers in shared objects outside the tree.
 *
 * A plugin exports hn_plugin_solvers, an array of solver tables ended by NULL, or
 * hn_plugin_contact_solvers, or both. All tables are checked before the first one is registered.
 * Registered tables and the shared object stay until the process ends. */
#include "registry/solver_registry.h"
#include "contact/contact_registry.h"
#include "base/module.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Registers all types that OBJECT exports, or none on error. */
static int register_types(const char *path, void *object, hn_error *error)
{
  const char *symbol[] = { hn_solver_registry.symbol, hn_contact_registry.symbol };
  const void *solvers = dlsym(object, symbol[0]), *contact = dlsym(object, symbol[1]);
  if (!solvers && !contact)
    return hn_fail(error, "plugin %s does not export %s or %s; is it a plugin of holonom?", path, symbol[0],
                   symbol[1]);
  if (solvers && hn_types_check_plugin(&hn_solver_registry, path, solvers, error)) return -1;
  if (contact && hn_types_check_plugin(&hn_contact_registry, path, contact, error)) return -1;
  if (solvers) hn_types_register(&hn_solver_registry, solvers);
  if (contact) hn_types_register(&hn_contact_registry, contact);
  return 0;
}

int hn_plugin_load(const char *path, hn_error *error)
{
  size_t size = strlen(path) + 3;
  char *file = malloc(size); /* without a slash the loader would search the directories of the system */
  if (!file) return hn_fail(error, "out of memory");
  snprintf(file, size, "%s%s", strchr(path, '/') ? "" : "./", path);
  hn_error why;
  void *object = hn_module_open(file, &why);
  free(file);
  return object ? register_types(path, object, error) : hn_fail(error, "plugin %s", why.text);
}

int hn_solvers_register(const hn_solver_type *const *types, hn_error *error)
{
  static const char program[] = "of this program";
  if (hn_types_check_plugin(&hn_solver_registry, program, types, error)) return -1;
  hn_types_register(&hn_solver_registry, types);
  return 0;
}

/* ---- Directories ----------------------------------------------------------------------------------- */

static int is_shared_object(const struct dirent *entry)
{
  size_t length = strlen(entry->d_name);
  return length > 3 && strcmp(entry->d_name + length - 3, ".so") == 0;
}

static int by_name(const struct dirent **left, const struct dirent **right)
{
  return strcmp((*left)->d_name, (*right)->d_name); /* not alphasort, which depends on the locale */
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
    else if (status == 0) status = hn_plugin_load(path, error);
    if (path) free(path);
    free(entry[i]);
  }
  free(entry);
  return status;
}

int hn_engines_load(hn_error *error)
{
  return access(hn_engine_dir(), F_OK) == 0 ? load_directory(hn_engine_dir(), error) : 0;
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
