/* travel.h - the longest part of a step in which no shape can pass through another unseen. Internal. */
#ifndef HN_EVENTS_TRAVEL_H
#define HN_EVENTS_TRAVEL_H

#include "collide/filter.h"
#include "solver.h"

typedef struct hn_travel {
  hn_filter filter;
  double *depth;  /* [ncollider] m: from the middle of a shape to its nearest surface; infinite for planes */
  double *centre; /* [3 ncollider] m: world position of the middle of each shape */
  double *speed;  /* [3 ncollider] m/s: its velocity */
  double least;   /* m: the least depth of all shapes */
} hn_travel;

int hn_travel_setup(hn_travel *travel, const hn_model *model, hn_error *error);
void hn_travel_free(hn_travel *travel);
/* Returns how long the motion from STATE may go on, at most H, before it is searched for contacts again. No
 * pair of shapes that may meet within H approaches by more than half of its depths. At least SHORTEST, s, or
 * H. */
double hn_travel_limit(const hn_travel *travel, const hn_model *model, const hn_state *state, double h,
                       double shortest);

#endif
