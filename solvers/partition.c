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

typedef struct partition {
  hn_independent independent;
} partition;

static const hn_param params[] = {
  HN_INDEPENDENT_PARAMS(partition, independent, "1.2"),
  { .key = NULL },
};

static int setup(hn_solver *solver, hn_error *error)
{
  return hn_independent_setup(solver, false, error);
}

static const char *const variants[] = { "", "stepper=euler", NULL };

const hn_solver_type hn_solver_partition = {
  .abi = HN_ABI,
  .name = "partition",
  .summary = "independent coordinates chosen by pivoting, integrated by Runge-Kutta; others follow",
  .citation = "Wehage and Haug 1982",
  .capabilities = HN_CAN_BILATERAL | HN_CAN_REDUNDANT | HN_CAN_COMPLIANT | HN_HAS_MULTIPLIERS |
                  HN_CAN_VELOCITY | HN_CAN_EXTRA_FORCES,
  .order = 0,
  .data_size = sizeof(partition),
  .params = params,
  .setup = setup,
  .step = hn_independent_step,
  .reset = hn_independent_reset,
  .memory = hn_independent_memory,
  .free = hn_independent_free,
  .order_of = hn_independent_order,
  .variants = variants,
};
