/* contact_registry.h - registration of contact solvers. Internal. */
#ifndef HN_CONTACT_REGISTRY_H
#define HN_CONTACT_REGISTRY_H

#include "contact.h"

/* Returns the solver type NAME: built-in, then one of OWN (ended by NULL, or NULL), then one of a plugin.
 * Returns NULL on error. */
const hn_contact_type *hn_contact_type_find(const char *name, const hn_contact_type *const *own,
                                            hn_error *error);
/* Checks whether TYPES, ended by NULL, of the plugin PATH can be registered: unused names, enough room.
 * Returns -1 if not. */
int hn_contact_check_plugin(const char *path, const hn_contact_type *const *types, hn_error *error);
/* Registers TYPES, except those registered already. */
void hn_contact_register_plugin(const hn_contact_type *const *types);

#endif
