/* known.h - forces along rows whose multipliers are known: friction of what slides, forces at their bounds. Internal.
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
 * what slides comes to rest sees a smooth function. Across d friction damps at a rate of mu g / |v|, without bound
 * where something begins to slide: what is next to nothing there is none, or explicit methods would make it grow. */
#ifndef HN_EVENTS_KNOWN_H
#define HN_EVENTS_KNOWN_H

#include "system.h"

/* Rows that are no equations, whose multipliers are known: Q = force along them, or friction of what slides, against
 * their rates and mu times the multiplier of another joint. */
typedef struct hn_given {
  const hn_joint *joint;
  int normal;        /* the joint of one row that it depends on; -1: none */
  double mu;         /* 1 */
  double along[2];   /* unit length: where its rates begin, or go on after they have been zero */
  double force[HN_MAX_ROWS]; /* N or N m; without a normal */
} hn_given;

typedef struct hn_known hn_known;

/* Of MODEL, with COUNT forces GIVEN; both stay as long. NULL on error. */
hn_known *hn_known_create(const hn_model *model, const hn_given *given, int count, hn_error *error);
void hn_known_free(hn_known *known);
/* As hn_more_forces.add has it; what is not finite where there is no one answer. */
void hn_known_add(void *known, const hn_state *state, double *wrench);
/* Its work since the last time it was asked. */
hn_work hn_known_work(hn_known *known);
/* The direction d of GIVEN at STATE, by the rates of its rows v[n]. */
void hn_known_direction(const hn_given *given, int n, const double *v, double *d);

#endif
