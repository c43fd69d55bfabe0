/* correction.h - what the impulse methods share: failures, and the small blocks of single joints. */
#ifndef HN_CORRECTION_H
#define HN_CORRECTION_H

#include "holonom.h"

/* A joint correction whose residual exceeds this has run away: it is not iterated further (m, rad). */
#define HUGE_RESIDUAL 1e6

/* Notes why a step of SOLVER failed and returns the reason: not finite when RESIDUAL is, else REASON. */
hn_reason hn_step_failed(hn_solver *solver, hn_reason reason, const char *stage, int joint, double residual);

/* Do A and B have the same poses, to the bit? */
bool hn_same_poses(const hn_state *a, const hn_state *b);

/* Factors the symmetric positive definite n x n matrix A (row by row) in place as L D L'; false when a pivot is
 * rounding error or not positive. */
bool hn_block_factor(int n, double *A);
/* x := A^-1 x with the factor. */
void hn_block_solve(int n, const double *A, double *x);

#endif
