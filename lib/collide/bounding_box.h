/* bounding_box.h - axis-aligned bounding boxes of shapes. Internal. */
#ifndef HN_BOUNDING_BOX_H
#define HN_BOUNDING_BOX_H

#include "collide/collide.h"

/* Computes the axis-aligned box (world axes, m) of a placed shape, enlarged by MARGIN on every side. */
void hn_placed_bounds(const hn_placed_shape *placed, double margin, double low[3], double high[3]);

#endif
