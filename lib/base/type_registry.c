/* type_registry.c - lists of named types: search by name, registration of plugins, modules of engines. */
#include "base/type_registry.h"
#include "base/module.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MAX_NAMES = 256 }; /* names compared with a misspelt one */

/* Returns entry I of LIST, an array of pointers to tables of any type. */
static const void *entry(const void *list, size_t i)
{
  const void *type;
  memcpy(&type, (const char *)list + i * sizeof type, sizeof type);
  return type;
}

static const char *name_of(const hn_type_registry *r, const void *type)
{
  const char *name;
  memcpy(&name, (const char *)type + r->name, sizeof name);
  return name;
}

/* Returns the table NAME among entries FROM to TO of LIST, which may be NULL or end earlier; NULL if there
 * is none. */
static const void *find_in(const hn_type_registry *r, const void *list, size_t from, size_t to,
                           const char *name)
{
  for (size_t i = from; list && i < to && entry(list, i); i++)
    if (strcmp(name_of(r, entry(list, i)), name) == 0) return entry(list, i);
  return NULL;
}

static size_t add_names(const hn_type_registry *r, const void *list, const char **names, size_t count)
{
  for (size_t i = 0; list && entry(list, i) && count < MAX_NAMES; i++)
    names[count++] = name_of(r, entry(list, i));
  return count;
}

/* True if there is a module of the engine NAME; stores its path. */
static bool has_engine(const char *name, char *path, size_t size)
{
  snprintf(path, size, "%s/%s.so", hn_engine_dir(), name);
  return hn_type_name_valid(name) && access(path, F_OK) == 0;
}

const char *hn_type_missing_library(const hn_type_registry *r, const char *name)
{
  char path[2 * PATH_MAX];
  if (find_in(r, r->types, 0, r->built_in, name) || has_engine(name, path, sizeof path)) return NULL;
  for (const char *const(*o)[2] = r->optional; o && **o; o++)
    if (strcmp(name, **o) == 0) return (*o)[1];
  return NULL;
}

static const void *find(const hn_type_registry *r, const char *name, const void *own)
{
  const void *found = find_in(r, r->types, 0, r->built_in, name);
  if (!found) found = find_in(r, own, 0, SIZE_MAX, name);
  return found ? found : find_in(r, r->types, r->built_in, r->count, name);
}

/* Loads the module of the engine NAME and registers its tables. Returns 0 if there is no such module, or it has
 * none of this kind; -1 on error. */
static int load_engine(hn_type_registry *r, const char *name, hn_error *error)
{
  char path[2 * PATH_MAX];
  if (!r->symbol || !has_engine(name, path, sizeof path)) return 0;
  void *module = hn_module_open(path, error), *types = module ? dlsym(module, r->symbol) : NULL;
  if (!module) return -1;
  if (!types) return 0;
  if (hn_types_check_plugin(r, path, types, error)) return -1;
  hn_types_register(r, types);
  return 0;
}

const void *hn_type_find(hn_type_registry *r, const char *name, const void *own, hn_error *error)
{
  static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER; /* solvers are created in several threads */
  const char *names[MAX_NAMES];
  pthread_mutex_lock(&loading);
  const void *found = find(r, name, own);
  const int status = found ? 0 : load_engine(r, name, error);
  if (!found) found = find(r, name, own);
  pthread_mutex_unlock(&loading);
  if (found || status) return found;
  const char *library = hn_type_missing_library(r, name);
  if (library) {
    hn_fail(error, "Holonom was built without %s %s: install %s and build it again", r->kind, name, library);
    return NULL;
  }
  const char *near = hn_nearest(name, names, add_names(r, own, names, add_names(r, r->types, names, 0)));
  if (near) hn_fail(error, "no %s \"%s\"; did you mean \"%s\"?", r->kind, name, near);
  else hn_fail(error, "no %s \"%s\"; see holonom list %s", r->kind, name, r->listing);
  return NULL;
}

/* ---- Tables of plugins ------------------------------------------------------------------------------- */

bool hn_type_name_valid(const char *name)
{
  return *name && !name[strcspn(name, ":=,/ \t\n")];
}

int hn_type_check(const hn_type_registry *r, const char *path, const char *name, const hn_type_member *member,
                  size_t count, const hn_param *params, hn_error *error)
{
  for (size_t i = 0; i < count; i++)
    if (!member[i].given)
      return hn_fail(error, "plugin %s: %s \"%s\": its table has no %s", path, r->kind, name, member[i].name);
  if (!params) return hn_fail(error, "plugin %s: %s \"%s\": its table has no params", path, r->kind, name);
  for (const hn_param *p = params; p->key; p++)
    if (!p->initial || !p->unit || !p->help || (p->kind == HN_CHOICE && !p->choices))
      return hn_fail(error,
                     "plugin %s: parameter \"%s\" of \"%s\" lacks its default, unit, choices or help; "
                     "\"\" stands for none",
                     path, p->key, name);
  return 0;
}

/* Checks TYPE, a table whose layout is unknown if its interface is another one. */
static int check_table(const hn_type_registry *r, const char *path, const void *type, hn_error *error)
{
  int abi;
  memcpy(&abi, type, sizeof abi);
  if (abi != HN_ABI)
    return hn_fail(error,
                   "plugin %s: built for interface %d, but this is %d; build it again with this holonom.h",
                   path, abi, HN_ABI);
  const char *name = name_of(r, type);
  if (!name || !hn_type_name_valid(name))
    return hn_fail(error, "plugin %s: the name of a %s is empty or has one of \":=,/\" or a space in it",
                   path, r->kind);
  return r->check(path, type, error);
}

int hn_types_check_plugin(const hn_type_registry *r, const char *path, const void *types, hn_error *error)
{
  size_t count = r->count;
  if (!entry(types, 0)) return hn_fail(error, "plugin %s: %s lists no %s", path, r->symbol, r->kind);
  for (size_t i = 0; entry(types, i); i++)
    if (check_table(r, path, entry(types, i), error)) return -1;
  for (size_t i = 0; entry(types, i); i++) {
    const char *name = name_of(r, entry(types, i));
    const void *known = find_in(r, r->types, 0, r->count, name);
    if (find_in(r, types, 0, i, name))
      return hn_fail(error, "plugin %s: %s \"%s\" is listed twice", path, r->kind, name);
    if (known && known != entry(types, i))
      return hn_fail(error, "plugin %s: there is a %s \"%s\" already; choose another name", path, r->kind,
                     name);
    count += !known;
  }
  if (count <= r->room) return 0;
  return hn_fail(error, "plugin %s: there is room for %zu %ss only", path, r->room, r->kind);
}

void hn_types_register(hn_type_registry *r, const void *types)
{
  for (size_t i = 0; entry(types, i); i++) {
    const void *type = entry(types, i);
    if (find_in(r, r->types, 0, r->count, name_of(r, type))) continue;
    memcpy((char *)r->types + r->count++ * sizeof type, &type, sizeof type);
  }
}
