/* contact_law.h - a law of compliant contact with its parameters. Internal. */
#ifndef HN_CONTACT_LAW_H
#define HN_CONTACT_LAW_H

#include "forces.h"

struct hn_contact_law {
  const hn_contact_law_type *type;
  /* begins with the hn_smooth_friction of its type */
  void *data;
};

/* Creates the law of SPEC, "name" or "name:key=value,..."; NULL on error. */
hn_contact_law *hn_contact_law_create(const char *spec, hn_error *error);
void hn_contact_law_free(hn_contact_law *law); /* NULL is allowed */

#endif
