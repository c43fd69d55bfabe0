/* type_registry.c - lists of named types: search by name, and registration of plugins. */
#include "base/type_registry.h"

#include <string.h>

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

const char *hn_type_missing_library(const hn_type_registry *r, const char *name)
{
  if (find_in(r, r->types, 0, r->built_in, name)) return NULL;
  for (const char *const(*o)[2] = r->optional; o && **o; o++)
    if (strcmp(name, **o) == 0) return (*o)[1];
  return NULL;
}

const void *hn_type_find(const hn_type_registry *r, const char *name, const void *own, hn_error *error)
{
  const char *names[MAX_NAMES];
  const void *found = find_in(r, r->types, 0, r->built_in, name);
  if (!found) found = find_in(r, own, 0, SIZE_MAX, name);
  if (!found) found = find_in(r, r->types, r->built_in, r->count, name);
  if (found) return found;
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

int hn_types_check_plugin(const hn_type_registry *r, const char *path, const void *types, hn_error *error)
{
  size_t count = r->count;
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
