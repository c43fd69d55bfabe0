/* ipm_step.h - iterates and steps of the interior-point solver (ipm.c). Internal. */
#ifndef HN_IPM_STEP_H
#define HN_IPM_STEP_H

#include "base/array.h"
#include "contact/ipm/lorentz.h"
#include "contact/matrix/scaled_matrix.h"

typedef struct hn_ipm {
  hn_contact_matrix K;
  hn_scaling *scaling;   /* [most.blocks] of cones with friction */
  double *scale;         /* [most.blocks] mean diagonals of K */
  double *Q, *u;         /* [6 most.rows], [6 most.bodies] */
  double *lower, *upper; /* [most.rows] bounds of rows outside of cones with friction */
  double *p, *best;      /* [most.rows] impulses, in the interior */
  /* [most.rows] multipliers: of a cone its z; of other rows those of the lower and of the upper bound */
  double *z, *y;
  double *shift, *v;        /* [most.rows] De Saxce's shift, and velocities without it */
  double *dp, *dz, *dy;     /* [most.rows] the step */
  double *cz, *cy;          /* [most.rows] products of the predictor */
  hn_refinement refinement; /* scratch of the step */
  double floor;             /* of the scaling, relative to the mean diagonal of K */
  hn_arrays arrays;
} hn_ipm;

/* True if BLOCK is a cone with friction, which is scaled as a whole. */
static inline bool hn_ipm_is_cone(const hn_problem_block *block)
{
  return block->set.kind == HN_CONE && block->set.mu > 0.0;
}

/* Computes the bounds of the rows outside of cones with friction. */
void hn_ipm_bounds(hn_ipm *s, const hn_problem *problem);
/* Moves p, and the multipliers for the velocities v + shift, into the interior: by DISTANCE, m/s. */
void hn_ipm_enter(hn_ipm *s, const hn_problem *problem, double distance);
/* Moves the multiplier of a cone by the CHANGE of its shift, so that the residual of the step stays the same;
 * keeps impulse and multiplier DISTANCE, N s, from the boundary. K is the mean diagonal of K. */
void hn_ipm_follow(hn_ipm *s, const hn_problem_block *block, double k, double change, double distance);
/* Returns the mean of the products of p and multipliers, N s m/s. */
double hn_ipm_gap(const hn_ipm *s, const hn_problem *problem);
/* Factors the matrix of the step at the iterate; HN_CONVERGED, or the reason of a failure. */
hn_reason hn_ipm_factor(hn_ipm *s, const hn_problem *problem);
/* Computes the step to products of TARGET; CORRECT: less the products of the step before. False if it is not
 * finite. */
bool hn_ipm_direction(hn_ipm *s, const hn_problem *problem, double target, bool correct);
/* Stores the products of the step, for the next direction. */
void hn_ipm_note_products(hn_ipm *s, const hn_problem *problem);
/* Returns the largest part of the step up to the boundary; more than 1 if the whole step ends before it. */
double hn_ipm_longest(const hn_ipm *s, const hn_problem *problem);
/* Makes PART of the step. */
void hn_ipm_move(hn_ipm *s, const hn_problem *problem, double part);

#endif
