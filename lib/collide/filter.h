/* filter.h - which colliders of a model may collide: by bodies, groups and joints. Internal. */
#ifndef HN_COLLIDE_FILTER_H
#define HN_COLLIDE_FILTER_H

#include "base/array.h"
#include "collide/collide.h"
#include "collide/contact_key.h"
#include "state.h"

typedef struct hn_filter {
  struct hn_filter_owner *owner; /* [ncollider] data of the decision, contiguous */
  hn_pair *joined;               /* [njoined] bodies connected by a joint, ascending */
  int njoined;
  const hn_model *model; /* with compliant contacts, whose pairs are not allowed; else NULL */
} hn_filter;

/* Makes the filter of MODEL, its memory among ARRAYS; -1 if memory runs out. */
int hn_filter_setup(hn_filter *filter, const hn_model *model, hn_arrays *arrays);
bool hn_filter_allows(const hn_filter *filter, int a, int b);

#endif
