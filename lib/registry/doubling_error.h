/* doubling_error.h - the error of a part of a step, estimated by doubling (step_doubling.h). Internal. */
#ifndef HN_DOUBLING_ERROR_H
#define HN_DOUBLING_ERROR_H

#include "state.h"

/* A part of H s, taken as one step and as two. */
typedef struct hn_doubled {
  const hn_state *start, *whole; /* its start; its end by one step */
  const hn_state *middle, *end;  /* its middle and end by two steps */
  double h;
} hn_doubled;

/* Estimates the error of PART in m, for a solver of ORDER. REACH[nbody], m: radii at which rotations count.
 * BY_JUMPS gets the error by jumps of velocities alone; NULL: velocities do not jump. */
double hn_doubling_error(const hn_model *model, const hn_doubled *part, const double *reach, int order,
                         double *by_jumps);

#endif
