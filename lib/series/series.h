/* series.h - motion as power series in time, for Taylor methods. Internal.
 *
 * Positions, orientations, angular momenta, Jacobians and multipliers as truncated power series in time. With
 * coefficients 0 to k - 1 of the multipliers known, coefficient k + 2 of the motion is found as if coefficient k of the
 * multipliers were zero; its effect is added when it is known, without forming a product of series again. The effect of
 * one coefficient and the motion for the next are found in one go through the system (power_order.h). */
#ifndef HN_SERIES_H
#define HN_SERIES_H

#include "system.h"

typedef struct hn_series hn_series;

hn_series *hn_series_create(hn_system *system, int order, hn_error *error);
void hn_series_free(hn_series *series);
/* Starts at STATE; into g[nrow]: coefficient 2 of all residuals, as if multiplier coefficient 0 were zero. Coefficient
 * k + 2 of a row of velocities is, as if it had a residual, coefficient k + 1 of G u + bias over k + 2. Needs the
 * Jacobian of hn_system_jacobian at STATE. */
void hn_series_start(hn_series *series, const hn_state *state, double *g);
/* Sets coefficient k of the multipliers; into g[nrow], unless it was the last: coefficient k + 3 of all residuals, as
 * if multiplier coefficient k + 1 were zero. lambda and g may be the same. */
void hn_series_push(hn_series *series, size_t k, const double *lambda, double *g);
/* After hn_series_start: WRENCH[6 nbody] of what model->more has at GIVEN, as a unit of its normal's
 * multiplier makes it. What a coefficient of the multipliers is given as includes what these lead to. */
void hn_series_given(const hn_series *series, int given, double *wrench);
/* What the same makes of all twists in a second: TWIST[nbody]. */
void hn_series_given_acceleration(hn_series *series, int given, const hn_twist *twist);
/* For how much of LEFT, s, they know which way friction acts (given_series.h). */
double hn_series_reach(const hn_series *series, double left);
/* The state after time h, by powers up to ORDER. */
void hn_series_state(const hn_series *series, double h, size_t order, hn_state *state);
/* The multipliers after time h, by powers below ORDER, into lambda[nrow]. */
void hn_series_multipliers(const hn_series *series, double h, size_t order, double *lambda);
/* Largest coefficient k of a position or orientation, Euclidean norm of one body, m / s^k or 1 / s^k. */
double hn_series_size(const hn_series *series, size_t k);

#endif
