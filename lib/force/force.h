/* force.h - what the library does with the forces of a model. Internal. */
#ifndef HN_FORCE_H
#define HN_FORCE_H

#include "force/force_law.h"
#include "state.h"

void hn_force_free(hn_force *force);
/* Forces and torques about the centres of mass of all the model's forces at STATE into wrench[6 nbody], world axes. */
void hn_forces_sum(const hn_model *model, const hn_state *state, double *wrench);
/* Energy stored in all forces, J. */
double hn_forces_energy(const hn_model *model, const hn_state *state);
/* What controllers remember at STATE, the start. */
void hn_forces_start(const hn_model *model, hn_state *state);
/* What controllers remember of the step of h that ended at STATE. */
void hn_forces_update(const hn_model *model, double h, hn_state *state);

#endif
