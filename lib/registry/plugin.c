/* plugin.c - solvers and contact solvers in shared objects outside the tree.
 *
 * A plugin exports hn_plugin_solvers, an array of solver tables ended by NULL, or
 * hn_plugin_contact_solvers, or both. All tables are checked before the first one is registered.
 * Registered tables and the shared object stay until the process ends. */
#include "registry/solver_registry.h"
#include "contact/contact_registry.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char solvers_symbol[] = "hn_plugin_solvers", contact_symbol[] = "hn_plugin_contact_solvers";

/* Checks the head that both kinds of tables share. KIND names them in messages. */
static int check_head(const char *path, const char *kind, int abi, const char *name, hn_error *error)
{
  if (abi != HN_ABI) /* the layout of the rest is unknown */
    return hn_fail(error,
                   "plugin %s: built for interface %d, but this is %d; build it again with this holonom.h",
                   path, abi, HN_ABI);
  if (name && hn_solver_name_valid(name)) return 0;
  return hn_fail(error, "plugin %s: the name of a %s is empty or has one of \":=,/\" or a space in it", path,
                 kind);
}

/* A member of a table, which is required. */
typedef struct member {
  const char *name;
  bool given;
} member;

/* Names the first member that the table of the KIND of solver NAME lacks. */
static int check_members(const char *path, const char *kind, const char *name, const member *m, size_t count,
                         hn_error *error)
{
  for (size_t i = 0; i < count; i++)
    if (!m[i].given)
      return hn_fail(error, "plugin %s: %s \"%s\": its table has no %s", path, kind, name, m[i].name);
  return 0;
}

/* Checks that no text of the parameters of solver NAME is missing. */
static int check_params(const char *path, const char *name, const hn_param *params, hn_error *error)
{
  for (const hn_param *p = params; p->key; p++)
    if (!p->initial || !p->unit || !p->help || (p->kind == HN_CHOICE && !p->choices))
      return hn_fail(error,
                     "plugin %s: parameter \"%s\" of \"%s\" lacks its default, unit, choices or help; "
                     "\"\" stands for none",
                     path, p->key, name);
  return 0;
}

static int check_solvers(const char *path, const hn_solver_type *const *types, hn_error *error)
{
  if (!*types) return hn_fail(error, "plugin %s: %s lists no solver", path, solvers_symbol);
  for (const hn_solver_type *t; (t = *types); types++) {
    if (check_head(path, "solver", t->abi, t->name, error)) return -1;
    const member needed[] = { { "summary", t->summary },
                              { "citation", t->citation },
                              { "params", t->params },
                              { "setup", t->setup },
                              { "step", t->step } };
    if (check_members(path, "solver", t->name, needed, sizeof needed / sizeof *needed, error)) return -1;
    if (check_params(path, t->name, t->params, error)) return -1;
  }
  return 0;
}

static int check_contact(const char *path, const hn_contact_type *const *types, hn_error *error)
{
  if (!*types) return hn_fail(error, "plugin %s: %s lists no contact solver", path, contact_symbol);
  for (const hn_contact_type *t; (t = *types); types++) {
    if (check_head(path, "contact solver", t->abi, t->name, error)) return -1;
    const member needed[] = {
      { "summary", t->summary }, { "citation", t->citation }, { "params", t->params }, { "solve", t->solve }
    };
    if (check_members(path, "contact solver", t->name, needed, sizeof needed / sizeof *needed, error))
      return -1;
    if (check_params(path, t->name, t->params, error)) return -1;
  }
  return 0;
}

/* Registers all types that OBJECT exports, or none on error. */
static int register_types(const char *path, void *object, hn_error *error)
{
  const hn_solver_type *const *solvers = dlsym(object, solvers_symbol);
  const hn_contact_type *const *contact = dlsym(object, contact_symbol);
  if (!solvers && !contact)
    return hn_fail(error, "plugin %s does not export %s or %s; is it a plugin of holonom?", path,
                   solvers_symbol, contact_symbol);
  if (solvers && (check_solvers(path, solvers, error) ||
                  hn_types_check_plugin(&hn_solver_registry, path, solvers, error)))
    return -1;
  if (contact && (check_contact(path, contact, error) ||
                  hn_types_check_plugin(&hn_contact_registry, path, contact, error)))
    return -1;
  if (solvers) hn_types_register(&hn_solver_registry, solvers);
  if (contact) hn_types_register(&hn_contact_registry, contact);
  return 0;
}

/* Returns the text of dlerror without the name of the file in front. */
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
  char *file = malloc(size); /* without a slash the loader would search the directories of the system */
  if (!file) return hn_fail(error, "out of memory");
  snprintf(file, size, "%s%s", strchr(path, '/') ? "" : "./", path);
  void *object = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  int status = object ? register_types(path, object, error)
                      : hn_fail(error, "plugin %s cannot be loaded as a shared object: %s", path,
                                loader_error(file));
  if (status && object) dlclose(object);
  free(file);
  return status;
}

int hn_solvers_register(const hn_solver_type *const *types, hn_error *error)
{
  static const char program[] = "of this program";
  if (check_solvers(program, types, error) ||
      hn_types_check_plugin(&hn_solver_registry, program, types, error))
    return -1;
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
