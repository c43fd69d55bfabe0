/* known.h - known forces along rows: friction of sliding contacts and forces at their bounds. Internal.
 *
 *   Q = force,  or  Q = -mu lambda_n d,  d = v / |v|
 *
 * v are the rates of the rows, lambda_n is the multiplier of the normal. lambda_n depends on all forces, and
 * friction on lambda_n: a small linear system (normal_forces.h) makes friction a function of positions,
 * velocities and time. Every solver then integrates it as an ordinary force, to full order. If the system is
 * singular, friction is not unique.
 *
 * Friction damps the slip across d at a rate of mu g / |v|, which is unbounded at the start of slip. There
 * the direction d is planned instead (slip_plan.c). Transverse slips below hn_straight_slip are rounding: a
 * straight slip stays straight. */
#ifndef HN_EVENTS_KNOWN_H
#define HN_EVENTS_KNOWN_H

#include "system.h"

/* m/s: a slip whose transverse part is at most this has the direction hn_row_force.along */
static const double hn_straight_slip = 1e-12;

typedef struct hn_known hn_known;

/* Creates the known forces GIVEN[count] of MODEL. Both must outlive the result. NULL on error. */
hn_known *hn_known_create(const hn_model *model, const hn_row_force *given, int count, hn_error *error);
void hn_known_free(hn_known *known);
/* Adds the known forces to WRENCH, as hn_extra_forces.add. Not finite if friction is not unique. */
void hn_known_add(void *known, const hn_state *state, double *wrench);
/* Returns the work counted since the last call. */
hn_work hn_known_work(hn_known *known);
/* Sets it to WORK. */
void hn_known_set_work(hn_known *known, hn_work work);
/* Computes the rates of the rows of GIVEN at STATE, less the rate that control demands, and the Jacobians
 * G_a[6 n], G_b[6 n] as in hn_rows. */
void hn_known_rates(const hn_row_force *given, const hn_state *state, double *G_a, double *G_b, double *rate);
/* Computes the direction d[n] of GIVEN from the rates v[n] of its rows. */
void hn_known_direction(const hn_row_force *given, int n, const double *v, double *d);
/* Computes the planned direction d of GIVEN at TIME (slip_plan.c). */
void hn_known_plan_direction(const hn_row_force *given, double time, double d[2]);

#endif
