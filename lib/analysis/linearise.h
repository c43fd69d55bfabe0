/* linearise.h - derivatives of the accelerations on the manifold of the joints. Internal. */
#ifndef HN_LINEARISE_H
#define HN_LINEARISE_H

#include "analysis.h"
#include "analysis/tangent.h"

typedef struct hn_linearisation {
  const hn_model *model;
  hn_manifold manifold;
  hn_tangent tangent;
  hn_state *state, *moved;        /* the state, and one near it */
  hn_twist *acceleration, *trial; /* [nbody] at the state; scratch */
  hn_twist *direction, *change;   /* [nbody] displacement, and change of velocities with it */
  double *lambda;                 /* [nrow] */
  double size;                    /* m: size of the mechanism */
  double *sum;                    /* [positions + velocities] scratch */
} hn_linearisation;

/* Prepares the linearisation of MODEL about STATE, which meets its joints; -1 on error. */
int hn_linearisation_create(hn_linearisation *l, const hn_model *model, const hn_state *state,
                            hn_error *error);
void hn_linearisation_free(hn_linearisation *l);
/* Computes the matrix A[size * size] of z' = A z by rows (hn_eigenmodes.matrix). */
int hn_linearisation_matrix(hn_linearisation *l, double *A, hn_error *error);
/* Returns the largest acceleration of a body, m/s^2 or rad/s^2, or its largest speed. */
double hn_largest_twist(const hn_twist *u, int count);

#endif
