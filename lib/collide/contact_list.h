/* contact_list.h - the contacts of a state, from its poses. Internal. */
#ifndef HN_CONTACT_LIST_H
#define HN_CONTACT_LIST_H

#include "collide/broad.h"

/* Collision detection with its working memory. The result depends on the poses alone. */
typedef struct hn_collision hn_collision;

/* Returns NULL on error. */
hn_collision *hn_collision_create(const hn_model *model, hn_error *error);
void hn_collision_free(hn_collision *collision);
/* Replaces state->contact by the contacts with a gap below the model's margin, by ascending key. A contact
 * whose key existed keeps its impulse. Returns HN_FULL, with STATE unchanged, if there is no room,
 * HN_NO_MEMORY without memory. */
hn_reason hn_collide(hn_collision *collision, hn_state *state, hn_work *work);

#endif
