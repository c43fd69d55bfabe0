/* known.h - forces along rows whose multipliers are known: friction of what slides, forces at their bounds. Internal.
 *
 *   Q = force, or  Q = -mu lambda_n d,   d = v / |v|,  v the rates of the rows, lambda_n the multiplier of the normal
 *
 * lambda_n depends on all forces, and they on it: a small system (normals.h) makes friction a function of positions,
 * velocities and time, a force like others, to any order of any solver. Where that system is singular there is no one
 * answer. d keeps the side of hn_given.along: a solver whose step goes on beyond the instant where what slides comes to
 * rest sees a smooth function. Across d friction damps at a rate of mu g / |v|, without bound where something begins to
 * slide: what is next to nothing there is none, or explicit methods would make it grow. */
#ifndef HN_EVENTS_KNOWN_H
#define HN_EVENTS_KNOWN_H

#include "system.h"

typedef struct hn_known hn_known;

/* Of MODEL, with COUNT forces GIVEN; both stay as long. NULL on error. */
hn_known *hn_known_create(const hn_model *model, const hn_given *given, int count, hn_error *error);
void hn_known_free(hn_known *known);
/* As hn_more_forces.add has it; what is not finite where there is no one answer. */
void hn_known_add(void *known, const hn_state *state, double *wrench);
/* Its work since the last time it was asked. */
hn_work hn_known_work(hn_known *known);
/* Rates of the rows of GIVEN at STATE, less what control asks for, and its Jacobians G_a[6 n], G_b[6 n] as in
 * hn_rows. */
void hn_known_rates(const hn_given *given, const hn_state *state, double *G_a, double *G_b, double *rate);
/* The direction d of GIVEN at STATE, by the rates of its rows v[n]. */
void hn_known_direction(const hn_given *given, int n, const double *v, double *d);

#endif
