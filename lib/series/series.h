/* series.h - motion as power series in time, for Taylor solvers. Internal.
 *
 * Positions, orientations, angular momenta, Jacobians and multipliers are truncated power series in time.
 * Given coefficients 0 to k - 1 of the multipliers, coefficient k + 2 of the motion is computed with
 * coefficient k of the multipliers taken as zero. Its effect is added when it is known, without another
 * product of series. One pass through the system (power_order.h) adds the effect of one coefficient and
 * computes the motion for the next. */
#ifndef HN_SERIES_H
#define HN_SERIES_H

#include "system.h"

typedef struct hn_series hn_series;

hn_series *hn_series_create(hn_system *system, int order, hn_error *error);
void hn_series_free(hn_series *series);
/* Starts the series at STATE. Stores in g[nrow] coefficient 2 of all residuals, with multiplier coefficient 0
 * taken as zero. Rows of velocities have no residual: coefficient k + 1 of G u + bias, divided by k + 2,
 * takes the place of coefficient k + 2. Needs the Jacobian of hn_system_jacobian at STATE. */
void hn_series_start(hn_series *series, const hn_state *state, double *g);
/* Sets coefficient k of the multipliers. Unless it is the last, stores in g[nrow] coefficient k + 3 of all
 * residuals, with multiplier coefficient k + 1 taken as zero. lambda and g may be the same array. */
void hn_series_set_multipliers(hn_series *series, size_t k, const double *lambda, double *g);
/* Computes the wrenches WRENCH[6 nbody] of row force GIVEN due to a unit multiplier of its normal. Requires
 * hn_series_start. The multipliers given to hn_series_set_multipliers must account for these wrenches. */
void hn_series_row_force_wrench(const hn_series *series, int given, double *wrench);
/* Stores the accelerations TWIST[nbody] due to the same wrenches, for hn_series_valid_time. */
void hn_series_row_force_acceleration(hn_series *series, int given, const hn_twist *twist);
/* Returns the part of LEFT, s, for which the direction of friction is valid (row_force_series.h). */
double hn_series_valid_time(const hn_series *series, double left);
/* Evaluates the state at time h with powers up to ORDER. */
void hn_series_state(const hn_series *series, double h, size_t order, hn_state *state);
/* Evaluates the multipliers at time h with powers below ORDER, into lambda[nrow]. */
void hn_series_multipliers(const hn_series *series, double h, size_t order, double *lambda);
/* Returns the largest Euclidean norm of coefficient k of a body's position (m/s^k) or orientation (1/s^k). */
double hn_series_size(const hn_series *series, size_t k);

#endif
