/* point_masses.h - point masses equivalent to a rigid body. Internal. */
#ifndef HN_POINT_MASSES_H
#define HN_POINT_MASSES_H

#include "system.h"

typedef struct hn_point_masses {
  double centre, joint, corner; /* kg: at the centre, at each joint point, at each of the four corners */
  double at[4][3];              /* corners relative to the centre of mass, body axes, m */
} hn_point_masses;

/* Computes masses with the total mass, centre and inertia of BODY, some of them at the COUNT joint points Q,
 * body axes. -1 and an error for a flat body. */
int hn_point_masses_of(const hn_body *body, int count, const double *Q, hn_point_masses *out,
                       hn_error *error);
/* Returns the corner that a point at X is not tied to, so that its directions to the other three span the
 * largest volume. */
int hn_point_masses_left_out(const double at[4][3], const double x[3]);

#endif
