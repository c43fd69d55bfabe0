/* contact_law.c - laws of compliant contact: their registry (laws.def) and their creation from text */
#include "compliant/contact_law.h"
#include "base/params.h"
#include "base/type_registry.h"

#include <stdlib.h>
#include <string.h>

#define LAW(name) extern const hn_contact_law_type hn_contact_law_##name;
#include "compliant/laws.def"
#undef LAW

static const hn_contact_law_type *types[] = {
#define LAW(name) &hn_contact_law_##name,
#include "compliant/laws.def"
#undef LAW
  NULL
};
enum { TYPES = sizeof types / sizeof *types - 1 };

static hn_type_registry registry = {
  .kind = "contact law",
  .listing = "laws",
  .name = offsetof(hn_contact_law_type, name),
  .types = types,
  .room = TYPES,
  .built_in = TYPES,
  .count = TYPES,
};

const hn_contact_law_type *const *hn_contact_law_types(size_t *count)
{
  if (count) *count = TYPES;
  return types;
}

const hn_contact_law_type *hn_contact_law_type_find(const char *name, hn_error *error)
{
  return hn_type_find(&registry, name, NULL, error);
}

hn_contact_law *hn_contact_law_allocate(const hn_contact_law_type *type, hn_error *error)
{
  hn_contact_law *law = calloc(1, sizeof *law);
  if (law) law->type = type, law->data = calloc(1, type->data_size);
  if (law && law->data) return law;
  free(law);
  hn_fail(error, "out of memory");
  return NULL;
}

int hn_contact_law_read(hn_contact_law *law, const char *settings, hn_error *error)
{
  return hn_params_read(law->type->params, law->type->name, settings, law->data, NULL, error);
}

hn_contact_law *hn_contact_law_create(const char *spec, hn_error *error)
{
  char name[64];
  const size_t length = strcspn(spec, ":");
  snprintf(name, sizeof name, "%.*s", (int)length, spec);
  const hn_contact_law_type *type = hn_contact_law_type_find(name, error);
  if (!type) return NULL;
  hn_contact_law *law = hn_contact_law_allocate(type, error);
  if (!law) return NULL;
  if (hn_contact_law_read(law, spec[length] ? spec + length + 1 : NULL, error) == 0 &&
      type->setup(law->data, error) == 0)
    return law;
  hn_contact_law_free(law);
  return NULL;
}

void hn_contact_law_free(hn_contact_law *law)
{
  if (!law) return;
  if (law->type->free) law->type->free(law->data);
  free(law->data);
  free(law);
}
