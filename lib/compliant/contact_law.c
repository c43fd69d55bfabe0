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

static const hn_type_registry registry = { "contact law", "laws", offsetof(hn_contact_law_type, name),
                                           types,         TYPES,  TYPES,
                                           TYPES,         NULL };

const hn_contact_law_type *const *hn_contact_law_types(size_t *count)
{
  if (count) *count = TYPES;
  return types;
}

const hn_contact_law_type *hn_contact_law_type_find(const char *name, hn_error *error)
{
  return hn_type_find(&registry, name, NULL, error);
}

hn_contact_law *hn_contact_law_create(const char *spec, hn_error *error)
{
  char name[64];
  const size_t length = strcspn(spec, ":");
  snprintf(name, sizeof name, "%.*s", (int)length, spec);
  const hn_contact_law_type *type = hn_contact_law_type_find(name, error);
  if (!type) return NULL;
  hn_contact_law *law = calloc(1, sizeof *law);
  if (law) law->type = type, law->data = calloc(1, type->data_size);
  if (!law || !law->data) {
    hn_fail(error, "out of memory");
  } else if (hn_params_read(type->params, type->name, spec[length] ? spec + length + 1 : NULL, law->data,
                            NULL, error) == 0 &&
             type->setup(law->data, error) == 0) {
    return law;
  }
  hn_contact_law_free(law);
  return NULL;
}

void hn_contact_law_free(hn_contact_law *law)
{
  if (!law) return;
  free(law->data);
  free(law);
}
