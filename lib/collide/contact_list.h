/* contact_list.h - the contacts of a state, from its poses. Internal. */
#ifndef HN_CONTACT_LIST_H
#define HN_CONTACT_LIST_H

#include "collide/broad.h"

/* Collision detection with its memory: two that look at the same poses find the same. */
typedef struct hn_collision hn_collision;

/* NULL on error. */
hn_collision *hn_collision_create(const hn_model *model, hn_error *error);
void hn_collision_free(hn_collision *collision);
/* state->contact := what is nearer than the model's margin, by ascending key: pair of colliders, then features.
 * Contacts whose key was there keep their impulses. HN_FULL: there is no room, and STATE is as it was. */
hn_reason hn_collide(hn_collision *collision, hn_state *state, hn_work *work);
/* The colliders of a contact by its key, and the number of what touches of them (collide.h). */
hn_pair hn_contact_pair(uint64_t key);
unsigned hn_contact_feature(uint64_t key);

#endif
