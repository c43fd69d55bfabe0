/* half_explicit.c - half-explicit Runge-Kutta method of order 4 on the index-2 form.
 *
 *   q' = v,   v' = a(q, v) + W G' lambda,   0 = G(q) v + bias          y = (q, v)
 *   Y_i = y + h sum_{j<i} A_ij f(Y_j, lambda_j),   i = 2 .. 5;   the sixth row of A, the weights: t + h
 *   lambda_{i-1} is such that Y_i satisfies the constraint:            G(Q_i) V_i + bias = 0
 *
 * The positions Q_i do not depend on lambda_{i-1}, so its equation is linear: h A_{i,i-1} G_i W_{i-1}
 * G_{i-1}' lambda = -r. The matrix is not symmetric. It differs from K_i = G_i W_i G_i' by O(h). The equation
 * is solved to velocity_tolerance by the iteration z = K_i^-1 r, which reduces r by a factor of order h each
 * time. Bodies that turn by a radian between two stages make that factor about 1 or larger. If `iterations`
 * are not enough, or r diverges, as many further corrections are combined to minimise r: generalised
 * conjugate residuals over the last few of them, or Orthodir where these stagnate. [eisenstat1983, young1980]
 * Quaternions are four numbers with q' = (0, w) q / 2, normalised where read: a smooth function, so the order
 * holds.
 *
 * Rows that constrain velocities alone are of index 2 as they are.
 *
 * Order 4 in positions, velocities and multipliers. Velocities satisfy the joints to velocity_tolerance.
 * Positions drift at the order of the solver, at most linearly in t, unless stabilisation = projection. Cost:
 * 5 Jacobians and factorisations a step, a solve an iteration, and one solve for the multipliers at the end.
 * These are those of the acceleration form, K lambda = -(G a + gamma), of the same order as the state.
 * [brasey1993, HEM4; hairer1996, section VII.6: five stages on the nodes of the Radau quadrature] The papers
 * solve for lambda and the acceleration together, with a direct solver for the unsymmetric matrix.
 *
 * Redundant rows must be redundant off the joints too, like parallel rods: stages satisfy the positions only
 * to O(h^2). Rows that are redundant on the joints alone (Bennett, Bricard) have conflicting velocities in
 * the stages, and the run is refused there. */
#include "half_explicit/half_explicit_step.h"

#define ROOT6 2.449489742783178098197284074705891

const hn_half_explicit_method hn_hem4 = {
  .stages = 5,
  .A = { { 0 },
         { 3.0 / 10 },
         { (1 + ROOT6) / 30, (11 - 4 * ROOT6) / 30 },
         { (-79 - 31 * ROOT6) / 150, (-1 - 4 * ROOT6) / 30, (24 + 11 * ROOT6) / 25 },
         { (14 + 5 * ROOT6) / 6, (-8 + 7 * ROOT6) / 6, (-9 - 7 * ROOT6) / 4, (9 - ROOT6) / 4 },
         { 0, 0, (16 - ROOT6) / 36, (16 + ROOT6) / 36, 1.0 / 9 } },
  .node = { 0, 3.0 / 10, (4 - ROOT6) / 10, (4 + ROOT6) / 10, 1, 1 },
};

static int setup(hn_solver *solver, hn_error *error)
{
  return hn_half_explicit_setup(solver, &hn_hem4, error);
}

const hn_solver_type hn_solver_half_explicit = {
  .abi = HN_ABI,
  .name = "half-explicit",
  .summary = "half-explicit Runge-Kutta of order 4 (HEM4): velocities meet the joints in every stage",
  .citation = "Brasey and Hairer 1993; Hairer and Wanner 1996, section VII.6",
  .capabilities = HN_CAN_BILATERAL | HN_CAN_COMPLIANT | HN_HAS_MULTIPLIERS | HN_CAN_VELOCITY |
                  HN_CAN_EXTRA_FORCES,
  .order = 4,
  .data_size = sizeof(hn_half_explicit),
  .params = hn_half_explicit_params,
  .setup = setup,
  .step = hn_half_explicit_step,
  .reset = hn_half_explicit_reset,
  .memory = hn_half_explicit_memory,
  .free = hn_half_explicit_free,
};
