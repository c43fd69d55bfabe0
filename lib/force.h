/* force.h - what the library does with the forces of a model. Internal. */
#ifndef HN_FORCE_H
#define HN_FORCE_H

#include "body_series.h"

enum { HN_FORCE_ROWS = 3 }; /* of one force at most */

void hn_force_free(hn_force *force);
/* Energy stored in all forces, J. */
double hn_forces_energy(const hn_model *model, const hn_state *state);
/* What controllers remember of the step of h that ended at STATE. */
void hn_forces_update(const hn_model *model, double h, hn_state *state);

/* ---- Power series of forces ------------------------------------------------------------------------------------- */

typedef struct hn_force_series hn_force_series;

/* Room for powers below STRIDE; NULL and an error when memory is out or a force has no power series. */
hn_force_series *hn_force_series_create(const hn_model *model, size_t stride, hn_error *error);
void hn_force_series_free(hn_force_series *series);
/* Starts at the time and inputs of STATE. */
void hn_force_series_start(hn_force_series *series, const hn_state *state);
/* Adds coefficient k of all forces to wrench[6 nbody], given coefficients 0..k+1 of the bodies' motion; to be called
 * with k = 0, 1, 2, ... in turn. */
void hn_force_series_add(hn_force_series *series, size_t k, const hn_body_series *body, double *wrench);

#endif
