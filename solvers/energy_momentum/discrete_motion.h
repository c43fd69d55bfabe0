/* discrete_motion.h - data of solver energy-momentum, and the residuals of its discrete equations. */
#ifndef HN_DISCRETE_MOTION_H
#define HN_DISCRETE_MOTION_H

#include "energy_momentum/krylov.h"
#include "impulse/pose_cache.h"
#include "solver.h"

typedef struct hn_energy_momentum {
  double tolerance; /* m, rad */
  int iterations;
  hn_linear_options linear;
  hn_pose_cache factored; /* poses at which K was factored */
  hn_state *start, *middle, *end;
  double h, size;            /* s; m: size of the mechanism */
  size_t n;                  /* number of unknowns, 6 nbody + nrow */
  double *z, *before, *step; /* [n] Delta, then lambda; those before a Newton step; that step */
  double *F, *shifted;       /* [n] residuals at z, and at a neighbouring point */
  double *G;                 /* [12 nrow] discrete Jacobians, laid out as in hn_system */
  double *wrench;            /* [6 nbody] mean forces and joint forces */
  hn_twist *rate;            /* [nbody] accelerations, scratch */
  double *p;                 /* [nrow] */
  hn_krylov krylov;
} hn_energy_momentum;

/* Returns the displacement of body I in the vector Z of unknowns. */
double *hn_em_displacement(double *z, int i);
/* Returns the multipliers in Z. */
double *hn_em_multipliers(const hn_energy_momentum *d, double *z);
/* Computes R J W of a body with body-axes angular velocity W. */
void hn_angular_momentum(const hn_body *body, const double q[4], const double W[3], double L[3]);
/* Computes w = R J^-1 R' L. */
void hn_angular_velocity(const hn_body *body, const double q[4], const double L[3], double w[3]);
/* Computes all residuals at Z into F, and the forces in d->wrench. Returns the largest norm of a joint's, and
 * its index in *WORST. */
double hn_em_residuals(hn_solver *solver, double *z, double *F, int *worst);

#endif
