/* divergence.h - bounds on the errors of a run beyond which its results are meaningless. Internal. */
#ifndef HN_DIVERGENCE_H
#define HN_DIVERGENCE_H

#include "state.h"

typedef struct hn_bounds {
  double size;         /* size of the mechanism at the start, m */
  double given;        /* initial energies in play: kinetic, stored, and weights times the size, J */
  double start, least; /* potential at the start and its minimum so far, J */
  bool conserves;      /* false: the energy is not checked */
  hn_state *first;     /* state at the start; NULL without joints */
  double way, turned;  /* sums over the steps of the largest displacement and rotation of a body, m and rad */
  double spin;         /* rad/s: fastest rotation of a body after any step */
  double slip;         /* integral over time of the largest rate error of a joint, m or rad */
  double measured;     /* time of the last measure, s */
} hn_bounds;

/* Initialises BOUNDS for steps of H seconds; -1 and an error if out of memory. Without joints, now and
 * later, no copy of STATE is needed. */
int hn_bounds_start(hn_bounds *bounds, const hn_model *model, const hn_state *state,
                    const hn_measure *measure, double h, bool may_have_joints, hn_error *error);
void hn_bounds_free(hn_bounds *bounds);
/* Returns the energies in play so far, J; NAN if energy is not conserved. */
double hn_bounds_energy(const hn_bounds *bounds);
/* Returns the same also if energy is lost; NAN if something in MODEL can add energy. */
double hn_bounds_supply(const hn_bounds *bounds, const hn_model *model);
/* Returns the accumulated rate errors of joints over the accumulated motion of the mechanism plus its size
 * (or 1 rad). */
double hn_bounds_slip(const hn_bounds *bounds, const hn_model *model, const hn_measure *measure);
/* Adds the displacements and rotations of a step; call it after every step. */
void hn_bounds_add_step(hn_bounds *bounds, const hn_state *before, const hn_state *after);
/* True if STATE, with its measures, exceeds a bound; writes the reason to TEXT. */
bool hn_bounds_exceeded(hn_bounds *bounds, const hn_model *model, const hn_state *state,
                        const hn_measure *measure, double energy_error, char *text, size_t size);

#endif
