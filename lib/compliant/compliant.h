/* compliant.h - forces of compliant contacts. Internal. */
#ifndef HN_COMPLIANT_H
#define HN_COMPLIANT_H

#include "state.h"

/* Adds the forces of all compliant contacts of the model at STATE to wrench[6 nbody], as forces and torques
 * about the centres of mass, world axes. */
void hn_compliant_forces(const hn_model *model, const hn_state *state, double *wrench, hn_work *work);
/* Returns the energy stored in all compliant contacts, J. */
double hn_compliant_energy(const hn_model *model, const hn_state *state);

#endif
