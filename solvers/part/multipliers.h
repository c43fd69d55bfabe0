/* multipliers.h - joint forces and accelerations that are consistent with a state, for methods in acceleration form. */
#ifndef HN_MULTIPLIERS_H
#define HN_MULTIPLIERS_H

#include "part/correction.h"

/* Joint forces and accelerations of all bodies at STATE, where Jacobian and factor of K were made last (hn_factor_at):
 * K lambda = -(G a + gamma), ACCELERATION = a + W G' lambda, a without joints. LAMBDA[nrow]. */
hn_reason hn_multipliers(hn_solver *solver, const hn_state *state, double *lambda, hn_twist *acceleration);

/* Jacobian and factor of K at STATE; a failure is noted as one of the factorisation. */
hn_reason hn_factor_at(hn_solver *solver, const hn_state *state);

#endif
