/* contact_registry.h - how contact solvers enter the registry. Internal. */
#ifndef HN_CONTACT_REGISTRY_H
#define HN_CONTACT_REGISTRY_H

#include "contact.h"

/* The solver NAME: a built-in one, one of OWN, ended by NULL, which may be NULL, or one of a plugin, in this order.
 * NULL on error. */
const hn_contact_type *hn_contact_type_find(const char *name, const hn_contact_type *const *own,
                                            hn_error *error);
/* Can TYPES, ended by NULL, of the file PATH, be registered: has none of them the name of another one, and is there
 * room? */
int hn_contact_check_plugin(const char *path, const hn_contact_type *const *types, hn_error *error);
/* Registers them; those that are there already stay. */
void hn_contact_register_plugin(const hn_contact_type *const *types);

#endif
