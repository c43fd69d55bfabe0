/* broad.h - which shapes of a model may touch at given poses. Internal. */
#ifndef HN_BROAD_H
#define HN_BROAD_H

#include "collide/filter.h"

typedef struct hn_pairs hn_pairs;

/* NULL on error, also for a model in which nothing collides. */
hn_pairs *hn_pairs_create(const hn_model *model, hn_error *error);
void hn_pairs_free(hn_pairs *pairs);
/* The pairs whose boxes along the world's axes are nearer than the model's margin, ascending; valid until the next
 * call. COUNT is -1 without memory. Depends on the poses alone; that they are like those of the last call saves
 * time. */
const hn_pair *hn_pairs_find(hn_pairs *pairs, const hn_state *state, int *count);
/* Where a collider stood in the last call. */
const hn_placed *hn_pairs_placed(const hn_pairs *pairs, int collider);
/* May the two ever touch? By groups, bodies and joints. */
bool hn_pairs_allowed(const hn_pairs *pairs, int a, int b);

#endif
