/* force_series.h - forces as power series in time. Internal. */
#ifndef HN_FORCE_SERIES_H
#define HN_FORCE_SERIES_H

#include "series/body_series.h"

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
