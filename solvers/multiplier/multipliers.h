/* multipliers.h - joint forces and accelerations that are consistent with a state, for solvers in acceleration form. */
#ifndef HN_MULTIPLIERS_H
#define HN_MULTIPLIERS_H

#include "impulse/correction.h"

/* The forces that keep joints from the accelerations a of all bodies: K LAMBDA = -(G a + GAMMA), [nrow];
 * GAMMA may be NULL. Jacobian and factor of K are those made last. */
hn_reason hn_forces_against(hn_system *system, hn_twist *acceleration, const double *gamma, double *lambda);

/* Joint forces and accelerations of all bodies at STATE, where Jacobian and factor of K were made last (hn_factor_at):
 * ACCELERATION = a + W G' LAMBDA, a without joints, LAMBDA[nrow] against them. */
hn_reason hn_accelerations(hn_system *system, const hn_state *state, double *lambda, hn_twist *acceleration);

/* hn_accelerations, with the failure noted as one of the solver's step. */
hn_reason hn_multipliers(hn_solver *solver, const hn_state *state, double *lambda, hn_twist *acceleration);

/* Jacobian and factor of K at STATE; a failure is noted as one of the factorisation. */
hn_reason hn_factor_at(hn_solver *solver, const hn_state *state);

#endif
