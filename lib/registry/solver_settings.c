/* solver_settings.c - the settings of a solver: parameters and presets, which are groups of settings. */
#include "registry/solver_registry.h"
#include "base/params.h"

#include <stdlib.h>
#include <string.h>

/* Returns the preset named by the first COUNT characters of NAME, or NULL on error. */
static const hn_preset *find_preset(const hn_solver_type *type, const char *name, int count, hn_error *error)
{
  for (const hn_preset *preset = type->presets; preset && preset->name; preset++)
    if (strlen(preset->name) == (size_t)count && strncmp(preset->name, name, (size_t)count) == 0)
      return preset;
  hn_fail(error, "%s has no preset \"%.*s\"; see holonom list parameters %s", type->name, count, name,
          type->name);
  return NULL;
}

int hn_solver_read(const hn_solver_type *type, const char *settings, void *data, struct hn_text **texts,
                   hn_error *error)
{
  static const char key[] = "preset=";
  const char *at = type->presets ? settings : NULL;
  while (at && strncmp(at, key, sizeof key - 1) != 0) at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL;
  if (!at) return hn_params_read(type->params, type->name, settings, data, texts, error);
  const char *name = at + sizeof key - 1, *end = name + strcspn(name, ",");
  const hn_preset *preset = find_preset(type, name, (int)(end - name), error);
  if (!preset || hn_params_read(type->params, type->name, preset->settings, data, texts, error)) return -1;
  char *others = strdup(settings); /* without the preset and one comma */
  if (!others) return hn_fail(error, "out of memory");
  if (*end) memmove(others + (at - settings), end + 1, strlen(end));
  else others[at > settings ? at - settings - 1 : 0] = '\0';
  int status = hn_params_change(type->params, type->name, others, data, texts, error);
  free(others);
  return status;
}

int hn_solver_order(const hn_solver *solver)
{
  return solver->type->order_of ? solver->type->order_of(solver) : solver->type->order;
}
