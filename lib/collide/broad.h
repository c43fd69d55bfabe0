/* broad.h - broad phase: the pairs of colliders whose bounding boxes overlap. Internal. */
#ifndef HN_BROAD_H
#define HN_BROAD_H

#include "collide/filter.h"

typedef struct hn_pairs hn_pairs;

/* Returns NULL on error, also for a model without colliders. */
hn_pairs *hn_pairs_create(const hn_model *model, hn_error *error);
void hn_pairs_free(hn_pairs *pairs);
/* Returns the allowed pairs whose bounding boxes are nearer than the model's margin, in ascending order. The
 * list is valid until the next call; COUNT is -1 if memory runs out. The result depends on the poses alone;
 * poses close to those of the last call save time. */
const hn_pair *hn_pairs_find(hn_pairs *pairs, const hn_state *state, int *count);
/* Returns the placement of a collider in the last call of hn_pairs_find. */
const hn_placed_shape *hn_pairs_placed(const hn_pairs *pairs, int collider);
/* True if one of the two colliders is a height field. */
bool hn_pairs_has_field(const hn_pairs *pairs, hn_pair pair);
/* True if the two colliders may collide by groups, bodies and joints. */
bool hn_pairs_allowed(const hn_pairs *pairs, int a, int b);

#endif
