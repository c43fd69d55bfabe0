/* bounding_box.h - boxes along the world's axes. Internal. */
#ifndef HN_BOUNDING_BOX_H
#define HN_BOUNDING_BOX_H

#include "collide/collide.h"

/* The box that holds PLACED and MARGIN around it. */
void hn_placed_bounds(const hn_placed *placed, double margin, double low[3], double high[3]);

#endif
