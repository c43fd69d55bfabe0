/* full_newton.h - Newton's equations with the derivatives of the forces, for the implicit solvers on the
 * group (multiplier/group_newton.h), whose own matrix K omits them. Internal.
 *
 *   c dq - du = W G' dmu,   du / b_u - W (Dq dq + Du du) - W G' dlambda = r,   G du = -v,   G dq = -g
 *
 * for q and u at t + h that depend on u' by dq = b du' and du = b_u du'; c = b_u / b. In index 3, v = c g, so
 * that dmu = 0. Multiplied by b, these are the equations of saddle.h with Dq, Du and dlambda divided by k = b
 * / b_u^2. */
#ifndef HN_FULL_NEWTON_H
#define HN_FULL_NEWTON_H

#include "implicit/saddle.h"

enum { HN_NEWTON_AUTO, HN_NEWTON_SIMPLIFIED, HN_NEWTON_FULL };

typedef struct hn_full_newton {
  int choice;  /* parameter */
  bool exists; /* the matrix is allocated */
  bool in_use; /* by the present iteration */
  bool is_index_2;
  double proximal; /* e of saddle.h */
  double c, k;
  hn_tangent tangent;
  hn_saddle_pattern pattern;
  hn_saddle matrix;
  hn_saddle_vector x;
  double correction; /* m, rad: largest displacement by the last correction of u' */
  hn_twist *rate;    /* [nbody], [nrow] values of u' and lambda at the start of the iteration */
  double *lambda;
} hn_full_newton;

/* Row of the table of parameters, for a member FIELD of the data of a solver. */
#define HN_NEWTON_PARAM(data, field)                                                                 \
  {                                                                                                  \
    "newton", HN_CHOICE, offsetof(data, field) + offsetof(hn_full_newton, choice), "auto", 0, 0, "", \
      "auto,simplified,full", HN_NEWTON_MEANING                                                      \
  }
#define HN_NEWTON_MEANING                                                                               \
  "matrix of Newton's iteration: simplified omits the derivatives of the forces, full has them; auto: " \
  "full where the simplified one is slow"

/* Allocates the matrix with the arrays of SOLVER, unless it will not be used: by auto in a model without
 * forces, with compliant contacts of many bodies, or for a part of a model with friction of contacts
 * (hn_model.more). */
int hn_full_newton_setup(hn_solver *solver, hn_full_newton *full, int redundancy, hn_error *error);
void hn_full_newton_free(hn_full_newton *full);
/* Factors the matrix at STATE, where the Jacobian of SYSTEM was computed, with the multipliers LAMBDA[nrow].
 * */
hn_reason hn_full_newton_factor(hn_system *system, hn_full_newton *full, const hn_state *state,
                                const double *lambda, double b, double b_u);
/* Solves for the right-hand sides r: MOTION[nbody] (world axes), V[nrow] and G[nrow]; they become du',
 * dlambda and the part W G' of the displacements that is due to dmu, divided by W G'. */
void hn_full_newton_solve(hn_system *system, hn_full_newton *full, hn_twist *motion, double *v, double *g);

#endif
