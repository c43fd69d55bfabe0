/* plugin.c - solvers, and contact solvers, in shared objects outside the tree.
 *
 * A plugin exports hn_plugin_solvers, an array of solver tables ended by NULL, or hn_plugin_contact_solvers, or both.
 * All of it is checked before any of it is registered; what is registered stays until the process ends, and so does
 * the shared object. */
#include "registry/solver_registry.h"
#include "contact/contact_registry.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char of_solvers[] = "hn_plugin_solvers", of_contact[] = "hn_plugin_contact_solvers";

/* What both kinds of tables begin with. KIND is what they are, for messages. */
static int check_head(const char *path, const char *kind, int abi, const char *name, hn_error *error)
{
  if (abi != HN_ABI) /* the rest of the table may mean anything */
    return hn_fail(error,
                   "plugin %s: built for interface %d, but this is %d; build it again with this holonom.h",
                   path, abi, HN_ABI);
  if (name && hn_solver_name_valid(name)) return 0;
  return hn_fail(error, "plugin %s: the name of a %s is empty or has one of \":=,/\" or a space in it", path,
                 kind);
}

static int listed_twice(const char *path, const char *kind, const char *name, hn_error *error)
{
  return hn_fail(error, "plugin %s: %s \"%s\" is listed twice", path, kind, name);
}

static int check_solvers(const char *path, const hn_solver_type *const *types, hn_error *error)
{
  static const char kind[] = "solver";
  if (!*types) return hn_fail(error, "plugin %s: %s lists no solver", path, of_solvers);
  for (size_t i = 0; types[i]; i++) {
    const hn_solver_type *t = types[i];
    if (check_head(path, kind, t->abi, t->name, error)) return -1;
    if (!t->summary || !t->citation || !t->params || !t->setup || !t->step)
      return hn_fail(error, "plugin %s: solver \"%s\" lacks its summary, citation, params, setup or step",
                     path, t->name);
    for (size_t k = 0; k < i; k++)
      if (strcmp(types[k]->name, t->name) == 0) return listed_twice(path, kind, t->name, error);
  }
  return 0;
}

static int check_contact(const char *path, const hn_contact_type *const *types, hn_error *error)
{
  static const char kind[] = "contact solver";
  if (!*types) return hn_fail(error, "plugin %s: %s lists no contact solver", path, of_contact);
  for (size_t i = 0; types[i]; i++) {
    const hn_contact_type *t = types[i];
    if (check_head(path, kind, t->abi, t->name, error)) return -1;
    if (!t->summary || !t->citation || !t->params || !t->solve)
      return hn_fail(error, "plugin %s: contact solver \"%s\" lacks its summary, citation, params or solve",
                     path, t->name);
    for (size_t k = 0; k < i; k++)
      if (strcmp(types[k]->name, t->name) == 0) return listed_twice(path, kind, t->name, error);
  }
  return hn_contact_check_plugin(path, types, error);
}

/* All that OBJECT exports, or nothing of it. */
static int take(const char *path, void *object, hn_error *error)
{
  const hn_solver_type *const *solvers = dlsym(object, of_solvers);
  const hn_contact_type *const *contact = dlsym(object, of_contact);
  if (!solvers && !contact)
    return hn_fail(error, "plugin %s does not export %s or %s; is it a plugin of holonom?", path, of_solvers,
                   of_contact);
  if (solvers && check_solvers(path, solvers, error)) return -1;
  if (contact && check_contact(path, contact, error)) return -1;
  if (solvers && hn_solver_register_plugin(path, solvers, error)) return -1;
  if (contact) hn_contact_register_plugin(contact);
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
  int status = object ? take(path, object, error)
                      : hn_fail(error, "plugin %s cannot be loaded as a shared object: %s", path,
                                loader_error(file));
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
    else if (status == 0) status = hn_plugin_load(path, error);
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
