/* force_tangent.h - derivatives of the forces on the bodies, for Newton iterations of implicit solvers.
 * Internal.
 *
 *   P = f(t, q, u) + G(q)' lambda        wrench of each body: force and torque about the centre of mass
 *
 * with respect to a displacement of a body (translation; small rotation, world axes) and to its twist, by
 * forward differences, joint by joint and force by force. So a joint or force costs 13 or 25 evaluations for
 * each of its moving bodies, and stiff springs and dampers are part of the matrix. Forces of all bodies
 * together (compliant contacts, forces given in hn_model.more) are differenced body by body: all pairs of
 * moving bodies are then coupled. */
#ifndef HN_TANGENT_H
#define HN_TANGENT_H

#include "solver.h"

typedef struct hn_tangent {
  const hn_model *model;
  int *freedom;    /* [6 nbody] 1 for the components of a twist that can change, else 0 */
  int npair;       /* pairs (i, k) of moving bodies that interact, i = k included, by ascending i, then k */
  int *first;      /* [nbody + 1] first pair of body i */
  int *other;      /* [npair] k */
  double *Dq, *Du; /* [36 npair] dP_i by displacement and by twist of k, row by row */
  double *Aq, *Au; /* [9 nbody] angular acceleration by own rotation and angular velocity, at constant P */
  /* [12 nrow] velocities G u + bias by displacements, laid out as system->G */
  double *V;
  struct hn_tangent_element *element; /* [nelement] joints, then forces */
  int nelement;
  bool couples_all;  /* some forces depend on all bodies */
  double length;     /* m: scale of displacements */
  double *wrench[2]; /* [6 nbody] */
  hn_state *moved;   /* scratch */
} hn_tangent;

/* Allocates the arrays with those of SOLVER and lists the pairs; -1 on error. */
int hn_tangent_setup(hn_solver *solver, hn_tangent *tangent, hn_error *error);
/* Computes all members at STATE with the multipliers LAMBDA[nrow]. */
void hn_tangent_compute(hn_system *system, hn_tangent *tangent, const hn_state *state, const double *lambda);

#endif
