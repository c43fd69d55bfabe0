/* manifold.h - positions and velocities that meet the joints, and the accelerations there. Internal.
 *
 *   positions      K mu = g - target,   x := x - W G' mu             until the residual decreases no further
 *   velocities     K p = G u + bias - target,   u := u - W G' p
 *   accelerations  K lambda = -(G a + gamma),   a := a + W G' lambda
 *
 * Only equations count; limits and contacts are left out. With redundant rows the solutions have least norm,
 * so that all functions work with any number of them. */
#ifndef HN_MANIFOLD_H
#define HN_MANIFOLD_H

#include "system.h"

typedef struct hn_manifold {
  hn_system *system;
  hn_state *work, *trial;
  double *p; /* [nrow] */
} hn_manifold;

/* Creates the system of MODEL, which must outlive it; -1 on error. Call hn_manifold_free either way. */
int hn_manifold_create(hn_manifold *m, const hn_model *model, hn_error *error);
void hn_manifold_free(hn_manifold *m);
/* Selects the rows: all equations, or those of positions alone. */
void hn_manifold_hold(hn_manifold *m, bool velocities);
/* Computes the Jacobian at STATE and factors K. */
hn_reason hn_manifold_factor(hn_manifold *m, const hn_state *state);
/* Project STATE; TARGET[nrow] are the residuals wanted, NULL: none. */
hn_reason hn_manifold_project_positions(hn_manifold *m, const double *target, hn_state *state);
hn_reason hn_manifold_project_velocities(hn_manifold *m, const double *target, hn_state *state);
/* Computes accelerations and joint forces LAMBDA[nrow] at STATE. */
hn_reason hn_manifold_accelerate(hn_manifold *m, const hn_state *state, hn_twist *acceleration,
                                 double *lambda);

#endif
