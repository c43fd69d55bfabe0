/* variational.c - discrete Euler-Lagrange equations on the group R^3 x SO(3) of each body, with the joints
 * satisfied at both ends of a step.
 *
 *   M u_0+ = M (u_0 + h/2 f_0) + G_0' p              momenta at the start; p such that
 *   (q_1, u_1-) = discrete free motion of (q_0, u_0+) over h,  g(q_1) = 0
 *   M u_1 = M (u_1- + h/2 f_1) + G_1' r              r such that G_1 u_1 + bias = 0
 *
 * The free motion is exact for positions. For rotations it follows from a discrete Lagrangian:
 *
 *   moser-veselov   R_1 = R_0 F,  h J W_0 = vee(F J_d - J_d F')                  W = R' w, body axes
 *   exponential     R_1 = R_0 exp(x),  h J W_0 = T(-x)^-T J x                    RATTLie
 *
 * and conserves the angular momentum, J W_1 = F' J W_0. (lib/flight/variational_flight.c solves for F and x.)
 * The step is that of impulse-sle (impulse/rattle.c), whose free flight is the exact one.
 *
 * Order 2, symmetric, symplectic: with conservative forces the energy error is bounded. Momenta that joints,
 * gravity and forces leave constant are conserved to the tolerance, without joints to round-off. Velocities
 * and positions satisfy the joints to the tolerance. Forces that depend on velocities are implicit in the
 * closing half kick (impulse/force_impulse.c). The joint forces are those of the acceleration form at the end
 * of the step, K lambda = -(G W f + gamma), with the factor of the velocity correction. They are of order 2;
 * the impulses p / h and r / h are means over half a step, and of order 1 there.
 *
 * A step so long that the equations of a rotation have no solution fails: above about h |W| = 1 with
 * moser-veselov, at a full turn with exponential. Cost: as impulse-sle, and Newton iterations of 3 unknowns a
 * body and flight. [lee2007; hante2021] */
#include "impulse/rattle.h"
#include "base/vec.h"
#include "multiplier/multipliers.h"
#include "registry/solver_arrays.h"

typedef struct variational {
  hn_rattle rattle;
  int derivative;         /* flight: HN_MOSER_VESELOV + derivative */
  hn_twist *acceleration; /* [nbody] */
} variational;

static const hn_param params[] = {
  { "derivative", HN_CHOICE, offsetof(variational, derivative), "moser-veselov", 0, 0, "",
    "moser-veselov,exponential", "discrete Lagrangian of the rotations" },
  { "tolerance", HN_REAL, offsetof(variational, rattle.tolerance), "1e-11", 1e-16, 1, "m, rad", NULL,
    "joint error allowed after the joint correction" },
  { "iterations", HN_INTEGER, offsetof(variational, rattle.iterations), "50", 1, 1e6, "", NULL,
    "limit of the joint correction" },
  HN_LINEAR_PARAMS(variational, rattle.linear),
  HN_GUESS_PARAM(variational, rattle.guess),
  HN_HALVING_PARAM(variational, rattle.halving),
  { .key = NULL },
};

static int setup(hn_solver *solver, hn_error *error)
{
  variational *d = solver->data;
  d->rattle.flight.kind = HN_MOSER_VESELOV + d->derivative;
  d->rattle.velocity_correction = true;
  if (hn_rattle_setup(solver, &d->rattle, error)) return -1;
  return hn_solver_allocate(solver, error, HN_ARRAY(d->acceleration, solver->system->model->nbody));
}

static void *memory(hn_solver *solver, size_t *size)
{
  return hn_guess_memory(&((variational *)solver->data)->rattle.guess, size);
}

/* True if the last flight has rotated all bodies. */
static bool has_rotated(const hn_solver *solver)
{
  const variational *d = solver->data;
  const hn_system *s = solver->system;
  for (int k = 0; k < s->nrotating; k++)
    if (!all_finite(d->rattle.trial->pose[s->rotating[k]].q, 4)) return false;
  return true;
}

/* Takes a step; a rotation without a solution counts as a step that stalls, so that it may be halved. */
static hn_reason whole_step(hn_solver *solver, hn_state *state, double h)
{
  variational *d = solver->data;
  const bool finite = hn_state_finite(state);
  hn_reason reason = hn_rattle_step(solver, &d->rattle, state, h);
  if (finite && (reason == HN_CONVERGED || reason == HN_NOT_FINITE) && !has_rotated(solver))
    return hn_step_failed(solver, HN_STALLED, "discrete rotation, which has no solution for so long a step",
                          -1, 0.0);
  return reason;
}

static hn_reason step(hn_solver *solver, hn_state *state, double h)
{
  variational *d = solver->data;
  hn_reason reason = hn_divided_step(solver, &d->rattle.control, &d->rattle.halving, state, h, whole_step);
  if (reason != HN_CONVERGED) return reason;
  return hn_multipliers(solver, state, solver->multipliers, d->acceleration);
}

static const char *const variants[] = { "", "derivative=exponential", NULL };

const hn_solver_type hn_solver_variational = {
  .abi = HN_ABI,
  .name = "variational",
  .summary = "variational integrator on the Lie group: symplectic, joints satisfied at both ends",
  .citation = "Leok, Lee and McClamroch 2007; Hante and Arnold 2021; Moser and Veselov 1991",
  .capabilities = HN_CAN_BILATERAL | HN_CAN_COMPLIANT | HN_HAS_MULTIPLIERS | HN_KEEPS_MOMENTUM |
                  HN_CAN_VELOCITY | HN_CAN_EXTRA_FORCES,
  .order = 2,
  .data_size = sizeof(variational),
  .params = params,
  .setup = setup,
  .step = step,
  .reset = hn_rattle_solver_reset,
  .memory = memory,
  .variants = variants,
};
