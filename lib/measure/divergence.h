/* divergence.h - how far off a run can be before its figures mean nothing. Internal. */
#ifndef HN_DIVERGENCE_H
#define HN_DIVERGENCE_H

#include "state.h"

typedef struct hn_bounds {
  double size;         /* of the mechanism at the start, m */
  double given;        /* energies in play from the start: kinetic, stored, and weights over the size, J */
  double start, least; /* potential at the start, and the least so far, J */
  bool conserves;      /* else the energy tells nothing */
  hn_state *first;     /* the start */
  double way, turned;  /* sums of the longest ways and turns of a body in each step, m and rad */
  double slip;     /* sum over the measures of time since the last one, times the largest error of a joint's
                              * rate, m or rad */
  double measured; /* time of the last one, s */
} hn_bounds;

/* For steps of h seconds; -1 and an error when memory is out. */
int hn_bounds_start(hn_bounds *bounds, const hn_model *model, const hn_state *state,
                    const hn_measure *measure, double h, hn_error *error);
void hn_bounds_free(hn_bounds *bounds);
/* Energies in play so far, J; NAN where energy is not conserved. */
double hn_bounds_energy(const hn_bounds *bounds);
/* What joints have slipped by, over all that the mechanism has moved, with its size or 1 rad. */
double hn_bounds_slip(const hn_bounds *bounds, const hn_model *model, const hn_measure *measure);
/* Adds the ways and turns of a step; after every one. */
void hn_bounds_follow(hn_bounds *bounds, const hn_state *before, const hn_state *after);
/* Is STATE, measured, beyond the bounds? Why into TEXT. */
bool hn_bounds_passed(hn_bounds *bounds, const hn_model *model, const hn_state *state,
                      const hn_measure *measure, double energy_error, char *text, size_t size);

#endif
