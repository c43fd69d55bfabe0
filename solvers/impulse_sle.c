/* impulse_sle.c - impulse method, one sparse system for all joints.
 *
 *   find p:  g(flight_h(q, u + W G' p)) = 0        joint correction, at t
 *   repeat   predict;  K p = -g / h;  u += W G' p   K = G W G', factored once a step
 *   then     u += W G' p,  K p = -G u               velocity correction, at t + h
 *
 * Order 2, symmetric; no drift beyond the tolerance. Cost: one factorisation a step, one flight and one solve
 * an iteration. The step is in rattle.c, which other solvers share. [bender2006, eq. 14 and section 4.5;
 * schmitt2005, sections 4 and 5] We reuse the factor for both corrections. */
#include "impulse/rattle.h"
#include "registry/step_doubling.h"

typedef struct impulse_sle {
  hn_rattle rattle;
} impulse_sle;

static const hn_param params[] = {
  HN_RATTLE_PARAMS(impulse_sle, rattle, "1e-9", "exact"),
  HN_GUESS_PARAM(impulse_sle, rattle.guess),
  HN_HALVING_PARAM(impulse_sle, rattle.halving),
  HN_STEP_CONTROL_PARAM(impulse_sle, rattle.control),
  HN_ERROR_TOLERANCE_PARAM(impulse_sle, rattle.error_tolerance),
  { .key = NULL },
};

static void reset(hn_solver *solver)
{
  hn_rattle *rattle = &((impulse_sle *)solver->data)->rattle;
  hn_rattle_reset(rattle);
  hn_active_reset(solver, &rattle->active);
}

/* Returns the active set, or the initial guess, which models with sets do not use. */
static void *memory(hn_solver *solver, size_t *size)
{
  hn_rattle *rattle = &((impulse_sle *)solver->data)->rattle;
  if (!rattle->active.side) return hn_guess_memory(&rattle->guess, size);
  *size = (size_t)solver->system->max_rows;
  return rattle->active.side;
}

const hn_solver_type hn_solver_impulse_sle = {
  .abi = HN_ABI,
  .name = "impulse-sle",
  .summary = "impulses for all joints at once from one sparse linear system",
  .citation = "Bender and Schmitt 2006, section 4.5; Schmitt, Bender and Prautzsch 2005, sections 4 and 5",
  .capabilities = HN_CAN_BILATERAL | HN_CAN_COMPLIANT | HN_KEEPS_MOMENTUM | HN_CAN_PUSH | HN_CAN_WITHIN |
                  HN_CAN_BOUNCE | HN_CAN_VELOCITY | HN_CAN_CHANGE | HN_CAN_EXTRA_FORCES,
  .order = 2,
  .data_size = sizeof(impulse_sle),
  .params = params,
  .setup = hn_rattle_solver_setup,
  .step = hn_rattle_solver_step,
  .reset = reset,
  .memory = memory,
  .capabilities_of = hn_rattle_solver_capabilities,
};
