/* hem5.c - half-explicit Runge-Kutta method of order 5 with 8 stages on the index-2 form, Brasey's HEM5.
 *
 *   Y_i = y + h sum_{j<i} A_ij f(Y_j, lambda_j),   i = 2 .. 8;   the ninth row of A, the weights: t + h
 *   lambda_{i-1} is such that the velocities of Y_i satisfy the joints
 *
 * The step is that of half-explicit (half_explicit.c), which explains the iteration for the multipliers, the
 * parameters and the limits. The nodes of the weights are those of stages 4 to 8: two free ones, 1/2, 4/5 and
 * 1.
 *
 * Order 5 in positions, velocities and multipliers, which are those of the acceleration form. Velocities
 * satisfy the joints to velocity_tolerance. Positions drift at order 5, at most linearly in t, unless
 * stabilisation = projection. Cost: 8 Jacobians and factorisations a step, a solve an iteration, and one
 * solve for the multipliers at the end.
 *
 * [brasey1994; brasey1993, conditions of order] The coefficients are those of Brasey's program, which meet
 * the 1972 conditions of order 5 for systems of index 2 to 1.4e-12, as they are rounded to 16 digits. Here
 * they are corrected, by at most 2e-13, to meet them to the last digit of a double: Newton's method in 45
 * digits on these conditions, with c_2 = 1/10, c_3 = 3/20, A_32 = 9/80, c_6 = 1/2, c_7 = 4/5 and the zeros as
 * they are. Brasey's estimate of the error and dense output are not used. */
#include "half_explicit/half_explicit_step.h"

const hn_half_explicit_method hn_hem5 = {
  .stages = 8,
  .A = { { 0 },
         { 1.0 / 10 },
         { 3.0 / 80, 9.0 / 80 },
         { 0.322216923621601669039434, -1.188883322987598986279809, 1.228145134023360438877050 },
         { -0.035011238981298268414135, 0.372542060108611057566733, -0.272105353558198918112168,
           0.019930375785750369775944 },
         { -0.557654705504192513683657, 1.367307289645899039439457, -1.732236360460723888151166,
           0.458777200746756681708554, 0.963806575572260680686812 },
         { 0.086545171935643260000822, -0.088100828479457920443036, 0.198127554732911529736166,
           -0.464542267933107088608624, 0.161517009110998651871040, 0.906453360633011567443633 },
         { 0, 0, 0, 3.624477248753875385937475, -0.461772418918293995826284, -3.198024628164333774831758,
           1.035319798328752384720567 },
         { 0, 0, 0, 0.246776066763679629907251, 0.210659408748972759824548, 0.176921814912500849031081,
           0.306444644414793488007532, 0.059198065160053273229588 } },
  .node = { 0, 1.0 / 10, 3.0 / 20, 0.361478734657363121636675, 0.085355843354864240816374, 1.0 / 2, 4.0 / 5,
            1, 1 },
};

static int setup(hn_solver *solver, hn_error *error)
{
  return hn_half_explicit_setup(solver, &hn_hem5, error);
}

const hn_solver_type hn_solver_hem5 = {
  .abi = HN_ABI,
  .name = "hem5",
  .summary = "half-explicit Runge-Kutta of order 5 (HEM5): velocities meet the joints in every stage",
  .citation = "Brasey 1994; Brasey and Hairer 1993",
  .capabilities = HN_CAN_BILATERAL | HN_CAN_COMPLIANT | HN_HAS_MULTIPLIERS | HN_CAN_VELOCITY |
                  HN_CAN_EXTRA_FORCES,
  .order = 5,
  .data_size = sizeof(hn_half_explicit),
  .params = hn_half_explicit_params,
  .setup = setup,
  .step = hn_half_explicit_step,
  .reset = hn_half_explicit_reset,
  .memory = hn_half_explicit_memory,
  .free = hn_half_explicit_free,
};
