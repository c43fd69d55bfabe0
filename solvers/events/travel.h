/* travel.h - the longest part of a step in which no shape can pass through another unseen. Internal. */
#ifndef HN_EVENTS_TRAVEL_H
#define HN_EVENTS_TRAVEL_H

#include "collide/filter.h"
#include "solver.h"

typedef struct hn_travel {
  hn_arrays arrays;
  hn_filter filter;
  /* [ncollider] m: distance from the centre of a shape to its nearest surface; infinite for planes */
  double *depth;
  double *centre; /* [3 ncollider] m: world position of the centre of each shape */
  double *speed;  /* [3 ncollider] m/s: its velocity */
  double least;   /* m: smallest depth of all shapes */
} hn_travel;

int hn_travel_setup(hn_travel *travel, const hn_model *model, hn_error *error);
void hn_travel_free(hn_travel *travel);
/* Returns the duration, s, after which the motion from STATE must be searched for contacts again; at most H.
 * No pair of shapes that may meet within H approaches by more than half the sum of its depths. The result is
 * at least SHORTEST, or H if that is less. */
double hn_travel_limit(const hn_travel *travel, const hn_model *model, const hn_state *state, double h,
                       double shortest);

#endif
