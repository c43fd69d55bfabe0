/* tangent.h - coordinates of the motions that the joints allow at a state. Internal. */
#ifndef HN_TANGENT_H
#define HN_TANGENT_H

#include "parts/manifold.h"

/* Orthonormal bases of the mass metric, v' M w, of the null spaces of G: n free coordinates of bodies,
 * d = S y with S S' = W; G S y = 0. */
typedef struct hn_tangent {
  int n;                     /* freedoms of the bodies */
  int *body, *axis;          /* [n] of each coordinate; axis 0-2: translation, 3-5: rotation, body axes */
  int positions, velocities; /* dimensions of the null spaces of rows of positions, and of all rows */
  double *Zq, *Zv;           /* [positions * n], [velocities * n] basis vectors y, one after another */
} hn_tangent;

/* Computes the bases at STATE with the system of M; -1 on error. Call hn_tangent_free either way. */
int hn_tangent_create(hn_tangent *t, hn_manifold *m, const hn_state *state, hn_error *error);
void hn_tangent_free(hn_tangent *t);
/* D[nbody] := S y at STATE. */
void hn_tangent_twist(const hn_tangent *t, const hn_model *model, const hn_state *state, const double *y,
                      hn_twist *d);
/* Returns z' M a for the basis vector Z[n] and the twist A[nbody]. */
double hn_tangent_dot(const hn_tangent *t, const hn_model *model, const hn_state *state, const double *z,
                      const hn_twist *a);

#endif
