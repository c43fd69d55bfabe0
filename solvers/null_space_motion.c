/* null_space_motion.c - solver null-space: motion in the null space of the constraint matrix [betsch2005].
 *
 *   u = P s,  G P = 0,  P' M P = 1        at the state where P is chosen
 *   u = N s + c,  G N = 0                 in the stages: N is P plus what keeps it in the null space
 *   (N' M N) ds/dt = N' (f - M c')        the multipliers are eliminated, not computed
 *
 * P and a basis of its complement are the columns of Q in the QR factorisation of the constraint matrix in
 * the mass metric, by Householder's reflections with pivoting: E = Q in independent/independent.h. Rows
 * without a remainder repeat others and are left out. P is chosen at the start of every step, or, with growth
 * > 0, when N has turned away from it by the angle of that tangent; meanwhile it is constant in the axes of
 * the bodies. N continues P within the step. Results depend on P by their truncation error only. With
 * growth > 0 P changes at ends of steps, which move with the step size: errors follow the order in the mean,
 * and scatter about it. Displacements lie in P and, by Newton's method in every stage, in its complement as
 * far as g = 0 requires.
 *
 * Order of the stepper in positions, velocities and multipliers; the latter follow from the accelerations.
 * Positions satisfy the joints to the tolerance and velocities to round-off in every stage. Momentum is
 * conserved to round-off, angular momentum to the order. Cost of a stage as that of `partition`, and 12 n^2
 * for the products with P; of a new P, 4 n^2 r. We integrate the null-space equations by explicit steppers,
 * where Betsch takes a discrete null space for an energy-momentum scheme: that scheme without the elimination
 * is `energy-momentum`. [golub2013, section 5.4] */
#include "independent/independent.h"

static const hn_param params[] = { HN_INDEPENDENT_PARAMS("0") };

static int setup(hn_solver *solver, hn_error *error)
{
  return hn_independent_setup(solver, true, error);
}

const hn_solver_type hn_solver_null_space = {
  HN_INDEPENDENT_TYPE,
  .name = "null-space",
  .summary = "motion in the null space of the constraints, multipliers eliminated; Runge-Kutta",
  .citation = "Betsch 2005",
  .params = params,
  .setup = setup,
};
