/* partition.c - generalised coordinate partitioning [wehage1982].
 *
 *   y = (dependent, independent)   components of displacements and velocities of the bodies
 *   independent ones are integrated by a stepper
 *   dependent ones satisfy g = 0 and G u + bias = 0 in every stage
 *
 * The components are those along the axes of the bodies at the start of the step (independent/independent.h):
 * E is a permutation. Gaussian elimination of the constraint matrix with complete pivoting finds as many
 * dependent ones as its rank, with the rows that determine them; rows that are left over repeat others.
 * Rotations are scaled so that positions are preferred as dependent ones. The partition is kept until the
 * velocities of dependent components by unit independent ones, in the mass metric, have grown by `growth`. A
 * step that fails, or within which they double, is repeated with another partition.
 *
 * Order of the stepper in positions, velocities and multipliers. Positions satisfy the joints to the
 * tolerance and velocities to round-off in every stage, also between redundant joints, of which those that
 * repeat others have no force. No drift, and no decision on rank but at a new partition. Cost of a stage,
 * with n coordinates, r of them dependent: r^3 / 3 + r^2 (n - r) for the factor and the null space, (n - r)^2
 * n / 2 for the reduced mass matrix. The matrices are dense. */
#include "independent/independent.h"

static const hn_param params[] = { HN_INDEPENDENT_PARAMS("1.2") };

static int setup(hn_solver *solver, hn_error *error)
{
  return hn_independent_setup(solver, false, error);
}

const hn_solver_type hn_solver_partition = {
  HN_INDEPENDENT_TYPE,
  .name = "partition",
  .summary = "independent coordinates chosen by pivoting, integrated by Runge-Kutta; others follow",
  .citation = "Wehage and Haug 1982",
  .params = params,
  .setup = setup,
};
