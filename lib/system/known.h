/* known.h - forces along rows whose multipliers are known (hn_model.given): friction of what slides. Internal.
 *
 *   Q = force, or  Q = -mu lambda_n d,   d = v / |v|,  v the rates of the rows, lambda_n the multiplier of the normal
 *
 * lambda_n depends on all forces, and they on it. With K = G W G' of the model's equations, f_j the wrench of friction
 * j at lambda_n = 1, and lambda0 without friction:
 *
 *   lambda = lambda0 - sum_j K^-1 G W f_j lambda_nj
 *
 * so that friction is a function of positions, velocities and time: a force like others, to any order of any method.
 * The system for the lambda_nj has as many rows as there is that slides; where it is singular there is no acceleration,
 * or more than one (Painleve). d keeps the side of hn_given.along: a method whose step goes on beyond the instant where
 * what slides comes to rest sees a smooth function. Across d friction damps at a rate of mu g / |v|, without bound where
 * something begins to slide: what is next to nothing there is none, or explicit methods would make it grow. */
#ifndef HN_SYSTEM_KNOWN_H
#define HN_SYSTEM_KNOWN_H

#include "system.h"

typedef struct hn_known hn_known;

/* NULL on error. MODEL stays as long. */
hn_known *hn_known_create(const hn_model *model, hn_error *error);
void hn_known_free(hn_known *known);
/* WRENCH[6 nbody], of all other forces at STATE, takes these in; what is not finite where there is no one answer. */
void hn_known_add(hn_known *known, const hn_state *state, double *wrench, hn_work *work);
/* The direction d of GIVEN at STATE, by the rates of its rows v[n]. */
void hn_known_direction(const hn_given *given, int n, const double *v, double *d);

/* twist += h W wrench[6 nbody], W at STATE. */
void hn_push(const hn_model *model, const hn_state *state, const double *wrench, double h, hn_twist *twist);

#endif
