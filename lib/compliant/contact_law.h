/* contact_law.h - a law of compliant contact with its parameters. Internal. */
#ifndef HN_CONTACT_LAW_H
#define HN_CONTACT_LAW_H

#include "forces.h"

struct hn_contact_law {
  const hn_contact_law_type *type;
  /* begins with the hn_smooth_friction of its type */
  void *data;
};

/* Allocates a law of TYPE with zeroed data; NULL on error. Then reads its parameters, "key=value,..." or
 * NULL; returns -1 on error. */
hn_contact_law *hn_contact_law_allocate(const hn_contact_law_type *type, hn_error *error);
int hn_contact_law_read(hn_contact_law *law, const char *settings, hn_error *error);
/* Creates the law of SPEC, "name" or "name:key=value,..."; NULL on error. */
hn_contact_law *hn_contact_law_create(const char *spec, hn_error *error);
/* Creates a law of one's own from the tapes of force and energy, of which one may be NULL. It takes
 * ownership of both, even on failure. */
hn_contact_law *hn_contact_law_create_own(const char *settings, struct hn_tape *law, struct hn_tape *stored,
                                          hn_error *error);
void hn_contact_law_free(hn_contact_law *law); /* NULL is allowed */

#endif
