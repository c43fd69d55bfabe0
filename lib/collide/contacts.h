/* contacts.h - the contacts of a state, from its poses. Internal. */
#ifndef HN_COLLIDE_CONTACTS_H
#define HN_COLLIDE_CONTACTS_H

#include "collide/broad.h"

/* Collision detection with its memory: two that look at the same poses find the same. */
typedef struct hn_collision hn_collision;

/* NULL on error. */
hn_collision *hn_collision_create(const hn_model *model, hn_error *error);
void hn_collision_free(hn_collision *collision);
/* state->contact := what is nearer than the model's margin, by ascending key: pair of colliders, then features.
 * Contacts whose key was there keep their impulses. HN_FULL: there is no room, and STATE is as it was. */
hn_reason hn_collide(hn_collision *collision, hn_state *state, hn_work *work);
/* Is where CONTACT touches fixed to one of its bodies, and its normal to the other, as long as the same features touch:
 * a corner, or what is round about a point, on a face? */
bool hn_contact_is_fixed(const hn_model *model, const hn_contact *contact);
/* The colliders of a contact by its key. */
hn_pair hn_contact_pair(uint64_t key);

#endif
