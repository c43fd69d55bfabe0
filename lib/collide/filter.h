/* filter.h - which colliders of a model may ever touch: by their bodies, groups and joints. Internal. */
#ifndef HN_COLLIDE_FILTER_H
#define HN_COLLIDE_FILTER_H

#include "collide/collide.h"
#include "state.h"

typedef struct hn_pair {
  int a, b; /* colliders, a < b */
} hn_pair;

typedef struct hn_filter {
  struct hn_filter_owner *owner; /* [ncollider] what decides, side by side in memory */
  hn_pair *joined;               /* [njoined] bodies that a joint connects, ascending */
  int njoined;
} hn_filter;

/* -1 without memory. */
int hn_filter_setup(hn_filter *filter, const hn_model *model);
void hn_filter_free(hn_filter *filter);
bool hn_filter_allows(const hn_filter *filter, int a, int b);

#endif
