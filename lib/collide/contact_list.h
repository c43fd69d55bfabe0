/* contact_list.h - the contacts of a state, from its poses. Internal. */
#ifndef HN_CONTACT_LIST_H
#define HN_CONTACT_LIST_H

#include "collide/broad.h"

/* Collision detection with its working memory. The result depends on the poses alone. */
typedef struct hn_collision hn_collision;

/* Returns NULL on error. */
hn_collision *hn_collision_create(const hn_model *model, hn_error *error);
void hn_collision_free(hn_collision *collision);
/* Detects the contacts at the poses of STATE: gaps below the model's margin. Returns HN_FULL if there are
 * more than the model has room for, HN_NO_MEMORY without memory. */
hn_reason hn_collision_detect(hn_collision *collision, const hn_state *state, hn_work *work);
/* Returns the number of pairs of colliders of the last detection that may have contacts. */
int hn_collision_pairs(const hn_collision *collision);
/* Returns the contacts of pair INDEX of the last detection, at the poses of STATE, by ascending key and
 * without impulses, and stores their number, which may be 0, in *COUNT. The caller may change them until
 * the next call. */
hn_contact *hn_collision_contacts(hn_collision *collision, const hn_state *state, int index, int *count);
/* Replaces state->contact by the contacts detected at its poses, by ascending key. A contact whose key
 * existed keeps its impulse. Returns the reason of a failed detection, with STATE unchanged. */
hn_reason hn_collide(hn_collision *collision, hn_state *state, hn_work *work);
/* Equivalent of hn_collide for a state whose contacts are those of BEFORE, another state. */
hn_reason hn_collide_from(hn_collision *collision, const hn_state *before, hn_state *state, hn_work *work);

#endif
