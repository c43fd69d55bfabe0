/* saddle.h - the matrix of Newton's equations of the stabilised index-2 form, real or complex. Internal.
 *
 *   c dq - w x dq_w / 2 - du - W G' dmu           = r_q        dq: displacement; dq_w: its rotation
 *   c du - W (Dq dq + Du du) - ... - W G' dlambda = r_u        ...: derivative of a rotation (Aq, Au)
 *   G du + V dq + e K_ii / c dlambda              = r_v
 *   G dq        + e K_ii / c dmu                  = r_g        rows of velocities: dmu = r_g
 *
 * in world axes, linearised where the displacement is 0. e > 0 (`proximal`) makes the matrix regular where
 * rows are redundant: multipliers in the null space of W G' are then arbitrary, and Newton's iteration
 * converges with the rate e for the others. The pattern is constant; the factor is sparse (sparse_lu.h): O(n)
 * for trees. */
#ifndef HN_SADDLE_H
#define HN_SADDLE_H

#include "implicit/saddle_assembly.h"
#include "linear/sparse_lu.h"

/* e where rows may be redundant; 0 otherwise. */
#define HN_PROXIMAL 1e-8

/* A number per unknown, for one right-hand side or solution. */
typedef struct hn_saddle_vector {
  double *q, *u;       /* [6 nbody] by twists: linear, angular; 0 for fixed bodies */
  double *lambda, *mu; /* [nrow]; as a right-hand side r_v and r_g */
} hn_saddle_vector;

typedef struct hn_saddle {
  const hn_saddle_pattern *pattern;
  bool is_complex;
  double *value, *x; /* the matrix; a right-hand side, then the solution */
  hn_sparse_lu *lu;
} hn_saddle;

/* Lists the places of the matrix, from the pairs of TANGENT; arrays belong to SOLVER. */
int hn_saddle_pattern_setup(hn_solver *solver, hn_saddle_pattern *pattern, const hn_tangent *tangent,
                            hn_error *error);
/* Creates a matrix. DENSE: factored as a full one. */
int hn_saddle_setup(hn_solver *solver, hn_saddle *saddle, const hn_saddle_pattern *pattern, bool is_complex,
                    bool dense, hn_error *error);
void hn_saddle_free(hn_saddle *saddle);
/* Assembles the matrix for c = RE + i IM, with the Jacobian in SYSTEM and TANGENT, both at STATE, and factors
 * it. Counted as a factorisation. */
hn_reason hn_saddle_factor(hn_system *system, hn_saddle *saddle, const hn_tangent *tangent,
                           const hn_state *state, double re, double im, double proximal);
/* Solves for one right-hand side, or for RE + i IM; each is replaced by the solution. IM is not used if the
 * matrix is real. */
void hn_saddle_solve(hn_system *system, hn_saddle *saddle, const hn_saddle_vector *re,
                     const hn_saddle_vector *im);

/* Copy the numbers of V to the unknowns x, each STRIDE numbers behind the other, and back. */
void hn_saddle_load(const hn_saddle_pattern *pattern, const hn_system *system, const hn_saddle_vector *v,
                    int stride, double *x);
void hn_saddle_unload(const hn_saddle_pattern *pattern, const hn_system *system, const double *x, int stride,
                      const hn_saddle_vector *v);

#endif
