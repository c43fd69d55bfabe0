/* series.h - motion as power series in time, for Taylor methods. Internal.
 *
 * Positions, orientations, angular momenta, Jacobians and multipliers as truncated power series in time. With
 * coefficients 0 to k - 1 of the multipliers known, hn_series_predict finds coefficient k + 2 of the motion as if
 * coefficient k of the multipliers were zero; hn_series_push then adds the effect of that coefficient, without forming
 * a product of series again. */
#ifndef HN_SERIES_H
#define HN_SERIES_H

#include "system.h"

typedef struct hn_series hn_series;

hn_series *hn_series_create(hn_system *system, int order, hn_error *error);
void hn_series_free(hn_series *series);
void hn_series_start(hn_series *series, const hn_state *state);
/* Coefficient k + 2 of all residuals, with multiplier coefficient k zero, into g[nrow]; of rows of velocities, as if
 * they had a residual: coefficient k + 1 of G u + bias over k + 2. */
void hn_series_predict(hn_series *series, size_t k, double *g);
/* Sets coefficient k of the multipliers; needs the Jacobian of hn_system_jacobian at the state of hn_series_start. */
void hn_series_push(hn_series *series, size_t k, const double *lambda);
/* The state after time h, by powers up to ORDER. */
void hn_series_state(const hn_series *series, double h, size_t order, hn_state *state);
/* The multipliers after time h, by powers below ORDER, into lambda[nrow]. */
void hn_series_multipliers(const hn_series *series, double h, size_t order, double *lambda);
/* Largest coefficient k of a position or orientation, Euclidean norm of one body, m / s^k or 1 / s^k. */
double hn_series_size(const hn_series *series, size_t k);

#endif
