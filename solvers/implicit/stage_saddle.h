/* stage_saddle.h - the matrix of Newton's equations of all stages of an implicit Runge-Kutta method, each
 * linearised at its own values. Internal.
 *
 *   sum_j (A^-1)_ij / h dZ_j - J_i dZ_i = R_i
 *
 * J_i is that of saddle.h. The unknowns of rotations are small world rotations d of the stages, with
 * dphi = E d, E = dexp^-1(phi). Rates of rotation vectors are E w, and their derivative by d is H
 * (radau/stage_motion.h). This is for steps in which the derivatives change too much for one linearisation.
 * Each iteration costs a factorisation of s times as many unknowns. */
#ifndef HN_STAGE_SADDLE_H
#define HN_STAGE_SADDLE_H

#include "implicit/saddle.h"

typedef struct hn_stage_saddle {
  const hn_saddle_pattern *pattern; /* of one stage */
  int stages, entries;
  int *start, *row, *slot;
  double *value, *x;
  double *E, *H; /* [9 nbody stages] */
  int count;     /* entries assembled so far */
  hn_sparse_lu *lu;
} hn_stage_saddle;

int hn_stage_saddle_setup(hn_solver *solver, hn_stage_saddle *m, const hn_saddle_pattern *pattern,
                          const hn_tangent *tangent, int stages, bool dense, hn_error *error);
void hn_stage_saddle_free(hn_stage_saddle *m);
/* Assemble the matrix: all couplings, after E and H have been set; then the stages in turn, for each with the
 * Jacobian in SYSTEM and TANGENT, both at STATE. INVERSE is A^-1. */
void hn_stage_saddle_begin(const hn_system *system, hn_stage_saddle *m, const double *inverse, double h);
void hn_stage_saddle_add(const hn_system *system, hn_stage_saddle *m, const hn_tangent *tangent,
                         const hn_state *state, int stage, double c, double proximal);
/* Factors the matrix, and solves for the right-hand sides R[stages], which become the solutions. */
hn_reason hn_stage_saddle_solve(hn_system *system, hn_stage_saddle *m, const hn_saddle_vector *R);

#endif
