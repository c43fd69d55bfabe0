/* point_masses.h - the masses that stand for one rigid body. Internal. */
#ifndef HN_POINT_MASSES_H
#define HN_POINT_MASSES_H

#include "system.h"

typedef struct hn_point_masses {
  double centre, joint, corner; /* kg: at the centre, at each joint point, at each of the four below */
  double at[4][3];              /* from the centre of mass, body axes, m */
} hn_point_masses;

/* Masses with the mass, centre and inertia of BODY, some of them at the COUNT joint points Q, body axes. */
int hn_point_masses_of(const hn_body *body, int count, const double *Q, hn_point_masses *out,
                       hn_error *error);
/* The one of the four that a point at X is not tied to: its directions to the other three span the most. */
int hn_point_masses_left_out(const double at[4][3], const double x[3]);

#endif
