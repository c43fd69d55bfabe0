/* multipliers.h - joint forces and accelerations consistent with a state, for the acceleration form. */
#ifndef HN_MULTIPLIERS_H
#define HN_MULTIPLIERS_H

#include "solver.h"

/* Solves K LAMBDA = -(G a + GAMMA) for the joint forces that balance the accelerations a of all bodies.
 * LAMBDA has [nrow] entries; GAMMA may be NULL. Uses the last Jacobian and factor of K. */
hn_reason hn_solve_multipliers(hn_system *system, hn_twist *acceleration, const double *gamma,
                               double *lambda);

/* Computes joint forces and accelerations of all bodies at STATE, where hn_factor_at was called last:
 * ACCELERATION = a + W G' LAMBDA with the unconstrained acceleration a, and LAMBDA[nrow]. */
hn_reason hn_accelerations(hn_system *system, const hn_state *state, double *lambda, hn_twist *acceleration);

/* Calls hn_accelerations and records a failure in the report of SOLVER. */
hn_reason hn_multipliers(hn_solver *solver, const hn_state *state, double *lambda, hn_twist *acceleration);

/* Computes the Jacobian and factors K at STATE; records a failure in the report of SOLVER. */
hn_reason hn_factor_at(hn_solver *solver, const hn_state *state);

#endif
