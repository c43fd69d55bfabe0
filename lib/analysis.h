/* analysis.h - static equilibrium, and linearisation about a state with its modes */
#ifndef HOLONOM_ANALYSIS_H
#define HOLONOM_ANALYSIS_H

#include "state.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default) /* exported */

enum { HN_MAX_ANALYSED = 1200 }; /* degrees of freedom of the bodies without joints: the matrices are dense */

/* ---- Static equilibrium -------------------------------------------------------------------------------- */

typedef struct hn_equilibrium {
  int steps;            /* Newton steps */
  double acceleration;  /* m/s^2 or rad/s^2: largest of a body, left at the end */
  double start;         /* the same at the start */
  int freedoms;         /* directions of motion that the joints allow */
  int stable, unstable; /* directions in which forces drive the system back, and away */
  int neutral;          /* directions without a force */
} hn_equilibrium;

/* Moves STATE to a static equilibrium near it: velocities are zero, joints hold, and no body accelerates.
 * Time and inputs are those of STATE. LAMBDA[nrow] gets the joint forces there; it may be NULL. Limits and
 * contacts are left out. Returns -1 on error: there is none nearby, or joints have prescribed velocities. */
int hn_equilibrium_find(const hn_model *model, hn_state *state, double *lambda, hn_equilibrium *found,
                        hn_error *error);

/* ---- Modes --------------------------------------------------------------------------------------------- */

/* A solution z = Re(shape e^(s t)) of the linearised motion, s = real + i imaginary. */
typedef struct hn_eigenmode {
  double real, imaginary;       /* 1/s; imaginary >= 0, and stands for both of a conjugate pair */
  double frequency;             /* Hz: imaginary / (2 pi) */
  double damping;               /* -real / |s|, 1; NAN for s = 0 */
  hn_twist *shape, *quadrature; /* [nbody] real and imaginary part of the displacement; the largest is 1 */
} hn_eigenmode;

typedef struct hn_eigenmodes {
  int nbody;
  int positions,
    velocities; /* dimensions of the tangent spaces; they differ if rows constrain velocities only */
  /* [size * size], by rows, size = positions + velocities: the linearised motion z' = A z in orthonormal
   * coordinates of the mass metric, displacements before velocities */
  double *matrix;
  int count;
  hn_eigenmode *mode;  /* [count] by ascending frequency, then descending real part */
  bool conservative;   /* A is that of a symmetric stiffness matrix alone */
  double acceleration; /* m/s^2 or rad/s^2: largest of a body at the state; 0 at an equilibrium */
  double speed;        /* m/s or rad/s: largest of a body at the state */
} hn_eigenmodes;

/* Linearises the motion of MODEL about STATE on the manifold of its joints, with the geometric stiffness of
 * the joint forces, gyroscopic terms and damping. At a state that is no equilibrium the coefficients are
 * those of this instant. Limits and contacts are left out. Returns NULL on error. */
hn_eigenmodes *hn_eigenmodes_create(const hn_model *model, const hn_state *state, hn_error *error);
void hn_eigenmodes_free(hn_eigenmodes *modes); /* may be NULL */
/* Moves OUT, a copy of the state of the modes, by AMPLITUDE Re(shape e^(i PHASE)) and projects it onto the
 * joints. Returns -1 on error. */
int hn_eigenmode_displace(const hn_model *model, const hn_eigenmode *mode, double amplitude, double phase,
                          hn_state *out, hn_error *error);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
