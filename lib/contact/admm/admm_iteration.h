/* admm_iteration.h - one iteration of the ADMM solver: the linear system and the projection (admm.c).
 * Internal. */
#ifndef HN_ADMM_ITERATION_H
#define HN_ADMM_ITERATION_H

#include "contact/admm/admm_policy.h"
#include "contact/matrix/contact_matrix.h"

typedef struct hn_admm {
  double initial_rho;  /* parameter "rho" */
  hn_contact_matrix K; /* with the factor of K + R */
  double *scale, *R;   /* [most.blocks] k, the mean of the diagonal of K; R = rho k */
  double *p, *v;       /* [most.rows] impulses of the linear system, v = K p + b */
  double *z,
    *w;      /* [most.rows] impulses of the sets; multipliers of p = z, shifted velocities at the solution */
  double *u; /* [6 most.bodies] scratch */
} hn_admm;

/* Sets z and w from impulses P and factors K + R with the initial rho. HN_CONVERGED, HN_NOT_FINITE, or a
 * failure of contact_matrix.h. */
hn_reason hn_admm_start(hn_admm *s, hn_contact_solver *solver, const hn_problem *problem, const double *p);
/* Factors K + R for RHO, and counts that in SOLVER. */
hn_reason hn_admm_factor(hn_admm *s, hn_contact_solver *solver, const hn_problem *problem, double rho);
/* Computes p and v from z and w. */
void hn_admm_solve_p(hn_admm *s, const hn_problem *problem);
/* Computes the next z and w from p, and returns the residuals. */
hn_admm_residuals hn_admm_project(hn_admm *s, const hn_problem *problem);
/* Stores x = z - R^-1 w in x[nrow]. */
void hn_admm_get_x(const hn_admm *s, const hn_problem *problem, double *x);
/* Sets z = P_C(x) and w = R (z - x). */
void hn_admm_set_x(hn_admm *s, const hn_problem *problem, const double *x);

#endif
