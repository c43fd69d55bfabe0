/* force.h - the forces of a model. Internal. */
#ifndef HN_FORCE_H
#define HN_FORCE_H

#include "force/force_law.h"
#include "state.h"

void hn_force_free(hn_force *force);
/* Computes the sum of all forces of the model at STATE, as forces and torques about the centres of mass, into
 * wrench[6 nbody], world axes. */
void hn_forces_sum(const hn_model *model, const hn_state *state, double *wrench);
/* Returns the energy stored in all forces and compliant contacts, J. */
double hn_forces_energy(const hn_model *model, const hn_state *state);
/* Sets the memory of controllers at STATE, the start. */
void hn_forces_start(const hn_model *model, hn_state *state);
/* Updates the memory of controllers after the step of H that ended at STATE. */
void hn_forces_update(const hn_model *model, double h, hn_state *state);

#endif
